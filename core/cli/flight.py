"""flight: spend per week and channel, its odds, and how good it could be."""

import argparse
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.charts import format as fmt
from core.cli.answer import Answer, clean, table
from core.cli.forecast import use_jax
from core.cli.places import finished_fit
from core.errors import PlanError, WorkspaceError
from core.workspace.runs import Run, open_dataset, read_json

_COMPARED = {
    "current": "last year's pattern",
    "even": "the same in every week",
    "fixed": "the best split of last year's pattern",
}


def flight_command(options: argparse.Namespace) -> Answer:
    """Plan weeks with a finished fit."""
    out = _out(options.out)
    run = finished_fit(options.run)
    given = {
        "count": options.weeks,
        "start": options.start,
        "budget": options.budget,
        "bounds": options.bounds,
        "objective": options.objective,
        "within_seen": options.within_seen or None,
    }
    wish = {key: value for key, value in given.items() if value is not None}
    scenario = _scenario(options.scenario)
    told = made_flight(run, scenario, **wish)
    remarks = []
    if options.save is not None:
        from core.cli.keeping import author, keep
        from core.workspace.flights import to_keep

        asked = _with_flags(scenario, wish)
        kept = to_keep(told, run.run_id, asked, options.save, by=author())
        remarks.append(keep(run, told, kept))
    if out is not None:
        _write(out, told)
        remarks.append(f"Written to {out}.")
    return Answer(told, flight_text(told), remarks=tuple(remarks))


def _with_flags(scenario: Mapping[str, Any], wish: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario with what flags said, as a file would have it."""
    weeks = dict(scenario.get("weeks", {}))
    weeks |= {key: wish[key] for key in ("count", "start") if key in wish}
    rest = {key: value for key, value in wish.items() if key not in ("count", "start")}
    return {**scenario, **rest, "weeks": weeks}


def made_flight(run: Run, given: Mapping[str, Any], **wish: Any) -> dict[str, Any]:
    """The plan of weeks as --json prints it.

    Args:
        run: A finished fit.
        given: A scenario file's content.
        wish: What goes before it; see `core.plan.scenario.weeks`.

    Raises:
        PlanError: The wish cannot be met.
    """
    use_jax(precision="float64", device="cpu")
    from core.jobs.fit_run import load_model
    from core.plan.flighting import flight
    from core.plan.record.weeks import as_dict, outcome_draws
    from core.plan.scenario.weeks import flight_wish

    asked = flight_wish(given, **wish)
    project, model = load_model(run.folder, "float64")
    verdict = (read_json(run.folder, "summary").get("diagnostics") or {}).get("verdict")
    made = flight(
        model,
        open_dataset(run.folder, "posterior"),
        asked,
        currency=project.currency,
        verdict=verdict,
    )
    about = {"run": str(run.folder), "run_id": run.run_id, "verdict": verdict}
    about |= {"kpi_name": project.mapping.kpi, "draws": outcome_draws(made)}
    about |= {"has_value": int(model.data.revenue_per_kpi is not None)}
    return about | as_dict(made)


def _scenario(name: str | None) -> dict[str, Any]:
    """The content of a scenario file; nothing where there is none."""
    if name is None:
        return {}
    path = Path(name).expanduser()
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise WorkspaceError(
            f"The scenario {path} cannot be read.",
            hint="Give the path of a TOML file; docs/planning.md has an example.",
            where=str(path),
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise PlanError(
            f"The scenario is not TOML: {error}.",
            hint="Compare it with the example in docs/planning.md.",
            where=str(path),
        ) from error


def flight_text(told: Mapping[str, Any]) -> str:
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
        f"Outcome {fmt.estimate(told['outcome']['planned'], kind, unit)}; of it from "
        f"media before the plan {fmt.estimate(told['inherited'], kind, unit)}, after "
        f"its end {fmt.estimate(told['terminal'], kind, unit)}",
    ]
    for name, words in _COMPARED.items():
        gain = told[f"gain_over_{name}"]
        odds = fmt.probability(gain["probability_positive"])
        change = fmt.estimate(gain, kind, unit)
        lines.append(f"Against {words}: {change}, better with probability {odds}")
    if "profit" in told:
        money = ("money", told["currency"])
        profit, gain = told["profit"], told["profit"]["gain_over_current"]
        lines.append(
            f"Profit at a margin of {profit['margin']:g}: "
            f"{fmt.estimate(profit['planned'], *money)}; against last year's pattern "
            f"{fmt.estimate(gain, *money)}, better with probability "
            f"{fmt.probability(gain['probability_positive'])}"
        )
    gap = told["bound"]["gap"]
    if gap is not None:
        lines.append(
            f"No plan within the limits is better by more than {100 * gap:.2f} %."
        )
    lines += [
        f"Advice: {told['advice']}. {' '.join(told['reasons'])}",
    ]
    return clean("\n".join(lines))


def _busiest(row: Mapping[str, Any], weeks: list[str]) -> str:
    place = max(range(len(weeks)), key=row["weeks"].__getitem__)
    return f"{weeks[place]} ({fmt.exact(row['weeks'][place], decimals=0)})"


def _out(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name).expanduser()
    kinds = (".csv", ".xlsx")
    if path.suffix.lower() not in kinds or not path.resolve().parent.is_dir():
        raise WorkspaceError(
            f"{path} cannot be written.",
            hint="Name a .csv or .xlsx file in a folder that is.",
        )
    return path


def _write(path: Path, told: Mapping[str, Any]) -> None:
    from core.plan.record.week_table import csv_text
    from core.workspace.atomic import write_bytes

    if path.suffix.lower() == ".xlsx":
        from core.report.grid_book import grid_workbook

        kept = {**told, "gain": told["gain_over_current"]}
        content = grid_workbook(kept, name=str(told.get("name") or "Plan of weeks"))
    else:
        content = csv_text(told).encode("utf-8-sig")
    write_bytes(path, content)
