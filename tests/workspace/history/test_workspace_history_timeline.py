"""Time lines: from the log and from what lies on disk."""

import json
from datetime import datetime

import pytest

from core.experiments.kept import KeptTest
from core.project.fits.runs import list_runs, open_run
from core.project.history.returns import returns_over_fits
from core.project.history.timeline import timeline
from core.project.lift_tests.lift_tests import keep_lift_test
from core.project.plans.plans import mark_plan, save_plan
from core.store.run_state import write_state
from core.team.audit import record
from core.team.identity import Person
from tests.pages import worlds
from tests.plan import records


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    monkeypatch.setenv("MIXWRIGHT_USER", "Ada")
    return worlds.project()


def test_the_log_says_who_and_the_disk_what_came_of_it(folder):
    run = worlds.fit(folder)
    plan_id = save_plan(folder, records.record(name="Spring", run_id=run.name)).plan_id
    mark_plan(folder, plan_id)
    events = timeline(folder)
    said = {event.text: event for event in events}
    assert said["Plan saved: Spring"].who == "Ada"
    assert said["Plan saved: Spring"].run_id == run.name
    assert said["Plan of record: Spring"].kind == "approval"
    fit = next(event for event in events if event.kind == "fit")
    assert fit.run_id == run.name
    assert "trustworthy" in fit.text
    times = [event.time for event in events]
    assert times == sorted(times, reverse=True)


def test_runs_older_than_the_log_stand_for_themselves(folder, tmp_path):
    run = worlds.fit(folder)
    (tmp_path / "audit.jsonl").unlink(missing_ok=True)
    (event,) = timeline(folder)
    assert (event.kind, event.run_id, event.who) == ("fit", run.name, "")


def test_what_came_of_a_run_stands_once_where_it_went_on_later(folder):
    run = worlds.run(folder, "cancelled")
    write_state(run, "cancelled", message="The run was cancelled.")
    for action in ("run started", "run stopped", "run resumed", "run stopped"):
        record(Person("Ada", "system"), action, folder, subject=run.name)
    said = [event.text for event in timeline(folder) if event.kind == "fit"]
    assert said == ["Run stopped", "Fit resumed: cancelled", "Run stopped", "Fit"]


def test_refusals_are_no_part_of_a_history(folder):
    before = len(timeline(folder))
    person = Person("Eve", "system")
    record(person, "project deleted", folder, outcome="refused", why="needs admin")
    assert len(timeline(folder)) == before
    record(person, "plan approved", folder, subject="a plan")
    assert timeline(folder)[0].kind == "approval"


def test_data_are_looked_at_through_the_fit_made_of_them(folder, tmp_path):
    record(Person("Ada", "system"), "data saved", folder, subject="ab" * 32)
    run = worlds.fit(folder)
    data = next(event for event in timeline(folder) if event.text == "Data saved")
    assert data.run_id == run.name


def test_returns_over_fits_begin_with_the_oldest(folder):
    assert returns_over_fits(folder) == []
    run = worlds.fit(folder)
    (fit,) = returns_over_fits(folder)
    assert fit.run_id == run.name
    assert "TV" in fit.roi


ODD = (None, 7, -1.5, "", "x", "2026-11-23", "0001-01-01T00:00", [], [1], {}, True)


def test_a_run_json_without_or_with_odd_entries_is_listed(folder):
    run = worlds.fit(folder)
    about = json.loads((run / "run.json").read_text())
    for key in (*about, "options"):
        rest = {name: value for name, value in about.items() if name != key}
        for odd in [rest, *(rest | {key: value} for value in ODD)]:
            (run / "run.json").write_text(json.dumps(odd))
            timeline(folder)
            returns_over_fits(folder)
            (listed,) = list_runs(folder)
            assert datetime.fromisoformat(listed.created).tzinfo, odd
    del about["created"]
    (run / "run.json").write_text(json.dumps(about))
    name = f"{run.name[:4]}-{run.name[4:6]}-{run.name[6:8]}T{run.name[9:11]}:"
    assert open_run(run).created.startswith(name)


@pytest.mark.parametrize(
    ("kind", "asked", "about", "said"),
    [
        ("horizon", {"periods": 13}, "plan", "Plan prepared for 13 periods"),
        ("horizon", {}, "plan", "Plan prepared"),
        ("flight", {}, "plan", "Weeks planned"),
        ("backtest", {}, "fit", "Forecasts checked"),
    ],
)
def test_work_on_a_fit_is_said_as_what_it_is_for(folder, kind, asked, about, said):
    run = worlds.run(folder, "done", kind=kind)
    (run / "asked.json").write_text(json.dumps({"request": asked}))
    record(Person("Ada", "system"), "run started", folder, subject=run.name)
    assert (timeline(folder)[0].kind, timeline(folder)[0].text) == (about, said)


def test_a_test_is_called_by_its_name(folder):
    keep_lift_test(folder, KeptTest(name="TV off", channels=("TV",)))
    assert timeline(folder)[0].text == "Test saved: TV off"
