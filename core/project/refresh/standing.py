"""Standing: which fit and day a plan comes from, and its odds by the newest fit."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import WorkspaceError
from core.estimate import Estimate
from core.plan.record.plan_record import PlanRecord
from core.plan.record.today import gain
from core.plan.response.curves import response_curves
from core.plan.response.price import gammas_of, priced
from core.project.fits.horizons import plan_curves
from core.project.fits.runs import latest_fit, open_dataset, read_json
from core.project.refresh.next_fit import refreshed


@dataclass(frozen=True)
class Standing:
    """Where a plan stands beside the newest fit of its project.

    Attributes:
        fit: Of the plan.
        newest: The newest fit; empty where the plan is of that one, or none is kept.
        data_end: Last period that the newest fit saw; empty as above.
        gain: What the plan gains by the newest fit over the same split of its money;
            None where that fit has no response for the periods that are left.
        left: First and last of the periods that the gain is for; empty where that is
            all of them.
    """

    fit: str
    newest: str = ""
    data_end: str = ""
    gain: Estimate | None = None
    left: tuple[str, str] | None = None

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
    if newest is None or not plan.run_id or newest.run_id <= plan.run_id:
        return Standing(plan.run_id)
    try:
        end = str(read_json(newest.folder, "summary").get("end", ""))[:10]
        scored, left = _scored(newest.folder, plan)
    except WorkspaceError:  # said where that fit is opened
        return Standing(plan.run_id, newest.run_id)
    return Standing(plan.run_id, newest.run_id, end, scored, left)


def _scored(
    fit: Path, plan: PlanRecord
) -> tuple[Estimate | None, tuple[str, str] | None]:
    """The plan's gain by another fit, and the periods that it is for."""
    told = (refreshed(fit) or {}).get("plan") or {}
    if told.get("plan_id") == plan.plan_id and plan.plan_id:
        return told["gain"], (str(told["start"]), str(told["end"]))
    files = None if plan.horizon.as_fitted else plan_curves(fit, plan.horizon)
    if files is None:
        return None, None
    curves = response_curves(open_dataset(files.run, files.channels))
    curves = priced(curves, gammas_of(plan.scenario))
    if set(curves.names) != set(plan.money):
        return None, None
    money = np.array([plan.money[name] for name in curves.names])
    same = curves.spend * (money.sum() / curves.spend.sum())
    outcomes = (curves.outcome(spend).sum(axis=1) for spend in (money, same))
    return gain(*outcomes), None
