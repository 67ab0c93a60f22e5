from pathlib import Path

import pytest

from core.project.fits.runs import list_runs
from core.project.settings.project import load_project
from core.store.run_state import read_status
from tests.pages import worlds


@pytest.fixture
def others(project):
    return [project, worlds.project("Second market"), worlds.project("Third market")]


def test_fit_many_tells_each_as_it_ends(say, others):
    said = say("fit-many", *others, "--draws", "20", "--json")
    assert said.code == 0, said.err
    assert said.data["executor"] == "local"
    assert said.data["n_failed"] == 0
    rows = said.data["projects"]
    assert [row["project"] for row in rows] == [str(path) for path in others]
    for row in rows:
        assert row["state"] == "done"
        assert row["verdict"]
        assert read_status(Path(row["run"])).state == "done"
        assert f"{row['project']}: done, " in said.err


def test_fit_many_goes_on_where_one_cannot(say, others):
    (others[1] / "data.parquet").unlink()
    said = say("fit-many", *(path.name for path in others), "No such market", "--json")
    assert said.code == 3
    states = [row["state"] for row in said.data["projects"]]
    assert states == ["done", "failed", "done", "failed"]
    assert "has no data" in said.data["projects"][1]["message"]
    assert "There is no project No such market" in said.err


def test_fit_many_for_people(say, others):
    said = say("fit-many", *others)
    assert said.code == 0, said.err
    assert said.out.splitlines()[-1] == "3 of 3 fitted."


def test_fit_many_with_runs_that_fail(say, others, monkeypatch):
    monkeypatch.setenv("CLI_BEHAVIOUR", "bad_input")
    said = say("fit-many", *others[:2], "--json")
    assert said.code == 3
    assert said.data["n_failed"] == 2
    assert "Channel TV has no spend." in said.data["projects"][0]["message"]


def test_fit_many_together_says_how_each_was_put_together(say, others, monkeypatch):
    # TV and Print of these markets are of one kind and far apart: k is near the limit.
    monkeypatch.setattr("core.project.learnt.together.HIGHEST_K", 9.0)
    said = say("fit-many", *others, "--together", "--json")
    assert said.code == 0, said.err
    rows = said.data["together"]
    assert [row["project"] for row in rows] == [str(path) for path in others]
    for row in rows:
        assert row["way"] == "reweighted" and row["k_hat"] < 9.0
        by_name = {each["name"]: each for each in row["channels"]}
        assert set(by_name) == {"TV", "Search", "Social", "Print"}
        # Three markets that say the same say it more surely.
        social = by_name["Social"]
        width = [social[key]["hi"] - social[key]["lo"] for key in ("roi", "roi_alone")]
        assert width[0] < width[1]


def test_fit_many_together_counts_a_market_once(say, project, monkeypatch):
    monkeypatch.setattr("core.project.learnt.together.HIGHEST_K", 9.0)
    copies = [worlds.project(f"{worlds.MARKET} copy"), worlds.project("Other copy")]
    other = worlds.project("Other")

    def together(*projects):
        said = say("fit-many", *projects, "--together", "--json")
        assert said.code == 0, said.err
        return said.data["together"]

    assert [row["way"] for row in together(project, copies[0])] == ["alone", "alone"]
    thrice, twice = together(project, *copies, other), together(project, other)
    assert thrice[0]["channels"] == twice[0]["channels"]


def test_fit_many_together_fits_again_where_weights_do_not_carry(
    say, others, monkeypatch
):
    monkeypatch.setattr("core.project.learnt.together.HIGHEST_K", -9.0)
    said = say("fit-many", *others[:2], "--together", "--json")
    assert said.code == 0, said.err
    for row, folder in zip(said.data["together"], others, strict=False):
        assert row["way"] == "refit"
        assert load_project(folder).spec.channel("TV").prior is None
        assert len(list_runs(folder, "fit")) == 2
    text = say("fit-many", *others[:2], "--together").out
    assert "fitted again with suggested priors" in text and "alone" in text


def test_fit_many_refuses_settings_once(say, project):
    """As `fit` does, not as fits that failed."""
    said = say("fit-many", project, project, "--draws", "0")
    assert (said.code, said.out) == (1, "")
    assert said.err.count("draws must be between") == 1


def test_fit_many_without_a_cluster(say, project, monkeypatch):
    monkeypatch.delenv("MIXWRIGHT_DASK_SCHEDULER", raising=False)
    said = say("fit-many", project, "--executor", "dask")
    assert said.code == 1
    assert "There is no Dask cluster" in said.err


def test_prune_lists_then_deletes(say, project):
    for _ in range(3):
        assert say("fit", project).code == 0
    runs = [run.run_id for run in list_runs(project)]
    said = say("prune", project, "--keep", "1", "--dry-run", "--json")
    assert said.code == 0, said.err
    assert said.data["runs"] == runs[1:]
    assert said.data["n_bytes"] > 0
    assert len(list_runs(project)) == 3
    said = say("prune", project, "--keep", "1")
    assert said.code == 0, said.err
    assert "2 runs deleted" in said.out
    assert [run.run_id for run in list_runs(project)] == runs[:1]
    said = say("prune", project, "--older-than", "30d", "--json")
    assert (said.code, said.data["runs"]) == (0, [])


def test_prune_wants_to_know_which(say, project):
    said = say("prune", project)
    assert said.code == 1
    assert "Say which runs may be deleted" in said.err
    assert say("prune", project, "--older-than", "soon").code == 2
    assert say("prune", project, "--keep", "few").code == 2
