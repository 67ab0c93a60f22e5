"""forecast: the outcome of the next periods under a plan, and the odds of a goal."""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core import PROGRAM
from core import text as fmt
from core.cli.answer import Answer, clean, table
from core.errors import SpecError, WorkspaceError
from core.service.places import finished_fit
from core.workspace.fits.runs import Run, open_dataset, read_json

if TYPE_CHECKING:
    from core.data.input_data import InputData
    from core.model.build import Model

#: Periods where none are asked for; draws.
_PERIODS, _DRAWS = 26, 1000


def forecast_command(options: argparse.Namespace) -> Answer:
    """Forecast with a finished fit."""
    out = _out(options.out)
    run = finished_fit(options.run)
    periods, of_plan = options.periods, {}
    if options.plan is not None:
        periods, of_plan = _of_plan(run, options.plan, periods)
    outlook = made_forecast(
        run,
        periods=periods,
        media=options.media,
        multipliers=of_plan | dict(options.multiply),
        goal=options.goal,
    )
    remarks = ()
    if out is not None:
        _write(out, outlook["weeks"])
        remarks = (f"Written to {out}.",)
    return Answer(outlook, forecast_text(outlook), remarks=remarks)


def _of_plan(run: Run, name: str, periods: int | None) -> tuple[int, dict[str, float]]:
    """Periods, and how much of each channel's media a plan has in them.

    Raises:
        PlanError: The plan begins after these periods.
        WorkspaceError: There is no such plan, or the fit has no forecast.
    """
    from core.cli.plans.actuals import found_plan
    from core.plan.against.planned_forecast import multiples

    _, plan = found_plan(name)
    view = open_dataset(run.folder, "forecast")
    n = min(periods or plan.horizon.periods or _PERIODS, view.sizes["time"])
    return n, multiples(plan, view, n)


def made_forecast(
    run: Run,
    *,
    periods: int | None = None,
    media: str | None = None,
    multipliers: Mapping[str, float] | None = None,
    goal: float | None = None,
) -> dict[str, Any]:
    """The forecast as --json prints it.

    Args:
        run: A finished fit.
        periods: How many; None for half a year of weeks.
        media: File of a plan.
        multipliers: By channel.
        goal: An outcome to reach in sum.

    Raises:
        SpecError: The baseline is made of knots, or the horizon is too long.
        DataError: The plan means nothing.
    """
    use_jax(run.folder)
    from core.analysis.ahead.forecast import forecast, refuse_knots
    from core.analysis.ahead.outlook import outlook
    from core.analysis.draws import flat_draws
    from core.data.ahead.horizon import longest_horizon
    from core.jobs.tasks.frozen import attributes, load_model

    project, model = load_model(run.folder)
    refuse_knots(model.spec)
    longest = longest_horizon(model.data)
    n = min(_PERIODS, longest) if periods is None else periods
    if not 1 <= n <= longest:
        raise SpecError(
            f"{n} periods cannot be forecast.",
            hint=f"Ask for 1 to {longest}: a year, and no more than the data have.",
            where="periods",
        )
    future = _future(model, project.mapping, n, media, multipliers or {})
    draws = flat_draws(open_dataset(run.folder, "posterior"), _DRAWS)
    predicted = forecast(model, draws, future, project.sampler.seed)
    about = {"run": str(run.folder)} | attributes(project, model)
    about["data_end"] = about.pop("end")
    about.pop("start")
    verdict = (read_json(run.folder, "summary").get("diagnostics") or {}).get("verdict")
    spend = {
        name: float(channels.spend[:, :, place].sum())
        for channels in (future.media, future.reach_frequency)
        for place, name in enumerate(channels.names)
    }
    return about | outlook(predicted, goal=goal) | {"verdict": verdict, "spend": spend}


def _future(
    model: "Model", mapping, n: int, media: str | None, multipliers: Mapping[str, float]
) -> "InputData":
    """The next periods under the plan asked for."""
    from core.analysis.returns import channel_names
    from core.data.ahead.future_table import planned
    from core.data.ahead.horizon import ahead, multiplied
    from core.data.files.isolated import load_table

    names, kinds = channel_names(model)
    known = [
        name for name, kind in zip(names, kinds, strict=True) if kind != "non_media"
    ]
    for name in multipliers:
        if name not in known:
            raise SpecError(
                f"There is no channel {name} whose media could be multiplied.",
                hint=f"Channels: {', '.join(known)}.",
                where=name,
            )
    future = ahead(model.data, n)
    if media is not None:
        path = Path(media).expanduser()
        if not os.path.isfile(path):
            raise WorkspaceError(f"There is no file {path}.", where=str(path))
        future = planned(future, load_table(path, path.name), mapping)
    return multiplied(future, multipliers)


def use_jax(run: Path | None = None, **sampler: Any) -> None:
    """Set JAX up for this process as a worker would.

    Args:
        run: A run whose settings hold.
        sampler: Settings, where there is no run.
    """
    from core.jobs.worker import jax_environment
    from core.workspace.disk.stored import read_object

    if run is not None:
        sampler = read_object(run / "run.json").get("sampler") or {}
    os.environ.update(jax_environment(sampler))


def forecast_text(outlook: Mapping[str, Any]) -> str:
    """The forecast for people."""
    units = fmt.units(outlook)
    kind, unit = ("money", units.currency) if units.is_money else ("number", "")
    rows = [
        (
            week["time"],
            units.show(week["median"]),
            fmt.interval(week["lo50"], week["hi50"], kind, unit),
            fmt.interval(week["lo90"], week["hi90"], kind, unit),
        )
        for week in outlook["weeks"]
    ]
    titles = ["Period", units.outcome_name, "50 %", "90 %"]
    parts = [
        (part["name"], units.estimate(part, bare=True), fmt.share(part["mean"] / whole))
        for whole in [sum(part["mean"] for part in outlook["parts"]) or 1.0]
        for part in outlook["parts"]
        if part["mean"] is not None
    ]
    total = outlook["total"]
    within = fmt.interval(total["lo50"], total["hi50"], kind, unit)
    lines = [
        f"{outlook['periods']} periods from {outlook['start']} to {outlook['end']}; "
        f"data end on {outlook['data_end']}",
        "",
        table(titles, rows),
        "",
        f"Total {units.outcome_name.lower()}: {units.estimate(total, bare=True)}, 50 % "
        f"within {within}",
        *_goal(outlook, units),
        "",
        table(["Part", "Expected", "Share"], parts),
    ]
    if outlook.get("verdict") == "doubtful":
        lines += ["", f"The fit is doubtful: see {PROGRAM} summary."]
    return clean("\n".join(lines))


def _goal(outlook: Mapping[str, Any], units: fmt.Units) -> list[str]:
    if outlook["goal"] is None:
        return []
    goal = outlook["goal"]
    return [
        f"Goal of {units.show(goal['value'])}: probability "
        f"{fmt.probability(goal['probability'])}"
    ]


def _out(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name).expanduser()
    if path.suffix.lower() != ".csv" or not os.path.isdir(path.absolute().parent):
        raise WorkspaceError(
            f"{path} cannot be written.", hint="Name a .csv file in a folder that is."
        )
    return path


def _write(path: Path, weeks: list[Mapping[str, Any]]) -> None:
    from core.workspace.disk.atomic import write_bytes

    names = list(weeks[0])
    lines = [",".join(names)]
    lines += [",".join(str(week[name]) for name in names) for week in weeks]
    write_bytes(path, ("\n".join(lines) + "\n").encode())
