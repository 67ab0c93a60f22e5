"""check and init: what is wrong with the data, and a project made from a table."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from core import text as fmt
from core.cli.answer import AT_FAULT, DONE, Answer, tell
from core.cli.tables import layout_words as words
from core.cli.tables import recognised
from core.cli.tables.layout_options import split_models, stated
from core.cli.tables.sources import all_tables, query_of
from core.errors import MMMError, SchemaError
from core.service import tables
from core.service.data.amounts import refuse_other_currency
from core.service.places import project_folder, typed_path
from core.service.records.columns import Finding, blocks

if TYPE_CHECKING:
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
        findings = list(error.findings) or [
            Finding("error", error.where, error.message, error.hint)
        ]
    count = sum(finding.severity == "error" for finding in findings)
    remarks = ()
    if count:
        remark = "1 error blocks" if count == 1 else f"{count} errors block"
        first = next(finding for finding in findings if finding.severity == "error")
        # Whoever reads sees the findings already; whoever reads JSON sees this.
        detail = f" {first.message} {first.hint}".rstrip() if options.json else ""
        remarks = (f"{remark} a fit.{detail}",)
    return Answer(
        {"findings": [finding.as_dict() for finding in findings]},
        words.findings_text(findings),
        AT_FAULT if blocks(findings) else DONE,
        remarks,
    )


def _of_table(options: argparse.Namespace) -> list[Finding]:
    from core.service.projects import columns

    files = all_tables(options, query_of(options))
    table, findings = columns.findings(files, stated(options))
    if table.layout is not None:
        tell(words.in_words(table))
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
    text = recognised.in_words(
        folder, table.table.frame, table.mapping, options, table.currency
    )
    parts = filter(None, [words.layout_text(table.table), text])
    return Answer({"project": str(folder)} | table.as_dict(), "\n\n".join(parts))


def _by_model(models: list[Path], options: argparse.Namespace) -> "Recognised":
    """What a model file of another program says about its table, or the one named.

    Raises:
        SchemaError: There are several model files, or one does not fit the table.
    """
    from core.service.data.elsewhere import modelled
    from core.service.projects.columns import Recognised, answers_of, currency_of
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
        table = read_files(files, answers_of(stated(options)))
    model = modelled(models[0].read_bytes(), models[0].name, table)
    currency = currency_of(model.table, model.mapping, options.currency)
    return Recognised(model.table, model.mapping, model.spec, currency)
