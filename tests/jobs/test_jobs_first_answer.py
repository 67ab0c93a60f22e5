"""First answers of fits: another prior, option or row, by the last fit's draws."""

import time
from dataclasses import replace

import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from test_jobs_refresh_run import QUICK, a_project, finish, give, table

from core.analysis.record.sections import Returns
from core.analysis.refreshing.reweighted import reweighted
from core.fit.sampling.warm_start import read_warm_start
from core.jobs.tasks import fit_run
from core.jobs.tasks.coordinates import CHECKPOINT, in_coordinates_of
from core.jobs.tasks.frozen import load_model
from core.jobs.tasks.preview import show_first_answer
from core.model.density import marginal_log_likelihood
from core.model.latents import constrain, log_prior
from core.model.priors.prior import prior
from core.plan.comparison import agreement, differences
from core.project.fits.run_inputs import new_run
from core.project.settings.project import load_project
from core.store.atomic import write_json
from core.store.fit_results import read_fit
from core.store.stored import read_object

#: Options of TV, and whether the parameters stay those of the fit before.
CHANGES = {
    "another prior": ({"prior": prior("LogNormal", loc=0.7, scale=0.5)}, True),
    "another family": ({"prior": prior("HalfNormal", scale=2.0)}, True),
    "a shorter carryover": ({"max_lag": 4}, True),
    "a known carryover": (
        {"priors": (("alpha", prior("Deterministic", loc=0.5)),)},
        False,
    ),
    "drifting": ({"effectiveness": "drifting"}, False),
}


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A project and its finished fit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("first")))
        project = a_project("changed")
        yield project, finish(new_run(project, sampler=vars(QUICK)))


def changed(project, **of_tv):
    """The project with other options of TV."""
    settings = load_project(project)
    tv, *others = settings.spec.channels
    channels = (replace(tv, **of_tv), *others)
    return replace(settings, spec=replace(settings.spec, channels=channels))


def run_of(project, settings=None):
    return new_run(project, project=settings, sampler=vars(QUICK))


def answer(run):
    """What the run shows before it is sampled; empty where it shows nothing."""
    show_first_answer(run, *load_model(run), time.monotonic())
    return read_object(run / "preview" / "preview.json")


@pytest.mark.parametrize("change", CHANGES)
def test_the_last_fit_answers_where_the_parameters_are_the_same(first, change):
    options, is_same = CHANGES[change]
    seen = answer(run_of(first[0], changed(first[0], **options)))
    assert bool(seen) == is_same
    if is_same:
        assert (seen["method"], seen["before"]) == ("reweighted", first[1].name)
        assert seen["k_hat"] < seen["highest_k"]


def test_the_same_model_of_the_same_data_has_its_answer_already(first):
    assert not answer(run_of(first[0]))


def test_draws_of_another_version_say_nothing(first):
    project, before = first
    about = read_object(before / "run.json")
    run = run_of(project, changed(project, max_lag=4))
    write_json(before / "run.json", about | {"versions": {"mixwright": "0.0.1"}})
    seen = answer(run)
    write_json(before / "run.json", about)
    assert not seen


def test_draws_that_do_not_reach_so_far_say_nothing(first):
    far = prior("LogNormal", loc=6.0, scale=0.01)
    assert not answer(run_of(first[0], changed(first[0], prior=far)))


def test_new_rows_and_another_prior_at_once(first):
    project, _ = first
    give(project, table(64))
    settings = changed(project, **CHANGES["another prior"][0])
    seen = answer(run_of(project, settings))
    give(project, table(60))
    assert seen["k_hat"] < seen["highest_k"]


@pytest.mark.parametrize("change", ["another family", "a shorter carryover"])
def test_weights_are_the_ratio_of_both_posteriors_of_the_parameters(first, change):
    project, before = first
    run = run_of(project, changed(project, **CHANGES[change][0]))
    warm = read_warm_start(before / CHECKPOINT)
    few = warm._replace(
        position=warm.position[:, :20], log_density=warm.log_density[:, :20]
    )
    model = load_model(run)[1]
    earlier = in_coordinates_of(before, load_model(before)[1])
    latents, arrays = earlier.structure.latents, earlier.arrays

    def posterior(of, values):
        moving = tuple(each for each in of.structure.latents if each.n_free)
        prior_ = sum(log_prior(moving, values, of.arrays.priors).values())
        return prior_ + marginal_log_likelihood(of.structure, of.arrays, values)

    ratio = []
    for position in few.position.reshape(-1, few.position.shape[-1])[:12]:
        values, _ = constrain(
            latents, jnp.asarray(position), arrays.priors, arrays.errors
        )
        ratio.append(float(posterior(model, values) - posterior(earlier, values)))
    weight = np.log(reweighted(model, earlier, few).weight.reshape(-1))
    # The largest are smoothed.
    raw = np.flatnonzero(weight[:12] < np.quantile(weight, 0.7))
    assert len(raw) > 2
    np.testing.assert_allclose(
        np.diff(weight[raw]), np.diff(np.array(ratio)[raw]), rtol=1e-6, atol=1e-6
    )


def test_functions_of_the_fit_weigh_as_one_of_its_own_does(first, monkeypatch):
    project, before = first
    run = run_of(project, changed(project, **CHANGES["another prior"][0]))
    warm = read_warm_start(before / CHECKPOINT)
    settings, model = load_model(run)
    earlier = in_coordinates_of(before, load_model(before)[1])
    own = reweighted(model, earlier, warm)
    # Those of the fit before are there: nothing else is compiled.
    monkeypatch.setattr("core.analysis.refreshing.reweighted._by_itself", None)
    of_fit = reweighted(model, earlier, warm, settings.sampler)
    np.testing.assert_allclose(of_fit.weight, own.weight, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(of_fit.outcome, own.outcome, rtol=1e-7)
    assert of_fit.k_hat == pytest.approx(own.k_hat, abs=1e-6)


def test_a_first_answer_is_what_the_fit_says(first):
    """As a fit shows it; the last test here: its fit is the newest from then on."""
    project, before = first
    options, _ = CHANGES["another prior"]
    run = run_of(project, changed(project, **options))
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        real = fit_run.show_first_answer

        def show(*arguments):
            real(*arguments)
            seen.append(read_object(run / "preview" / "preview.json"))

        patch.setattr(fit_run, "show_first_answer", show)
        finish(run)
    answered = msgspec.convert(seen[0]["channels"], list[Returns])
    fitted = read_fit(run).channels
    agreed = agreement(differences(answered, fitted).values())
    assert agreed.n and not agreed.beyond
    moved = agreement(differences(read_fit(before).channels, fitted).values())
    assert moved.beyond
