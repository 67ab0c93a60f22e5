"""plan: the best split of a budget within limits, and its odds."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import PROGRAM
from core import text as fmt
from core.charts.planning import plan_words
from core.cli.answer import Answer, as_json, clean, table
from core.cli.places import finished_fit
from core.cli.plans.keeping import keep
from core.cli.plans.plan_horizon import curves_for, wished
from core.cli.plans.scenario_options import (
    DEFAULT_BOUNDS,
    before_file,
    by_flags,
    out_path,
    scenario_file,
)
from core.errors import PlanError
from core.plan.record.parts import Line
from core.plan.record.plan_record import PlanRecord, as_dict, with_details
from core.plan.record.tables import csv_text
from core.plan.scenario.horizon import NEXT_YEAR, HorizonWish
from core.workspace.fits.runs import Run, read_json
from core.workspace.plans import with_fit

if TYPE_CHECKING:
    from core.plan.response.curves import ResponseCurves
    from core.plan.scenario.scenario import Scenario

#: Files that a plan can be written to.
FILES = (".xlsx", ".csv", ".json")


def plan_command(options: argparse.Namespace) -> Answer:
    """Plan a budget with a finished fit: over channels, channels and geos, or weeks."""
    table = {} if options.scenario is None else scenario_file(options)
    over = _over(options, table)
    if over == "weeks":
        from core.cli.plans.week_planning import week_plan_answer

        return week_plan_answer(options, table)
    if over == "geos":
        from core.cli.plans.geo_planning import geo_plan_answer

        return geo_plan_answer(options, table)
    out = out_path(options.out, FILES)
    run = finished_fit(options.run)
    return answer(run, channel_plan(run, options, table), options, out, plan_text)


def answer(
    run: Run,
    plan: PlanRecord,
    options: argparse.Namespace,
    out: Path | None,
    in_words: Callable[[PlanRecord], str],
) -> Answer:
    """A plan for people and machines, kept and written where that was asked for."""
    remarks = []
    if options.save is not None:
        plan, remark = keep(run, plan, options.save)
        remarks.append(remark)
    if out is not None:
        _write(out, plan)
        remarks.append(f"Written to {out}.")
    return Answer(as_dict(plan), in_words(plan), remarks=tuple(remarks))


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
) -> PlanRecord:
    """The plan over channels.

    Args:
        run: A finished fit.
        options: Of the command line.
        table: The scenario file; empty for flags alone.

    Raises:
        PlanError: The wish is not understood, or cannot be met.
    """
    curves = curves_for(run, wished(options, table))
    plan = _planned(run, curves, asked_scenario(options, table, curves))
    named = {key: str(table[key]) for key in ("name", "notes") if key in table}
    return with_details(plan, **named)


def plan_of_wish(run: Run, horizon: HorizonWish = NEXT_YEAR, **wish: Any) -> PlanRecord:
    """The plan over channels for a wish.

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


def _planned(run: Run, curves: "ResponseCurves", scenario: "Scenario") -> PlanRecord:
    """The plan for a scenario, with the fit behind it."""
    from core.plan.plan import plan

    return with_fit(plan(curves, scenario, verdict=verdict_of(run)).record, run.folder)


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


def verdict_of(run: Run) -> str | None:
    """The verdict on the fit; None where it has none."""
    diagnostics = read_json(run.folder, "summary").get("diagnostics") or {}
    return diagnostics.get("verdict") or None


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


def plan_text(plan: PlanRecord) -> str:
    """The plan for people."""
    units = plan.units
    symbol = units.symbol
    scaled = bool(plan.current_scaled)
    titles = ["Channel", f"Current, {symbol}"] + [f"Scaled, {symbol}"] * scaled
    titles += [f"Planned, {symbol}", "Change", f"Limits, {symbol}", "More pays", ""]
    rows = [_row(line, scaled=scaled) for line in plan.channels]
    lines = [
        f"Budget {fmt.exact(plan.budget, symbol, decimals=2)} for "
        f"{plan_words.horizon(plan)}; objective {plan.objective.name}",
        "",
        table(titles, rows),
        "",
        *_odds(plan, units),
    ]
    return clean("\n".join(lines))


def _row(line: Line, *, scaled: bool) -> list[str]:
    marks = [("L", "locked"), ("!", "beyond_seen")]
    amounts = ["current"] + ["comparison"] * scaled + ["planned"]
    limits = [fmt.exact(getattr(line, key), decimals=0) for key in ("low", "high")]
    return [
        line.name,
        *(fmt.exact(getattr(line, key), decimals=2) for key in amounts),
        fmt.share(line.multiplier - 1, signed=True),
        " to ".join(limits),
        fmt.probability(line.probability_up),
        "".join(sign for sign, key in marks if getattr(line, key)),
    ]


def _odds(plan: PlanRecord, units: fmt.Units) -> list[str]:
    outcome, gain = plan.outcome, plan.gain
    split = "current split"
    if plan.current_scaled:
        split = "current split at the plan's budget"
    won = "none, the splits are the same"
    if (gain["lo"], gain["hi"]) != (0.0, 0.0):
        beats = fmt.probability(gain["probability_positive"])
        won = units.estimate(gain, signed=True)
        won += f", above zero with a probability of {beats}"
    gap = 100 * plan.bound.gap
    lines = [
        f"{units.outcome_name} from paid media, 90 % intervals:",
        f"  today as it is: {units.estimate(plan.today.outcome)}",
        f"  {split}: {units.estimate(outcome['current'])}",
        f"  planned: {units.estimate(outcome['planned'])}",
        f"  gain over the {split}: {won}",
        f"Against today as it is: {plan_words.against_today(plan, units)}.",
        f"The best possible plan within these limits is at most "
        f"{max(gap, 0.01):.2g} % better.",
        *_goal(plan, units),
        f"Advice: {plan.advice}. {' '.join(plan.reasons)}",
        plan_words.robustness(plan),
        plan_words.lift_test(plan, units),
        plan_words.other_split(plan, units),
    ]
    lines = [line for line in lines if line]
    if plan.idle:
        lines.append(plan_words.idle(plan))
    if any(line.locked for line in plan.channels):
        lines.append("L: locked.")
    if any(line.beyond_seen for line in plan.channels):
        lines.append("!: more than was ever spent in a period; the curve is a guess.")
    if plan.verdict == "doubtful":
        lines.append(f"The fit is doubtful: see {PROGRAM} summary.")
    return lines


def _goal(plan: PlanRecord, units: fmt.Units) -> list[str]:
    """What the budget was found for."""
    goal = plan.goal
    if goal is None:
        return []
    money = ("money", units.currency)
    if goal.kind == "profit":
        profit = fmt.estimate(goal.profit, *money)
        return [f"Largest profit at a margin of {goal.margin:g}: {profit}."]
    if goal.kind == "outcome":
        sure = fmt.probability(goal.probability)
        target = fmt.exact(goal.target, decimals=0)
        return [f"The smallest budget for {target}: reached in {sure}."]
    if goal.kind == "roi":
        roi = fmt.estimate(goal.roi, "ratio")
        return [f"The largest budget with an ROI of {goal.target:g}: {roi}."]
    return [f"Spent until the next {units.symbol or 'unit'} brings {goal.target:g}."]


def _write(path: Path, plan: PlanRecord) -> None:
    from core.report.books.report_book import plan_workbook
    from core.workspace.disk.atomic import write_bytes

    kind = path.suffix.lower()
    if kind == ".xlsx":
        content = plan_workbook(plan)
    elif kind == ".csv":
        content = csv_text(plan).encode("utf-8-sig")
    else:
        content = as_json(as_dict(plan)).encode()
    write_bytes(path, content)
