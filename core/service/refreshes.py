"""Refreshes: new rows taken in, fitted, and what moved.

Conditions: when a refresh is worth somebody's look, as `moved > 1 sd`.
"""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.data.layout.kinds.exports import File
from core.errors import DataError, SpecError
from core.jobs import executor
from core.project.refresh.incoming import Incoming, take
from core.project.refresh.incoming import incoming as new_rows
from core.project.refresh.next_fit import (
    NextFit,
    must_resume,
    new_refresh,
    next_fit,
    refreshed,
)
from core.project.refresh.record import RefreshRecord
from core.project.shelf.seen import mark_seen
from core.service.fits import await_fit
from core.service.runs import SILENT, Watch


@dataclass(frozen=True)
class Refresh:
    """The fit that answers for a project now.

    Attributes:
        run: Directory of the fit.
        is_new: Whether somebody sees it for the first time.
        moves: What moved since the fit before, and why; None where it
            is the first, or was seen before.
    """

    run: Path
    is_new: bool
    moves: RefreshRecord | None


def questions(project: Path, rows: Incoming) -> dict[str, Any]:
    """What somebody has to say yes to first, as `refresh --json` prints it."""
    return {
        "project": str(project),
        "came": rows.summary,
        "questions": list(rows.questions),
        "changed": [vars(cell) for cell in rows.came.changed],
        "idle": list(rows.came.idle),
    }


def refresh(
    project: Path,
    files: Sequence[File] = (),
    watch: Watch = SILENT,
    *,
    accepts_changes: bool = False,
) -> Refresh:
    """Take new rows in, fit, and say what moved.

    Args:
        project: Its folder.
        files: New rows, or the whole history again; none where the project has its
            table already.
        watch: Told how the fit goes on.
        accepts_changes: Whether old rows may change.

    Raises:
        DataError: The files do not fit the project, or change old rows.
        SamplingError: Sampling failed or was stopped.
    """
    if files:
        rows = new_rows(project, files)
        if rows.questions and not accepts_changes:
            raise DataError(
                f"The files change old rows: {'; '.join(rows.questions[:5])}.",
                hint="Accept that (accept=True), or correct the files.",
                where=project.name,
            )
        take(rows)
    return fit_next(project, watch)


def fit_next(project: Path, watch: Watch = SILENT) -> Refresh:
    """The fit that answers for a project as it is; made, awaited or continued.

    Raises:
        SamplingError: Sampling failed or was stopped.
        MMMError: The input is at fault.
    """
    following = next_fit(project)
    run = following.run
    if run is not None and following.is_done:
        changes = None if following.is_told else refreshed(run.folder)
        mark_seen(run.folder)
        return Refresh(run.folder, changes is not None, changes)
    path = _started(project, following)
    await_fit(path, watch)
    return Refresh(path, True, refreshed(path))


def start_next(project: Path) -> Path:
    """The fit that answers for a project as it is, started if it is not; at once.

    Raises:
        MMMError: The project cannot be fitted, or the workspace cannot be written.
    """
    following = next_fit(project)
    if following.run is not None and following.is_done:
        return following.run.folder
    return _started(project, following)


def is_fitted(project: Path) -> bool:
    """Whether a finished fit answers for a project as it is."""
    return next_fit(project).is_done


def _started(project: Path, following: NextFit) -> Path:
    """The fit that has to be made or gone on with, at work."""
    if following.run is None:
        path = new_refresh(project, following.last)
        executor.submit(path)
        return path
    path = following.run.folder
    if must_resume(path):
        executor.submit(path, resume=True)
    return path


_SHAPE = re.compile(
    r"(moved|plan|actual|changed|new)\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*([a-z%]*)"
)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
#: Units of each quantity; the first one is what is meant where none is written.
_UNITS = {
    "moved": ("sd",),
    "plan": ("%",),
    "actual": ("%",),
    "changed": ("cells", "cell"),
    "new": ("periods", "period"),
}
#: What to look at where no number is asked about.
_DOUBT = "not trustworthy"


@dataclass(frozen=True)
class Condition:
    """One condition.

    Attributes:
        text: As it was written.
        quantity: `moved`: the largest move of a paid channel's ROI, in its standard
            deviations; `plan`: the change of what the plan of record brings, per cent;
            `actual`: actual less planned outcome, per cent; `changed`: changed cells
            of old rows; `new`: new periods; or `not trustworthy`, the fit's verdict.
        sign: How it is compared.
        number: With what.
    """

    text: str
    quantity: str
    sign: str = ">"
    number: float = 0.0

    def holds(self, record: RefreshRecord | None, verdict: str) -> bool:
        """Whether a refresh fulfils it; never where nothing came.

        Args:
            record: Of the refresh; None where no fit was refreshed.
            verdict: Of the new fit.
        """
        if self.quantity == _DOUBT:
            return bool(verdict) and verdict != "trustworthy"
        value = None if record is None else quantity(record, self.quantity)
        return value is not None and _COMPARE[self.sign](value, self.number)


def condition(text: str) -> Condition:
    """A condition as it is written.

    Raises:
        SpecError: It cannot be understood.
    """
    plain = " ".join(text.lower().split())
    if plain == _DOUBT:
        return Condition(text, _DOUBT)
    match = _SHAPE.fullmatch(plain)
    if match is None or match[4] not in ("", *_UNITS[match[1]]):
        raise SpecError(
            f'"{text}" is not a condition.',
            hint='Write one such as "moved > 1 sd", "plan < -5 %", "actual < -10 %", '
            '"changed > 0 cells", "new > 0 periods" or "not trustworthy".',
            where="--if",
        )
    return Condition(text, match[1], match[2], float(match[3]))


def quantity(record: RefreshRecord, name: str) -> float | None:
    """A number that a condition can be about; None where there is none."""
    plan, actuals = record.plan, record.actuals
    if name == "moved":
        return record.moved
    if name == "changed":
        return float(record.came.n_changed)
    if name == "new":
        return float(len(record.came.periods))
    if name == "plan":
        return plan and _change(plan.before.mean, plan.after.mean)
    return actuals and _change(actuals.planned.mean, actuals.actual)


def _change(before: float, after: float) -> float | None:
    """The change from one number to another, per cent."""
    return 100 * (after / before - 1) if before else None
