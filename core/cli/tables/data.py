"""check, init and update: what is wrong with data, a project made of a table, the next.

init says what it recognised in the table, in words; update reads next month's files,
or the query again, as the project's were.
"""

import argparse
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from core import PROGRAM, quoted
from core import text as fmt
from core.cli.answer import AT_FAULT, DONE, Answer, clean, table, tell
from core.cli.tables.layout_options import answers_again, split_models, stated
from core.cli.tables.sources import all_tables, query_of
from core.errors import MMMError, SchemaError
from core.service import tables
from core.service.data.amounts import refuse_other_currency
from core.service.places import project_folder, typed_path
from core.service.records.columns import ColumnMapping, Finding, blocks
from core.text import count
from core.text.sentences import listed

if TYPE_CHECKING:
    from core.service.records.data import Table

_MARKS = {"error": "error", "warning": "warning", "info": "info"}
if TYPE_CHECKING:
    import pandas as pd

    from core.service.projects.columns import Recognised


def check(options: argparse.Namespace) -> Answer:
    """Findings about a project's data, or about a table."""
    path = typed_path(options.sources[0] if options.sources else "")
    is_file = os.path.isfile(path) and path.name != "project.toml"
    try:
        if is_file or len(options.sources) != 1 or options.query:
            findings = _of_table(options)
        else:
            findings = tables.findings(project_folder(options.sources[0]))
    except MMMError as error:
        findings = _of_error(error)
    # Whoever reads sees the findings already; whoever reads JSON sees the first.
    remarks = _blocking(findings, shows_first=options.json)
    return Answer(
        {"findings": [finding.as_dict() for finding in findings]},
        findings_text(findings),
        AT_FAULT if blocks(findings) else DONE,
        remarks,
    )


def _of_error(error: MMMError) -> list[Finding]:
    alone = Finding("error", error.where, error.message, error.hint)
    return list(error.findings) or [alone]


def _blocking(findings: list[Finding], *, shows_first: bool) -> tuple[str, ...]:
    """How many errors block a fit, and the first of them; empty if none does."""
    errors = [finding for finding in findings if finding.severity == "error"]
    if not errors:
        return ()
    remark = "1 error blocks" if len(errors) == 1 else f"{len(errors)} errors block"
    detail = f" {errors[0].message} {errors[0].hint}".rstrip() if shows_first else ""
    return (f"{remark} a fit.{detail}",)


def _of_table(options: argparse.Namespace) -> list[Finding]:
    from core.service.projects import columns

    files = all_tables(options, query_of(options))
    table, findings = columns.findings(files, stated(options))
    if table.layout is not None:
        tell(in_words(table))
    return findings


def init(options: argparse.Namespace) -> Answer:
    """A project whose columns are recognised."""
    from core.service.projects import columns

    folder = Path(os.path.realpath(os.path.expanduser(options.out)))
    columns.refuse_taken(folder)
    models, options.sources = split_models(options.sources)
    if models:
        table = _by_model(models, options)
    else:
        files = all_tables(options, query_of(options))
        table = columns.recognised(files, stated(options))
    if not isinstance(options.value, str):
        refuse_other_currency(
            options.value or 0.0, table.currency, "value", "the table"
        )
    columns.create(folder, table, query=query_of(options), locale=options.locale)
    fmt.set_locale(lambda: options.locale)
    text = recognised_in_words(
        folder, table.table.frame, table.mapping, options, table.currency
    )
    parts = filter(None, [layout_text(table.table), text])
    try:
        findings = tables.findings(folder)
    except MMMError as error:
        findings = _of_error(error)
    return Answer(
        {"project": str(folder)} | table.as_dict(),
        "\n\n".join(parts),
        remarks=_blocking(findings, shows_first=True),
    )


def _by_model(models: list[Path], options: argparse.Namespace) -> "Recognised":
    """What a model file of another program says about its table, or the one named.

    Raises:
        SchemaError: There are several model files, or one does not fit the table.
    """
    from core.service.data.elsewhere import modelled
    from core.service.projects.columns import Recognised, currency_of
    from core.service.records.data import read_files

    if len(models) > 1:
        raise SchemaError(
            f"{models[0].name} and {models[1].name} are both models.",
            hint="Name one of them.",
            where=models[1].name,
        )
    table = None
    if options.sources or options.query:
        files = all_tables(options, query_of(options))
        table = read_files(files, stated(options))
    model = modelled(models[0].read_bytes(), models[0].name, table)
    currency = currency_of(model.table, model.mapping, options.currency)
    return Recognised(model.table, model.mapping, model.spec, currency)


def recognised_in_words(
    folder: Path,
    frame: "pd.DataFrame",
    mapping: ColumnMapping,
    options: argparse.Namespace,
    currency: str,
) -> str:
    """What was recognised, for people, and what to do where it is wrong.

    Args:
        folder: The project's.
        frame: Its table.
        mapping: The role of each column.
        options: Of the command line.
        currency: Of spend and revenue; empty where unknown.
    """
    roles = [("time", mapping.time), ("geo", mapping.geo), ("KPI", mapping.kpi)]
    roles += [
        ("value per KPI unit", mapping.revenue_per_kpi),
        ("population", mapping.population),
        ("controls", ", ".join(mapping.controls)),
        ("events from", ", ".join(options.events)),
        ("not used", listed(_unused(frame, mapping, options.events), limit=12)),
        (
            "currency",
            currency or 'not known; currency = "EUR" atop project.toml says it',
        ),
    ]
    lines = [f"{role + ':':<20}{column}" for role, column in roles if column]
    channels = table(
        ("Channel", "Kind", "Columns"),
        [
            (c.name, c.kind, ", ".join(dict.fromkeys(c.columns())))
            for c in mapping.channels
        ],
        texts=3,
    )
    file = folder / "project.toml"
    end = f"Change what is wrong in {file}, then: {PROGRAM} check {quoted(folder)}"
    n_rows = fmt.count(len(frame), "row")
    head = f"{folder}: {n_rows}. {_kind(frame, mapping, options)}"
    return clean("\n".join([head, *lines, "", channels, "", end]))


def _unused(
    frame: "pd.DataFrame", mapping: ColumnMapping, events: Collection[str]
) -> list[str]:
    """Columns that nothing reads, as a wrong guess would leave them."""
    from core.service.data.roles import explained

    return [
        entry.column
        for entry in explained(frame, mapping)
        if entry.role == "ignored" and entry.column not in events
    ]


def _kind(frame: "pd.DataFrame", mapping: ColumnMapping, options) -> str:
    """What the KPI counts, and why that was guessed."""
    from core.service.data.roles import kind_explained, kind_of_kpi

    if options.kpi_is is not None or options.value is not None:
        return kind_of_kpi(mapping)
    explanation, is_sure = kind_explained(frame, mapping)
    remedy = "" if is_sure else " Set kpi_type in project.toml if it is wrong."
    return f"{explanation}{remedy}"


def update(options: argparse.Namespace) -> Answer:
    """Replace a project's table by what its layout makes of new files."""
    from core.service.data.new_table import new_table
    from core.service.projects.columns import layout_of
    from core.service.projects.settings import load_project, project_sha256

    folder = project_folder(options.project)
    base, project = project_sha256(folder), load_project(folder)
    files = all_tables(options, project.query, is_saved=True)
    answers, rates = answers_again(options), dict(options.rate)
    result = new_table(folder, files, answers, rates, base=base)
    data = {"project": str(folder), "rows": len(result.table.frame)}
    data |= layout_of(result.table)
    text = layout_text(result.table)
    if result.is_refused:
        data["findings"] += [finding.as_dict() for finding in result.findings]
        first = result.findings[0]
        remark = f"{folder.name} keeps its data. {first.message} {first.hint}".rstrip()
        return Answer(data, text, AT_FAULT, (remark,))
    summary = f"{folder}: {count(len(result.table.frame), 'row')}."
    return Answer(data, f"{text}\n\n{summary}" if text else summary)


def findings_text(findings: list[Finding]) -> str:
    """Findings for people, each with its remedy below it."""
    if not findings:
        return "No findings: the data are ready for a fit."
    lines = []
    for finding in findings:
        where = f" [{finding.where}]" if finding.where else ""
        lines.append(f"{_MARKS[finding.severity]:<8}{where} {finding.message}")
        if finding.hint:
            lines.append(f"{'':<8} {finding.hint}")
    return clean("\n".join(lines))


def in_words(data: "Table") -> str:
    """How the table was made, in one sentence."""
    from core.service.projects.columns import in_words

    return clean(in_words(data))


def layout_text(data: "Table") -> str:
    """How the table was made: the sentence, totals before and after, what was done."""
    parts = [findings_text(list(data.findings))] if data.findings else []
    if data.layout is None:
        return "\n".join(parts)
    rows = [
        (
            total.file,
            total.column,
            *(f"{value:,.2f}" for value in (total.before, total.left_out, total.after)),
        )
        for total in data.totals
    ]
    heads = ("File", "Column", "In the file", "Left out", "In the table")
    sums = [clean(table(heads, rows, texts=2))] if rows else []
    return "\n\n".join([in_words(data), *sums, *parts])
