"""`plan RUN --scenario plan.xlsx` where the workbook is that of a plan of geos."""

import openpyxl
import pytest

from tests.cli.edited_book import assert_no_other_currency, edit
from tests.pages import worlds

CHANNELS = ("TV", "Search", "Social", "Print")


@pytest.fixture
def geo_fit(project):
    """A finished fit of four geos."""
    return worlds.fit(project, has_geo_curves=True)


@pytest.fixture
def book(say, geo_fit, tmp_path):
    """Writes the workbook of a plan of geos with some cells changed."""

    def edited(changes=(), drop=(), request=()):
        path = tmp_path / "plan.xlsx"
        args = ("--over", "geos", "--as-fitted", *request, "--out", path)
        said = say("plan", geo_fit, *args)
        assert said.code == 0, said.err
        return edit(path, dict(changes), drop)

    return edited


def cells_of(path) -> dict[tuple[str, str], float]:
    """Amounts on the sheet, by geo and channel."""
    sheet = openpyxl.load_workbook(path)["Plan"]
    heads = [cell.value for cell in sheet[4]][1:5]
    return {
        (row[0].value, name): float(cell.value)
        for row in sheet["A5:E8"]
        for name, cell in zip(heads, row[1:], strict=True)
    }


def planned(said) -> dict[tuple[str, str], float]:
    assert said.code == 0, said.err
    return {(c["geo"], c["channel"]): c["planned"] for c in said.data["cells"]}


def test_edited_amounts_are_evaluated_as_they_are(say, geo_fit, book):
    path = book({"B5": 123456.78, "D7": 0, "B2": None}, request=["--objective", "p10"])
    said = say("plan", geo_fit, "--scenario", path, "--json")
    assert planned(said) == pytest.approx(cells_of(path), abs=0.0051)
    spend = planned(said)
    assert spend["North", "TV"] == 123456.78 and spend["East", "Social"] == 0
    assert said.data["budget"] == pytest.approx(sum(spend.values()))
    assert said.data["over"] == "geos" and said.data["horizon"]["as_fitted"]
    assert said.data["objective"]["name"] == "p10"
    assert said.data["gain_over_channels"]["mean"] != 0
    assert {row["probability_up"] for row in said.data["geos"]} == {0.5}
    assert "probability_positive" in said.data["gain"]


def test_moving_money_between_geos_is_compared_with_todays_pattern(say, geo_fit, book):
    """The same totals of channels, spread as today, are the other plan."""
    said = say("plan", geo_fit, "--over", "geos", "--as-fitted", "--json").data
    now = {(c["geo"], c["channel"]): c["current"] for c in said["cells"]}
    changes = {
        f"{column}{row}": now[geo, name]
        for column, name in zip("BCDE", CHANNELS, strict=True)
        for row, geo in enumerate([line["name"] for line in said["geos"]], start=5)
    }
    path = book(changes | {"B2": None})
    evaluated = say("plan", geo_fit, "--scenario", path, "--json").data
    scale = abs(evaluated["outcome"]["planned"]["mean"])
    assert abs(evaluated["gain_over_channels"]["mean"]) < 1e-6 * scale
    assert abs(evaluated["gain"]["mean"]) < 1e-6 * scale


def test_a_file_that_was_not_edited_gives_the_same_plan(say, geo_fit, book):
    before = say("plan", geo_fit, "--over", "geos", "--as-fitted", "--json")
    after = say("plan", geo_fit, "--scenario", book(), "--json")
    assert planned(after) == planned(before)
    assert after.data["outcome"]["planned"] == before.data["outcome"]["planned"]


def test_edited_limits_are_the_limits(say, geo_fit, book):
    before = say("plan", geo_fit, "--over", "geos", "--as-fitted", "--json").data
    north, south, *_ = before["geos"]
    most = round(0.99 * north["planned"])
    path = book({"I6": south["planned"] + 1000, "J5": most, "K8": "yes"})
    said = say("plan", geo_fit, "--scenario", path, "--json")
    assert said.code == 0, said.err
    rows = {row["name"]: row for row in said.data["geos"]}
    assert rows["North"]["planned"] <= most + 0.01
    assert rows["South"]["planned"] >= south["planned"] + 999.99
    stays = {row["name"]: row["planned"] for row in before["geos"]}["West"]
    assert rows["West"]["planned"] == pytest.approx(stays, abs=0.02)
    assert said.data["budget"] == before["budget"]


def test_another_budget_is_planned(say, geo_fit, book):
    said = say("plan", geo_fit, "--scenario", book({"B2": 16e6}), "--json")
    assert sum(planned(said).values()) == pytest.approx(16e6)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"B5": "a lot"}, "plan.xlsx, sheet Plan, cell B5: the spend of TV in North"),
        ({"B5": "a lot"}, "is 'a lot', which is not a number. Type a number"),
        ({"C6": -1.0}, "cell C6: the spend of Search in South is negative"),
        ({"C6": None}, "cell C6: the spend of Search in South is empty"),
        ({"A6": "Suth"}, "cell A6: There is no geo Suth"),
        ({"A6": "Suth"}, "Did you mean South?"),
        ({"A6": "North"}, "cell A6: geo North has a second row."),
        ({"row 6": "hidden"}, "cell A6: the row of geo South is hidden"),
        ({"A6": "North"}, "has no row for geo South"),
        ({"C4": "Serch"}, "There is no channel Serch"),
        ({"C4": "Serch"}, "has no column for channel Search"),
        ({"B5": 1.0}, "cell B2: the budget is"),
        ({"B5": 1.0}, "Change the amounts, or set B2 to"),
        ({"B5": 1.0, "B2": None, "F5": 7.0}, "cell F5: the total of North is"),
        ({"B5": 1.0, "B2": None, "B9": 7.0}, "cell B9: the total of TV is"),
        ({"J5": "most"}, "cell J5: the most of North is 'most'"),
        ({"I5": 9e9}, "cell I5: the least of North is above its most (J5)"),
        ({"K5": "yes", "J5": 2.0, "I5": 1.0}, "cell K5: North is locked at what"),
        ({"B2": "much"}, "cell B2: the budget is 'much'"),
        ({"B2": 1.0}, "budget"),
    ],
)
def test_what_cannot_be_read_names_the_cell(say, geo_fit, book, changes, words):
    said = say("plan", geo_fit, "--scenario", book(changes), "--json")
    assert said.code == 1
    assert words in " ".join(said.err.split())


def test_another_currency(say, geo_fit, book):
    path = book({"B5": 1.0})
    assert_no_other_currency(say, geo_fit, path, "B5", "spend of TV in North")


def test_without_the_hidden_sheet_amounts_are_what_counts(say, geo_fit, book):
    path = book({"J5": 1.0}, drop=["As planned"])
    said = say("plan", geo_fit, "--scenario", path, "--as-fitted", "--json")
    assert planned(said) == pytest.approx(cells_of(path), abs=0.0051)


def test_a_plan_of_geos_for_a_fit_of_one_market(say, fit, book):
    said = say("plan", fit, "--scenario", book())
    assert said.code == 1 and "is a plan of geos, and the fit is of one" in said.err


def test_amounts_in_a_scenario_file(say, geo_fit, tmp_path):
    path = tmp_path / "plan.toml"
    spend = {"TV": 1000, "Search": 2000, "Social": 3000, "Print": 4000}
    row = "\n".join(f"{name} = {money}" for name, money in spend.items())
    geos = ("North", "South", "East", "West")
    table = "\n".join(f"[geos.spend.{geo}]\n{row}" for geo in geos)
    path.write_text(table)
    said = say("plan", geo_fit, "--scenario", path, "--as-fitted", "--json")
    assert said.data["budget"] == 40_000 and set(planned(said).values()) == {
        1000,
        2000,
        3000,
        4000,
    }
    path.write_text(table.replace("Print = 4000", "", 1))
    said = say("plan", geo_fit, "--scenario", path, "--as-fitted")
    assert "The spend of Print in North is missing" in said.err
    path.write_text(table.replace("1000", '"a lot"', 1))
    assert say("plan", geo_fit, "--scenario", path, "--as-fitted").code == 1
