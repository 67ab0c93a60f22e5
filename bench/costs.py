"""What it costs that a channel may follow demand: markets fitted both ways, in turn.

python -m bench.costs        a quarter of an hour; one core
python -m bench.costs --memory        noise with memory, too

Processor seconds of whole fits (modes, warm-up, draws, reconstruction, diagnostics),
with the sum over patterns of followers and with no channel that may follow. The first
fit of each compiles and is told apart.
"""

import argparse
import time
from dataclasses import replace

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

import numpy as np  # noqa: E402

from bench.markets import market  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

_SETTINGS = SamplerSettings(chains=4, warmup=500, draws=500, seed=1)


def seconds(data, spec: ModelSpec) -> tuple[float, float]:
    """Processor seconds of one fit, and its leapfrog steps a draw."""
    model = build(data, spec, precision="float32")
    started = time.process_time()
    steps = np.mean(fit(model, _SETTINGS).draws.n_steps)
    return time.process_time() - started, float(steps)


def main() -> None:
    """Print the ratio by family, after one fit each that compiles."""
    parser = argparse.ArgumentParser(description=__doc__)
    families = ["steady:5", "following_strong:5", "geo:3"]
    parser.add_argument("--families", nargs="*", default=families, help="name:seeds")
    parser.add_argument("--memory", action="store_true", help="noise with memory, too")
    options = parser.parse_args()
    for each in options.families:
        family, _, n = each.partition(":")
        pairs = []
        for seed in range(int(n)):
            data = market(family, seed).data
            named = tuple(map(ChannelSpec, data.media.names))
            terms = ModelSpec(named)
            plain = replace(
                terms,
                channels=tuple(replace(one, follows_demand=False) for one in named),
                autocorrelation=False if options.memory else None,
            )
            if not seed:
                first = seconds(data, plain)[0], seconds(data, terms)[0]
                print(f"{family}, compiled: {first[1] / first[0]:.2f}", first)
            pairs.append((seconds(data, plain), seconds(data, terms)))
            print(family, seed, *pairs[-1], flush=True)
        pairs = np.array(pairs)
        ratio = pairs[:, 1] / pairs[:, 0]
        low, middle, high = np.quantile(ratio[:, 0], [0, 0.5, 1])
        print(
            f"{family}: {middle:.2f} ({low:.2f} to {high:.2f}) of {len(pairs)}; "
            f"steps {np.median(ratio[:, 1]):.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
