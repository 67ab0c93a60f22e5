"""summary and report: what a finished fit says. Nothing is computed again here."""

import argparse

from core import text as fmt
from core.cli.answer import Answer, clean, side_by_side
from core.cli.fits.specifications import quality_lines
from core.cli.section_text import section_lines
from core.service import fits
from core.service.places import finished_fit, project_of
from core.service.records.fit import Accuracy, Diagnostics, FitRecord
from core.text import verdicts
from core.view.sections.of_fit import sections
from core.view.sections.returns import table_of


def summary(options: argparse.Namespace) -> Answer:
    """The summary of a fit."""
    run = finished_fit(options.run)
    return Answer(fits.summary(run), summary_text(fits.record(run), run.run_id))


def summary_text(fit: FitRecord, run_id: str) -> str:
    """The summary for people."""
    returns = table_of(fit)
    lines = [
        f"Run {run_id}, {fit.start} to {fit.end}",
        "",
        side_by_side(returns.heads, returns.rows),
        "",
        returns.note,
        "",
        *[line for each in sections(fit, "text") for line in section_lines(each)],
        f"Baseline share: {fmt.estimate(fit.baseline_share, 'share')}",
        _accuracy(fit.accuracy),
        diagnostics_text(fit.diagnostics),
        "",
        *quality_lines(fit),
    ]
    return clean("\n".join(lines).rstrip())


def diagnostics_text(diagnostics: Diagnostics) -> str:
    """The verdict on a fit with its reasons and numbers."""
    parts = [f"Verdict: {verdicts.fit(diagnostics.verdict)}"]
    parts += [f"  {reason}" for reason in diagnostics.reasons]
    parts += [f"  Note: {note}" for note in diagnostics.notes]
    numbers = []
    for label, key, form in (
        ("largest R-hat", "rhat_max", "{:.3f}"),
        ("least bulk ESS", "ess_bulk_min", "{:.0f}"),
        ("least tail ESS", "ess_tail_min", "{:.0f}"),
        ("divergences", "divergences", "{:d}"),
    ):
        if (number := getattr(diagnostics, key)) is not None:
            numbers.append(f"{label} {form.format(number)}")
    worst = diagnostics.worst_name or diagnostics.worst_parameter
    if worst:
        numbers.append(f"worst parameter {worst}")
    return "\n".join([*parts, f"  {', '.join(numbers)}"] if numbers else parts)


def report(options: argparse.Namespace) -> Answer:
    """Write the report of a fit to one file or several."""
    from core.service import reports
    from core.service.planning import named_plans

    paths = [reports.report_path(name) for name in options.out]
    run, plan_id = finished_fit(options.run), options.plan
    if plan_id is not None:
        plan_id = named_plans.named(project_of(run), plan_id).plan_id
    plan = reports.plan_of(run, plan_id)
    for path in paths:
        reports.write(run, path, plan, options.language)
    files = [str(path.resolve()) for path in paths]
    about = {"out": files[0], "files": files, "run": str(run.folder)}
    return Answer(about, "\n".join(str(path) for path in paths))


def _accuracy(accuracy: Accuracy) -> str:
    lines = (
        ("R²", accuracy.r2, fmt.ratio),
        ("MAPE", accuracy.mape, fmt.share),
        ("wMAPE", accuracy.wmape, fmt.share),
    )
    parts = [f"{label} {show(size)}" for label, size, show in lines if size is not None]
    text = f"Accuracy: {', '.join(parts)}"
    left_out = verdicts.mape_left_out(accuracy.mape_left_out)
    return f"{text}. {left_out}" if left_out else text
