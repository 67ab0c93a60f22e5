"""Fits side by side: cells of their tables, the same on screens and in commands."""

from core import text as fmt
from core.plan.comparison import Both
from core.project.comparing.records import Specification
from core.text import scores

#: Forecasts that a backtest is held against.
REFERENCES = ("seasonal_naive", "knots")


def of_specification(row: Specification) -> tuple[str, ...]:
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


def of_measure(both: Both, measure: str, units: fmt.Units) -> tuple[str, str, str]:
    """A measure of a channel by either fit, and the difference.

    Args:
        both: By both fits.
        measure: `roi`, `contribution`, ...
        units: Words for the units.
    """
    kind, unit = "ratio", ""
    difference = fmt.ratio_change(both.a, both.b)
    if measure == "contribution":
        kind = "money" if units.is_money else "number"
        unit = units.currency if units.is_money else ""
        difference = fmt.value(both.difference, kind, unit, signed=True)
    first, second = (fmt.estimate(side, kind, unit) for side in (both.a, both.b))
    return first, second, difference
