"""Response curves of a fit: what each draw says a channel's spend brings.

A worker stores incremental outcome and its slope on a grid of spend multipliers, for
every draw. Between grid points a curve is the cubic with these values and slopes;
beyond the grid it goes on along its tangent. Both are linear in the draws, so the
curve of the mean is the mean of the curves.
"""

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from core.analysis.response.by_way import Mediated, mediated_of
from core.data.price_index import PRICES
from core.errors import PlanError, WorkspaceError
from core.plan.response.cubic import Cubics, hermite, hermite_weights
from core.plan.response.periods import Horizon, horizon_of
from core.plan.response.together import History, never_together
from core.text.languages.language import marked
from core.text.verdicts import NO_SPEND

if TYPE_CHECKING:  # a command that submits a run has no need of it before
    import xarray as xr

_NEEDED = ("incremental_outcome", "slope", "spend")

#: Numbers that are worked out together.
_IN_CACHE = 30_000

#: Marks of channels in stored curves, and the least value of each: bought after demand
#: more likely than not; measured by a lift test.
MARKS = {"follows_demand": 0.5, "lift_tests": 1}


class Frequency(NamedTuple):
    """What a channel with reach and frequency brings at its best frequency.

    Attributes:
        channel: Its name.
        best: Exposures per person reached, of the highest mean outcome.
        ran: As it ran.
        lift: Outcome at the best over that at the one that ran, at any spend.
    """

    channel: str
    best: float
    ran: float
    lift: Float[np.ndarray, " draw"]


class Elsewhere(NamedTuple):
    """What amounts of curves hold, where they pay for more than a channel's own media.

    Attributes:
        bought: Share of the demand that is bought, by mediator.
        amounts: What a channel costs in all, currency: knots of its own, which stay
            where the curves get others; channel knot.
        own: Own spend at these; channel knot.
        spent: On mediators, at these; draw channel knot.
        before: The curves of own spend that these were made of.
    """

    bought: dict[str, float]
    amounts: Float[np.ndarray, "channel knot"]
    own: Float[np.ndarray, "channel knot"]
    spent: Float[np.ndarray, "draw channel knot"]
    before: "ResponseCurves"


@dataclass(frozen=True)
class ResponseCurves:
    """Curves per draw and channel over a grid of multipliers of today's spend.

    Today's spend is that of the data's own periods, or of a horizon's periods a year
    earlier.

    Attributes:
        names: Channels, in order.
        spend: Today's spend, currency; above zero.
        grid: Multipliers of today's spend, rising.
        value: Incremental outcome.
        slope: d incremental outcome / d multiplier.
        highest_seen: Largest spend of one period over the mean one; NaN where unknown.
        currency: Of the spend; empty where unknown.
        outcome_unit: `revenue` or `kpi`; empty where unknown.
        follows: Channels that are bought after demand more likely than not.
        tested: Channels whose lift tests the fit has seen.
        horizon: The periods of the spend.
        idle: Channels without spend in them, which have no curve.
        histories: Spend of every period that each fit behind the curves saw.
        gammas: How much dearer each channel gets with volume, where the spend has
            that in it (`core.plan.response.price`); empty at one price.
        prices: What a unit of each costs over last year's, likewise; empty at those.
        frequencies: Of channels with reach and frequency, and what the best brings.
        at_best: Channels that are bought at their best frequency.
        beliefs: Channels that no fit saw: see `core.plan.response.belief`.
        by_period: Today's spend of each period; None for a fit that did not store it.
        indexed: Price of each period over a year earlier's, where an index has it.
        mediators: What channels bring by way of mediators, and make us spend there.
        elsewhere: What of an amount is that; None where amounts are own spend.
    """

    names: tuple[str, ...]
    spend: Float[np.ndarray, " channel"]
    grid: Float[np.ndarray, " knot"]
    value: Float[np.ndarray, "draw channel knot"]
    slope: Float[np.ndarray, "draw channel knot"]
    highest_seen: Float[np.ndarray, " channel"]
    currency: str = ""
    outcome_unit: str = ""
    follows: tuple[str, ...] = ()
    tested: tuple[str, ...] = ()
    horizon: Horizon = Horizon()
    idle: tuple[str, ...] = ()
    histories: tuple[History, ...] = ()
    gammas: tuple[float, ...] = ()
    prices: tuple[float, ...] = ()
    frequencies: tuple[Frequency, ...] = ()
    at_best: tuple[str, ...] = ()
    beliefs: tuple[str, ...] = ()
    by_period: Float[np.ndarray, "period channel"] | None = None
    indexed: tuple[tuple[str, tuple[float, ...]], ...] = ()
    mediators: tuple[Mediated, ...] = ()
    elsewhere: Elsewhere | None = None

    @property
    def untested(self) -> frozenset[str]:
        """Channels that are bought after demand and have no lift test."""
        return frozenset(self.follows) - frozenset(self.tested)

    @property
    def paid(self) -> tuple[Mediated, ...]:
        """The mediators that cost money."""
        return tuple(each for each in self.mediators if each.is_paid)

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return self.value.shape[0]

    def mean(self) -> "ResponseCurves":
        """The mean curve, as one draw."""
        return self.weighted(np.full(self.n_draws, 1 / self.n_draws))

    def weighted(self, weights: Float[np.ndarray, "*sum draw"]) -> "ResponseCurves":
        """Weighted sums of the draws' curves, each as one draw.

        A single one without BLAS, whose threads wait for each other on a busy machine.
        """
        several = weights.ndim > 1
        value, slope = (
            np.einsum("...d,dck->...ck", weights, each, optimize=several)
            for each in (self.value, self.slope)
        )
        shape = (-1, *self.value.shape[1:])
        return replace(self, value=value.reshape(shape), slope=slope.reshape(shape))

    def on_grid(
        self,
        grid: Float[np.ndarray, " knot"],
        bought: Float[np.ndarray, "knot channel"] | None = None,
        rise: np.ndarray | float = 1.0,
    ) -> "ResponseCurves":
        """The curves on a grid that has all their knots: cut, a cubic stays one.

        Args:
            grid: Multiples of spend.
            bought: Multiples of media that each buys; the same where not given.
            rise: Their slope.
        """
        if bought is None and np.array_equal(grid, self.grid):
            return self
        multiples = grid[:, None] if bought is None else bought
        value, marginal = self.outcome_and_marginal(multiples * self.spend)
        value, slope = (
            np.ascontiguousarray(np.moveaxis(each, 1, 2))
            for each in (value, marginal * self.spend * rise)
        )
        return replace(self, grid=grid, value=value, slope=slope)

    def draws(self, first: int, last: int) -> "ResponseCurves":
        """Some of the draws' curves."""
        part = slice(first, last)
        return replace(self, value=self.value[part], slope=self.slope[part])

    def charged(self, cost: float) -> "ResponseCurves":
        """Curves of the outcome net of a cost per unit of currency spent."""
        spent = self.spend[:, None] * self.grid
        return replace(
            self,
            value=self.value - cost * spent,
            slope=self.slope - cost * self.spend[:, None],
        )

    def outcome(
        self, spend: Float[np.ndarray, "*plan channel"]
    ) -> Float[np.ndarray, "draw *plan channel"]:
        """Incremental outcome of spends, any number of plans at once."""
        k, *place = self._place(spend / self.spend)
        return self._read(np.arange(len(self.names)) * len(self.grid) + k, *place)

    def total(
        self, spend: Float[np.ndarray, "plan channel"]
    ) -> Float[np.ndarray, "draw plan"]:
        """`outcome` of all channels together.

        A few draws at a time, so that they stay in the processor's cache.
        """
        together = max(int(_IN_CACHE // max(spend.size, 1)), 1)
        parts = range(0, self.n_draws, together)
        return np.concatenate(
            [
                self.draws(first, first + together).outcome(spend).sum(axis=-1)
                for first in parts
            ]
        )

    def outcome_along(
        self, knots: Float[np.ndarray, "channel knot"]
    ) -> Float[np.ndarray, "draw channel knot"]:
        """`outcome` of each channel at spends of its own."""
        k, *place = self._place(knots / self.spend[:, None])
        row = np.arange(len(self.names))[:, None]
        return self._read(row * len(self.grid) + k, *place)

    def _read(self, at: np.ndarray, t: np.ndarray, width: np.ndarray, over: np.ndarray):
        """Outcome at pieces of the grid of all channels, in the shape of `at`."""
        rise, first, last = hermite_weights(t, width, over)
        value = self.value.reshape(self.n_draws, -1)
        slope = self.slope.reshape(self.n_draws, -1)
        start = value.take(at, axis=1)
        # In place: each new array of all draws would take as long as what fills it.
        outcome = value.take(at + 1, axis=1)
        outcome -= start
        outcome *= rise
        outcome += start
        for weight, place in ((first, at), (last, at + 1)):
            part = slope.take(place, axis=1)
            part *= weight
            outcome += part
        return outcome

    def marginal(
        self, spend: Float[np.ndarray, "*plan channel"]
    ) -> Float[np.ndarray, "draw *plan channel"]:
        """Outcome gained by the next unit of currency."""
        return self.outcome_and_marginal(spend)[1]

    def outcome_and_marginal(
        self, spend: Float[np.ndarray, "*plan channel"]
    ) -> tuple[
        Float[np.ndarray, "draw *plan channel"],
        Float[np.ndarray, "draw *plan channel"],
    ]:
        """`outcome` and `marginal` of the same spends."""
        k, t, width, over = self._place(spend / self.spend)
        at = np.arange(len(self.names)) * len(self.grid) + k
        value = self.value.reshape(self.n_draws, -1)
        slope = self.slope.reshape(self.n_draws, -1)
        ends = [part.take(at + i, axis=1) for part in (value, slope) for i in (0, 1)]
        value, slope = hermite(t, width, tuple(ends))
        return value + slope * over, slope / self.spend

    def beyond_grid(
        self, spend: Float[np.ndarray, " channel"]
    ) -> Bool[np.ndarray, " channel"]:
        """Where the curve is drawn on along its tangent."""
        return spend > self.spend * self.grid[-1] * (1 + 1e-9)

    def beyond_seen(
        self, spend: Float[np.ndarray, " channel"]
    ) -> Bool[np.ndarray, " channel"]:
        """Where a typical period would cost more than any period so far."""
        return spend > self.spend * self.highest_seen * (1 + 1e-9)

    def unseen_together(self, spend: Float[np.ndarray, " channel"]) -> float:
        """Share of periods in which a split was never seen together.

        Each channel's spend is multiplied in every period that the fit saw; periods
        in which one leaves its own range do not count. Of several fits, the one with
        the largest share.
        """
        times = spend / self.spend
        return max(
            (
                float(never_together(ran, ran * times[place]).mean())
                for place, ran in self.histories
            ),
            default=0.0,
        )

    def within(
        self, low: Float[np.ndarray, " channel"], high: Float[np.ndarray, " channel"]
    ) -> Cubics:
        """The first draw's curves between limits in money, on knots of their own."""
        x = self.knots_within(low, high)
        first = replace(self, value=self.value[:1], slope=self.slope[:1])
        value, slope = first.outcome_and_marginal(x.T)
        return Cubics(x, value[0].T.copy(), slope[0].T.copy())

    def knots_within(
        self, low: Float[np.ndarray, " channel"], high: Float[np.ndarray, " channel"]
    ) -> Float[np.ndarray, "channel knot"]:
        """The grid between limits, and the limits, in money; some are the same."""
        last = np.maximum(high / self.spend, self.grid[-1])
        knots = np.broadcast_to(self.grid, (len(self.names), len(self.grid)))
        x = np.concatenate([knots, last[:, None]], axis=1) * self.spend[:, None]
        return np.clip(x, low[:, None], high[:, None])

    def _place(self, place: np.ndarray) -> tuple[np.ndarray, ...]:
        """Piece of each multiple, place on it, width, and what is beyond the grid."""
        inside = np.clip(place, self.grid[0], self.grid[-1])
        k = np.searchsorted(self.grid, inside, side="right") - 1
        k = np.clip(k, 0, len(self.grid) - 2)
        width = self.grid[k + 1] - self.grid[k]
        return k, (inside - self.grid[k]) / width, width, place - inside


def response_curves(stored: "xr.Dataset") -> ResponseCurves:
    """Response curves from what a worker stored (`curves.nc`).

    Raises:
        PlanError: No channel has spend in these periods.
        WorkspaceError: Something is missing or not a number.
    """
    for name in _NEEDED:
        if name not in stored:
            raise _damaged(f"has no {name}")
    order = ("draw", "channel", "spend_multiplier")
    value = stored["incremental_outcome"].transpose(*order).values.astype(float)
    slope = stored["slope"].transpose(*order).values.astype(float)
    grid = stored["spend_multiplier"].values.astype(float)
    spend = stored["spend"].values.astype(float)
    names = tuple(str(name) for name in stored["channel"].values)
    if not names:
        raise no_spend()
    if value.size == 0 or not np.isfinite(value).all():
        raise _damaged(marked("holds incremental outcomes that are not numbers"))
    if not np.isfinite(spend).all() or (np.diff(grid) <= 0).any():
        raise _damaged(marked("holds spends that are not numbers"))
    idle = [name for name, cost in zip(names, spend, strict=True) if cost <= 0]
    keep = spend > 0
    if not keep.any():
        raise PlanError(
            f"No channel has spend ({', '.join(idle)}), so there is nothing to plan.",
            hint="Plan other periods, or fit a model with the cost of a channel.",
        )
    highest = np.full(len(names), np.nan)
    if "max_multiplier_seen" in stored:
        highest = stored["max_multiplier_seen"].values.astype(float)
    return ResponseCurves(
        names=tuple(name for name in names if name not in idle),
        spend=spend[keep],
        grid=grid,
        value=np.ascontiguousarray(value[:, keep]),
        slope=np.ascontiguousarray(_tame_slopes(grid, value, slope)[:, keep]),
        highest_seen=highest[keep],
        currency=str(stored.attrs.get("currency", "")),
        outcome_unit=str(stored.attrs.get("outcome_unit", "")),
        follows=_marked(stored, "follows_demand"),
        tested=_marked(stored, "lift_tests"),
        horizon=horizon_of(stored.attrs),
        idle=tuple(idle),
        histories=_histories(stored, keep),
        frequencies=_frequencies(stored),
        by_period=stored["spend_by_period"].values[:, keep]
        if "spend_by_period" in stored
        else None,
        indexed=_indexed(stored, idle),
        mediators=mediated_of(stored, keep),
    )


def _frequencies(stored: "xr.Dataset") -> tuple[Frequency, ...]:
    """Channels with reach and frequency; none for a fit that did not store them."""
    if "frequency_lift" not in stored:
        return ()
    return tuple(
        Frequency(
            str(name),
            float(stored["frequency_best"].sel(channel=name)),
            float(stored["frequency_ran"].sel(channel=name)),
            stored["frequency_lift"].sel(channel=name).values.astype(float),
        )
        for name in stored["channel"].values
        if np.isfinite(float(stored["frequency_best"].sel(channel=name)))
    )


def _indexed(
    stored: "xr.Dataset", idle: list[str]
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Prices of the periods by the channels' price index; none without."""
    prices = json.loads(stored.attrs.get(PRICES, "{}"))
    return tuple((name, tuple(x)) for name, x in prices.items() if name not in idle)


def _histories(stored: "xr.Dataset", keep: np.ndarray) -> tuple[History, ...]:
    """What the fit saw; nothing for one that did not store it."""
    if "history" not in stored:
        return ()
    return (History(np.arange(keep.sum()), stored["history"].values[:, keep]),)


def no_spend() -> PlanError:
    """The error of a plan for a market whose channels are all organic."""
    return PlanError(
        NO_SPEND,
        hint="Contributions are on the Channels screen and in summary. To plan, add a "
        "column with the cost of a channel and fit again.",
    )


def _marked(stored: "xr.Dataset", mark: str) -> tuple[str, ...]:
    """Channels with a mark; none for a fit that has no such mark."""
    if mark not in stored:
        return ()
    names = stored["channel"].values[stored[mark].values >= MARKS[mark]]
    return tuple(str(name) for name in names)


def _tame_slopes(grid: np.ndarray, value: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Slopes with a stand-in where a cubic cannot follow them from zero.

    Hill is vertical at zero where its slope is below 1, and next to vertical where
    what carries in leaves a trace of media there: its cubic would shoot far above the
    curve. The stand-in is the steepest start with which the first piece bends down, or
    stays between its ends where it is S-shaped.
    """
    rise = np.diff(value, axis=-1) / np.diff(grid)
    before = np.concatenate([rise[..., :1], rise], axis=-1)
    is_vertical = ~np.isfinite(slope[..., 0])
    slope = np.where(np.isfinite(slope), slope, before)
    sign, first = np.sign(rise[..., 0]), np.abs(rise[..., 0])
    start, end = sign * slope[..., 0], sign * slope[..., 1]
    steepest = np.where(end < first, 3 * first - 2 * end, 3 * first)
    is_vertical |= start > steepest
    slope[..., 0] = sign * np.where(is_vertical, steepest, start)
    return slope


def _damaged(what: str) -> WorkspaceError:
    return WorkspaceError(
        f"The stored response curves are damaged: curves.nc {what}.",
        hint="Fit the model again.",
        where="curves.nc",
    )
