"""What a fit at work already says: a first answer, a preview, what is sampled.

The first answer comes from the last fit's draws, where the parameters are the same:
after new rows, another prior, another lift test they are reweighted
(`core.analysis.refreshing.reweighted`), which takes a second. The preview is the
approximation that the chains start from. What is sampled takes its place while the rest
is worked out.
"""

import logging
import time
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from msgspec import to_builtins

from core.analysis.draws import flat_draws
from core.analysis.refreshing.reweighted import reweighted, reweighted_channels
from core.analysis.response.curves import response_curves
from core.analysis.returns import returns
from core.analysis.summary import brief_rows
from core.errors import MMMError
from core.fit.diagnostics import Verdict
from core.fit.posterior import write_netcdf
from core.fit.sampling.warm_start import WarmStart, read_warm_start
from core.fit.start.approximation import Preview
from core.jobs.tasks.coordinates import CHECKPOINT, in_coordinates_of
from core.jobs.tasks.frozen import attributes, load_model
from core.model.build import Model
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict
from core.plan.response.curves import response_curves as curves_of
from core.plan.scenario.scenario import scenario
from core.project.fits.previews import read_preview, write_preview
from core.project.fits.runs import latest_fit
from core.project.refresh.record import FirstAnswer
from core.project.settings.definition import Project
from core.store.run_about import read_about

_LOG = logging.getLogger(__name__)
_REWEIGHTED = "reweighted"


def show_first_answer(
    run: Path, project: Project, model: Model, started: float
) -> None:
    """Write what the newest fit of the project says of a run, where it says something.

    Nothing where model and data are the same: then that fit is the answer.

    Args:
        run: The run's folder.
        project: Frozen in it.
        model: Its model.
        started: When the worker began, monotonic seconds.
    """
    last = latest_fit(run.parents[1])
    if last is None:
        return
    mine, theirs = read_about(run), read_about(last.folder)
    if mine.has_model_of(theirs) and mine.data_sha256 == theirs.data_sha256:
        return
    warm = read_warm_start(last.folder / CHECKPOINT)
    answer = first_answer(run, last.folder, project, model, warm, started)
    if answer is not None and not answer.is_rough:
        show_answer(run, project, model, answer)


def show_answer(run: Path, project: Project, model: Model, answer: FirstAnswer) -> None:
    """Write an answer as the run's preview."""
    with write_preview(run, attributes(project, model) | to_builtins(answer)):
        pass


def _has_first_answer(run: Path) -> bool:
    """Whether a run shows what the last fit's draws say."""
    preview = read_preview(run)
    return preview is not None and preview.method == _REWEIGHTED


def first_answer(
    run: Path,
    last: Path,
    project: Project,
    model: Model,
    warm: WarmStart | None,
    started: float,
) -> FirstAnswer | None:
    """What the draws of an earlier fit say of a run.

    Args:
        run: The run's folder.
        last: That of the earlier fit.
        project: Frozen in the run.
        model: The run's.
        warm: What the earlier fit knows; None where its checkpoint is gone.
        started: When the worker began, monotonic seconds.

    Returns:
        None where they say nothing: another version drew them, the parameters are
        others, or a mediator's draws would have to be beside them.
    """
    is_same_version = read_about(run).versions == read_about(last).versions
    if warm is None or project.funnels or not is_same_version:
        return None
    theirs, earlier = load_model(last, project.sampler.precision)
    if theirs.funnels:
        return None
    before = in_coordinates_of(last, earlier)
    reweighed = reweighted(model, before, warm, project.sampler)
    if reweighed is None:
        return None
    is_rough = reweighed.is_rough
    channels = [] if is_rough else reweighted_channels(model, reweighed)
    seconds = time.monotonic() - started
    _LOG.info("reweighted: k-hat %.2f, %.1f s", reweighed.k_hat, seconds)
    is_finite = abs(reweighed.k_hat) < float("inf")
    return FirstAnswer(
        method=_REWEIGHTED,
        before=last.name,
        k_hat=float(reweighed.k_hat) if is_finite else None,
        highest_k=float(reweighed.highest_k),
        is_rough=bool(is_rough),
        draws=float(reweighed.size),
        seconds=seconds,
        processor_seconds=time.process_time(),
        channels=tuple(channels),
        plan=None,
    )


def rehearse(run: Path) -> None:
    """Have what a first answer from a finished fit needs compiled in this process.

    Args:
        run: The fit's folder.
    """
    project, model = load_model(run)
    warm = read_warm_start(run / CHECKPOINT)
    if warm is not None and not project.funnels:
        model = in_coordinates_of(run, model)
        reweighted(model, model, warm, project.sampler)


def keep_preview(run: Path, project: Project, model: Model, preview: Preview) -> None:
    """Work out what the screen shows of a preview, and write it.

    Nothing where the last fit's draws have said more already.

    Args:
        run: The run's folder.
        project: Frozen in it.
        model: Its model.
        preview: The approximate posterior.
    """
    if _has_first_answer(run):
        return
    about = attributes(project, model)
    started = time.monotonic()
    draws = flat_draws(preview.posterior)
    channels = returns(model, draws)
    curves = response_curves(model, draws).assign_attrs(about)
    content = about | {
        "method": "Laplace approximation at the mode",
        "k_hat": preview.k_hat if np.isfinite(preview.k_hat) else None,
        "is_rough": preview.is_rough,
        "n_modes": preview.n_modes,
        "channels": brief_rows(channels),
        "plan": _best_split(curves),
    }
    with write_preview(run, content) as folder:
        write_netcdf(curves, folder / "curves.nc")
    _LOG.info("preview: k-hat %.2f, %.1f s", preview.k_hat, time.monotonic() - started)


def keep_sampled(
    run: Path, channels: xr.Dataset, verdict: Verdict, about: dict[str, Any]
) -> None:
    """Write what sampling says, in place of the preview, while the rest is worked out.

    Args:
        run: The run's folder.
        channels: What `core.analysis.returns.returns` gives.
        verdict: On the sampling.
        about: What every view model says about its numbers.
    """
    content = about | {
        "method": "sampled",
        "sampling": verdict.as_dict(),
        "channels": brief_rows(channels),
    }
    try:
        with write_preview(run, content):
            pass
    except Exception:  # it is a courtesy: the result says the same
        _LOG.warning("Nothing is shown before the result.", exc_info=True)


def _best_split(curves: xr.Dataset) -> dict[str, Any] | None:
    """The best split of the budget that ran within default limits, if there is one."""
    try:
        stored = curves_of(curves)
        split = as_dict(plan(stored, scenario(stored)))
    except MMMError as error:
        _LOG.info("no split in the preview: %s", error.message)
        return None
    return {key: split[key] for key in ("budget", "channels", "gain", "outcome")}
