"""update: next month's files, or the query again, read as the project's were."""

import argparse
from dataclasses import replace

from core.cli.answer import AT_FAULT, Answer
from core.cli.tables.layout_options import answers_again
from core.cli.tables.layout_words import layout_text
from core.cli.tables.sources import all_tables
from core.errors import SchemaError
from core.service.places import project_folder
from core.service.records.columns import blocks
from core.text import count


def update(options: argparse.Namespace) -> Answer:
    """Replace a project's table by what its layout makes of new files."""
    from core.data.checks.validate import check_table
    from core.data.files.isolated import kept_table
    from core.data.layout.again import fitting, read_again, with_answers
    from core.service.projects.columns import gone, layout_of
    from core.service.projects.settings import data_file, load_project, project_sha256
    from core.service.projects.shelf import replace_table
    from core.service.records.data import Table

    folder = project_folder(options.project)
    base = project_sha256(folder)
    project = load_project(folder)
    files = all_tables(options, project.query, is_saved=True)
    if project.layout is not None:
        layout = with_answers(
            project.layout, answers_again(options), dict(options.rate)
        )
        project = replace(project, layout=layout)
        read = read_again(layout, files, project.mapping, project.currency or "")
    elif len(files) == 1:
        file = files[0]
        read = Table(file.frame, None, (file,), findings=file.findings)
        read = fitting(read, project.mapping)
    else:
        raise SchemaError(
            f"The table of {project.name} was one file; now there are {len(files)}.",
            hint="Name one file, or make a new project of them with init.",
            where=project.name,
        )
    findings = check_table(read.frame, project.mapping, project.spec)
    data = {"project": str(folder), "rows": len(read.frame)} | layout_of(read)
    errors = [finding for finding in findings if finding.severity == "error"]
    if blocks(findings):
        first = errors[0]
        remark = f"{folder.name} keeps its data. {first.message} {first.hint}".rstrip()
        data["findings"] += [finding.as_dict() for finding in errors]
        return Answer(data, layout_text(read), AT_FAULT, (remark,))
    earlier = kept_table(data_file(folder, project))
    before = check_table(earlier, project.mapping, project.spec)
    fresh = [f for f in findings if f.severity == "warning" and f not in before]
    fresh += gone(earlier, read.frame, project.mapping)
    read = replace(read, findings=(*read.findings, *fresh))
    data["findings"] += [finding.as_dict() for finding in fresh]
    replace_table(folder, read.frame, project, base_sha=base)
    text = layout_text(read)
    done = f"{folder}: {count(len(read.frame), 'row')}."
    return Answer(data, f"{text}\n\n{done}" if text else done)
