"""Forecasts: the outcome of the next periods."""

import math
import multiprocessing
import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from core.analysis.ahead.outlook import Outlook
from core.errors import SamplingError, SchemaError, SpecError
from core.plan.record.plan_record import PlanRecord
from core.plan.scenario.amounts import refuse_money_goals, refuse_other_currencies
from core.project.fits.runs import Run
from core.project.settings.project import load_project
from core.service.fits import verdict_of
from core.service.places import typed_file
from core.store.results import open_dataset
from core.text import Units, units

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from core.data.input_data import InputData
    from core.model.build import Model
    from core.project.settings.definition import Project

#: Periods where none are asked for; draws.
_PERIODS, _DRAWS = 26, 1000
#: Multiple of media, at most: beyond it a curve says nothing.
_MOST = 1_000


@dataclass(frozen=True)
class Forecast:
    """The outcome of the next periods.

    Attributes:
        about: The fit, its units, and `data_end`, where its data end.
        outlook: The periods.
        verdict: On the fit; None where it has none.
        spend: Of every paid channel in these periods, currency.
    """

    about: Mapping[str, Any]
    outlook: Outlook
    verdict: str | None
    spend: Mapping[str, float]

    @property
    def units(self) -> Units:
        """Words for its units."""
        return units(self.about)

    @property
    def data_end(self) -> str:
        """First day of the last period of the data."""
        return str(self.about["data_end"])

    def as_dict(self) -> dict[str, Any]:
        """As `forecast --json` prints it."""
        texts = {"verdict": self.verdict, "spend": dict(self.spend)}
        return dict(self.about) | to_builtins(self.outlook) | texts


def forecast(
    run: Run,
    *,
    periods: int | None = None,
    media: str | None = None,
    multipliers: Mapping[str, float] | None = None,
    plan: PlanRecord | None = None,
    goal: float | None = None,
) -> Forecast:
    """The outcome of the next periods.

    It is worked out in this process, which loads JAX for it.

    Args:
        run: A finished fit.
        periods: How many; None for those to the end of the plan, and for half a year of
            weeks without one.
        media: File with the media of these periods; None for media as a year earlier.
        multipliers: Multiples of channels' media, by name.
        plan: A plan whose media run in them, channels without history as believed;
            multipliers go before it, and what a file of media says.
        goal: An outcome to reach in sum.

    Raises:
        SpecError: The baseline is made of knots, or the horizon is too long.
        DataError: The file of media cannot be used.
        PlanError: The plan begins after these periods, or the goal is in another
            currency.
    """
    _check_asked(run, periods, multipliers, goal)
    multipliers, of_plan, costs = dict(multipliers or {}), {}, {}
    if plan is not None:
        periods, of_plan, costs = _of_plan(run, plan, periods)
    _use_jax(run.folder)
    from core.analysis.ahead.forecast import forecast as predict
    from core.analysis.ahead.future import refuse_knots
    from core.analysis.ahead.outlook import outlook
    from core.analysis.draws import flat_draws
    from core.data.ahead.horizon import ahead, longest_horizon, multiplied
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
    _refuse_unknown(model, of_plan | multipliers)
    as_planned = {n: x for n, x in of_plan.items() if n not in multipliers}
    future = _as_planned(run, plan, multiplied(ahead(model.data, n), as_planned))
    future = _as_in_file(run, model, project, future, media)
    future = multiplied(future, multipliers)
    draws = flat_draws(open_dataset(run.folder, "posterior"), _DRAWS)
    predicted = predict(model, draws, future, project.sampler.seed)
    about = {"run": str(run.folder)} | attributes(project, model)
    about["data_end"] = about.pop("end")
    about.pop("start")
    spend = _spend_of(future)
    if media is None:
        # A plan buys its media at prices of its own: they cost what it says.
        channels = spend.keys() - multipliers.keys()
        spend |= {name: cost for name, cost in costs.items() if name in channels}
    predicted, begun = _with_begun(run, plan, predicted)
    return Forecast(
        about, outlook(predicted, goal=goal), verdict_of(run), spend | begun
    )


def refuse_mistyped(periods: Any, multipliers: Any, goal: Any) -> None:
    """Refuse what is not a number of its kind; a notebook hands on what it is given.

    Args:
        periods: How many.
        multipliers: Multiples by channel.
        goal: An outcome to reach.

    Raises:
        SpecError: The periods are not whole, a multiple is negative, or one has no end.
    """
    if periods is not None and not isinstance(periods, Integral):
        raise SpecError(
            f"{str(periods)[:60]} is not a number of periods.",
            hint="Give a whole number, such as 13.",
            where="periods",
        )
    if goal is not None and not (isinstance(goal, Real) and math.isfinite(goal)):
        raise SpecError(
            f"The goal is {str(goal)[:60]!r}, which is not a number.",
            hint="Give the outcome to reach in all periods together.",
            where="goal",
        )
    if not isinstance(multipliers or {}, Mapping):
        raise SpecError(
            f"The multiples are {str(multipliers)[:60]!r}, without channels.",
            hint="Give them by channel: a table of names and numbers.",
            where="multipliers",
        )
    for name, by in (multipliers or {}).items():
        if not (isinstance(by, Real) and math.isfinite(by) and 0 <= by <= _MOST):
            raise SpecError(
                f"{name} is to be multiplied by {str(by)[:60]!r}.",
                hint=f"Give a number from 0 to {_MOST:,}, such as 1.2.",
                where=str(name),
            )


def _check_asked(run: Run, periods: Any, multipliers: Any, goal: Any) -> None:
    """Refuse what is mistyped, and a goal in another currency, or money of a count."""
    refuse_mistyped(periods, multipliers, goal)
    if goal is not None:
        project = load_project(run.folder)
        mapping = project.mapping
        is_count = mapping.kpi_type == "non_revenue" and mapping.revenue_per_kpi is None
        refuse_other_currencies({"goal": goal}, project.currency or "")
        refuse_money_goals({"goal": goal}, "kpi" if is_count else "revenue")


def forecast_apart(run: Run, **arguments: Any) -> Forecast:
    """The same in a process of its own, for one that lives on and is not to load JAX.

    Args:
        run: A finished fit.
        arguments: See `forecast`.

    Raises:
        MMMError: See `forecast`.
        SamplingError: The process ended before it was done.
    """
    spawned = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(1, mp_context=spawned) as pool:
            return pool.submit(forecast, run, **arguments).result()
    except BrokenProcessPool as error:
        raise SamplingError(
            "The forecast ended before it was done: the machine may lack memory.",
            hint="Ask for fewer periods, or try again when less is running.",
        ) from error


def _of_plan(
    run: Run, plan: PlanRecord, periods: int | None
) -> tuple[int, dict[str, float], dict[str, float]]:
    """Periods, and how much of each channel's media a plan has in them, at what cost.

    Raises:
        PlanError: The plan begins after these periods.
        WorkspaceError: The fit has no forecast.
    """
    from core.plan.against.planned_forecast import multiples
    from core.plan.against.planned_spend import planned_spend

    view = open_dataset(run.folder, "forecast")
    n = min(periods or _until(plan, view) or _PERIODS, view.sizes["time"])
    spend = planned_spend(plan, view, n)
    cost = {name: float(amounts.sum()) for name, amounts in spend.items()}
    return n, multiples(plan, view, n), cost


def _until(plan: PlanRecord, view: "xr.Dataset") -> int:
    """Periods to the end of a plan, which may begin later than they do."""
    if plan.horizon.as_fitted:
        return plan.horizon.periods
    days = view["time"].values.astype("datetime64[D]").astype(str)
    return int((days <= plan.horizon.end).sum())


def _spend_of(future: "InputData") -> dict[str, float]:
    """What every paid channel costs in periods to come, currency."""
    return {
        name: float(channels.spend[:, :, place].sum())
        for channels in (future.media, future.reach_frequency)
        for place, name in enumerate(channels.names)
    }


def _as_planned(run: Run, plan: PlanRecord | None, future: "InputData") -> "InputData":
    """Periods to come with channels at the plan's frequencies, in those of the plan."""
    from core.data.ahead.horizon import at_frequency, in_geos
    from core.plan.against.terms import places
    from core.plan.record.teaching import times_usual
    from core.plan.response.price import best_frequencies
    from core.project.plans.plan_actuals import frequencies_of

    channels = best_frequencies(plan.scenario) if plan is not None else ()
    if plan is None or not (channels or plan.divided):
        return future
    place = places(plan.horizon, future.times)
    inside = (place >= 0) & (place < plan.horizon.periods)
    future = in_geos(future, times_usual(plan.divided), inside)
    if not channels:
        return future
    frequencies = frequencies_of(run.folder, plan)
    best = {each.channel: each.best for each in frequencies if each.channel in channels}
    return at_frequency(future, best, inside | plan.horizon.as_fitted)


def _with_begun(
    run: Run, plan: PlanRecord | None, predicted: "xr.Dataset"
) -> "tuple[xr.Dataset, dict[str, float]]":
    """A forecast with the plan's channels without history, and what these spend."""
    from core.plan.against.planned_forecast import begun_spend_in, with_begun

    if plan is None:
        return predicted, {}
    view = open_dataset(run.folder, "forecast")
    spend = begun_spend_in(plan, view, predicted.sizes["time"])
    cost = {name: float(amounts.sum()) for name, amounts in spend.items()}
    return with_begun(plan, predicted, view), cost


def _refuse_unknown(model: "Model", multipliers: Mapping[str, float]) -> None:
    """Refuse multiples of what is no channel, or of what another project forecasts."""
    from core.analysis.returns import channel_names
    from core.model.mediation.mediators import mediator_names

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
        if name in mediator_names(model):
            raise SpecError(
                f"{name} is a mediator, which its own project forecasts: it cannot be "
                "multiplied.",
                hint="Multiply the channels that move it.",
                where=name,
            )


def _as_in_file(
    run: Run, model: "Model", project: "Project", future: "InputData", media: str | None
) -> "InputData":
    """Periods to come with what a file says of them, where there is one."""
    if media is None:
        return future
    from core.data.ahead.future_table import planned, read_columns
    from core.data.files.isolated import load_table
    from core.model.mediation.mediators import mediator_names
    from core.project.plans.plan_actuals import table_of_fit

    path = typed_file(media)
    table = load_table(path, path.name)
    table = read_columns(table, project.mapping, table_of_fit(run.folder).columns)
    _refuse_mediators(table, project, mediator_names(model))
    return planned(future, table, project.mapping, currency=project.currency)


def _refuse_mediators(
    table: "pd.DataFrame", project: "Project", mediators: tuple[str, ...]
) -> None:
    """Refuse media of mediators, which the forecast would not use.

    Raises:
        SchemaError: The table has some.
    """
    for channel in project.mapping.channels:
        if channel.name in mediators and channel.media in table.columns:
            raise SchemaError(
                f"{channel.media} is a mediator, which its own project forecasts.",
                hint="Leave the column out of the file of media.",
                where=str(channel.media),
            )


def _use_jax(run: Path) -> None:
    """Set JAX up for this process as a worker would.

    Args:
        run: A run whose settings hold.
    """
    from core.fit.devices import no_word_of_the_cache
    from core.jobs.worker import jax_environment
    from core.store.run_about import read_about

    no_word_of_the_cache()
    os.environ.update(jax_environment(read_about(run).sampler))
