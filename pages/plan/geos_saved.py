"""Plans of geos that are kept: saved with a name and notes, and back to the form."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from core.plan.record.geo_table import csv_text
from core.plan.scenario.geos import GeoWish, geo_wish
from core.plan.scenario.table import scenario_text
from core.workspace.plans import GEOS, list_plans, save_plan, to_keep
from core.workspace.runs import Run
from pages.access import rights
from pages.plan.limits import Limit, Limits
from pages.ui import kept as plan_kept
from pages.ui import state

_TOO_FINE = (
    "Its limits of geos are finer than this form. Plan with its scenario file: "
    "python -m core plan RUN --scenario FILE."
)
_SAME = 1e-4


def act(folder: Path, run: Run, told: dict[str, Any] | None, project: str) -> None:
    """Name, notes, downloads and Save; a plan that is kept never changes.

    Args:
        folder: The project.
        run: The fit.
        told: The plan as the command line prints it; None where there is none.
        project: Name of the project, for files.
    """
    number = len(list_plans(folder, GEOS)) + 1
    about = plan_kept.about("Geos", number, key="plan.geos")
    kept = {}
    if told is not None:
        kept = to_keep(
            told, GEOS, run.run_id, about.name, notes=about.notes, by=about.by
        )
        files = {
            "XLSX": (lambda: _book(kept, about.name), plan_kept.XLSX),
            "CSV": (lambda: csv_text(kept).encode("utf-8-sig"), "text/csv"),
            "TOML": (lambda: scenario_text(kept).encode(), "application/toml"),
        }
        plan_kept.downloads(files, f"{project} {about.name}", key="plan.geos")
    if st.button(
        "Save plan of geos",
        key="plan.geos.save",
        type="primary",
        icon=":material/save:",
        shortcut="Ctrl+S",
        **rights.of(folder, rights.Role.PLANNER, disabled=told is None),
    ):
        save_plan(folder, kept)
        state.note(f"{about.name} is saved", ":material/save:")
        st.rerun()


def _book(kept: Mapping[str, Any], name: str) -> bytes:
    from core.report.grid_book import grid_workbook

    return grid_workbook(kept, name=name)


def way_back(plan: Mapping[str, Any], run: Run) -> tuple[str, Callable[[], Limits]]:
    """Why a plan's limits of geos cannot come back, and what brings them.

    Args:
        plan: A plan of geos.
        run: The fit that is shown.
    """
    form = form_of(plan)

    def bring() -> Limits:
        times, spread, locked = form
        state.put("plan.geos.times", float(times))
        state.put("plan.geos.spread", spread)
        state.put(f"plan.geos.locked.{run.run_id}", locked)
        return _limits(plan)

    return ("" if form is not None else _TOO_FINE), bring


def _limits(plan: Mapping[str, Any]) -> Limits:
    """Limits of channels that a plan of geos was made with."""
    current = {row["name"]: float(row["current"]) for row in plan["channels"]}
    made = {}
    for name, row in plan["scenario"].get("channel", {}).items():
        low, high = float(row["min"]), float(row["max"])
        lock = row.get("lock")
        stays = lock is not None and abs(lock - current.get(name, -1.0)) < 0.01
        if lock is not None and not stays:
            low = high = float(lock)
        made[name] = Limit(low, high, stays)
    return made


def form_of(plan: Mapping[str, Any]) -> tuple[float, int, list[str]] | None:
    """What the form says for a plan's limits of geos; None where it has no words.

    Returns:
        How many times a cell's spend, geo totals in percent, geos left alone.
    """
    wish = geo_wish(plan["scenario"].get("geos", {}))
    low, high = wish.bounds
    is_symmetric = 1 <= high <= 10 and abs(low * high - 1) < _SAME
    is_scaled = plan["scenario"].get("scaled") or not plan["current_scaled"]
    only_locks = all(dict(row) == {"lock": True} for row in wish.geos.values())
    spread = _spread(wish)
    if not (is_symmetric and is_scaled and only_locks) or spread is None:
        return None
    return high, spread, list(wish.geos)


def _spread(wish: GeoWish) -> int | None:
    """Plus or minus so many percent of every geo's total; None for other limits."""
    if wish.totals is None:  # cells alone keep totals within 100 %
        return 100 if wish.bounds[1] <= 2 else None
    low, high = wish.totals
    spread = round(100 * (high - 1))
    same = abs(high - 1 - spread / 100) < _SAME and abs(low + high - 2) < _SAME
    return spread if same and 0 <= spread <= 100 else None
