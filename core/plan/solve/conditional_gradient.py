"""Conditional gradient over draws: the split with the best quantile, or odds of a goal.

A quantile of a sum over draws has no single curve per channel. Around a split it is
the mean over the draws that lie near the quantile, weighted by how near; so the best
split of that weighted mean shows a way up, and the search goes along it as far as the
quantile itself rises. Several starts and narrowing weights; then money is exchanged
between pairs of channels, and the best end wins. The probability of a goal is climbed
in the same way, from the draws that lie near the goal.
"""

import numpy as np
from jaxtyping import Float

from core.plan.limits.polytope import Polytope
from core.plan.response.curves import ResponseCurves
from core.plan.scenario.measure import Measure
from core.plan.solve.branch_and_price import best_in

_WIDTHS = (0.1, 0.03)
_STEPS = np.array([1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01])
_ROUNDS = 5
#: Share of the best outcome by which a goal to climb towards may fall short of it.
_ROUGH = 1e-5
_FIRST_MOVE = 0.1
_LAST_MOVE = 1e-4
_EXCHANGED = 2
#: Channels that a step is tried to, and out of.
_PAIRED = 12


def climbed_split(
    curves: ResponseCurves,
    domain: Polytope,
    measure: Measure,
    *,
    starts: tuple[Float[np.ndarray, " channel"], ...],
    rounds: int = _ROUNDS,
    by_chance: bool = True,
) -> Float[np.ndarray, " channel"]:
    """A split with a high measure of the outcome over draws.

    Args:
        curves: All draws.
        domain: Limits, channels free in their range.
        measure: What is to be large.
        starts: Splits of the domain.
        rounds: Most steps at each width of the weights.
        by_chance: Whether to start from what a few draws drawn at random want too.
    """
    if by_chance:
        # Nearly all weight on a few draws: a start that no mean leads to, the same each
        # time.
        rng = np.random.default_rng(0)
        weights = rng.dirichlet(np.full(curves.n_draws, 0.02))
        chance = best_in(curves.weighted(weights), domain, most_boxes=1).spend
        starts = (*starts, chance)
    climbed = [_climbed(curves, domain, measure, start, rounds) for start in starts]
    reached = measured(curves, np.stack(climbed), measure)
    order = np.argsort(-reached, kind="stable")[:_EXCHANGED]
    ends = [_exchanged(curves, domain, measure, climbed[index]) for index in order]
    return max(ends, key=lambda end: end[1])[0]


def measured(
    curves: ResponseCurves,
    spend: Float[np.ndarray, "plan channel"],
    measure: Measure,
) -> Float[np.ndarray, " plan"]:
    """The measure of the outcome of each plan."""
    return measure.of(curves.total(spend))


def _climbed(
    curves: ResponseCurves,
    domain: Polytope,
    measure: Measure,
    spend: np.ndarray,
    rounds: int,
) -> np.ndarray:
    """The split after steps towards the best one for the draws that decide."""
    for width in _WIDTHS:
        for _ in range(rounds):
            goal = _goal(curves, domain, measure, spend, width)
            way = spend + _STEPS[:, None] * (goal - spend)
            tried = np.concatenate([spend[None], way])
            reached = measured(curves, tried, measure)
            top = int(reached.argmax())
            spend = tried[top]
            if reached[top] <= reached[0] + 1e-6 * abs(reached[0]):
                break
    return spend


def _goal(
    curves: ResponseCurves,
    domain: Polytope,
    measure: Measure,
    spend: np.ndarray,
    width: float,
) -> np.ndarray:
    """Best split for the draws whose outcome at `spend` decides the measure."""
    near = _near(curves.outcome(spend).sum(axis=1), measure, width)
    mean = curves.weighted(near)
    return best_in(mean, domain, most_boxes=1, tolerance=_ROUGH).spend


def _near(
    outcome: Float[np.ndarray, " draw"], measure: Measure, width: float
) -> Float[np.ndarray, " draw"]:
    """Weights of draws by how near their outcome ranks to what decides the measure."""
    n_draws = len(outcome)
    rank = (np.argsort(np.argsort(outcome, kind="stable")) + 0.5) / n_draws
    # Narrower than the distance of ranks every weight would be zero.
    width = max(width, 1.0 / n_draws)
    weights = np.exp(-0.5 * ((rank - measure.share(outcome)) / width) ** 2)
    return weights / weights.sum()


def _exchanged(
    curves: ResponseCurves, domain: Polytope, measure: Measure, spend: np.ndarray
) -> tuple[np.ndarray, float]:
    """The split after the best moves from one channel to another, ever smaller.

    A move changes two channels only, so pairs are tried all at once: of the channels
    that gain most from a step and those that lose least, in draws near the measure.
    """
    low, high = domain.low, domain.high
    outcome = curves.outcome(spend).T
    value = float(measure.of(outcome.sum(axis=0)))
    step, spend = _FIRST_MOVE * float((high - low).max()), spend.copy()
    smallest = _LAST_MOVE * float((high - low).max())
    while step > smallest:
        changed = curves.outcome(np.stack([spend + step, spend - step]))
        more, less = np.moveaxis(changed, 0, 2) - outcome
        near = _near(outcome.sum(axis=0), measure, _WIDTHS[0])
        gainers = np.argsort(-(more @ near), kind="stable")[:_PAIRED]
        losers = np.argsort(-(less @ near), kind="stable")[:_PAIRED]
        pairs = outcome.sum(axis=0) + more[gainers, None] + less[losers]
        reached = measure.of(np.moveaxis(pairs, 2, 0))
        allowed = _allowed(domain, spend, step)[np.ix_(gainers, losers)]
        reached = np.where(allowed, reached, -np.inf)
        to, out = np.unravel_index(int(reached.argmax()), reached.shape)
        if reached[to, out] > value + 1e-9 * abs(value):
            value = float(reached[to, out])
            spend[gainers[to]] += step
            spend[losers[out]] -= step
            outcome = curves.outcome(spend).T
        else:
            step /= 2
    return spend, value


def _allowed(domain: Polytope, spend: np.ndarray, step: float) -> np.ndarray:
    """Which moves of a step, to one channel out of another, keep to the limits."""
    fits = (spend + step <= domain.high)[:, None] & (spend - step >= domain.low)[None]
    joint, weights = domain.rows, domain.matrix
    moved = (weights @ spend)[:, None, None] + step * (
        weights[:, :, None] - weights[:, None]
    )
    slack = 1e-9 * np.abs(spend).sum()
    inside = (moved >= joint.least[:, None, None] - slack) & (
        moved <= joint.most[:, None, None] + slack
    )
    return fits & inside.all(axis=0) & ~np.eye(len(spend), dtype=bool)
