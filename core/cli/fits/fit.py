"""fit: a new run, or one to go on with; watched until it ends."""

import argparse
import contextlib
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from core import PROGRAM
from core import text as fmt
from core.cli.answer import AT_FAULT, NOT_SAMPLED, Answer, clean, tell
from core.cli.fits.results import diagnostics_text
from core.cli.places import project_folder, run_folder
from core.errors import MMMError, SamplingError, SpecError, WorkspaceError
from core.workspace.fits.more_draws import with_more_draws
from core.workspace.fits.previews import read_preview
from core.workspace.fits.results import has_result
from core.workspace.fits.run_state import RunStatus
from core.workspace.fits.runs import new_run, read_json
from core.workspace.projects.seen import mark_seen

SETTINGS = ("chains", "warmup", "draws", "seed", "precision", "device")
_WORDS = {
    "preparing": "reading the data",
    "compiling": "compiling the model",
    "warmup": "warming up",
    "draws": "drawing",
    "analysis": "working out the results",
    "causes": "telling causes apart",
    "saving": "saving the results",
}
_SECONDS_BETWEEN_LINES = 10.0


def fit(options: argparse.Namespace) -> Answer:
    """Fit a project, go on with a run of it, or add draws to one."""
    folder = project_folder(options.project)
    settings = sampler_settings(options)
    if options.resume is None:
        report = fitted(new_run(folder, "fit", sampler=settings))
    else:
        report = _resumed(_of_project(folder, options.resume), settings)
    return Answer(report, fit_text(report))


def _resumed(run: Path, settings: dict[str, Any]) -> dict[str, Any]:
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


def fitted(run: Path, *, resume: bool = False) -> dict[str, Any]:
    """Start a run, wait for it, and read its fit.json.

    Interrupting (Ctrl-C, or SIGTERM) cancels the run and waits until it has stopped;
    interrupting again leaves it to stop by itself.

    Raises:
        SamplingError: Sampling failed or was stopped.
        MMMError: The input is at fault.
    """
    from core.jobs import executor

    executor.submit(run, resume=resume)
    return watched(run)


def watched(run: Path) -> dict[str, Any]:
    """Wait for a run that is at work, and read its fit.json; see `fitted`.

    Raises:
        SamplingError: Sampling failed or was stopped.
        MMMError: The input is at fault.
    """
    from core.jobs import executor

    tell(f"Run {run}")
    show = Progress(run)
    with interruptible():
        try:
            status = executor.wait(run, show)
        except KeyboardInterrupt:
            tell("Stopping; press Ctrl-C again to leave it to stop by itself.")
            executor.cancel(run)
            status = executor.wait(run, show)
    show.end()
    if status.state != "done":
        raise _failure(run, status)
    mark_seen(run)
    return read_json(run, "fit") | {"run": str(run)}


def _failure(run: Path, status: RunStatus) -> MMMError:
    """Why there is no result, as the error that has the right exit status."""
    message = status.message or f"The run is {status.state}."
    hint = status.hint
    if status.state == "failed" and status.rc == AT_FAULT:
        return MMMError(message, hint=hint, where=str(run))
    if status.rc != NOT_SAMPLED:
        project = run.parent.parent
        hint += f" Continue it: {PROGRAM} fit {project} --resume {run.name}"
    return SamplingError(message, hint=hint.strip(), where=str(run))


def _of_project(folder: Path, name: str) -> Path:
    """The run to go on with: its path, or its name in the project."""
    inside = folder / "runs" / name
    run = inside.resolve() if inside.is_dir() else run_folder(name)
    if run.parent.parent.resolve() != folder.resolve():
        raise WorkspaceError(
            f"Run {run.name} is not of the project {folder.name}.", where=str(run)
        )
    return run


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM interrupts as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Progress:
    """Progress on standard error: one line that moves, or a line now and then.

    Args:
        run: Its preview is told, once, as soon as there is one.
    """

    def __init__(self, run: Path) -> None:
        self.run = run
        self._has_previewed = False
        self.moves = sys.stderr.isatty()
        self._phase = ""
        self._told = -_SECONDS_BETWEEN_LINES
        self._width = 0

    def __call__(self, status: RunStatus) -> None:
        """Show how a run stands."""
        self._preview()
        line = progress_text(status)
        if not line:
            return
        if self.moves:
            line = clean(line)
            self._width = max(self._width, len(line))
            print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
            return
        phase = str(status.progress.get("phase") or status.state)
        now = time.monotonic()
        if phase != self._phase or now - self._told >= _SECONDS_BETWEEN_LINES:
            self._phase, self._told = phase, now
            tell(line)

    def _preview(self) -> None:
        preview = None if self._has_previewed else read_preview(self.run)
        if preview is None:
            return
        self._has_previewed = True
        self.end()
        tell(preview_text(preview))

    def end(self) -> None:
        """Leave the line that moved."""
        if self.moves and self._width:
            print(file=sys.stderr, flush=True)


def preview_text(preview: Mapping[str, Any], most: int = 6) -> str:
    """A preview in one line: ROI and the best split of the current budget."""
    is_reweighted = preview.get("method") == "reweighted"
    if is_reweighted and preview.get("is_rough"):
        return f"No first answer: {no_first_answer(preview)}"
    returns = [
        f"{row['name']} {fmt.estimate(row['roi'], 'ratio')}"
        for row in preview["channels"]
        if (row.get("roi") or {}).get("mean") is not None
    ]
    split = [
        f"{row['name']} {fmt.share(row['multiplier'] - 1, signed=True)}"
        for row in (preview.get("plan") or {}).get("channels", ())
    ]
    parts = [
        f"{label} {', '.join(shown[:most])}{' ...' if len(shown) > most else ''}"
        for label, shown in (("ROI", returns), ("best split", split))
        if shown
    ]
    if is_reweighted:
        k_hat = preview["k_hat"] or 0
        size = f"{preview['draws']:.0f} effective draws, k-hat {k_hat:.2f}"
        return (
            f"First answer, from the last fit's draws reweighted ({size}), "
            f"not a result: {'; '.join(parts)}"
        )
    rough = ", rough" if preview.get("is_rough") else ""
    return f"Preview, before sampling{rough}, not a result: {'; '.join(parts)}"


def no_first_answer(preview: Mapping[str, Any]) -> str:
    """Why the draws of the last fit do not say what the new one will."""
    k_hat = preview.get("k_hat")
    size = "" if k_hat is None else f", {k_hat:.2f}, above {preview['highest_k']:.2f}"
    return (
        "the new rows go too far beyond what the last fit's draws cover "
        f"(Pareto's k-hat is too high{size}). The new fit will tell."
    )


def progress_text(status: RunStatus) -> str:
    """How a run stands, in one line; empty once it has ended."""
    if not status.is_live:
        return ""
    if status.state == "queued":
        place = status.position or 0
        return "In the queue, next" if place < 2 else f"In the queue, number {place}"
    progress = status.progress
    parts = [
        f"{100 * status.fraction:3.0f} %",
        _WORDS.get(progress.get("phase"), "starting"),
    ]
    chains = progress.get("chains") or []
    if chains and progress.get("phase") in ("warmup", "draws"):
        done = min(chain.get("iteration") or 0 for chain in chains)
        total = max(chain.get("total") or 0 for chain in chains)
        parts.append(f"iteration {done} of {total}")
        divergences = sum(chain.get("divergences") or 0 for chain in chains)
        if divergences:
            parts.append(f"{divergences} divergences")
    for label, key, form in (
        ("R-hat", "rhat_max", "{:.3f}"),
        ("ESS", "ess_min", "{:.0f}"),
        ("left", "eta", "{:.0f} s"),
    ):
        if progress.get(key) is not None:
            parts.append(f"{label} {form.format(progress[key])}")
    if status.state == "cancelling":
        parts.append("stopping")
    return ", ".join(parts)


def fit_text(report: Mapping[str, Any]) -> str:
    """What a fit reports, for people."""
    seconds = report.get("seconds") or {}
    shown = ", ".join(
        f"{name} {value:.1f} s" for name, value in seconds.items() if value is not None
    )
    lines = [f"Run: {report['run']}", f"Time: {shown}"]
    peak = report.get("peak_rss_bytes")
    if peak:
        lines.append(f"Memory: {peak / 2**20:,.0f} MiB at most")
    settings = [
        f"{report[key]} {label}".strip()
        for key, label in (
            ("chains", "chains"),
            ("warmup", "warm-up"),
            ("draws", "draws each"),
            ("precision", ""),
            ("device", ""),
        )
        if report.get(key) is not None
    ]
    lines.append(f"Sampler: {', '.join(settings)}, seed {report.get('seed')}")
    lines.append(diagnostics_text(report.get("diagnostics") or {}))
    lines.append(f"Next: {PROGRAM} summary {report['run']}")
    return clean("\n".join(lines))
