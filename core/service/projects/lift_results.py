"""Results of tests that others read: a report or a table, given to a model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from core.data.cells.typed import refuse_other_currency
from core.data.experiments.entry import Entry
from core.data.experiments.experiment_checks import check_experiments, where_of
from core.data.files.isolated import load_table
from core.data.input_data import InputData
from core.errors import SpecError, WorkspaceError
from core.experiments.kept import KeptTest
from core.experiments.life import planned_by_geox
from core.experiments.panel import panel_of
from core.experiments.results.reports import Context, columns_of, read_report
from core.experiments.results.stated import Stated, as_entry
from core.experiments.results.table import read_table, states_ratio
from core.project.settings.definition import Project
from core.project.settings.project import load_project, project_sha256, save_project
from core.service.experiments.lift_tests import market_data, panel_of_project, plan_test
from core.service.places import typed_file
from core.store.stored import read_object, read_regular

#: Endings of reports that are texts; other files are tables.
_TEXTS = (".json", ".txt", ".log", ".md")


@dataclass(frozen=True)
class Added:
    """Results that a model has now.

    Attributes:
        entries: As `[[experiment]]` has them.
        remarks: What deserves a look in them.
    """

    entries: tuple[Entry, ...]
    remarks: tuple[str, ...]


def add_results(folder: Path, path: Path, beside: Context) -> Added:
    """Give the results of a file to the model of a project.

    Args:
        folder: The project's.
        path: A report, or a table.
        beside: What the file may leave out.

    Raises:
        MMMError: It has no results, leaves something out, does not fit the model, or
            is there already.
    """
    base, project = project_sha256(folder), load_project(folder)
    refuse_other_currency(beside.amount or 0.0, project.currency, "amount")
    data = market_data(folder, project)
    entries = entries_in(_content(path), path.name, beside, project, data)
    remarks = _remarks(project, entries, data)
    experiments = (*project.experiments, *entries)
    save_project(folder, replace(project, experiments=experiments), base_sha=base)
    return Added(entries, remarks)


def entries_in(
    content: str | pd.DataFrame,
    filename: str,
    beside: Context,
    project: Project,
    data: InputData,
) -> tuple[Entry, ...]:
    """The results of a report or of a table, as the model takes them.

    Args:
        content: A text, or a table as it was loaded.
        filename: For messages.
        beside: What the file may leave out.
        project: Whose model takes them.
        data: Its market.

    Raises:
        MMMError: It has no results, leaves something out, or does not fit the model.
    """
    names, currency = columns_of(project.mapping), project.currency
    context = replace(beside, channel_names=names, currency=currency)
    if isinstance(content, str):
        results: Sequence[Stated] = read_report(content, filename, context)
    else:
        periods = 1
        if beside.start and beside.end:
            inside = panel_of(data).within(beside.start, beside.end)
            periods = max(int(inside.sum()), 1)
        results = read_table(content, filename, context, periods)
    stated = [_with(each, beside) for each in results]
    return tuple(as_entry(each, data, project.mapping.kpi) for each in stated)


def plan_designs(
    folder: Path, path: Path, channels: tuple[str, ...], start: str
) -> list[KeptTest] | None:
    """Plan the tests of a design that GeoX wrote; None where the file is another.

    Args:
        folder: The project's.
        path: The file.
        channels: Tested, which a design does not say.
        start: First day, which it does not say either.
    """
    content = read_object(path) if path.suffix.lower() == ".json" else {}
    if not {"designs", "control_geos"} <= content.keys():
        return None
    panel = panel_of_project(folder)
    planned = planned_by_geox(content, path.name, channels, start, panel)
    for test in planned:
        plan_test(folder, test)
    return planned


def _with(stated: Stated, beside: Context) -> Stated:
    """A result with what somebody says of it, which goes before the file."""
    keys = ("tested_at", "amount", "half_life", "kpi")
    values = {key: getattr(beside, key) for key in keys}
    return replace(
        stated, **{key: each for key, each in values.items() if each not in (None, "")}
    )


def _content(path: Path) -> str | pd.DataFrame:
    """A report's text, or a table.

    Raises:
        WorkspaceError: There is no such file, or it cannot be read.
    """
    typed_file(path)
    if path.suffix.lower() not in _TEXTS:
        return load_table(path, path.name)
    try:
        return read_regular(path).decode("utf-8", "replace")
    except OSError as error:
        raise WorkspaceError(f"{path.name} cannot be read.") from error


def _remarks(
    project: Project, entries: Sequence[Entry], data: InputData
) -> tuple[str, ...]:
    """What deserves a look in results that fit the data.

    Raises:
        SpecError: They do not fit the data, or are there already; has every finding.
    """
    kinds = {channel.name: channel.kind for channel in project.mapping.channels}
    n_there = len(project.experiments)
    findings = check_experiments([*project.experiments, *entries], kinds, data)
    own = {where_of(n_there + place) for place, _ in enumerate(entries, 1)}
    findings = [finding for finding in findings if finding.where in own]
    there = [entry.cells for entry in project.experiments]
    is_twice = any(entry.cells in there for entry in entries)
    faults = [each for each in findings if is_twice or each.severity == "error"]
    if faults:
        raise SpecError.of(faults)
    return tuple(f"{finding.message} {finding.hint}" for finding in findings)
