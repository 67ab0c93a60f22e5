"""Plans are read again only when their file is another one."""

import os

import pytest

from core.errors import WorkspaceError
from core.workspace import plans
from core.workspace.plans import load_plan, save_plan

LONG_AGO = 1_700_000_000


def settled(path, seconds):
    os.utime(path, (seconds, seconds))


@pytest.fixture
def saved(tmp_path):
    plan_id = save_plan(tmp_path, {"name": "Spring", "budget": 100.0})
    path = tmp_path / "plans" / f"{plan_id}.json"
    settled(path, LONG_AGO)
    return tmp_path, plan_id, path


def test_a_settled_plan_is_read_once(saved):
    folder, plan_id, _ = saved
    before = plans._read.cache_info()
    first, second = load_plan(folder, plan_id), load_plan(folder, plan_id)
    after = plans._read.cache_info()
    assert first == second
    assert (after.misses - before.misses, after.hits - before.hits) == (1, 1)


def test_what_a_reader_adds_is_its_own(saved):
    folder, plan_id, _ = saved
    load_plan(folder, plan_id)["name"] = "Autumn"
    assert load_plan(folder, plan_id)["name"] == "Spring"


def test_a_file_damaged_later_is_seen(saved):
    folder, plan_id, path = saved
    load_plan(folder, plan_id)
    path.write_bytes(path.read_bytes().replace(b"Spring", b"Sprong"))
    with pytest.raises(WorkspaceError, match="damaged"):
        load_plan(folder, plan_id)


def test_a_file_damaged_at_the_same_time_is_seen(tmp_path):
    plan_id = save_plan(tmp_path, {"name": "Spring"})
    path = tmp_path / "plans" / f"{plan_id}.json"
    state = path.stat()
    load_plan(tmp_path, plan_id)
    path.write_bytes(path.read_bytes().replace(b"Spring", b"Sprong"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    with pytest.raises(WorkspaceError, match="damaged"):
        load_plan(tmp_path, plan_id)


def test_a_plan_that_is_gone_is_gone(saved):
    folder, plan_id, path = saved
    load_plan(folder, plan_id)
    path.unlink()
    with pytest.raises(WorkspaceError, match="no plan"):
        load_plan(folder, plan_id)


def test_a_plan_of_another_version_is_named_and_left_where_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(plans, "SCHEMA", 1)
    plan_id = save_plan(tmp_path, {"name": "Old"})
    monkeypatch.undo()
    plans._read.cache_clear()
    with pytest.raises(WorkspaceError, match="Plan Old was saved by another version"):
        load_plan(tmp_path, plan_id)
    assert plans.list_plans(tmp_path, None) == []
    assert (tmp_path / "plans" / f"{plan_id}.json").is_file()
