"""Right where Meridian is wrong (its issues are in docs/decisions.md): one test each.

The drawn marginal ROI and ROI of unsaturated channels, and population-scaled non-media
treatments, are in test_analysis_incremental.py; unsaturated curves are lines in
test_model_saturation.py; knots that see no held-out cell in test_model_knots.py.
"""

import numpy as np
import pytest

from core.analysis.learning.prior_predictive import prior_predictive
from core.data.mapping import KINDS
from core.errors import SpecError
from core.model.build import build
from core.model.priors.prior import prior
from core.model.shares.agreement import check
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.limits.cents import step
from tests.small_market import market, spec

BELOW_ZERO = prior("Normal", loc=1.0, scale=1.0)
CHANNEL_OF = {"media": "tv", "reach_frequency": "video", "organic_media": "blog"}


@pytest.mark.parametrize("kind", CHANNEL_OF)
def test_a_prior_that_log_normal_effects_cannot_have_is_refused_for_every_kind(kind):
    name = CHANNEL_OF[kind]
    options = spec(every_kind=True, channels={name: {"prior": BELOW_ZERO}})
    data = market(every_kind=True)
    with pytest.raises(SpecError, match=f"Channel {name}.*cannot be negative"):
        check(options, data)
    check(
        spec(
            every_kind=True,
            channels={name: {"prior": BELOW_ZERO}},
            media_effects="normal",
        ),
        data,
    )


def test_organic_reach_and_frequency_is_no_exception():
    options = ModelSpec(
        (ChannelSpec("clips", "organic_reach_frequency", prior=BELOW_ZERO),)
    )
    from core.data.input_data import Treatments

    data = market(every_kind=True)
    clips = Treatments(("clips",), data.reach_frequency.units)
    clips = Treatments(("clips",), clips.units, data.reach_frequency.frequency)
    empty = {kind: Treatments() for kind in KINDS}
    given = vars(data) | empty | {"organic_reach_frequency": clips}
    with pytest.raises(SpecError, match="Channel clips.*cannot be negative"):
        check(options, type(data)(**given))


def test_predictive_checks_are_reproduced_by_their_seed():
    model = build(market(n_geos=1), spec())
    first, again, other = (prior_predictive(model, seed) for seed in (1, 1, 2))
    assert first == again
    assert first.baseline_share != other.baseline_share


@pytest.mark.parametrize("budget", [0.9, 12.5, 3.0e6])
def test_small_currencies_are_not_cut_to_whole_units(budget):
    assert step(budget) <= 0.01


def test_curves_without_saturation_are_lines():
    import jax
    import jax.numpy as jnp

    from core.analysis.learning.prior_draws import prior_draws
    from core.analysis.multiples import response
    from core.model.reconstruct import posterior_variables

    options = spec(channels={"tv": {"saturation": "none"}})
    model = build(market(), options)
    drawn = {k: jnp.asarray(v[0]) for k, v in prior_draws(model, 1, 3).items()}
    at = jnp.array([0.0, 0.5, 1.0, 2.0])

    @jax.jit
    def along(drawn):
        draw = posterior_variables(model.structure, model.arrays, drawn)
        return response(model.structure, model.arrays, draw, at)

    value, slope = along(drawn)
    np.testing.assert_allclose(value[0], at * value[0, 2], rtol=1e-9)
    np.testing.assert_allclose(slope[0], value[0, 2], rtol=1e-9)
