"""Channels that do nothing: how often it is said of them, and of others.

Run: python -m bench.no_effect FAMILY FIRST END ...   (families of bench/markets.py)
Prints, for each channel, its true ROI, its 90 % interval and the Bayes factor of no
effect; then of how many of either kind it is said.
"""

import sys

import numpy as np

from core.fit.devices import configure

configure("float32", "cpu", host_devices=1)

from bench.markets import market  # noqa: E402
from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.learning.no_effect import AS_WELL, no_effect  # noqa: E402
from core.analysis.returns import returns  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

SETTINGS = SamplerSettings(chains=2, warmup=400, draws=500, seed=1)


def channels(family: str, seed: int) -> list[tuple[bool, bool]]:
    """Of each: whether it does something, and whether the fit says that it may not."""
    known = market(family, seed)
    names = known.data.media.names
    spec = ModelSpec(tuple(map(ChannelSpec, names)))
    model = build(known.data, spec, precision="float32")
    draws = flat_draws(fit(model, SETTINGS).posterior)
    roi = returns(model, draws)["roi"].to_numpy()
    lo, hi = np.quantile(roi, [0.05, 0.95], axis=0)
    factors = no_effect(model, draws)
    for place, name in enumerate(names):
        print(
            f"{family} {seed} {name}: true {known.roi[place]:.2f}, "
            f"{lo[place]:.2f} to {hi[place]:.2f}, factor {factors[name]:.2g}",
            flush=True,
        )
    return [
        (bool(true > 0), factors[name] >= AS_WELL)
        for name, true in zip(names, known.roi, strict=True)
    ]


def main() -> None:
    """Families with their seeds."""
    words = sys.argv[1:]
    for family, first, end in zip(words[::3], words[1::3], words[2::3], strict=True):
        pairs = [
            pair
            for seed in range(int(first), int(end))
            for pair in channels(family, seed)
        ]
        for does, name in ((False, "do nothing"), (True, "do something")):
            said = [own for kind, own in pairs if kind == does]
            print(f"{family}: said of {sum(said)} of {len(said)} that {name}")


if __name__ == "__main__":
    main()
