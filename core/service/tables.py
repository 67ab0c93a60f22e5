"""Tables: files opened, and what is wrong with the data of a project."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core import quoted
from core.data.assemble import assemble
from core.data.demand.following import followings
from core.data.experiments.experiment_checks import check_experiments
from core.data.files.isolated import Look, kept_table, load_table
from core.data.input_data import InputData
from core.data.layout.kinds.exports import File
from core.data.layout.opening import SeveralTables, open_files
from core.data.layout.tables.undated import Step, numbered
from core.data.mapping import ColumnMapping
from core.data.observations import dates_of
from core.data.periods import periods
from core.data.price import prices
from core.data.query.ask import queried
from core.data.query.definition import Query
from core.data.reading.findings import Finding
from core.errors import MMMError, SpecError, WorkspaceError
from core.model.readiness import readiness
from core.model.shares import agreement
from core.model.spec import ModelSpec
from core.project.fits.mediators import check_mediators
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project
from core.service.places import typed_file
from core.store.places import data_folders, typed_path
from core.text import ratio

if TYPE_CHECKING:
    import pandas as pd

#: Files of more bytes take long enough to be announced.
_LARGE = 20 * 1024**2


def opened(
    names: Sequence[str | Path],
    sheets: Sequence[str] = (),
    announce: Callable[[str], None] = lambda line: None,
) -> list[File]:
    """The tables of files.

    Args:
        names: Their paths.
        sheets: Which sheets of workbooks, or files in archives, to read.
        announce: Told of a file that takes long.

    Raises:
        WorkspaceError: There is no such file.
        SchemaError: A file is not a table, or holds several.
    """
    sources: list[tuple[Path | bytes, str]] = []
    for name in names:
        path = typed_path(name)
        if os.path.isdir(path):
            raise WorkspaceError(
                f"{path} is a folder, not a file.",
                hint=f"Name its files: {path / '*.csv'}",
                where=str(path),
            )
        sources.append((typed_file(path), path.name))
        size = path.stat().st_size
        if size > _LARGE:
            announce(f"Reading {path.name} ({size / 1024**2:,.0f} MB) …")
    try:
        return open_files(sources, list(sheets))
    except SeveralTables as error:
        first = error.parts[0]
        error.hint = (
            f'Choose with --sheet "{first}" (in Python sheets=["{first}"]); several '
            "belong to one market."
        )
        raise


def sent(
    content: bytes,
    filename: str,
    *,
    watch: Callable[[Look], None] | None = None,
    part: str | None = None,
) -> "pd.DataFrame":
    """The table of a file that somebody sent, read in a process of its own.

    Args:
        content: The file.
        filename: Its name, for messages.
        watch: Called a few times a second; what it raises stops the reading.
        part: The sheet of a workbook, or the file in a zip archive.

    Raises:
        MMMError: The file is not a table, or takes too much time or memory.
    """
    return load_table(content, filename, watch=watch, part=part)


def of_query(
    query: Query,
    *,
    is_saved: bool = True,
    watch: Callable[[Look], None] | None = None,
) -> File:
    """The table of a query, like that of any file.

    Args:
        query: What is asked.
        is_saved: Whether it stands in a project, so that it reads files of the data
            folders only; else it is what somebody types.
        watch: Called a few times a second; what it raises stops the query.

    Raises:
        DataError: The query fails, or gives no table.
    """
    folders = [str(folder) for folder in data_folders()] if is_saved else None
    return queried(query, folders, watch)


def kept(folder: Path, project: Project | None = None) -> "pd.DataFrame":
    """The table of a project, a row per period and geo.

    Args:
        folder: The project's.
        project: Its settings, where they are known.

    Raises:
        MMMError: It is missing or cannot be read.
    """
    return kept_table(data_file(folder, project or load_project(folder)))


def market(frame: "pd.DataFrame", mapping: ColumnMapping) -> InputData | None:
    """The market of a table; None where errors in it stand in the way."""
    try:
        return assemble(frame, mapping)
    except MMMError:
        return None


@dataclass(frozen=True)
class Extent:
    """How much a table holds.

    Attributes:
        times: Its dates, each once, in order.
        period: What one of its periods is called: day, week, month, ...
        n_geos: Number of its geos, 1 where it has none.
    """

    times: np.ndarray
    period: str
    n_geos: int


def extent(frame: "pd.DataFrame", mapping: ColumnMapping) -> Extent:
    """The dates and geos of a table, whatever else is wrong with it."""
    values = dates_of(frame, mapping).values
    times = np.unique(values[~np.isnat(values)])
    period = periods(times).period if len(times) > 1 else "period"
    return Extent(times, period, frame[mapping.geo].nunique() if mapping.geo else 1)


def checked(
    frame: "pd.DataFrame", mapping: ColumnMapping, spec: ModelSpec
) -> tuple[Finding, ...]:
    """What is worth knowing of a table before it is fitted, errors first.

    Args:
        frame: The table as it is kept.
        mapping: The role of each column.
        spec: The options of the model.
    """
    return tuple(readiness(frame, mapping, spec)[1])


def findings(folder: Path) -> list[Finding]:
    """What is wrong with a project's data and options.

    Raises:
        MMMError: The data cannot be read.
    """
    project = load_project(folder)
    frame = kept_table(data_file(folder, project))
    own = project.own_table(frame)
    data, problems = readiness(own, project.mapping, project.spec)
    if data is None:
        return problems
    funnels = check_mediators(folder, project, data_file(folder, project))
    return [*funnels, *_of_model(data, project), *problems]


def _of_model(data: InputData, project: Project) -> list[Finding]:
    """What does not go together in sound data, lift tests and options."""
    kinds = {channel.name: channel.kind for channel in project.mapping.channels}
    results = check_experiments(project.experiments, kinds, data)
    try:
        agreement.check(project.spec, data)
    except SpecError as error:
        results = [*error.findings, *results]
    return [*results, *_of_demand(data), *_of_prices(data)]


def _of_demand(data: InputData) -> list[Finding]:
    """Channels whose spend follows demand more likely than not, before a fit."""
    hint = (
        "The fit weighs both readings; a lift test would settle its return. "
        "follows_demand in project.toml sets the probability."
    )
    return [
        Finding("info", following.channel, following.reason, hint)
        for following in followings(data)
        if following.probability >= 0.5
    ]


def _of_prices(data: InputData) -> list[Finding]:
    """Channels whose price rises with their volume, which a plan may pay for."""
    results = []
    for each in prices(data):
        low, high = each.interval or (0.0, 0.0)
        if low <= 0:
            continue
        estimate = f"gamma {ratio(each.gamma)} ({ratio(low)} – {ratio(high)})"
        if each.suggestion is None:
            message = (
                f"Units of {each.channel} hardly rise with its spend: {estimate}, from "
                "its units and its spend."
            )
            hint = (
                "Are they what this spend bought, in the same periods? If they are "
                "not, take its spend as its media."
            )
        else:
            message = (
                f"{each.channel} gets dearer with volume: {estimate}, from its units "
                "and its spend."
            )
            hint = (
                f"A plan pays for that only where you say so: --gamma "
                f"{quoted(each.channel)}={each.suggestion:g}, or gamma = "
                f"{each.suggestion:g} in the channel's table of a scenario file."
            )
        results.append(Finding("info", each.channel, message, hint))
    return results
