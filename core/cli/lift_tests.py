"""tests: which lift test next, what it needs, and what a test did."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.charts import format as fmt
from core.cli.answer import Answer, clean, table, tell
from core.cli.places import finished_fit, project_folder
from core.errors import MMMError, SpecError

if TYPE_CHECKING:
    from core.experiments.market import TestMarket
    from core.experiments.panel import Panel
    from core.workspace.runs import Run


def read_test(options: argparse.Namespace) -> Answer:
    """What a test of geos did."""
    from core.experiments.geo_test import GeoTest
    from core.experiments.readout import read_out

    lacking = [
        name for name in ("treated", "start", "end") if not getattr(options, name)
    ]
    if lacking:
        raise SpecError(
            f"--{lacking[0]} is missing.",
            hint="Say where and when it ran: --treated A,B --start DATE --end DATE.",
            where=lacking[0],
        )
    panel = _panel(options.project)
    test = GeoTest(
        treated=options.treated,
        start=options.start,
        end=options.end,
        channels=tuple(options.channel),
        left_out=options.leave_out,
    )
    told = read_out(panel, test, seed=options.seed).as_dict()
    return Answer(told, _read_text(told))


def design_tests(options: argparse.Namespace) -> Answer:
    """Tests by what they would bring."""
    from core.experiments.over_time import WEAK
    from core.experiments.ranking import WEEKS, Options, rank

    run = finished_fit(options.project)
    market = _market(run)
    asked = Options(
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

    designs = rank(market, options.channel, asked, on_progress)
    told = {
        "run": str(run.folder),
        "unit": market.panel.unit,
        "horizon_weeks": options.horizon,
        "designs": [each.as_dict() for each in designs[: options.top]],
        "note": WEAK if market.cells is None else "",
    }
    return Answer(told, _design_text(told))


def _panel(name: str) -> "Panel":
    """The panel of a project, or of a table.

    Raises:
        MMMError: There is none, or it cannot be read by geo and period.
    """
    from core.data.isolated import kept_table, load_table
    from core.experiments.panel import panel_of, panel_of_table

    path = Path(name).expanduser()
    if os.path.isfile(path) and path.name != "project.toml":
        return panel_of_table(load_table(path, path.name), path.name)
    from core.data.assemble import assemble
    from core.workspace.project import data_file, load_project

    folder = project_folder(name)
    project = load_project(folder)
    source = data_file(folder, project)
    frame = kept_table(source)
    mapping = project.mapping
    try:
        return panel_of(assemble(frame, mapping))
    except MMMError:
        if mapping.geo is None:
            raise
        known = {"time": mapping.time, "geo": mapping.geo, "kpi": mapping.kpi}
        return panel_of_table(frame, source.name, known)


def _market(run: "Run") -> "TestMarket":
    """What a finished fit says about tests."""
    from core.data.assemble import assemble
    from core.data.isolated import kept_table
    from core.experiments.market import market_of
    from core.experiments.panel import panel_of
    from core.workspace.project import data_file, load_project
    from core.workspace.results import result_files
    from core.workspace.runs import open_dataset

    project = load_project(run.folder)
    data = assemble(kept_table(data_file(run.folder, project)), project.mapping)
    has_geos = "geo_curves.nc" in result_files(run.folder)
    return market_of(
        panel_of(data),
        open_dataset(run.folder, "curves"),
        open_dataset(run.folder, "geo_curves") if has_geos else None,
        open_dataset(run.folder, "shapes"),
    )


def _read_text(told: Mapping[str, Any]) -> str:
    lift, outcome, iroas = told["lift"], told["incremental"], told["iroas"]
    lines = [
        f"{', '.join(told['treated'])}, {told['start']} to {told['end']}",
        "",
        f"Lift              {fmt.estimate(lift, 'share')}",
        f"Incremental {told['unit']}  {fmt.estimate(outcome, 'number')}",
    ]
    if iroas is not None:
        lines.append(f"iROAS             {fmt.estimate(iroas, 'ratio')}")
    lines += [f"p                 {told['p']:.3f} ({told['placebos']} placebos)", ""]
    lines += [
        f"{check['status'].upper():8} {check['name']}. {check['message']}"
        for check in told["checks"]
    ]
    return clean("\n".join(lines))


def _design_text(told: Mapping[str, Any]) -> str:
    titles = ["Channel", "Kind", "Weeks", "Geos", "Smallest lift", "Power"]
    titles += ["Cost", "Value", "Net", "Pays"]
    rows = [
        [
            each["channel"],
            each["kind"],
            str(each["weeks"]),
            str(len(each["geos"])) if each["geos"] else "all",
            fmt.share(each["mde"]),
            fmt.share(each["power"]),
            fmt.exact(each["cost"]["mean"], decimals=0),
            fmt.exact(each["value"], decimals=0),
            fmt.exact(each["net"]["mean"], decimals=0),
            fmt.probability(each["net"]["probability_positive"]),
        ]
        for each in told["designs"]
    ]
    lines = [
        f"Tests by what they bring to the next {told['horizon_weeks']} weeks, in "
        f"{told['unit']}",
        "",
        table(titles, rows, texts=2),
    ]
    best = told["designs"][0] if told["designs"] else None
    if best and best["geos"]:
        lines += ["", f"Best: treat {', '.join(best['geos'])} from {best['start']}."]
    if best and best["net"]["mean"] <= 0:
        lines += ["", "No test is expected to pay for itself: plan without one."]
    if told["note"]:
        lines += ["", told["note"]]
    return clean("\n".join(lines))
