"""Plans are read again only when their file is another one."""

import json
import os

import pytest

from core.errors import PlanError, WorkspaceError
from core.workspace import plans
from core.workspace.disk.atomic import json_text
from core.workspace.plans import load_plan, save_plan
from tests.plan.records import record

LONG_AGO = 1_700_000_000


def settled(path, seconds):
    os.utime(path, (seconds, seconds))


@pytest.fixture
def saved(tmp_path):
    plan_id = save_plan(tmp_path, record(name="Spring")).plan_id
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


def test_a_plan_is_read_as_it_was_written(tmp_path):
    plan = save_plan(tmp_path, record(name="Spring", notes="Booked.", run="/somewhere"))
    assert (plan.number, plan.run) == (1, "")
    assert load_plan(tmp_path, plan.plan_id) == plan


def test_a_file_damaged_later_is_seen(saved):
    folder, plan_id, path = saved
    load_plan(folder, plan_id)
    path.write_bytes(path.read_bytes().replace(b"Spring", b"Sprong"))
    with pytest.raises(WorkspaceError, match="damaged"):
        load_plan(folder, plan_id)


def test_a_file_damaged_at_the_same_time_is_seen(tmp_path):
    plan_id = save_plan(tmp_path, record(name="Spring")).plan_id
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
    plan_id = save_plan(tmp_path, record(name="Old")).plan_id
    monkeypatch.undo()
    plans._read.cache_clear()
    with pytest.raises(WorkspaceError, match="Plan Old was saved by another version"):
        load_plan(tmp_path, plan_id)
    assert plans.list_plans(tmp_path) == []
    assert (tmp_path / "plans" / f"{plan_id}.json").is_file()


def test_a_file_that_is_no_plan_is_damaged_and_left_out(tmp_path):
    plan = save_plan(tmp_path, record(name="Spring"))
    path = tmp_path / "plans" / f"{plan.plan_id}.json"
    content = json.loads(path.read_text())
    content["channels"][0]["planned"] = "a lot"
    content.pop("sha256")
    path.write_text(json_text(content | {"sha256": plans._digest(content)}))
    with pytest.raises(WorkspaceError, match="damaged"):
        load_plan(tmp_path, plan.plan_id)
    assert plans.list_plans(tmp_path) == []


def test_a_plan_that_could_not_be_read_again_is_not_kept(tmp_path):
    nothing = dict.fromkeys(("mean", "median", "sd", "lo", "hi"), float("nan"))
    with pytest.raises(PlanError, match="gain"):
        save_plan(tmp_path, record(gain=nothing))
    assert not (tmp_path / "plans").exists()
