"""The goal of the plan's periods: how likely the plan reaches it, baseline and all."""

import streamlit as st
import xarray as xr

from core import text as fmt
from core.plan.against.planned_forecast import in_all, planned_total
from core.plan.record.plan_record import PlanRecord
from core.plan.record.uncertainty import estimate
from core.plan.response.periods import Horizon
from core.project.fits.runs import Run
from core.store.results import result_files
from pages.ui import planning, reading
from pages.ui.findings import plain


def odds(run: Run, plan: PlanRecord, units: fmt.Units) -> None:
    """The goal, its odds by the plan and as a year earlier; nothing without a forecast.

    Args:
        run: The fit.
        plan: The plan.
        units: Words for the units.
    """
    if "forecast.nc" not in result_files(run.folder):
        return
    whole = _in_all(reading.result_sha(run.folder), plan.horizon, run)
    if whole is None:
        return
    at = {line.name: line.multiplier for line in plan.channels if line.multiplier}
    planned, usual = planned_total(whole, at), whole["outcome"].to_numpy()
    planned = planned + _between_geos(plan)
    before = float(whole["year_before"])
    name = plain(units.outcome_name if units.is_money else units.kpi_name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width=300):
            wanted = planning.goal(before, units, key="plan.total", word=_goal(units))
        chances = [
            fmt.probability(float((each >= wanted).mean())) for each in (planned, usual)
        ]
        st.caption(
            f"**{chances[0]}** to reach {units.show(wanted)}, with last year's media "
            f"{chances[1]}. {name} in all, baseline included: "
            f"{units.estimate(estimate(planned), bare=True)}"
        )


def _between_geos(plan: PlanRecord) -> float:
    """What money that moves between geos adds on average, which a forecast lacks."""
    kept = plan.outcome.get("channels")
    return 0.0 if kept is None else plan.outcome["planned"]["mean"] - kept["mean"]


def _goal(units: fmt.Units) -> str:
    """`Revenue goal (all revenue, baseline included)`."""
    name = units.outcome_name if units.is_money else units.kpi_name
    whole = name.lower() if units.is_money else name
    return f"{name} goal (all {whole}, baseline included)"


@st.cache_resource(max_entries=8, show_spinner=False)
def _in_all(sha: str, horizon: Horizon, _run: Run) -> xr.Dataset | None:
    return in_all(reading.result_dataset(_run.folder, "forecast"), horizon)
