r"""Value of the sample: what seeing a test's result would bring to the next plan.

Before the test the plan is $x^*$, best for the mean of the draws. After a result $y$
the draws count by how likely they made it, $p(y \mid d)$, and the plan is best for
their weighted mean. With $f_d(x)$ the outcome of plan $x$ in draw $d$,

    value = E_y [ max_x E_d[f_d(x) | y] ] - max_x E_d[f_d(x)]

(Raiffa and Schlaifer 1961, the expected value of sample information). The result is
cut into bins, whose probabilities under each draw are exact, so that the value is that
of a finite experiment: never below zero, never above the value of knowing everything,
and free of Monte-Carlo noise given the draws.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from jaxtyping import Float

from core.plan.response.curves import ResponseCurves
from core.plan.solve.per_draw import own_plans

#: Results that are told apart.
BINS = 32
#: Quantiles of the Normal that place the bins.
_PLACES = np.array([NormalDist().inv_cdf((place + 0.5) / 15) for place in range(15)])


@dataclass(frozen=True)
class Planner:
    """What is planned after a test, and the plan before it.

    Attributes:
        curves: Response of every channel, all draws.
        low: Least spend of each channel, currency.
        high: Most spend.
        budget: Of the plan.
        plan: Best for the mean of the draws.
        price: Outcome that the plan's last unit of currency brings.
    """

    curves: ResponseCurves
    low: Float[np.ndarray, " channel"]
    high: Float[np.ndarray, " channel"]
    budget: float
    plan: Float[np.ndarray, " channel"]
    price: float


def planner(curves: ResponseCurves, bounds: tuple[float, float]) -> Planner:
    """The plan of what was spent for the mean of the draws, and what may replace it.

    Args:
        curves: All draws.
        bounds: Of every channel's spend, multiples of what was spent.
    """
    low, high = (bound * curves.spend for bound in bounds)
    total = float(curves.spend.sum())
    best = own_plans(curves.mean(), low, high, total, curves.spend)
    return Planner(curves, low, high, total, best.spend[0], float(best.price[0]))


@dataclass(frozen=True)
class SampleValue:
    """What a result would bring, over as many periods as the curves are of.

    Attributes:
        gain: Outcome of the plan after each result less that of the plan before.
        probability: Of each result and draw together; sums to one.
        plans: After each result, currency.
    """

    gain: Float[np.ndarray, "draw result"]
    probability: Float[np.ndarray, "draw result"]
    plans: Float[np.ndarray, "result channel"]

    @property
    def value(self) -> float:
        """Expected gain, outcome."""
        return float((self.gain * self.probability).sum())


def value_of_sample(
    planner: Planner,
    effect: Float[np.ndarray, " draw"],
    error: float,
) -> SampleValue:
    """What seeing a result would bring to the plan.

    Args:
        planner: What is planned.
        effect: The result that each draw expects.
        error: Standard error of the result, same unit.
    """
    likely = _likelihood(effect, error)
    total = likely.sum(axis=0)
    limits = planner.low, planner.high, planner.budget, planner.plan
    plans = own_plans(planner.curves.weighted((likely / total).T), *limits).spend
    gain = planner.curves.total(plans)
    gain = gain - planner.curves.total(planner.plan[None])
    worse = (gain * likely).sum(axis=0) < 0  # keeping the plan is always possible
    gain[:, worse], plans[worse] = 0.0, planner.plan
    return SampleValue(gain, likely / len(effect), plans)


def _likelihood(effect: np.ndarray, error: float) -> Float[np.ndarray, "draw result"]:
    """Probability of each bin of results under each draw; rows sum to one."""
    from scipy.special import ndtr  # noqa: PLC0415  slow to import

    results = effect[:, None] + error * _PLACES
    edges = np.quantile(results, np.arange(1, BINS) / BINS)
    below = ndtr((edges - effect[:, None]) / error)
    ends = np.zeros((len(effect), 1)), np.ones((len(effect), 1))
    likely = np.diff(np.concatenate([ends[0], below, ends[1]], axis=1), axis=1)
    return likely[:, likely.sum(axis=0) > 0]
