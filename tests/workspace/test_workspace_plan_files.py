"""Plans are read again only when their file is another one."""

import json
import os

import pytest

from core.errors import PlanError, WorkspaceError
from core.project.plans import plans
from core.project.plans.plans import (
    LONGEST_NAME,
    delete_plan,
    list_plans,
    load_plan,
    mark_plan,
    rename_plan,
    save_plan,
)
from core.service.projects import approvals
from core.store.atomic import json_text
from core.store.places import trash_folder
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
    listed, (fault,) = plans.read_plans(tmp_path)
    assert listed == [] and "another version" in fault.message
    assert "Plan again and save it" in fault.hint
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


def test_a_plan_gets_another_name_and_stays_what_it_is(saved):
    folder, plan_id, path = saved
    before = path.read_bytes()
    rename_plan(folder, plan_id, "  Summer ", "After the board.")
    plan = load_plan(folder, plan_id)
    assert (plan.name, plan.notes) == ("Summer", "After the board.")
    rename_plan(folder, plan_id, "Autumn", "")
    assert load_plan(folder, plan_id).name == "Autumn"
    assert [plan.name for plan in list_plans(folder)] == ["Autumn"]
    assert [plan.name for plan in approvals.listed(folder)] == ["Autumn"]
    assert path.read_bytes() == before
    with pytest.raises(WorkspaceError, match="needs a name"):
        rename_plan(folder, plan_id, " ", "")


def test_no_two_plans_have_one_name(saved):
    folder, plan_id, _ = saved
    rename_plan(folder, plan_id, "Autumn", "")
    again = [save_plan(folder, record(name=name)) for name in ("Spring", " autumn ")]
    assert [plan.name for plan in again] == ["Spring", "autumn (2)"]
    long = "L" * LONGEST_NAME
    names = {save_plan(folder, record(name=long)).name for _ in range(3)}
    assert len(names) == 3 and max(map(len, names)) == LONGEST_NAME
    with pytest.raises(WorkspaceError, match="Another plan is called SPRING"):
        rename_plan(folder, plan_id, "SPRING", "")
    rename_plan(folder, plan_id, "AUTUMN", "its own name, in other letters")
    assert load_plan(folder, plan_id).name == "AUTUMN"


@pytest.mark.parametrize("text", ["[]", "{", '{"x": 1}', '{"ID": {"name": 3}}'])
def test_damaged_labels_hide_no_plan(saved, text):
    folder, plan_id, path = saved
    (path.parent / "labels.json").write_text(text.replace("ID", plan_id))
    assert load_plan(folder, plan_id).name == "Spring"


def test_a_deleted_plan_is_in_the_trash_and_that_of_record_stays(saved, monkeypatch):
    folder, plan_id, path = saved
    monkeypatch.setenv("MIXWRIGHT_HOME", str(folder / "home"))
    mark_plan(folder, plan_id)
    with pytest.raises(WorkspaceError, match="plan of record"):
        delete_plan(folder, plan_id)
    mark_plan(folder, None)
    delete_plan(folder, plan_id)
    assert list_plans(folder) == []
    assert not path.exists()
    [kept] = trash_folder().iterdir()
    assert plan_id in kept.name
    with pytest.raises(WorkspaceError, match="no plan"):
        delete_plan(folder, plan_id)
