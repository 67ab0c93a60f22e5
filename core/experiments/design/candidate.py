"""Design: a test that could be run, how precise it would be, and what it would cost.

The standard error comes from placebos on the market's own geos; the effect to be found,
the outcome lost and the money saved come from the draws of the fit. Money saved counts
for what it would bring elsewhere in the plan (the price of the budget), so that cost is
in the unit of the outcome whatever that is.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float
from msgspec.structs import replace

from core.dims import INTERVAL
from core.estimate import Estimate, estimate, weighted
from core.experiments.design.market import Market
from core.experiments.design.record import Design
from core.experiments.design.sample_value import Planner, SampleValue, value_of_sample

Kind = Literal["dark", "dim", "heavy-up"]

#: Kinds of tests: spend as a multiple of the usual.
MULTIPLES: dict[Kind, float] = {"dark": 0.0, "dim": 0.5, "heavy-up": 1.5}
#: Probability with which the minimal detectable effect is detected.
POWER = 0.8
#: A net below this share of the outcome that it comes from is rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Arm:
    """Where and how long a test could run, and how precise that is.

    Attributes:
        geos: Treated; all of a national market if empty.
        weeks: How long.
        length: The same in periods.
        errors: What the comparison shows where nothing was tested, shares; either sign
            is as likely.
        outcome: Outcome that is expected there meanwhile, without the test.
        start: First day, ISO.
    """

    geos: tuple[str, ...]
    weeks: int
    length: int
    errors: Float[np.ndarray, " placebo"]
    outcome: float
    start: str

    @property
    def error(self) -> float:
        """Standard error of the lift, a share."""
        return float(np.sqrt((self.errors**2).mean()))

    @property
    def reach(self) -> float:
        """Half the width of the 90 % interval of the lift, a share."""
        return float(np.quantile(np.abs(self.errors), INTERVAL))

    @property
    def mde(self) -> float:
        """Lift that is detected with probability `POWER`, a share."""
        either = np.concatenate([self.errors, -self.errors])
        return self.reach + float(np.quantile(either, POWER))

    def power(self, effect: Float[np.ndarray, " draw"]) -> float:
        """Probability that the interval leaves out zero, over draws of the effect."""
        either = np.sort(np.concatenate([self.errors, -self.errors]))
        lift = np.abs(effect) / self.outcome
        below = np.searchsorted(either, self.reach - lift, side="right")
        beneath = np.searchsorted(either, -self.reach - lift, side="left")
        return float((1 - (below - beneath) / len(either)).mean())


class Stakes(NamedTuple):
    """What a test would show and cost, before its result is valued.

    Attributes:
        effect: Incremental outcome that the test would report, per draw.
        error: Standard error of it.
        lost: Outcome lost, carryover included, per draw.
        saved: Spend that is saved, currency.
        cost: Outcome lost less what the money saved brings elsewhere, per draw.
    """

    effect: Float[np.ndarray, " draw"]
    error: float
    lost: Float[np.ndarray, " draw"]
    saved: float
    cost: Float[np.ndarray, " draw"]

    @property
    def charged(self) -> Float[np.ndarray, " draw"]:
        """Cost, with an expected gain of the test's own spend left out."""
        return self.cost - min(float(self.cost.mean()), 0.0)

    @property
    def learnt(self) -> float:
        """Share of what is not known of the effect that the result would settle."""
        signal, noise = float(self.effect.var()), self.error**2
        return signal / (signal + noise) if signal > 0 else 0.0


def stakes(
    market: Market, planner: Planner, channel: str, kind: Kind, arm: Arm
) -> Stakes:
    """What a test would show and cost, at the spend that is usual in its weeks.

    Args:
        market: What the fit says.
        planner: The plan that the result is for.
        channel: Tested.
        kind: What happens to its spend.
        arm: Where, when and how precise.
    """
    part = arm.length / market.n_times
    level = market.level(channel, arm.geos, arm.start, arm.length)
    change, money = market.difference(channel, arm.geos, MULTIPLES[kind], level)
    effect = np.abs(change) * part * market.seen(channel, arm.length)
    lost, saved = -change * part, -money * part
    cost = lost - planner.price * saved
    return Stakes(effect, arm.error * arm.outcome, lost, saved, cost)


def design(
    market: Market,
    planner: Planner,
    channel: str,
    kind: Kind,
    arm: Arm,
    horizon: int,
) -> Design:
    """What a test would find, cost and bring.

    Args:
        market: What the fit says.
        planner: The plan that the result is for.
        channel: Tested.
        kind: What happens to its spend.
        arm: Where, when and how precise.
        horizon: Periods of the plan from the first day of the test on; the test's own
            are lost to it.
    """
    effect, error, lost, saved, cost = at = stakes(market, planner, channel, kind, arm)
    sample = value_of_sample(planner, effect, error)
    rest = max(horizon - arm.length, 0) / market.n_times
    end = np.datetime64(arm.start, "D") + arm.length * market.panel.step - 1
    return Design(
        channel=channel,
        kind=kind,
        multiple=MULTIPLES[kind],
        geos=arm.geos,
        start=arm.start,
        end=str(end),
        weeks=arm.weeks,
        standard_error=error,
        mde=arm.mde,
        mde_outcome=arm.mde * arm.outcome,
        power=arm.power(effect),
        expected=estimate(effect),
        outcome_lost=estimate(lost),
        money_saved=saved,
        cost=estimate(cost),
        value=sample.value * rest,
        net=_net(sample, rest, at.charged, arm.outcome),
    )


def _net(sample: SampleValue, rest: float, cost: np.ndarray, size: float) -> Estimate:
    """Gain less cost over draws and results: an estimate, and the odds above zero.

    Args:
        sample: What each result would bring.
        rest: Share of the horizon that is left after the test.
        cost: Of the test; draw.
        size: Of the outcomes whose differences these are.
    """
    gain = sample.gain * rest
    net = (gain - cost[:, None]).ravel()
    # Differences of large outcomes leave rounding, which pays nothing.
    rounding = _ROUNDING * max(abs(size), np.abs(gain).max(), np.abs(cost).max())
    net[np.abs(net) <= rounding] = 0.0
    weight = sample.probability.ravel()
    numbers = weighted(net, weight)
    return replace(
        numbers,
        mean=0.0 if abs(numbers.mean) <= rounding else numbers.mean,
        probability_positive=float(weight[net > 0].sum()),
    )
