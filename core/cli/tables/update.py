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
    from core.service.projects.settings import load_project

    folder = project_folder(options.project)
    files = all_tables(options, load_project(folder).query, is_saved=True)
    read = new_table(folder, files, answers_again(options), dict(options.rate))
    data = {"project": str(folder), "rows": len(read.table.frame)}
    data |= layout_of(read.table)
    text = layout_text(read.table)
    if read.is_refused:
        data["findings"] += [finding.as_dict() for finding in read.findings]
        first = read.findings[0]
        remark = f"{folder.name} keeps its data. {first.message} {first.hint}".rstrip()
        return Answer(data, text, AT_FAULT, (remark,))
    done = f"{folder}: {count(len(read.table.frame), 'row')}."
    return Answer(data, f"{text}\n\n{done}" if text else done)
