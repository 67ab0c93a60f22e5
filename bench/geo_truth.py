"""Plans of geos on simulated markets: what moving money between geos truly adds.

    python -m bench.geo_truth        6 seeds at two spreads, 10 minutes

Markets of eight geos, two years of weeks and six paid channels whose effects per head
differ between geos, little (as in the demo) or much. Each is fitted with the default
model; its plan keeps the budget, moves every channel by up to 30 % and every channel in
a geo between half and twice its spend. What plans truly bring is evaluated with the
curves that the market was made with.
"""

import argparse
import json
from dataclasses import replace

import numpy as np
import xarray as xr

from core.analysis.draws import flat_draws
from core.analysis.response.curves import GEO_MULTIPLIERS, geo_curves
from core.data.assemble import assemble
from core.data.input_data import InputData
from core.data.simulate import (
    Market,
    adstock,
    saturation,
    scaled_media,
    simulate_market,
)
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.model.build import build
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.geo_plan import geo_plan
from core.plan.record.geos import GeoPlan
from core.plan.response.geos import GeoResponse, geo_response
from core.plan.scenario.scenario import Scenario, scenario

N_GEOS, N_TIMES, _MAX_LAG = 8, 104, 8
SETTINGS = SamplerSettings(chains=2, warmup=200, draws=200, seed=1)
_STEP = 1e-4


def true_curves(made: Market, data: InputData) -> xr.Dataset:
    """The market's own response by geo, as one draw of geo_curves.nc."""
    price = made.frame["Revenue_per_unit"].to_numpy().reshape(data.n_geos, -1)
    worth = data.population[:, None] * price
    spend = data.media.spend

    def outcome(multiple: float) -> np.ndarray:
        rows = []
        for place, name in enumerate(data.media.names):
            told, effect = made.truth[name], made.effects[name]
            scaled = scaled_media(data.media.units[:, :, place], data.population)

            def response(m, scaled=scaled, told=told, effect=effect):
                carried = adstock(m * scaled, told["alpha"], _MAX_LAG)
                hill = saturation(carried, told["ec"], told["slope"])
                return effect * (worth * hill).sum(axis=1)

            total = told["roi"] * spend[:, :, place].sum()
            rows.append(response(multiple) * total / response(1.0).sum())
        return np.array(rows)

    value = np.stack([outcome(m) for m in GEO_MULTIPLIERS], axis=-1)
    low = np.maximum(GEO_MULTIPLIERS - _STEP, 0.0)
    ends = [np.stack([outcome(m) for m in x], -1) for x in (low, low + 2 * _STEP)]
    dims = ("draw", "channel", "geo", "spend_multiplier")
    return xr.Dataset(
        {
            "incremental_outcome": (dims, value[None]),
            "slope": (dims, ((ends[1] - ends[0]) / (2 * _STEP))[None]),
        },
        coords={
            "channel": list(data.media.names),
            "geo": list(data.geos),
            "spend_multiplier": GEO_MULTIPLIERS,
            "spend": (("channel", "geo"), spend.sum(axis=1).T),
            "max_multiplier_seen": (
                ("channel", "geo"),
                (spend.max(axis=1) / spend.mean(axis=1)).T,
            ),
        },
    )


def told(seed: int, spread: float) -> dict:
    """What the fit of one market said of moving money between geos, and what is so."""
    made = simulate_market(seed, n_geos=N_GEOS, n_times=N_TIMES, geo_spread=spread)
    data = assemble(made.frame, made.mapping)
    truth = geo_response(true_curves(made, data))
    spec = ModelSpec(tuple(ChannelSpec(name) for name in data.media.names))
    model = build(data, spec, precision="float32")
    fitted = fit(model, SETTINGS)
    found = geo_response(geo_curves(model, flat_draws(fitted.posterior, 300)))
    asked = request(found)
    planned, best = geo_plan(found, asked), geo_plan(truth, asked)
    gain = _between_geos(planned)
    true_gain = worth(truth, planned, "planned") - worth(truth, planned, "in_pattern")
    low, high = np.quantile(gain, [0.1, 0.9])
    return {
        "seed": seed,
        "spread": spread,
        "now": worth(truth, planned, "comparison"),
        "gain_over_now": worth(truth, planned, "planned")
        - worth(truth, planned, "comparison"),
        "between_geos": true_gain,
        "between_geos_expected": float(gain.mean()),
        "covered": bool(low <= true_gain <= high),
        "advice": planned.geo_advice.advice,
        "share_expected": float(
            gain.mean() / planned.draws.in_pattern.sum(axis=1).mean()
        ),
        "best_over_now": float(best.gain().mean()),
        "best_between_geos": float(_between_geos(best).mean()),
        "gap": planned.gap,
        "verdict": fitted.verdict.status,
    }


def request(given: GeoResponse) -> Scenario:
    """Channels within 30 % of what they spend now."""
    market = replace(given.together(given.in_channel), names=given.channels)
    return scenario(market, bounds=(0.7, 1.3))


def _between_geos(plan):
    """Outcome of a plan minus that of the best that keeps the pattern; draw."""
    return (plan.draws.planned - plan.draws.in_pattern).sum(axis=1)


def worth(truth: GeoResponse, made: GeoPlan, split: str) -> float:
    """What a split truly brings."""
    return float(truth.curves.outcome(getattr(made.spend, split))[0].sum())


def main() -> None:
    """Measure and print a line per market."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--seeds", type=int, default=6, help="how many")
    parser.add_argument("--spread", type=float, nargs="*", default=[0.15, 0.6])
    options = parser.parse_args()
    for seed in range(options.first, options.first + options.seeds):
        for spread in options.spread:
            print(json.dumps(told(seed, spread)), flush=True)


if __name__ == "__main__":
    main()
