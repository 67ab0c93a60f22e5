"""Specifications side by side, and the quality of one model, as text."""

import textwrap

from core import text as fmt
from core.cli.answer import table
from core.service.records.comparison import Specifications
from core.service.records.fit import FitRecord
from core.text import scores
from core.view.sections.comparing import of_specification


def specifications_text(comparison: Specifications) -> str:
    """Scores of the specifications and what they say of forecasts, for people."""
    rows = comparison.rows
    titles = ("Specification", "elpd ± SE", "Difference ± SE", "Bad k", "Check")
    titles += ("Backtest wMAPE", "Than last year", "Than Meridian's baseline")
    titles += ("Worst R-hat",)
    cells = [(f"{row.name}: {row.run_id}", *of_specification(row)) for row in rows]
    lines = [table(titles, cells), ""]
    lines += [f"{row.name}: {row.verdict}" for row in rows]
    lines += ["", *textwrap.wrap(comparison.note, 88)]
    return "\n".join([*lines, *comparison.remarks])


def differences_text(comparison: Specifications) -> str:
    """ROI and options of the specifications; two are told apart by `compare_text`."""
    rows = comparison.rows
    names = list(dict.fromkeys(name for row in rows for name in row.roi))
    returns = [
        (
            name,
            *(
                fmt.estimate(row.roi[name], "ratio") if name in row.roi else fmt.NONE
                for row in rows
            ),
        )
        for name in names
    ]
    tables = []
    if returns:
        titles = (f"ROI, {comparison.units.roi}", *(row.name for row in rows))
        tables.append(table(titles, returns))
    options = list(dict.fromkeys(name for row in rows for name in row.options))
    if options:
        differing = [
            (name, *(_short(row.options.get(name, fmt.NONE)) for row in rows))
            for name in options
        ]
        titles = ("What differs", *(row.name for row in rows))
        tables.append(table(titles, differing, texts=len(titles)))
    return "\n\n".join(tables)


def _short(option: str) -> str:
    return textwrap.shorten(option, 30, placeholder=" …") or fmt.NONE


def quality_lines(fit: FitRecord) -> list[str]:
    """The model check of a summary, and its score; nothing for old fits."""
    check, loo = fit.model_check, fit.loo
    if check is None or loo is None:
        return []
    rows = [
        (
            each.label,
            scores.check_number(each.unit, each.actual),
            scores.check_range(each.unit, each.lo, each.hi),
            scores.p_value(each.p),
            each.status,
        )
        for each in check.checks
    ]
    titles = ("Model check", "Data", "Model, 90 %", "p", "")
    lines = [table(titles, rows)]
    lines += [
        f"  {each.label}: {each.text}. {each.advice}".rstrip()
        for each in check.checks
        if each.status != "ok"
    ]
    bad = scores.bad_k(loo)
    lines.append(
        f"PSIS-LOO: elpd {scores.score(loo)}, {loo.p_loo:.0f} effective "
        f"parameters, {bad} with k above {loo.k_limit:.2f}; of gaps filled in, not of "
        "forecasts"
    )
    return [*lines, *(f"  {line}" for line in loo.warnings)]
