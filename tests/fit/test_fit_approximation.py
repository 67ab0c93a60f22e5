import numpy as np
import pytest

from core.fit.start.approximation import approximation
from core.fit.start.laplace import Laplace
from core.fit.start.mode import Mode
from core.model.chunks import CHUNK


def normal_fit(at: float, scale: float, dim: int = 3, log_mass: float = 0.0) -> Laplace:
    return Laplace(Mode(np.full(dim, at), 0.0), scale * np.eye(dim), log_mass)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_an_exact_approximation_needs_no_correction():
    found = approximation(
        [normal_fit(1.0, 2.0)],
        lambda x: -0.5 * (((x - 1.0) / 2.0) ** 2).sum(axis=1),
        2000,
        rng(),
    )
    assert not found.is_rough
    np.testing.assert_allclose(found.position.mean(axis=0), 1.0, atol=0.15)
    np.testing.assert_allclose(found.position.std(axis=0), 2.0, rtol=0.06)


def test_a_wide_approximation_is_corrected():
    found = approximation(
        [normal_fit(0.0, 1.5)],
        lambda x: -0.5 * ((x - 0.5) ** 2).sum(axis=1),
        4000,
        rng(),
    )
    assert not found.is_rough
    np.testing.assert_allclose(found.position.mean(axis=0), 0.5, atol=0.1)
    np.testing.assert_allclose(found.position.std(axis=0), 1.0, rtol=0.1)


@pytest.mark.parametrize("n", [60, CHUNK, 400])
def test_a_thin_approximation_is_rough_says_so_and_stays_with_few_draws(n):
    found = approximation(
        [normal_fit(0.0, 0.1, dim=20)],
        lambda x: -np.abs(x).sum(axis=1),
        n,
        rng(),
    )
    assert found.is_rough and found.k_hat > 1
    assert found.position.shape == (min(n, CHUNK), 20)
    np.testing.assert_allclose(found.position.std(), 0.1, rtol=0.15)


def test_modes_are_weighed_by_their_mass():
    fits = [
        normal_fit(-5.0, 1.0, 2, log_mass=np.log(0.75)),
        normal_fit(5.0, 1.0, 2, log_mass=np.log(0.25)),
    ]

    def log_density(x):
        one = -0.5 * ((x + 5) ** 2).sum(axis=1) + np.log(0.75)
        return np.logaddexp(one, -0.5 * ((x - 5) ** 2).sum(axis=1) + np.log(0.25))

    found = approximation(fits, log_density, 2000, rng())
    assert not found.is_rough
    assert (found.position[:, 0] < 0).mean() == pytest.approx(0.75, abs=0.03)


def test_draws_without_a_density_are_left_out():
    def log_density(x):
        return np.where(x[:, 0] > 0, -0.5 * (x**2).sum(axis=1), -np.inf)

    found = approximation([normal_fit(0.0, 1.0)], log_density, 500, rng())
    assert (found.position[:, 0] > 0).all()
    assert len(found.position) == 500
    with pytest.raises(ValueError, match="finite density"):
        approximation(
            [normal_fit(0.0, 1.0)], lambda x: np.full(len(x), -np.inf), 10, rng()
        )
