"""plan --over geos: the same money over channels and geos, and its odds."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core import text as fmt
from core.charts.planning import plan_words
from core.cli.answer import Answer, clean, table
from core.cli.places import finished_fit
from core.cli.plans.plan_horizon import curve_files, wished
from core.cli.plans.planned_tests import reserved_by_tests, tests_to_keep_to
from core.cli.plans.planning import FILES, answer, asked_scenario, verdict_of
from core.cli.plans.scenario_options import out_path
from core.errors import PlanError
from core.plan.record.parts import Cell, Line
from core.plan.record.plan_record import PlanRecord, with_details
from core.workspace.fits.runs import Run, open_dataset
from core.workspace.plans import with_fit

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
    out = out_path(options.out, FILES)
    run = finished_fit(options.run)
    plan = geo_plan_of(run, options, dict(table))
    plan = with_details(plan, notes=str(table.get("notes", "")))
    return answer(run, plan, options, out, geo_plan_text)


def geo_plan_of(
    run: Run, options: argparse.Namespace, table: dict[str, Any]
) -> PlanRecord:
    """The plan over channels and geos.

    Raises:
        PlanError: The wish cannot be met, or the fit has one geo.
    """
    from core.plan.geo_plan import as_planned, geo_plan
    from core.plan.plan import plan
    from core.plan.response.curves import response_curves
    from core.plan.scenario.geos import geo_wish, with_totals

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
    table = with_totals(table, limits, curves.names)
    scaled = bool(table.get("scaled") if table else options.scaled)
    horizon, reserved = curves.horizon, ()
    if not (horizon.as_fitted or limits.spend):
        tests = tests_to_keep_to(run, options)
        reserved = reserved_by_tests(run, tests, horizon.start, horizon.periods)
    limits = replace(limits, scaled=scaled, reserved=reserved)
    scenario = asked_scenario(options, table, curves)
    scenario = replace(
        scenario, supported=False
    )  # geos have the best plan, with its advice
    decided = scenario
    if scenario.find is not None or not all(
        channel.is_whole for channel in scenario.channels
    ):
        decided = as_planned(plan(curves, scenario))
    by_geo = open_dataset(files.run, files.geos)
    split = geo_plan(by_geo, decided, limits, verdict=verdict_of(run))
    return with_fit(split.record(scenario), run.folder)


def geo_plan_text(plan: PlanRecord) -> str:
    """The plan for people."""
    units = plan.units
    lines = [
        f"Budget {fmt.exact(plan.budget, units.symbol, decimals=2)} over "
        f"{len(plan.channels)} channels and {len(plan.geos)} geos, for "
        f"{plan_words.horizon(plan)}; objective {plan.objective.name}",
        "",
        _sums("Channel", plan.channels, units),
        "",
        _sums("Geo", plan.geos, units),
        "",
        *_changes(plan),
        *_odds(plan, units),
    ]
    return clean("\n".join(lines))


def _sums(title: str, lines: Sequence[Line], units: fmt.Units) -> str:
    titles = [title, f"Current, {units.symbol}", f"Planned, {units.symbol}", "Change"]
    titles += ["More pays", f"{units.outcome_name} gained", ""]
    return table(
        titles,
        [
            (
                line.name,
                fmt.exact(line.current, decimals=2),
                fmt.exact(line.planned, decimals=2),
                fmt.share(line.multiplier - 1, signed=True),
                fmt.probability(line.probability_up),
                units.estimate(line.gain, signed=True),
                "L" if line.locked else "",
            )
            for line in lines
        ],
    )


def _changes(plan: PlanRecord) -> list[str]:
    """Change of each channel in each geo, where that fits."""
    channels = [line.name for line in plan.channels]
    if len(channels) > _MOST_COLUMNS:
        return ["Change by channel and geo: --json, or --out plan.csv.", ""]
    cells = {(cell.geo, cell.channel): cell for cell in plan.cells}
    rows = [
        [geo.name, *(_change(cells.get((geo.name, name))) for name in channels)]
        for geo in plan.geos
    ]
    return [table(["Change", *channels], rows), ""]


def _change(cell: Cell | None) -> str:
    if cell is None:
        return fmt.NONE
    mark = "!" if cell.beyond_seen else ""
    return mark + fmt.share(cell.multiplier - 1, signed=True)


def _odds(plan: PlanRecord, units: fmt.Units) -> list[str]:
    scaled = ", scaled to the budget" if plan.current_scaled else ""
    lines = [f"{units.outcome_name} from paid media, 90 % intervals:"]
    words = {
        "current": f"current split{scaled}",
        "channels": "best plan that keeps every channel's pattern over geos",
        "planned": "planned",
    }
    for key, label in words.items():
        if key in plan.outcome:
            outcome = units.estimate(plan.outcome[key])
            lines.append(f"  {label}: {outcome}")
    gains = {
        "over the current split": plan.gain,
        "by moving money between geos": plan.gain_over_channels,
    }
    for label, gain in gains.items():
        if gain is not None:
            odds = fmt.probability(gain["probability_positive"])
            amount = units.estimate(gain, signed=True)
            lines.append(
                f"  gain {label}: {amount}, above zero with a probability of {odds}"
            )
    gap = max(100 * plan.bound.gap, 0.01)
    large = plan_words.objective(plan, units)
    lines += [f"Objective: {large}."] if large else []
    lines.append(
        f"The best possible plan within these limits is at most {gap:.2g} % better. "
        f"{plan_words.reservation(plan)}".rstrip()
    )
    lines.append(f"Advice: {plan.advice}. {' '.join(plan.reasons)}")
    lines += filter(None, [plan_words.robustness(plan), plan_words.tests(plan)])
    if plan.geo_advice is None:
        lines.append("No plan that keeps the pattern over geos meets these limits.")
    else:
        reasons = " ".join(plan.geo_reasons)
        what = "move" if plan.geo_advice == "change" else "keep"
        lines.append(f"Between geos: {what}. {reasons}")
    if any(line.locked for line in plan.geos):
        lines.append("L: locked.")
    if any(cell.beyond_seen for cell in plan.cells):
        lines.append("!: more than was ever spent there in a period, so extrapolated.")
    return lines
