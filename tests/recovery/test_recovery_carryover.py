"""Known truth: late carryover (delayed, Weibull) is found, and so is the ROI."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.draws import flat_draws
from core.data.assemble import assemble
from core.data.simulate import simulate_market
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.model.build import build
from core.model.decay import Decay, decay_weights
from core.model.priors.prior import prior
from core.model.spec import ChannelSpec, ModelSpec
from tests.given_latents import expected_kpi

CHANNEL, N_LAGS = 0, 9
TRUTH = {
    "delayed": {"alpha_m": 0.5, "theta_m": 2.0},
    "weibull_cdf": {"lam_m": 3.0, "k_m": 2.0},
    "weibull_pdf": {"lam_m": 3.5, "k_m": 2.5},
}

pytestmark = pytest.mark.slow


def made_by(model, values, rng):
    """A KPI that the model itself makes with these parameters, little noise."""
    params = {
        latent.name: jnp.full(latent.shape, values.get(latent.name, 0.0))
        for latent in model.structure.latents
    }
    mean = expected_kpi(model.structure, model.arrays, params)
    noise = values["sigma"] * rng.standard_normal(mean.shape)
    return model.scale.mean + model.scale.std * (np.asarray(mean) + noise)


def weights(kind, draws):
    """Shares felt at each lag, draw lag."""
    stems = ("alpha", "theta", "lam", "k")
    given = {s: draws[f"{s}_m"][:, CHANNEL] for s in stems if f"{s}_m" in draws}

    def of_draw(one):
        decay = Decay(*(one[s][None] if s in one else jnp.ones(1) for s in stems))
        window = jnp.full(1, float(N_LAGS))
        return decay_weights((kind,), decay, window, N_LAGS)[0]

    return np.asarray(jax.vmap(of_draw)(given))


@pytest.mark.parametrize("kind", TRUTH)
def test_late_carryover_and_roi_are_found(kind):
    market = simulate_market(3, n_times=130)
    data = assemble(market.frame, market.mapping)
    data = replace(data, media=replace_first(data.media))
    options = ModelSpec(
        channels=(
            ChannelSpec(data.media.names[0], adstock=kind),
            ChannelSpec(data.media.names[1]),
        ),
        preset="meridian",
        knots=4,
        max_lag=N_LAGS - 1,
        priors=(("gamma_c", prior("Normal", loc=0.0, scale=1.0)),),
    )
    model = build(data, options)
    truth = {"alpha_m": 0.4, "ec_m": 1.0, "slope_m": 1.0, "roi_m": 1.5, "sigma": 0.1}
    truth |= TRUTH[kind]
    kpi = made_by(model, truth, np.random.default_rng(7))
    again = build(replace(data, kpi=kpi), options)
    settings = SamplerSettings(
        chains=2, warmup=300, draws=400, seed=4, precision="float64"
    )
    draws = flat_draws(fit(again, settings).posterior)
    lo, hi = np.quantile(draws["roi_m"], [0.01, 0.99], axis=0)
    assert ((lo < 1.5) & (hi > 1.5)).all(), (lo, hi)
    lags = weights(kind, draws) @ np.arange(N_LAGS)
    lo, hi = np.quantile(lags, [0.01, 0.99])
    given = {name: np.full((1, 2), value) for name, value in truth.items()}
    known = float((weights(kind, given) @ np.arange(N_LAGS))[0])
    assert lo < known < hi
    assert hi - lo < 2.5  # periods: the prior's interval is three times as wide


def replace_first(media):
    """The first two channels alone: fewer parameters, the same question."""
    return replace(
        media,
        names=media.names[:2],
        units=media.units[:, :, :2],
        spend=media.spend[:, :, :2],
    )
