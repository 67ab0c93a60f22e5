"""One verdict: converged, and no contradiction between model, priors and data."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from msgspec import structs

from core.analysis.incremental import treatment_outcome
from core.analysis.learning.belief import judged, of_year_ahead, tail_mass
from core.analysis.learning.media_left import Left, media_left
from core.analysis.learning.prior_draws import prior_draws
from core.analysis.learning.prior_predictive import movement_missed
from core.analysis.record.sections import LiftTestResult
from core.data.input_data import Treatments
from core.estimate import OptionalEstimate, estimate
from core.fit.diagnostics import Verdict
from core.model.build import build
from core.model.priors.prior import prior
from core.model.reconstruct import posterior_variables
from core.model.spec import ChannelSpec, ModelSpec
from core.model.terms.demand import PRESENT
from tests.analysis.test_analysis_evidence import as_dataset
from tests.small_market import market

SAMPLED = Verdict(
    status="trustworthy",
    reasons=(),
    rhat_max=1.0,
    ess_bulk_min=900.0,
    ess_tail_min=900.0,
    worst_parameter="sigma",
    divergences=0,
)
NOTHING = {"x": Left(0.05, 0.5)}


@pytest.fixture(scope="module")
def world():
    bare = {"non_media": Treatments(), "kpi_type": "revenue", "revenue_per_kpi": None}
    data = replace(market(n_geos=1, n_times=80), **bare)
    scaled = data.kpi.sum() / data.media.spend.sum() * 0.2
    data = replace(data, media=replace(data.media, spend=data.media.spend * scaled))
    model = build(data, ModelSpec(tuple(ChannelSpec(n) for n in data.media.names)))
    latents = prior_draws(model, 200, 3)
    variables = partial(posterior_variables, model.structure, model.arrays)
    drawn = jax.jit(jax.vmap(variables))(latents)
    return model, {name: np.asarray(v) for name, v in drawn.items() if v.size}


def verdict(model, draws, *, left=NOTHING, sampled=SAMPLED, evidence=None, tests=()):
    rows = [{"name": name, "evidence": evidence} for name in model.data.media.names]
    summary = {"channels": rows}
    return judged(
        *(sampled, model, as_dataset(draws), summary, left),
        kpi="y",
        seed=1,
        tests=tests,
    )


def test_a_posterior_like_its_prior_is_trustworthy(world):
    told = verdict(*world)
    assert told.verdict == "trustworthy"
    assert told.converged and told.contradictions == ()


def test_a_posterior_in_the_tail_of_its_prior_is_doubtful(world):
    model, draws = world
    far = draws | {"roi_m": draws["roi_m"] * 0 + 30.0}
    told = verdict(model, far)
    name = model.data.media.names[0]
    assert told.verdict == "doubtful"
    assert told.converged
    assert f"The data put the ROI of {name} at 30, above" in told.reasons[0]


def test_a_posterior_in_the_tail_is_said_by_its_mean(world):
    """As every table has it."""
    model, draws = world
    values = np.full(np.shape(draws["roi_m"]), 30.0)
    values[..., ::4, :] = 90.0
    told = verdict(model, draws | {"roi_m": values})
    name = model.data.media.names[0]
    assert f"ROI of {name} at 45, above" in told.reasons[0]


@pytest.mark.parametrize("chance", [0.3, 0.5, 0.9])
def test_beyond_the_prior_by_demand_is_said_so(world, chance):
    """A wider prior would credit the channel with more of what is bought anyway."""
    model, draws = world
    openly = [one.channel for one in model.demand if one.column == "open"]
    name, present = openly[0], np.array(draws[PRESENT], dtype=float)
    present[..., 0] = (np.arange(200) < round(200 * chance)).astype(float)
    far = draws | {PRESENT: present, "roi_m": draws["roi_m"] * 0 + 30.0}
    told = verdict(model, far)
    (said,) = (one for one in told.reasons if f"ROI of {name} at 30, above" in one)
    assert ("probably follows demand" in said) == (chance >= 0.5)
    assert ("widen the prior" in said) == (chance < 0.5)


def test_one_fault_is_one_reason(world):
    """A return beyond its prior goes on to be in the year ahead; no growth is in it."""
    model, draws = world
    names = model.data.media.names
    ahead = {name: estimate(np.full(9, 40.0)) for name in names}
    rows = [{"name": name, "evidence": None} for name in names]
    summary = {"channels": rows, "roi_ahead": ahead}

    def reasons(roi):
        values = draws | {"roi_m": draws["roi_m"] * 0 + roi}
        values["xi_drift"] = np.full(200, 0.05)
        posterior = as_dataset(values)
        of = (SAMPLED, model, posterior, summary, NOTHING)
        return [one for one in judged(*of, kpi="y", seed=1).reasons if "ROI of" in one]

    for roi, is_ahead in ((30.0, False), (2.0, True)):
        told = reasons(roi)
        assert len(told) == len(names)
        assert all(("year after the data" in one) == is_ahead for one in told)


@pytest.mark.parametrize(("roi", "status"), [(5.0, "trustworthy"), (5.7, "doubtful")])
def test_outside_the_priors_90_percent_range_is_a_reason(world, roi, status):
    """LogNormal(0.2, 0.9) has 90 % between 0.28 and 5.37."""
    model, draws = world
    far = draws | {"roi_m": draws["roi_m"] * 0 + roi}
    torn = {"prior_sensitivity": 0.2, "likelihood_sensitivity": 0.2}
    for evidence in (None, torn):
        assert verdict(model, far, evidence=evidence).verdict == status


def test_what_sales_pay_for_is_a_reason_until_somebody_says_what_it_brings(world):
    model, draws = world
    data, name = model.data, model.data.media.names[0]
    spend = data.media.spend.copy()
    spend[:, :, 0] = 0.04 * data.kpi
    paid = replace(data, media=replace(data.media, spend=spend))
    told = verdict(replace(model, data=paid), draws)
    assert told.verdict == "doubtful" and told.converged
    assert f"What is spent on {name} is a nearly fixed share of y" in told.reasons[0]
    far = draws | {"roi_m": draws["roi_m"] * 0 + 30.0}
    about = [
        one for one in verdict(replace(model, data=paid), far).reasons if name in one
    ]
    assert len(about) == 1 and "fixed share" in about[0]
    own = replace(model.spec.channel(name), prior=prior("LogNormal", loc=0, scale=0.2))
    stated = replace(model, data=paid, spec=model.spec.with_channel(own))
    assert not any("fixed share" in one for one in verdict(stated, draws).reasons)


def expected(model, roi, xi):
    """What is said of a channel that is expected to return so much, xi its change."""
    name = model.data.media.names[0]
    posterior = as_dataset({"xi_drift": np.full(100, xi)} if xi is not None else {})
    return list(of_year_ahead(model, posterior, {name: estimate(np.full(9, roi))}))


@pytest.mark.parametrize("xi", [0.05, 0.25, 0.5])
def test_a_year_ahead_beyond_the_prior_is_a_reason(world, xi):
    model, draws = world
    (said,) = expected(model, 12.0, xi)
    name = model.data.media.names[0]
    assert f"an ROI of 12 from {name} in the year after the data, above" in said
    assert "(0.278 to 5.37)" in said
    assert not expected(model, 5.0, xi)
    assert not expected(model, 0.1, xi)


def test_what_may_change_more_may_go_further(world):
    model, _ = world
    reach = [
        next(roi for roi in np.arange(5.0, 50.0, 0.1) if expected(model, roi, xi))
        for xi in (0.0, 0.5, 1.0)
    ]
    assert reach[0] == pytest.approx(5.4, abs=0.11)
    assert reach[0] < reach[1] < reach[2]
    assert not expected(model, 40.0, None)  # the same effect in all years


def test_a_return_below_the_least_spend_is_a_note_and_no_reason(world):
    unseen = {"below_least": an_estimate(0.62)}
    told = verdict(*world, evidence=unseen)
    name = world[0].data.media.names[0]
    assert told.verdict == "trustworthy"
    assert told.notes[0].startswith(f"62\u00a0% of {name}'s return is below")
    assert verdict(*world).notes == ()


def test_residuals_that_go_with_a_channel_are_a_reason(world):
    told = verdict(*world, left={"TV": Left(0.6, 8.0), "Radio": Left(0.6, 2.0)})
    assert told.verdict == "doubtful"
    assert len(told.contradictions) == 1
    assert "moves with TV (correlation 0.60): it does more" in told.reasons[0]


def an_estimate(mean):
    ends = {"lo": 0.8 * mean, "hi": 1.2 * mean}
    return OptionalEstimate(mean=mean, median=None, sd=None, **ends)


@pytest.mark.parametrize(
    ("apart", "without", "words"),
    [(3.1, None, "the model says 40"), (0.4, 90.0, "the model without it says 90")],
)
def test_a_model_that_disagrees_with_a_test_is_doubtful(world, apart, without, words):
    lift = LiftTestResult(
        channel="TV",
        start="2024-01-01",
        end="2024-01-28",
        incremental_outcome=1_234_567.0,
        standard_error=1e5,
        test=an_estimate(1_234_567.0),
        prior=an_estimate(30.0),
        posterior=an_estimate(40.0),
        without=without and an_estimate(without),
        roi=None,
        pareto_k=0.1,
        standard_errors_apart=apart,
        standard_errors_apart_without=without and 4.0,
        agrees=False,
    )
    told = verdict(*world, tests=[lift])
    assert told.verdict == "doubtful" and told.converged
    (reason,) = told.contradictions
    assert "lift test of TV (1 Jan 2024 to 28 Jan 2024)" in reason and words in reason
    assert "the test found 1.23 M (0.99 – 1.48)" in reason.replace("\u00a0", " ")
    assert "Check dates" in reason
    fine = verdict(*world, tests=[structs.replace(lift, agrees=True)])
    assert fine.verdict == "trustworthy"


def test_a_failed_sampling_stays_failed_with_every_reason(world):
    sampled = replace(SAMPLED, status="failed", reasons=("chains disagree",))
    told = verdict(*world, sampled=sampled, left={"TV": Left(0.6, 8.0)})
    assert told.verdict == "failed" and not told.converged
    assert told.reasons[0] == "chains disagree" and len(told.reasons) == 2


def test_tails():
    roi = prior("LogNormal", loc=0.2, scale=0.9)
    assert tail_mass(roi, 10.0)[0] == pytest.approx(0.0097, abs=0.001)
    assert tail_mass(roi, 0.1) == (pytest.approx(0.0027, abs=0.0005), False)
    assert (
        tail_mass(prior("Beta", concentration1=1.0, concentration0=9.0), 1e-6)[0] == 1
    )
    assert tail_mass(prior("Deterministic", loc=1.0), 9.0)[0] == 1


def test_what_a_channel_did_stays_where_the_model_does_not_let_it(world):
    model, draws = world
    some = {name: value[:50] for name, value in draws.items()}
    kpi = np.asarray(model.arrays.kpi)
    rng = np.random.default_rng(1)
    noise = rng.normal(size=kpi.shape)
    many = np.zeros((50, *kpi.shape))
    free = media_left(model, some, kpi - noise + many)
    assert not any(one.is_held_back for one in free.values())
    middle = {name: jnp.asarray(value.mean(axis=0)) for name, value in some.items()}
    outcome = jax.jit(partial(treatment_outcome, model.structure, model.arrays))
    effect = np.asarray(outcome(middle))[0]
    held = media_left(model, some, kpi - effect / effect.std() - 0.3 * noise + many)
    assert held[model.data.media.names[0]].is_held_back


def test_priors_that_hardly_let_the_kpi_move(world):
    model, _ = world
    assert not list(movement_missed(model, 1))
    names = ("gamma_c", "xi_trend", "xi_fourier", "xi_smooth", "sigma")
    still = prior("HalfNormal", scale=0.001)
    spec = replace(model.spec, priors=tuple((name, still) for name in names))
    spec = replace(
        spec, priors=(*spec.priors, ("roi_m", prior("HalfNormal", scale=0.001)))
    )
    (reason,) = movement_missed(build(model.data, spec), 1)
    assert "xi_trend" in reason and "it moves by" in reason
