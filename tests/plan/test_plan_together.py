"""Spends that were each seen, and never side by side, are said to be so."""

import numpy as np
import pytest

from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.response.together import never_together, said
from core.plan.scenario.scenario import scenario
from tests.plan.synthetic import curves_dataset

RNG = np.random.default_rng(4)
SHARED = RNG.gamma(2.0, 50.0, (156, 1))
TOGETHER = SHARED * np.exp(0.05 * RNG.standard_normal((156, 2)))
APART = RNG.gamma(2.0, 50.0, (156, 2))


@pytest.mark.parametrize("history", [TOGETHER, APART])
def test_what_ran_was_seen(history):
    assert not never_together(history, history).any()
    assert not never_together(history, 0.97 * history).mean() > 0.03


def test_a_split_of_what_always_ran_together_was_not():
    turned = TOGETHER * [1.6, 0.5]
    assert never_together(TOGETHER, turned).mean() > 0.5
    assert never_together(APART, APART * [1.6, 0.5]).mean() < 0.05
    assert not never_together(TOGETHER, 9 * TOGETHER)[SHARED[:, 0].argmax()]


@pytest.mark.parametrize("rows", [0, 2, 4])
def test_little_history_says_nothing(rows):
    history = np.column_stack([APART[:rows], np.zeros(rows)])
    assert not never_together(history, 2 * history).any()
    still = np.column_stack([np.full(156, 7.0), SHARED])
    assert not never_together(still, still).any()


def test_the_plan_says_so_and_older_fits_say_nothing():
    spend = TOGETHER.sum(axis=0)
    ec, slope = np.full((20, 2), [0.4, 3.0]), np.ones((20, 2))
    curves = curves_dataset(np.full((20, 2), [1e3, 9e4]), ec, slope, spend)
    asked = scenario(response_curves(curves), bounds=(0.5, 2.0))
    assert "never seen together" not in str(plan(curves, asked).reasons)
    curves["history"] = (("period", "channel"), TOGETHER)
    told = plan(curves, asked)
    assert told.advice == "change"
    assert "of the periods spends are each within" in told.reasons[-1]
    apart = curves.assign(history=(("period", "channel"), APART))
    assert "never seen together" not in str(plan(apart, asked).reasons)
    assert said(0.04, "weeks") == ""
