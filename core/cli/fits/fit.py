"""fit: a new run, or one to go on with; watched until it ends."""

import argparse
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from core import PROGRAM, quoted
from core.cli.answer import Answer, clean
from core.cli.fits.results import diagnostics_text
from core.cli.progress import Progress
from core.errors import SpecError, WorkspaceError
from core.service import fits
from core.service.fits import with_more_draws
from core.service.places import project_folder, run_folder
from core.service.runs import has_result, new_run

SETTINGS = ("chains", "warmup", "draws", "seed", "precision", "device")


def fit(options: argparse.Namespace) -> Answer:
    """Fit a project, go on with a run of it, or add draws to one."""
    folder = project_folder(options.project)
    settings = sampler_settings(options)
    if options.resume is None:
        report = fitted(new_run(folder, "fit", sampler=settings))
    else:
        report = _resumed(_of_project(folder, options.resume), settings)
    return Answer(to_builtins(report), fit_text(report))


def _resumed(run: Path, settings: dict[str, Any]) -> fits.FitReport:
    """Go on with a run that stopped, or with a finished one that lacks draws."""
    is_finished = has_result(run)
    others = [name for name in settings if not (is_finished and name == "draws")]
    if others:
        raise SpecError(
            f"A resumed run keeps its settings: --{', --'.join(others)} cannot change "
            "them.",
            hint="Leave them out, or start a new run without --resume.",
        )
    if not is_finished:
        return fitted(run, resume=True)
    if not settings:
        raise WorkspaceError(
            f"Run {run.name} is finished.",
            hint="Add draws to it with --draws N, the old ones included, or start a "
            "new run without --resume.",
            where=str(run),
        )
    return fitted(with_more_draws(run, settings["draws"]))


def sampler_settings(options: argparse.Namespace) -> dict[str, Any]:
    """The sampler settings given on the command line."""
    return {
        name: getattr(options, name)
        for name in SETTINGS
        if getattr(options, name) is not None
    }


def fitted(run: Path, *, resume: bool = False) -> fits.FitReport:
    """Start a run, show how it goes on, and read its fit.json.

    Raises:
        SamplingError: Sampling failed or was stopped.
        MMMError: The input is at fault.
    """
    return fits.fit_run(run, Progress(), resume=resume)


def _of_project(folder: Path, name: str) -> Path:
    """The run to go on with: its path, or its name in the project."""
    inside = folder / "runs" / name
    run = inside.resolve() if inside.is_dir() else run_folder(name)
    if run.parent.parent.resolve() != folder.resolve():
        raise WorkspaceError(
            f"Run {run.name} is not of the project {folder.name}.", where=str(run)
        )
    return run


def fit_text(report: fits.FitReport) -> str:
    """What a fit reports, for people."""
    times = ", ".join(
        f"{name} {value:.1f} s"
        for name, value in report.seconds.items()
        if value is not None
    )
    lines = [f"Run: {report.run}", f"Time: {times}"]
    if peak := report.peak_rss_bytes:
        lines.append(f"Memory: {peak / 2**20:,.0f} MiB at most")
    settings = [
        f"{value} {label}".strip()
        for value, label in (
            (report.chains, "chains"),
            (report.warmup, "warm-up"),
            (report.draws, "draws each"),
            (report.precision, ""),
            (report.device, ""),
        )
        if value not in (None, "")
    ]
    lines.append(f"Sampler: {', '.join(settings)}, seed {report.seed}")
    if report.diagnostics is not None:
        lines.append(diagnostics_text(report.diagnostics))
    lines.append(f"Next: {PROGRAM} summary {quoted(report.run)}")
    return clean("\n".join(lines))
