"""plan --over geos: the same money over channels and geos, and its odds."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core import text as fmt
from core.charts import plan_words
from core.cli.answer import Answer, as_json, clean, table
from core.cli.places import finished_fit
from core.cli.plan_horizon import curve_files, wished
from core.cli.planning import about_fit, asked_scenario
from core.cli.scenario_options import out_path
from core.errors import PlanError
from core.workspace.runs import Run, open_dataset

#: Most channels for which changes by channel fit beside each other.
_MOST_COLUMNS = 8


def geo_plan_answer(options: argparse.Namespace, table: Mapping[str, Any]) -> Answer:
    """Plan a budget over channels and geos with a finished fit.

    Args:
        options: Of the command line.
        table: The scenario file; empty for flags alone.

    Raises:
        PlanError: The wish cannot be met, or the fit has one geo.
        WorkspaceError: The plan cannot be kept or written.
    """
    out = out_path(options.out, (".csv", ".xlsx", ".json"))
    run = finished_fit(options.run)
    plan = geo_plan_of(run, options, dict(table))
    remarks = []
    if options.save is not None:
        from core.cli.keeping import author, keep
        from core.workspace.plans import GEOS, to_keep

        notes = str(table.get("notes", ""))
        kept = to_keep(plan, GEOS, run.run_id, options.save, notes=notes, by=author())
        remarks.append(keep(run, plan, kept))
    if out is not None:
        _write(out, plan)
        remarks.append(f"Written to {out}.")
    return Answer(plan, geo_plan_text(plan), remarks=tuple(remarks))


def geo_plan_of(
    run: Run, options: argparse.Namespace, table: dict[str, Any]
) -> dict[str, Any]:
    """The plan over channels and geos, as --json prints it.

    Raises:
        PlanError: The wish cannot be met, or the fit has one geo.
    """
    from core.plan.geo_plan import as_planned, geo_plan
    from core.plan.plan import plan
    from core.plan.response.curves import response_curves
    from core.plan.scenario.geos import geo_wish

    files = curve_files(run, wished(options, table))
    if files.geos is None:
        raise PlanError(
            "The fit is of one market: it has no geos to plan for.",
            hint="Plan without geos, or fit data of several geos.",
            where="geos",
        )
    curves = response_curves(open_dataset(files.run, files.channels))
    flags = {"bounds": options.geo_bounds, "totals": options.geo_totals}
    flags = {key: value for key, value in flags.items() if value is not None}
    limits = geo_wish(table.pop("geos", {}), **flags)
    scaled = bool(table.get("scaled") if table else options.scaled)
    limits = replace(limits, scaled=scaled)
    asked = asked_scenario(options, table, curves)
    asked = replace(asked, supported=False)  # geos have the best plan, with its advice
    decided = asked
    if asked.find is not None or not all(one.is_whole for one in asked.channels):
        decided = as_planned(plan(curves, asked))
    about = about_fit(run)
    by_geo = open_dataset(files.run, files.geos)
    made = geo_plan(by_geo, decided, limits, verdict=about["verdict"] or None)
    return about | made.as_dict(asked)


def geo_plan_text(told: Mapping[str, Any]) -> str:
    """The plan for people."""
    units = fmt.units(told)
    lines = [
        f"Budget {fmt.exact(told['budget'], units.symbol, decimals=2)} over "
        f"{len(told['channels'])} channels and {len(told['geos'])} geos, for "
        f"{plan_words.horizon(told)}; objective {told['objective']['name']}",
        "",
        _sums("Channel", told["channels"], units),
        "",
        _sums("Geo", told["geos"], units),
        "",
        *_changes(told),
        *_odds(told, units),
    ]
    return clean("\n".join(lines))


def _sums(title: str, rows: list[Mapping[str, Any]], units: fmt.Units) -> str:
    kind, unit = _kind(units)
    titles = [title, f"Current, {units.symbol}", f"Planned, {units.symbol}", "Change"]
    titles += ["More pays", f"{units.outcome_name} gained", ""]
    return table(
        titles,
        [
            (
                row["name"],
                fmt.exact(row["current"], decimals=2),
                fmt.exact(row["planned"], decimals=2),
                fmt.share(row["multiplier"] - 1, signed=True),
                fmt.probability(row["probability_up"]),
                fmt.estimate(row["gain"], kind, unit, signed=True),
                "L" if row.get("locked") else "",
            )
            for row in rows
        ],
    )


def _changes(told: Mapping[str, Any]) -> list[str]:
    """Change of each channel in each geo, where that fits."""
    channels = [row["name"] for row in told["channels"]]
    if len(channels) > _MOST_COLUMNS:
        return ["Change by channel and geo: --json, or --out plan.csv.", ""]
    found = {(cell["geo"], cell["channel"]): cell for cell in told["cells"]}
    rows = [
        [geo["name"], *(_change(found.get((geo["name"], name))) for name in channels)]
        for geo in told["geos"]
    ]
    return [table(["Change", *channels], rows), ""]


def _change(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return fmt.NONE
    mark = "!" if cell["beyond_seen"] else ""
    return mark + fmt.share(cell["multiplier"] - 1, signed=True)


def _odds(told: Mapping[str, Any], units: fmt.Units) -> list[str]:
    kind, unit = _kind(units)
    scaled = ", scaled to the budget" if told["current_scaled"] else ""
    lines = [f"{units.outcome_name} from paid media, 90 % intervals:"]
    words = {
        "current": f"current split{scaled}",
        "channels": "best plan that keeps every channel's pattern over geos",
        "planned": "planned",
    }
    for key, said in words.items():
        if key in told["outcome"]:
            found = fmt.estimate(told["outcome"][key], kind, unit)
            lines.append(f"  {said}: {found}")
    gains = {
        "over the current split": told["gain"],
        "by moving money between geos": told["gain_over_channels"],
    }
    for said, gain in gains.items():
        if gain is not None:
            odds = fmt.probability(gain["probability_positive"])
            amount = fmt.estimate(gain, kind, unit, signed=True)
            lines.append(
                f"  gain {said}: {amount}, above zero with a probability of {odds}"
            )
    gap = max(100 * told["bound"]["gap"], 0.01)
    large = plan_words.objective(told, units)
    lines += [f"Made large, {large}."] if large else []
    lines.append(
        f"The best possible plan within these limits is at most {gap:.2g} % better. "
        f"{plan_words.reservation(told)}".rstrip()
    )
    lines.append(f"Advice: {told['advice']}. {' '.join(told['reasons'])}")
    lines += filter(None, [plan_words.robustness(told)])
    if told["geo_advice"] is None:
        lines.append("No plan that keeps the pattern over geos meets these limits.")
    else:
        reasons = " ".join(told["geo_reasons"])
        what = "move" if told["geo_advice"] == "change" else "keep"
        lines.append(f"Between geos: {what}. {reasons}")
    if any(row["locked"] for row in told["geos"]):
        lines.append("L: locked.")
    if any(cell["beyond_seen"] for cell in told["cells"]):
        lines.append("!: more than was ever spent there in a period: a guess.")
    return lines


def _kind(units: fmt.Units) -> tuple[str, str]:
    return ("money", units.currency) if units.is_money else ("number", units.outcome)


def _write(path: Path, told: Mapping[str, Any]) -> None:
    from core.plan.record.geo_table import csv_text
    from core.workspace.atomic import write_bytes

    kind = path.suffix.lower()
    if kind == ".csv":
        content = csv_text(told).encode("utf-8-sig")
    elif kind == ".xlsx":
        from core.report.grid_book import grid_workbook

        content = grid_workbook(told, name=str(told.get("name") or "Plan of geos"))
    else:
        content = as_json(dict(told)).encode()
    write_bytes(path, content)
