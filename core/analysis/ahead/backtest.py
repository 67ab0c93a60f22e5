r"""Backtest: forecasts made as they would have been, and what then happened.

Rolling origin: for each origin the table is cut there and everything is built again
from what is left (`core.analysis.ahead.known_then`). The test
window's own media, controls and treatments are given, as a plan and a calendar would
be. Beaten must be

- seasonal naive: the same period a year earlier (the last value where there is no
  year of data), and
- knots: Meridian's model with automatic knots, the last knot held.

Skill is $1 - \sum|\hat y - y| / \sum|\text{reference} - y|$ over all test windows.
"""

from dataclasses import replace

import numpy as np
import xarray as xr

from core.analysis.ahead.backtest_record import Ends, Fold, Week
from core.analysis.ahead.forecast import forecast
from core.analysis.ahead.forecast_score import score
from core.analysis.ahead.known_then import (
    Case,
    Mediators,
    are_tested,
    mediators_until,
    refitted,
    until,
)
from core.analysis.ahead.outlook import bands
from core.analysis.draws import flat_draws
from core.analysis.returns import returns
from core.data.ahead.horizon import between, periods_per_year
from core.data.input_data import InputData
from core.data.mapping import PAID
from core.estimate import Estimate, estimate
from core.model.build import Model
from core.model.spec import ModelSpec

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
    seen = until(case, full, origin)
    stop = origin + horizon
    # What the future will tell: media, controls, treatments, prices; not the KPI.
    future = replace(
        between(full, origin, stop),
        population=seen.population,
        kpi=np.full((full.n_geos, horizon), np.nan),
    )
    outcome = full.outcome.sum(axis=0)
    actual = outcome[origin:stop]
    year = periods_per_year(seen.times)
    naive = outcome[origin - year : stop - year] if origin >= year else None
    if naive is None or horizon > year:
        # Without a year earlier there is no season to repeat: the last value is what
        # anybody would say.
        naive = np.full(horizon, outcome[origin - 1])
    mediators = mediators_until(case, origin) if are_tested(case, seen) else None
    ends = {"model": _forecast(case, seen, case.spec, future, mediators)}
    if with_knots:
        spec = knots_spec(case.spec)
        ends["knots"] = _forecast(case, seen, spec, future, mediators)
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
    seen: InputData,
    spec: ModelSpec,
    future: InputData,
    mediators: Mediators | None,
):
    """Median and interval ends of the national outcome, from data up to the origin."""
    model, fitted = refitted(case, seen, spec, mediators)
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
