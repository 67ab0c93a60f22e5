"""summary and report: what a finished fit says. Nothing is computed again here."""

import argparse

from core import text as fmt
from core.cli.answer import Answer, clean, side_by_side
from core.cli.fits.specifications import quality_lines
from core.cli.section_text import section_lines
from core.estimate import OptionalEstimate
from core.service import fits
from core.service.places import finished_fit, project_of
from core.service.records.fit import Accuracy, Diagnostics, FitRecord
from core.text import verdicts
from core.view.sections.of_fit import sections


def summary(options: argparse.Namespace) -> Answer:
    """The summary of a fit."""
    run = finished_fit(options.run)
    return Answer(fits.summary(run), summary_text(fits.record(run), run.run_id))


def summary_text(fit: FitRecord, run_id: str) -> str:
    """The summary for people."""
    units = fit.units
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    rows = [
        (
            channel.name,
            fmt.money(channel.spend, units.currency) if channel.spend else fmt.NONE,
            _estimate_text(channel.roi, "ratio"),
            _estimate_text(channel.roi_last_year, "ratio"),
            _estimate_text(channel.mroi, "ratio"),
            _estimate_text(channel.cpik, "money", units.currency, centre="median"),
            _estimate_text(channel.contribution, kind, unit),
            _estimate_text(channel.contribution_share, "share"),
        )
        for channel in fit.channels
    ]
    titles = ["Channel", "Spend", f"ROI, {units.roi}", "ROI last year"]
    titles += ["Marginal ROI", "CPIK"]
    titles += [f"Incremental {units.kpi_in_text}", f"Share of {units.kpi_in_text}"]
    if not units.is_money:  # what one more unit of the KPI costs comes first
        rows = [(*row[:2], row[5], *row[2:5], *row[6:]) for row in rows]
        titles = [*titles[:2], titles[5], *titles[2:5], *titles[6:]]
    lines = [
        f"Run {run_id}, {fit.start} to {fit.end}; brackets are 90 % intervals",
        "",
        side_by_side(titles, rows),
        "",
        *[line for each in sections(fit, "text") for line in section_lines(each)],
        f"Baseline share: {_estimate_text(fit.baseline_share, 'share')}",
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


def _estimate_text(
    number: OptionalEstimate | None, kind: str, unit: str = "", **options
) -> str:
    if number is None or not number.is_known:
        return fmt.NONE
    return fmt.estimate(number, kind, unit, **options)


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
