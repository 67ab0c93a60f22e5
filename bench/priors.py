"""Priors from other brands: what a brand with one year of data gains from them.

Eight brands are markets of `bench.markets.redrawn` whose spend is rescaled, so that the
log ROI of a channel is that of its kind, N(0.2, 0.6²), plus N(0, 0.2²) for the channel
and N(0, 0.3²) for the brand: over everything as wide as the default prior says. The
others are fitted on three years with the default prior. Each brand in turn is left out
and fitted on its last year, with the default prior and with the suggestion of the other
seven. `an outlier`: brand 1 among the seven returns eight times what it did.

    python -m bench.priors [--worlds 3] [--keep FILE]
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.jax_set_up import configure

configure("float32", "cpu", host_devices=1)

from bench.markets import Market, market  # noqa: E402
from bench.truth import interval_score  # noqa: E402
from core.analysis.draws import flat_draws  # noqa: E402
from core.analysis.returns import returns  # noqa: E402
from core.data.demand.names import kind_of  # noqa: E402
from core.data.input_data import InputData  # noqa: E402
from core.fit.fit import fit  # noqa: E402
from core.fit.settings import SamplerSettings  # noqa: E402
from core.model.build import build  # noqa: E402
from core.model.priors.default_priors import default_prior  # noqa: E402
from core.model.priors.pooling.learnt import Learnt, learnt  # noqa: E402
from core.model.priors.pooling.pooled import Source, pooled  # noqa: E402
from core.model.priors.prior import Prior  # noqa: E402
from core.model.spec import ChannelSpec, ModelSpec  # noqa: E402

BRANDS, YEAR, HISTORY = 8, 52, 8
SETTINGS = SamplerSettings(chains=2, warmup=400, draws=500, seed=1)
DEFAULT = default_prior("roi_m", "mixwright")
OUTLIER = 8.0


def brand(world: int, place: int, times: float = 1.0) -> Market:
    """A brand: a market whose channels return what those of the others do, about."""
    plain = market("redrawn", 1000 + 100 * world + place)
    names = plain.data.media.names
    rng = np.random.default_rng([world, 71])
    kinds = {
        kind: rng.normal(0.2, 0.6) for kind in sorted({kind_of(n).name for n in names})
    }
    common = [kinds[kind_of(name).name] + rng.normal(0, 0.2) for name in names]
    own = np.random.default_rng([world, place, 72]).normal(0, 0.3, len(names))
    return _rescaled(plain, times * np.exp(np.array(common) + own) / plain.roi)


def _rescaled(plain: Market, by: np.ndarray) -> Market:
    """The market with another cost of its media."""
    media = plain.data.media
    data = replace(plain.data, media=replace(media, spend=media.spend / by))
    last = plain.roi_last_year * by
    return replace(plain, data=data, roi=plain.roi * by, roi_last_year=last)


def last_year(data: InputData) -> InputData:
    """The last 52 weeks, and the media of a few before."""
    n = data.n_times - YEAR
    seen, media = slice(n, None), slice(n - HISTORY, None)
    return replace(
        data,
        times=data.times[seen],
        media_times=data.media_times[media],
        kpi=data.kpi[:, seen],
        controls=data.controls[:, seen],
        media=replace(
            data.media,
            units=data.media.units[:, media],
            spend=data.media.spend[:, seen],
        ),
    )


def draws_of(data: InputData, priors: Sequence[Prior | None]) -> np.ndarray:
    """ROI, draw channel, of a fit."""
    channels = tuple(
        ChannelSpec(name, prior=prior)
        for name, prior in zip(data.media.names, priors, strict=True)
    )
    model = build(data, ModelSpec(channels), precision="float32")
    fitted = fit(model, SETTINGS)
    return returns(model, flat_draws(fitted.posterior, 1000))["roi"].to_numpy()


def suggested(
    known: dict[int, list[Learnt]], names: Sequence[str], left_out: int
) -> list[Prior | None]:
    """The priors of a brand's channels by those of the others."""
    default = DEFAULT.values
    kinds = [kind_of(name) for name in names]
    priors = []
    for kind in kinds:
        sources = [
            Source(each)
            for place, of_brand in known.items()
            if place != left_out
            for each, other in zip(of_brand, kinds, strict=True)
            if other == kind
        ]
        one = pooled(sources, (default[0], default[1]))
        priors.append(None if one is None else one.prior)
    return priors


def measured(world: int) -> dict[str, dict]:
    """Intervals and truth of every channel of every brand, by prior."""
    brands = [brand(world, place) for place in range(BRANDS)]
    names = brands[0].data.media.names
    default = [None] * len(names)
    known = {
        place: [learnt(row, DEFAULT) for row in draws_of(each.data, default).T]
        for place, each in enumerate(brands)
    }
    apart = draws_of(brand(world, 0, OUTLIER).data, default)
    with_outlier = known | {0: [learnt(row, DEFAULT) for row in apart.T]}
    rows = defaultdict(list)
    for place, each in enumerate(brands):
        data = last_year(each.data)
        asked = {
            "default": default,
            "others": suggested(known, names, place),
            "an outlier": suggested(with_outlier, names, place) if place else None,
        }
        for name, priors in asked.items():
            if priors is None:
                continue
            roi = draws_of(data, priors)
            low, high = np.quantile(roi, [0.05, 0.95], axis=0)
            for i, channel in enumerate(names):
                spread = known[place][i].spread
                row = [place, channel, low[i], high[i], each.roi_last_year[i]]
                scale = None if priors[i] is None else priors[i].values[1]
                learnt_here = spread if math.isfinite(spread) else None
                rows[name].append([*row, learnt_here, scale])
    return {"world": world, "rows": json.loads(json.dumps(rows, default=float))}


def table(worlds: list[dict]) -> str:
    """The table."""
    lines = [
        "| prior | channels | interval score, ROI | on the logarithm | 90 % interval "
        "holds the ROI | mean width, log |",
        "|---|---|---|---|---|---|",
    ]
    for name, without_first in (
        ("default", False),
        ("others", False),
        ("others", True),
        ("an outlier", True),
    ):
        rows = [row for world in worlds for row in world["rows"][name]]
        rows = [row for row in rows if row[0] or not without_first]
        low, high, truth = (np.array([row[k] for row in rows]) for k in (2, 3, 4))
        score = interval_score(low, high, truth).mean()
        logs = interval_score(np.log(low), np.log(high), np.log(truth)).mean()
        held = ((low <= truth) & (truth <= high)).mean()
        width = np.log(high / low).mean()
        label = f"{name}, brands 2 to {BRANDS}" if without_first else name
        lines.append(
            f"| {label} | {len(rows)} | {score:.2f} | {logs:.2f} | {held:.0%} | "
            f"{width:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="answers so far, to go on from")
    options = parser.parse_args()
    worlds: dict[int, dict] = {}
    if options.keep and options.keep.exists():
        lines = options.keep.read_text().splitlines()
        worlds = {each["world"]: each for each in map(json.loads, lines)}
    for world in range(options.first, options.first + options.worlds):
        if world not in worlds:
            worlds[world] = measured(world)
            if options.keep:
                with options.keep.open("a") as file:
                    file.write(json.dumps(worlds[world]) + "\n")
        print(table(list(worlds.values())), flush=True)


if __name__ == "__main__":
    main()
