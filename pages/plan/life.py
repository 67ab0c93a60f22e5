"""The life of the plan on screen: how far it is, how it is named, kept and exported."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.service import plans
from core.service.projects.plans import list_plans, with_fit
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord, with_details
from core.text.languages.language import say
from core.view import plan_words
from pages.ui import kept, layout, state
from pages.ui.fields import gated
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


def act(
    here: Opened, run: Run, plan: PlanRecord | None, *, is_next: bool = True
) -> None:
    """Name, notes and files, and Save at the top right, whatever the plan is over.

    Args:
        here: The project.
        run: The fit.
        plan: The plan; None where there is none.
        is_next: Whether saving is what to do next: then it is the main button.
    """
    saved = list_plans(here.folder)
    # Not their count: after one was deleted, that is the number of another.
    number = max((each.number for each in saved), default=0) + 1
    name = kept.name(say("Plan"), number, key="plan")
    with st.popover(say("Export"), icon=":material/ios_share:", key="plan.export"):
        notes, by = kept.notes()

        def named() -> PlanRecord:
            about = {"name": name, "notes": notes, "by": by}
            return with_details(with_fit(plan, run.folder), **about)

        if plan is not None:
            state.keep("plan.working", with_details(plan, name="", plan_id=""))
            stem = f"{here.name} {name}"
            with st.container(horizontal=True):
                files = kept.plan_files(named, "XLSX", "CSV")
                kept.downloads(files, stem, key="plan")
            layout.remark("For the command line, the limits as a scenario file:")
            rare = kept.plan_files(named, "TOML")
            kept.downloads(rare, stem, key="plan", is_rare=True)
    if gated.button(
        say("Save plan"),
        key="plan.save",
        type="primary" if is_next else "secondary",
        icon=":material/save:",
        shortcut="Ctrl+S",
        disabled=plan is None,
    ):
        kept_plan = plans.save_named(here.folder, named())
        kept.begin_another()
        about = plan_words.renamed(kept_plan, name)
        about = about or say("{name} is saved", name=kept_plan.name)
        state.note(about, ":material/save:")
        st.rerun()
