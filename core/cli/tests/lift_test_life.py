"""tests list, add and brief: the tests of a project, and what they need."""

import argparse
import csv
import io

from core import PROGRAM
from core.cli.answer import Answer, as_json, clean, table
from core.service.places import project_folder, typed_out, typed_path
from core.service.records.lift_test import SpendOfTest, as_dict
from core.text.escaping import inert
from core.text.sentences import count, verb

_FORMATS = (".html", ".csv", ".json")


def list_tests(options: argparse.Namespace) -> Answer:
    """The tests of a project by state, and what is next."""
    from core.service.experiments import lift_tests
    from core.service.projects.settings import load_project
    from core.text.lift_tests import what_they_did
    from core.view.sections.lift_tests import board_of

    folder = project_folder(options.project)
    listing = lift_tests.listed(folder)
    if not listing.tests and not listing.did:
        text = f"No tests yet. Rank designs with: {PROGRAM} tests design PROJECT"
        if n := len(load_project(folder).experiments):
            results = f"{count(n, 'result')} {verb(n, 'are')} in project.toml"
            text = f"{results}; fit again to see what they do."
        return Answer(listing.as_dict(), text)
    board = board_of([(each.test, each.state, each.next) for each in listing.tests])
    broken = [
        f"{each.test.name}: {reason}"
        for each in listing.tests
        for reason in each.broken
    ]
    rows = board.rows
    parts = [table(board.heads, rows, texts=board.texts)] if rows else []
    results = what_they_did(listing.did, listing.units)
    parts += [f"{name}\n{text}" for name, text in results]
    return Answer(listing.as_dict(), clean("\n\n".join(parts)), remarks=tuple(broken))


def add_results(options: argparse.Namespace) -> Answer:
    """Results of a report, given to the model as `[[experiment]]`."""
    from core.service.projects.lift_results import Context, add_results, plan_designs

    folder, path = project_folder(options.project), typed_path(options.file)
    channels, start = tuple(options.channel), options.start or ""
    if (designed := plan_designs(folder, path, channels, start)) is not None:
        names = ", ".join(test.name for test in designed)
        planned = {"planned": [as_dict(test) for test in designed]}
        return Answer(planned, f"Planned: {names}.")
    beside = Context(
        channels=channels,
        geos=options.geos,
        start=start,
        end=options.end or "",
        tested_at=options.tested_at,
        amount=options.amount,
        half_life=options.half_life,
        kpi=options.kpi or "",
    )
    added = add_results(folder, path, beside)
    lines = [
        f"{' + '.join(entry.channels)}, {entry.start} to {entry.end}: "
        f"{entry.incremental_outcome:,.0f} ± {entry.standard_error:,.0f}"
        for entry in added.entries
    ]
    text = "\n".join(["Added to the model; fit again to see what they do:", *lines])
    data = {"added": [each.as_table() for each in added.entries]}
    return Answer(data, clean(text), remarks=added.remarks)


def brief_test(options: argparse.Namespace) -> Answer:
    """Write what a planned test needs."""
    from core.service.experiments.board import Papers
    from core.service.experiments.lift_tests import lift_test, panel_of_project
    from core.service.projects.settings import load_project
    from core.service.reports import write_files
    from core.text import units

    folder = project_folder(options.project)
    outs = [typed_out(name, _FORMATS, "brief") for name in options.out]
    panel = panel_of_project(folder)
    project = load_project(folder)
    is_money = panel.unit == "revenue"
    about = {
        "outcome_unit": "revenue" if is_money else "kpi",
        "currency": project.currency,
        "kpi_name": project.mapping.kpi,
    }
    papers = Papers(lift_test(folder, options.test), panel, project, units(about))
    files = {}
    for out in outs:
        kind = out.suffix.lower()
        if kind == ".html":
            text = papers.brief()
        elif kind == ".csv":
            text = _as_csv(papers.spend)
        else:
            text = as_json(papers.geox())
        files[out] = text
    write_files(files)
    paths = [str(out) for out in outs]
    return Answer({"written": paths}, f"Written to {', '.join(paths)}.")


def _as_csv(spend: list[SpendOfTest]) -> str:
    file = io.StringIO()
    rows = [map(inert, row) for row in spend]
    csv.writer(file).writerows([SpendOfTest._fields, *rows])
    return file.getvalue()
