r"""Backtest: forecasts made as they would have been, and what then happened.

Rolling origin: for each origin the table is cut there and everything is built again
from what is left (`core.analysis.ahead.backtest`). The test
window's own media, controls and treatments are given, as a plan and a calendar would
be. Beaten must be

- seasonal naive: the same period a year earlier (the last value where there is no
  year of data), and
- knots: Meridian's model with automatic knots, the last knot held.

Skill is $1 - \sum|\hat y - y| / \sum|\text{reference} - y|$ over all test windows.

A market as it was known at an earlier day, and its model fitted to that alone.

Everything is built again from what is left (scaling, designs of the linear terms,
automatic knots, population), also of the markets whose KPIs its mediators are, so that
nothing looks ahead.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from core.analysis.ahead.backtest_record import Ends, Fold, Week
from core.analysis.ahead.forecast import forecast
from core.analysis.ahead.forecast_score import score
from core.analysis.ahead.joint_draws import as_tested, joint_draws
from core.analysis.ahead.outlook import bands
from core.analysis.draws import flat_draws
from core.analysis.returns import returns
from core.data.ahead.horizon import between, periods_per_year
from core.data.assemble import assemble
from core.data.input_data import InputData
from core.data.mapping import PAID, ColumnMapping
from core.data.observations import dates_of
from core.estimate import Estimate, estimate
from core.fit.fit import Fitted, fit
from core.fit.settings import SamplerSettings
from core.model.build import Model, build
from core.model.mediation.mediators import with_mediators
from core.model.spec import ModelSpec
from core.model.terms.season import has_two_years


@dataclass(frozen=True)
class Case:
    """What is backtested.

    Attributes:
        frame: The whole table.
        mapping: The roles of its columns.
        spec: The model.
        sampler: Settings of each fit; short ones will do.
        on_progress: Told how far a fit is, after every block.
        should_stop: Asked after every block of a fit.
        mediators: Names of organic channels, and the markets whose KPI they are.
    """

    frame: pd.DataFrame
    mapping: ColumnMapping
    spec: ModelSpec
    sampler: SamplerSettings
    on_progress: Callable[[dict[str, Any]], None] | None = None
    should_stop: Callable[[], bool] | None = None
    mediators: "tuple[tuple[str, Case], ...]" = ()


class Mediators(NamedTuple):
    """The mediators of a market, as they were known.

    Attributes:
        models: Each with its own mediators, by name.
        posteriors: Of each, with the draws of its own mediators.
    """

    models: tuple[tuple[str, Model], ...]
    posteriors: tuple[xr.Dataset, ...]


class Whole(NamedTuple):
    """A market's model with its mediators.

    Attributes:
        model: Knows them.
        posterior: Has their draws beside its own; dims chain, draw, ...
    """

    model: Model
    posterior: xr.Dataset


def refitted(
    case: Case, train: InputData, spec: ModelSpec, mediators: Mediators | None = None
) -> tuple[Model, Fitted]:
    """The model of the data up to an origin, and its posterior.

    Args:
        case: Table and model.
        train: The data up to the origin.
        spec: The options, the case's or others.
        mediators: As they were known then, so that lift tests count what came by way
            of them; see `mediators_until`.
    """
    model = build(train, spec_until(spec, train), precision=case.sampler.precision)
    if mediators is not None and model.spec.experiments:
        whole = with_mediators(model, list(mediators.models))
        model = as_tested(model, whole, mediators.posteriors, case.sampler.seed)
    watched = {"on_progress": case.on_progress, "should_stop": case.should_stop}
    return model, fit(model, case.sampler, **watched)


def mediators_until(case: Case, n_times: int) -> Mediators | None:
    """The mediators of a market, fitted to the same periods; None without any.

    Args:
        case: Table and model.
        n_times: Periods that were known.

    Raises:
        DataError: What is left of one cannot be modelled.
        SamplingError: A fit failed or was stopped.
    """
    if not case.mediators:
        return None
    wholes = [whole_until(other, n_times) for _, other in case.mediators]
    names = [name for name, _ in case.mediators]
    models = zip(names, (whole.model for whole in wholes), strict=True)
    return Mediators(tuple(models), tuple(whole.posterior for whole in wholes))


def whole_until(case: Case, n_times: int) -> Whole:
    """The model of a market's first periods that knows its mediators, with all draws.

    Args:
        case: Table and model.
        n_times: Periods that were known.

    Raises:
        DataError: What is left cannot be modelled.
        SamplingError: A fit failed or was stopped.
    """
    full = assemble(case.frame, case.mapping)
    train = until(case, full, n_times) if n_times < full.n_times else full
    mediators = mediators_until(case, n_times)
    model, fitted = refitted(case, train, case.spec, mediators)
    if mediators is None:
        return Whole(model, fitted.posterior)
    whole = with_mediators(model, list(mediators.models))
    others, seed = mediators.posteriors, case.sampler.seed
    return Whole(whole, joint_draws(model, whole, fitted.posterior, others, seed))


def are_tested(case: Case, train: InputData) -> bool:
    """Whether a lift test that had ended changed a channel that moves a mediator.

    Args:
        case: Table and model.
        train: The data up to an origin.
    """
    moved = _moved(case)
    tests = spec_until(case.spec, train).experiments
    return any(not moved.isdisjoint(test.channels) for test in tests)


def _moved(case: Case) -> set[str]:
    """Channels of the markets whose KPIs the mediators are, however far."""
    names: set[str] = set()
    for _, other in case.mediators:
        names |= {channel.name for channel in other.mapping.channels} | _moved(other)
    return names


def until(case: Case, full: InputData, origin: int) -> InputData:
    """The market as it was known at an origin, assembled from the table cut there.

    Spend written for all geos or periods is what the whole table makes of it: its
    share of these periods.

    Raises:
        DataError: What is left cannot be modelled.
    """
    dates = dates_of(case.frame, case.mapping).values
    # a part of the dates, as text, could be read otherwise than all of them
    frame = case.frame.assign(**{case.mapping.time: dates.astype("datetime64[s]")})
    train = assemble(frame[dates < full.times[origin]], case.mapping)
    changed = {}
    for kind in PAID:
        channels = case.mapping.of_kind(kind)
        if any(channel.spend_level == "total" for channel in channels):
            spend = getattr(full, kind).spend[:, :origin]
            changed[kind] = replace(getattr(train, kind), spend=spend)
    return replace(train, **changed)


def spec_until(spec: ModelSpec, train: InputData) -> ModelSpec:
    """The options without what lies after the data: tests, windows, knots, holdout.

    And without weeks of the year that fewer than two years cannot tell.
    """
    last = str(train.times[-1])
    knots = spec.knots
    if isinstance(knots, tuple):
        knots = tuple(place for place in knots if place < train.n_times) or None
    elif isinstance(knots, int):
        knots = min(knots, train.n_times)
    return replace(
        spec,
        knots=knots,
        recurring=spec.recurring and has_two_years(train.times),
        holdout=(),
        experiments=tuple(test for test in spec.experiments if test.end <= last),
        channels=tuple(
            replace(
                channel,
                calibration=tuple(
                    dates for dates in channel.calibration if dates[1] <= last
                ),
            )
            for channel in spec.channels
        ),
    )


#: Draws of a forecast.
_DRAWS = 1000


def fold(
    case: Case, full: InputData, origin: int, horizon: int, with_knots: bool
) -> Fold:
    """One origin: forecasts, what happened, scores.

    Args:
        case: Table and model.
        full: The whole market.
        origin: First period of the test window.
        horizon: Its length.
        with_knots: Whether to fit the knots model, too.

    Raises:
        DataError: What is left cannot be modelled.
        SamplingError: A fit failed or was stopped.
    """
    train = until(case, full, origin)
    stop = origin + horizon
    # What the future will tell: media, controls, treatments, prices; not the KPI.
    future = replace(
        between(full, origin, stop),
        population=train.population,
        kpi=np.full((full.n_geos, horizon), np.nan),
    )
    outcome = full.outcome.sum(axis=0)
    actual = outcome[origin:stop]
    year = periods_per_year(train.times)
    naive = outcome[origin - year : stop - year] if origin >= year else None
    if naive is None or horizon > year:
        # Without a year earlier there is no season to repeat: the last value is what
        # anybody would say.
        naive = np.full(horizon, outcome[origin - 1])
    mediators = mediators_until(case, origin) if are_tested(case, train) else None
    ends = {"model": _forecast(case, train, case.spec, future, mediators)}
    if with_knots:
        spec = knots_spec(case.spec)
        ends["knots"] = _forecast(case, train, spec, future, mediators)
    weeks = []
    for i, time in enumerate(full.times[origin:stop]):
        forecasts = {
            name: Ends(**{end: float(values[i]) for end, values in bands_.items()})
            for name, bands_ in ends.items()
        }
        weeks.append(
            Week(
                time=str(time),
                actual=float(actual[i]),
                seasonal_naive=Ends(median=float(naive[i])),
                **forecasts,
            )
        )
    names = [*ends, "seasonal_naive"]
    return Fold(
        origin=str(full.times[origin]),
        n_seen=origin,
        weeks=tuple(weeks),
        scores={name: score(weeks, name) for name in names},
    )


def _forecast(
    case: Case,
    train: InputData,
    spec: ModelSpec,
    future: InputData,
    mediators: Mediators | None,
):
    """Median and interval ends of the national outcome, from data up to the origin."""
    model, fitted = refitted(case, train, spec, mediators)
    predicted = forecast(
        model,
        flat_draws(fitted.posterior, _DRAWS),
        future,
        case.sampler.seed,
        holds_last_knot=True,
    )
    return bands(predicted["outcome"].to_numpy())


def knots_spec(spec: ModelSpec) -> ModelSpec:
    """The same channels in Meridian's model with automatic knots."""
    terms = ("xi_", "length_", "rho")
    return replace(
        spec,
        preset="meridian",
        baseline=None,
        knots="auto",
        seasonality=None,
        weekday=None,
        smooth=None,
        recurring=False,
        holidays=None,
        events=(),
        varies_by_geo=None,
        autocorrelation=None,
        priors=tuple(
            (name, prior)
            for name, prior in spec.priors
            if not name.startswith(terms) or name in ("xi_c", "xi_n")
        ),
    )


def paid_returns(model: Model, posterior: xr.Dataset) -> dict[str, Estimate]:
    """ROI of each paid channel, an estimate."""
    by_channel = returns(model, flat_draws(posterior, _DRAWS))
    kinds = by_channel["kind"].to_numpy()
    return {
        str(name): estimate(by_channel["roi"][:, place].to_numpy())
        for place, name in enumerate(by_channel["channel"].to_numpy())
        if str(kinds[place]) in PAID
    }
