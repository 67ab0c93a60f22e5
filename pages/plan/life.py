"""The life line of a plan, from draft to plan of record, and its next step."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.service import plans
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from core.text.languages.language import say
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
    life = plans.life_of(here.folder, run.folder, plan, saved)
    words = [
        f"**{say(stage)}**" if stage == life.now else f":gray[{say(stage)}]"
        for stage in life.stages
    ]
    about = "" if life.saved is None else f"{plain(life.saved.title)}: "
    with place.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="right",
        key="plan.life",
    ):
        st.markdown(f"{about}{' :gray[→] '.join(words)}", width="content")
        if life.saved is not None and not life.is_decided:
            kept.mark(here.folder, life.saved, is_record=False, key="plan.life.record")
