"""What a fit does beside fitting where it refreshes an earlier one. In the worker.

First the draws of the earlier fit are reweighted, which takes seconds; then the fit
starts where that one ended; at last the two are compared, and where more than one thing
changed between them, it is refitted step by step to tell the causes apart.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from core.analysis.draws import chain_of, flat_draws
from core.analysis.record.fit_record import as_record
from core.analysis.refreshing.reweighted import with_monte_carlo_errors
from core.analysis.returns import returns
from core.analysis.summary import brief_rows
from core.data.ahead.new_periods import Arrival, arrival, parted
from core.data.assemble import assemble
from core.data.files.parquet import read_table
from core.data.observations import dates_of
from core.errors import DataError, MMMError
from core.fit.draws import SamplingStopped
from core.fit.fit import fit
from core.fit.sampling.warm_start import WarmStart, read_warm_start
from core.jobs.tasks.coordinates import CHECKPOINT
from core.jobs.tasks.preview import first_answer, show_answer
from core.jobs.tasks.saved_plans import PLANS_FILE, plan_of_record_anew
from core.model.build import Model, build
from core.process import show_plotting
from core.project.refresh.moves import causes_of, moves
from core.project.refresh.record import FirstAnswer
from core.project.settings.definition import Project
from core.project.settings.project import data_file, load_project
from core.store.fit_results import read_fit
from core.store.results import has_result, write_record
from core.store.run_about import read_about
from core.store.stored import read_object

_LOG = logging.getLogger(__name__)
#: Draws that returns are worked out with, as of a fit.
_DRAWS = 1000


class Refresh(NamedTuple):
    """A fit that refreshes an earlier one.

    Attributes:
        run: Its folder.
        last: The folder of the earlier fit.
        warm: What that one knows; None where its checkpoint is gone.
        fast: The reweighted answer, as the preview and the record hold it.
    """

    run: Path
    last: Path
    warm: WarmStart | None
    fast: FirstAnswer | None = None


def begin(run: Path, project: Project, model: Model, started: float) -> Refresh | None:
    """The earlier fit that a run refreshes, and the first answer; None without one.

    Args:
        run: The run's folder.
        project: Frozen in it.
        model: Its model.
        started: When the worker began, monotonic seconds.
    """
    name = read_about(run).before
    last = run.parent / name
    if not name or not has_result(last):
        return None
    warm = read_warm_start(last / CHECKPOINT)
    refresh = Refresh(run, last, warm)
    try:
        fast = first_answer(run, last, project, model, warm, started)
        if fast is not None:
            show_answer(run, project, model, fast)
    except Exception:  # it is a courtesy: the fit goes on
        _LOG.warning("There is no reweighted answer; the fit goes on.", exc_info=True)
        return refresh
    return refresh._replace(fast=fast)


def record(
    result: Path,
    refresh: Refresh,
    project: Project,
    model: Model,
    tell: Callable[[str], None],
    should_stop: Callable[[], bool],
) -> None:
    """Compare the two fits and write refresh.json into the result.

    None is written where the earlier fit is gone or damaged by now: the fit is done.

    Args:
        result: The folder of the result, with its summary.json.
        refresh: The fit and the earlier one.
        project: Frozen in the run.
        model: Its model.
        tell: Takes the phase that is under way.
        should_stop: Asked while causes are told apart.
    """
    try:
        tell("causes")
        content = _compared(result, refresh, project, model, should_stop)
    except SamplingStopped:
        raise
    except Exception:  # whatever it is: the fit is done, and stays
        _LOG.warning("There is no comparison with the last fit.", exc_info=True)
        return
    write_record(result / "refresh.json", content)


def _compared(
    result: Path,
    refresh: Refresh,
    project: Project,
    model: Model,
    should_stop: Callable[[], bool],
) -> dict[str, Any]:
    """What refresh.json holds."""
    run, last = refresh.run, refresh.last
    summary = as_record(json.loads((result / "summary.json").read_text("utf-8")))
    old_project = load_project(last)
    table = read_table(data_file(run, project))
    came = _arrival(read_table(data_file(last, old_project)), table, old_project)
    causes = causes_of(read_about(last), read_about(run), came)
    steps = {}
    if len(causes) > 1 and not model.mediators:  # which every cause would move, too
        steps = _apart(causes, refresh, project, old_project, should_stop)
    return {
        "before": last.name,
        "after": run.name,
        "came": _came(came),
        "causes": causes,
        "fast": refresh.fast,
        "is_warm": refresh.warm is not None,
        "currency": project.currency,
        "outcome_unit": model.data.outcome_unit,
        "kpi_name": project.mapping.kpi,
        "has_value": summary.has_value,
        **moves(read_fit(last).channels, summary.channels, causes, steps, refresh.fast),
        **plan_of_record_anew(run.parents[1], run.name, table, _plans(result)),
    }


def _plans(result: Path) -> list[dict[str, Any]]:
    """Saved plans by this fit; none where none was scored."""
    return list(read_object(result / PLANS_FILE).get("plans") or ())


def _arrival(earlier: pd.DataFrame, later: pd.DataFrame, project: Project) -> Arrival:
    """What the later table has beyond the earlier; nothing where they are of two kinds.

    By the columns of the earlier fit, which its table has.
    """
    try:
        return arrival(earlier, later, project.mapping)
    except DataError as error:
        _LOG.warning("The tables cannot be matched: %s", error.message)
        return Arrival()


def _came(came: Arrival) -> dict[str, Any]:
    most = 500
    return {
        "periods": list(came.periods),
        "rows": came.n_rows,
        "changed": [vars(cell) for cell in came.changed[:most]],
        "n_changed": len(came.changed),
        "idle": list(came.idle),
    }


def _apart(
    causes: list[str],
    refresh: Refresh,
    project: Project,
    old_project: Project,
    should_stop: Callable[[], bool],
) -> dict[str, list[dict[str, Any]]]:
    """Channels after each cause but the last, which the fit itself has.

    One thing changes after the other: the version, the history, the new rows, and the
    specification last.
    """
    old_frame = read_table(data_file(refresh.last, old_project))
    frame = read_table(data_file(refresh.run, project))
    last = dates_of(old_frame, old_project.mapping).values.max()
    frames = {
        "version": old_frame,
        "changed history": parted(frame, project.mapping, last)[0],
        "new data": frame,
    }
    step, by_cause = replace(old_project, sampler=project.sampler), {}
    try:
        for cause in causes[:-1]:
            by_cause[cause] = _refit(step, frames[cause], refresh.warm, should_stop)
    except SamplingStopped:
        raise
    except MMMError as error:
        _LOG.warning("Causes could not be told apart: %s", error.message)
        return {}
    return by_cause


def _refit(
    project: Project, frame, warm: WarmStart | None, should_stop: Callable[[], bool]
) -> list[dict[str, Any]]:
    """Channels of one refit, with Monte-Carlo errors."""
    spec = replace(project.spec, experiments=project.lift_tests())
    model = build(
        assemble(frame, project.mapping), spec, precision=project.sampler.precision
    )
    fitted = fit(model, project.sampler, warm=warm, should_stop=should_stop)
    return channel_rows(model, fitted.posterior)


def channel_rows(model: Model, posterior: xr.Dataset) -> list[dict[str, Any]]:
    """Channels as summary.json has them: what two fits are compared by.

    Args:
        model: The model.
        posterior: Dims chain, draw, ...
    """
    channels = returns(model, flat_draws(posterior, _DRAWS))
    own, chain = {"channels": brief_rows(channels)}, chain_of(posterior, _DRAWS)
    return with_monte_carlo_errors(own, channels, chain)["channels"]


def write_report(run: Path) -> None:
    """report.html beside the result; a report that fails is no reason to fail."""
    show_plotting()
    try:
        from core.report.html import write_report as write  # noqa: PLC0415

        write(run, run / "report.html", None)
    except Exception:  # whatever it is: the fit is done, and the command says so
        _LOG.warning("There is no report.", exc_info=True)
