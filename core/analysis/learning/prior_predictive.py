"""Prior predictive check: what the assumptions say before the KPI is looked at."""

import numpy as np

from core.analysis.incremental import (
    expected_outcome,
    incremental_outcome,
    over_draws,
)
from core.analysis.record.prior_check import ImpliedChannel, ImpliedKpi, PriorCheck
from core.analysis.returns import channel_names, spend_of
from core.estimate import estimate, interval
from core.model.build import Model
from core.model.compiled.executables import persistent
from core.model.priors.prior_draws import prior_draws
from core.model.reconstruct import posterior_variables


@persistent()
def _from_prior(structure, arrays, latents, kpi_zero):
    def of_draw(latents):
        draw = posterior_variables(structure, arrays, latents)
        expected = expected_outcome(structure, arrays, draw, kpi_zero).sum(axis=0)
        added = incremental_outcome(structure, arrays, draw).sum(axis=(1, 2))
        return expected, added

    return over_draws(of_draw, latents)


def prior_predictive(model: Model, seed: int, n_draws: int = 500) -> PriorCheck:
    """Baseline share, contributions, ROI and KPI that the priors imply.

    The prior of knots and controls is wide on purpose, so shares are of the actual
    outcome, not of the drawn one.

    Args:
        model: The model.
        seed: Of the draws.
        n_draws: How many.
    """
    latents = prior_draws(model, n_draws, seed)
    zero = np.asarray(model.scale.mean / model.scale.std, model.arrays.kpi.dtype)
    expected, added = (
        np.asarray(part, np.float64)
        for part in _from_prior(model.structure, model.arrays, latents, zero)
    )
    names, _ = channel_names(model)
    spend = spend_of(model)
    actual = model.data.outcome.sum(axis=0)
    total = actual.sum()
    band = interval(expected)
    return PriorCheck(
        baseline_share=estimate(1 - added.sum(axis=1) / total),
        channels=tuple(
            ImpliedChannel(
                name=name,
                contribution_share=estimate(added[:, place] / total),
                roi=None
                if np.isnan(spend[place])
                else estimate(added[:, place] / spend[place]),
            )
            for place, name in enumerate(names)
        ),
        kpi=ImpliedKpi(
            time=tuple(str(date) for date in model.data.times),
            actual=tuple(actual.tolist()),
            median=tuple(np.median(expected, axis=0).tolist()),
            lo=tuple(band[:, 0].tolist()),
            hi=tuple(band[:, 1].tolist()),
        ),
        outcome_unit=model.data.outcome_unit,
    )
