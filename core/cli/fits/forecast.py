"""forecast: the outcome of the next periods under a plan, and the odds of a goal."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import asdict

from core import PROGRAM
from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.service import forecasts
from core.service.places import finished_fit, project_of, typed_out
from core.service.planning import named_plans
from core.service.records.forecast import GoalOdds, Period
from core.text.sentences import span


def forecast_command(options: argparse.Namespace) -> Answer:
    """Forecast with a finished fit."""
    out = options.out and typed_out(options.out, (".csv",), "forecast")
    run = finished_fit(options.run)
    named = options.plan
    plan = None if named is None else named_plans.named(project_of(run), named)
    forecast = forecasts.forecast(
        run,
        periods=options.periods,
        media=options.media,
        multipliers=dict(options.multiply),
        plan=plan,
        goal=options.goal,
    )
    remarks = ()
    if out is not None:
        _write(out, forecast.outlook.weeks)
        remarks = (f"Written to {out}.",)
    return Answer(forecast.as_dict(), forecast_text(forecast), remarks=remarks)


def forecast_text(forecast: forecasts.Forecast) -> str:
    """The forecast for people."""
    units, outlook = forecast.units, forecast.outlook
    kind, unit = units.measure
    rows = [
        (
            week.time,
            units.show(week.median),
            fmt.interval(week.lo50, week.hi50, kind, unit),
            fmt.interval(week.lo90, week.hi90, kind, unit),
        )
        for week in outlook.weeks
    ]
    titles = ["Period", units.outcome_name, "50 %", "90 %"]
    parts = [
        (part.name, units.estimate(part, bare=True), fmt.share(part.mean / whole))
        for whole in [sum(part.mean for part in outlook.parts) or 1.0]
        for part in outlook.parts
        if part.mean is not None
    ]
    total = outlook.total
    within = fmt.interval(total.lo50, total.hi50, kind, unit)
    lines = [
        f"{span(outlook.start, outlook.end, outlook.periods)}, "
        f"{fmt.date(outlook.start)} to {fmt.date(outlook.end)}; data end on "
        f"{fmt.date(forecast.data_end)}",
        "",
        table(titles, rows),
        "",
        f"Total {units.outcome_in_text}: {units.estimate(total, bare=True)}, 50 % "
        f"within {within}",
        *_goal(outlook.goal, units),
        "",
        table(["Part", "Expected", "Share"], parts),
    ]
    if forecast.verdict == "doubtful":
        lines += ["", f"The fit is doubtful: see {PROGRAM} summary."]
    return clean("\n".join(lines))


def _goal(goal: GoalOdds | None, units: fmt.Units) -> list[str]:
    if goal is None:
        return []
    return [
        f"Goal of {units.show(goal.value)}: probability "
        f"{fmt.probability(goal.probability)}"
    ]


def _write(path: Path, weeks: Sequence[Period]) -> None:
    from core.service.reports import write_files

    rows = [asdict(week) for week in weeks]
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    write_files({path: "\n".join(lines) + "\n"})
