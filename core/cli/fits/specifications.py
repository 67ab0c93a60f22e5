"""Specifications side by side, and the quality of one model, as text."""

import textwrap

from core.cli.answer import table
from core.service.records.comparison import Specifications
from core.service.records.fit import FitRecord
from core.text import scores
from core.view.sections import comparing, evaluation
from core.view.sections.section import Table


def specifications_text(comparison: Specifications) -> str:
    """Scores of the specifications and what they say of forecasts, for people."""
    rows = comparison.rows
    lines = [drawn(comparing.scores_of(rows)), ""]
    lines += [f"{row.name}, {row.run_id}: {row.verdict}" for row in rows]
    lines += ["", *textwrap.wrap(comparison.note, 88)]
    return "\n".join([*lines, *comparison.remarks])


def differences_text(comparison: Specifications) -> str:
    """ROI and options of the specifications; two are told apart by `compare_text`."""
    parts = comparing.returns_of(comparison), comparing.options_of(comparison.rows)
    return "\n\n".join(drawn(part) for part in parts if part.rows)


def drawn(block: Table) -> str:
    """A table in a terminal: long texts are cut, and its note stands below it."""
    rows = block.rows
    if block.texts > 1:
        rows = [
            [textwrap.shorten(x, 40, placeholder=" …") for x in row] for row in rows
        ]
    shown = table(block.heads, rows, texts=block.texts)
    return "\n".join([shown, *filter(None, [block.note])])


def quality_lines(fit: FitRecord) -> list[str]:
    """The model check of a summary, and its score; nothing for old fits."""
    check, loo = fit.model_check, fit.loo
    if check is None or loo is None:
        return []
    checks = evaluation.checks_of(check)
    lines = [f"{checks.title}:", table(checks.heads, checks.rows)]
    lines += [f"  {each.about}. {each.text}" for each in evaluation.missed_by(check)]
    bad = scores.bad_k(loo)
    lines.append(
        f"PSIS-LOO: elpd {scores.score(loo)}, {loo.p_loo:.0f} effective "
        f"parameters, {bad} with k above {loo.k_limit:.2f}; of gaps filled in, not of "
        "forecasts"
    )
    return [*lines, *(f"  {line}" for line in loo.warnings)]
