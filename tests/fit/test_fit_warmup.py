"""Modes, Laplace approximation, metric, schedule, stuck chains."""

import numpy as np
import pytest
from fit_densities import normal, normal_args, quick, scaled_effects

from core.errors import SamplingError
from core.fit.chains.chains import Chains
from core.fit.chains.coordinates import (
    DENSE_LIMIT,
    moved,
    stretched,
    to_position,
    unscaled,
    widths,
)
from core.fit.chains.kernel import ChainState, Metric, StepSize, Trace
from core.fit.sampling.adaptation import arrived, corrected, shrunk_correlation
from core.fit.sampling.run import Run
from core.fit.sampling.warmup import (
    LAPLACE_WINDOWS,
    MOST_ARRIVALS,
    Beginning,
    astray,
    begin,
    bounded,
    stan_windows,
    stuck,
)
from core.fit.start.laplace import laplace, mean_curvature
from core.fit.start.mode import Mode, climb_all, find_modes


def evaluator(density, gradient):
    return lambda points: (
        np.array([density(x) for x in points]),
        np.array([gradient(x) for x in points]),
    )


def rosenbrock():
    return evaluator(
        lambda x: -((1 - x[0]) ** 2) - 100 * (x[1] - x[0] ** 2) ** 2,
        lambda x: np.array(
            [
                2 * (1 - x[0]) + 400 * x[0] * (x[1] - x[0] ** 2),
                -200 * (x[1] - x[0] ** 2),
            ]
        ),
    )


def normal_evaluator(args):
    mean, precision = args["mean"], args["precision"]
    return evaluator(
        lambda x: -0.5 * (x - mean) @ precision @ (x - mean),
        lambda x: -precision @ (x - mean),
    )


def test_climb_along_a_curved_ridge():
    (top,) = climb_all(rosenbrock(), np.array([[-1.2, 1.0]]))
    np.testing.assert_allclose(top.position, [1, 1], atol=0.2)
    assert top.log_density > -0.01


def test_climb_comes_back_from_where_there_is_no_number():
    def density(x):
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(np.log(x).sum() - x.sum()) if (x > 0).all() else -np.inf

    evaluate = evaluator(density, lambda x: np.where(x > 0, 1 / x - 1, 0.0))
    (top,) = climb_all(evaluate, np.array([[0.01, 5.0]]))
    np.testing.assert_allclose(top.position, [1, 1], atol=0.05)


def test_modes_are_told_apart_and_sorted():
    def density(x):
        return np.logaddexp(-((x[0] - 4) ** 2), 2 - (x[0] + 4) ** 2)

    def gradient(x):
        share = 1 / (1 + np.exp(2 - (x[0] + 4) ** 2 + (x[0] - 4) ** 2))
        return np.array([-2 * (x[0] - 4) * share - 2 * (x[0] + 4) * (1 - share)])

    rng = np.random.default_rng(0)
    modes = find_modes(evaluator(density, gradient), 1, rng)
    assert [round(float(mode.position[0])) for mode in modes] == [-4, 4]
    (only,) = find_modes(rosenbrock(), 2, rng)
    assert only.log_density > -0.01


def test_no_finite_start():
    evaluate = evaluator(lambda x: np.nan, lambda x: x)
    with pytest.raises(SamplingError, match="not a finite number"):
        find_modes(evaluate, 2, np.random.default_rng(0))


def test_laplace_of_a_normal_is_exact():
    args, covariance = normal_args(12)
    evaluate = normal_evaluator(args)
    fit = laplace(evaluate, Mode(args["mean"], 0.0))
    np.testing.assert_allclose(fit.scale @ fit.scale.T, covariance, rtol=1e-3)
    log_mass = 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1]
    assert fit.log_mass == pytest.approx(log_mass, abs=0.01)


def test_laplace_in_float32_noise():
    args, covariance = normal_args(12, widest=1.0)
    exact = normal_evaluator(args)
    rng = np.random.default_rng(0)

    def evaluate(points):
        value, gradient = exact(points)
        return value, gradient * (1 + 1e-4 * rng.normal(size=gradient.shape))

    fit = laplace(evaluate, Mode(args["mean"], 0.0))
    ratio = np.diag(fit.scale @ fit.scale.T) / np.diag(covariance)
    assert 0.8 < ratio.min() and ratio.max() < 1.25


def test_laplace_gives_up_where_curvature_makes_no_sense():
    hill = evaluator(lambda x: 0.5 * x @ x, lambda x: x)
    assert laplace(hill, Mode(np.zeros(3), 0.0)) is None
    nothing = evaluator(lambda x: 0.0, lambda x: np.full(3, np.nan))
    assert laplace(nothing, Mode(np.zeros(3), 0.0)) is None


@pytest.mark.parametrize("warmup", [50, 51, 100, 500, 1000])
def test_windows_add_up(warmup):
    assert sum(stan_windows(warmup)) == warmup
    assert min(stan_windows(warmup)) > 0
    total = sum(LAPLACE_WINDOWS)
    assert sum(bounded(LAPLACE_WINDOWS, warmup)) == min(warmup, total)
    assert min(bounded(LAPLACE_WINDOWS, warmup)) > 0


def trace_of(z, log_density=None, acceptance=0.8):
    shape = z.shape[:2]
    zero = np.zeros(shape)
    density = zero if log_density is None else log_density
    return Trace(z, density, zero, zero + acceptance, zero, zero > 0)


@pytest.mark.parametrize("dim", [5, DENSE_LIMIT + 5])
def test_metric_is_corrected_towards_what_chains_saw(dim):
    rng = np.random.default_rng(0)
    factor = np.ones(dim)
    factor[[0, 4]] = 0.2, 4.0
    z = 3.0 + rng.normal(size=(4, 400, dim)) * factor
    z += np.arange(4)[:, None, None] * 50  # separate chains do not stretch it
    start = stretched(unscaled(dim)._replace(centre=np.ones(dim)), np.full(dim, 2.0))
    metric = corrected(start, trace_of(z))
    assert [np.shape(x) for x in metric] == [np.shape(x) for x in start]
    np.testing.assert_allclose(widths(metric), 2 * factor, rtol=0.15)
    places = to_position(z[:, -1], start)
    np.testing.assert_allclose(
        to_position(moved(z[:, -1], start, metric), metric), places, atol=1e-9
    )


def test_correlations_are_shrunk_as_far_as_chance_explains_them():
    rng = np.random.default_rng(7)
    noise = rng.normal(size=(100, 60))
    found = shrunk_correlation(noise, 99)
    np.testing.assert_array_equal(np.diag(found), 1.0)
    assert np.linalg.cond(found) < 2 < np.linalg.cond(np.corrcoef(noise.T)) / 10
    common = noise + 3.0 * rng.normal(size=(100, 1))
    found = shrunk_correlation(common, 99)
    np.testing.assert_allclose(found, np.corrcoef(common.T), atol=0.05)


def test_the_way_to_where_chains_belong_leaves_the_metric_alone():
    z = np.random.default_rng(9).normal(size=(4, 400, 3))
    arrived = corrected(unscaled(3), trace_of(z))
    z[:, :100] += 40.0  # the first quarter of the window is on the way
    on_the_way = corrected(unscaled(3), trace_of(z))
    for one, other in zip(arrived, on_the_way, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n_seen", [1, 2])
def test_a_window_of_next_to_nothing_leaves_a_metric(n_seen):
    z = np.random.default_rng(8).normal(size=(1, n_seen, 4))
    metric = corrected(unscaled(4), trace_of(z))
    assert np.isfinite(metric.scale).all() and np.linalg.cond(metric.scale) < 10


def test_mean_curvature_of_a_normal_is_its_covariance():
    args, covariance = normal_args(6, widest=0.12)
    around = np.random.default_rng(3).normal(size=(3, 6))
    scale = mean_curvature(normal_evaluator(args), around)
    np.testing.assert_allclose(scale @ scale.T, covariance, rtol=1e-3, atol=1e-4)


def test_mean_curvature_is_none_where_it_is_no_number():
    nowhere = evaluator(lambda x: -np.inf, lambda x: np.full_like(x, np.nan))
    with np.errstate(invalid="ignore"):
        assert mean_curvature(nowhere, np.zeros((2, 3))) is None


def own_widths(metric):
    """Widths of the effects, everything else given."""
    precision = np.linalg.inv(metric.scale @ metric.scale.T)
    return 1 / np.sqrt(np.diag(precision))[1:]


def test_chains_far_from_the_mode_bring_their_own_metric():
    rng = np.random.default_rng(4)
    effects = 0.3 * rng.standard_normal(30)
    chains = Chains(scaled_effects, effects, 31, quick())
    beginning = begin(chains)
    run = Run.begin(chains, beginning)
    assert [stage.arrives for stage in run.plan] == [True, False, False, False]
    true_width = 0.05 / np.sqrt((effects**2).mean())
    assert (own_widths(beginning.metric) < 0.3 * true_width).all()
    while run.stage.arrives:
        run.advance(20)
    names = [stage.name for stage in run.plan]
    assert names[:2] == ["window 0", "arrival 1"]  # and again in the new metric
    assert 2 <= sum(stage.arrives for stage in run.plan) <= MOST_ARRIVALS
    corrects = {stage.name: stage.corrects for stage in run.plan}
    assert corrects["window 1"] and not corrects["window 2"]  # the last one stays
    assert (own_widths(run.metric) > 0.5 * true_width).all()
    assert (own_widths(run.metric) < 2.0 * true_width).all()


def test_a_metric_that_fits_stays():
    args, _ = normal_args(8)
    chains = Chains(normal, args, 8, quick())
    beginning = begin(chains)
    run = Run.begin(chains, beginning)
    while run.stage.arrives:
        run.advance(20)
    assert run.metric is beginning.metric
    assert sum(stage.arrives for stage in run.plan) == 1


def test_chains_of_separate_modes_are_slow_or_fit():
    """Far is where they began; many steps say that the metric is wrong."""
    args, _ = normal_args(6, widest=0.12)
    chains = Chains(normal, args, 6, quick())
    metric = Metric(np.zeros(6), np.eye(6))
    far = trace_of(np.full((4, 6, 6), 5.0))
    assert arrived(chains, metric, far, n_modes=2) is metric
    assert arrived(chains, metric, far, n_modes=1) is not metric
    slow = far._replace(n_steps=np.full((4, 6), 1023))
    assert arrived(chains, metric, slow, n_modes=2) is not metric
    near = trace_of(np.full((4, 6, 6), 1.0))
    assert arrived(chains, metric, near, n_modes=1) is metric
    rising = near._replace(log_density=near.log_density + 20.0 * np.arange(6))
    assert arrived(chains, metric, rising, n_modes=1) is not metric


def test_a_chain_astray_does_not_inform_the_metric_and_goes_on_elsewhere():
    effects = 0.3 * np.random.default_rng(4).standard_normal(30)
    chains = Chains(scaled_effects, effects, 31, quick())
    run = Run.begin(chains, begin(chains))
    run.plan[0] = run.plan[0]._replace(length=10)
    run.advance(4)
    density = run.trace.log_density.copy()
    density[1, -1] = density.min() - 1000.0
    trace = run.trace._replace(log_density=density)
    lost = [False, True] + [False] * (len(density) - 2)
    assert list(astray(trace, apart=0.0)) == lost
    assert not astray(trace, apart=2000.0).any()  # it may be in a wide mode
    run._arrive(trace)
    places = to_position(run.state.z.astype(float), run.metric)
    np.testing.assert_allclose(places[1], places[0], rtol=1e-3, atol=1e-4)
    assert run.restarts == 1 and "Chain 2 got stuck" in run.notes[-1]


def test_stuck_chains_are_told():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(4, 100, 10))
    density = rng.normal(size=(4, 100)) - 100
    assert not stuck(trace_of(z, density), n_modes=1).any()
    density[2] -= 80
    assert list(stuck(trace_of(z, density), n_modes=1)) == [0, 0, 1, 0]
    assert not stuck(trace_of(z, density), n_modes=2).any()
    still = trace_of(z, density)._replace(acceptance_rate=np.zeros((4, 100)))
    assert stuck(still, n_modes=2).all()


def test_a_wide_lower_region_is_not_stuck():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(4, 100, 10))
    density = rng.normal(size=(4, 100)) - 100
    density[2] -= 20
    assert not stuck(trace_of(z, density), n_modes=1).any()


def test_a_stuck_chain_is_restarted_and_told():
    args, _ = normal_args(4)
    chains = Chains(normal, args, 4, quick(warmup=60, draws=30))
    exact = Metric(args["mean"], np.linalg.cholesky(np.linalg.inv(args["precision"])))
    z = np.random.default_rng(0).normal(size=(4, 4))
    run = Run.begin(chains, Beginning(exact, z, (20, 40), 1, ()))
    while run.at < 2:
        run.advance(20)
        if run.stage.name == "window 1" and run.done == 20:
            _freeze(run, chain=2)
    assert run.restarts == 1 and run.stage.name == "restart 0"
    assert "Chain 3 got stuck" in run.notes[0] and "restarted" in run.notes[0]
    np.testing.assert_array_equal(run.state.z[2], run.state.z[0])
    while not run.is_done:
        run.advance(100)
    assert np.abs(run.trace.z[2]).max() < 6
    assert not np.array_equal(run.trace.z[2], run.trace.z[0])


def _freeze(run: Run, chain: int) -> None:
    """Put a chain far away with a step size of zero."""
    z = run.state.z.copy()
    z[chain] = 1e4
    value, gradient = run.chains.gradients(z, run.metric)
    step = StepSize(*[leaf.copy() for leaf in run.state.step])
    for leaf in (step.log, step.log_mean, step.anchor):
        leaf[chain] = -40.0
    run.state = ChainState(z, value, gradient, step)


def test_every_chain_stuck_is_an_error():
    args, _ = normal_args(4)
    chains = Chains(normal, args, 4, quick(warmup=60, draws=30))
    metric = Metric(args["mean"], np.eye(4))
    run = Run.begin(chains, Beginning(metric, np.zeros((4, 4)), (1, 20), 1, ()))
    run.advance(1)
    nowhere = trace_of(np.zeros((4, 20, 4)), acceptance=0.0)
    with pytest.raises(SamplingError, match="No chain can move"):
        run._make_ready(nowhere)
