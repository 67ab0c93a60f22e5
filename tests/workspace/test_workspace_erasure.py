"""A project deleted for good leaves its name in the audit log, and nothing else."""

import os

import pytest

from core.errors import AccessError, WorkspaceError
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import delete_run
from core.project.plans.plans import delete_plan, save_plan
from core.project.shelf.erasure import erase_project, remains
from core.project.shelf.lifecycle import delete_project, duplicate_project
from core.store.locks import hold
from core.store.run_state import write_state
from core.team import gate
from core.team.audit import entries
from core.team.roles import Role
from tests.plan.records import record


@pytest.fixture
def used(market):
    """The project with a run, and one of its runs in the trash."""
    for _ in range(2):
        write_state(new_run(market), "done")
    delete_run(market, next((market / "runs").iterdir()).name)
    return market


def names(home):
    return [path.name for path in home.rglob("*")]


def test_nothing_of_it_stays(used, home):
    other = duplicate_project("Market", "Market two")
    delete_project("Market two")
    freed = erase_project("Market")
    assert freed > 1000
    assert remains("Market") == []
    assert not used.exists()
    assert [path.name[:10] for path in (home / "trash").iterdir()] == ["Market two"]
    assert not other.exists()


def test_what_is_in_the_trash_already(used, home):
    delete_project("Market")
    assert len(remains("Market")) == 2
    erase_project("Market")
    assert list((home / "trash").iterdir()) == []


def test_plans_that_were_deleted_go_with_it(market, home):
    for folder in (market, duplicate_project("Market", "Market two")):
        delete_plan(folder, save_plan(folder, record(name="Spring")).plan_id)
    erase_project("Market")
    (kept,) = (home / "trash").iterdir()
    assert kept.name.endswith(" of Market two.json")


def test_the_log_says_who_and_when(used):
    erase_project("Market")
    last = entries()[-1]
    assert (last.action, last.project, last.outcome) == (
        "project erased",
        "Market",
        "done",
    )


def test_a_run_at_work_is_not_erased(used):
    run = new_run(used)
    lock = hold(run / "lock")
    try:
        with pytest.raises(WorkspaceError, match="not finished"):
            erase_project("Market")
    finally:
        os.close(lock)
    assert run.exists()


def test_only_an_admin_may(used, monkeypatch):
    monkeypatch.setattr(gate, "role_of", lambda person, project: Role.PLANNER)
    with pytest.raises(AccessError):
        erase_project("Market")
    assert used.exists()


@pytest.mark.parametrize("name", ["None such", "../Market", ".."])
def test_there_is_none(used, name):
    with pytest.raises(WorkspaceError):
        erase_project(name)
    assert used.exists()
