"""Frozen: the project and the model of a run, as they were when it was made."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import xarray as xr
from msgspec import structs

from core.analysis.ahead import joint_draws
from core.analysis.record.sections import Diagnostics
from core.data.assemble import assemble
from core.data.files.parquet import read_table
from core.data.recognition.unused_spend import check_unused_spend
from core.fit.paired import alone
from core.model.build import Model, build
from core.model.mediation.mediators import prefix, with_mediators
from core.model.spec import ModelSpec
from core.project.fits.mediators import frozen_mediators
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project
from core.store.fit_results import read_fit
from core.store.results import has_result, open_dataset, result_files


def load_model(run: Path, precision: str | None = None) -> tuple[Project, Model]:
    """The project frozen in a run, and its model.

    That of a finished fit knows its mediators.

    Args:
        run: The run's folder.
        precision: Of the model's arrays; the run's own where not given.

    Raises:
        DataError: The data cannot be modelled.
        SpecError: The options do not fit the data.
    """
    project = load_project(run)
    frame = read_table(data_file(run, project))
    data = assemble(frame, project.mapping)
    spec = replace(project.spec, experiments=project.lift_tests())
    spec = _as_decided(run, spec)
    precision = precision or project.sampler.precision
    model = build(data, spec, precision=precision)
    if has_result(run):  # while it is fitted it knows its own draws alone
        model = with_frozen_mediators(run, project, model, precision)
    return project, model


def with_frozen_mediators(
    run: Path, project: Project, model: Model, precision: str | None = None
) -> Model:
    """The model of a run with those of its mediators, as they were when it was made.

    Args:
        run: The run's folder.
        project: Frozen in it.
        model: Its model.
        precision: Of the arrays; the run's own where not given.
    """
    precision = precision or project.sampler.precision
    names = [funnel.mediator for funnel in project.funnels]
    others = [load_model(fit, precision)[1] for fit in frozen_mediators(run)]
    if not others:
        return model
    model = with_mediators(model, list(zip(names, others, strict=True)))
    prices = prices_of_mediators(run, project)
    return replace(model, mediator_prices=tuple(prices) if any(prices) else ())


def as_tested(run: Path, project: Project, model: Model) -> Model:
    """The model as a run fits it: tests count what came by way of mediators.

    Args:
        run: The run's folder.
        project: Frozen in it.
        model: Its model alone.
    """
    if not (model.spec.experiments and frozen_mediators(run)):
        return model
    whole = with_frozen_mediators(run, project, model)
    return joint_draws.as_tested(
        model, whole, _posteriors_of_mediators(run), project.sampler.seed
    )


def draws_of_mediators(run: Path, seed: int) -> xr.Dataset:
    """The draws of the fits of a run's mediators, with each other; as `alone` has them.

    Args:
        run: The run's folder.
        seed: Of the pairing.
    """
    others = _posteriors_of_mediators(run)
    names = map(prefix, range(len(others)))
    return alone(list(zip(names, others, strict=True)), seed)


def _posteriors_of_mediators(run: Path) -> list[xr.Dataset]:
    return [open_dataset(fit, "posterior") for fit in frozen_mediators(run)]


def with_draws_of_mediators(
    run: Path, project: Project, model: Model, posterior: xr.Dataset
) -> xr.Dataset:
    """A run's posterior with the draws of its mediators' fits beside its own.

    Args:
        run: The run's folder.
        project: Frozen in it.
        model: As it was fitted.
        posterior: Dims chain, draw, ...
    """
    is_tested = bool(model.structure.tested)
    whole = with_frozen_mediators(run, project, model) if is_tested else model
    others, seed = _posteriors_of_mediators(run), project.sampler.seed
    return joint_draws.joint_draws(model, whole, posterior, others, seed)


def prices_of_mediators(run: Path, project: Project) -> list[float]:
    """What a unit of each mediator cost over the data; zero where it cost nothing.

    Args:
        run: The run's folder.
        project: Frozen in it.
    """
    if not project.funnels:
        return []
    frame = read_table(data_file(run, project))
    media = {each.name: each.media for each in project.mapping.channels}
    observed = frame[project.mapping.kpi].notna()
    return [
        float(frame.loc[observed, funnel.cost].sum())
        / float(frame.loc[observed, media[funnel.mediator]].sum())
        if funnel.cost
        else 0.0
        for funnel in project.funnels
    ]


def with_verdicts_of_mediators(
    diagnostics: Diagnostics, run: Path, project: Project
) -> Diagnostics:
    """The verdict on a fit together with those on the fits of its mediators.

    Args:
        diagnostics: Of the fit alone.
        run: The run's folder.
        project: Frozen in it.
    """
    order = ("trustworthy", "doubtful", "failed")
    verdict, reasons = diagnostics.verdict, []
    for funnel, fit in zip(project.funnels, frozen_mediators(run), strict=True):
        theirs = read_fit(fit).diagnostics
        own = theirs.verdict
        if own == order[0]:
            continue
        verdict = max(verdict, own, key=order.index)
        why = next(iter(theirs.reasons), "")
        reasons.append(
            f"The fit of {funnel.mediator} (project {funnel.project}) is {own}, and "
            f"with it what channels bring by way of it. {why}".rstrip()
        )
    if not reasons:
        return diagnostics
    return structs.replace(
        diagnostics,
        verdict=verdict,
        reasons=(*diagnostics.reasons, *reasons),
        contradictions=(*diagnostics.contradictions, *reasons),
    )


def unused_spend(run: Path, project: Project) -> list[str]:
    """What is to be said of spend that is in the data and in no channel."""
    frame = project.own_table(read_table(data_file(run, project)))
    return [
        f"{finding.message} {finding.hint}"
        for finding in check_unused_spend(frame, project.mapping)
    ]


def _as_decided(run: Path, spec: ModelSpec) -> ModelSpec:
    """The options of a finished fit, with the prior of following demand that it had.

    Its draws belong to those columns, whatever a later version makes of the data.

    Raises:
        WorkspaceError: An earlier version fitted it, without such a prior.
    """
    if not has_result(run) or "summary.json" not in result_files(run):
        return spec
    demand = {channel.name: channel.demand for channel in read_fit(run).channels}
    channels = tuple(
        replace(channel, follows_demand=_as_option(own.prior))
        if (own := demand.get(channel.name))
        else channel
        for channel in spec.channels
    )
    return replace(spec, channels=channels)


def _as_option(probability: float) -> bool | float:
    return bool(probability) if probability in (0.0, 1.0) else probability


def attributes(project: Project, model: Model) -> dict[str, Any]:
    """What every view model says about its numbers."""
    return {
        "outcome_unit": model.data.outcome_unit,
        "currency": project.currency,
        "kpi_name": project.mapping.kpi,
        "has_value": has_value(model),
        "n_times": model.data.n_times,
        "start": str(model.data.times[0]),
        "end": str(model.data.times[-1]),
    }


def has_value(model: Model) -> int:
    """Whether the outcome is the KPI times its value: 1 or 0, as files store it."""
    return int(model.data.revenue_per_kpi is not None)
