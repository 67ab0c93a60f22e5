"""A market as it was known at an earlier day, and its model fitted to that alone.

Everything is built again from what is left (scaling, designs of the linear terms,
automatic knots, population), also of the markets whose KPIs its mediators are, so that
nothing looks ahead.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from core.analysis.ahead.joint_draws import as_tested, joint_draws
from core.data.assemble import assemble
from core.data.input_data import InputData
from core.data.mapping import PAID, ColumnMapping
from core.data.observations import dates_of
from core.fit.fit import Fitted, fit
from core.fit.settings import SamplerSettings
from core.model.build import Model, build
from core.model.mediation.mediators import with_mediators
from core.model.spec import ModelSpec


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
    case: Case, seen: InputData, spec: ModelSpec, mediators: Mediators | None = None
) -> tuple[Model, Fitted]:
    """The model of the data up to an origin, and its posterior.

    Args:
        case: Table and model.
        seen: The data up to the origin.
        spec: The options, the case's or others.
        mediators: As they were known then, so that lift tests count what came by way
            of them; see `mediators_until`.
    """
    model = build(seen, spec_until(spec, seen), precision=case.sampler.precision)
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
    seen = until(case, full, n_times) if n_times < full.n_times else full
    mediators = mediators_until(case, n_times)
    model, fitted = refitted(case, seen, case.spec, mediators)
    if mediators is None:
        return Whole(model, fitted.posterior)
    whole = with_mediators(model, list(mediators.models))
    others, seed = mediators.posteriors, case.sampler.seed
    return Whole(whole, joint_draws(model, whole, fitted.posterior, others, seed))


def are_tested(case: Case, seen: InputData) -> bool:
    """Whether a lift test that had ended changed a channel that moves a mediator.

    Args:
        case: Table and model.
        seen: The data up to an origin.
    """
    moved = _moved(case)
    tests = spec_until(case.spec, seen).experiments
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
    seen = assemble(frame[dates < full.times[origin]], case.mapping)
    changed = {}
    for kind in PAID:
        channels = case.mapping.of_kind(kind)
        if any(channel.spend_level == "total" for channel in channels):
            spend = getattr(full, kind).spend[:, :origin]
            changed[kind] = replace(getattr(seen, kind), spend=spend)
    return replace(seen, **changed)


def spec_until(spec: ModelSpec, seen: InputData) -> ModelSpec:
    """The options without what lies after the data: tests, windows, knots, holdout."""
    last = str(seen.times[-1])
    knots = spec.knots
    if isinstance(knots, tuple):
        knots = tuple(place for place in knots if place < seen.n_times) or None
    elif isinstance(knots, int):
        knots = min(knots, seen.n_times)
    return replace(
        spec,
        knots=knots,
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
