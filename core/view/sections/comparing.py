"""Fits side by side: their tables, the same on screens and in commands."""

from collections.abc import Sequence

from core import text as fmt
from core.plan.comparison import Both
from core.project.comparing.records import (
    Comparison,
    Setting,
    Specification,
    Specifications,
    Splits,
)
from core.text import scores
from core.text.glossary import meaning
from core.text.languages.language import marked, say
from core.view.sections.evaluation import REFERENCES
from core.view.sections.section import Table

#: What is compared of every channel, as it is called.
MEASURES = {
    "roi": marked("ROI"),
    "mroi": marked("Marginal ROI"),
    "contribution": marked("Contribution"),
}


def scores_of(rows: Sequence[Specification]) -> Table:
    """How well each specification fits, and forecasts."""
    fit, apart, k = say("elpd ± SE"), say("Difference ± SE"), say("Bad k")
    error, against = say("Backtest error"), list(map(say, REFERENCES.values()))
    smaller = say("How much smaller the error of the backtest is (skill).")
    helps = {
        fit: say("PSIS-LOO; higher is better."),
        apart: say("To the highest."),
        k: say("Cells whose score cannot be trusted."),
        error: meaning("wMAPE"),
        **dict.fromkeys(against, smaller),
    }
    heads = ("", fit, apart, k, say("Model check"), error, *against)
    return Table(
        say("Specifications side by side"),
        (*heads, say("Worst R-hat")),
        [(row.name, *_scores(row)) for row in rows],
        texts=1,
        helps=helps,
    )


def _scores(row: Specification) -> tuple[str, ...]:
    """Score, difference to the highest, bad k, check, backtest, its skills, R-hat."""
    tested, rhat = row.backtest, row.convergence.rhat_max
    skills = [tested.skill.get(key) if tested else None for key in REFERENCES]
    return (
        scores.score(row.loo),
        scores.score(row.difference),
        scores.bad_k(row.loo),
        scores.checked(row.check.n_missed),
        fmt.percent(tested.wmape if tested else None),
        *map(scores.skill, skills),
        fmt.NONE if rhat is None else f"{rhat:.3f}",
    )


def returns_of(comparison: Specifications) -> Table:
    """ROI of every channel by each specification; no rows where none has any."""
    fits = comparison.rows
    names = dict.fromkeys(name for row in fits for name in row.roi)
    head = say("ROI, {roi}, 90 %", roi=comparison.units.roi)
    rows = [
        (name, *(fmt.estimate(row.roi.get(name), "ratio") for row in fits))
        for name in names
    ]
    title = say("ROI by each specification")
    return Table(title, (head, *(row.name for row in fits)), rows, texts=1)


def options_of(fits: Sequence[Specification]) -> Table:
    """What the specifications assume that differs; no rows where all is the same."""
    names = dict.fromkeys(name for row in fits for name in row.options)
    rows = [
        (name, *(row.options.get(name, fmt.NONE) for row in fits)) for name in names
    ]
    heads = (say("What differs"), *(row.name for row in fits))
    return Table(say("Options that differ"), heads, rows, texts=len(heads))


def settings_of(settings: Sequence[Setting]) -> Table:
    """What two fits were given that differs; no rows where all is the same."""
    heads = say("What differs"), say("Fit A"), say("Fit B")
    rows = [(each.name, each.a, each.b) for each in settings]
    return Table(say("Settings that differ"), heads, rows, texts=3, wraps=True)


def measured(comparison: Comparison, measure: str, *, errors: bool = False) -> Table:
    """A measure of the channels that both fits have, and the difference.

    Args:
        comparison: Of two fits.
        measure: One of `MEASURES`.
        errors: Whether the difference stands in Monte-Carlo errors, too.
    """
    units = comparison.units
    both = [(row.name, row.measure(measure)) for row in comparison.channels]
    rows = [
        (name, *_by_both(each, measure, units), fmt.ratio(each.units, signed=True))
        for name, each in both
        if each is not None
    ]
    unit = units.outcome if measure == "contribution" else units.roi
    title = fmt.titled(say(MEASURES[measure]), unit)
    return _of_both(title, rows, ", 90 %", errors=errors)


def split_of(plan: Splits, units: fmt.Units, *, errors: bool = False) -> Table:
    """The best split of the budget that ran by each fit.

    Args:
        plan: Of two fits.
        units: Words for the units.
        errors: Whether the difference stands in Monte-Carlo errors, too.
    """

    def money(value: float, *, signed: bool = False) -> str:
        return fmt.money(value, units.currency, signed=signed)

    rows = []
    for row in plan.channels:
        amounts = money(row.a), money(row.b), money(row.difference, signed=True)
        rows.append((row.name, *amounts, fmt.ratio(row.units, signed=True)))
    note = say(
        "Of the budget that ran, {budget}, each channel within ±30\u00a0% of what it "
        "spent.",
        budget=money(plan.budget),
    )
    title = fmt.titled(say("Best split"), units.symbol)
    return _of_both(title, rows, "", errors=errors, note=note)


def _of_both(
    title: str,
    rows: Sequence[Sequence[str]],
    ends: str,
    *,
    errors: bool,
    note: str = "",
) -> Table:
    heads = [say("Channel"), say("Fit A{ends}", ends=ends)]
    heads += [say("Fit B{ends}", ends=ends), "B − A", say("In Monte-Carlo errors")]
    n = len(heads) if errors else len(heads) - 1
    return Table(title, heads[:n], [row[:n] for row in rows], texts=1, note=note)


def _by_both(both: Both, measure: str, units: fmt.Units) -> tuple[str, str, str]:
    """A measure of a channel by either fit, and the difference."""
    kind, unit = "ratio", ""
    difference = fmt.ratio_change(both.a, both.b)
    if measure == "contribution":
        kind, unit = units.measure
        difference = fmt.value(both.difference, kind, unit, signed=True)
    first, second = (fmt.estimate(side, kind, unit) for side in (both.a, both.b))
    return first, second, difference
