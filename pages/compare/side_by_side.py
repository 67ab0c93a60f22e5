"""Plans side by side as a table: what each row says of each plan, and the best."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core import text as fmt
from core.service.plans import Standing
from core.service.records.plan import PlanRecord, in_same_periods
from core.text.languages.language import marked, say
from core.view import plan_words
from core.view.advice import compared_with
from core.view.origin import advice_now, made_with, odds_now
from pages.ui import tables
from pages.ui.findings import plain
from pages.ui.kept import saved_when

_OVER = {
    "channels": marked("channels"),
    "weeks": marked("channels and weeks"),
    "geos": marked("channels and geos"),
}


def comparable(plans: Sequence[PlanRecord]) -> bool:
    """Whether the plans spend the same to the cent in the same periods."""
    budgets = {round(plan.budget, 2) for plan in plans}
    return len(budgets) == 1 and in_same_periods(plans)


def table(
    measures: Mapping[str, Sequence[str]],
    names: Sequence[str],
    label: str,
    *,
    comparable: bool = True,
) -> None:
    """One column per plan; the best of a row is marked where one can be best.

    Args:
        measures: What each row says of each plan; none is no table.
        names: Of the plans.
        label: What they are.
        comparable: Whether one can be best.
    """
    measures, shared = _told_apart(measures)
    if measures:
        frame = pd.DataFrame(list(measures.values()), columns=list(names))
        frame.insert(0, "", list(measures))
        tables.of_page(frame, say("{label} side by side", label=label))
        st.caption(
            say("★: best of the row. Brackets: 90 % intervals.")
            if comparable and len(names) > 1
            else say("Brackets: 90 % intervals.")
        )
    else:
        st.markdown(say("No difference: these plans say the same."))
    if shared:
        same = "; ".join(fmt.named(name, text) for name, text in shared.items())
        st.caption(plain(say("The same in all: {same}.", same=same)))


def _told_apart(
    measures: Mapping[str, Sequence[str]],
) -> tuple[dict[str, Sequence[str]], dict[str, str]]:
    """Rows in which plans differ, and what all of them share; of one plan every row."""
    differ = {
        name: texts
        for name, texts in measures.items()
        if (len(texts) < 2 and any(texts))
        or len({text.removeprefix("★ ") for text in texts}) > 1
    }
    shared = {
        name: texts[0].removeprefix("★ ")
        for name, texts in measures.items()
        if name not in differ and texts[0]
    }
    return differ, shared


def named(saved: Sequence[PlanRecord], record: str | None) -> dict[str, str]:
    """What each plan is called, by its id: numbered only where a name comes again.

    Args:
        saved: Every saved plan, newest first.
        record: The plan of record; None where there is none.
    """
    often, names = Counter(plan.title for plan in saved), {}
    for i, plan in enumerate(saved):
        name, number = plan.title, f" ({len(saved) - i})"
        while (name == plan.title and often[name] > 1) or name in names.values():
            name += number
        names[plan.plan_id] = name
    if record in names:
        names[record] += say(" (of record)")
    return names


def rows(
    plans: Sequence[PlanRecord],
    units: fmt.Units,
    standings: Sequence[Standing] | None = None,
) -> dict[str, list[str]]:
    """What each row says of each plan.

    Args:
        plans: The plans.
        units: Words for the units.
        standings: Of each beside the newest fit; None where all are of that one.
    """
    outcomes = [plan.outcome.planned for plan in plans]
    cells = {
        say("Advice"): [*map(advice_now, plans, standings or _unscored(plans))],
        say("Plan for"): [plan_words.horizon(plan) for plan in plans],
        say("Over"): [say(_OVER[plan.over]) for plan in plans],
        say("Budget"): [fmt.money(plan.budget, units.currency) for plan in plans],
        plan_words.brought(units): _marked(
            plans,
            [units.estimate(outcome) for outcome in outcomes],
            [outcome.mean for outcome in outcomes],
        ),
        **_per_period(plans, outcomes, units),
    }
    against = _against_today(plans, units)
    answer = list(against)[-1]  # profit where it is known, else the outcome
    changes = [plan.against_today for plan in plans]
    profits = [each.profit and each.profit.gain for each in changes]
    gains = profits if any(profits) else [each.outcome for each in changes]
    cells[answer] = against[answer]
    if all(gains):
        cells[answer] = _marked(plans, cells[answer], [each.mean for each in gains])
    cells |= {
        say("ROI, {ran} to plan", ran=plan_words.mark_of_ran(plans)): [
            _from_to(*(fmt.roi(each.mean) for each in (roi.today, roi.planned)))
            for roi in (each.roi for each in changes)
        ],
        say("Beyond observed spend"): [
            ", ".join(c.name for c in plan.channels if c.beyond_seen) or say("none")
            for plan in plans
        ],
    }
    return cells | {
        say("Fit"): [*map(made_with, plans, standings or _unscored(plans))],
        say("Saved"): [saved_when(plan) for plan in plans],
        say("Notes"): [plan.notes for plan in plans],
    }


def more_rows(
    plans: Sequence[PlanRecord], units: fmt.Units, standings: Sequence[Standing]
) -> dict[str, list[str]]:
    """What the first rows leave out: the gain counted in other ways, and its odds.

    Args:
        plans: The plans.
        units: Words for the units.
        standings: Of each beside the newest fit.
    """
    gains = [plan.gain for plan in plans]
    odds = [gain.probability_positive for gain in gains]
    against = _against_today(plans, units)
    del against[list(against)[-1]]
    again = {}
    if any(each.is_older for each in standings):
        again[say("Odds of a gain by the newest fit")] = [
            *map(odds_now, plans, standings)
        ]
    return {
        **against,
        say("Gain over its comparison"): _marked(
            plans,
            [units.estimate(gain, signed=True) for gain in gains],
            [gain.mean for gain in gains],
        ),
        say("Compared with"): [compared_with(plan) for plan in plans],
        say("Odds of a gain"): _marked(plans, [*map(fmt.probability, odds)], odds),
        **again,
        say("Maximises"): [plan_words.pursued(plan, units) for plan in plans],
        say("At most below the best plan"): [gap_of(plan) for plan in plans],
    }


def _marked(
    plans: Sequence[PlanRecord], texts: list[str], values: list[float]
) -> list[str]:
    return best_of(texts, values) if comparable(plans) else texts


def _unscored(plans: Sequence[PlanRecord]) -> list[Standing]:
    """Plans that stand beside no newer fit."""
    return [Standing(plan.run_id) for plan in plans]


def _against_today(
    plans: Sequence[PlanRecord], units: fmt.Units
) -> dict[str, list[str]]:
    """What plans change against what ran; what tells them apart comes last."""
    changes = [plan.against_today for plan in plans]
    ran = plan_words.ran_before(plans)
    cells = {
        say("Spend over {ran}", ran=ran): [
            fmt.money(round(change.spend, 2), units.currency, signed=True)
            for change in changes
        ],
        say("{outcome} over {ran}", outcome=units.outcome_name, ran=ran): [
            units.estimate(change.outcome, signed=True) for change in changes
        ],
    }
    gains = [change.profit and change.profit.gain for change in changes]
    if any(gains):
        cells[say("Profit over {ran}", ran=ran)] = [
            fmt.estimate(gain, "money", units.currency, signed=True)
            if gain
            else fmt.NONE
            for gain in gains
        ]
    return cells


def _from_to(before: str, after: str) -> str:
    return say("{before} to {after}", before=before, after=after)


def _per_period(
    plans: Sequence[PlanRecord],
    outcomes: Sequence[Mapping[str, float]],
    units: fmt.Units,
) -> dict[str, list[str]]:
    """Budget and outcome per period, where plans are for different ones."""
    if in_same_periods(plans):
        return {}
    counts = [max(plan.horizon.periods, 1) for plan in plans]
    budgets = [
        fmt.money(plan.budget / n, units.currency)
        for plan, n in zip(plans, counts, strict=True)
    ]
    brought = [
        units.show(outcome.mean / n)
        for outcome, n in zip(outcomes, counts, strict=True)
    ]
    return {
        say("Budget per period"): budgets,
        say("{outcome} per period", outcome=units.outcome_name): brought,
    }


def gap_of(plan: PlanRecord) -> str:
    """How far a plan can be from the best possible."""
    return fmt.percent(plan_words.gap(plan))


def best_of(texts: list[str], values: list[float]) -> list[str]:
    """Texts with a mark at the largest, where there are several."""
    if len(texts) < 2 or np.ptp(values) == 0:
        return texts
    top = int(np.argmax(values))
    return [f"★ {text}" if i == top else text for i, text in enumerate(texts)]
