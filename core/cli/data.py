"""check and init: what is wrong with the data, and a project made from a table."""

import argparse
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli.answer import AT_FAULT, DONE, Answer, clean, table, tell
from core.cli.layout_options import answers_of, opened, split_robyn
from core.cli.places import project_folder
from core.data.findings import Finding, blocks
from core.data.mapping import ColumnMapping
from core.errors import MMMError, SchemaError, SpecError

if TYPE_CHECKING:
    import pandas as pd

    from core.data.layout.reading import Table
    from core.model.spec import ModelSpec
    from core.workspace.definition import Project

_MARKS = {"error": "error", "warning": "warning", "info": "info"}


def check(options: argparse.Namespace) -> Answer:
    """Findings about a project's data, or about a table."""
    path = Path(options.sources[0]).expanduser()
    is_file = os.path.isfile(path) and path.name != "project.toml"
    try:
        if is_file or len(options.sources) > 1:
            findings = _of_table(options)
        else:
            findings = _of_project(project_folder(options.sources[0]))
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
    return found


def _of_table(options: argparse.Namespace) -> list[Finding]:
    from core.data.layout.reading import mapping_of_table
    from core.data.validate import check_table
    from core.workspace.defaults import default_spec

    read = _read(options)
    mapping = mapping_of_table(read)
    if read.layout is not None:
        tell(_layout_in_words(read))
    found = check_table(read.frame, mapping, default_spec(mapping))
    return [*found, *read.findings]


def _read(options: argparse.Namespace) -> "Table":
    """The one table of the files that the command line names."""
    from core.data.layout.reading import read_files

    return read_files(opened(options.sources, options.sheet), answers_of(options))


def _layout_in_words(read: "Table") -> str:
    from core.data.layout.describe import sentence

    return clean(sentence(read.layout, read.files))


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
    from core.data.layout.reading import mapping_of_table
    from core.fit.settings import SamplerSettings
    from core.workspace.defaults import default_spec
    from core.workspace.definition import Project
    from core.workspace.lifecycle import refuse_taken
    from core.workspace.store import init_project

    folder = Path(options.out).expanduser().resolve()
    refuse_taken(folder)
    models, options.sources = split_robyn(options.sources)
    if models:
        read, mapping, spec = _by_robyn(models, options)
    else:
        read = _read(options)
        mapping = mapping_of_table(read)
        spec = default_spec(mapping)
    frame = read.frame
    if not mapping.channels:
        raise _no_channel(read)
    project = Project(
        name=folder.name,
        currency=options.currency or _currency(read) or "EUR",
        file="data.parquet",
        mapping=mapping,
        spec=spec,
        sampler=SamplerSettings(),
        layout=read.layout,
    )
    init_project(folder, project, frame)
    data = {"project": str(folder), "rows": len(frame), "mapping": asdict(mapping)}
    data |= layout_data(read)
    text = _described(folder, frame, mapping)
    return Answer(data, "\n\n".join(filter(None, [layout_text(read), text])))


def _by_robyn(
    models: list[Path], options: argparse.Namespace
) -> tuple["Table", ColumnMapping, "ModelSpec"]:
    """The table, mapping and options that a model file of Robyn gives.

    Raises:
        SchemaError: There are several model files, or one does not fit the table.
    """
    from core.data.layout.reading import Table
    from core.workspace.robyn import read_robyn

    if len(models) > 1:
        raise SchemaError(
            f"{models[0].name} and {models[1].name} are both models of Robyn.",
            hint="Name one of them.",
            where=models[1].name,
        )
    read = _read(options) if options.sources else None
    frame = None if read is None else read.frame
    found = read_robyn(models[0].read_bytes(), models[0].name, frame)
    if read is None:
        read = Table(found.frame, None)
    return (
        replace(read, findings=(*read.findings, *found.findings)),
        found.mapping,
        found.spec,
    )


def _currency(read: "Table") -> str | None:
    return None if read.layout is None else read.layout.currency


def _no_channel(read: "Table") -> SchemaError:
    names = ", ".join(dict.fromkeys(file.called for file in read.files))
    return SchemaError(
        f"{names} has no media: no column looks like a channel.",
        hint="Add a file with spend or impressions per channel, name columns like "
        "TV_spend and TV_impressions, or map them in the app.",
        where=names,
    )


def layout_data(read: "Table") -> dict:
    """How the table was made, for --json; empty for a file as it lies."""
    found = [finding.as_dict() for finding in read.findings]
    if read.layout is None:
        return {"findings": found}
    return {
        "layout": _layout_in_words(read),
        "totals": [asdict(total) for total in read.totals],
        "findings": found,
    }


def layout_text(read: "Table") -> str:
    """How the table was made: the sentence, totals before and after, what was done."""
    parts = [_text(list(read.findings))] if read.findings else []
    if read.layout is None:
        return "\n".join(parts)
    rows = [
        (
            total.file,
            total.column,
            *(f"{value:,.2f}" for value in (total.before, total.left_out, total.after)),
        )
        for total in read.totals
    ]
    heads = ("File", "Column", "In the file", "Left out", "In the table")
    sums = [clean(table(heads, rows, texts=2))] if rows else []
    return "\n\n".join([_layout_in_words(read), *sums, *parts])


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
