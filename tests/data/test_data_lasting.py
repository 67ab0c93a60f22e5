"""What of a deviation lasts: against dense linear algebra, and where it is known."""

from itertools import product

import numpy as np
import pytest
from scipy.special import softmax

from core.data.demand.lasting import _MEMORIES, _SHARES, lasting


def walk(rng, shape, memory):
    """Noise of variance one that goes on along the last axis."""
    values = rng.standard_normal(shape)
    for t in range(1, shape[-1]):
        values[..., t] *= np.sqrt(1 - memory**2)
        values[..., t] += memory * values[..., t - 1]
    return values


def market(seed, n_geos=1, n=140, memory=0.85, share=0.6, used=0.9):
    rng = np.random.default_rng(seed)
    shape = n_geos, n
    stays = np.sqrt(share) * walk(rng, shape, memory)
    is_used = rng.random(shape) < used
    values = (stays + np.sqrt(1 - share) * rng.standard_normal(shape)) * is_used
    return values / values[is_used].std(), is_used, stays


@pytest.mark.parametrize(("seed", "n_geos"), [(0, 1), (1, 1), (2, 3)])
def test_it_is_the_mean_over_memories_and_shares_by_their_likelihood(seed, n_geos):
    values, is_used, _ = market(seed, n_geos, n=60)
    rows = [
        (np.flatnonzero(use), row[use])
        for use, row in zip(is_used, values, strict=True)
    ]
    logs, found = [], []
    for memory, share in product(_MEMORIES, _SHARES):
        squares, log_det, stays_of = 0.0, 0.0, np.zeros(values.shape)
        for geo, (at, row) in enumerate(rows):
            stays = share * memory ** np.abs(at[:, None] - at)
            whole = stays + (1 - share) * np.eye(len(at))
            weight = np.linalg.solve(whole, row)
            squares += row @ weight
            log_det += np.linalg.slogdet(whole)[1]
            stays_of[geo, at] = stays @ weight
        logs.append(-0.5 * (is_used.sum() * np.log(squares) + log_det))
        found.append(stays_of)
    expected = np.einsum("k,kgt->gt", softmax(logs), found)
    np.testing.assert_allclose(lasting(values, is_used), expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_it_is_nearer_to_what_lasts_than_the_deviation_is(seed, share):
    values, is_used, stays = market(seed, n=400, memory=0.95, share=share)
    found = lasting(values, is_used)
    before, after = (
        np.corrcoef(x[is_used], stays[is_used])[0, 1] for x in (values, found)
    )
    assert after > before + 0.05
    assert not found[~is_used].any()


@pytest.mark.parametrize("seed", range(4))
def test_a_deviation_that_only_lasts_stays_as_it_is(seed):
    values, is_used, _ = market(seed, memory=0.9, share=1.0)
    found = lasting(values, is_used)
    assert np.corrcoef(found[is_used], values[is_used])[0, 1] > 0.98
