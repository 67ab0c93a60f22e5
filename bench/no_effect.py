"""Channels that do nothing: how often it is said of them, and of others.

Run: python -m bench.no_effect FAMILY FIRST END ...   (families of bench/markets.py)
Prints, for each channel, its true ROI, its 90 % interval and the Bayes factor of no
effect; then of how many of either kind it is said, and how often 90 % intervals hold
and score if a share of channels were taken to do nothing before the fit: each by
itself, beside the others as they are.
"""

import sys
from typing import NamedTuple

import numpy as np

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

from bench.markets import market  # noqa: E402
from bench.truth import interval_score  # noqa: E402
from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.learning.no_effect import AS_WELL, no_effect  # noqa: E402
from core.analysis.returns import returns  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

SETTINGS = SamplerSettings(chains=2, warmup=400, draws=500, seed=1)
#: Shares of channels that do nothing, before a fit.
SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3)


class Channel(NamedTuple):
    """One channel of a market: its true ROI, draws of it and the Bayes factor."""

    truth: float
    roi: np.ndarray
    factor: float

    def chance_of_none(self, share: float) -> float:
        """Probability that it does nothing, where such a share does before the fit."""
        return share * self.factor / (1.0 - share + share * self.factor)

    def interval(self, share: float) -> tuple[float, float]:
        """90 % interval with so much of the posterior at zero."""
        none = self.chance_of_none(share)
        ends = [
            0.0 if at <= none else np.quantile(self.roi, (at - none) / (1.0 - none))
            for at in (0.05, 0.95)
        ]
        return float(ends[0]), float(ends[1])


def channels(family: str, seed: int) -> list[Channel]:
    """Every channel of a market."""
    known = market(family, seed)
    names = known.data.media.names
    spec = ModelSpec(tuple(map(ChannelSpec, names)))
    model = build(known.data, spec, precision="float32")
    draws = flat_draws(fit(model, SETTINGS).posterior)
    roi = returns(model, draws)["roi"].to_numpy()
    factors = no_effect(model, draws)
    found = [
        Channel(truth, of_draws, factors[name])
        for name, truth, of_draws in zip(names, known.roi, roi.T, strict=True)
    ]
    for name, one in zip(names, found, strict=True):
        lo, hi = one.interval(0.0)
        print(
            f"{family} {seed} {name}: true {one.truth:.2f}, {lo:.2f} to {hi:.2f}, "
            f"factor {one.factor:.2g}",
            flush=True,
        )
    return found


def with_share(family: str, kind: str, of_kind: list[Channel], share: float) -> None:
    """Prints how often intervals hold where such a share does nothing."""
    ends = np.array([one.interval(share) for one in of_kind])
    truth = np.array([one.truth for one in of_kind])
    held = ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).sum()
    score = interval_score(ends[:, 0], ends[:, 1], truth).mean()
    none = np.mean([one.chance_of_none(share) for one in of_kind])
    kept = min(1.0 - one.chance_of_none(share) for one in of_kind)
    print(
        f"{family}, {share:.0%} do nothing: of those that {kind} {held} of "
        f"{len(of_kind)} held, score {score:.2f}, probability of none {none:.2f}, "
        f"least that a mean keeps {kept:.2f}"
    )


def main() -> None:
    """Families with their seeds."""
    words = sys.argv[1:]
    for family, first, end in zip(words[::3], words[1::3], words[2::3], strict=True):
        found = [
            one
            for seed in range(int(first), int(end))
            for one in channels(family, seed)
        ]
        kinds = {
            "do nothing": [one for one in found if one.truth == 0],
            "do something": [one for one in found if one.truth > 0],
        }
        for kind, of_kind in kinds.items():
            said = sum(one.factor >= AS_WELL for one in of_kind)
            print(f"{family}: said of {said} of {len(of_kind)} that {kind}")
            for share in SHARES if of_kind else ():
                with_share(family, kind, of_kind, share)


if __name__ == "__main__":
    main()
