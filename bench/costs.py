"""What noise with memory and demand terms cost: 30 markets fitted both ways, in turn.

python -m bench.costs        a quarter of an hour; one core, compiled once each
"""

import time
from dataclasses import replace

from core.fit.devices import configure

configure("float32", "cpu", host_devices=1)

import numpy as np  # noqa: E402

from bench.markets import market  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

_FAMILIES = ("steady", "following_strong", "geo")
_SEEDS = range(10)
_SETTINGS = SamplerSettings(chains=4, warmup=500, draws=500, seed=1)


def seconds(data, spec: ModelSpec) -> float:
    """Processor seconds of one fit."""
    model = build(data, spec, precision="float32")
    started = time.process_time()
    fit(model, _SETTINGS)
    return time.process_time() - started


def main() -> None:
    """Print the ratio by family, after one fit each that compiles."""
    every = []
    for family in _FAMILIES:
        ratios = []
        for seed in (_SEEDS[0], *_SEEDS):
            data = market(family, seed).data
            plain = ModelSpec(
                tuple(
                    ChannelSpec(name, follows_demand=False) for name in data.media.names
                ),
                autocorrelation=False,
            )
            terms = replace(
                plain,
                channels=tuple(map(ChannelSpec, data.media.names)),
                autocorrelation=None,
            )
            both = seconds(data, plain), seconds(data, terms)
            ratios.append(both[1] / both[0])
        every += ratios[1:]
        print(f"{family}: {np.median(ratios[1:]):.2f} (median of {len(_SEEDS)})")
    low, middle, high = np.quantile(every, [0.1, 0.5, 0.9])
    print(f"all {len(every)}: {middle:.2f}, 10 to 90 % {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
