"""The plan of a portfolio: advice, numbers, what is each project's, and its parts."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts.planning import plan as figures
from core.errors import MMMError
from core.service import reports
from core.service.portfolio import markets, members, plans
from core.service.portfolio.markets import Markets
from core.service.projects.access import who
from core.service.records.plan import PlanRecord
from core.text.languages.language import say
from core.view import plan_words
from core.view.advice import advice_lines
from core.view.sections import of_plan, plan_tables
from pages.plan import view as plan_view
from pages.plan.portfolio import form
from pages.ui import drawn, kept, layout, state
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened


def is_possible() -> bool:
    """Whether there are projects that could share a budget."""
    return len(members.fitted()) >= form.NEEDED


def ask(here: Opened) -> form.Brief:
    """Draw budget, limits and objective, beside the control of the periods.

    Args:
        here: The open project.
    """
    return form.brief(members.candidates(), here.name)


def show(
    here: Opened, brief: form.Brief, periods: int | None, actions: DeltaGenerator
) -> None:
    """Draw which projects share the budget, and the plan.

    Args:
        here: The open project.
        brief: What the row above says.
        periods: How many to plan; None for a year of them.
        actions: The place for name, files and saving.
    """
    candidates = members.candidates()
    # What is wrong stands above the projects, which are folded once there are two.
    above = st.container()
    text, names = form.projects(candidates, here.name, brief, periods)
    if len(names) < form.NEEDED:
        st.info(say("Choose at least two projects with a KPI in this currency."))
        return
    runs = tuple(each.run_id for each in candidates if each.name in names)
    try:
        # By who asks, because not everybody may see every project.
        together = _markets(text, runs)
        plan = tongue.in_english(plans.plan)(together)
    except MMMError as error:
        with above:
            show_error(error)
        with actions:
            _file(text)
        return
    plan_view.claim(st.container(gap="xsmall"), plan, plan.units)
    _tiles(plan)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        plan_view.answer(plan_tables.projects_at_a_glance(plan), say("Projects"))
        plan_view.answer(plan_tables.at_a_glance(plan))
    with right:
        _spend(plan)
    claimed = advice_lines(plan)
    for note in of_plan.topics(plan):
        if note.text not in claimed:
            st.caption(plain(note.text))
    with actions:
        name = kept.name(say("Portfolio"), 1, key="portfolio")
        _file(text, plan)
        _save(together, plan, name)


def _tiles(plan: PlanRecord) -> None:
    """Outcome, gain and budget."""
    tiles = st.columns(3, gap="small")
    plan_view.tiles(tiles, plan, plan.units)
    with layout.card(tiles[2]):
        st.metric(say("Budget"), fmt.money(plan.budget, plan.units.currency))
        st.caption(plain(plan_words.horizon(plan)))


def _spend(plan: PlanRecord) -> None:
    """Spend that ran beside planned spend, of every channel of every project."""
    make = partial(figures.spend, plan, currency=plan.units.currency)
    drawn.anew("portfolio.spend", make)


@once(
    lambda text, runs: (who(), runs, text),
    most=8,
    wait=tongue.Later("Putting the fits together"),
)
def _markets(text: str, runs: tuple[str, ...]) -> Markets:
    return markets.markets(markets.portfolio_of(text))


def _save(together: Markets, plan: PlanRecord, name: str) -> None:
    """Save each project's part in that project."""
    wants = st.button(
        say("Save parts"),
        key="portfolio.save",
        type="primary",
        icon=":material/save:",
        shortcut="Ctrl+S",
        help=say(
            "Saves each project's part as a plan of that project, for its "
            "approval, exports and actuals. Takes a planner in each."
        ),
    )
    if not wants:
        return
    try:
        with st.spinner(say("Each fit evaluates its part")):
            saved = plans.save(together, plan, name)
    except MMMError as error:
        show_error(error)
        return
    count = fmt.count(len(saved), "plan")
    about = [say("{count} saved: {fits}", count=count, fits=", ".join(together.fits))]
    about += dict.fromkeys(plan_words.renamed(part, name) for part in saved)
    state.note(". ".join(filter(None, about)), ":material/save:")
    st.rerun()


def _file(text: str, plan: PlanRecord | None = None) -> None:
    """The plan as files, and the portfolio as one for the command line."""
    kinds = ["HTML", "PDF", "PPTX", "XLSX", "CSV"]
    if reports.missing_for_pdf():
        kinds.remove("PDF")
    with st.popover(say("Export"), icon=":material/ios_share:", key="portfolio.export"):
        if plan is not None:
            files = kept.plan_files(lambda: plan, *kinds)
            with st.container(horizontal=True):
                kept.downloads(files, "portfolio", key="portfolio")
        layout.remark("For the command line, the portfolio as a file:")
        file_of_it = {"TOML": text.encode}
        kept.downloads(file_of_it, "portfolio", key="portfolio", is_rare=True)
