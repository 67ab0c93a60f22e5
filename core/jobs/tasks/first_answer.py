"""First answer: what the last fit's draws say of a run that is not sampled yet.

New rows, another prior, another lift test: where the parameters are the same, the draws
are reweighted (`core.analysis.refreshing.reweighted`), which takes a second. In the
worker, of fits and of refreshes.
"""

import logging
import time
from pathlib import Path

from msgspec import to_builtins

from core.analysis.refreshing.reweighted import reweighted, reweighted_channels
from core.fit.sampling.warm_start import WarmStart, read_warm_start
from core.jobs.tasks.coordinates import in_coordinates_of
from core.jobs.tasks.frozen import attributes, load_model
from core.model.build import Model
from core.project.fits.previews import read_preview, write_preview
from core.project.fits.runs import latest_fit
from core.project.refresh.record import FirstAnswer
from core.project.settings.definition import Project
from core.store.run_about import read_about

_LOG = logging.getLogger(__name__)
CHECKPOINT = "checkpoint"
_METHOD = "reweighted"


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
        show(run, project, model, answer)


def show(run: Path, project: Project, model: Model, answer: FirstAnswer) -> None:
    """Write an answer as the run's preview."""
    with write_preview(run, attributes(project, model) | to_builtins(answer)):
        pass


def has_first_answer(run: Path) -> bool:
    """Whether a run shows what the last fit's draws say."""
    preview = read_preview(run)
    return preview is not None and preview.method == _METHOD


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
    reweighed = reweighted(model, in_coordinates_of(last, earlier), warm)
    if reweighed is None:
        return None
    is_rough = reweighed.is_rough
    channels = [] if is_rough else reweighted_channels(model, reweighed)
    seconds = time.monotonic() - started
    _LOG.info("reweighted: k-hat %.2f, %.1f s", reweighed.k_hat, seconds)
    is_finite = abs(reweighed.k_hat) < float("inf")
    return FirstAnswer(
        method=_METHOD,
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
        reweighted(model, model, warm)
