import os
import pwd
import unicodedata
from pathlib import Path

import pytest

from core.errors import WorkspaceError
from core.project.fits.run_inputs import new_run
from core.service import places
from core.store.places import (
    check_project_name,
    confined,
    home,
    is_id,
    new_id,
    project_folder,
    run_folder,
    typed_path,
)


def test_home_is_where_the_variable_says(monkeypatch, tmp_path):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    assert home() == tmp_path
    monkeypatch.setenv("MIXWRIGHT_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert home() == tmp_path / ".mixwright"


@pytest.mark.parametrize("knows", [True, False])
def test_an_empty_home_is_none(monkeypatch, tmp_path, knows):
    monkeypatch.delenv("MIXWRIGHT_HOME", raising=False)
    monkeypatch.setenv("HOME", "")
    entry = pwd.struct_passwd(("me", "x", 1, 1, "", str(tmp_path), ""))
    monkeypatch.setattr(pwd, "getpwuid", lambda user: entry if knows else {}[user])
    if knows:
        assert home() == tmp_path / ".mixwright"
        assert typed_path("~/a/b.csv") == tmp_path / "a" / "b.csv"
        return
    with pytest.raises(WorkspaceError, match="no home folder") as caught:
        home()
    assert "Set MIXWRIGHT_HOME" in caught.value.hint


#: Names that companies and countries have, in several scripts.
GOOD = ("Demo market", "a", "Brand-1_b.2", "x" * 64, "Müller & Söhne", "D'Angelo (IT)")
GOOD += ("Zürich, Genève + Łódź", "日本市場", "Ελλάδα 2", "भारत", "ü", "Ñandú")


@pytest.mark.parametrize("name", GOOD)
def test_good_names(name):
    assert check_project_name(name) == name


@pytest.mark.parametrize("name", GOOD)
def test_a_name_is_one_folder_however_its_letters_are_written(home, name):
    apart = unicodedata.normalize("NFD", name)
    if len(apart) > 64:
        return
    assert project_folder(apart).name == name == project_folder(name).name
    (home / "projects" / apart).mkdir(parents=True)  # copied from such a disk
    assert project_folder(apart).name == apart


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a..b", "a.", "a ", " a", "-a", "a/b", "../a", "a\\b", "a\n"]
    + ["x" * 65, "a\0", "=1+1", "\uff41", "a\u202eb", "a\u200bb", "a\u00a0b", "ﬁn"]
    + ["a<b", 'a"b', "a*b", "a:b", "a|b", "a?b", "a[b]", "a$b", "a`b", "a#b", "a%b"]
    + ["a;b", "a\ud800b", "\U00020000" * 64, "\u0301a", "²", "&a", "'a'\n"],
)
def test_bad_names(home, name):
    with pytest.raises(WorkspaceError, match="cannot name a project"):
        project_folder(name)


@pytest.mark.parametrize(
    "run_id",
    ["../../etc", "20250131-093000-0a1b2c3d/..", "20250131-093000-0A1B2C3D", ""]
    + ["20250131-093000-0a1b2c3d\n", "..", "٢٠٢٥٠١٣١-093000-0a1b2c3d"],
)
def test_bad_run_ids(tmp_path, run_id):
    with pytest.raises(WorkspaceError, match="is not the name of a run"):
        run_folder(tmp_path, run_id)


def test_new_ids_are_ids_and_differ():
    made = {new_id() for _ in range(100)}
    assert len(made) == 100
    assert all(is_id(name) for name in made)


def test_links_out_of_the_workspace_are_refused(home):
    outside = home / "outside"
    outside.mkdir()
    (home / "projects").mkdir()
    (home / "projects" / "Link").symlink_to(outside)
    with pytest.raises(WorkspaceError, match="leads out of"):
        project_folder("Link")
    runs = home / "projects" / "Market" / "runs"
    runs.mkdir(parents=True)
    (runs / "20250131-093000-0a1b2c3d").symlink_to(outside)
    with pytest.raises(WorkspaceError, match="leads out of"):
        run_folder(runs.parent, "20250131-093000-0a1b2c3d")
    with pytest.raises(WorkspaceError, match="There is no run"):
        run_folder(runs.parent, "20250131-093000-00000000")
    assert confined(runs, home) == runs


def test_the_home_of_nobody_is_no_workspace(monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", "~nobody-here/work")
    with pytest.raises(WorkspaceError, match="no home folder"):
        home()


@pytest.mark.parametrize(
    ("kind", "words"),
    [("prior", "a prior check, not a fit"), ("backtest", "not a fit")],
)
def test_a_run_that_is_no_fit_is_called_what_it_is(market, kind, words):
    run = new_run(market, kind)
    with pytest.raises(WorkspaceError, match=f"Run {run.name} is {words}"):
        places.finished_fit(str(run))


def test_a_path_below_the_home_of_nobody_is_one_that_is_not_there(tmp_path):
    assert str(typed_path("~nobody-here/market")) == "~nobody-here/market"
    with pytest.raises(WorkspaceError, match="There is no project ~nobody-here"):
        places.project_folder("~nobody-here/market")


def test_a_table_that_is_not_there_is_not_called_a_project():
    with pytest.raises(WorkspaceError, match=r"There is no file sales\.csv"):
        places.project_folder("sales.csv")


def test_a_project_that_nobody_lets_us_see_is_not_said_to_be_missing(
    monkeypatch, tmp_path
):
    closed = tmp_path / "closed" / "market"
    look = os.lstat

    def refuse(path, *args, **keywords):
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied")
        return look(path, *args, **keywords)

    monkeypatch.setattr("os.lstat", refuse)
    with pytest.raises(WorkspaceError, match="market could not be read"):
        places.project_folder(str(closed))
