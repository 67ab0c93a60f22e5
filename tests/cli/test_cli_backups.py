"""backup and restore on the command line."""

import shutil


def test_there_and_back(say, fit, home, tmp_path):
    project = fit.parents[1]
    took = say("backup", tmp_path / "all.zip", "--json")
    assert took.code == 0
    assert took.data["projects"] == [project.name]
    shutil.rmtree(project)
    put = say("restore", tmp_path / "all.zip", "--json")
    assert put.data["restored"] == [str(project)]
    assert say("summary", fit, "--json").code == 0


def test_one_project_under_another_name(say, fit, home, tmp_path):
    project = fit.parents[1]
    assert say("backup", tmp_path / "one.zip", "--project", project.name).code == 0
    put = say("restore", tmp_path / "one.zip", "--as", "Again", "--json")
    assert put.data["restored"] == [str(home / "projects" / "Again")]
    assert say("check", "Again").code == 0


def test_a_newer_project_needs_a_yes(say, project, home, tmp_path):
    say("backup", tmp_path / "all.zip")
    (project / "notes.txt").write_text("mine")
    refused = say("restore", tmp_path / "all.zip")
    assert refused.code == 1
    assert "notes.txt" in refused.err
    assert "--yes" in refused.err
    assert (project / "notes.txt").exists()
    put = say("restore", tmp_path / "all.zip", "--yes", "--json")
    aside = put.data["aside"][project.name]
    assert aside.startswith(str(home / "trash"))
    assert not (project / "notes.txt").exists()


def test_check_touches_nothing(say, project, tmp_path):
    say("backup", tmp_path / "all.zip")
    shutil.rmtree(project)
    assert "as written" in say("restore", tmp_path / "all.zip", "--check").out
    assert not project.exists()


def test_an_unfinished_run_is_named(say, project, tmp_path):
    from tests.pages import worlds

    run = worlds.run(project, "queued")
    took = say("backup", tmp_path / "all.zip", "--json")
    assert run.name in took.err
    assert took.data["left_out"]


def test_no_such_file(say, home, tmp_path):
    refused = say("restore", tmp_path / "none.zip")
    assert refused.code == 1
    assert "none.zip" in refused.err


def test_an_empty_workspace(say, home, tmp_path):
    refused = say("backup", tmp_path / "all.zip")
    assert refused.code == 1
    assert "no project" in refused.err
    assert not (tmp_path / "all.zip").exists()
