"""Every table of the reference reaches a first plan, with the priors for a posterior.

What lies between is sampling, which does not depend on who made the table; fits of
such tables are in bench/PUBLIC.md.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.analysis.learning.prior_draws import prior_draws
from core.analysis.response.curves import response_curves
from core.data.assemble import assemble
from core.data.layout.reading import mapping_of_table
from core.data.recognition.without_media import with_paid
from core.model.build import build
from core.model.reconstruct import posterior_variables
from core.plan.plan import plan
from core.plan.response.curves import response_curves as of_draws
from core.plan.scenario.scenario import scenario
from core.project.settings.defaults import default_spec
from tests.data.test_data_census import MARKETS, table_of
from tests.reference import REFERENCE

pytestmark = pytest.mark.skipif(
    not (REFERENCE / "public").is_dir(), reason=f"no public tables at {REFERENCE}"
)
#: A few days: a layout, no market.
TOO_SHORT = {"fivetran"}
N_DRAWS = 20


@pytest.mark.parametrize("name", sorted(MARKETS.keys() - TOO_SHORT))
def test_every_market_reaches_a_plan(name):
    market = MARKETS[name]
    table = table_of(market.files, market.answers)
    mapping = replace(mapping_of_table(table), spend_unit=market.spend_unit)
    mapping = with_paid(mapping, market.exposure_is_paid)
    model = build(assemble(table.frame, mapping), default_spec(mapping))
    latents = {
        name: jnp.asarray(draws)
        for name, draws in prior_draws(model, N_DRAWS, 1).items()
    }

    @jax.jit
    @jax.vmap
    def of_latents(draw):
        return posterior_variables(model.structure, model.arrays, draw)

    draws = {name: np.asarray(value) for name, value in of_latents(latents).items()}
    curves = of_draws(response_curves(model, draws))
    best = plan(curves, scenario(curves, supported=False))
    planned = {channel.name: channel.planned for channel in best.channels}
    assert set(planned) == set(market.paid)
    assert sum(planned.values()) == pytest.approx(best.budget, abs=0.01)
    for channel in best.channels:
        assert 0.7 - 1e-4 <= channel.multiplier <= 1.3 + 1e-4
    assert np.isfinite(best.gain_draws).all() and best.gain_draws.mean() >= 0
    assert best.advice in ("change", "test", "keep")
