"""The plan of a portfolio, and what of it is each project's."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec
import numpy as np

from core.estimate import estimate
from core.plan.money.elsewhere import in_plan_money, not_paid
from core.plan.plan import plan
from core.plan.portfolio.joined import Joined, Part
from core.plan.record.parts import Pair, Project
from core.plan.record.plan_record import PlanRecord, with_details
from core.plan.record.today import gain
from core.plan.response.price import gammas_of, price_factors
from core.plan.scenario.table import of_table
from core.text.sentences import listed

#: By how much one amount of money may differ in a period between two projects' data.
_SAME = 1e-3


def portfolio_plan(
    markets: Joined, table: Mapping[str, Any], verdict: str | None
) -> PlanRecord:
    """The best split of one budget over the cells of a portfolio.

    Args:
        markets: The joined curves.
        table: Budget, objective and limits, in the words of a scenario file.
        verdict: The worst of the fits' verdicts; None where one has none.

    Raises:
        PlanError: The scenario is not understood, or cannot be met.
    """
    curves = markets.curves
    record = plan(curves, of_table(table, curves), verdict=verdict).record
    by_period = curves.by_period
    ran = {} if by_period is None else dict(zip(curves.names, by_period.T, strict=True))
    prices = price_factors(record.scenario, ran)
    projects = tuple(_project(part, record, prices) for part in markets.parts)
    unpaid = [
        not_paid(
            part.curves,
            {name: f"{part.project}: {name}" for name in part.curves.names},
        )
        for part in markets.parts
    ]
    notes = [*unpaid, *_paid_once(markets), *_paid_twice(markets)]
    notes = [note for note in notes if note]
    record = with_details(record, projects=projects, verdict=verdict or "")
    return noted(_without(record, not_paid(curves)), notes)


def _without(record: PlanRecord, note: str) -> PlanRecord:
    """The plan without a sentence, which stands for each project instead."""

    def left(reasons: Sequence[str]) -> tuple[str, ...]:
        return tuple(each for each in reasons if each != note)

    on_split = msgspec.structs.replace(
        record.on_split, reasons=left(record.on_split.reasons)
    )
    return with_details(record, on_split=on_split, reasons=left(record.reasons))


def noted(record: PlanRecord, notes: Sequence[str]) -> PlanRecord:
    """The plan with sentences that whoever reads its advice has to know."""
    on_split = msgspec.structs.replace(
        record.on_split, reasons=(*record.on_split.reasons, *notes)
    )
    reasons = (*record.reasons, *notes)
    return with_details(record, on_split=on_split, reasons=reasons)


def _paid_once(markets: Joined) -> list[str]:
    """That shared spend stands in several projects; nothing where none does."""
    cells = np.concatenate([part.cells for part in markets.parts])
    several = np.bincount(cells, minlength=len(markets.curves.names)) > 1
    names = [markets.curves.names[cell] for cell in several.nonzero()[0]]
    if not names:
        return []
    return [
        f"Shared spend {listed(names)} is paid once and stands in the amounts of each "
        "project that it serves, so these add up to more than the budget."
    ]


def _paid_twice(markets: Joined) -> list[str]:
    """That spend is the same in two projects, and not shared; by channel."""
    owners: dict[str, list[str]] = {}
    for first, second in combinations(markets.parts, 2):
        one, other = first.curves, second.curves
        if one.by_period is None or other.by_period is None:
            continue
        for place, name in enumerate(one.names):
            if name not in other.names:
                continue
            theirs = other.names.index(name)
            spends = one.by_period[:, place], other.by_period[:, theirs]
            is_shared = first.cells[place] == second.cells[theirs]
            if not is_shared and np.allclose(*spends, rtol=_SAME, atol=0.0):
                owners.setdefault(name, []).extend((first.project, second.project))
    return [
        f"{name} is the same spend in every period in "
        f"{listed(list(dict.fromkeys(projects)))}, and this budget pays it for each: "
        "where it is one amount of money, name it in [shared]."
        for name, projects in owners.items()
    ]


def _project(part: Part, record: PlanRecord, prices: Mapping[str, float]) -> Project:
    """A project's share: spend that is shared stands in each that it serves."""
    lines = [record.channels[cell] for cell in part.cells]
    comparison, planned = (
        np.array([getattr(line, name) for line in lines])
        for name in ("comparison", "planned")
    )
    gammas = gammas_of(record.scenario)
    own = part.curves.names
    gammas = {n: gammas.get(line.name, 0.0) for n, line in zip(own, lines, strict=True)}
    prices = {n: prices.get(line.name, 1.0) for n, line in zip(own, lines, strict=True)}
    curves = in_plan_money(part.curves, {}, (), (gammas, prices))
    before, after = (
        curves.outcome(split).sum(axis=1) for split in (comparison, planned)
    )
    return Project(
        name=part.project,
        current=sum(line.current for line in lines),
        comparison=float(comparison.sum()),
        planned=float(planned.sum()),
        outcome=Pair(estimate(before), estimate(after)),
        gain=gain(after, before),
        spend={
            name: amount / part.rate
            for name, amount in zip(curves.names, planned.tolist(), strict=True)
        },
        gammas={name: each for name, each in gammas.items() if each},
        prices={name: each for name, each in prices.items() if each != 1.0},
        bought={} if curves.elsewhere is None else dict(curves.elsewhere.bought),
    )
