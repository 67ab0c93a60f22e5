"""update: next month's files, or the query again, read as the project's were."""

import argparse

from core.cli.answer import AT_FAULT, Answer
from core.cli.tables.layout_options import answers_again
from core.cli.tables.layout_words import layout_text
from core.cli.tables.sources import all_tables
from core.service.places import project_folder
from core.text import count


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
