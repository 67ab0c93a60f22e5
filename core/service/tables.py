"""Tables: files opened, and what is wrong with the data of a project."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from core.data.demand.following import followings
from core.data.experiments.experiment_checks import check_experiments
from core.data.files.isolated import kept_table
from core.data.input_data import InputData
from core.data.layout.kinds.exports import File
from core.data.layout.opening import SeveralTables, open_files
from core.data.reading.findings import Finding
from core.errors import SpecError, WorkspaceError
from core.model.priors import agreement
from core.model.readiness import readiness
from core.project.fits.mediators import check_mediators
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project
from core.store.places import typed_path

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
        if not os.path.isfile(path):
            raise WorkspaceError(
                f"There is no file {path}.", hint="Check the path.", where=str(path)
            )
        sources.append((path, path.name))
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


def findings(folder: Path) -> list[Finding]:
    """What is wrong with a project's data and options.

    Raises:
        MMMError: The data cannot be read.
    """
    project = load_project(folder)
    frame = kept_table(data_file(folder, project))
    own = project.own_table(frame)
    data, found = readiness(own, project.mapping, project.spec)
    if data is None:
        return found
    funnels = check_mediators(folder, project, data_file(folder, project))
    return [*funnels, *_of_model(data, project), *found]


def _of_model(data: InputData, project: Project) -> list[Finding]:
    """What does not go together in sound data, lift tests and options."""
    kinds = {channel.name: channel.kind for channel in project.mapping.channels}
    results = check_experiments(project.experiments, kinds, data)
    try:
        agreement.check(project.spec, data)
    except SpecError as error:
        results = [*error.findings, *results]
    return [*results, *_of_demand(data)]


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
