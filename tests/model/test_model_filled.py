"""Empty periods after the last: they change no number, and few weeks more no shape."""

from functools import partial

import jax
import numpy as np
import pytest

from core.analysis.by_period import by_period
from core.analysis.checking.pointwise import scaled_means
from core.analysis.incremental import outcome_at
from core.analysis.learning.evidence import log_likelihoods
from core.analysis.learning.no_effect import below_least, no_effect
from core.analysis.response.curves import response_curves
from core.analysis.returns import returns
from core.fit.reconstruction import Reconstruction
from core.fit.settings import SamplerSettings
from core.model.build import build
from core.model.density import collapsed_log_density
from core.model.latents import n_dims
from core.model.media.filled import Filled, n_filled
from tests.small_market import lift_test, market, spec

TEST = lift_test("tv", "2024-02-05", "2024-03-03", 3e4, 5e3, geos=("g0",))
#: Markets of 21 weeks, which are filled up to 22.
MARKETS = {
    "every kind": (
        market(2, 21, every_kind=True),
        spec(every_kind=True, experiments=(TEST,), holdout=(("g0", "2024-02-05"),)),
    ),
    "national": (
        market(1, 21),
        spec(baseline="structural", preset="mixwright", effectiveness="drifting"),
    ),
}


@pytest.fixture
def x64():
    with jax.enable_x64(True):
        yield


def position_of(model, n):
    rng = np.random.default_rng(0)
    return 0.3 * rng.normal(size=(n, n_dims(model.structure.latents)))


@pytest.mark.parametrize(
    ("n", "filled"),
    [(1, 1), (15, 15), (21, 22), (36, 36), (104, 104), (152, 160), (156, 160)],
)
def test_periods_are_filled_up_by_an_eighth_at_most(n, filled):
    assert n_filled(n) == filled
    assert all(k <= n_filled(k) <= 1.13 * k for k in range(1, 1000))


@pytest.mark.parametrize("name", MARKETS)
def test_the_density_and_its_gradient_are_the_same(name, x64):
    model = build(*MARKETS[name])
    assert model.filled.n_more == 1
    (position,) = position_of(model, 1)
    both = [
        jax.jit(jax.value_and_grad(partial(collapsed_log_density, structure)))(
            position, arrays
        )
        for structure, arrays in (
            (model.structure, model.arrays),
            model.filled[:2],
        )
    ]
    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-9), *both)


def test_what_draws_say_is_the_same(x64):
    settings = SamplerSettings(chains=1, draws=10, precision="float64")
    model, plain = (build(*MARKETS["every kind"]) for _ in range(2))
    plain.__dict__["filled"] = Filled(plain.structure, plain.arrays)
    said = [everything(each, settings) for each in (model, plain)]
    assert said[0].keys() == said[1].keys()
    for name, value in said[0].items():
        np.testing.assert_allclose(
            value, said[1][name], rtol=1e-7, atol=1e-9, err_msg=name
        )


def everything(model, settings):
    """What draws say, by name."""
    posterior = Reconstruction(model, settings)(position_of(model, 4)[None])
    draws = {name: values.to_numpy()[0] for name, values in posterior.items()}
    middle = {name: values.mean(axis=0) for name, values in draws.items()}
    views = returns(model, draws), response_curves(model, draws)
    numbers = {
        f"{place} {name}": values.to_numpy()
        for place, view in enumerate((posterior, *views))
        for name, values in view.items()
    }
    return numbers | {
        "periods": by_period(model, draws).expected,
        "added": by_period(model, draws).added,
        "means": scaled_means(model, draws),
        "likelihoods": log_likelihoods(model, draws),
        "middle": outcome_at(model, middle),
        **{f"least {k}": v for k, v in below_least(model, draws).items()},
        **{f"none {k}": v for k, v in no_effect(model, draws).items()},
    }


def test_some_weeks_more_are_the_same_structure_and_shapes():
    few, more = (build(market(1, n), spec()).filled for n in (21, 22))
    assert few.structure == more.structure
    shapes = [jax.tree.map(np.shape, each.arrays) for each in (few, more)]
    assert shapes[0] == shapes[1]


def test_noise_that_geos_share_has_a_column_a_period_and_stays():
    model = build(market(3, 21), spec(baseline="structural", preset="mixwright"))
    assert any(term.is_noise for term in model.structure.terms)
    assert model.filled == Filled(model.structure, model.arrays)
