"""Standing: which fit and day a plan comes from, and its odds by the newest fit."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.analysis.record.fit_record import part_of_result
from core.errors import WorkspaceError
from core.estimate import OptionalEstimate
from core.plan.money.elsewhere import as_bought
from core.plan.record.plan_record import PlanRecord
from core.plan.record.today import gain
from core.plan.response.curves import response_curves
from core.project.fits.horizons import plan_curves
from core.project.fits.runs import Run, latest_fit, list_runs
from core.project.refresh.record import ScoredPlan
from core.store.fit_results import read_fit
from core.store.results import open_dataset, read_json, result_files


@dataclass(frozen=True)
class Standing:
    """Where a plan stands beside the newest fit of its project.

    Attributes:
        fit: Of the plan.
        newest: The newest fit; empty where the plan is of that one, or none is kept.
        data_end: Last period that the newest fit saw; empty as above.
        gain: What the plan gains by the newest fit over the same split of its money;
            None where that fit has no response for the periods that are left.
        window: First and last of the periods that the gain is for; empty where that is
            all of them.
        again: What the newest fit says of the plan in these periods, and whether its
            advice changed; None where it did not score it.
    """

    fit: str
    newest: str = ""
    data_end: str = ""
    gain: OptionalEstimate | None = None
    window: tuple[str, str] | None = None
    again: ScoredPlan | None = None

    @property
    def is_changed(self) -> bool:
        """Whether the newest fit advises otherwise than the plan's own fit."""
        return self.again is not None and self.again.is_changed

    @property
    def is_older(self) -> bool:
        """Whether the plan is of an older fit than the newest."""
        return bool(self.newest)


def standing(project_folder: Path, plan: PlanRecord) -> Standing:
    """Where a plan stands beside the newest fit of its project.

    Args:
        project_folder: The project.
        plan: One of its plans.
    """
    newest = latest_fit(project_folder)
    if newest is None or not plan.run_id or not _is_older(project_folder, plan, newest):
        return Standing(plan.run_id)
    try:
        end = read_fit(newest.folder).end[:10]
        again = scored_again(newest.folder).get(plan.plan_id)
        if again is None:
            return Standing(
                plan.run_id, newest.run_id, end, _by_curves(newest.folder, plan)
            )
    except WorkspaceError:  # said where that fit is opened
        return Standing(plan.run_id, newest.run_id)
    window = None
    if (again.start, again.end) != (plan.horizon.start, plan.horizon.end):
        window = again.start, again.end
    return Standing(plan.run_id, newest.run_id, end, again.gain, window, again)


def _is_older(project_folder: Path, plan: PlanRecord, newest: Run) -> bool:
    """Whether a plan's fit is older than another, in the order of the shelf.

    A fit that was deleted has only the time in its identifier.
    """
    fits = [run.run_id for run in list_runs(project_folder, "fit")]  # newest first
    if plan.run_id in fits:
        return fits.index(newest.run_id) < fits.index(plan.run_id)
    return newest.run_id > plan.run_id


def scored_again(fit: Path) -> dict[str, ScoredPlan]:
    """Saved plans whose periods were ahead when a fit ended, by their identifiers.

    Args:
        fit: Folder of the fit.

    Raises:
        WorkspaceError: Its result is damaged.
    """
    if "plans.json" not in result_files(fit):
        return {}
    plans = read_json(fit, "plans").get("plans") or ()
    return {
        each["plan_id"]: part_of_result(each, ScoredPlan, "plans")
        for each in plans
        if "why_not" not in each
    }


def _by_curves(fit: Path, plan: PlanRecord) -> OptionalEstimate | None:
    """The plan's gain by a fit that has curves of its periods."""
    files = None if plan.horizon.as_fitted else plan_curves(fit, plan.horizon)
    if files is None:
        return None
    curves = response_curves(open_dataset(files.run, files.channels))
    curves = as_bought(curves, plan.scenario)
    if set(curves.names) != set(plan.money):
        return None
    money = np.array([plan.money[name] for name in curves.names])
    same = curves.spend * (money.sum() / curves.spend.sum())
    outcomes = (curves.outcome(spend).sum(axis=1) for spend in (money, same))
    return gain(*outcomes)
