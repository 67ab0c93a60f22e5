"""A project outside the workspace: what lies in it is found from beside it."""

import shutil

import pytest

from core.project.plans.plan_actuals import actuals_template
from core.store.places import new_id


@pytest.mark.parametrize("where", ["beside", "inside"])
def test_plans_and_runs_of_a_project_elsewhere_are_found_by_name(
    say, fit, project, tmp_path, monkeypatch, where
):
    saved = say("plan", fit, "--as-fitted", "--save", "Spring", "--json").data
    head, *rows = actuals_template(fit).strip().splitlines()
    file = tmp_path / "happened.csv"
    lines = [head, *(f"{row.split(',')[0]},9e5,6e4,2e4,1e4,8e3" for row in rows)]
    file.write_text("\n".join(lines))
    folder = tmp_path / "shop" / "Müller & Söhne"
    folder.parent.mkdir()
    shutil.move(project, folder)
    monkeypatch.chdir(folder if where == "inside" else folder.parent)
    commands = [
        ("actuals", "Spring", file),
        ("actuals", saved["plan_id"], file),
        ("summary", fit.name),
        ("report", fit.name, "--plan", "Spring", "--out", tmp_path / "r.xlsx"),
    ]
    for command in commands:
        assert say(*command).code == 0
    monkeypatch.chdir(tmp_path)
    for command in commands:
        elsewhere = say(*command)
        assert elsewhere.code == 1 and "current folder" in elsewhere.err


def test_what_is_in_no_project_is_refused_where_the_current_folder_is_gone(
    say, tmp_path, monkeypatch
):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for command in (("summary", new_id()), ("actuals", "Spring", "none.csv")):
        refused = say(*command)
        assert refused.code == 1 and "There is no" in refused.err


def test_a_project_with_letters_of_any_language_is_backed_up_and_put_back(
    say, project, home
):
    names = ("Müller & Söhne", "D'Angelo (IT)", "日本市場")
    for name in names:
        shutil.copytree(project, home / "projects" / name)
    file = home.parent / "all.zip"
    taken = say("backup", file, "--json")
    assert taken.code == 0
    assert set(taken.data["projects"]) >= set(names) and not taken.data["left_out"]
    for name in names:
        assert say("delete", name).code == 0
        back = say("restore", file, "--project", name)
        assert back.code == 0, back.err
        assert say("history", name).code == 0
        moved = say("restore", file, "--project", name, "--as", f"{name} 2")
        assert moved.code == 0 and (home / "projects" / f"{name} 2").is_dir()


@pytest.mark.parametrize("beside", [False, True])
def test_a_folder_where_files_belong_is_named_as_one(say, tmp_path, beside):
    exports = tmp_path / "exports"
    exports.mkdir()
    file = tmp_path / "sales.csv"
    file.write_text("week,revenue,TV_spend\n2024-01-01,1,2\n")
    sources = (file, exports) if beside else (exports,)
    refused = say("init", *sources, "--out", tmp_path / "market")
    assert refused.code == 1
    assert "exports is a folder" in refused.err and "*.csv" in refused.err
