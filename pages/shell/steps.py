"""Steps: how far a project has come, step by step, and what is out of date."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core import text as fmt
from core.errors import MMMError
from core.service import runs
from core.service.projects.plans import list_plans
from core.service.records.columns import blocks
from core.service.records.fit import Run
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.experiments import draft
from pages.ui import navigation, reading, words
from pages.ui.findings import tally
from pages.ui.reading import Opened

Mark = Literal["blank", "done", "running", "attention"]


@dataclass(frozen=True)
class Step:
    """How one step stands.

    Attributes:
        mark: Nothing yet, done, running, or in need of attention.
        note: A few words beside it: time left, out of date.
        why: The reason, in one sentence.
    """

    mark: Mark = "blank"
    note: str = ""
    why: str = ""


def steps(here: Opened | None) -> dict[str, Step]:
    """The state of every step, by screen."""
    if here is None:
        names = [screen.name for screen in navigation.WORK]
        return dict.fromkeys(names, Step())
    data = _data(here)
    model = Step("done") if data.mark == "done" else Step()
    listed = runs.list_runs(here.folder, "fit")
    done = [run for run in listed if run.status.state == "done"]
    stale = _stale(here, done[0]) if done else ""
    return {
        "data": data,
        "model": model,
        "experiments": _experiments(here) if data.mark == "done" else Step(),
        "fit": _fit(listed, done, stale),
        "channels": _channels(done, stale),
        "plan": _plan(here, done, stale),
    }


def _data(here: Opened) -> Step:
    if not here.has_data:
        return Step(
            "attention",
            say("no data"),
            say("{file} is missing.", file=here.project.file),
        )
    try:
        findings = reading.findings(here)
    except MMMError as error:
        return Step("attention", "", reworded(error.message))
    if blocks(findings):
        return Step(
            "attention",
            say("blocks a fit"),
            say("{findings} in the data.", findings=tally(findings)),
        )
    return Step(
        "done",
        "",
        say("{findings} in the data.", findings=tally(findings)) if findings else "",
    )


def _experiments(here: Opened) -> Step:
    tests = here.project.experiments
    if not tests:
        return Step()
    findings = draft.findings(here, tests)
    if blocks(findings):
        return Step(
            "attention",
            say("blocks a fit"),
            say("{findings} in experiments.", findings=tally(findings)),
        )
    return Step("done", fmt.count(len(tests), "test"))


def _stale(here: Opened, run: Run) -> str:
    """Why the newest fit no longer answers for the project; empty if it does."""
    return ", ".join(map(reworded, reading.out_of_date(here, run.folder)))


def _fit(listed: Sequence[Run], done: Sequence[Run], stale: str) -> Step:
    live = [run for run in listed if run.status.is_live]
    if live:
        return Step(
            "running", words.time_left(live[0].status), say("A fit is running.")
        )
    if not listed:
        return Step()
    last = listed[0].status
    if last.state in ("failed", "killed", "lost"):
        return Step(
            "attention", words.state_of(last), fmt.brief(reworded(last.message))
        )
    if not done:
        return Step("blank", words.state_of(last), reworded(last.message))
    if stale:
        return Step(
            "attention",
            say("out of date"),
            say("Since the last fit, {stale}.", stale=stale),
        )
    verdict = reading.verdict(done[0].folder)
    if verdict == "trustworthy":
        return Step("done", "", say("The last fit is trustworthy."))
    if not verdict:
        return Step(
            "attention", say("damaged"), say("The result of the last fit is damaged.")
        )
    return Step("attention", say(verdict))


def _channels(done: Sequence[Run], stale: str) -> Step:
    if not done:
        return Step()
    if stale:
        return Step(
            "attention",
            say("out of date"),
            say("Since the last fit, {stale}.", stale=stale),
        )
    return Step("done")


def _plan(here: Opened, done: Sequence[Run], stale: str) -> Step:
    if not done:
        return Step()
    saved = list_plans(here.folder)
    plans = [plan for plan in saved if plan.over != "weeks"]
    if not plans:
        return Step()
    if plans[0].run_id != done[0].run_id:
        why = say("The newest plan was made with an earlier fit.")
        return Step("attention", say("out of date"), why)
    if stale:
        return Step(
            "attention",
            say("out of date"),
            say("Since the last fit, {stale}.", stale=stale),
        )
    return Step("done", "", say("A plan is saved."))
