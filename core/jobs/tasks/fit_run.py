"""The work of a fit: from a run's frozen inputs to its result. Runs in the worker."""

import contextlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from msgspec import to_builtins

from core.analysis.ahead.forecast_view import forecast_view
from core.analysis.by_period import by_period, years
from core.analysis.checking.quality import quality
from core.analysis.draws import CURVE_DRAWS, chain_of, flat_draws
from core.analysis.learning.belief import judged
from core.analysis.learning.evidence import with_evidence
from core.analysis.learning.experiments import experiments
from core.analysis.learning.media_left import Left
from core.analysis.learning.priors import prior_and_posterior
from core.analysis.parameters import parameters
from core.analysis.record.fit_record import as_record
from core.analysis.record.sections import Diagnostics, LiftTestResult
from core.analysis.refreshing.reweighted import with_monte_carlo_errors
from core.analysis.response.curves import shape_curves
from core.analysis.response.frequency import frequencies
from core.analysis.response.mediated import funnel_summary, split
from core.analysis.returns import returns
from core.analysis.summary import summary
from core.analysis.weeks import weeks
from core.data.ahead.horizon import plan_horizon
from core.errors import SamplingError
from core.fit.devices import describe_device
from core.fit.draws import SamplingStopped, added
from core.fit.fit import Fitted, fit
from core.fit.posterior import sample_stats_dataset, write_netcdf
from core.fit.sampling.compilations import Compiled, compiled
from core.fit.start.approximation import Preview
from core.jobs import memory
from core.jobs.tasks import refresh_run
from core.jobs.tasks.coordinates import CHECKPOINT, has_begun, in_kept_coordinates
from core.jobs.tasks.frozen import (
    as_tested,
    attributes,
    draws_of_mediators,
    load_model,
    unused_spend,
    with_draws_of_mediators,
    with_frozen_mediators,
    with_verdicts_of_mediators,
)
from core.jobs.tasks.horizon_run import curves_of
from core.jobs.tasks.meanwhile import Meanwhile, aside, meanwhile
from core.jobs.tasks.preview import keep_preview, keep_sampled, show_first_answer
from core.jobs.tasks.saved_plans import PLANS_FILE, saved_plans
from core.model.build import Model, build
from core.model.readiness import refuse_contradictions
from core.plan.advice.information import ranked, roi_ahead
from core.project.fits.expected_time import WholeFit
from core.project.fits.horizons import AHEAD
from core.project.fits.previews import clear_preview
from core.project.promises.keeping import keep_forecast
from core.project.promises.scoring import settle
from core.project.settings.definition import Project
from core.store.fit_results import FitReport
from core.store.results import write_record, write_result
from core.store.run_about import read_about

#: Draws kept in the view models; the posterior keeps all. What media brought is one
#: number in results and in plans.
CHANNEL_DRAWS = CURVE_DRAWS
SHAPE_DRAWS = 500

Report = Callable[[dict[str, Any]], None]

_LOG = logging.getLogger(__name__)


def execute(run: Path, report: Report, should_stop: Callable[[], bool]) -> None:
    """Fit, analyse, and write the result.

    Args:
        run: The run's directory.
        report: Takes progress as progress.json shows it.
        should_stop: Whether the run was cancelled.
    """
    with compiled() as compilations, meanwhile() as beside:
        _execute(run, report, should_stop, compilations, beside)


def _execute(
    run: Path,
    report: Report,
    should_stop: Callable[[], bool],
    compilations: Compiled,
    beside: Meanwhile,
) -> None:
    started = time.monotonic()
    report({"phase": "preparing", "fraction": 0.0, "elapsed": 0.0})
    project, model = _as_sampled(run)
    refresh = refresh_run.begin(run, project, model, started)
    whole_fit = WholeFit(run, report)
    if refresh is None and not has_begun(run):
        beside.first(partial(show_first_answer, run, project, model, started))

    def keep(preview: Preview) -> None:
        memory.give_back()  # what compiling took: the peak of a small fit is here
        show = partial(keep_preview, run, project, model, preview)
        beside.preview(show, model, preview.posterior)

    setup = time.monotonic() - started
    fitted = fit(
        model,
        project.sampler,
        on_progress=whole_fit.sampling,
        should_stop=should_stop,
        checkpoint=run / CHECKPOINT,
        resume=has_begun(run),
        on_preview=None if project.funnels else keep,  # it would be of direct effects
        warm=refresh and refresh.warm,
    )
    _LOG.info("sampled: %s", fitted.draws.seconds)
    sampled = time.monotonic()
    memory.give_back()
    beside.await_preview()
    about = partial(_fit_object, run, project, (setup, sampled), compilations)
    tell = whole_fit.results
    tell("analysis")
    with write_result(run) as result:
        forecast = _write(result, run, project, model, fitted, should_stop, about, tell)
        whole = with_frozen_mediators(run, project, model)
        _score_plans(result, run, whole, tell, should_stop)
        if refresh is not None:
            del fitted
            refresh_run.record(result, refresh, project, whole, tell, should_stop)
        tell("saving")
    clear_preview(run)
    _after(run, forecast, is_refresh=refresh is not None)
    _LOG.info("done after %.1f s", time.monotonic() - started)


def _as_sampled(run: Path) -> tuple[Project, Model]:
    """The project frozen in a run, and its model as chains move in it."""
    project, model = load_model(run)
    refuse_contradictions(project.spec, model.data, project.mapping.kpi)
    _LOG.info(
        "%d geos, %d periods, %d channels, %d knots; %s",
        model.data.n_geos,
        model.data.n_times,
        len(model.spec.channels),
        len(model.knots),
        project.sampler,
    )
    (run / CHECKPOINT).mkdir(exist_ok=True)
    return project, as_tested(run, project, in_kept_coordinates(run, model))


def _score_plans(
    result: Path,
    run: Path,
    model: Model,
    tell: Callable[[str], None],
    should_stop: Callable[[], bool],
) -> None:
    """Write what saved plans bring by this fit; the fit is done without them, too.

    Nothing is written where no plan is saved.
    """
    try:
        content = json.loads((result / "summary.json").read_text("utf-8"))
        verdict = as_record(content).verdict
        scored = saved_plans(run, model, result, verdict, should_stop, tell)
    except Exception:
        _LOG.warning("Saved plans were not scored.", exc_info=True)
        return
    if scored:
        write_record(result / PLANS_FILE, {"plans": scored})


def _after(run: Path, forecast: xr.Dataset | None, *, is_refresh: bool) -> None:
    """Keep what the forecast promises, score earlier promises, report a refresh.

    Whatever goes wrong: the fit is done, and stays.
    """
    try:
        keep_forecast(run, forecast)
        settle(run.parents[1])
    except Exception:
        _LOG.warning("Promises were not kept or scored.", exc_info=True)
    if is_refresh:
        refresh_run.write_report(run)


def _write(
    result: Path,
    run: Path,
    project: Project,
    model: Model,
    fitted: Fitted,
    should_stop: Callable[[], bool],
    of_fit: Callable[[Fitted, Diagnostics], FitReport],
    tell: Callable[[str], None],
) -> xr.Dataset | None:
    """Write every file of the result; returns the forecast, where there is one."""
    seed, about = project.sampler.seed, attributes(project, model)
    # Of totals where there are mediators; what judges the fit is of the model alone.
    whole = with_frozen_mediators(run, project, model)
    posterior = with_draws_of_mediators(run, project, model, fitted.posterior)
    draws = flat_draws(posterior, CHANNEL_DRAWS)
    channels = returns(whole, draws)
    keep_sampled(run, channels, fitted.verdict, about)
    horizon = plan_horizon(model.data.times)
    with _saving(result, about) as save, aside() as do:
        checked = do(quality, model, fitted.posterior, seed)
        others = do(curves_of, whole, posterior, None), do(_of_draws, model, fitted)
        save({"posterior": posterior, "channels": channels})
        tell("curves")
        ahead = curves_of(whole, posterior, horizon)
        of_weeks = _of_weeks(whole, posterior, seed, tell)
        save(ahead | of_weeks)
        chain = chain_of(fitted.posterior, CHANNEL_DRAWS)
        over = (of_weeks["weeks"], of_weeks.get("frequency"), of_weeks["years"])
        said = summary(whole, channels, *over, draws=draws)
        said = with_evidence(said, model, fitted.posterior)
        short = partial(_without, run, project, model, should_stop)
        tests = _tests(run, whole, posterior, seed, short, tell)
        save(others[0].result() | others[1].result())
        assessed, of_quality, left = checked.result()
        save(of_quality)
        diagnostics = _judged(run, project, model, fitted, said, left, tests, ahead)
    said = ranked(said, ahead[AHEAD[0]]) | assessed
    summarised = with_monte_carlo_errors(said, channels, chain)
    summarised |= about | {
        "funnel": _of_funnel(whole, draws, project, channels),
        "run": str(run),
        "horizon": horizon.as_dict(),
        "diagnostics": diagnostics,
        "experiments": tests,
    }
    write_record(result / "summary.json", summarised)
    write_record(result / "fit.json", of_fit(fitted, diagnostics))
    rows = {"parameters": fitted.table.as_rows()}
    write_record(result / "diagnostics.json", to_builtins(diagnostics) | rows)
    return of_weeks.get("forecast")


def _of_funnel(
    model: Model,
    draws: dict[str, np.ndarray],
    project: Project,
    channels: xr.Dataset,
) -> dict[str, Any] | None:
    """Totals in their parts, as summary.json has them."""
    parts = split(model, draws)
    projects = [funnel.project for funnel in project.funnels]
    spend = channels["spend"].to_series().dropna().to_dict()
    return funnel_summary(parts, projects, spend)


def _tests(
    run: Path,
    model: Model,
    posterior: xr.Dataset,
    seed: int,
    without: Callable[[int], dict[str, Any] | None],
    tell: Callable[[str], None],
) -> list[LiftTestResult]:
    """What each lift test did; of a model with its mediators, of totals."""
    tell("checks")
    theirs = {}
    if model.mediators and model.spec.experiments:
        theirs = flat_draws(draws_of_mediators(run, seed))
    return experiments(model, flat_draws(posterior), seed, without, theirs)


def _without(
    run: Path,
    project: Project,
    model: Model,
    should_stop: Callable[[], bool],
    place: int,
) -> dict[str, Any] | None:
    """Draws of a short fit without one lift test; None where it has none."""
    tests = list(model.spec.experiments)
    del tests[place]
    spec = replace(model.spec, experiments=tuple(tests))
    short = replace(project.sampler, chains=2, warmup=300, draws=300)
    try:
        apart = build(model.data, spec, precision=short.precision)
        apart = as_tested(run, project, apart)
        fitted = fit(apart, short, should_stop=should_stop)
    except SamplingStopped:
        raise
    except SamplingError as error:
        _LOG.warning("No fit without the test: %s", error.message)
        return None
    paired = with_draws_of_mediators(run, project, apart, fitted.posterior)
    return flat_draws(paired)


@contextlib.contextmanager
def _saving(
    result: Path, about: dict[str, Any]
) -> Iterator[Callable[[dict[str, xr.Dataset]], None]]:
    """Gives what saves views, each as a file of its own, while others are worked out.

    Args:
        result: The folder of the files.
        about: Attributes of every view.
    """
    saved = []
    with ThreadPoolExecutor(1, thread_name_prefix="saving") as thread:

        def save(views: dict[str, xr.Dataset]) -> None:
            for name, view in views.items():
                labelled = view.assign_attrs(about)
                task = thread.submit(write_netcdf, labelled, result / f"{name}.nc")
                saved.append(task)

        yield save
    for each in saved:
        each.result()


def _of_weeks(
    model: Model, posterior: xr.Dataset, seed: int, tell: Callable[[str], None]
) -> dict[str, xr.Dataset]:
    """What draws say of periods, ahead too, years, sources, shapes and frequencies.

    Periods, sources and years by the draws of the channels: what a channel brought is
    the same sum in every view. A few hundred say what shapes and frequencies are.
    """
    memory.give_back()  # what curves took
    tell("weeks")
    few = flat_draws(posterior, SHAPE_DRAWS)
    draws = flat_draws(posterior, CHANNEL_DRAWS)
    periods = by_period(model, draws)
    by_week, by_source = weeks(model, draws, periods)
    densities = prior_and_posterior(model, flat_draws(posterior))
    views = {
        "weeks": by_week,
        "sources": by_source,
        "years": years(model, draws, periods),
        "shapes": xr.merge([shape_curves(model, few), densities]),
    }
    where_there_is_one = {
        "frequency": frequencies(model, few),
        "forecast": forecast_view(model, posterior, seed),
    }
    known = {
        name: view for name, view in where_there_is_one.items() if view is not None
    }
    return views | known


def _of_draws(model: Model, fitted: Fitted) -> dict[str, xr.Dataset]:
    """What the sampler says of the draws, and the parameters to look at."""
    diverging = np.asarray(fitted.draws.diverging)
    return {
        "sample_stats": sample_stats_dataset(fitted.draws),
        "parameters": parameters(model, fitted.posterior, diverging, fitted.table),
    }


def _judged(
    run: Path,
    project: Project,
    model: Model,
    fitted: Fitted,
    fit_summary: dict[str, Any],
    residuals: dict[str, Left],
    tests: list[LiftTestResult],
    ahead: dict[str, xr.Dataset],
) -> Diagnostics:
    """The one verdict, on sampling and contradictions, that everything shows."""
    unused, returns_ahead = unused_spend(run, project), roi_ahead(ahead[AHEAD[0]])
    diagnostics = judged(
        fitted.verdict,
        model,
        fitted.posterior,
        fit_summary | {"unused_spend": unused, "roi_ahead": returns_ahead},
        residuals,
        kpi=project.mapping.kpi,
        seed=project.sampler.seed,
        tests=tests,
    )
    diagnostics = with_verdicts_of_mediators(diagnostics, run, project)
    _LOG.info("verdict: %s", diagnostics)
    return diagnostics


def _seconds(
    sampled: Mapping[str, float], *, before: float, results: float
) -> dict[str, float | None]:
    """What the parts of a fit took, one after the other, and their sum as `total`."""
    parts = added(sampled, setup=before, results=results)
    parts.pop("total", None)
    return {**parts, "total": sum(parts.values())}


def _fit_object(
    run: Path,
    project: Project,
    times: tuple[float, float],
    compilations: Compiled,
    fitted: Fitted,
    diagnostics: Diagnostics,
) -> FitReport:
    """What `python -m core fit --json` prints."""
    now = time.monotonic()
    draws, sampler = fitted.draws, project.sampler
    run_about = read_about(run)
    return FitReport(
        run=str(run),
        seconds=_seconds(draws.seconds, before=times[0], results=now - times[1]),
        peak_rss_bytes=memory.peak(),
        precision=sampler.precision,
        device=describe_device(),
        seed=sampler.seed,
        chains=sampler.chains,
        warmup=draws.n_warmup or sampler.warmup,
        draws=sampler.draws,
        notes=tuple(draws.notes),
        continues=run_about.continues or None,
        versions=run_about.versions,
        diagnostics=diagnostics,
        compilations=compilations.number,
    )
