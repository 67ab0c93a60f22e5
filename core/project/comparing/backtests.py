"""Backtests of a project: studies of several runs, one for each origin and refit.

The parts are runs of kind `backtest` whose run.json has `options`: `study`, which they
have in common, `origin`, `horizon` and `with_knots`, or `drop`. They are independent of
each other, so the queue works on as many at once as there is room for.
"""

import dataclasses
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from core.analysis.ahead.backtest_record import (
    BacktestRecord,
    Fold,
    Refit,
    Skipped,
    as_fold,
    as_refit,
)
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
from core.store.run_about import read_about

#: Periods dropped to see how far results move; zero is all data.
DROPS = (0, 4, 8, 12)
#: The sampler of every part, where nothing else is asked for.
SAMPLER = {"chains": 2, "warmup": 250, "draws": 250, "precision": "float32"}


class PartOptions(Struct, frozen=True, kw_only=True):
    """What a part of a study is asked to do, as `options` of its run.json.

    Attributes:
        study: Its name, which the parts have in common.
        horizon: Periods of each forecast.
        with_knots: Whether to beat the knots model, too.
        origin: Periods that a forecast sees; None of a refit.
        drop: Periods that a refit leaves out; None of a forecast.
    """

    study: str
    horizon: int
    with_knots: bool = True
    origin: int | None = None
    drop: int | None = None

    @property
    def in_words(self) -> str:
        """The part in words."""
        if self.drop is not None:
            return f"the refit without the last {self.drop} periods"
        return f"the origin after {self.origin} periods"


def part_options(run: Path) -> PartOptions | None:
    """What a run is asked to do; None of one that is no part of a study, or damaged."""
    try:
        options = msgspec.convert(read_about(run).options, PartOptions)
    except msgspec.ValidationError:
        return None
    is_part = options.origin is not None or options.drop is not None
    return options if is_part else None


@dataclass(frozen=True)
class Backtest:
    """One study.

    Attributes:
        study: Its name.
        runs: Its parts, oldest first.
        options: Of its first part.
        created: When, ISO UTC.
    """

    study: str
    runs: tuple[Run, ...]
    options: PartOptions
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
    settings = dataclasses.replace(project.sampler, **SAMPLER | (sampler or {}))
    runs: list[Path] = []
    try:
        for part in parts:
            options = shared | part
            runs.append(
                new_run(
                    project_folder,
                    "backtest",
                    project,
                    sampler=settings,
                    options=options,
                )
            )
    except BaseException:  # a study without some of its parts is none
        for run in runs:
            shutil.rmtree(run, ignore_errors=True)
        raise
    return runs


def _n_times(folder: Path, project: Project) -> int:
    frame = kept_table(data_file(folder, project))
    return assemble(frame, project.mapping).n_times


def list_backtests(project_folder: Path) -> list[Backtest]:
    """The studies of a project, newest first."""
    parts: dict[str, list[tuple[Run, PartOptions]]] = {}
    for run in reversed(list_runs(project_folder, "backtest")):
        options = part_options(run.folder)
        if options is not None:
            parts.setdefault(options.study, []).append((run, options))
    return [_backtest(study, members) for study, members in reversed(parts.items())]


def _backtest(study: str, members: list[tuple[Run, PartOptions]]) -> Backtest:
    """A study of its parts, oldest first."""
    first, options = members[0]
    return Backtest(
        study=study,
        runs=tuple(run for run, _ in members),
        options=options,
        created=first.created,
    )


def backtest_of(project_folder: Path, run: Run) -> BacktestRecord | None:
    """The newest backtest of a fit's own specification and data that has scores.

    It must be of the fit's own version of Mixwright, too: a later one may make another
    model of the same specification.
    """
    for backtest in list_backtests(project_folder):
        part = backtest.runs[0]
        is_same = (
            run.data_sha256 == part.data_sha256 != ""
            and run.spec_sha256 == part.spec_sha256
            and run.version == part.version
        )
        if is_same and not backtest.is_live:
            scores = read_backtest(backtest)
            if scores.scores:
                return scores
    return None


def read_backtest(
    backtest: Backtest, load: Callable[[Path, str], Any] = read_json
) -> BacktestRecord:
    """What a study found, of the parts that are done.

    Args:
        backtest: The study.
        load: How a part's result is read.
    """
    folds, skipped, drops = [], [], {}
    for run in backtest.runs:
        options = part_options(run.folder)
        if options is None:  # damaged since it was listed
            continue
        drop = options.drop
        part, why = None, run.status.message or "It did not finish."
        try:
            if has_result(run.folder):
                content = load(run.folder, "part")
                part = as_fold(content) if drop is None else as_refit(content)
        except MMMError as error:
            why = error.message
        if isinstance(part, Fold):
            folds.append(part)
        elif isinstance(part, Refit):
            drops[drop] = part.channels
        elif not run.status.is_live:
            skipped.append(Skipped(options.in_words, why))
    scores = scored(
        folds,
        skipped,
        horizon=int(backtest.options.horizon),
        is_structural=load_project(backtest.runs[0].folder).spec.is_structural,
    )
    return replace(
        scores,
        study=backtest.study,
        created=backtest.created,
        refresh=stability(drops) if 0 in drops else None,
    )
