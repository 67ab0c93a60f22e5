import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import WorkspaceError
from core.project.fits import runs
from core.project.fits.run_inputs import new_run
from core.project.plans.plans import mark_plan, save_plan
from core.project.settings.project import load_project, save_project
from core.project.shelf import lifecycle
from core.project.shelf.lifecycle import delete_project, duplicate_project
from core.store.atomic import write_text
from core.store.run_state import write_state
from core.team import audit, identity
from core.team.gate import gate
from core.team.roles import Role
from tests.plan.records import record


def lines(home):
    text = (home / audit.FILE).read_text()
    return [json.loads(line) for line in text.splitlines() if line]


def actions(project=None):
    return [(e.action, e.project, e.outcome) for e in audit.entries(project)]


def test_every_write_has_a_name_a_time_and_an_outcome(home, market, monkeypatch):
    monkeypatch.setenv(identity.VARIABLE, "anna")
    plan_id = save_plan(market, record(name="Spring", run_id="none")).plan_id
    mark_plan(market, plan_id)
    run = new_run(market)
    write_state(run, "cancelled")
    runs.delete_run(market, run.name)
    lifecycle.rename_project("Market", "Shop")
    duplicate_project("Shop", "Copy")
    delete_project("Copy")
    written = [(e["action"], e["project"], e["who"]) for e in lines(home)][1:]
    assert written == [
        ("plan saved", "Market", "anna"),
        ("plan of record", "Market", "anna"),
        ("run deleted", "Market", "anna"),
        ("project renamed", "Market", "anna"),
        ("project duplicated", "Shop", "anna"),
        ("project deleted", "Copy", "anna"),
    ]
    assert {e["subject"] for e in lines(home)} >= {plan_id, "Shop", "Copy"}
    assert all(e["time"].endswith("+00:00") for e in lines(home))
    assert all(e["outcome"] == "done" for e in lines(home)[:3])


def test_the_account_is_named_where_no_variable_is(home, market, monkeypatch):
    monkeypatch.setenv("LOGNAME", "somebody-else")
    monkeypatch.setenv("USER", "somebody-else")
    save_plan(market, record(name="Spring"))
    entry = audit.entries(market)[-1]
    assert entry.who == identity.system_person().name != "somebody-else"
    assert entry.source == "system"


def test_a_write_within_a_write_is_one_line(market):
    assert actions(market) == [("project created", "Market", "done")]


def test_what_changes_nothing_is_not_logged(market):
    save_project(market, load_project(market))
    assert len(audit.entries()) == 1


def test_names_that_lead_elsewhere_are_logged_as_refused(home, market):
    with pytest.raises(WorkspaceError):
        delete_project("../../etc")
    last = audit.entries()[-1]
    assert (last.action, last.outcome) == ("project deleted", "refused")
    assert last.subject == "../../etc"


def test_a_mistake_of_ours_is_logged_as_failed(home, market):
    with pytest.raises(ZeroDivisionError), gate("plan saved", market, Role.PLANNER):
        _ = 1 / 0
    assert actions(market)[-1] == ("plan saved", "Market", "failed")


def test_a_torn_last_line_costs_that_line_only(home, market):
    path = home / audit.FILE
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    save_plan(market, record(name="Spring"))
    assert [e.action for e in audit.entries()] == ["project created", "plan saved"]


def test_a_line_that_could_not_be_kept_is_not_there(home, market, monkeypatch):
    path = home / audit.FILE
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WorkspaceError, match="disk is full"):
        audit.append(path, '{"time": "now"}')
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "junk", [b"[]\n", b"null\n", b"\xff\xfe\n", b"[" * 5000 + b"\n", b'{"time": 1}\n']
)
def test_what_is_no_line_of_the_log_is_left_out(home, market, junk):
    with open(home / audit.FILE, "ab") as file:
        file.write(junk)
    assert len(audit.entries()) == 1


def test_a_renamed_project_keeps_its_past(market):
    save_plan(market, record(name="Spring"))
    shop = lifecycle.rename_project("Market", "Shop")
    assert [e.action for e in audit.entries(shop)] == [
        "project created",
        "plan saved",
        "project renamed",
    ]


def test_a_project_outside_the_workspace_is_named_by_its_folder(
    home, market, tmp_path_factory
):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    outside = elsewhere / "Market"
    outside.mkdir()
    (outside / "project.toml").write_text((market / "project.toml").read_text())
    save_plan(outside, record(name="Spring"))
    assert audit.entries(outside)[-1].project == str(outside)
    assert len(audit.entries(market)) == 1


_ROOT = Path(__file__).parents[3]
_WRITER = """
import sys
from pathlib import Path
from core.team import audit, identity
for n in range(50):
    subject = f"{sys.argv[2]}.{n}"
    audit.record(identity.MIXWRIGHT, "plan saved", Path(sys.argv[1]), subject=subject)
"""


def test_many_processes_write_whole_lines(market):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(market), str(number)], cwd=_ROOT
        )
        for number in range(3)
    ]
    assert [writer.wait(300) for writer in writers] == [0, 0, 0]
    subjects = [e.subject for e in audit.entries(market)][1:]
    assert sorted(subjects) == sorted(f"{w}.{n}" for w in range(3) for n in range(50))


def test_names_cannot_break_a_line_or_steer_a_terminal(home, market, monkeypatch):
    monkeypatch.setenv(identity.VARIABLE, 'an\x1b[31mna\n{"forged": 1}')
    save_plan(market, record(name="x"))
    assert len(lines(home)) == 2
    assert "\x1b" not in audit.entries()[-1].who


def test_a_log_that_cannot_be_written_stops_nobody_without_roles(home, market):
    os.remove(home / audit.FILE)
    os.symlink("/dev/full", home / audit.FILE)
    assert save_plan(market, record(name="Spring"))


def test_who_acts_is_asked_for_each_time(market):
    people = iter([identity.Person("a@x.org", "sign-in"), None])
    identity.set_sign_in(lambda: next(people))
    try:
        assert identity.who().name == "a@x.org"
        assert identity.who() == identity.local_person()
    finally:
        identity.set_sign_in(None)


def test_the_passage_may_name_its_subject_late(home, market):
    with gate("report exported", market, Role.VIEWER) as passage:
        write_text(home / "report.txt", "x")
        passage.subject = "late"
    assert audit.entries(market)[-1].subject == "late"


def test_what_a_killed_process_began_is_a_line_that_says_so(home, market):
    code = f"""
import os, signal
from pathlib import Path
from core.team.gate import gate
from core.team.roles import Role
with gate("plan saved", Path({str(market)!r}), Role.PLANNER):
    os.kill(os.getpid(), signal.SIGKILL)"""
    subprocess.run([sys.executable, "-c", code], check=False)
    stopped = ("plan saved", "Market", "stopped")
    # Who only reads, where nothing can be written too, sees it without a write.
    assert actions() == actions() == [("project created", "Market", "done"), stopped]
    save_plan(market, record(name="Spring"))
    assert actions()[1:] == [stopped, ("plan saved", "Market", "done")]
    assert not list((home / "begun").iterdir())


def test_what_was_interrupted_halfway_is_logged(market):
    with pytest.raises(KeyboardInterrupt), gate("plan saved", market, Role.PLANNER):
        raise KeyboardInterrupt
    assert len(actions()) == 1
    with pytest.raises(KeyboardInterrupt), gate("plan saved", market, Role.PLANNER):
        write_text(market / "half", "")
        raise KeyboardInterrupt
    assert actions()[1:] == [("plan saved", "Market", "stopped")]


def test_a_project_that_went_meanwhile_is_said_to_be_gone(home, market):
    with (
        pytest.raises(WorkspaceError, match=r"Market is gone: it was deleted or"),
        gate("run created", market, Role.PLANNER),
    ):
        market.rename(home / "elsewhere")
        write_text(market / "run.json", "")
