r"""Actuals: what came of a plan, split into spend, response and baseline.

In draw $d$ of the forecast, in the periods $t$ that are known, channel $c$ brings
$f_{dct}(x)$ at spend $x$, and everything else $b_{dt}$. The plan says $m$, the actuals
$a$ and the outcome $Y$:

    planned_d   = sum_t b_dt + sum_c f_dct(m)   expected_d = sum_t b_dt + sum_c f_dct(a)
    spend_dc    = sum_t f_dct(a) - f_dct(m)
    response_dc = delta_dc sum_t f_dct(a)
    baseline_d  = Y - expected_d - sum_c response_dc

where $\delta_{dc}$ is a draw of how much the response of $c$ changed since the fit,
given what each period leaves (`core.plan.against.changed_response`): so the intervals
hold what the fit does not know and what these periods cannot tell apart. In every draw

    Y - planned_d = sum_c spend_dc + sum_c response_dc + baseline_d

Where it is known in which geo the money was spent, $f_{dct}(a)$ is what it brings there
(`core.plan.money.where_spent`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float

from core.data.ahead.actual_table import Actuals
from core.dims import TIME
from core.errors import PlanError
from core.estimate import estimate, extended
from core.plan.against.carried import brought
from core.plan.against.changed_response import PRIORS, changed_response
from core.plan.against.terms import AS_RAN, Terms
from core.plan.money.where_spent import Spread
from core.plan.record.actuals import (
    Change,
    ChannelChanges,
    GeoChanges,
    NamedChange,
    PlanBesideActuals,
)

#: Parts of the difference, in the order in which they happen.
PARTS = ("spend", "response", "baseline")
#: Two causes whose draws are correlated more than this cannot be told apart.
_ONE_FOR_THE_OTHER = -0.5


@dataclass(frozen=True)
class Geos:
    """Where a plan's money goes, and where it went.

    Attributes:
        names: Of the geos.
        planned: By the plan.
        spent: As it was spent.
        terms: What was spent brings at these.
    """

    names: tuple[str, ...]
    planned: Spread
    spent: Spread
    terms: Terms


@dataclass(frozen=True)
class InGeos:
    """What media brings in each geo.

    Attributes:
        geos: Where money goes and went.
        planned: By the plan, from the first of these periods on.
        spent: As it was spent.
    """

    geos: Geos
    planned: Float[np.ndarray, "draw geo"] = field(repr=False)
    spent: Float[np.ndarray, "draw geo"] = field(repr=False)

    def lines(self) -> tuple[GeoChanges, ...]:
        """Geos in rows."""
        money = (
            each.spend.sum(axis=0) for each in (self.geos.planned, self.geos.spent)
        )
        planned, spent = money
        return tuple(
            GeoChanges(
                name=name,
                planned_spend=float(planned[g]),
                actual_spend=float(spent[g]),
                brought=estimate(self.spent[:, g]),
                spend=_change(self.spent[:, g] - self.planned[:, g]),
            )
            for g, name in enumerate(self.geos.names)
        )


@dataclass(frozen=True)
class Variance:
    """Why the outcome was not the planned one.

    Attributes:
        actuals: What happened.
        names: Paid channels.
        planned_spend: What the plan would have spent in these periods, currency.
        is_valued: Whether the channel ran a year earlier, so that its spend has a
            response here.
        is_beyond: Whether a spend is beyond the largest multiple that is stored.
        planned: Outcome by the plan.
        expected: Outcome that the model expects at the spend that there was.
        chance: Share of draws, noise included, that stay below the actual outcome.
        spend: What other spend than planned explains.
        response: What a response that changed since the fit explains.
        baseline: The rest: baseline, unpaid channels, controls, chance.
        geos: What was planned and spent in each geo, and what media brings there;
            None where that is not known.
    """

    actuals: Actuals
    names: tuple[str, ...]
    planned_spend: Float[np.ndarray, " channel"]
    is_valued: Bool[np.ndarray, " channel"]
    is_beyond: Bool[np.ndarray, " channel"]
    planned: Float[np.ndarray, " draw"] = field(repr=False)
    expected: Float[np.ndarray, " draw"] = field(repr=False)
    chance: float
    spend: Float[np.ndarray, "draw channel"] = field(repr=False)
    response: Float[np.ndarray, "draw channel"] = field(repr=False)
    baseline: Float[np.ndarray, " draw"] = field(repr=False)
    geos: InGeos | None = field(default=None, repr=False)

    @property
    def difference(self) -> Float[np.ndarray, " draw"]:
        """Actual less planned outcome; the parts add up to it in every draw."""
        return float(self.actuals.outcome.sum()) - self.planned

    def part(self, name: str) -> Float[np.ndarray, " draw"]:
        """One of `PARTS`, over all channels."""
        draws = getattr(self, name)
        return draws if draws.ndim == 1 else draws.sum(axis=1)

    def confused(self) -> list[tuple[str, str]]:
        """Causes of which these periods cannot say which one it was, the worst first.

        Pairs of a channel, by its response, and the baseline or another channel.
        """
        names = [*self.names, "baseline"]
        draws = np.column_stack([self.response, self.baseline])
        places = np.flatnonzero(draws.std(axis=0) > 0)
        if len(places) < 2:
            return []
        together = np.corrcoef(draws[:, places], rowvar=False)
        pairs = sorted(
            (together[i, j], i, j)
            for j in range(len(places))
            for i in range(j)
            if together[i, j] < _ONE_FOR_THE_OTHER
        )
        return [(names[places[i]], names[places[j]]) for _, i, j in pairs]

    def record(self, **about: Any) -> PlanBesideActuals:
        """The difference as everybody reads it, with what is known of the plan."""
        times = self.actuals.times
        return PlanBesideActuals(
            start=str(times[0]),
            end=str(times[-1]),
            periods=self.actuals.n_times,
            actual=float(self.actuals.outcome.sum()),
            planned=estimate(self.planned),
            expected=estimate(self.expected),
            probability_below=self.chance,
            difference=estimate(self.difference),
            parts=tuple(
                _change(self.part(name), NamedChange, name=name) for name in PARTS
            ),
            confused=tuple(self.confused()),
            priors=PRIORS,
            channels=tuple(
                ChannelChanges(
                    name=name,
                    planned_spend=float(self.planned_spend[i]),
                    actual_spend=float(self.actuals.spend[name].sum()),
                    spend=_change(self.spend[:, i]),
                    response=_change(self.response[:, i]),
                    is_valued=bool(self.is_valued[i]),
                    beyond_grid=bool(self.is_beyond[i]),
                )
                for i, name in enumerate(self.names)
            ),
            geos=() if self.geos is None else self.geos.lines(),
            **about,
        )


def against_actuals(
    view: xr.Dataset,
    planned: Mapping[str, Float[np.ndarray, " time"]],
    actuals: Actuals,
    decay: Mapping[str, Float[np.ndarray, " lag"]] = MappingProxyType({}),
    terms: Terms = AS_RAN,
    geos: Geos | None = None,
) -> Variance:
    """Split actual less planned outcome.

    Args:
        view: forecast.nc.
        planned: The plan's spend of each channel in each of these periods; that from
            a year earlier where it says nothing.
        actuals: What happened in the first periods of the forecast.
        decay: What of a channel's media carries over, by lag; at once by default.
        terms: How the plan buys its media in these periods.
        geos: In which geos its money goes, and went.

    Raises:
        PlanError: The forecast is shorter than the actuals.
    """
    some = covered(view, actuals.n_times)
    names = tuple(str(name) for name in some["paid"].to_numpy())
    usual = by_period(some["spend"])
    as_planned = np.array(
        [planned.get(*each) for each in zip(names, usual, strict=True)]
    )
    spent = np.array([actuals.spend[name] for name in names])
    lags = lags_of(names, decay)
    now, _ = brought(some.response, usual, usual, lags)
    none, _ = brought(some.response, 0 * usual, usual, lags)
    (by_plan, is_far), (by_spend, is_farther) = (
        brought(some.response, terms.bought(names, spend, usual), usual, lags)
        for spend in (as_planned, spent)
    )
    by_plan = terms.lifted(names, by_plan, none)
    by_spend = (terms if geos is None else geos.terms).lifted(names, by_spend, none)
    expected = by_period(some["expected"])
    noise = by_period(some["outcome"]) - expected
    level = expected - now.sum(axis=1)
    explained = level + by_spend.sum(axis=1)
    # A channel that did not run a year earlier has no response that could change.
    is_valued = usual.sum(axis=1) > 0
    valued = by_spend * is_valued[:, None]
    share = changed_response(
        actuals.outcome - explained, valued, explained.mean(axis=0), noise
    )
    response = share * valued.sum(axis=2)
    total, in_all = float(actuals.outcome.sum()), explained.sum(axis=1)
    return Variance(
        actuals=actuals,
        names=names,
        planned_spend=as_planned.sum(axis=1),
        is_valued=is_valued,
        is_beyond=is_far | is_farther,
        planned=(level + by_plan.sum(axis=1)).sum(axis=1),
        expected=in_all,
        chance=float((in_all + noise.sum(axis=1) <= total).mean()),
        spend=(by_spend - by_plan).sum(axis=2),
        response=response,
        baseline=total - in_all - response.sum(axis=1),
        geos=geos and _brought_there(geos, names, by_plan - none, by_spend - none),
    )


def _brought_there(
    geos: Geos,
    names: tuple[str, ...],
    by_plan: Float[np.ndarray, "draw channel time"],
    by_spend: Float[np.ndarray, "draw channel time"],
) -> InGeos:
    """What media of these periods brings in each geo."""
    of_plan, of_spend = by_plan.sum(axis=2), by_spend.sum(axis=2)
    planned, spent = geos.planned.part(names, of_plan), geos.spent.part(names, of_spend)
    return InGeos(geos, planned, spent)


def covered(view: xr.Dataset, n: int) -> xr.Dataset:
    """The first n periods of a forecast.

    Raises:
        PlanError: It is shorter.
    """
    if view.sizes[TIME] < n:
        raise PlanError(
            f"The forecast covers {view.sizes[TIME]} periods, the actuals {n}.",
            hint="Take the later periods out of the table.",
            where="actuals",
        )
    return view.isel({TIME: slice(n)})


def by_period(of_periods: xr.DataArray) -> Float[np.ndarray, "row time"]:
    """Numbers by period, of draws or of channels."""
    return of_periods.transpose(..., TIME).to_numpy().astype(float)


def lags_of(
    names: tuple[str, ...], decay: Mapping[str, np.ndarray]
) -> Float[np.ndarray, "channel lag"]:
    """What carries over, by lag; at once where nothing is known."""
    longest = max((len(decay[name]) for name in names if name in decay), default=1)
    lags = np.zeros((len(names), longest))
    for place, name in enumerate(names):
        weights = decay.get(name, np.ones(1))
        lags[place, : len(weights)] = weights
    return lags


def _change(
    draws: Float[np.ndarray, " draw"], kind: type[Change] = Change, **about: str
) -> Change:
    """An estimate, and whether its interval is on one side of zero."""
    numbers = estimate(draws)
    is_firm = bool(numbers.lo > 0 or numbers.hi < 0)
    return extended(kind, numbers, is_firm=is_firm, **about)
