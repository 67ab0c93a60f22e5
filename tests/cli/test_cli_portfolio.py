"""One budget over the fits of several projects, through the command line."""

import json

import openpyxl
import pytest

from core.project.plans.plans import list_plans
from tests.pages import worlds

FILE = """
currency = "EUR"
[project."North Europe"]
[project."South brands"]
max = "55 %"
"""


@pytest.fixture
def fits(home):
    """Two projects with a finished fit each."""
    folders = [worlds.project(name) for name in ("North Europe", "South brands")]
    return [worlds.fit(folder) for folder in folders]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "portfolio.toml"
    path.write_text(FILE)
    return path


def test_a_plan_over_two_projects(say, fits, file):
    said = say("portfolio", "plan", file, "--json")
    assert said.code == 0, said.err
    plan = said.data
    assert plan["bound"]["gap"] <= 1e-3 and plan["verdict"] == "trustworthy"
    north, south = plan["projects"]
    assert north["planned"] + south["planned"] == pytest.approx(plan["budget"])
    assert south["planned"] <= 0.55 * plan["budget"] * (1 + 1e-9)
    names = {line["name"] for line in plan["channels"]}
    assert {"North Europe: TV", "South brands: TV"} <= names
    assert north["run_id"] == fits[0].name
    for part in plan["projects"]:
        of_lines = [
            line["planned"]
            for line in plan["channels"]
            if line["name"].startswith(f"{part['name']}: ")
        ]
        assert sum(of_lines) == pytest.approx(part["planned"])
    assert say("portfolio", "plan", file, "--json").out == said.out


def test_each_project_gets_its_part(say, fits, file, tmp_path):
    out = tmp_path / "plan.xlsx"
    said = say("portfolio", "plan", file, "--save", "2027", "--out", out, "--json")
    assert said.code == 0, said.err
    for fit, part in zip(fits, said.data["projects"], strict=True):
        (saved,) = list_plans(fit.parent.parent)
        assert saved.name == "2027" and saved.run_id == fit.name
        assert "North Europe, South brands" in saved.notes
        assert saved.money == pytest.approx(part["spend"], abs=0.01)
        assert saved.outcome["planned"].mean == pytest.approx(
            part["outcome"]["planned"]["mean"], rel=1e-6
        )
    book = openpyxl.load_workbook(out)
    rows = list(book["Projects"].values)
    assert [row[0] for row in rows] == ["Project", "North Europe", "South brands"]
    assert rows[1][2] == pytest.approx(said.data["projects"][0]["planned"])


def test_a_draft_is_a_file_that_plans(say, fits, tmp_path):
    path = tmp_path / "p.toml"
    assert (
        say("portfolio", "init", "North Europe", "South brands", "--out", path).code
        == 0
    )
    assert say("portfolio", "plan", path).code == 0
    again = say("portfolio", "init", "North Europe", "--out", path)
    assert again.code == 1 and "is there already" in again.err


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("South brands", "Nowhere", "There is no project Nowhere", "Projects of the"),
        ("South brands", "North Europe", "not TOML", "Compare"),
        ('max = "55 %"', "rate = 2", "has the rate 2", "Take rate out"),
        ('max = "55 %"', 'max = "5 %"', "group South brands", ""),
        ('currency = "EUR"', 'currency = "USD"', "the portfolio in USD", "rate ="),
        ('max = "55 %"', 'run = "20200101-000000-00000000"', "", ""),
        ('max = "55 %"', '[channel."North Europe: TVs"]\nlock = true', "TVs", "mean"),
    ],
)
def test_what_cannot_be_planned_together_is_refused(
    say, fits, file, old, new, message, hint
):
    file.write_text(FILE.replace(old, new))
    said = say("portfolio", "plan", file)
    assert said.code == 1, said.out
    assert message in said.err and hint in said.err


def test_a_deleted_fit_is_said(say, fits, file):
    (fits[0] / "result" / "summary.json").unlink()
    said = say("portfolio", "plan", file)
    assert said.code == 1 and "summary" in said.err


def test_json_is_what_is_read(say, fits, file, tmp_path):
    out = tmp_path / "plan.json"
    said = say("portfolio", "plan", file, "--out", out, "--json")
    assert json.loads(out.read_text()) == said.data
