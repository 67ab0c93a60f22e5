"""Mediators of a fit: checked against the projects whose KPI they are, and frozen.

A run with funnels keeps, for each mediator, the fit whose draws go beside its own:
`mediators/0/` looks like the run that it is of, as far as it is needed. So a fit goes
on answering when the other project changes, or is gone.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from core.data.assemble import assemble
from core.data.cells.currencies import currency as codes_of
from core.data.files.parquet import read_table
from core.data.input_data import InputData
from core.data.mapping import KINDS
from core.data.reading.findings import Finding
from core.dims import NATIONAL_GEO
from core.errors import AccessError, MMMError, SpecError, WorkspaceError
from core.project.settings.definition import Funnel, Project
from core.project.settings.project import data_file, load_project
from core.store.atomic import explain
from core.store.places import is_id, project_folder, typed_path
from core.store.results import has_result
from core.store.run_about import read_about
from core.store.run_state import read_status
from core.team.gate import check
from core.team.roles import Role
from core.text import listed

#: The folder of a run that holds the fits of its mediators.
FOLDER = "mediators"
#: What is kept of such a fit.
_INPUTS = ("run.json", "project.toml", "data.parquet")
_RESULT = ("manifest.json", "summary.json", "posterior.nc")
#: Share of the largest value by which equal columns may differ.
_CLOSE = 1e-6
#: How far from one a column counts in a sum of columns: noise of rounded cells.
_NEARLY_ONCE = 1e-2


def mediator_fits(folder: Path, project: Project, source: Path) -> list[Path]:
    """The runs of the finished fits that the funnels of a project name, each checked.

    Args:
        folder: The project's.
        project: The project as it is to be fitted.
        source: Its data, Parquet.

    Raises:
        SpecError: A funnel cannot be; `findings` has every reason.
    """
    fits, findings = _examined(folder, project, source)
    if findings:
        raise SpecError.of(findings)
    return fits


def check_mediators(folder: Path, project: Project, source: Path) -> list[Finding]:
    """What keeps the funnels of a project from being fitted; see `mediator_fits`."""
    return _examined(folder, project, source)[1]


def _examined(
    folder: Path, project: Project, source: Path
) -> tuple[list[Path], list[Finding]]:
    fits: list[Path] = []
    findings: list[Finding] = []
    if not project.funnels:
        return fits, findings
    frame = _mediator_table(source)
    data = assemble(frame, project.mapping)
    for funnel in project.funnels:
        try:
            there = _folder(folder, funnel)
            _refuse_circles(folder, there, funnel)
            run = _newest_fit(there, funnel)
            findings += _differences(project, data, run, funnel)
            fits.append(run)
        except MMMError as error:
            findings.append(_finding(funnel, error.message, error.hint))
    findings += _sums(frame, project, data)
    findings += _costs(frame, project)
    return fits, findings


def moved_channels(folder: Path, project: Project) -> frozenset[str]:
    """Channels of the projects whose KPIs a project's mediators are.

    Args:
        folder: The project's.
        project: What project.toml says; mediators whose projects are gone move none.
    """
    names: set[str] = set()
    for funnel in project.funnels:
        try:
            there = load_project(_folder(folder, funnel))
        except MMMError:
            continue
        names |= {channel.name for channel in there.mapping.channels}
    return frozenset(names)


def freeze_mediators(
    run: Path, fits: Sequence[Path], *, with_results: bool = True
) -> None:
    """Keep the fits of mediators in a run.

    Args:
        run: The run's folder.
        fits: Those of the mediators, in the order of its funnels.
        with_results: Whether their draws are needed, too; else they are fitted again.

    Raises:
        WorkspaceError: The disk is full or read-only, or a fit was deleted meanwhile.
    """
    for place, fit in enumerate(fits):
        target = run / FOLDER / str(place)
        try:
            target.mkdir(parents=True)
            for name in _INPUTS:
                shutil.copyfile(fit / name, target / name)
            if with_results:
                (target / "result").mkdir()
                for name in _RESULT:
                    shutil.copyfile(fit / "result" / name, target / "result" / name)
            further = frozen_mediators(fit)
        except OSError as error:
            raise explain(error, target) from error
        freeze_mediators(target, further, with_results=with_results)


def frozen_mediators(run: Path) -> list[Path]:
    """The folders of the fits of a run's mediators, in the order of its funnels."""
    folder = run / FOLDER
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [folder / name for name in sorted(names, key=int)]


def _finding(funnel: Funnel, message: str, hint: str) -> Finding:
    return Finding("error", f"funnel {funnel.mediator}", message, hint)


def _mediator_table(source: Path) -> pd.DataFrame:
    if source.suffix.lower() == ".parquet":
        return read_table(source)
    from core.data.files.isolated import load_table

    return load_table(source, source.name)


def _folder(folder: Path, funnel: Funnel) -> Path:
    """The folder of a mediator's project: a path, else a name beside it or in the app.

    Raises:
        SpecError: There is none.
        AccessError: The one who acts may not see it.
    """
    places = [typed_path(funnel.project), folder.parent / funnel.project]
    with contextlib.suppress(WorkspaceError):  # a path is no name
        places.append(project_folder(funnel.project))
    for place in places:
        if os.path.isfile(place / "project.toml"):
            try:
                check("project opened", place.resolve(), Role.VIEWER)
            except AccessError:
                break
            return place.resolve()
    raise SpecError(
        f"Mediator {funnel.mediator}: there is no project {funnel.project} that you "
        "may see.",
        hint="Name the folder or the name of the project whose KPI it is, or ask an "
        "administrator to make you a member of it.",
    )


def _refuse_circles(folder: Path, there: Path, funnel: Funnel) -> None:
    """Refuse a mediator whose project has this one's KPI as a mediator, however far.

    Raises:
        SpecError: It has.
    """
    waiting, visited = [(there, [folder.name, there.name])], set()
    while waiting:
        place, way = waiting.pop()
        if place == folder.resolve():
            raise SpecError(
                f"Mediator {funnel.mediator} leads back to this project: "
                f"{' ← '.join(way)}.",
                hint="One of them comes first. Take [[funnel]] out of the project "
                "whose KPI does.",
            )
        if place in visited:
            continue
        visited.add(place)
        for each in load_project(place).funnels:
            try:
                further = _folder(place, each)
            except SpecError:
                continue  # its own fit is refused then, not this one
            waiting.append((further, [*way, further.name]))


def _newest_fit(there: Path, funnel: Funnel) -> Path:
    """The folder of the newest finished fit of a project.

    Raises:
        SpecError: It has none.
    """
    runs = there / "runs"
    names = os.listdir(runs) if os.path.isdir(runs) else []
    folders = [runs / name for name in names if is_id(name)]
    abouts = {folder: read_about(folder) for folder in folders}
    finished = [
        folder
        for folder, about in abouts.items()
        if about.is_fit and has_result(folder) and read_status(folder).state == "done"
    ]
    if not finished:
        raise SpecError(
            f"Project {there.name}, whose KPI mediator {funnel.mediator} is, has no "
            "finished fit.",
            hint=f"Fit {there.name} first.",
        )
    return max(finished, key=lambda each: (abouts[each].number, each.name))


def _differences(
    project: Project, data: InputData, run: Path, funnel: Funnel
) -> Iterator[Finding]:
    """What keeps a fit from being that of a mediator."""
    other = load_project(run)
    name, there = funnel.mediator, other.name
    theirs = assemble(read_table(data_file(run, other)), other.mapping)
    messages = [
        *_other_money(project.currency, other.currency, name, there),
        *_other_grid(data, theirs, name, there),
    ]
    if _has_same_cells(data, theirs):  # else what is in them says nothing
        messages += _other_values(data, theirs, name, there, other.mapping.kpi)
        messages += _other_channels(data, theirs, name, there)
    for message, hint in messages:
        yield _finding(funnel, message, hint)


def _has_same_cells(data: InputData, theirs: InputData) -> bool:
    same_times = np.array_equal(data.times, theirs.times)
    return same_times and list(data.geos) == list(theirs.geos)


def _other_money(
    own: str, theirs: str, name: str, there: str
) -> Iterator[tuple[str, str]]:
    if own and theirs and not codes_of(own) == codes_of(theirs):
        yield (
            f"Mediator {name}: project {there} is in {theirs} and this one in {own}, "
            "so their spend is not the same money.",
            f"Give both the same currency, spend converted to it, and fit {there} "
            "again.",
        )


def _other_grid(
    data: InputData, theirs: InputData, name: str, there: str
) -> Iterator[tuple[str, str]]:
    single = [each for each in (data, theirs) if tuple(each.geos) == (NATIONAL_GEO,)]
    if len(single) == 1:
        with_geos, without = (
            ("this one", f"project {there}")
            if single[0] is theirs
            else (f"project {there}", "this one")
        )
        yield (
            f"Mediator {name}: {with_geos} has geos, {without} is of one market.",
            "Give both projects the same geos, in the same order.",
        )
    elif list(data.geos) != list(theirs.geos):
        lacking = sorted(set(data.geos) ^ set(theirs.geos))
        about = f"{', '.join(lacking[:3])} in one of them only" if lacking else "order"
        yield (
            f"Mediator {name}: the geos of project {there} differ ({about}).",
            "Give both projects the same geos, in the same order.",
        )
    if not np.array_equal(data.times, theirs.times):
        yield (
            f"Mediator {name}: project {there} was fitted on {theirs.n_times} periods "
            f"from {theirs.times[0]} to {theirs.times[-1]}, and this one has "
            f"{data.n_times} from {data.times[0]} to {data.times[-1]}.",
            f"Give both the same periods: refresh {there} with the same rows and fit "
            "it again.",
        )


def _other_values(
    data: InputData, theirs: InputData, name: str, there: str, kpi: str
) -> Iterator[tuple[str, str]]:
    organic = data.organic_media
    column = organic.units[:, -data.n_times :, organic.names.index(name)]
    if not _equal(column, theirs.kpi):
        apart = np.abs(column - theirs.kpi).max(axis=0)
        yield (
            f"Mediator {name} is not the KPI {kpi} that project {there} was fitted "
            f"on: they differ most in the period {data.times[apart.argmax()]}.",
            f"Use the same column in both, or fit {there} again if its data changed.",
        )


def _other_channels(
    data: InputData, theirs: InputData, name: str, there: str
) -> Iterator[tuple[str, str]]:
    for kind in KINDS[:-1]:
        own, other = getattr(data, kind), getattr(theirs, kind)
        for channel in other.names if other else ():
            if not own or channel not in own.names:
                if other.spend is not None:
                    yield (
                        f"{channel} moves mediator {name} in project {there} and is no "
                        f"channel of the kind {kind} here, so that what it brings by "
                        "way of it would be nobody's.",
                        f"Add it here as [[channel]] with the columns of {there}.",
                    )
                continue
            here, place = own.names.index(channel), other.names.index(channel)
            n = min(own.units.shape[1], other.units.shape[1])
            pairs = [(own.units[:, -n:, here], other.units[:, -n:, place])]
            if other.spend is not None:
                pairs.append((own.spend[:, :, here], other.spend[:, :, place]))
            if other.frequency is not None:
                often = own.frequency[:, -n:, here], other.frequency[:, -n:, place]
                pairs.append(often)
            if any(a.shape == b.shape and not _equal(a, b) for a, b in pairs):
                yield (
                    f"{channel} has other media or spend here than in project {there}.",
                    "Use the same columns for it in both projects.",
                )


def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    top = max(float(np.abs(other).max()), 1e-300)
    return bool(np.abs(one - other).max() <= _CLOSE * top)


def _sums(frame: pd.DataFrame, project: Project, data: InputData) -> Iterator[Finding]:
    """Mediators that have the KPI in them, or that the KPI has in it."""
    numbers = [
        name
        for name in frame.select_dtypes("number").columns
        if name != project.mapping.kpi
    ]
    kpi = frame[project.mapping.kpi].to_numpy(float)
    organic = data.organic_media
    for funnel in project.funnels:
        column = next(
            each.media
            for each in project.mapping.channels
            if each.name == funnel.mediator
        )
        mediator = frame[column].to_numpy(float)
        observed = np.isfinite(kpi) & np.isfinite(mediator)
        if funnel.mediator not in organic.names or not observed.any():
            continue
        others = {
            name: frame[name].to_numpy(float)[observed]
            for name in numbers
            if name != column
        }
        if part := _sum_of(mediator[observed], kpi[observed], others):
            yield _finding(
                funnel,
                f"Mediator {funnel.mediator} is {part}: it counts what it is to "
                "explain.",
                "Name a step before the KPI, such as searches or visits, not a sum "
                "that has the KPI in it.",
            )


def _costs(frame: pd.DataFrame, project: Project) -> Iterator[Finding]:
    """Columns of cost that do not hold money."""
    for funnel in project.funnels:
        if not funnel.cost:
            continue
        what = ""
        if funnel.cost not in frame:
            what = "is not a column of the data"
        elif not is_numeric_dtype(frame[funnel.cost]):
            what = "does not hold numbers"
        elif (
            not (frame[funnel.cost].fillna(0) >= 0).all()
            or not frame[funnel.cost].sum()
        ):
            what = "is below zero somewhere, or zero everywhere"
        if what:
            yield _finding(
                funnel,
                f"Mediator {funnel.mediator}: its cost {funnel.cost} {what}.",
                "Name the column of what was paid for it, or take cost out.",
            )


def _sum_of(
    mediator: np.ndarray, kpi: np.ndarray, others: dict[str, np.ndarray]
) -> str:
    """How a mediator and the KPI add up, if they do; or nothing."""
    factor = float(mediator @ kpi) / max(float(kpi @ kpi), 1e-300)
    if _equal(factor * kpi, mediator):
        return "the KPI itself" if abs(factor - 1) < _CLOSE else "a multiple of the KPI"
    if names := _adding_up(mediator - kpi, others):
        return f"the sum of the KPI and {listed(names)}"
    if names := _adding_up(kpi - mediator, others):
        return f"a part of the KPI, which is the sum of it and {listed(names)}"
    return ""


def _adding_up(rest: np.ndarray, others: dict[str, np.ndarray]) -> list[str]:
    """Names of columns whose sum is the rest; none where there are no such columns.

    Non-negative least squares finds them on as many rows as settle it; all are checked.
    """
    columns = {
        name: filled
        for name, values in others.items()
        if np.any(filled := np.nan_to_num(values))
    }
    needed = 2 * len(columns) + 10
    if not columns or (rest < 0).any() or len(rest) < needed:
        return []
    from scipy.optimize import nnls

    rows = np.random.default_rng(0).permutation(len(rest))[: 3 * needed]
    table = np.stack(list(columns.values()), axis=1)
    scale = np.abs(table).max(axis=0)
    try:
        weights, _ = nnls(table[rows] / scale, rest[rows])
    except RuntimeError:  # it found no way: these do not add up
        return []
    once = np.abs(weights / scale - 1) < _NEARLY_ONCE
    names = [name for name, is_in in zip(columns, once, strict=True) if is_in]
    total = table[:, once].sum(axis=1)
    return names if names and _equal(total, rest) else []
