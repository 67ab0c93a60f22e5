"""plan --over weeks: spend per week and channel, its odds, and how good it could be."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core import text as fmt
from core.charts import plan_words
from core.cli.answer import Answer, as_json, clean, table
from core.cli.forecast import use_jax
from core.cli.places import finished_fit
from core.cli.plan_horizon import wished
from core.cli.planning import about_fit
from core.cli.scenario_options import out_path
from core.errors import PlanError
from core.workspace.runs import Run, open_dataset

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
    out = out_path(options.out, (".csv", ".xlsx", ".json"))
    run = finished_fit(options.run)
    asked = _with_flags(options, table)
    plan = week_plan(run, asked)
    remarks = []
    if options.save is not None:
        from core.cli.keeping import author, keep
        from core.workspace.plans import weeks_to_keep

        kept = weeks_to_keep(plan, run.run_id, asked, options.save, by=author())
        remarks.append(keep(run, plan, kept))
    if out is not None:
        _write(out, plan)
        remarks.append(f"Written to {out}.")
    return Answer(plan, week_plan_text(plan), remarks=tuple(remarks))


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
    asked = {**table, **flags, "horizon": wished(options, table).as_table()}
    if "budget" in flags:
        asked.pop("find", None)
    return asked


def week_plan(run: Run, table: Mapping[str, Any]) -> dict[str, Any]:
    """The plan of weeks as --json prints it.

    Args:
        run: A finished fit.
        table: The scenario; see `core.plan.scenario.weeks`.

    Raises:
        PlanError: The wish cannot be met.
    """
    use_jax(precision="float64", device="cpu")
    from core.jobs.frozen import load_model
    from core.plan.flighting import flight
    from core.plan.record.weeks import as_dict, outcome_draws
    from core.plan.scenario.weeks import flight_wish

    wish = flight_wish(table)
    project, model = load_model(run.folder, "float64")
    about = about_fit(run)
    made = flight(
        model,
        open_dataset(run.folder, "posterior"),
        wish,
        currency=project.currency,
        verdict=about["verdict"] or None,
    )
    return about | {"draws": outcome_draws(made)} | as_dict(made)


def week_plan_text(told: Mapping[str, Any]) -> str:
    """The plan of weeks for people."""
    units = fmt.units(told)
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    weeks = told["weeks"]
    rows = [
        (
            row["name"],
            fmt.exact(row["current"], decimals=0),
            fmt.exact(row["planned"], decimals=0),
            _busiest(row, weeks),
            f"{sum(row['beyond_seen'])}" if any(row["beyond_seen"]) else "",
        )
        for row in told["channels"]
    ]
    titles = ["Channel", f"Last year's, {units.symbol}", f"Planned, {units.symbol}"]
    titles += ["Dearest week", "Beyond seen"]
    lines = [
        f"{len(weeks)} weeks from {weeks[0]} to {weeks[-1]}; budget "
        f"{fmt.exact(told['budget'], units.symbol, decimals=2)}; objective "
        f"{told['objective']['name']}",
        "",
        table(titles, rows),
        "",
        f"{units.outcome_name} from the plan's spend "
        f"{fmt.estimate(told['outcome']['planned'], kind, unit)}, of it after its end "
        f"{fmt.estimate(told['terminal'], kind, unit)}; media before the plan brings "
        f"{fmt.estimate(told['inherited'], kind, unit)} beside it",
        f"Against today as it is: {plan_words.against_today(told, units)}.",
    ]
    for name, words in _COMPARED.items():
        gain = told[f"gain_over_{name}"]
        odds = fmt.probability(gain["probability_positive"])
        change = fmt.estimate(gain, kind, unit)
        lines.append(f"Against {words}: {change}, better with probability {odds}")
    lines += _profit(told)
    gap = told["bound"]["gap"]
    if gap is not None:
        lines.append(
            f"No plan within the limits is better by more than {100 * gap:.2f} %."
        )
    lines.append(f"Advice: {told['advice']}. {' '.join(told['reasons'])}")
    lines += filter(None, [plan_words.robustness(told)])
    return clean("\n".join(lines))


def _profit(told: Mapping[str, Any]) -> list[str]:
    """The profit, where that was sought."""
    if "profit" not in told:
        return []
    money = ("money", told["currency"])
    profit, gain = told["profit"], told["profit"]["gain_over_current"]
    return [
        f"Profit at a margin of {profit['margin']:g}: "
        f"{fmt.estimate(profit['planned'], *money)}; against last year's pattern "
        f"{fmt.estimate(gain, *money)}, better with probability "
        f"{fmt.probability(gain['probability_positive'])}"
    ]


def _busiest(row: Mapping[str, Any], weeks: list[str]) -> str:
    place = max(range(len(weeks)), key=row["weeks"].__getitem__)
    return f"{weeks[place]} ({fmt.exact(row['weeks'][place], decimals=0)})"


def _write(path: Path, told: Mapping[str, Any]) -> None:
    from core.plan.record.week_table import csv_text
    from core.workspace.atomic import write_bytes

    if path.suffix.lower() == ".xlsx":
        from core.report.grid_book import grid_workbook

        content = grid_workbook(told, name=str(told.get("name") or "Plan of weeks"))
    elif path.suffix.lower() == ".json":
        content = as_json(dict(told)).encode()
    else:
        content = csv_text(told).encode("utf-8-sig")
    write_bytes(path, content)
