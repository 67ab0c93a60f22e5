import sys

import numpy as np
import pytest
from scipy import stats

from core.errors import SpecError
from core.model.priors import distribution
from core.model.priors.distribution import density, estimate, mean, mode, quantile, sd
from core.model.priors.elicitation import from_range, implied, range_text
from core.model.priors.prior import prior

EVERY = [
    (prior("Normal", loc=1.0, scale=2.0, shift=0.5), stats.norm(1.5, 2)),
    (prior("LogNormal", loc=0.2, scale=0.9), stats.lognorm(0.9, 0, np.exp(0.2))),
    (prior("HalfNormal", scale=5.0), stats.halfnorm(0, 5)),
    (
        prior("TruncatedNormal", loc=0.8, scale=0.8, low=0.1, high=10.0),
        stats.truncnorm(-0.7 / 0.8, 9.2 / 0.8, 0.8, 0.8),
    ),
    (
        prior("TruncatedNormal", loc=-20.0, scale=3.0, low=0.0, high=10.0),
        stats.truncnorm(20 / 3, 10, -20, 3),
    ),
    (prior("Gamma", concentration=2.5, rate=0.5), stats.gamma(2.5, 0, 2)),
    (prior("Beta", concentration1=1.0, concentration0=99.0), stats.beta(1, 99)),
    (prior("Uniform", low=-1.0, high=3.0), stats.uniform(-1, 4)),
]
Q = np.array([0.01, 0.05, 0.5, 0.95, 0.99])


@pytest.mark.parametrize(("given", "scipy"), EVERY)
def test_agrees_with_scipy(given, scipy):
    at = quantile(given, Q)
    np.testing.assert_allclose(at, scipy.ppf(Q), rtol=1e-8)
    np.testing.assert_allclose(density(given, at)[1], scipy.pdf(at), 1e-6)
    np.testing.assert_allclose(mean(given), scipy.mean(), rtol=2e-3)
    np.testing.assert_allclose(sd(given), scipy.std(), rtol=5e-3)
    below = distribution.probability_below(given, at)
    np.testing.assert_allclose(below, Q, rtol=1e-4)


@pytest.mark.parametrize(("given", "scipy"), EVERY)
def test_default_grid_holds_nearly_all(given, scipy):
    x, height = density(given)
    assert np.trapezoid(np.nan_to_num(height), x) == pytest.approx(0.995, abs=0.011)
    assert (np.diff(x) > 0).all()


@pytest.mark.parametrize(("given", "scipy"), EVERY)
def test_mode_is_where_the_density_is_highest(given, scipy):
    at = mode(given)
    others = scipy.pdf(quantile(given, Q))
    assert (scipy.pdf(at) >= others * (1 - 1e-9)).all()


def test_deterministic():
    one = prior("Deterministic", loc=1.0)
    assert estimate(one).sd == 0
    assert range_text(one) == "exactly 1"
    assert distribution.probability_below(one, 0.5) == 0
    assert implied(one, 1e6, 1e7).share.mean == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("family", "low", "high"),
    [
        ("LogNormal", 0.5, 4),
        ("Normal", -1, 3),
        ("TruncatedNormal", 0.5, 3),
        ("Beta", 0.02, 0.14),
        ("Beta", 0.4, 0.95),
        ("Gamma", 0.5, 4),
        ("Gamma", 0.001, 4),
        ("Uniform", -1, 3),
    ],
)
@pytest.mark.parametrize("mass", [0.8, 0.9])
def test_two_ends_are_met(family, low, high, mass):
    made = from_range(low, high, mass=mass, family=family)
    ends = quantile(made, [(1 - mass) / 2, (1 + mass) / 2])
    np.testing.assert_allclose(ends, [low, high], rtol=1e-3)
    assert made.family == family


def test_most_likely_is_a_compromise_that_says_so():
    made = from_range(0.5, 4, most_likely=1.5)
    told = estimate(made)
    assert 0.95 < told.mode < 1.5
    assert 0.5 < told.lo < 0.8
    assert 4 < told.hi < 4.6
    text = range_text(made).replace("\u00a0", " ")
    assert text == "90 % between 0.62 and 4.16, most likely 1.16"


def test_most_likely_that_fits_costs_nothing():
    exact = from_range(0.5, 4)
    again = from_range(0.5, 4, most_likely=mode(exact))
    np.testing.assert_allclose(again.values, exact.values, rtol=1e-4)


def test_normal_is_least_squares():
    made = from_range(0, 2, most_likely=1.9, family="Normal")
    assert made.parameters()["loc"] == pytest.approx(1.3)


def test_truncated_normal_from_its_limit():
    made = from_range(0, 3, family="TruncatedNormal")
    assert made.parameters()["low"] == 0
    assert quantile(made, [0.95])[0] == pytest.approx(3)
    narrow = from_range(0.2, 0.8, family="TruncatedNormal", support=(0, 1))
    assert narrow.support == (0, 1)


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"low": 4, "high": 0.5}, "empty"),
        ({"low": 1, "high": 1}, "empty"),
        ({"low": 0, "high": 4}, "above zero"),
        ({"low": -1, "high": 4}, "above zero"),
        ({"low": 0.5, "high": 4, "most_likely": 5}, "most likely"),
        ({"low": 0.5, "high": 4, "most_likely": 0.5}, "most likely"),
        ({"low": 0.5, "high": float("inf")}, "finite"),
        ({"low": float("nan"), "high": 1}, "finite"),
        ({"low": 0.5, "high": 4, "mass": 1}, "mass"),
        ({"low": 0.1, "high": 1.4, "family": "Beta"}, "between 0 and 1"),
        ({"low": 0.1, "high": 1.4, "family": "HalfNormal"}, "HalfNormal"),
        ({"low": -1, "high": 4, "family": "Gamma"}, "above zero"),
        (
            {"low": 1, "high": 5, "family": "TruncatedNormal", "support": (0, 4)},
            "limits",
        ),
    ],
)
def test_impossible_requests(asked, word):
    low, high = asked.pop("low"), asked.pop("high")
    with pytest.raises(SpecError, match=word):
        from_range(low, high, **asked)


def test_roi_prior_as_contribution():
    made = implied(prior("LogNormal", loc=0.2, scale=0.9), 2e6, 4e7)
    assert made.share.lo == pytest.approx(0.0139, abs=1e-4)
    assert made.share.hi == pytest.approx(0.268, abs=1e-3)
    assert made.roi.hi == pytest.approx(5.37, abs=0.01)
    text = made.text.replace("\u00a0", " ")
    assert text == "90 %: between 1 % and 27 % of revenue."


def test_roi_prior_that_promises_more_than_there_is():
    made = implied(prior("LogNormal", loc=0.2, scale=0.9), 2e7, 4e7)
    assert "above all revenue" in made.text


def test_contribution_prior_as_roi():
    beta = prior("Beta", concentration1=1.0, concentration0=99.0)
    made = implied(beta, 2e6, 4e7, kind="contribution")
    assert made.roi.mean == pytest.approx(0.2)
    assert "ROI between" in made.text
    organic = implied(beta, None, 4e7, kind="contribution")
    assert organic.roi is None and organic.share.mean == pytest.approx(0.01)


@pytest.mark.parametrize("kind", ["mroi", "coefficient"])
def test_some_priors_imply_no_share(kind):
    made = implied(prior("HalfNormal", scale=5.0), 1e6, 1e7, kind=kind)
    assert made.share is None
    assert "implies no share" in made.text


def test_share_of_nothing():
    with pytest.raises(SpecError, match="share of it means nothing"):
        implied(prior("HalfNormal", scale=5.0), 1e6, 0)


def test_import_is_light():
    import subprocess

    code = (
        "import sys, core.model.priors.elicitation, core.charts.fits.prior;"
        "print([m for m in ('scipy', 'jax', 'streamlit') if m in sys.modules])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "[]"
