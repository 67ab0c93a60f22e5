"""Time line: data, fits, plans, tests, approvals and reports of a project, in order.

The audit log says who did what and when; runs and plans on disk say what came of it,
and stand for themselves where they are older than the log. Nothing is kept here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from core import text as fmt
from core.errors import MMMError
from core.plan.record.plan_record import PlanRecord
from core.project.fits.derived import request_of
from core.project.fits.runs import Run, list_runs
from core.project.lift_tests.lift_tests import lift_tests
from core.project.plans.plans import list_plans
from core.project.refresh.next_fit import refreshed
from core.project.refresh.record import RefreshRecord
from core.store.fit_results import read_fit
from core.store.results import has_result
from core.team.audit import Entry, entries
from core.text.fits.two_fits import within
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded

Kind = Literal["data", "fit", "plan", "test", "approval", "report", "project"]
_ABOUT = (marked("data"), marked("fit"), marked("plan"), marked("test"))
_ABOUT += (marked("approval"), marked("report"), marked("project"))

#: What a word at the beginning of an action is about.
_KINDS: dict[str, Kind] = {
    "data": "data",
    "run": "fit",
    "runs": "fit",
    "fit": "fit",
    "plan": "plan",
    "test": "test",
    "report": "report",
    "project": "project",
    "member": "project",
    "approval": "approval",
}
#: What readers call some actions.
_CALLED = {"run started": "fit", "run resumed": "fit resumed"}
#: How a run begins or goes on; what came of it stands beside the last of these.
_BEGUN = ("run started", "run resumed")
_RUNS = (*_BEGUN, "run stopped")
#: How a run ends that somebody stopped, where nothing more is to be said.
_STOPPED = "The run was cancelled."
#: What is said of a line of the log: its action, with a capital.
_ACTIONS = (
    *(marked("Data saved"), marked("Data refreshed"), marked("Fit")),
    *(marked("Fit resumed"), marked("Run created"), marked("Run stopped")),
    *(marked("Run deleted"), marked("Plan saved"), marked("Plan renamed")),
    *(marked("Plan deleted"), marked("Plan proposed"), marked("Plan approved")),
    *(marked("Plan declined"), marked("Plan commented"), marked("Plan of record")),
    *(marked("Test saved"), marked("Test changed"), marked("Test deleted")),
    *(marked("Project created"), marked("Project saved"), marked("Project renamed")),
    *(
        marked("Project duplicated"),
        marked("Project restored"),
        marked("Project deleted"),
    ),
    *(marked("Project opened"), marked("Report exported"), marked("Member changed")),
)
_DIGEST = re.compile(r"[0-9a-f]{64}")
#: Words in an action of a plan that make it an approval.
_APPROVALS = ("approv", "propos", "comment", "record", "reject")


@dataclass(frozen=True)
class Event:
    """One thing that happened.

    Attributes:
        time: When, ISO UTC.
        who: Who did it; empty where nobody is known.
        kind: What it is about.
        text: What happened, in a few words.
        run_id: The fit that shows this state; empty where none does.
        plan_id: The plan that it is about; empty where none is.
    """

    time: str
    who: str
    kind: Kind
    text: str
    run_id: str = ""
    plan_id: str = ""


def timeline(folder: Path) -> list[Event]:
    """What happened in a project, newest first.

    Args:
        folder: The project's folder.

    Raises:
        WorkspaceError: The log cannot be read.
    """
    listed = [entry for entry in entries(folder) if entry.outcome == "done"]
    runs = {run.run_id: run for run in list_runs(folder)}
    plans = {plan.plan_id: plan for plan in list_plans(folder)}
    tests = {test.test_id: test.name for test in lift_tests(folder)}
    newest = {entry.subject: entry for entry in listed if entry.action in _BEGUN}
    passed = {
        id(entry)
        for entry in listed
        if entry.action in _RUNS and newest.get(entry.subject) is not entry
    }
    events = [
        _of_entry(entry, runs, plans, tests, passed=id(entry) in passed)
        for entry in listed
    ]
    begun = ("run started", "plan saved")
    logged = {entry.subject for entry in listed if entry.action in begun}
    events += _reports(runs)
    events += _on_disk(
        {name: run for name, run in runs.items() if name not in logged},
        {name: plan for name, plan in plans.items() if name not in logged},
    )
    events.sort(key=lambda event: event.time)
    return list(_with_fits(events))[::-1]


def _with_fits(events: list[Event]) -> Iterator[Event]:
    """Data, with the first fit that was made of them before they changed again."""
    for place, event in enumerate(events):
        later = events[place + 1 :] if event.kind == "data" else []
        for other in later:
            if other.kind == "data":
                break
            if other.kind == "fit" and other.run_id:
                event = replace(event, run_id=other.run_id)
                break
        yield event


def _of_entry(
    entry: Entry,
    runs: dict[str, Run],
    plans: dict[str, PlanRecord],
    tests: dict[str, str],
    *,
    passed: bool,
) -> Event:
    """A line of the log with what came of it; alone where its run went on later."""
    kind = _kind(entry.action)
    action = _CALLED.get(entry.action, entry.action)
    subject, text = entry.subject, say(f"{action[:1].upper()}{action[1:]}")
    run = runs.get(subject)
    plan = plans.get(subject)
    if run is not None:
        if run.kind != "fit":
            about, _ = _WORK.get(run.kind, (kind, ""))
            return Event(entry.time, entry.who, about, _derived(run))
        happened = text if passed else f"{text}: {about_run(run)}"
        return Event(entry.time, entry.who, kind, happened, _run_link(run))
    if plan is not None:
        name = plan.title
        fit = plan.run_id
        fit = fit if fit in runs else ""
        return Event(entry.time, entry.who, kind, f"{text}: {name}", fit, subject)
    is_name = subject not in ("", entry.project) and not _DIGEST.fullmatch(subject)
    happened = f"{text}: {tests.get(subject, subject)}" if is_name else text
    return Event(entry.time, entry.who, kind, happened)


def _kind(action: str) -> Kind:
    first = action.split(" ")[0]
    if first == "plan" and any(word in action for word in _APPROVALS):
        return "approval"
    return _KINDS.get(first, "project")


def _on_disk(runs: dict[str, Run], plans: dict[str, PlanRecord]) -> Iterator[Event]:
    """Fits and plans; they say themselves when they were made."""
    for run in runs.values():
        if run.kind == "fit":
            text = f"{say('Fit')}: {about_run(run)}"
            yield Event(run.created, "", "fit", text, _run_link(run))
    for plan_id, plan in plans.items():
        fit = plan.run_id
        yield Event(
            plan.created,
            plan.by,
            "plan",
            f"{say('Plan saved')}: {plan.title}",
            fit if fit in runs else "",
            plan_id,
        )


def _reports(runs: dict[str, Run]) -> Iterator[Event]:
    """Reports that refreshes wrote."""
    for run in runs.values():
        try:
            mtime = (run.folder / "report.html").stat().st_mtime
        except OSError:
            continue  # only refreshes write one
        time = datetime.fromtimestamp(mtime, UTC).isoformat(timespec="milliseconds")
        yield Event(time, "", "report", say("Report of the refresh"), _run_link(run))


def about_run(run: Run) -> str:
    """A fit in a few words: how it ended, and what moved with it."""
    if not has_result(run.folder):
        message = run.status.message
        is_said = run.status.state == "cancelled" and message not in ("", _STOPPED)
        why = f": {reworded(message)}" if is_said else ""
        return f"{say(run.status.state)}{why}"
    try:
        record = refreshed(run.folder)
        fit = read_fit(run.folder)
    except (MMMError, KeyError, TypeError, ValueError):
        return say("its result is damaged")
    verdict = say(fit.verdict)
    until = say("data to {day}", day=fmt.date(fit.end))
    if record is None:
        return f"{verdict}, {until}"
    return f"{verdict}, {until}, {_moved(record)}"


def _moved(record: RefreshRecord) -> str:
    """The channel that moved most, from what to what."""
    most = record.moved_channel
    row = next((row for row in record.channels if row.name == most), None)
    if row is None:
        return say("nothing compared")
    before, after = fmt.ratio(row.before.mean), fmt.ratio(row.after.mean)
    return say(
        "{most}'s ROI {before} to {after}, {moved}",
        most=most,
        before=before,
        after=after,
        moved=within(record.moved),
    )


def _derived(run: Run) -> str:
    """Work that stands on a fit: `Plan prepared for 13 periods`."""
    _, label = _WORK.get(run.kind, ("fit", run.kind))
    what = say(label)
    if run.kind == "horizon" and (n := request_of(run.folder).get("periods")):
        what = say("Plan prepared for {periods}", periods=fmt.count(n, "period"))
    if run.status.state == "done":
        return what
    return f"{what}: {say(run.status.state)}"


#: What work on a fit is about, and what it is called once it is done.
_WORK: dict[str, tuple[Kind, str]] = {
    "horizon": ("plan", marked("Plan prepared")),
    "flight": ("plan", marked("Weeks planned")),
    "backtest": ("fit", marked("Forecasts checked")),
}


def _run_link(run: Run) -> str:
    """The run where it can be looked at."""
    return run.run_id if run.kind == "fit" and has_result(run.folder) else ""
