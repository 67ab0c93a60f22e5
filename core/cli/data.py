"""check and init: what is wrong with the data, and a project made from a table."""

import argparse
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli.answer import AT_FAULT, DONE, Answer, clean, table
from core.cli.places import project_folder
from core.cli.reading_options import with_answers
from core.data.findings import Finding, blocks
from core.data.mapping import ColumnMapping
from core.errors import MMMError, SchemaError, SpecError, WorkspaceError

if TYPE_CHECKING:
    import pandas as pd

    from core.data.input_data import InputData
    from core.workspace.definition import Project

_MARKS = {"error": "error", "warning": "warning", "info": "info"}


def check(options: argparse.Namespace) -> Answer:
    """Findings about a project's data, or about a table."""
    path = Path(options.source).expanduser()
    if not os.path.isfile(path) or path.name == "project.toml":
        path = project_folder(options.source)
    try:
        is_folder = os.path.isdir(path)
        findings = _of_project(path) if is_folder else _of_table(path, options)
    except MMMError as error:
        findings = list(error.findings) or [
            Finding("error", error.where, error.message, error.hint)
        ]
    count = sum(finding.severity == "error" for finding in findings)
    remarks = ()
    if count:
        said = "1 error blocks" if count == 1 else f"{count} errors block"
        first = next(finding for finding in findings if finding.severity == "error")
        remarks = (f"{said} a fit. {first.message} {first.hint}".rstrip(),)
    return Answer(
        {"findings": [finding.as_dict() for finding in findings]},
        _text(findings),
        AT_FAULT if blocks(findings) else DONE,
        remarks,
    )


def _of_project(folder: Path) -> list[Finding]:
    from core.data.isolated import kept_table
    from core.data.validate import check_table
    from core.workspace.project import data_file, load_project

    project = load_project(folder)
    frame = kept_table(data_file(folder, project))
    findings = check_table(frame, project.mapping, project.spec)
    return findings if blocks(findings) else [*_of_model(frame, project), *findings]


def _of_model(frame: "pd.DataFrame", project: "Project") -> list[Finding]:
    """What does not go together in sound data, lift tests and options."""
    from core.data.assemble import assemble
    from core.data.experiment_checks import check_experiments
    from core.model import agreement

    data = assemble(frame, project.mapping)
    kinds = {channel.name: channel.kind for channel in project.mapping.channels}
    found = check_experiments(project.experiments, kinds, data)
    try:
        agreement.check(project.spec, data)
    except SpecError as error:
        found = [*error.findings, *found]
    return [*found, *_of_demand(data)]


def _of_demand(data: "InputData") -> list[Finding]:
    """Channels whose spend seems to follow demand."""
    from core.data.demand.following import followings

    hint = "It gets a demand term; a lift test would settle its return."
    return [
        Finding("info", one.channel, one.reason, hint)
        for one in followings(data)
        if one.follows
    ]


def _of_table(path: Path, options: argparse.Namespace) -> list[Finding]:
    from core.data.isolated import load_table
    from core.data.recognise import guess_mapping
    from core.data.validate import check_table
    from core.workspace.defaults import default_spec

    frame = load_table(path, path.name)
    mapping = with_answers(frame, guess_mapping(frame), options)
    return check_table(frame, mapping, default_spec(mapping))


def _text(findings: list[Finding]) -> str:
    if not findings:
        return "No findings: the data are ready for a fit."
    lines = []
    for finding in findings:
        where = f" [{finding.where}]" if finding.where else ""
        lines.append(f"{_MARKS[finding.severity]:<8}{where} {finding.message}")
        if finding.hint:
            lines.append(f"{'':<8} {finding.hint}")
    return clean("\n".join(lines))


def init(options: argparse.Namespace) -> Answer:
    """A project whose columns are recognised."""
    from core.data.isolated import load_table
    from core.data.recognise import guess_mapping
    from core.fit.settings import SamplerSettings
    from core.workspace.defaults import default_spec
    from core.workspace.definition import Project
    from core.workspace.store import init_project

    source = Path(options.source).expanduser()
    if not os.path.isfile(source):
        raise WorkspaceError(f"There is no file {source}.", where=str(source))
    frame = load_table(source, source.name)
    mapping = with_answers(frame, guess_mapping(frame), options)
    if not mapping.channels:
        raise SchemaError(
            f"No column of {source.name} looks like a channel.",
            hint="Name columns like TV_spend and TV_impressions, or map them in the "
            "app.",
            where=source.name,
        )
    folder = Path(options.out).expanduser().resolve()
    project = Project(
        name=folder.name,
        currency=options.currency,
        file="data.parquet",
        mapping=mapping,
        spec=default_spec(mapping),
        sampler=SamplerSettings(),
    )
    init_project(folder, project, frame)
    data = {"project": str(folder), "rows": len(frame), "mapping": asdict(mapping)}
    return Answer(data, _described(folder, frame, mapping))


def _described(folder: Path, frame: "pd.DataFrame", mapping: ColumnMapping) -> str:
    roles = [("time", mapping.time), ("geo", mapping.geo), ("KPI", mapping.kpi)]
    roles += [
        ("value per KPI unit", mapping.revenue_per_kpi),
        ("population", mapping.population),
        ("controls", ", ".join(mapping.controls)),
    ]
    lines = [f"{role + ':':<20}{given}" for role, given in roles if given]
    channels = table(
        ("Channel", "Kind", "Columns"),
        [(c.name, c.kind, ", ".join(c.columns())) for c in mapping.channels],
        texts=3,
    )
    head = f"{folder}: {len(frame):,} rows, the KPI is " + (
        "money" if mapping.kpi_type == "revenue" else "a count"
    )
    end = f"Change what is wrong in {folder / 'project.toml'}, then: "
    end += f"python -m core check {folder}"
    return clean("\n".join([head, *lines, "", channels, "", end]))
