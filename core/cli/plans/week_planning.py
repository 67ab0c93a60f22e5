"""plan --over weeks: spend per week and channel, its odds, and how good it could be."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from core import text as fmt
from core.charts.planning import plan_words
from core.cli.answer import Answer, clean, table
from core.cli.fits.forecast import use_jax
from core.cli.places import finished_fit
from core.cli.plans.plan_horizon import wished
from core.cli.plans.planned_tests import reserved_by_tests, tests_to_keep_to
from core.cli.plans.planning import FILES, answer, verdict_of
from core.cli.plans.scenario_options import out_path
from core.errors import PlanError
from core.plan.record.parts import Line
from core.plan.record.plan_record import PlanRecord
from core.plan.scenario.reserved import as_rows
from core.plan.scenario.weeks import flight_wish, weeks_ahead
from core.workspace.fits.runs import Run, open_dataset
from core.workspace.plans import with_fit

_COMPARED = {
    "current": "last year's pattern",
    "even": "the same in every week",
    "fixed": "the best split of last year's pattern",
}


def week_plan_answer(options: argparse.Namespace, table: Mapping[str, Any]) -> Answer:
    """Plan weeks with a finished fit.

    Args:
        options: Of the command line.
        table: The scenario file; empty for flags alone.

    Raises:
        PlanError: The wish cannot be met.
        WorkspaceError: The plan cannot be kept or written.
    """
    _refuse_channel_flags(options)
    out = out_path(options.out, FILES)
    run = finished_fit(options.run)
    plan = week_plan(run, _with_tests(run, options, _with_flags(options, table)))
    return answer(run, plan, options, out, week_plan_text)


def _with_tests(
    run: Run, options: argparse.Namespace, table: dict[str, Any]
) -> dict[str, Any]:
    """The scenario with what planned tests fix; exact amounts have no limits.

    Raises:
        PlanError: The scenario is not understood.
        MMMError: Two tests want different spend in the same geos and weeks.
    """
    weeks = table.get("weeks") or {}
    if isinstance(weeks, Mapping):
        weeks = {key: value for key, value in weeks.items() if key != "reserved"}
    others = {key: value for key, value in table.items() if key != "weeks"}
    scenario = others | ({"weeks": weeks} if weeks else {})
    tests = tests_to_keep_to(run, options)
    if "spend" in table or not tests:
        return scenario
    times = open_dataset(run.folder, "weeks")["time"].values.astype("datetime64[D]")
    ahead = weeks_ahead(flight_wish(scenario), times)
    reserved = reserved_by_tests(run, tests, ahead.start, ahead.n)
    if not reserved:
        return scenario
    return scenario | {"weeks": weeks | {"reserved": as_rows(reserved, "weeks")}}


def _refuse_channel_flags(options: argparse.Namespace) -> None:
    """Refuse flags that only plans over channels and geos have.

    Raises:
        PlanError: One is given.
    """
    flags = {
        "--limit": options.limit,
        "--limit-money": options.limit_money,
        "--lock": options.lock,
        "--best": options.best,
    }
    for flag, value in flags.items():
        if value:
            raise PlanError(
                f"{flag} is not for a plan over weeks.",
                hint="Give limits of channels in a scenario file: [channel.NAME] min, "
                "max, weeks, dark.",
                where=flag.removeprefix("--"),
            )


def _with_flags(
    options: argparse.Namespace, table: Mapping[str, Any]
) -> dict[str, Any]:
    """The scenario with what flags say, as a file would have it."""
    flags = {
        "budget": options.budget,
        "bounds": list(options.bounds) if options.bounds else None,
        "objective": options.objective,
        "within_seen": options.within_seen or None,
        "scaled": options.scaled or None,
    }
    flags = {key: value for key, value in flags.items() if value is not None}
    scenario = {**table, **flags, "horizon": wished(options, table).as_table()}
    if "budget" in flags:
        scenario.pop("find", None)
    return scenario


def week_plan(run: Run, table: Mapping[str, Any]) -> PlanRecord:
    """The plan of weeks.

    Args:
        run: A finished fit.
        table: The scenario; see `core.plan.scenario.weeks`.

    Raises:
        PlanError: The wish cannot be met.
    """
    use_jax(precision="float64", device="cpu")
    from core.jobs.tasks.frozen import load_model
    from core.plan.flighting import flight
    from core.plan.record.weeks import week_record

    wish = flight_wish(table)
    project, model = load_model(run.folder, "float64")
    planned = flight(
        model,
        open_dataset(run.folder, "posterior"),
        wish,
        currency=project.currency,
        verdict=verdict_of(run),
    )
    return with_fit(week_record(planned, table), run.folder)


def week_plan_text(plan: PlanRecord) -> str:
    """The plan of weeks for people."""
    units = plan.units
    weeks = plan.weeks
    rows = [
        (
            line.name,
            fmt.exact(line.current, decimals=0),
            fmt.exact(line.planned, decimals=0),
            _busiest(line, weeks),
            f"{sum(line.weeks_beyond_seen)}" if line.beyond_seen else "",
        )
        for line in plan.channels
    ]
    titles = ["Channel", f"Last year's, {units.symbol}", f"Planned, {units.symbol}"]
    titles += ["Dearest week", "Beyond seen"]
    lines = [
        f"{len(weeks)} weeks from {weeks[0]} to {weeks[-1]}; budget "
        f"{fmt.exact(plan.budget, units.symbol, decimals=2)}; objective "
        f"{plan.objective.name}",
        "",
        table(titles, rows),
        "",
        f"{units.outcome_name} from the plan's spend "
        f"{units.estimate(plan.outcome['planned'], bare=True)}, of it after its end "
        f"{units.estimate(plan.terminal, bare=True)}; media before the plan brings "
        f"{units.estimate(plan.inherited, bare=True)} beside it",
        f"Against today as it is: {plan_words.against_today(plan, units)}.",
    ]
    gains = {
        "current": plan.gain,
        "even": plan.gain_over_even,
        "fixed": plan.gain_over_fixed,
    }
    for name, words in _COMPARED.items():
        gain = gains[name]
        odds = fmt.probability(gain["probability_positive"])
        change = units.estimate(gain, bare=True)
        lines.append(f"Against {words}: {change}, better with probability {odds}")
    lines += _profit(plan)
    gap = plan.bound.gap
    if gap is not None:
        lines.append(
            f"No plan within the limits is better by more than {100 * gap:.2f} %."
        )
    lines.append(f"Advice: {plan.advice}. {' '.join(plan.reasons)}")
    lines += filter(None, [plan_words.robustness(plan), plan_words.tests(plan)])
    return clean("\n".join(lines))


def _profit(plan: PlanRecord) -> list[str]:
    """The profit, where that was sought."""
    profit = plan.profit
    if profit is None:
        return []
    money, gain = ("money", plan.currency), profit.gain
    return [
        f"Profit at a margin of {profit.margin:g}: "
        f"{fmt.estimate(profit.planned, *money)}; against last year's pattern "
        f"{fmt.estimate(gain, *money)}, better with probability "
        f"{fmt.probability(gain['probability_positive'])}"
    ]


def _busiest(line: Line, weeks: Sequence[str]) -> str:
    place = max(range(len(weeks)), key=line.weeks.__getitem__)
    return f"{weeks[place]} ({fmt.exact(line.weeks[place], decimals=0)})"
