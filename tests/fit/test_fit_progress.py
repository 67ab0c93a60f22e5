"""The rough look at agreement while sampling, and what is told."""

import numpy as np
import pytest
from arviz_stats.base import array_stats

from core.fit.sampling.run import Reporter, agreement


def test_agreement_is_near_the_exact_figures():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 300, 3))
    for i in range(1, 300):
        x[:, i, 1] = 0.8 * x[:, i - 1, 1] + 0.6 * x[:, i, 1]
    x[0, :, 2] += 0.5
    rhat, ess = agreement(x)
    assert rhat == pytest.approx(array_stats.rhat(x[:, :, 2], method="split"), rel=1e-3)
    slow = array_stats.ess(x[:, :, 1], method="mean")
    apart = array_stats.ess(x[:, :, 2], method="mean")
    assert ess == pytest.approx(min(slow, apart), rel=0.25)


def test_agreement_of_too_little_is_unknown():
    assert agreement(np.zeros((4, 15, 2))) == (None, None)
    assert agreement(np.ones((4, 50, 2))) == (None, None)


def test_reporter():
    told = []
    reporter = Reporter(told.append)
    reporter.tell("compiling", message="first")
    reporter.tell_iterations("warmup", 10, 100, [{"iteration": 10}], pace="one")
    reporter.tell_iterations("warmup", 30, 100, [{"iteration": 30}], pace="one")
    assert told[0]["message"] == "first" and told[0]["chains"] == []
    assert told[1]["eta"] is None and told[2]["eta"] > 0
    assert 0 < told[1]["fraction"] < told[2]["fraction"] < 1
    keys = {"phase", "fraction", "chains", "rhat_max", "ess_min", "elapsed", "eta"}
    assert all(set(step) == keys | {"message"} for step in told)
    Reporter(None).tell("compiling")


def test_time_left_is_not_foretold_from_other_stages():
    steps = []
    reporter = Reporter(steps.append)
    for done, pace in [(2, ""), (4, ""), (5, "first"), (9, "first"), (10, "second")]:
        reporter.tell_iterations("warmup", done, 100, [], pace=pace)
    assert [step["eta"] is not None for step in steps] == [
        False,
        False,
        False,
        True,
        False,
    ]
