"""The planner against Meridian's optimiser, on the same draws and limits."""

import numpy as np
import pytest

from core.analysis.response.curves import response_curves as worked_out
from core.model.build import build
from core.plan.limits.channels import ChannelLimits
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import Scenario
from tests.parity.cases import read_case
from tests.reference import REFERENCE, needs_reference

CASES = (
    "geo_media_knots30",
    "national_media_default",
    "geo6_coefficient_normal",
    "geo_media_rf_knots40",
    "national_all_channels_default",
    "geo6_lagged_media",
)


@needs_reference
@pytest.mark.parametrize("name", CASES)
def test_at_least_as_good_as_meridian_and_exact_in_the_budget(name):
    case = read_case(REFERENCE / "cases" / name, REFERENCE / "data")
    model = build(case.data, case.spec, precision="float64")
    curves = response_curves(worked_out(model, case.draws))
    for about in case.raw["optimizations"]:
        if about["name"] not in ("fixed_30", "fixed_50") or about.get(
            "use_optimal_frequency"
        ):
            continue
        of = f"optimization/{about['name']}/"
        theirs = {
            key.removeprefix(of): value
            for key, value in case.expected.items()
            if key.startswith(of)
        }
        # Their outcomes come out of these curves, so that both are compared on one.
        spend = theirs["optimized_spend"]
        outcome = curves.outcome(spend).mean(axis=0)
        np.testing.assert_allclose(
            outcome, theirs["optimized_incremental_outcome"], rtol=2e-5
        )
        limits = tuple(
            ChannelLimits(channel, low, high)
            for channel, low, high in zip(
                curves.names, theirs["bound_lower"], theirs["bound_upper"], strict=True
            )
        )
        best = Scenario(budget=float(spend.sum()), channels=limits, supported=False)
        made = plan(curves, best)
        planned = [channel.planned for channel in made.channels]
        assert sum(round(100 * money) for money in planned) == round(100 * spend.sum())
        assert made.objective.planned >= outcome.sum() * (1 - 1e-12)
        assert made.bound.best_possible >= outcome.sum()
        assert made.bound.gap <= 1e-6
