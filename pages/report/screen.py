"""Report: what do I send?"""

import base64
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from core.charts import channels as figures
from core.service import reports
from core.service.projects import shelf
from core.service.projects.access import Person, Role, acting_as, note, person
from core.service.projects.plans import list_plans
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from core.service.reports import language_of
from core.text.languages.language import LANGUAGES, marked, say
from core.text.languages.reworded import reworded
from core.view.origin import fit_day
from core.view.sections import of_fit
from pages.ui import drawn, fit_needed, layout, navigation, reading, sections
from pages.ui.findings import plain
from pages.ui.reader.once import once

if TYPE_CHECKING:
    from core.report.content import Content

#: What each file is for, and what is in it.
_INSIDE = (
    marked(
        "**HTML**: verdict, returns, contribution, response curves, assumptions and "
        "the plan in one page that opens offline."
    ),
    marked("**PDF**: the same, set for print."),
    marked("**PPTX**: slides whose titles state the result, for a meeting."),
    marked("**XLSX**: every table, for calculations of your own."),
)
#: What is shown of the report before it is downloaded.
_VIEWS = (marked("At a glance"), _WHOLE := marked("The whole report"))
#: px
_HEIGHT = 860


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.REPORT)
    here = layout.begin()
    run = fit_needed.fit_or_empty(here, say("A report can be written"))
    if run is None:
        return
    fit_needed.standing(here, run, reading.fit(run.folder))
    left, right = st.columns([2, 3], gap="medium")
    with left.container(border=True):
        st.header(say("Contents"), anchor=False)
        plan = _plan(list_plans(here.folder), run)
        language = _language(here.folder)
        for line in _INSIDE:
            layout.remark(line)
    with right.container(border=True):
        view = navigation.view(say("View"), _VIEWS, key="report.view")
        if view == _WHOLE:
            show(run, plan, language)
        else:
            _glance(run, shelf.true_rois(shelf.truth(here.folder)))
            sections.draw(of_fit.sections(reading.fit(run.folder), "screen"))
    with actions:
        for label in ("PDF", "PPTX", "XLSX"):
            kind = label.lower()
            missing = reports.missing_for_pdf() if label == "PDF" else ""
            layout.download(
                label,
                _file(run, f".{kind}", plan, language),
                f"{here.name} report.{kind}",
                f"report.{kind}",
                disabled=bool(missing),
                help=reworded(missing) or None,
            )
        layout.download(
            say("Download HTML"),
            _file(run, ".html", plan, language),
            f"{here.name} report.html",
            "report.html",
            type="primary",
            shortcut="Ctrl+S",
        )


def _plan(plans: list[PlanRecord], run: Run) -> PlanRecord | None:
    """The plan to report with the fit, of any kind; those made with it first."""
    if not plans:
        layout.remark(
            "No plan is saved yet. Save one on the Plan screen to include it."
        )
        return None
    by_id = {plan.plan_id: plan for plan in plans}
    ids = sorted(by_id, key=lambda plan_id: by_id[plan_id].run_id != run.run_id)
    labels = {plan_id: _label(by_id[plan_id], run) for plan_id in ids}
    chosen = st.selectbox(
        say("Plan"),
        [*ids, ""],
        format_func=lambda plan_id: labels.get(plan_id, say("none")),
        key="report.plan",
    )
    return by_id.get(chosen)


def _language(folder: Path) -> str:
    """What the files speak: the project's language, until another is chosen."""
    names = list(LANGUAGES)
    return st.selectbox(
        say("Language"),
        names,
        names.index(language_of(folder)),
        format_func=LANGUAGES.get,
        key="report.language",
        help=navigation.tip(
            "What the report speaks, in every format. In German, French and "
            "Spanish, numbers and dates are written as that language does; in "
            "English, as the project does (Units on the Data screen). The first "
            "choice is the project's own language."
        ),
    )


def _label(plan: PlanRecord, run: Run) -> str:
    """A plan's name, what it is over, and its fit where that is another."""
    about = [say(plan.over)] if plan.over != "channels" else []
    if plan.run_id != run.run_id:
        about.append(say("fit of {run_id}", run_id=fit_day(plan.run_id)))
    return f"{plan.title} ({', '.join(about)})" if about else plan.title


def _log(run: Run, person: Person, kind: str) -> None:
    """A download runs in a thread of its own, which does not know who asks for it."""
    with acting_as(person):
        subject = f"{run.run_id} {kind}"
        note("report exported", run.folder.parents[1], Role.VIEWER, subject=subject)


def _file(
    run: Run, kind: str, plan: PlanRecord | None, language: str
) -> Callable[[], bytes]:
    """What writes the report; it runs when the button is pressed."""
    asking = person()

    def write() -> bytes:
        _log(run, asking, kind.removeprefix("."))
        return reports.report_file(run, kind, plan, language)

    return write


@once(lambda run: (run, reading.result_sha(run)), most=8)
def _content(run: Path) -> "Content":
    from core.report import content as report_content

    return report_content.read(run)


def _glance(run: Run, truth: dict[str, float]) -> None:
    """The report's first numbers and its first chart."""
    from core.report import content as report_content

    content = _content(run.folder)
    cards = report_content.headline(content)
    for start in range(0, len(cards), 2):
        for column, card in zip(st.columns(2), cards[start : start + 2], strict=False):
            box = column.container(gap=None)
            box.metric(card.label, card.value)
            box.caption(f"90 % {card.ci}" if card.ci else say("in the data window"))
    if content.curves.channel.size:  # media without spend has no return
        make = partial(figures.roi, content.channels, prior=content.priors, truth=truth)
        drawn.show("report.roi", make, run=run)
    st.caption(plain(report_content.sentence(content)))


def show(run: Run, plan: PlanRecord | None, language: str) -> None:
    """Draw the report with the plan and the language that were chosen.

    Args:
        run: The fit.
        plan: A plan to include.
        language: What it speaks.
    """
    # Written each time, as a download is: it has notes, promises and newer fits.
    with st.spinner(say("Writing the report")):
        page = reports.report_file(run, ".html", plan, language)
    # An address of its own, so that the page cannot reach into the app.
    content = base64.b64encode(page).decode()
    st.iframe(f"data:text/html;charset=utf-8;base64,{content}", height=_HEIGHT)
