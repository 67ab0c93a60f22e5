"""tests list, add and brief: the tests of a project, and what they need."""

import argparse
import csv
import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from core import PROGRAM
from core.cli.answer import Answer, as_json, clean, table
from core.data.cells.typed import refuse_other_currency
from core.errors import SpecError, WorkspaceError
from core.service.places import project_folder
from core.service.records.lift_test import KeptTest, SpendOfTest, as_dict

_FORMATS = (".html", ".csv", ".json")


def list_tests(options: argparse.Namespace) -> Answer:
    """The tests of a project by state, and what is next."""
    from core.service import lift_tests
    from core.text.lift_tests import what_it_did

    known = lift_tests.listed(project_folder(options.project))
    if not known.tests and not known.did:
        text = f"No tests yet. Rank designs with: {PROGRAM} tests design PROJECT"
        return Answer(known.as_dict(), text)
    lines = [
        [
            each.test.name,
            each.state,
            " and ".join(each.test.channels),
            f"{each.test.start} to {each.test.end}",
            each.next,
        ]
        for each in known.tests
    ]
    titles = ["Test", "State", "Channel", "Dates", "Next"]
    broken = [
        f"{each.test.name}: {reason}" for each in known.tests for reason in each.broken
    ]
    parts = [table(titles, lines, texts=5)] if lines else []
    parts += [f"{each.name}\n{what_it_did(each, known.units)}" for each in known.did]
    return Answer(known.as_dict(), clean("\n\n".join(parts)), remarks=tuple(broken))


def add_results(options: argparse.Namespace) -> Answer:
    """Results of a report, given to the model as `[[experiment]]`."""
    from core.experiments.results.stated import as_entry
    from core.service.lift_tests import market_data
    from core.service.projects.settings import (
        load_project,
        project_sha256,
        save_project,
    )

    folder = project_folder(options.project)
    if (designed := _design_of_geox(options, folder)) is not None:
        return _planned(folder, designed)
    base, project = project_sha256(folder), load_project(folder)
    refuse_other_currency(options.amount or 0.0, project.currency, "amount")
    data = market_data(folder, project)
    stated = [
        replace(
            each,
            half_life=options.half_life,
            kpi=options.kpi or each.kpi,
            tested_at=_first(options.tested_at, each.tested_at),
            amount=_first(options.amount, each.amount),
        )
        for each in _stated(options, project, data)
    ]
    entries = [as_entry(each, data, project.mapping.kpi) for each in stated]
    remarks = _faults(project, entries, data)
    experiments = (*project.experiments, *entries)
    save_project(folder, replace(project, experiments=experiments), base_sha=base)
    added = [
        f"{' + '.join([entry['channel'], *entry.get('together_with', ())])}, "
        f"{entry['start']} to {entry['end']}: "
        f"{entry['incremental_outcome']:,.0f} ± {entry['standard_error']:,.0f}"
        for entry in entries
    ]
    text = "\n".join(["Added to the model; fit again to see what they do:", *added])
    return Answer({"added": entries}, clean(text), remarks=remarks)


def _design_of_geox(options: argparse.Namespace, folder: Path) -> list[KeptTest] | None:
    """Planned tests of a design that GeoX wrote; None where the file is another."""
    from core.experiments.life import planned_by_geox
    from core.service.lift_tests import panel_of_project
    from core.store.stored import read_object

    path = Path(options.file).expanduser()
    content = read_object(path) if path.suffix.lower() == ".json" else {}
    if not {"designs", "control_geos"} <= content.keys():
        return None
    channels, start = tuple(options.channel), options.start or ""
    panel = panel_of_project(folder)
    return planned_by_geox(content, path.name, channels, start, panel)


def _planned(folder: Path, designed: list[KeptTest]) -> Answer:
    from core.service.lift_tests import plan_test

    for test in designed:
        plan_test(folder, test)
    names = ", ".join(test.name for test in designed)
    return Answer(
        {"planned": [as_dict(test) for test in designed]}, f"Planned: {names}."
    )


def _first(chosen: float | None, reported: float | None) -> float | None:
    return reported if chosen is None else chosen


def _stated(options: argparse.Namespace, project: Any, data: Any):
    from core.data.files.isolated import load_table
    from core.experiments.panel import panel_of
    from core.experiments.results.reports import Context, columns_of, read_report
    from core.experiments.results.table import read_table
    from core.store.stored import read_regular

    path = Path(options.file).expanduser()
    if not os.path.isfile(path):
        raise WorkspaceError(f"There is no file {path}.", hint="Check the path.")
    context = Context(
        channels=tuple(options.channel),
        geos=options.geos,
        start=options.start or "",
        end=options.end or "",
        known=columns_of(project.mapping),
        currency=project.currency,
    )
    if path.suffix.lower() in (".json", ".txt", ".log", ".md"):
        try:
            text = read_regular(path).decode("utf-8", "replace")
        except OSError as error:
            raise WorkspaceError(f"{path.name} cannot be read.") from error
        return read_report(text, path.name, context)
    periods = 1
    if context.start and context.end:
        periods = max(int(panel_of(data).within(context.start, context.end).sum()), 1)
    return read_table(load_table(path, path.name), path.name, context, periods)


def _faults(project: Any, entries: list[dict[str, Any]], data: Any) -> tuple[str, ...]:
    """What deserves a look in results that fit the data.

    Raises:
        SpecError: They do not fit the data, or are there already; has every finding.
    """
    from core.data.experiments.experiment_checks import (
        cells_of,
        check_experiments,
        where_of,
    )

    kinds = {channel.name: channel.kind for channel in project.mapping.channels}
    n_there = len(project.experiments)
    findings = check_experiments([*project.experiments, *entries], kinds, data)
    own = {where_of(n_there + place) for place, _ in enumerate(entries, 1)}
    findings = [finding for finding in findings if finding.where in own]
    there = [cells_of(entry) for entry in project.experiments]
    is_twice = any(cells_of(entry) in there for entry in entries)
    faults = [each for each in findings if is_twice or each.severity == "error"]
    if faults:
        first = faults[0]
        raise SpecError(
            first.message, hint=first.hint, where=first.where, findings=faults
        )
    return tuple(f"{finding.message} {finding.hint}" for finding in findings)


def brief_test(options: argparse.Namespace) -> Answer:
    """Write what a planned test needs."""
    from core.experiments.life import geox_design, spend_of_test
    from core.report.test_brief import brief
    from core.service.lift_tests import lift_test, panel_of_project
    from core.service.projects.settings import load_project
    from core.store.atomic import write_together
    from core.text import units

    folder = project_folder(options.project)
    outs = [Path(name).expanduser() for name in options.out]
    for out in outs:
        if out.suffix.lower() not in _FORMATS:
            raise SpecError(
                f"{out.name} is not a format of a brief.",
                hint="Name it .html, .csv (spend by geo and week) or .json (GeoX).",
                where="out",
            )
    test = lift_test(folder, options.test)
    panel = panel_of_project(folder)
    project = load_project(folder)
    spend = spend_of_test(panel, test)
    is_money = panel.unit == "revenue"
    about = {
        "outcome_unit": "revenue" if is_money else "kpi",
        "currency": project.currency,
        "kpi_name": project.mapping.kpi,
    }
    files = {}
    for out in outs:
        kind = out.suffix.lower()
        if kind == ".html":
            text = brief(test, spend, units(about), project)
        elif kind == ".csv":
            text = _as_csv(spend)
        else:
            text = as_json(geox_design(panel, test))
        files[out] = text.encode()
    write_together(files)
    written = [str(out) for out in outs]
    return Answer({"written": written}, f"Written to {', '.join(written)}.")


def _as_csv(spend: list[SpendOfTest]) -> str:
    file = io.StringIO()
    csv.writer(file).writerows([SpendOfTest._fields, *spend])
    return file.getvalue()
