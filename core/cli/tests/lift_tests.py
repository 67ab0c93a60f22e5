"""tests: which lift test next, what it needs, and what a test did."""

import argparse
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import text as fmt
from core.cli.answer import Answer, clean, table, tell
from core.errors import SpecError
from core.service.places import finished_fit, project_folder, project_of

if TYPE_CHECKING:
    from core.data.input_data import InputData
    from core.experiments.panel import Panel
    from core.workspace.projects.definition import Project


def read_test(options: argparse.Namespace) -> Answer:
    """What a test of geos did."""
    from core.experiments.reading.readout import read_out

    path = Path(options.project).expanduser()
    is_table = os.path.isfile(path) and path.name != "project.toml"
    folder = None if is_table else project_folder(options.project)
    stored, test = _asked(options, folder)
    panel = _panel_of_table(path) if folder is None else panel_of_project(folder)
    readout = read_out(panel, test, seed=options.seed)
    report = readout.as_dict() | {"model": None}
    if folder is not None:
        report["model"] = _expected(folder, test, readout)
    remarks = []
    if folder is not None and (stored or options.save or options.to_model):
        remarks = _keep(folder, options, stored, readout, panel)
    return Answer(report, _read_text(report), remarks=tuple(remarks))


def _asked(options: argparse.Namespace, folder: Path | None):
    """The kept test that is read, if any, and where and when it ran."""
    from core.experiments.reading.geo_test import GeoTest
    from core.workspace.lift_tests import lift_test

    stored: dict[str, Any] = {}
    if options.test and folder is not None:
        stored = lift_test(folder, options.test)
    treated = options.treated or tuple(stored.get("geos", ()))
    start, end = (getattr(options, key) or stored.get(key) for key in ("start", "end"))
    for name, value in (("treated", treated), ("start", start), ("end", end)):
        if not value:
            raise SpecError(
                f"--{name} is missing.",
                hint="Say where and when: --treated A,B --start DATE --end DATE.",
                where=name,
            )
    channels = tuple(options.channel) or tuple(stored.get("channels", ()))
    return stored, GeoTest(treated, start, end, channels, options.leave_out)


def _expected(folder: Path, test: Any, readout: Any) -> dict[str, Any] | None:
    """The model's own prediction of a test; None where there is no fit to ask."""
    from core.experiments.design.market import expected_effect
    from core.workspace.fits.runs import latest_fit
    from core.workspace.tested_fits import market_of_run

    run = latest_fit(folder)
    if run is None or not test.channels:
        return None
    market = market_of_run(run)
    return expected_effect(market, readout) if market.cells is not None else None


def _keep(
    folder: Path, options: argparse.Namespace, stored: dict, readout: Any, panel: Any
) -> list[str]:
    """Keep a read-out with its test, and give its result to the model where asked."""
    from core.experiments.life import entry_of
    from core.workspace.lift_tests import change_lift_test, keep_lift_test
    from core.workspace.projects.project import (
        load_project,
        project_sha256,
        save_project,
    )

    remarks = []
    changes = {"readout": readout.as_dict(), "in_model": False}
    if options.to_model:
        entry = entry_of(readout, panel)
        base, project = project_sha256(folder), load_project(folder)
        kept_entries = (*project.experiments, entry)
        save_project(folder, replace(project, experiments=kept_entries), base_sha=base)
        changes |= {"entry": entry, "in_model": True}
        remarks.append("The result is in the model: fit again to see what it does.")
    if stored:
        change_lift_test(folder, stored["test_id"], changes)
    elif options.save:
        test = readout.test
        about = {"name": options.save, "channels": list(test.channels)}
        about |= {"geos": list(test.treated), "start": test.start, "end": test.end}
        keep_lift_test(folder, about | changes)
        remarks.append(f"Kept as {options.save}.")
    return remarks


def design_tests(options: argparse.Namespace) -> Answer:
    """Tests by what they would bring."""
    from core.experiments.design.over_time import WEAK
    from core.experiments.design.ranking import WEEKS, Options, rank
    from core.workspace.tested_fits import market_of_run

    run = finished_fit(options.project)
    market = market_of_run(run)
    choices = Options(
        weeks=options.weeks or WEEKS,
        kinds=tuple(options.kind or Options().kinds),
        geos=options.geos,
        left_out=options.leave_out,
        in_control=options.control,
        most_at_risk=options.at_risk,
        start=options.start,
        horizon=options.horizon,
        bounds=options.bounds,
        seed=options.seed,
    )
    shown = [0]

    def on_progress(share: float) -> None:
        if int(10 * share) > shown[0]:
            shown[0] = int(10 * share)
            tell(f"{10 * shown[0]} % of the designs worked out")

    designs = rank(market, options.channel, choices, on_progress)
    ranking = {
        "run": str(run.folder),
        "unit": market.panel.unit,
        "horizon_weeks": options.horizon,
        "designs": [each.as_dict() for each in designs[: options.top]],
        "note": WEAK if market.cells is None else "",
    }
    remarks = []
    if options.geos and market.cells is not None:
        from core.experiments.design.edited import edited

        choice = edited(market, designs[0], options.geos, choices)
        ranking["assignment"] = choice.assignment.as_dict() | {
            "warnings": list(choice.warnings)
        }
        remarks += choice.warnings
    if options.save:
        from core.experiments.life import planned_test
        from core.workspace.lift_tests import keep_lift_test

        keep_lift_test(project_of(run), planned_test(designs[0], options.save))
        remarks.append(f"The best is kept as {options.save}.")
    return Answer(ranking, _design_text(ranking), remarks=tuple(remarks))


def _panel_of_table(path: Path) -> "Panel":
    """The panel of a table.

    Raises:
        MMMError: It cannot be read by geo and period.
    """
    from core.data.files.isolated import load_table
    from core.experiments.panel import panel_of_table

    return panel_of_table(load_table(path, path.name), path.name)


def panel_of_project(folder: Path) -> "Panel":
    """The panel of a project; one without media has no spend in it.

    Raises:
        MMMError: Its data cannot be read by geo and period.
    """
    from core.data.files.isolated import kept_table
    from core.experiments.panel import panel_of, panel_of_table
    from core.workspace.projects.project import data_file, load_project

    project = load_project(folder)
    mapping = project.mapping
    if mapping.channels or mapping.geo is None:
        return panel_of(market_data(folder, project))
    known = {"time": mapping.time, "geo": mapping.geo, "kpi": mapping.kpi}
    source = data_file(folder, project)
    return panel_of_table(kept_table(source), source.name, known)


def market_data(folder: Path, project: "Project") -> "InputData":
    """The market of a project, or of a run's frozen inputs.

    Raises:
        DataError: Its table has errors.
    """
    from core.data.assemble import assemble
    from core.data.files.isolated import kept_table
    from core.workspace.projects.project import data_file

    return assemble(kept_table(data_file(folder, project)), project.mapping)


def _read_text(report: Mapping[str, Any]) -> str:
    lift, outcome, iroas = report["lift"], report["incremental"], report["iroas"]
    lines = [
        f"{', '.join(report['treated'])}, {report['start']} to {report['end']}",
        "",
        f"Lift              {_percent(lift)}",
        f"Incremental {report['unit']}  {fmt.estimate(outcome, 'number')}",
    ]
    if iroas is not None:
        lines.append(f"iROAS             {fmt.estimate(iroas, 'ratio')}")
    if report.get("model"):
        expected = fmt.estimate(report["model"], "number")
        lines.append(f"The model expects {expected}")
    lines += [
        f"p                 {report['p']:.3f} ({report['placebos']} placebos)",
        "",
    ]
    lines += [
        f"{check['status'].upper():8} {check['name']}. {check['message']}"
        for check in report["checks"]
    ]
    return clean("\n".join(lines))


def _percent(estimate: Mapping[str, float]) -> str:
    mean, lo, hi = (100 * estimate[key] for key in ("mean", "lo", "hi"))
    return f"{mean:.1f} % ({lo:.1f} – {hi:.1f})"


def _design_text(ranking: Mapping[str, Any]) -> str:
    titles = ["Channel", "Kind", "Weeks", "Geos", "Smallest lift", "Power"]
    titles += ["Cost", "Value", "Net", "Pays"]
    rows = [
        [
            each["channel"],
            each["kind"],
            str(each["weeks"]),
            str(len(each["geos"])) if each["geos"] else "all",
            f"{100 * each['mde']:.1f} %",
            fmt.share(each["power"]),
            fmt.exact(each["cost"]["mean"], decimals=0),
            fmt.exact(each["value"], decimals=0),
            fmt.exact(each["net"]["mean"], decimals=0),
            fmt.probability(each["net"]["probability_positive"]),
        ]
        for each in ranking["designs"]
    ]
    lines = [
        f"Tests by what they bring to the next {ranking['horizon_weeks']} weeks, in "
        f"{ranking['unit']}",
        "",
        table(titles, rows, texts=2),
    ]
    best = ranking["designs"][0] if ranking["designs"] else None
    if best and best["geos"]:
        lines += ["", f"Best: treat {', '.join(best['geos'])} from {best['start']}."]
    if best and best["net"]["mean"] <= 0:
        lines += ["", "No test is expected to pay for itself: plan without one."]
    if ranking["note"]:
        lines += ["", ranking["note"]]
    return clean("\n".join(lines))
