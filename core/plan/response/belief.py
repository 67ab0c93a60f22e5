r"""Belief: the response of a channel that the fit has never seen run.

Nothing was measured, so its curve is what somebody believes, and is marked as that:

    f_d(x) = r_d s h_d(x) / h_d(s),    h_d(x) = x / (x + e_d s)

with s the spend that the belief is of, r_d its ROI there and e_d the half-saturation
in multiples of s. r has the range that is typed as its 90 % interval, else what the
fit's own channels of the same kind say of one more: in every draw their mean log ROI,
with the spread between channels around it. log e ~ N(0, 0.5²).
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from jaxtyping import Float

from core.data.demand.names import OTHER, kind_of
from core.plan.response.curves import Elsewhere, ResponseCurves

#: Spend that stands for none, so that multiples of it exist.
NOTHING = 1e-4
#: Spread of the half-saturation's logarithm, and the least of the ROI's.
_BEND, _LEAST_SPREAD = 0.5, 0.5
#: Half the width of a 90 % interval, in standard deviations.
_HALF = NormalDist().inv_cdf(0.95)
#: Knots of the curve, in multiples of the spend that the belief is of.
_KNOTS = np.concatenate([np.linspace(0.0, 1.0, 21)[1:], np.linspace(1.1, 4.0, 30)])


@dataclass(frozen=True)
class Belief:
    """What somebody believes of a channel without history.

    Attributes:
        name: The channel.
        spend: Over the plan's periods, currency; the ROI is at this spend.
        roi: 90 % interval of the ROI; None for that of the fit's channels of its kind.
    """

    name: str
    spend: float
    roi: tuple[float, float] | None = None

    def note(self, names: Sequence[str]) -> str:
        """The sentence that marks it.

        Args:
            names: Channels that the fit has seen.
        """
        if self.roi is None:
            like = kin(self.name, names)
            said = f"an ROI like that of {', '.join(like)}"
        else:
            said = f"an ROI between {self.roi[0]:g} and {self.roi[1]:g}"
        return (
            f"{self.name} never ran in this fit: {said} is a belief, not a "
            "measurement. The odds hold if the belief does; a small test first would "
            "tell."
        )


def kin(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """The channels of the same kind by their names; all where there is none."""
    kind = kind_of(name)
    same = [each for each in names if kind != OTHER and kind_of(each) == kind]
    return tuple(same or names)


def believed(curves: ResponseCurves, beliefs: Sequence[Belief]) -> ResponseCurves:
    """The curves with channels that are believed in, after the others.

    Args:
        curves: All draws; channels that they have already stay as they are.
        beliefs: Of channels without history.
    """
    new = [belief for belief in beliefs if belief.name not in curves.names]
    if not new:
        return curves
    multiples = [belief.spend / NOTHING * _KNOTS for belief in new]
    grid = np.unique(np.concatenate([curves.grid, *multiples]))
    old = curves.on_grid(grid)
    added = [_curve(curves, belief, grid * NOTHING) for belief in new]
    value, slope = (np.stack(parts, axis=1) for parts in zip(*added, strict=True))
    return replace(
        old,
        names=(*curves.names, *(belief.name for belief in new)),
        spend=np.append(curves.spend, np.full(len(new), NOTHING)),
        value=np.concatenate([old.value, value], axis=1),
        slope=np.concatenate([old.slope, slope * NOTHING], axis=1),
        highest_seen=np.append(curves.highest_seen, np.full(len(new), np.nan)),
        by_period=_with_none(curves.by_period, len(new)),
        elsewhere=_that_pays_nothing(curves, new),
        beliefs=(*curves.beliefs, *(belief.name for belief in new)),
    )


def _that_pays_nothing(
    curves: ResponseCurves, new: Sequence[Belief]
) -> Elsewhere | None:
    """What amounts pay elsewhere, with channels that make us spend on nothing."""
    terms = curves.elsewhere
    if terms is None:
        return None
    none = np.zeros((len(new), terms.amounts.shape[1]))
    spent = np.zeros((terms.spent.shape[0], *none.shape))
    return terms._replace(
        amounts=np.concatenate([terms.amounts, none]),
        own=np.concatenate([terms.own, none]),
        spent=np.concatenate([terms.spent, spent], axis=1),
        before=believed(terms.before, new),
    )


def _with_none(
    by_period: Float[np.ndarray, "period channel"] | None, n_new: int
) -> Float[np.ndarray, "period more"] | None:
    """Spend of each period with channels that had none."""
    if by_period is None:
        return None
    return np.concatenate([by_period, np.zeros((len(by_period), n_new))], axis=1)


def _curve(
    curves: ResponseCurves, belief: Belief, spend: Float[np.ndarray, " knot"]
) -> tuple[Float[np.ndarray, "draw knot"], Float[np.ndarray, "draw knot"]]:
    """Outcome and its slope in money."""
    measured = curves.outcome(curves.spend) / curves.spend
    roi = roi_of(belief, curves.names, measured)[:, None]
    half = (bend_of(belief, curves.n_draws) * belief.spend)[:, None]
    top = roi * (belief.spend + half)
    return top * spend / (spend + half), top * half / (spend + half) ** 2


def bend_of(belief: Belief, n_draws: int) -> Float[np.ndarray, " draw"]:
    """e: the half-saturation in multiples of the belief's spend, in each draw."""
    return np.exp(_BEND * _normal(n_draws, f"{belief.name} bend"))


def roi_of(
    belief: Belief, names: Sequence[str], measured: Float[np.ndarray, "draw channel"]
) -> Float[np.ndarray, " draw"]:
    """r: the ROI at the belief's spend, in each draw.

    Args:
        belief: Of a channel without history.
        names: Channels that the fit has seen.
        measured: Their ROI.
    """
    z = _normal(len(measured), belief.name)
    if belief.roi is not None:
        low, high = np.log(belief.roi)
        return np.exp((low + high) / 2 + (high - low) / (2 * _HALF) * z)
    # Some draws say that a channel brought nothing, which has no logarithm.
    least = 1e-3 * np.abs(np.median(measured)) + 1e-300
    logs = np.log(np.maximum(measured, least))
    spread = max(float(logs.mean(axis=0).std()), _LEAST_SPREAD)
    like = [list(names).index(name) for name in kin(belief.name, names)]
    # Apart from its kind as they are from each other, whose mean is known from few.
    return np.exp(logs[:, like].mean(axis=1) + spread * np.sqrt(1 + 1 / len(like)) * z)


def _normal(n: int, name: str) -> Float[np.ndarray, " draw"]:
    """Quantiles of a standard Normal in an order that the name decides."""
    # Not by hash(), which differs from process to process.
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    # Quantiles in a random order: few draws, too, are spread as the Normal is.
    places = (rng.permutation(n) + 0.5) / n
    return np.array([NormalDist().inv_cdf(place) for place in places.tolist()])
