"""Parameters: what is shown of each, against the draws and priors that it is of."""

from functools import partial

import jax
import numpy as np
import pytest
import xarray as xr

from core.analysis.learning.prior_draws import prior_draws
from core.analysis.parameters import parameters
from core.fit.convergence import diagnostics_table
from core.fit.reconstruction import _labels
from core.model.build import build
from core.model.reconstruct import posterior_variables
from core.text.parameters import OF_MARKET, plain_name
from tests.small_market import market, spec

CHAINS, DRAWS = 2, 450


@pytest.fixture(scope="module")
def drawn():
    """Draws from the prior, as a posterior would be; slope of tv far above it."""
    model = build(market(), spec(baseline="structural", preset="mixwright"))
    variables = partial(posterior_variables, model.structure, model.arrays)
    made = jax.jit(jax.vmap(variables))(prior_draws(model, CHAINS * DRAWS, 3))
    values = {
        name: np.asarray(value).reshape(CHAINS, DRAWS, *value.shape[1:])
        for name, value in made.items()
        if value.size and not name.endswith("_dev") and name != "tau_g_excl_baseline"
    }
    values["slope_m"] = values["slope_m"] + 4
    dims, coords = _labels(model, values)
    axes = {"chain": np.arange(CHAINS), "draw": np.arange(DRAWS)}
    posterior = xr.Dataset(
        {
            name: (("chain", "draw", *dims[name]), value)
            for name, value in values.items()
        },
        coords=axes | coords,
    )
    diverging = np.zeros((CHAINS, DRAWS), bool)
    diverging[1, 7] = True
    return posterior, parameters(model, posterior, diverging, diagnostics_table(values))


def test_every_parameter_with_a_prior_to_give_is_there_by_a_plain_name(drawn):
    _, made = drawn
    labels = [str(one) for one in made["parameter"].values]
    assert {"roi_m[tv]", "alpha_m[tv]", "slope_m[tv]", "sigma"} <= set(labels)
    assert not [one for one in labels if one.startswith(("knot", "beta_g", "gamma_s"))]
    names = [
        plain_name(str(one), str(of))[0]
        for one, of in zip(made["name"].values, made["of"].values, strict=True)
    ]
    assert "tv · slope" in names
    assert len(set(names)) == len(names)
    assert not [name for name in names if "_" in name]
    assert labels.index("sigma") > labels.index("slope_m[tv]")


def test_draws_and_figures_are_those_of_the_posterior(drawn):
    posterior, made = drawn
    own = made.sel(parameter="alpha_m[tv]")
    whole = posterior["alpha_m"].sel(media_channel="tv")
    assert own["mean"] == pytest.approx(float(whole.mean()))
    at = made["draw"].values - 1
    np.testing.assert_allclose(own["draws"], whole.values[:, at], rtol=1e-6)
    assert made.sizes["draw"] == 400
    assert made.sizes["divergence"] == 1
    np.testing.assert_allclose(own["divergent"], whole.values[1, 7])
    assert 0.99 < own["rhat"] < 1.1


def test_a_posterior_that_leaves_its_prior_is_marked_and_no_other(drawn):
    _, made = drawn
    out = [str(one) for one in made["parameter"].values[made["leaves"].values > 0]]
    assert out == ["slope_m[tv]"]


def test_densities_of_draws_from_the_prior_are_the_prior(drawn):
    _, made = drawn
    own = made.sel(parameter="roi_m[tv]")
    for name in ("prior_density", "posterior_density"):
        area = np.trapezoid(own[name], own["grid"])
        assert 0.9 < area < 1.03  # the grid holds most of it
    low, high = own["prior_ci"].values
    inside = (own["draws"] > low) & (own["draws"] < high)
    assert float(inside.mean()) == pytest.approx(0.9, abs=0.03)


def test_names_of_the_market_are_those_of_the_model_page():
    """No parameter of the market is shown by its code."""
    from core.model.spec import DEFAULT_PRIORS

    by_channel = ("_m", "_rf", "_om", "_orf", "_n", "_c", "_excl_baseline", "_values")
    whole = {name for name in DEFAULT_PRIORS if not name.endswith(by_channel)}
    assert whole == set(OF_MARKET)
