"""Draws of densities whose answer is known; blocks, stops, resumes, compilations."""

from functools import partial

import jax
import numpy as np
import pytest
from fit_densities import bounded, funnel, normal, normal_args, quick, two_modes

from core.errors import SamplingError
from core.fit import fit as sampler
from core.fit.chains.chains import Chains
from core.fit.chains.kernel import LOOKS
from core.fit.convergence import diagnostics_table
from core.fit.diagnostics import verdict
from core.fit.draws import SamplingStopped
from core.fit.fit import sample


def test_normal_with_correlations():
    args, covariance = normal_args(50)
    draws = sample(normal, args, 50, quick(draws=500))
    x = draws.position.reshape(-1, 50)
    table = diagnostics_table({"x": draws.position})
    told = verdict(table, draws)
    assert told.status == "trustworthy", told.reasons
    error = (x.mean(0) - args["mean"]) / np.sqrt(np.diag(covariance))
    assert np.abs(error).max() < 4 / np.sqrt(table.ess_bulk.min())
    ratio = x.var(0) / np.diag(covariance)
    assert 0.75 < ratio.min() and ratio.max() < 1.33
    np.testing.assert_allclose(draws.metric_sd, np.sqrt(np.diag(covariance)), rtol=0.25)
    assert draws.n_steps.mean() < 16  # the metric makes it a round normal
    assert draws.notes == () and draws.restarts == 0


@pytest.mark.parametrize("n_chains", [1, 3])
def test_gradients_are_those_of_each_point_in_its_place(n_chains):
    args, _ = normal_args(4)
    chains = Chains(normal, args, 4, quick(chains=n_chains))
    of_points = jax.vmap(jax.value_and_grad(partial(normal, args=args)))
    rng = np.random.default_rng(3)
    # One, fewer than chains, a call that is just full, one more, several calls.
    for n in (1, 2, LOOKS * chains.n_rows, LOOKS * chains.n_rows + 1, 190):
        points = rng.normal(size=(n, 4))
        value, slope = chains.gradients(points, chains.plain)
        expected = of_points(points)
        assert value.shape == (n,) and slope.shape == (n, 4)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
        np.testing.assert_allclose(slope, expected[1], rtol=1e-12, atol=1e-12)
    points[7] = np.nan  # where the density is no number, and only there
    value, slope = chains.gradients(points, chains.plain)
    assert list(np.flatnonzero(~np.isfinite(value))) == [7]
    assert not slope[7].any() and slope[8].any()


def test_shapes_and_statistics():
    args, _ = normal_args(4)
    draws = sample(normal, args, 4, quick(chains=3, draws=40, warmup=50))
    assert draws.position.shape == (3, 40, 4)
    for name in ("log_density", "energy", "acceptance_rate", "n_steps", "diverging"):
        assert getattr(draws, name).shape == (3, 40), name
    assert draws.step_size.shape == (3,) and (draws.step_size > 0).all()
    parts = {"setup", "mode", "compile", "warmup", "draws"}
    assert set(draws.seconds) == {*parts, "total"}
    seconds = sum(draws.seconds[part] for part in parts)
    assert seconds == pytest.approx(draws.seconds["total"], rel=0.02, abs=0.05)
    expected = jax.vmap(jax.vmap(lambda x: normal(x, args)))(draws.position)
    np.testing.assert_allclose(draws.log_density, expected, atol=1e-8)
    assert draws.n_warmup == 50


def test_funnel_keeps_its_spread():
    draws = sample(funnel, np.float64(1.5), 6, quick(draws=1000, target_accept=0.95))
    neck = draws.position[:, :, 0]
    assert abs(neck.mean()) < 0.35
    assert 1.1 < neck.std() < 1.9


def test_two_modes_are_both_visited_and_not_trusted():
    draws = sample(two_modes, {"at": np.full(4, 6.0), "log_weight": 0.0}, 4, quick())
    side = np.sign(draws.position[:, :, 0].mean(axis=1))
    assert set(side) == {-1.0, 1.0}
    assert draws.n_modes == 2 and "2 separate ways" in draws.notes[0]
    assert draws.restarts == 0
    told = verdict(diagnostics_table({"x": draws.position}), draws)
    assert told.status == "failed"
    assert "separate explanations" in told.reasons[0]


def test_a_negligible_mode_gets_no_chain():
    args = {"at": np.full(4, 6.0), "log_weight": -12.0}
    draws = sample(two_modes, args, 4, quick())
    assert draws.n_modes == 1
    assert (draws.position[:, :, 0].mean(axis=1) > 0).all()


def test_seed_decides():
    args, _ = normal_args(4)
    one, again, other = (
        sample(normal, args, 4, quick(warmup=50, draws=30, seed=seed))
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.position, again.position)
    assert not np.array_equal(one.position, other.position)


def test_chains_differ_and_do_not_depend_on_each_others_number():
    args, _ = normal_args(4)
    draws = sample(normal, args, 4, quick(warmup=50, draws=30))
    assert len(np.unique(draws.position[:, 0, 0])) == 4


def test_block_length_does_not_change_draws(monkeypatch):
    args, _ = normal_args(4)
    settings = quick(warmup=60, draws=45)
    whole = sample(normal, args, 4, settings)
    monkeypatch.setattr(sampler, "BLOCK", 7)
    monkeypatch.setattr(sampler, "_BLOCK_SECONDS", 1e-9)
    in_pieces = sample(normal, args, 4, settings)
    np.testing.assert_array_equal(whole.position, in_pieces.position)


def test_one_compilation_for_ten_runs_with_new_numbers():
    counts = []
    for seed in range(10):
        args, _ = normal_args(7, seed=seed)
        density = partial(_moved, ("static", 1.0))
        run = sample(density, args, 7, quick(warmup=50, draws=20 + seed, seed=seed))
        counts.append(run.compilations)
    assert counts == [1] + 9 * [0]


def _moved(static, x, args):
    return normal(x - static[1], args)


def test_progress_tells_what_the_screen_shows():
    args, _ = normal_args(4)
    told = []
    sample(normal, args, 4, quick(), on_progress=told.append)
    assert told[0]["phase"] == "compiling"
    last = told[-1]
    assert last["phase"] == "draws" and last["eta"] == 0.0
    assert [c["iteration"] for c in last["chains"]] == 4 * [200]
    assert {"total", "step_size", "divergences", "phase"} < set(last["chains"][0])
    assert last["rhat_max"] < 1.1 and last["ess_min"] > 50
    fractions = [step["fraction"] for step in told]
    assert fractions == sorted(fractions) and 0 <= fractions[0] < fractions[-1] < 1


def test_no_finite_start_is_a_plain_message():
    with pytest.raises(SamplingError, match="not a finite number at any start") as e:
        sample(bounded, np.float64(10.0), 3, quick())
    assert e.value.hint


def test_not_a_number_is_rejected_never_kept():
    draws = sample(bounded, np.float64(0.0), 3, quick())
    assert (draws.position[:, :, 0] > 0).all()
    assert np.isfinite(draws.position).all() and np.isfinite(draws.energy).all()
    assert np.isfinite(draws.acceptance_rate).all()
    assert draws.n_divergences > 0


def test_single_precision(single_precision):
    args, covariance = normal_args(20, dtype=np.float32)
    draws = sample(normal, args, 20, quick(precision="float32", draws=500))
    assert draws.position.dtype == np.float32
    told = verdict(diagnostics_table({"x": draws.position}), draws)
    assert told.status == "trustworthy", told.reasons
    ratio = draws.position.reshape(-1, 20).var(0) / np.diag(covariance)
    assert 0.75 < ratio.min() and ratio.max() < 1.33


class StopAfter:
    """Says stop after some blocks of iterations."""

    def __init__(self, n_blocks: int):
        self.left = n_blocks

    def hear(self, told):
        self.left -= told["phase"] in ("warmup", "draws")

    def __call__(self):
        return self.left <= 0


def stopped(args, settings, folder, n_blocks: int) -> None:
    stop = StopAfter(n_blocks)
    with pytest.raises(SamplingStopped, match="stopped"):
        sample(
            normal,
            args,
            4,
            settings,
            checkpoint=folder,
            should_stop=stop,
            on_progress=stop.hear,
        )


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of five iterations, saved one by one."""
    monkeypatch.setattr(sampler, "BLOCK", 5)
    monkeypatch.setattr(sampler, "_BLOCK_SECONDS", 1e-9)
    monkeypatch.setattr(sampler.Checkpoint, "is_due", lambda self: True)


@pytest.mark.parametrize("n_blocks", [3, 30, 60])
def test_resume_gives_the_draws_of_an_uninterrupted_run(
    tmp_path, small_blocks, n_blocks
):
    args, _ = normal_args(4)
    settings = quick(warmup=100, draws=80)
    whole = sample(normal, args, 4, settings)
    stopped(args, settings, tmp_path, n_blocks)
    resumed = sample(normal, args, 4, settings, checkpoint=tmp_path, resume=True)
    for name in ("position", "n_steps", "energy", "step_size"):
        np.testing.assert_array_equal(getattr(resumed, name), getattr(whole, name))
    assert resumed.notes == ()


def test_more_draws_of_a_finished_run(tmp_path):
    args, _ = normal_args(4)
    whole = sample(normal, args, 4, quick(draws=90))
    sample(normal, args, 4, quick(draws=40), checkpoint=tmp_path)
    more = sample(normal, args, 4, quick(draws=90), checkpoint=tmp_path, resume=True)
    np.testing.assert_array_equal(more.position, whole.position)


@pytest.mark.parametrize("damage", ["cut", "text", "no rows", "bit"])
def test_damaged_checkpoint_starts_anew_and_says_so(tmp_path, small_blocks, damage):
    args, _ = normal_args(4)
    settings = quick(warmup=50, draws=40)
    stopped(args, settings, tmp_path, 14)
    state = tmp_path / "state.npz"
    whole = state.read_bytes()
    if damage == "no rows":
        next(tmp_path.glob("rows-*")).unlink()
    elif damage == "bit":
        among = whole.index(b"gradient.npy") + 200  # its numbers
        flipped = bytes([whole[among] ^ 255])
        state.write_bytes(whole[:among] + flipped + whole[among + 1 :])
    else:
        state.write_bytes(whole[:100] if damage == "cut" else b"not a file of arrays")
    draws = sample(normal, args, 4, settings, checkpoint=tmp_path, resume=True)
    assert "damaged" in draws.notes[0] and "again" in draws.notes[0]
    again = sample(normal, args, 4, settings)
    np.testing.assert_array_equal(draws.position, again.position)


def test_checkpoint_of_other_data_is_not_used(tmp_path):
    args, _ = normal_args(4)
    sample(normal, args, 4, quick(draws=30), checkpoint=tmp_path)
    other, _ = normal_args(4, seed=1)
    draws = sample(normal, other, 4, quick(draws=30), checkpoint=tmp_path, resume=True)
    assert "other data or settings" in draws.notes[0]


def test_nothing_to_resume_is_a_plain_start(tmp_path):
    args, _ = normal_args(4)
    folder = tmp_path / "new"
    draws = sample(normal, args, 4, quick(draws=20), checkpoint=folder, resume=True)
    assert draws.notes == () and (folder / "state.npz").exists()


def test_stop_while_looking_for_the_mode(tmp_path):
    args, _ = normal_args(4)
    stopped(args, quick(), tmp_path, n_blocks=0)
    assert not (tmp_path / "state.npz").exists()
