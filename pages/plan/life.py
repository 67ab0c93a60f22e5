"""The life line of a plan, from draft to plan of record, and its next step."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.plan.record.plan_record import PlanRecord
from core.project.fits.runs import Run
from core.project.plans import plan_life
from core.project.plans.plans import with_fit
from pages.ui import kept
from pages.ui.findings import plain
from pages.ui.reading import Opened


def line(
    place: DeltaGenerator,
    here: Opened,
    run: Run,
    plan: PlanRecord | None,
    saved: Sequence[PlanRecord],
) -> None:
    """How far the plan on screen is on its way, and what comes next.

    Args:
        place: Where it stands.
        here: The project.
        run: The fit.
        plan: The plan; None where there is none.
        saved: Plans of the project.
    """
    if plan is None:
        return
    same = plan_life.saved_as(with_fit(plan, run.folder), saved)
    now = plan_life.stage(here.folder, same)
    words = [
        f"**{stage}**" if stage == now else f":gray[{stage}]"
        for stage in plan_life.stages(here.folder)
    ]
    about = "" if same is None else f"{plain(same.title)}: "
    with place.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="right",
        key="plan.life",
    ):
        st.markdown(f"{about}{' :gray[→] '.join(words)}", width="content")
        if same is not None and now != plan_life.OF_RECORD:
            kept.mark(here.folder, same, is_record=False, key="plan.life.record")
