"""Backtests of a project: studies of several runs, one for each origin and refit.

The parts are runs of kind `backtest` whose run.json has `options`: `study`, which they
have in common, `origin`, `horizon` and `with_knots`, or `drop`. They are independent of
each other, so the queue works on as many at once as there is room for.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.analysis.ahead.forecast_score import origins, scored, stability
from core.data.assemble import assemble
from core.data.files.isolated import kept_table
from core.errors import MMMError
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import Run, list_runs
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project
from core.store.places import new_id
from core.store.results import has_result, read_json
from core.store.run_state import options_of
from core.store.stored import read_object

#: Periods dropped to see how far results move; zero is all data.
DROPS = (0, 4, 8, 12)
#: The sampler of every part, where nothing else is asked for.
SAMPLER = {"chains": 2, "warmup": 250, "draws": 250, "precision": "float32"}


@dataclass(frozen=True)
class Backtest:
    """One study.

    Attributes:
        study: Its name.
        runs: Its parts, oldest first.
        options: Of the parts: `horizon`, `folds`, `with_knots`, `refresh`.
        data_sha256: Hash of the data of all parts.
        spec_sha256: Hash of what decides the estimates, but the sampler.
        created: When, ISO UTC.
    """

    study: str
    runs: tuple[Run, ...]
    options: dict[str, Any]
    data_sha256: str
    spec_sha256: str
    created: str

    @property
    def is_live(self) -> bool:
        """Whether a part waits or works."""
        return any(run.status.is_live for run in self.runs)


def new_backtest(
    project_folder: Path,
    *,
    folds: int = 4,
    horizon: int = 8,
    with_knots: bool = True,
    refresh: bool = False,
    sampler: dict[str, Any] | None = None,
) -> list[Path]:
    """Make the runs of a study, ready to be submitted.

    Args:
        project_folder: The project.
        folds: Number of origins; the last test window ends with the data.
        horizon: Periods of each forecast.
        with_knots: Whether to beat the knots model, too.
        refresh: Whether to refit without the last periods.
        sampler: Settings of every fit.

    Raises:
        CoverageError: The data are too short for one fold.
        MMMError: The project cannot be fitted or written.
    """
    project = load_project(project_folder)
    n_times = _n_times(project_folder, project)
    shared = {
        "study": new_id(),
        "folds": folds,
        "horizon": horizon,
        "with_knots": with_knots,
        "refresh": refresh,
    }
    parts = [{"origin": origin} for origin in origins(n_times, folds, horizon)]
    if refresh:
        parts += [{"drop": n} for n in DROPS if n < n_times / 3]
    settings = replace(project.sampler, **SAMPLER | (sampler or {}))
    made: list[Path] = []
    try:
        for part in parts:
            options = shared | part
            made.append(
                new_run(
                    project_folder,
                    "backtest",
                    project,
                    sampler=settings,
                    options=options,
                )
            )
    except BaseException:  # a study without some of its parts is none
        for run in made:
            shutil.rmtree(run, ignore_errors=True)
        raise
    return made


def _n_times(folder: Path, project: Project) -> int:
    frame = kept_table(data_file(folder, project))
    return assemble(frame, project.mapping).n_times


def list_backtests(project_folder: Path) -> list[Backtest]:
    """The studies of a project, newest first."""
    parts: dict[str, list[tuple[Run, dict[str, Any]]]] = {}
    for run in reversed(list_runs(project_folder, "backtest")):
        about = read_object(run.folder / "run.json")
        options = about.get("options")
        if _is_part(options):
            parts.setdefault(str(options["study"]), []).append((run, about))
    return [
        Backtest(
            study=study,
            runs=tuple(run for run, _ in members),
            options=members[0][1]["options"],
            data_sha256=str(members[0][1].get("data_sha256", "")),
            spec_sha256=str(members[0][1].get("spec_sha256", "")),
            created=members[0][0].created,
        )
        for study, members in reversed(parts.items())
    ]


def _is_part(options: Any) -> bool:
    """Whether a run says which part of which study it is; a damaged one does not."""
    if not isinstance(options, dict) or "study" not in options:
        return False
    part = options["drop"] if "drop" in options else options.get("origin")
    return type(part) is int and type(options.get("horizon")) is int


def backtest_of(project_folder: Path, run: Run) -> dict[str, Any] | None:
    """The newest backtest of a fit's own specification and data that has scores.

    It must be of the fit's own version of Mixwright, too: a later one may make another
    model of the same specification.
    """
    about = read_object(run.folder / "run.json")
    keys = ("data_sha256", "spec_sha256")
    for backtest in list_backtests(project_folder):
        is_same = all(about.get(key) == getattr(backtest, key) for key in keys)
        version = backtest.runs[0].versions.get("mixwright")
        is_same = is_same and version == run.versions.get("mixwright")
        if is_same and not backtest.is_live:
            scores = read_backtest(backtest)
            if scores["scores"]:
                return scores
    return None


def read_backtest(
    backtest: Backtest, read: Callable[[Path, str], Any] = read_json
) -> dict[str, Any]:
    """A study as --json prints it, of the parts that are done.

    Args:
        backtest: The study.
        read: How a part's result is read.
    """
    folds, skipped, drops = [], [], {}
    for run in backtest.runs:
        options = options_of(run.folder)
        drop = options.get("drop")
        try:
            part = read(run.folder, "part") if has_result(run.folder) else None
            why = run.status.message or "It did not finish."
        except MMMError as error:
            part, why = None, error.message
        if part is not None and ("weeks" if drop is None else "channels") not in part:
            part, why = None, "Its result is that of another part."
        if part is None:
            if not run.status.is_live:
                skipped.append({"origin": _named(options), "why": why})
        elif drop is None:
            folds.append(part)
        else:
            drops[int(drop)] = part["channels"]
    scores = scored(
        folds,
        skipped,
        horizon=int(backtest.options["horizon"]),
        is_structural=load_project(backtest.runs[0].folder).spec.is_structural,
    )
    scores |= {"study": backtest.study, "created": backtest.created}
    return scores | {"refresh": stability(drops) if 0 in drops else None}


def _named(options: dict[str, Any]) -> str:
    """A part in words."""
    if options.get("drop") is not None:
        return f"the refit without the last {options['drop']} periods"
    return f"the origin after {options.get('origin')} periods"
