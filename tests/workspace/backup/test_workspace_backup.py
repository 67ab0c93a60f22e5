"""Backup and restore: whole or refused, whoever writes meanwhile."""

import contextlib
import errno
import json
import os
import random
import shutil
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import AccessError, WorkspaceError
from core.experiments.kept import as_kept
from core.project.backup import restore as restoring
from core.project.backup import stage, take
from core.project.backup.archive import Archive, is_safe
from core.project.backup.restore import restore
from core.project.backup.take import last_backup, take_backup
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import list_runs
from core.project.lift_tests.lift_tests import keep_lift_test
from core.project.plans.plans import list_plans, plan_of_record
from core.project.promises.record import KINDS, promise_file
from core.project.settings.project import load_project, save_project
from core.project.shelf.lifecycle import delete_project
from core.store.atomic import write_json
from core.store.locks import hold
from core.store.places import project_folder
from core.store.results import write_result
from core.store.run_state import write_state
from core.team import gate
from core.team.audit import entries
from core.team.roles import Role
from tests.plan.records import record
from tests.workspace.backup import backup_faults

TEST = {"name": "Next", "channels": ["TV"], "kind": "dark", "multiple": 0.0}
TEST |= {"geos": ["A"], "start": "2024-01-01", "end": "2024-01-28"}


def finished(project: Path, content: bytes = b"draws") -> Path:
    run = new_run(project)
    with write_result(run) as result:
        (result / "summary.json").write_bytes(content)
    write_state(run, "done")
    return run


def tree(folder: Path) -> dict[str, bytes]:
    """What is in a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def north(home):
    return backup_faults.make("North")


@pytest.fixture
def backup(tmp_path, north):
    """A backup of a workspace with a fit and a plan of record."""
    run = finished(north)
    plan_id = backup_faults.save_plan(north, record(name="A", run_id=run.name)).plan_id
    backup_faults.mark_plan(north, plan_id)
    take_backup(tmp_path / "all.zip")
    return tmp_path / "all.zip"


def restored(file, **options):
    with Archive(file) as archive:
        return restore(archive, **options)


def test_a_workspace_comes_back_to_the_byte(backup, home, north):
    before = tree(north)
    shutil.rmtree(home)
    assert restored(backup).projects == (north,)
    assert tree(north) == before
    assert list_runs(north)[0].status.state == "done"
    assert plan_of_record(north) == list_plans(north)[0].plan_id


def test_backups_while_others_write_are_whole(home, tmp_path):
    for name in ("North", "South"):
        backup_faults.make(name)
    with backup_faults.writers("North", "South"):
        backup_faults.until_there_is_a_plan()
        found = [backup_faults.attempt(number, tmp_path) for number in range(3)]
    assert [fault for fault, _ in found] == ["", "", ""]


ODD = [b"notes\\2024.csv", b"caf\xe9.csv", b"two\nlines.csv"]


@pytest.mark.parametrize("name", ODD, ids=["backslash", "no UTF-8", "control"])
@pytest.mark.parametrize("place", ["home/projects", "home/projects/North"])
def test_a_name_that_no_backup_holds_is_left_out(tmp_path, north, name, place):
    inside = os.fsencode(tmp_path / place)
    with open(os.path.join(inside, name), "wb") as file:
        file.write(b"x")
    if place.endswith("North"):
        os.makedirs(os.path.join(inside, b"more", name))
        (tmp_path / place / "more" / os.fsdecode(name) / "kept.csv").write_text("x")
    manifest = take_backup(tmp_path / "all.zip")
    assert manifest.projects == ("North",)
    assert len(manifest.left_out) == (2 if place.endswith("North") else 1)
    assert not any("\udce9" in named for named in manifest.left_out)
    with (
        pytest.raises(WorkspaceError, match="has changed")
        if place.endswith("North")
        else contextlib.nullcontext()
    ):
        restored(tmp_path / "all.zip")
    assert restored(tmp_path / "all.zip", may_replace=True).projects == (north,)


def test_a_file_dated_before_1970_is_taken(tmp_path, north):
    (north / "old.csv").write_text("x")
    os.utime(north / "old.csv", (-3600, -3600))
    assert "projects/North/old.csv" in take_backup(tmp_path / "all.zip").parts


def test_a_run_at_work_is_left_out_and_named(tmp_path, north):
    finished(north)
    run = new_run(north)
    write_state(run, "running")
    lock = hold(run / "lock")
    try:
        manifest = take_backup(tmp_path / "all.zip")
    finally:
        os.close(lock)
    named = f"projects/North/runs/{run.name}"
    assert manifest.left_out == {named: "it is not finished"}
    assert not [part for part in manifest.parts if part.startswith(named)]
    assert len([part for part in manifest.parts if part.endswith("run.json")]) == 1


def test_one_project_under_another_name(backup, north):
    made = restored(backup, project="North", name="Norden").projects[0]
    assert load_project(made).name == made.name == "Norden"
    assert load_project(north).name == "North"
    assert list_runs(made)[0].status.state == "done"


def test_a_project_that_has_changed_is_not_replaced_unasked(backup, north):
    finished(north, b"newer")
    save_project(north, replace(load_project(north), currency="CHF"))
    before = tree(north)
    with pytest.raises(WorkspaceError, match=r"project\.toml and 1 run\."):
        restored(backup)
    assert tree(north) == before
    done = restored(backup, may_replace=True)
    assert load_project(north).currency == ""
    assert tree(done.aside["North"]) == before


def test_what_the_backup_has_may_be_replaced_unasked(backup, north):
    shutil.rmtree(north / "runs")
    restored(backup)
    assert len(list_runs(north)) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_look_at_promises_writes_is_no_change(backup, north, kind):
    (run,), (plan,) = list_runs(north), list_plans(north)
    about = run.run_id if kind == "forecast" else plan.plan_id
    if kind == "test":
        about = keep_lift_test(north, as_kept(TEST))
        take_backup(backup)
    kept = north / promise_file(kind, about)
    kept.parent.mkdir()
    write_json(kept, {"kind": kind})
    for folder in ("scores", "none"):
        (kept.parent / folder).mkdir()
        write_json(kept.parent / folder / kept.name, {})
    restored(backup)
    assert not kept.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_promise_of_what_the_backup_has_not_is_a_change(backup, north, kind):
    kept = north / promise_file(kind, "20990101-000000-00000000")
    kept.parent.mkdir()
    write_json(kept, {"kind": kind})
    with pytest.raises(WorkspaceError, match="1 promise"):
        restored(backup)
    assert kept.exists()


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("fails", range(4))
def test_a_replaced_project_goes_back_where_a_step_fails(
    backup, north, monkeypatch, can_exchange, fails
):
    (north / "notes.txt").write_text("mine")
    before = tree(north.parent)
    move, count = os.rename, iter(range(100))

    def rename(source, target):
        if next(count) == fails:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        move(source, target)

    def cannot(*_):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    if not can_exchange:
        monkeypatch.setattr(restoring, "_in_one_step", cannot)
    monkeypatch.setattr(os, "rename", rename)
    if fails >= (1 if can_exchange else 4):
        restored(backup, may_replace=True)
        (aside,) = (north.parents[1] / "trash").iterdir()
        assert (aside / "notes.txt").read_text() == "mine"
        assert not (north / "notes.txt").exists()
    else:
        with pytest.raises(WorkspaceError):
            restored(backup, may_replace=True)
        assert tree(north.parent) == before


def test_a_project_with_a_run_at_work_is_not_replaced(backup, north):
    run = new_run(north)
    lock = hold(run / "lock")
    before = tree(north)
    try:
        with pytest.raises(WorkspaceError, match="not finished"):
            restored(backup, may_replace=True)
    finally:
        os.close(lock)
    assert tree(north) == before


def test_projects_of_the_backup_come_all_or_none(backup, north, tmp_path, monkeypatch):
    """The second folder cannot get its name: the first goes back."""
    backup_faults.make("South")
    take_backup(tmp_path / "two.zip")
    (north / "notes.txt").write_text("mine")
    before = tree(north.parent)
    move = os.rename
    names = []

    def rename(source, target):
        names.append(Path(target).name.split()[0])
        if names.count("South") == 1 and names[-1] == "South":
            raise OSError(28, "No space left on device")
        move(source, target)

    monkeypatch.setattr(restoring.os, "rename", rename)
    with pytest.raises(WorkspaceError, match="disk is full"):
        restored(tmp_path / "two.zip", may_replace=True)
    assert tree(north.parent) == before


def test_a_full_disk_leaves_everything_as_it_was(backup, north, monkeypatch):
    shutil.rmtree(north / "runs")
    before = tree(north.parent)
    monkeypatch.setattr(restoring, "free_bytes", lambda folder: 1000)
    with pytest.raises(WorkspaceError, match="has 0 MB left"):
        restored(backup)
    assert tree(north.parent) == before


def test_a_disk_that_fills_up_while_unpacking(backup, north, monkeypatch):
    shutil.rmtree(north / "runs")
    before = tree(north.parent)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.project.backup.archive.os.utime", full)
    with pytest.raises(WorkspaceError, match="disk is full"):
        restored(backup)
    assert tree(north.parent) == before


def test_a_restore_that_was_killed_leaves_nothing_for_ever(backup, north):
    left = north.parent / ".restore-20260101-000000-0a1b2c3d.tmp"
    (left / "North").mkdir(parents=True)
    restored(backup)
    assert [path.name for path in north.parent.iterdir()] == ["North"]


def test_a_backup_that_was_killed_leaves_nothing_for_ever(backup, north):
    killed = backup.with_name(".all.zip.7116-c941ed44.tmp")
    at_work = backup.with_name(".all.zip.7117-c941ed44.tmp")
    own = backup.with_name(".all.zip.copy.tmp")
    for path in (killed, at_work, own):
        path.write_bytes(b"half")
    stage = north.parents[1] / ".backup.20260101-000000-0a1b2c3d.tmp"
    (stage / "projects" / "North").mkdir(parents=True)
    lock = hold(at_work)
    take_backup(backup)
    os.close(lock)
    assert not killed.exists() and at_work.exists() and own.exists()
    assert not stage.exists()


def fills_up(monkeypatch, workspace: Path, n: int) -> None:
    """Let the disk of a workspace take so many more files and folders of a stage."""
    left = iter(range(n))

    def until_full(done, where):
        def wrapped(*args, **options):
            is_there = workspace in (place := where(*args, **options)).parents
            if is_there and next(left, None) is None:
                raise OSError(errno.ENOSPC, "No space left on device", str(place))
            return done(*args, **options)

        return wrapped

    make, link, copy = os.mkdir, os.link, stage._copy
    inside = until_full(make, lambda place, *_, **__: Path(place))
    monkeypatch.setattr(os, "mkdir", inside)
    monkeypatch.setattr(os, "link", until_full(link, lambda _, to, **__: Path(to)))
    copied = until_full(lambda source, to, staged: copy(source, to, staged), copied_to)

    def copy_or_explain(source, to, staged):
        try:
            copied(source, to, staged)
        except OSError as error:
            raise stage._unless_gone(error, source) from error

    monkeypatch.setattr(stage, "_copy", copy_or_explain)


def copied_to(_, to, __) -> Path:
    return to


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_full_workspace_is_backed_up_to_another_disk(
    home, north, tmp_path, monkeypatch, n
):
    other = tmp_path / "other"
    other.mkdir()
    (north / "notes.txt").write_text("mine")
    before = tree(north)
    monkeypatch.setattr(take, "_is_on_another_disk", lambda *_: True)
    with monkeypatch.context() as patch:
        fills_up(patch, home, n)
        take_backup(other / "all.zip")
    assert [path.name for path in other.iterdir()] == ["all.zip"]
    assert not list(home.glob(".backup*"))
    shutil.rmtree(home)
    restored(other / "all.zip")
    assert tree(north) == before


def test_a_read_only_workspace_is_backed_up(home, north, tmp_path, monkeypatch):
    before = tree(north)
    monkeypatch.setattr(take.os, "access", lambda *_: False)
    with monkeypatch.context() as patch:
        fills_up(patch, home, 0)
        take_backup(tmp_path / "all.zip")
    shutil.rmtree(home)
    restored(tmp_path / "all.zip")
    assert tree(north) == before


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_backup_without_room_says_where_and_how_much(
    home, north, tmp_path, monkeypatch, n
):
    fills_up(monkeypatch, home, n)
    with pytest.raises(WorkspaceError, match="needs up to 1 MB, and the disk") as error:
        take_backup(tmp_path / "all.zip")
    assert error.value.where == str(home)
    assert not (tmp_path / "all.zip").exists()
    assert not list(home.glob(".backup*"))


def test_an_old_backup_survives_one_that_fails(backup, north, monkeypatch):
    before = backup.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.project.backup.archive._write_part", full)
    with pytest.raises(WorkspaceError, match="disk is full"):
        take_backup(backup)
    assert backup.read_bytes() == before
    assert sorted(path.name for path in backup.parent.iterdir()) == ["all.zip", "home"]


def test_turned_bits_are_found_or_harmless(backup, north):
    """Some bits of a ZIP mean nothing, such as the date of a part."""
    whole, before = backup.read_bytes(), tree(north.parent)
    rng = random.Random(1)
    refused = 0
    for _ in range(60):
        content = bytearray(whole)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        backup.write_bytes(content)
        try:
            restored(backup, may_replace=True)
        except WorkspaceError:
            refused += 1
        assert tree(north.parent) == before
    assert refused > 40


def test_a_backup_that_is_cut_short_is_refused(backup):
    backup.write_bytes(backup.read_bytes()[:-50])
    with pytest.raises(WorkspaceError, match="cut short"):
        restored(backup)


def rewritten(backup: Path, change) -> None:
    """The backup with other parts, its list changed alike."""
    with zipfile.ZipFile(backup) as archive:
        parts = {info: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(backup, "w") as archive:
        for info, content in parts.items():
            name, mode, content = change(info.filename, content)
            made = zipfile.ZipInfo(name)
            made.external_attr = mode << 16
            archive.writestr(made, content)


@pytest.mark.parametrize(
    "name",
    [
        "../../escaped",
        "/etc/cron.d/escaped",
        "projects/North/../../../escaped",
        "projects/North/..",
        "projects/../escaped/x",
        "projects/North\\..\\escaped",
        "projects/.hidden/x",
        "projects/North/.ssh/x",
        "cache/x",
        "workspace/a/b",
    ],
)
def test_names_that_lead_out_are_refused(backup, home, name):
    assert not is_safe(name)
    shutil.rmtree(home)
    old = "projects/North/data.parquet"

    def change(named, content):
        if named == "manifest.json":
            content = json.dumps(json.loads(content)).replace(
                old, json.dumps(name)[1:-1]
            )
        return (name if named == old else named), stat.S_IFREG | 0o644, content

    rewritten(backup, change)
    with pytest.raises(WorkspaceError, match="not restored"):
        restored(backup)
    assert not home.exists()


def test_a_link_in_a_backup_is_refused(backup, home):
    shutil.rmtree(home)

    def change(named, content):
        kind = stat.S_IFLNK if named.endswith("data.parquet") else stat.S_IFREG
        return named, kind | 0o777, content

    rewritten(backup, change)
    with pytest.raises(WorkspaceError, match="do not trust"):
        restored(backup)


def test_another_content_under_the_same_list_is_refused(backup, north):
    def change(named, content):
        other = content[:-1] + b"\n" if named.endswith("project.toml") else content
        other = other.replace(b"seed = 24", b"seed = 25")
        return named, stat.S_IFREG | 0o644, other if "toml" in named else content

    rewritten(backup, change)
    with pytest.raises(WorkspaceError, match="not what was written"):
        restored(backup, may_replace=True)


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip at all" * 100])
def test_another_file_is_no_backup(tmp_path, home, content):
    (tmp_path / "other.zip").write_bytes(content)
    with pytest.raises(WorkspaceError, match="ZIP"):
        restored(tmp_path / "other.zip")


def test_a_zip_of_something_else_is_no_backup(tmp_path, home):
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("manifest.json", "{}")
    with pytest.raises(WorkspaceError, match="did not write"):
        restored(tmp_path / "other.zip")


def test_a_project_that_goes_while_it_is_staged_is_left_out(
    tmp_path, north, monkeypatch
):
    south = backup_faults.make("South")
    take = stage._take

    def goes(source, target, staged):
        if source.parent == south and south.exists():
            delete_project("South")
        take(source, target, staged)

    monkeypatch.setattr(stage, "_take", goes)
    manifest = take_backup(tmp_path / "all.zip")
    assert manifest.projects == ("North",)
    assert manifest.left_out == {"projects/South": "deleted or renamed meanwhile"}


def test_links_and_unfinished_files_are_not_taken(tmp_path, north):
    (north / "passwords").symlink_to("/etc/passwd")
    (north / ".lift_tests.lock").touch()
    (north / "data-20250101-000000-00000000.parquet").write_bytes(b"of before")
    manifest = take_backup(tmp_path / "all.zip")
    assert set(manifest.parts) - {"workspace/audit.jsonl"} == {
        "projects/North/data.parquet",
        "projects/North/project.toml",
    }
    assert manifest.left_out == {"projects/North/passwords": "it is not a regular file"}


def test_a_log_is_taken_to_its_last_whole_line(tmp_path, home, north):
    (home / "events.jsonl").write_text('{"a": 1}\n{"b": 2}\n{"c"')
    take_backup(tmp_path / "all.zip")
    shutil.rmtree(home)
    restored(tmp_path / "all.zip")
    assert (home / "events.jsonl").read_text() == '{"a": 1}\n{"b": 2}\n'


def test_files_of_the_workspace_are_not_replaced(tmp_path, home, north):
    write_json(home / "members.json", {"admin": "Ann"})
    take_backup(tmp_path / "all.zip")
    write_json(home / "members.json", {"admin": "Ben"})
    assert restored(tmp_path / "all.zip").files == ()
    assert "Ben" in (home / "members.json").read_text()


def test_backups_and_restores_are_in_the_audit_log(backup, north):
    restored(backup, may_replace=True)
    taken = [entry for entry in entries() if entry.action == "backup taken"]
    put = entries(north)[-1]
    assert [(entry.subject, entry.outcome) for entry in taken] == [("all.zip", "done")]
    assert (put.action, put.subject) == ("project restored", "all.zip")


@pytest.mark.parametrize("role", [Role.NONE, Role.VIEWER, Role.PLANNER])
def test_only_an_admin_replaces_a_project(backup, north, monkeypatch, role):
    monkeypatch.setattr(gate, "role_of", lambda person, project: role)
    before = tree(north)
    for options in ({}, {"project": "North"}):
        with pytest.raises(AccessError):
            restored(backup, may_replace=True, **options)
    with pytest.raises(AccessError):
        take_backup(backup)
    assert tree(north) == before


def test_the_last_backup_is_known(backup):
    about = last_backup()
    assert about.file == str(backup)
    assert about.bytes == backup.stat().st_size
    assert about.projects == 1


def test_a_backup_has_a_name_of_its_own(north):
    with pytest.raises(WorkspaceError, match=r"ends in \.zip"):
        take_backup(north / "project.toml")


def test_nothing_stays_of_a_backup_but_the_file(backup, home):
    assert sorted(path.name for path in home.iterdir()) == [
        "audit.jsonl",
        "begun",
        "last_backup.json",
        "projects",
        "version.json",
    ]
    assert not list((home / "begun").iterdir())


def test_a_project_outside_the_workspace(tmp_path, north, home):
    elsewhere = tmp_path / "elsewhere" / "Market"
    shutil.copytree(north, elsewhere)
    take_backup(tmp_path / "one.zip", elsewhere)
    assert restored(tmp_path / "one.zip").projects[0] == project_folder("Market")
