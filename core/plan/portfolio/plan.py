"""The plan of a portfolio, and what of it is each project's."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import msgspec
import numpy as np
from jaxtyping import Bool, Float

from core.estimate import estimate
from core.plan.money.elsewhere import exactly_own, in_all, in_plan_money, not_paid
from core.plan.plan import plan
from core.plan.portfolio.joined import Joined, Part
from core.plan.record.parts import Pair, Project
from core.plan.record.plan_record import PlanRecord, with_details
from core.plan.record.today import gain
from core.plan.response.curves import ResponseCurves
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
    record = plan(curves, of_table(table, curves), verdict=verdict)
    by_period = curves.by_period
    ran = {} if by_period is None else dict(zip(curves.names, by_period.T, strict=True))
    prices = gammas_of(record.scenario), price_factors(record.scenario, ran)
    whole = in_plan_money(curves, {}, (), prices)
    paying = [_in_plan_money(part, curves.names, prices) for part in markets.parts]
    shared = _shared(markets)
    projects = tuple(
        _project(part, own, _amounts(part, own, record, whole, shared))
        for part, own in zip(markets.parts, paying, strict=True)
    )
    unpaid = [
        not_paid(own, {name: f"{part.project}: {name}" for name in own.names})
        for part, own in zip(markets.parts, paying, strict=True)
    ]
    notes = [*unpaid, *_paid_once(markets, shared), *_paid_twice(markets)]
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


def _shared(markets: Joined) -> Bool[np.ndarray, " cell"]:
    """Which cells are of several projects."""
    cells = np.concatenate([part.cells for part in markets.parts])
    return np.bincount(cells, minlength=len(markets.curves.names)) > 1


def _paid_once(markets: Joined, shared: Bool[np.ndarray, " cell"]) -> list[str]:
    """That shared spend stands in several projects; nothing where none does."""
    names = [markets.curves.names[cell] for cell in shared.nonzero()[0]]
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


class _Amounts(NamedTuple):
    """What a project spends on each of its channels: now, compared and planned."""

    current: Float[np.ndarray, " channel"]
    comparison: Float[np.ndarray, " channel"]
    planned: Float[np.ndarray, " channel"]


def _in_plan_money(
    part: Part, cells: Sequence[str], prices: tuple[Mapping[str, float], ...]
) -> ResponseCurves:
    """The curves of a project in the money of the plan, paying for what it buys."""
    gammas, factors = (
        {
            name: each[cells[cell]]
            for name, cell in zip(part.curves.names, part.cells, strict=True)
            if cells[cell] in each
        }
        for each in prices
    )
    return in_plan_money(part.curves, part.bought, (), (gammas, factors))


def _amounts(
    part: Part,
    own: ResponseCurves,
    record: PlanRecord,
    whole: ResponseCurves,
    shared: Bool[np.ndarray, " cell"],
) -> _Amounts:
    """What a project spends: of shared spend, with what it pays for itself alone.

    Args:
        part: The project.
        own: Its curves in the money of the plan.
        record: The plan.
        whole: The curves of all cells in that money.
        shared: Which cells are of several projects.
    """
    amounts = _Amounts(
        *(
            np.array([getattr(line, name) for line in record.channels], float)
            for name in _Amounts._fields
        )
    )
    if whole.elsewhere is None or not shared[part.cells].any():
        return _Amounts(*(each[part.cells] for each in amounts))
    is_shared = shared[part.cells]

    def of_project(cells: np.ndarray) -> np.ndarray:
        spend = exactly_own(whole, cells)[part.cells]
        if own.elsewhere is not None:
            spend = in_all(own, spend)
        return np.where(is_shared, spend, cells[part.cells])

    current = np.where(is_shared, own.spend, amounts.current[part.cells])
    return _Amounts(current, *map(of_project, amounts[1:]))


def _project(part: Part, curves: ResponseCurves, amounts: _Amounts) -> Project:
    """A project's share: spend that is shared stands in each that it serves."""
    before, after = (curves.outcome(split).sum(axis=1) for split in amounts[1:])
    gammas, prices = (
        dict(zip(curves.names, each, strict=True)) if each else {}
        for each in (curves.gammas, curves.prices)
    )
    return Project(
        name=part.project,
        current=float(amounts.current.sum()),
        comparison=float(amounts.comparison.sum()),
        planned=float(amounts.planned.sum()),
        outcome=Pair(estimate(before), estimate(after)),
        gain=gain(after, before),
        spend={
            name: amount / part.rate
            for name, amount in zip(curves.names, amounts.planned.tolist(), strict=True)
        },
        gammas={name: each for name, each in gammas.items() if each},
        prices={name: each for name, each in prices.items() if each != 1.0},
        bought=dict(part.bought),
    )
