"""plan: the best split of a budget within limits, and its odds."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import text as fmt
from core.charts import plan_words
from core.cli.answer import Answer, as_json, clean, table
from core.cli.places import finished_fit
from core.cli.plan_horizon import curves_for, wished
from core.cli.scenario_options import (
    DEFAULT_BOUNDS,
    before_file,
    by_flags,
    out_path,
    scenario_file,
)
from core.errors import PlanError
from core.plan.scenario.horizon import NEXT_YEAR, HorizonWish
from core.workspace.runs import Run, read_json

if TYPE_CHECKING:
    from core.plan.response.curves import ResponseCurves
    from core.plan.scenario.scenario import Scenario


def plan_command(options: argparse.Namespace) -> Answer:
    """Plan a budget with a finished fit: over channels, channels and geos, or weeks."""
    table = {} if options.scenario is None else scenario_file(options)
    over = _over(options, table)
    if over == "weeks":
        from core.cli.week_planning import week_plan_answer

        return week_plan_answer(options, table)
    if over == "geos":
        from core.cli.geo_planning import geo_plan_answer

        return geo_plan_answer(options, table)
    out = out_path(options.out, (".xlsx", ".csv", ".json"))
    run = finished_fit(options.run)
    plan = channel_plan(run, options, table)
    remarks = []
    if options.save is not None:
        from core.cli.keeping import author, keep

        about = {"name": options.save, "by": author()}
        remarks.append(keep(run, plan, plan | about))
    if out is not None:
        _write(out, plan)
        remarks.append(f"Written to {out}.")
    return Answer(plan, plan_text(plan), remarks=tuple(remarks))


def _over(options: argparse.Namespace, table: Mapping[str, Any]) -> str:
    """What is planned: as a flag says, else as the scenario file does.

    Raises:
        PlanError: Limits are given that belong to another kind of plan.
    """
    in_file = [key for key in ("geos", "weeks", "spend") if key in table]
    by_file = "geos" if "geos" in in_file else "weeks" if in_file else "channels"
    over = options.over or ("geos" if _has_geo_limits(options) else by_file)
    if over != "geos" and (_has_geo_limits(options) or "geos" in in_file):
        raise PlanError(
            f"Limits of geos are given for a plan over {over}.",
            hint="Plan with --over geos, or leave them out.",
            where="geos",
        )
    if over != "weeks" and by_file == "weeks":
        raise PlanError(
            f"The scenario says what weeks may spend, for a plan over {over}.",
            hint="Plan with --over weeks, or take [weeks] and [spend] out.",
            where="weeks",
        )
    return over


def _has_geo_limits(options: argparse.Namespace) -> bool:
    return bool(options.geo_bounds or options.geo_totals)


def channel_plan(
    run: Run, options: argparse.Namespace, table: Mapping[str, Any]
) -> dict[str, Any]:
    """The plan over channels, as --json prints it.

    Args:
        run: A finished fit.
        options: Of the command line.
        table: The scenario file; empty for flags alone.

    Raises:
        PlanError: The wish is not understood, or cannot be met.
    """
    curves = curves_for(run, wished(options, table))
    plan = _planned(run, curves, asked_scenario(options, table, curves))
    return plan | {key: str(table[key]) for key in ("name", "notes") if key in table}


def made_plan(
    run: Run, horizon: HorizonWish = NEXT_YEAR, **wish: Any
) -> dict[str, Any]:
    """The plan over channels for a wish, as --json prints it.

    Args:
        run: A finished fit.
        horizon: The periods.
        wish: See `core.plan.scenario.scenario.Wish`.

    Raises:
        PlanError: The wish cannot be met.
    """
    from core.plan.scenario.scenario import scenario

    curves = curves_for(run, horizon)
    return _planned(run, curves, scenario(curves, **wish))


def _planned(
    run: Run, curves: "ResponseCurves", scenario: "Scenario"
) -> dict[str, Any]:
    """The plan for a scenario, with the fit behind it."""
    from core.plan.plan import plan

    about = about_fit(run)
    made = plan(curves, scenario, verdict=about["verdict"] or None).as_dict()
    bounds = {
        row["name"]: [row["low"] / row["current"], row["high"] / row["current"]]
        for row in made["channels"]
    }
    return about | made | {"bounds": bounds}


def asked_scenario(
    options: argparse.Namespace, table: Mapping[str, Any], curves: "ResponseCurves"
) -> "Scenario":
    """The scenario of flags, or of a file with the flags that go before it.

    Raises:
        PlanError: It is not understood, or cannot be met.
    """
    from core.plan.scenario.scenario import scenario
    from core.plan.scenario.table import of_table

    try:
        if table:
            return of_table(table, curves, **before_file(options))
        return scenario(curves, **by_flags(options))
    except PlanError as error:
        raise _with_ways(error, options, curves) from error


def about_fit(run: Run) -> dict[str, Any]:
    """What a plan says about the fit behind it."""
    summary = read_json(run.folder, "summary")
    return {
        "run": str(run.folder),
        "run_id": run.run_id,
        "verdict": str((summary.get("diagnostics") or {}).get("verdict", "")),
        "kpi_name": summary.get("kpi_name"),
        "has_value": summary.get("has_value", 1),
    }


def _with_ways(
    error: PlanError, options: argparse.Namespace, curves: "ResponseCurves"
) -> PlanError:
    """The error, with the ways out that only the command line has."""
    now, horizon = float(curves.spend.sum()), curves.horizon
    low, high = options.bounds or DEFAULT_BOUNDS
    budget = options.budget
    if error.where != "budget" or budget is None or low * now <= budget <= high * now:
        return error
    ways = []
    if not options.scaled and not options.scenario:
        ways.append("With --scaled, limits follow the budget.")
    if not horizon.as_fitted:
        ways.append(
            f"The plan is for {horizon.periods} periods from {horizon.start}; with "
            "--as-fitted it is for the data's own."
        )
    hint = " ".join([error.hint, *ways]).strip()
    return PlanError(
        error.message, hint=hint, where=error.where, findings=error.findings
    )


def plan_text(told: Mapping[str, Any]) -> str:
    """The plan for people."""
    units = fmt.units(told)
    symbol = units.symbol
    scaled = bool(told["current_scaled"])
    titles = ["Channel", f"Current, {symbol}"] + [f"Scaled, {symbol}"] * scaled
    titles += [f"Planned, {symbol}", "Change", f"Limits, {symbol}", "More pays", ""]
    rows = [_row(row, scaled=scaled) for row in told["channels"]]
    lines = [
        f"Budget {fmt.exact(told['budget'], symbol, decimals=2)} for "
        f"{plan_words.horizon(told)}; objective {told['objective']['name']}",
        "",
        table(titles, rows),
        "",
        *_odds(told, units),
    ]
    return clean("\n".join(lines))


def _row(row: Mapping[str, Any], *, scaled: bool) -> list[str]:
    marks = [("L", "locked"), ("!", "beyond_seen")]
    amounts = ["current"] + ["comparison"] * scaled + ["planned"]
    limits = [fmt.exact(row[key], decimals=0) for key in ("low", "high")]
    return [
        row["name"],
        *(fmt.exact(row[key], decimals=2) for key in amounts),
        fmt.share(row["multiplier"] - 1, signed=True),
        " to ".join(limits),
        fmt.probability(row["probability_up"]),
        "".join(sign for sign, key in marks if row[key]),
    ]


def _odds(told: Mapping[str, Any], units: fmt.Units) -> list[str]:
    kind, unit = ("money", units.currency)
    if not units.is_money:
        kind, unit = "number", units.outcome
    outcome, gain = told["outcome"], told["gain"]
    split = "current split"
    if told["current_scaled"]:
        split = "current split at the plan's budget"
    won = "none, the splits are the same"
    if (gain["lo"], gain["hi"]) != (0.0, 0.0):
        beats = fmt.probability(gain["probability_positive"])
        won = fmt.estimate(gain, kind, unit, signed=True)
        won += f", above zero with a probability of {beats}"
    gap = 100 * told["bound"]["gap"]
    lines = [
        f"{units.outcome_name} from paid media, 90 % intervals:",
        f"  today as it is: {fmt.estimate(told['today']['outcome'], kind, unit)}",
        f"  {split}: {fmt.estimate(outcome['current'], kind, unit)}",
        f"  planned: {fmt.estimate(outcome['planned'], kind, unit)}",
        f"  gain over the {split}: {won}",
        f"Against today as it is: {plan_words.against_today(told, units)}.",
        f"The best possible plan within these limits is at most "
        f"{max(gap, 0.01):.2g} % better.",
        *_goal(told, units),
        f"Advice: {told['advice']}. {' '.join(told['reasons'])}",
        plan_words.robustness(told),
        plan_words.lift_test(told, units),
        plan_words.other_split(told, units),
    ]
    lines = [line for line in lines if line]
    if told["idle"]:
        lines.append(plan_words.idle(told))
    if any(row["locked"] for row in told["channels"]):
        lines.append("L: locked.")
    if any(row["beyond_seen"] for row in told["channels"]):
        lines.append("!: more than was ever spent in a period; the curve is a guess.")
    if told.get("verdict") == "doubtful":
        lines.append("The fit is doubtful: see python -m core summary.")
    return lines


def _goal(told: Mapping[str, Any], units: fmt.Units) -> list[str]:
    """What the budget was found for."""
    goal = told.get("goal")
    if goal is None:
        return []
    money = ("money", units.currency)
    if goal["kind"] == "profit":
        profit = fmt.estimate(goal["profit"], *money)
        return [f"Largest profit at a margin of {goal['margin']:g}: {profit}."]
    if goal["kind"] == "outcome":
        sure = fmt.probability(goal["probability"])
        return [f"The smallest budget for {goal['target']:,.0f}: reached in {sure}."]
    if goal["kind"] == "roi":
        roi = fmt.estimate(goal["roi"], "ratio")
        return [f"The largest budget with an ROI of {goal['target']:g}: {roi}."]
    return [f"Spent until the next {units.symbol or 'unit'} brings {goal['target']:g}."]


def _write(path: Path, told: Mapping[str, Any]) -> None:
    from core.report.workbook import plan_csv, plan_workbook
    from core.workspace.atomic import write_bytes

    kind = path.suffix.lower()
    if kind == ".xlsx":
        content = plan_workbook(told, name=str(told.get("name") or "Plan"))
    elif kind == ".csv":
        content = plan_csv(told).encode("utf-8-sig")
    else:
        content = as_json(dict(told)).encode()
    write_bytes(path, content)
