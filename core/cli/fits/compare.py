"""compare: fits side by side, differences in units of Monte-Carlo error."""

import argparse
import textwrap
from collections.abc import Sequence

from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.cli.fits.specifications import differences_text, specifications_text
from core.service import fits
from core.service.places import finished_fit
from core.service.records.comparison import (
    Comparison,
    Setting,
    Splits,
    as_dict,
)
from core.view.sections.comparing import of_measure

_TITLES = {"roi": "ROI", "mroi": "Marginal ROI", "contribution": "Contribution"}


def compare(options: argparse.Namespace) -> Answer:
    """Compare two finished fits number by number, two or more as specifications."""
    runs = [finished_fit(name) for name in (*options.runs, *options.more)]
    comparison = fits.compare(runs)
    if isinstance(comparison, Comparison):
        scores = specifications_text(comparison.specifications)
        parts = [compare_text(comparison), scores]
    else:
        parts = [specifications_text(comparison), differences_text(comparison)]
    return Answer(as_dict(comparison), clean("\n\n".join(parts)))


def compare_text(comparison: Comparison) -> str:
    """The comparison for people."""
    units = comparison.units
    lines = [
        f"{side}: {run.run_id}, {run.verdict or 'unknown'}, seed {run.seed}"
        for side, run in zip("AB", comparison.runs, strict=True)
    ]
    verdict = comparison.verdict
    sentences = (*verdict.findings, *verdict.remarks)
    lines += ["", verdict.text, *(f"  {line}" for line in sentences)]
    lines += ["", _settings(comparison.settings)]
    for measure, title in _TITLES.items():
        rows = [
            [row.name, *of_measure(both, measure, units), in_units(both.units)]
            for row in comparison.channels
            if (both := row.measure(measure)) is not None
        ]
        unit = units.outcome if measure == "contribution" else units.roi
        titles = (f"{title}, {unit}", "A, 90 %", "B, 90 %", "B − A", "in MC errors")
        if rows:
            lines += ["", table(titles, rows)]
    if comparison.plan:
        lines += ["", _plan(comparison.plan, units)]
    return clean("\n".join(lines))


def _settings(settings: Sequence[Setting]) -> str:
    if not settings:
        return "Data, options, sampler and versions are the same."
    rows = [
        [
            textwrap.shorten(text, 40, placeholder=" …")
            for text in (setting.name, setting.a, setting.b)
        ]
        for setting in settings
    ]
    return table(("What differs", "A", "B"), rows, texts=3)


def _plan(plan: Splits, units: fmt.Units) -> str:
    rows = [
        (
            row.name,
            fmt.table_amount(row.a),
            fmt.table_amount(row.b),
            fmt.table_amount(row.difference),
            in_units(row.units),
        )
        for row in plan.channels
    ]
    titles = (f"Best split, {units.symbol}", "A", "B", "B − A", "in MC errors")
    budget = fmt.table_amount(plan.budget, units.symbol)
    return f"{table(titles, rows)}\nOf the budget that ran, {budget}, ±30 % a channel."


def in_units(difference: float | None) -> str:
    """A difference in units of its Monte-Carlo error."""
    return fmt.NONE if difference is None else fmt.ratio(difference, signed=True)
