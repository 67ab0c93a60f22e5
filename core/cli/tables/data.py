"""check and init: what is wrong with the data, and a project made from a table."""

import argparse
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core import text as fmt
from core.cli.answer import AT_FAULT, DONE, Answer, tell
from core.cli.tables import layout_words as words
from core.cli.tables import recognised
from core.cli.tables.layout_options import answers_of, split_models
from core.cli.tables.reading_options import with_answers
from core.cli.tables.sources import all_tables, query_of
from core.data.checks.findings import Finding, blocks
from core.data.mapping import ColumnMapping
from core.errors import MMMError, SchemaError
from core.service import tables
from core.service.places import project_folder

if TYPE_CHECKING:
    import pandas as pd

    from core.data.layout.reading import Table
    from core.model.spec import ModelSpec


def check(options: argparse.Namespace) -> Answer:
    """Findings about a project's data, or about a table."""
    path = Path(options.sources[0] if options.sources else "").expanduser()
    is_file = os.path.isfile(path) and path.name != "project.toml"
    try:
        if is_file or len(options.sources) != 1 or options.query:
            findings = _of_table(options)
        else:
            findings = tables.findings(project_folder(options.sources[0]))
    except MMMError as error:
        findings = list(error.findings) or [
            Finding("error", error.where, error.message, error.hint)
        ]
    count = sum(finding.severity == "error" for finding in findings)
    remarks = ()
    if count:
        remark = "1 error blocks" if count == 1 else f"{count} errors block"
        first = next(finding for finding in findings if finding.severity == "error")
        remarks = (f"{remark} a fit. {first.message} {first.hint}".rstrip(),)
    return Answer(
        {"findings": [finding.as_dict() for finding in findings]},
        words.findings_text(findings),
        AT_FAULT if blocks(findings) else DONE,
        remarks,
    )


def _of_table(options: argparse.Namespace) -> list[Finding]:
    from core.data.checks.validate import in_order
    from core.data.layout.reading import mapping_of_table
    from core.data.recognition.questions import guess_findings
    from core.model.readiness import readiness
    from core.project.settings.defaults import default_spec

    read = _read(options)
    mapping = with_answers(read.frame, mapping_of_table(read), options)
    if read.layout is not None:
        tell(words.in_words(read))
    findings = readiness(read.frame, mapping, default_spec(mapping))[1]
    findings = [*findings, *guess_findings(read.frame, mapping), *read.findings]
    return in_order(findings)


def _read(options: argparse.Namespace) -> "Table":
    """The one table of the files and the query that the command line names."""
    from core.data.layout.reading import read_files

    files = all_tables(options, query_of(options))
    return read_files(files, answers_of(options))


def init(options: argparse.Namespace) -> Answer:
    """A project whose columns are recognised."""
    from core.fit.settings import SamplerSettings
    from core.project.settings.definition import Project
    from core.project.shelf.lifecycle import refuse_taken
    from core.project.shelf.store import init_project

    folder = Path(os.path.realpath(os.path.expanduser(options.out)))
    refuse_taken(folder)
    models, options.sources = split_models(options.sources)
    if models:
        read, mapping, spec = _by_model(models, options)
    else:
        read = _read(options)
        mapping = _answered(read, options)
        spec = _spec(read.frame, mapping, options.events)
    frame = read.frame
    _check_media(read, mapping)
    currency = _currency(read, mapping, options)
    project = Project(
        name=folder.name,
        currency=currency,
        file="data.parquet",
        mapping=mapping,
        spec=spec,
        sampler=SamplerSettings(),
        layout=read.layout,
        query=query_of(options),
        locale=options.locale,
    )
    init_project(folder, project, frame)
    fmt.set_locale(lambda: project.locale)
    data = {"project": str(folder), "rows": len(frame), "mapping": asdict(mapping)}
    data |= {"currency": currency} | words.layout_data(read)
    text = recognised.in_words(folder, frame, mapping, options, currency)
    return Answer(data, "\n\n".join(filter(None, [words.layout_text(read), text])))


def _by_model(
    models: list[Path], options: argparse.Namespace
) -> tuple["Table", ColumnMapping, "ModelSpec"]:
    """The table, mapping and options that a model file of another program gives.

    Raises:
        SchemaError: There are several model files, or one does not fit the table.
    """
    from core.data.layout.reading import Table
    from core.project.elsewhere.model_file import read_model_file

    if len(models) > 1:
        raise SchemaError(
            f"{models[0].name} and {models[1].name} are both models.",
            hint="Name one of them.",
            where=models[1].name,
        )
    read = _read(options) if options.sources or options.query else None
    frame = None if read is None else read.frame
    model = read_model_file(models[0].read_bytes(), models[0].name, frame)
    if read is None:
        read = Table(model.frame, None)
    return (
        replace(read, findings=(*read.findings, *model.findings)),
        model.mapping,
        model.spec,
    )


def _currency(
    read: "Table", mapping: ColumnMapping, options: argparse.Namespace
) -> str:
    """The currency of spend and revenue; empty where nobody and nothing says."""
    from core.data.currency import guess_currency

    if options.currency is not None:
        return options.currency
    if read.layout is not None and read.layout.currency:
        return read.layout.currency
    return guess_currency(read.frame, mapping)[0]


def _check_media(read: "Table", mapping: ColumnMapping) -> None:
    """Refuse to make a project without media.

    Raises:
        SchemaError: There is none; the hint says what the table is good for.
    """
    from core.data.recognition.without_media import media_finding

    names = fmt.listed(list(dict.fromkeys(file.called for file in read.files)))
    absent = media_finding(read.frame, mapping, names or "The table")
    if absent is not None:
        raise SchemaError(absent.message, hint=absent.hint, where=absent.where)


def _answered(read: "Table", options: argparse.Namespace) -> ColumnMapping:
    """The guessed mapping, with what the command line says."""
    from core.data.layout.reading import mapping_of_table
    from core.data.recognition.without_media import with_paid

    frame = read.frame
    mapping = with_answers(frame, mapping_of_table(read), options)
    if options.value is not None:
        mapping = replace(
            mapping, kpi_type="non_revenue", revenue_per_kpi=float(options.value)
        )
    elif options.kpi_is is not None:
        kind = "revenue" if options.kpi_is == "money" else "non_revenue"
        value = None if kind == "revenue" else mapping.revenue_per_kpi
        mapping = replace(mapping, kpi_type=kind, revenue_per_kpi=value)
    _check_columns(frame, [*options.control, *options.ignore, *options.events])
    controls = [name for name in mapping.controls if name not in options.ignore]
    added = [name for name in options.control if name not in controls]
    mapping = replace(
        mapping, spend_unit=options.spend_unit, controls=(*controls, *added)
    )
    return with_paid(mapping, options.paid)


def _check_columns(frame: "pd.DataFrame", names: list[str]) -> None:
    """Refuse names of columns that the table does not have."""
    known = [str(name) for name in frame.columns]
    for name in names:
        if name not in known:
            raise SchemaError(
                f"There is no column {name}.",
                hint=f"The table has {fmt.listed(known, limit=12)}.",
                where=name,
            )


def _spec(
    frame: "pd.DataFrame", mapping: ColumnMapping, columns: list[str]
) -> "ModelSpec":
    """The default options, with the events that columns of text hold."""
    from core.data.recognition.text_events import text_events
    from core.model.terms.events import Event
    from core.project.settings.defaults import default_spec

    events = [
        Event(*event)
        for column in columns
        for event in text_events(frame, mapping, column)
    ]
    return replace(default_spec(mapping), events=tuple(events))
