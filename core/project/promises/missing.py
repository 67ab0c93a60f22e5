"""Missing: promises that a process was stopped before it wrote them, made up for.

A plan, a test or a fit is kept first and its promise after it. Where the process is
killed in between, or the disk is full, whoever looks at promises next keeps it: from
the same plan and the same fit, neither of which ever changes, and dated as they are.
Nothing that was known only later goes into it.
"""

import logging
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from core.errors import MMMError, WorkspaceError
from core.experiments.kept import KeptTest
from core.project.fits.runs import Run, list_runs
from core.project.lift_tests.lift_tests import lift_tests
from core.project.plans.plans import list_plans
from core.project.promises.keeping import (
    keep_forecast,
    keep_plan,
    keep_teaching,
    keep_test,
)
from core.project.promises.record import (
    Kind,
    Promise,
    keep_none,
    promise_id,
    settled_ids,
)
from core.store.results import has_result
from core.team.gate import may
from core.team.roles import Role

_LOG = logging.getLogger(__name__)


class _Owed(NamedTuple):
    """What may owe a promise."""

    kind: Kind
    about: str
    keep: Callable[[], Promise | None]


def may_keep(project: Path) -> bool:
    """Whether promises and scores may be written by looking at them.

    Not where the folder is read-only, nor for somebody who may only read the project.
    """
    return os.access(project, os.W_OK) and may(project, Role.PLANNER)


def keep_missing(project: Path) -> None:
    """Keep every promise that a project owes.

    What promises nothing is noted, so that it is worked out once.

    Args:
        project: The project's folder.
    """
    settled = settled_ids(project)
    for owed in _owed(project):
        if promise_id(owed.kind, owed.about) in settled:
            continue
        try:
            _keep(project, owed)
        except (MMMError, KeyError, TypeError, ValueError):
            _LOG.warning("A promise was not kept.", exc_info=True)


def _keep(project: Path, owed: _Owed) -> None:
    """Keep one promise, or that there is none.

    Raises:
        WorkspaceError: The fit is damaged, which may be mended, or the project cannot
            be written.
    """
    why = "no periods that its fit can be asked about"
    try:
        promise = owed.keep()
    except WorkspaceError:
        raise
    except MMMError as error:
        promise, why = None, error.message
    if promise is None:
        keep_none(project, owed.kind, owed.about, why)


def _owed(project: Path) -> Iterator[_Owed]:
    """Finished fits, saved plans and planned tests, whether or not it is kept."""
    fits = [
        each
        for each in list_runs(project, "fit")
        if each.status.state == "done" and has_result(each.folder)
    ]
    for fit in reversed(fits):
        yield _Owed("forecast", fit.run_id, lambda fit=fit: _forecast(fit))
    for plan in list_plans(project):
        yield _Owed("plan", plan.plan_id, lambda plan=plan: keep_plan(project, plan))
        if plan.teaching is not None:
            teaches = _Owed(
                "teaching", plan.plan_id, lambda plan=plan: keep_teaching(project, plan)
            )
            yield teaches
    for test in lift_tests(project):
        if (fit := _newest_when(test, fits)) is not None:
            expects = _Owed(
                "test",
                test.test_id,
                lambda test=test, fit=fit: keep_test(project, test, fit),
            )
            yield expects


def _forecast(fit: Run) -> Promise | None:
    """The promise of a finished fit, dated when it was done."""
    return keep_forecast(fit.folder, created=_done(fit))


def _done(fit: Run) -> str:
    return fit.status.since or fit.created


def _newest_when(test: KeptTest, fits: list[Run]) -> Run | None:
    """The newest fit that was done when a test was planned; None where none was."""
    planned = _moment(test.created)
    if planned is None:
        return None
    ends = ((each, _moment(_done(each))) for each in fits)
    return next((each for each, when in ends if when and when <= planned), None)


def _moment(stored: str) -> datetime | None:
    """A stored time; None where it is none."""
    try:
        when = datetime.fromisoformat(stored)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)
