r"""What each lift test did: the model's result of it under prior and posterior.

The posterior without a test comes from the draws by importance weights
$w_s \propto 1/p(\text{result} \mid \text{draw } s)$, smoothed by their Pareto tail
(PSIS). Where the tail is heavy, the draws with the test say too little about the
model without it: a short fit without the test says it instead.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from msgspec.structs import asdict

from core.analysis.incremental import per_draw, through_mediator
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.record.sections import BeforeAndAfter, LiftTestResult
from core.analysis.returns import channel_names, spend_of
from core.estimate import Estimate, estimate, weighted
from core.fit.importance import highest_k, importance_weights
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.media.lift import STEMS, tested_in
from core.model.media.result import Result
from core.model.media.structure import Structure
from core.model.media.treatments import media_transformed
from core.model.mediation.mediators import changed_by_tests, prefix
from core.model.reconstruct import posterior_variables

#: Draws from the prior.
PRIOR_DRAWS = 1000
#: Beyond so many standard errors a test and the model are in tension.
TENSION = 2.0

Draws = Mapping[str, np.ndarray]


def experiments(
    model: Model,
    draws: Draws,
    seed: int,
    fit_without: Callable[[int], Draws | None] = lambda place: None,
    theirs: Draws | None = None,
) -> list[LiftTestResult]:
    """What each lift test of a model says, and what it did to the posterior.

    Args:
        model: The model, fitted with its tests.
        draws: Posterior variables, draws first.
        seed: Of the draws from the prior.
        fit_without: Draws of the model without the test at a place, where weights
            cannot take it out; None where there are none.
        theirs: Draws of the mediators' models that know nothing of the tests, by
            their names among the draws.

    Returns:
        One object per test: the test as entered; `test`, `prior`, `posterior` and
        `without` (None where nobody knows), the incremental outcome of its geos and
        periods; `roi` with `prior`, `posterior` and `without` of its channel over
        all periods, None where unpaid; `standard_errors_apart` of test and
        posterior, and of test and the model without it; `agrees`; `pareto_k`.
    """
    if not model.spec.experiments:
        return []
    latents = prior_draws(model, PRIOR_DRAWS, seed)
    latents |= {name: _repeated(values) for name, values in (theirs or {}).items()}
    both = partial(_of_prior, model.structure, model.arrays)
    before, after = in_chunks(both, latents), _by_draws(model, draws)
    names, spend = channel_names(model)[0], spend_of(model)
    reports = []
    for place, test in enumerate(model.spec.experiments):
        cost = sum(spend[names.index(name)] for name in test.channels)
        prior, posterior = (_at(place, cost, each) for each in (before, after))
        result = Result(*(float(number) for number in model.arrays.lifts[place].result))
        alone = None
        if not _weighs_out(result, posterior):
            without = fit_without(place)
            alone = without and _at(place, cost, _by_draws(model, without))
        reports.append(
            LiftTestResult(
                **asdict(test)
                | {"multiple": test.multiple or 0.0, "skewness": test.skewness or 0.0},
                **_of_test(result, prior, posterior, alone),
            )
        )
    return reports


def _weighs_out(result: Result, posterior: Draws) -> bool:
    """Whether weights can take a test out of the posterior."""
    log_density = result.log_density(posterior["lift"])
    return bool(without_test(log_density)[1] <= highest_k(len(log_density)))


def _by_draws(model: Model, draws: Draws) -> tuple[np.ndarray, np.ndarray]:
    """`lifts_and_totals` of posterior draws."""
    both = partial(_of_posterior, model.structure, model.arrays)
    return in_chunks(both, _needed(model, draws))


def _at(place: int, cost: float, both: tuple[np.ndarray, np.ndarray]) -> Draws:
    """The result of one test, and the ROI of its channels."""
    lift, total = (np.asarray(each[:, place], np.float64) for each in both)
    return {"lift": lift, "roi": total / cost}


def _of_test(
    result: Result,
    prior: Draws,
    posterior: Draws,
    alone: Draws | None = None,
) -> dict[str, Any]:
    """Everything about one test but what was entered."""
    deviation = result.deviation(posterior["lift"])
    weights, k = without_test(result.log_density(posterior["lift"]))
    is_reliable = bool(k <= highest_k(len(deviation)))
    roi = None
    if np.isfinite(posterior["roi"]).all():
        roi = BeforeAndAfter(
            prior=estimate(prior["roi"]),
            posterior=estimate(posterior["roi"]),
            without=_without("roi", posterior, weights if is_reliable else None, alone),
        )
    without = _without("lift", posterior, weights if is_reliable else None, alone)
    apart, apart_without = float(deviation.mean()), None
    if without is not None:
        spread = np.hypot(result.error_towards(without.mean), without.sd)
        apart_without = float((result.outcome - without.mean) / spread)
    return {
        "test": result.estimate(),
        "prior": estimate(prior["lift"]),
        "posterior": estimate(posterior["lift"]),
        "without": without,
        "roi": roi,
        "pareto_k": float(k) if np.isfinite(k) else None,
        "standard_errors_apart": apart,
        "standard_errors_apart_without": apart_without,
        "agrees": max(abs(apart), abs(apart_without or 0.0)) <= TENSION,
    }


def _without(
    measure: str, posterior: Draws, weights: np.ndarray | None, alone: Draws | None
) -> Estimate | None:
    """A number without the test: by separate draws, or by weights if reliable."""
    if alone is not None:
        return estimate(alone[measure])
    return None if weights is None else weighted(posterior[measure], weights)


def without_test(log_density: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights that take a test out of the posterior, and the shape of their tail.

    Args:
        log_density: Of the result around the model's, up to a constant; draw.

    Returns:
        Weights that sum to one, and Pareto's k: the lower, the more reliable.
    """
    return importance_weights(-log_density)


def _needed(model: Model, draws: Draws) -> dict[str, np.ndarray]:
    """The variables that the tests' channels take; the others stay on the host."""
    suffixes = {suffix for test in model.structure.lifts for suffix, _ in test}
    suffixes |= {link.suffix for link in model.structure.mediators}
    names = {f"{stem}_{suffix}" for stem in STEMS for suffix in suffixes}
    names |= {f"beta_g{suffix}" for suffix in suffixes} | {"xi_drift"}
    places = range(len(model.structure.mediators))
    theirs = tuple(prefix(place) for place in places)
    return {
        name: values
        for name, values in draws.items()
        if name in names or name.startswith(theirs)
    }


def _repeated(values: np.ndarray) -> np.ndarray:
    """As many draws as there are of the prior."""
    return np.resize(values, (PRIOR_DRAWS, *values.shape[1:]))


@per_draw()
def _of_prior(structure, arrays, latents):
    draw = posterior_variables(structure, arrays, latents)
    return lifts_and_totals(structure, arrays, draw)


def lifts_and_totals(structure, arrays, draw):
    """Per test: the model's result of it, and its channels' outcome in all cells.

    Args:
        structure: Static.
        arrays: Data.
        draw: One draw's posterior variables.
    """
    changed = changed_by_tests(structure, arrays, draw)
    lifts = [
        (each * test.where).sum()
        for each, test in zip(changed, arrays.lifts, strict=True)
    ]
    totals = [jnp.zeros(()) for _ in structure.lifts]
    for group in structure.groups:
        tested = tested_in(group, structure)
        if not tested:
            continue
        group_numbers = arrays.groups[group.suffix]
        media = media_transformed(
            group, group_numbers.media, group_numbers, draw, structure.n_times
        )
        effects = draw[f"beta_g{group.suffix}"].T
        for each in tested:
            own = effects[each.place][:, None] * media[each.place]
            totals[each.which] += (own * arrays.outcome_scale).sum()
    for place, link in enumerate(structure.mediators):
        through = through_mediator(structure, arrays, draw, place).sum(axis=(1, 2))
        for which, rows in enumerate(_channel_places(structure)):
            both = [link.ours.index(row) for row in rows if row in link.ours]
            totals[which] += through[jnp.array(both, int)].sum()
    return jnp.stack(lifts), jnp.stack(totals)


_of_posterior = per_draw()(lifts_and_totals)


def _channel_places(structure: Structure) -> list[list[int]]:
    """Places of each test's channels among those that carry over."""
    starts, first = {}, 0
    for group in structure.groups:
        starts[group.suffix] = first
        first += group.n_channels
    return [
        [starts[suffix] + place for suffix, place in channels]
        for channels in structure.lifts
    ]
