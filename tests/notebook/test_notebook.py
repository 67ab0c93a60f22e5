"""`import mixwright`: what it loads and hands out, and the notebook of the docs."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import mixwright as mw
from core.project.plans.plans import list_plans
from core.project.shelf.cards import projects
from tests.pages import worlds

ROOT = Path(mw.__file__).parent
TABLE = ROOT / "assets/examples/demo_national.csv"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def result(home):
    return mw.Result(mw.result(worlds.fit(worlds.project())).run)


def elsewhere(code: str, folder: Path, *path: Path) -> subprocess.CompletedProcess:
    """Run code in a process that sees neither the clone nor its folder."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_core_is_found_beside_the_module_and_nothing_else_of_the_clone(tmp_path):
    """As where it is installed: only mixwright.py can be found."""
    code = f"""
import importlib.util, sys
place = {str(ROOT / "mixwright.py")!r}
spec = importlib.util.spec_from_file_location("mixwright", place)
sys.modules["mixwright"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["mixwright"])
import core.project.shelf.store
print(core.__path__[0], "jax" in sys.modules, "streamlit" in sys.modules)
for name in ("pages", "tests", "tools", "bench", "app"):
    assert importlib.util.find_spec(name) is None, name
"""
    done = elsewhere(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(ROOT / "core"), "False", "False"]


def test_another_package_called_core_is_refused_by_name(tmp_path):
    (tmp_path / "core").mkdir()
    (tmp_path / "core/__init__.py").write_text("")
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart/mixwright.py").write_text((ROOT / "mixwright.py").read_text())
    done = elsewhere("import core, mixwright", tmp_path, tmp_path, tmp_path / "apart")
    assert "Another package called core is loaded" in done.stderr


def test_a_module_without_its_clone_says_so(tmp_path):
    (tmp_path / "mixwright.py").write_text((ROOT / "mixwright.py").read_text())
    done = elsewhere("import mixwright", tmp_path, tmp_path)
    assert "make wheel" in done.stderr


def test_the_names_that_it_has():
    assert set(mw.__all__) == {
        "Bound",
        "actuals",
        "compare",
        "design_tests",
        "read_test",
        "refresh",
        "MMMError",
        "fit",
        "forecast",
        "plan",
        "portfolio",
        "project",
        "promises",
        "read",
        "report",
        "result",
        "suggest_priors",
    }
    assert all(getattr(mw, name).__doc__ for name in mw.__all__)


def test_a_project_is_the_app_s_and_is_found_again(home):
    table = mw.read(TABLE)
    project = mw.project("Sales", table, currency="EUR")
    assert project.folder == home / "projects/Sales"
    assert "Sales" in [card.name for card in projects()]
    assert project.settings.currency == "EUR"
    assert mw.project("Sales", table) == project == mw.project("Sales")
    assert len(project.frame) == len(table.frame)
    assert set(table.findings().columns) == {"severity", "where", "message", "hint"}
    shorter = mw.Table(table.frame.head(100), table.mapping)
    with pytest.raises(mw.MMMError, match="another table"):
        mw.project("Sales", shorter)


def test_a_path_is_a_folder_of_ones_own(home, tmp_path):
    project = mw.project(tmp_path / "own" / "market", mw.read(TABLE))
    assert (tmp_path / "own/market/project.toml").is_file()
    assert project.results() == []


def test_a_table_without_media_is_refused(home):
    table = mw.read(TABLE)
    bare = mw.Table(table.frame, type(table.mapping)(time="date", kpi="revenue"))
    with pytest.raises(mw.MMMError):
        mw.project("Bare", bare)


def test_results_come_out_as_tables(result):
    table = result.table()
    assert list(table.index) == [row["name"] for row in result.summary["channels"]]
    paid = table[table["spend"] > 0]
    assert (paid["roi_lo"] < paid["roi"]).all()
    assert (paid["roi"] < paid["roi_hi"]).all()
    assert result.verdict == "trustworthy"


def test_curves_are_those_that_a_plan_uses(result):
    ahead, own = result.curves(), result.curves(as_fitted=True)
    assert ahead["incremental_outcome"].dims == ("draw", "channel", "spend_multiplier")
    plan = mw.plan(result)
    current = plan.table()["current"].to_dict()
    assert current == pytest.approx(ahead["spend"].to_series().to_dict())
    assert not np.allclose(own["spend"], ahead["spend"])


def test_a_plan_can_be_kept_in_its_project(result):
    plan = mw.plan(result, bounds=(0.8, 1.2), save="Spring")
    kept = list_plans(result.run.folder.parents[1])
    assert [entry.name for entry in kept] == ["Spring"]
    assert kept[0].plan_id == plan.plan_id
    with pytest.raises(mw.MMMError):
        mw.plan(result, budget=1e15)


def test_geos_and_weeks_are_planned_with_the_same_ask(home, monkeypatch):
    fit = worlds.fit(worlds.project(), has_geo_curves=True)
    result = mw.Result(mw.result(fit).run)
    limits = [mw.Bound(geo="West", locked=True)]
    plan = mw.plan(result, as_fitted=True, geo_totals=(0.9, 1.1), limits=limits)
    assert plan.over == "geos" and plan.geos[3].locked
    assert plan.geos[3].planned == pytest.approx(plan.geos[3].current, abs=1)
    amounts = {cell.geo: {} for cell in plan.cells}
    for cell in plan.cells:
        amounts[cell.geo][cell.channel] = cell.planned
    same = mw.plan(result, as_fitted=True, over="geos", spend=amounts)
    assert same.gain.mean == pytest.approx(plan.gain.mean, rel=1e-6)
    asked = []
    found = lambda run, table, watch: asked.append(table) or plan  # noqa: E731
    monkeypatch.setattr("core.service.plans.week_plan", found)
    mw.plan(result, over="weeks", periods=3, limits=[mw.Bound(change="30 %")])
    assert asked == [{"horizon": {"periods": 3}, "weeks": {"change": "30 %"}}]


def test_two_fits_side_by_side(result):
    comparison = mw.compare(result, result)
    table = comparison.table()
    assert (table["difference"] == 0).all()
    assert "TV" in table.index.get_level_values("channel")
    assert str(comparison)


def test_a_project_that_is_fitted_has_nothing_to_refresh(result):
    project = mw.Project(result.run.folder.parents[1])
    done = mw.refresh(project)
    assert (done.result, done.is_new) == (result, False)
    assert done.table().empty and str(done)


def test_a_test_of_geos_is_read_from_a_table():
    table = ROOT / "assets/examples/demo_geo.csv"
    frame = mw.read(table).frame
    with pytest.raises(mw.MMMError, match="Nowhere"):
        mw.read_test(table, ["Nowhere"], "2024-01-01", "2024-02-01")
    assert len(frame)


def test_a_report_is_of_the_kind_that_its_name_says(result, tmp_path):
    assert mw.report(result, tmp_path / "r.html").stat().st_size > 100_000
    with pytest.raises(mw.MMMError, match="not a report format"):
        mw.report(result, tmp_path / "r.doc")


def test_figures_show_themselves_in_a_notebook(result):
    figures = result.figures()
    assert {"roi", "waterfall", "expected", "responses"} <= set(figures)
    assert all(hasattr(figure, "_repr_mimebundle_") for figure in figures.values())


@pytest.mark.slow
def test_the_notebook_of_the_docs_runs(home, keeps_compiled, monkeypatch):
    """All of it, with few draws; and once more, as somebody would."""
    keeps_compiled(home)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(ROOT / "docs/notebook.ipynb", as_version=4)
    nbformat.validate(notebook)
    sampler = [cell for cell in notebook.cells if cell.source.startswith("settings =")]
    assert len(sampler) == 1
    sampler[0].source = "settings = {'chains': 2, 'warmup': 60, 'draws': 40}"
    client = NotebookClient(notebook, timeout=850)
    client.execute(cwd=str(home))
    said = {
        data
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        for data in output.get("data", ())
    }
    assert "text/html" in said
    assert any("plotly" in kind for kind in said)
    folder = home / "projects/Notebook demo"
    assert [plan.name for plan in list_plans(folder)] == ["From the notebook"]
    assert (folder / "report.html").is_file()


@pytest.mark.slow
def test_a_fit_in_this_process_is_a_run_like_any_other(home, keeps_compiled):
    keeps_compiled(home)
    code = f"""
import mixwright as mw
project = mw.project("Here", mw.read({str(TABLE)!r}))
result = mw.fit(project, here=True, chains=1, warmup=50, draws=20)
assert result.run.status.state == "done", result.run.status
assert result.posterior.sizes["draw"] == 20
try:
    mw.fit(project, here=True, chains=0)
except mw.MMMError as error:
    print(error)
"""
    done = elsewhere(code, home, ROOT)
    assert done.returncode == 0, done.stderr
    assert "chains must be between" in done.stdout
    assert mw.result("Here").run.status.state == "done"
