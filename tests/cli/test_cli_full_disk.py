"""A disk that is full, at every size: all of what is written, or a reason and nothing.

Files may have a few bytes at most, which is how a full disk shows itself to whoever
writes: some bytes are taken, and the rest is refused.
"""

import contextlib
import json
import resource
import tempfile
import zipfile
from pathlib import Path

import pytest

from core.cli.fits import backtest
from core.cli.main import main
from core.errors import WorkspaceError
from core.experiments.kept import as_kept
from core.project.comparing import backtests
from core.project.fits.run_inputs import new_run
from core.project.lift_tests.lift_tests import keep_lift_test
from tests.experiments.geo_world import TREATED, project_of_geos
from tests.pages import worlds

SIZES = (0, 100, 700, 5_000, 9_000, 18_000, 40_000, None)
TEST = {"name": "Next", "channels": ["TV"], "kind": "dark", "multiple": 0.0}
TEST |= {"geos": [TREATED], "start": "2024-01-01", "end": "2024-01-28"}
STUDY = {"project": "p", "folds": [{"actual": list(range(3_000))}]}


@contextlib.contextmanager
def room(n_bytes):
    """Files of at most so many bytes; None for as many as there is room for."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if n_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def files(folder: Path) -> set[Path]:
    """What lies there but the log, which has a line of every refusal."""
    found = {path for path in folder.rglob("*") if path.is_file()}
    return {path for path in found if path.name not in ("audit.jsonl", "lock")}


def is_whole(path: Path) -> bool:
    """Whether a file has its end."""
    if path.suffix == ".xlsx":
        return zipfile.ZipFile(path).testzip() is None
    if path.suffix == ".json":
        return bool(json.loads(path.read_text()))
    if path.suffix == ".html":
        return path.read_text().rstrip().endswith("</html>")
    return path.stat().st_size > 0


@pytest.fixture
def words(request, home, tmp_path, monkeypatch):
    """The command, with what it needs in the workspace."""
    name = request.param
    if name == "init":
        worlds.table().to_csv(tmp_path / "sales.csv", index=False)
        return ["init", "sales.csv", "--out", "made/market"]
    if name == "brief":
        project = project_of_geos()
        keep_lift_test(project, as_kept(TEST))
        ways = ("--out", "made/b.csv", "--out", "made/b.html", "--out", "made/b.json")
        return ["tests", "brief", str(project), "Next", *ways]
    project = worlds.project()
    if name == "backtest":
        monkeypatch.setattr(backtest, "backtested", lambda _: STUDY)
        monkeypatch.setattr(backtest, "backtest_text", lambda _: "")
        return ["backtest", str(project), "--out", "made/study.json"]
    fit = worlds.fit(project)
    plan = ["plan", str(fit), "--as-fitted"]
    ways = {"plan": ["--out", "made/plan.xlsx"], "save": ["--save", "Next"]}
    return plan + ways[name]


@pytest.mark.parametrize(
    "words", ["init", "plan", "save", "backtest", "brief"], indirect=True
)
def test_every_size_of_disk_gives_all_or_a_reason(
    words, own_readers, tmp_path, monkeypatch, capsys
):
    (tmp_path / "made").mkdir()
    codes, before = {}, files(tmp_path)
    for size in SIZES:
        monkeypatch.setattr(tempfile, "tempdir", None)  # each command looks for one
        with room(size):
            codes[size] = main(words)
        said = capsys.readouterr().err
        made = files(tmp_path) - before
        if codes[size] == 0:
            assert made and all(map(is_whole, made)), (size, made)
            if words[0] == "init":
                assert main(["check", words[-1]]) == 0, size
                capsys.readouterr()
            for path in made:
                path.unlink()
            continue
        assert codes[size] == 1, (size, said)
        assert not made, (size, made)
        assert "Traceback" not in said, (size, said)
        assert said.count("Error: ") == 1 and "disk is full" in said, (size, said)
        assert ".tmp" not in said, (size, said)
    assert codes[0] == 1 and codes[None] == 0
    order = [codes[size] for size in SIZES]
    assert order == sorted(order, reverse=True)  # more room never does less


def test_a_study_that_lacks_a_part_leaves_none(home, monkeypatch):
    project = worlds.project()
    made = []

    def third_fails(*arguments, **options):
        if len(made) == 2:
            raise WorkspaceError("The disk is full.")
        made.append(new_run(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(backtests, "new_run", third_fails)
    with pytest.raises(WorkspaceError):
        backtests.new_backtest(project, folds=3)
    assert len(made) == 2 and not any(run.exists() for run in made)
    assert backtests.list_backtests(project) == []


def test_a_plan_that_is_saved_but_not_written_says_both(home, tmp_path, capsys):
    fit = worlds.fit(worlds.project())
    (tmp_path / "plan.xlsx").mkdir()  # in the way of the file
    way = ["--save", "Next", "--out", str(tmp_path / "plan.xlsx")]
    assert main(["plan", str(fit), "--as-fitted", *way]) == 1
    said = capsys.readouterr().err
    assert "Saved as plan" in said and "plan.xlsx could not be written" in said
