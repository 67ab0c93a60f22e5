"""Plans of channels that were saved, and back to their limits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.charts import format as fmt
from core.workspace.plans import list_plans
from pages.plan import limits as plan_limits
from pages.plan import more
from pages.ui import kept, state

_SHELF = kept.Shelf(
    "Saved plans",
    "plan",
    "limits",
    "Choose a plan to bring its budget and limits back, edit them and save it under a "
    "new name, or mark it as the plan of record.",
)


def show(folder: Path, names: Sequence[str], units: fmt.Units) -> None:
    """The list; choosing a plan and loading it brings its limits back."""
    saved = list_plans(folder)

    def load(plan: dict[str, Any]) -> None:
        limits = plan_limits.of_plan(plan)
        kept.load_button(
            plan,
            key="plan.load",
            why_not="" if set(limits) == set(names) else OTHER_CHANNELS,
            on_click=bring_back,
            args=(plan, limits),
        )

    if saved:
        kept.shelf(folder, saved, _SHELF, units, load=load)


#: Why a plan of another fit cannot be loaded.
OTHER_CHANNELS = "Its channels are not those of this fit."


def bring_back(plan: Mapping[str, Any], limits: plan_limits.Limits) -> None:
    """Set budget, objective and limits of channels to those of a plan."""
    plan_limits.rebase(limits)
    more.load(plan.get("scenario") or {})
    state.put("plan.budget", float(plan["budget"]))
    objective = str((plan.get("objective") or {}).get("name", "mean"))
    if objective.startswith("reach:"):
        state.put("plan.goal", float(objective.removeprefix("reach:")))
        objective = "reach"
    state.put("plan.objective", objective)
