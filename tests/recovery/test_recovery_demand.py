"""Both readings of a channel have the mass that separate fits of each give them."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logit

from core.data.input_data import InputData, Treatments
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.model.build import Model, build
from core.model.density import collapsed_log_density
from core.model.spec import ChannelSpec, ModelSpec
from core.model.terms.demand import PRESENT

WEEKS = 80
SETTINGS = SamplerSettings(chains=4, warmup=300, draws=400, seed=3, precision="float64")
#: So sure that only one reading is left.
SURE = 60.0


def market() -> Model:
    """Sales that move with spend in the same week: by demand, or by a large return."""
    rng = np.random.default_rng(4)
    times = np.datetime64("2023-01-02") + 7 * np.arange(WEEKS)
    demand = rng.standard_normal(WEEKS)
    spend = np.exp(0.4 * demand + 0.2 * rng.standard_normal(WEEKS))[None, :, None]
    noise = 0.6 * rng.standard_normal(WEEKS)
    data = InputData(
        geos=("national",),
        times=times,
        media_times=times,
        kpi=(100.0 * (10 + 0.5 * demand + noise))[None],
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=np.ones(1),
        controls=np.zeros((1, WEEKS, 0)),
        control_names=(),
        media=Treatments(("Search",), spend, spend=30.0 * spend),
    )
    channels = (ChannelSpec("Search", follows_demand=0.5),)
    return build(data, ModelSpec(channels, knots=2, max_lag=3))


def with_odds(model: Model, log_odds: float) -> Model:
    block = model.arrays.block
    sure = block._replace(log_odds=jnp.full_like(block.log_odds, log_odds))
    return replace(model, arrays=model.arrays._replace(block=sure))


def log_ratio_of_masses(model: Model, fits: dict[float, np.ndarray]) -> float:
    """Log mass of one reading over the other's, from draws of each.

    References:
        Bennett (1976), Efficient Estimation of Free Energy Differences.
    """

    @jax.jit
    def density(positions, arrays):
        return jax.vmap(
            lambda position: collapsed_log_density(model.structure, position, arrays)
        )(positions)

    arrays = {odds: with_odds(model, odds).arrays for odds in fits}
    work = {
        odds: np.asarray(density(draws, arrays[SURE]) - density(draws, arrays[-SURE]))
        for odds, draws in fits.items()
    }
    return brentq(
        lambda c: expit(c - work[SURE]).sum() - expit(work[-SURE] - c).sum(), -50, 50
    )


@pytest.mark.slow
@pytest.mark.usefixtures("optimised")
def test_the_probability_is_the_ratio_of_the_masses_of_separate_fits():
    model = market()
    fitted = fit(model, SETTINGS)
    chance = float(fitted.posterior[PRESENT].mean())
    roi = fitted.posterior["roi_m"].to_numpy().ravel()
    present = fitted.posterior[PRESENT].to_numpy().ravel() > 0
    assert 0.1 < chance < 0.95
    assert roi[~present].mean() > 1.5 * roi[present].mean()  # the readings differ
    fits = {
        odds: fit(with_odds(model, odds), SETTINGS).draws.position
        for odds in (SURE, -SURE)
    }
    flat = {odds: jnp.asarray(z.reshape(-1, z.shape[-1])) for odds, z in fits.items()}
    expected = log_ratio_of_masses(model, flat)
    assert logit(chance) == pytest.approx(expected, abs=0.25)
    # Every chain visits both.
    by_chain = fitted.posterior[PRESENT].mean(("draw", "demand_open")).to_numpy()
    assert np.ptp(by_chain) < 0.3
