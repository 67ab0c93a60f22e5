"""plan: the best split of a budget within limits, and its odds."""

import argparse
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.charts import format as fmt
from core.charts import plan_words
from core.cli.answer import Answer, as_json, clean, table
from core.cli.places import finished_fit
from core.cli.scenario_options import before_file, by_flags, file_text, out_path
from core.errors import PlanError
from core.workspace.runs import Run, open_dataset, read_json


def plan_command(options: argparse.Namespace) -> Answer:
    """Plan a budget with a finished fit."""
    text = None if options.scenario is None else file_text(options)
    if _is_of_geos(options, text):
        from core.cli.geo_planning import geo_plan_answer

        return geo_plan_answer(options, text)
    out = out_path(options.out, (".xlsx", ".csv", ".json"))
    run = finished_fit(options.run)
    if text is not None:
        told = _of_file(run, text, options)
    else:
        told = made_plan(run, **by_flags(options))
    remarks = []
    if options.save is not None:
        from core.cli.keeping import author, keep

        about = {"name": options.save, "by": author()}
        remarks.append(keep(run, told, told | about))
    if out is not None:
        _write(out, told)
        remarks.append(f"Written to {out}.")
    return Answer(told, plan_text(told), remarks=tuple(remarks))


def made_plan(run: Run, **wish: Any) -> dict[str, Any]:
    """The plan for a wish, as --json prints it.

    Args:
        run: A finished fit.
        wish: See `core.plan.scenario.scenario.scenario`.

    Raises:
        PlanError: The wish cannot be met.
    """
    from core.plan.response.curves import response_curves
    from core.plan.scenario.scenario import scenario

    curves = response_curves(open_dataset(run.folder, "curves"))
    try:
        asked = scenario(curves, **wish)
    except PlanError as error:
        raise _with_scaled(error, wish) from error
    return _told(run, curves, asked)


def _is_of_geos(options: argparse.Namespace, text: str | None) -> bool:
    """Whether money is to be planned over geos too: by a flag, or in the file."""
    if options.geos or options.geo_bounds or options.geo_totals:
        return True
    try:
        return text is not None and "geos" in tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False  # said where the file is understood


def _of_file(run: Run, text: str, options: argparse.Namespace) -> dict[str, Any]:
    """The plan for a scenario file; --budget and --objective go before it.

    Raises:
        PlanError: The file is not understood, or its wish cannot be met.
    """
    from core.plan.response.curves import response_curves
    from core.plan.scenario.table import read_toml

    given = before_file(options)
    curves = response_curves(open_dataset(run.folder, "curves"))
    told = _told(run, curves, read_toml(text, curves, **given))
    about = tomllib.loads(text)
    return told | {key: str(about[key]) for key in ("name", "notes") if key in about}


def _told(run: Run, curves: Any, asked: Any) -> dict[str, Any]:
    """The plan for a scenario, as --json prints it."""
    from core.plan.plan import plan

    told = read_json(run.folder, "summary")
    verdict = str((told.get("diagnostics") or {}).get("verdict", ""))
    about = {
        "run": str(run.folder),
        "run_id": run.run_id,
        "verdict": verdict,
        "start": told.get("start"),
        "end": told.get("end"),
        "n_times": told.get("n_times"),
        "kpi_name": told.get("kpi_name"),
        "has_value": told.get("has_value", 1),
    }
    made = plan(curves, asked, verdict=verdict or None).as_dict()
    bounds = {
        row["name"]: [row["low"] / row["current"], row["high"] / row["current"]]
        for row in made["channels"]
    }
    return about | made | {"bounds": bounds}


def _with_scaled(error: PlanError, wish: Mapping[str, Any]) -> PlanError:
    """The error, with the way out that only the command line has."""
    if error.where != "budget" or wish.get("scaled") or not wish.get("budget"):
        return error
    if not ("minimums add" in error.message or "maximums add" in error.message):
        return error
    hint = f"{error.hint} With --scaled, limits follow the budget."
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
        f"Budget {fmt.exact(told['budget'], symbol, decimals=2)}, as many periods as "
        f"the fit ({told.get('n_times')}); objective {told['objective']['name']}",
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
