"""`plan RUN --scenario plan.xlsx`: the edited workbook of a plan."""

import openpyxl
import pytest

from tests.cli.clicks import with_clicks
from tests.cli.edited_book import assert_no_other_currency, edit
from tests.pages import worlds


@pytest.fixture
def book(say, fit, tmp_path):
    """Writes the workbook of a plan with some cells changed."""

    def edited(changes=(), name="plan.xlsx", request=(), drop=()):
        path = tmp_path / name
        said = say("plan", fit, "--as-fitted", *request, "--out", path)
        assert said.code == 0, said.err
        return edit(path, dict(changes), drop)

    return edited


def amounts(said) -> dict[str, float]:
    assert said.code == 0, said.err
    return {row["name"]: row["planned"] for row in said.data["channels"]}


def test_edited_amounts_are_evaluated_as_they_are(say, fit, book):
    path = book({"C5": 9.9e6, "C6": 4e6, "C7": 2e6, "C8": 0.5e6, "C2": 16.4e6})
    said = say("plan", fit, "--scenario", path, "--json")
    assert list(amounts(said).values()) == [9.9e6, 4e6, 2e6, 0.5e6]
    assert said.data["budget"] == 16.4e6
    assert said.data["horizon"]["as_fitted"]
    assert said.data["bound"]["gap"] < 1e-9
    assert {"mean", "lo", "hi"} <= set(said.data["outcome"]["planned"])
    assert "probability_positive" in said.data["gain"]


def test_a_file_that_was_not_edited_gives_the_same_plan(say, fit, book):
    path = book(request=("--budget", "16123456.78"))
    before = say("plan", fit, "--as-fitted", "--budget", "16123456.78", "--json")
    after = say("plan", fit, "--scenario", path, "--json")
    assert amounts(after) == amounts(before)
    assert after.data["outcome"] == before.data["outcome"]


def test_edited_limits_are_the_limits(say, fit, book):
    path = book({"G5": 9.3e6, "F6": 4.2e6, "H8": "yes"})
    at_first = openpyxl.load_workbook(path)["Plan"]["C8"].value
    said = say("plan", fit, "--scenario", path, "--json")
    planned = amounts(said)
    rows = {row["name"]: row for row in said.data["channels"]}
    assert rows["TV"]["high"] == 9.3e6 and planned["TV"] <= 9.3e6
    assert rows["Search"]["low"] == 4.2e6
    assert planned["Print"] == at_first and rows["Print"]["locked"]
    assert sum(planned.values()) == pytest.approx(17e6)


def test_another_budget_is_planned_within_the_limits(say, fit, book):
    path = book({"C2": 16e6}, request=("--objective", "p10"))
    said = say("plan", fit, "--scenario", path, "--json")
    assert sum(amounts(said).values()) == pytest.approx(16e6)
    assert said.data["objective"]["name"] == "p10"


def test_edited_amounts_pay_for_what_the_plan_paid_for(say, fit, book, tmp_path):
    """Amounts of a plan that buys clicks hold them: they are no channel's own spend."""
    with_clicks(fit, name="curves.nc")
    path = tmp_path / "clicks.toml"
    path.write_text("[mediator.Clicks]\nbought = 1.0\n")
    request = ("--as-fitted", "--scenario", path, "--best")
    before = say("plan", fit, *request, "--json")
    path = book({"C8": amounts(before)["Print"] - 1e4, "C2": None}, request=request[1:])
    after = say("plan", fit, "--scenario", path, "--json")
    planned = amounts(after)
    assert after.data["scenario"]["mediator"] == {"Clicks": {"bought": 1.0}}
    tv = after.data["channels"][0]
    assert tv["own"] + tv["induced"]["mean"] == pytest.approx(planned["TV"])
    assert planned["TV"] == pytest.approx(amounts(before)["TV"])


@pytest.fixture
def believed(tmp_path):
    """What asks for a plan with a channel that never ran; it is the last row, 9."""
    path = tmp_path / "podcast.toml"
    path.write_text("[belief.Podcast]\nspend = 1e6\nroi = [4, 9]\n")
    return ("--scenario", path, "--best")


def test_the_workbook_of_a_plan_with_a_belief_is_read_back(say, fit, book, believed):
    before = say("plan", fit, "--as-fitted", *believed, "--json")
    assert before.data["budget"] == 17e6
    after = say("plan", fit, "--scenario", book(request=believed), "--best", "--json")
    assert amounts(after) == amounts(before) and amounts(after)["Podcast"] > 0
    assert after.data["outcome"] == before.data["outcome"]


def test_edited_amounts_of_a_belief_are_evaluated(say, fit, book, believed):
    cells = {"C5": 9.5e6, "C6": 4e6, "C7": 2e6, "C8": 0.5e6, "C9": 0.4e6, "C2": 16.4e6}
    said = say("plan", fit, "--scenario", book(cells, request=believed), "--json")
    assert list(amounts(said).values()) == [9.5e6, 4e6, 2e6, 0.5e6, 0.4e6]
    row = next(row for row in said.data["channels"] if row["name"] == "Podcast")
    assert row["is_belief"]


def test_a_least_of_a_belief_that_was_edited_is_a_limit(say, fit, book, believed):
    path = book({"F9": 0.9e6, "G9": 0.95e6}, request=believed)
    planned = amounts(say("plan", fit, "--scenario", path, "--best", "--json"))
    assert 0.9e6 <= planned["Podcast"] <= 0.95e6


def test_without_the_hidden_sheet_amounts_are_what_counts(say, fit, book):
    path = book({"G5": 1e9, "C5": None, "A9": None}, drop=["As planned"])
    said = say("plan", fit, "--scenario", path, "--as-fitted", "--json")
    assert said.code == 1
    assert "cell C5: the planned spend of TV is empty" in said.err
    path = book({"G5": 1e9}, drop=["As planned"])
    assert amounts(say("plan", fit, "--scenario", path, "--as-fitted", "--json"))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"C5": "about 9 M"},
            "plan.xlsx, sheet Plan, cell C5: the planned spend of TV",
        ),
        ({"C5": "about 9 M"}, "is 'about 9 M', which is not a number. Type a number"),
        ({"C6": -1.0}, "cell C6: the planned spend of Search is negative"),
        ({"C6": None}, "cell C6: the planned spend of Search is empty"),
        ({"C6": True}, "cell C6"),
        ({"A6": "Serch"}, "cell A6: There is no channel Serch"),
        ({"A6": "Serch"}, "Did you mean Search?"),
        ({"A6": "TV"}, "cell A6: channel TV has a second row."),
        ({"row 6": "hidden"}, "cell A6: the row of channel Search is hidden"),
        ({"A6": "TV"}, "has no row for channel Search"),
        ({"C5": 1e6}, "cell C2: the budget is"),
        ({"C5": 1e6}, "Change the amounts, or set C2 to"),
        ({"C5": 1e6, "C9": 17e6}, "cell C9: the total is"),
        ({"G5": "most"}, "cell G5: the most of TV is 'most'"),
        ({"F5": 9.9e6, "G5": 9.8e6}, "cell F5: the least of TV is above its most (G5)"),
        ({"C2": "much"}, "cell C2: the budget is 'much'"),
        ({"H5": "yes", "G5": 1e6, "F5": 0}, "TV is locked at"),
        ({"A4": "Medium"}, "has no table with the heads Channel and Planned spend"),
    ],
)
def test_what_cannot_be_read_names_the_cell(say, fit, book, changes, words):
    said = say("plan", fit, "--scenario", book(changes), "--json")
    assert said.code == 1
    assert words in " ".join(said.err.split())


def test_another_currency(say, fit, book):
    path = book({"C5": 1.0})
    assert_no_other_currency(say, fit, path, "C5", "planned spend of TV")


def test_a_file_that_is_no_workbook(say, fit, tmp_path):
    path = tmp_path / "plan.xlsx"
    path.write_bytes(b"budget = 3")
    said = say("plan", fit, "--scenario", path)
    assert (said.code, "is not an XLSX workbook" in said.err) == (1, True)
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    assert "damaged workbook" in say("plan", fit, "--scenario", path).err
    missing = say("plan", fit, "--scenario", tmp_path / "none.xlsx")
    assert "There is no file none.xlsx" in missing.err


def test_a_budget_beside_one_to_be_found_is_refused(say, fit, tmp_path):
    path = tmp_path / "both.toml"
    path.write_text('budget = 15_000_000\n[find]\nkind = "profit"\nmargin = 0.4\n')
    said = say("plan", fit, "--scenario", path)
    assert said.code == 1
    assert "Set a fixed budget or ask Mixwright to find one, not both" in said.err
    flags = ("--as-fitted", "--budget", "16M")
    assert say("plan", fit, "--scenario", path, *flags).code == 0


@pytest.mark.parametrize("kind", ["toml", "json"])
@pytest.mark.parametrize(
    "asked",
    [
        ("--budget", "16123456.78"),
        ("--objective", "p10", "--bounds", "0.8:1.2", "--lock", "Print"),
        ("--best", "--within-seen", "--limit-money", "TV=8e6:9.5e6"),
    ],
    ids=" ".join,
)
def test_a_plan_written_as_a_scenario_gives_the_same_plan(
    say, fit, tmp_path, kind, asked
):
    path = tmp_path / f"plan.{kind}"
    before = say("plan", fit, "--as-fitted", *asked, "--out", path, "--json")
    assert before.code == 0, before.err
    after = say("plan", fit, "--scenario", path, "--json")
    assert amounts(after) == amounts(before)
    assert after.data["horizon"] == before.data["horizon"]
    assert after.data["objective"] == before.data["objective"]


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"scenario": 3}', "{", "x"])
def test_json_that_is_no_plan_is_refused(say, fit, tmp_path, text):
    path = tmp_path / "plan.json"
    path.write_text(text)
    said = say("plan", fit, "--scenario", path)
    assert said.code == 1
    assert "plan.json is not a plan" in said.err


@pytest.mark.parametrize("kind", ["xlsx", "json"])
def test_a_plan_of_another_project_is_refused(say, fit, tmp_path, kind):
    """Its channels have the same names."""
    path = tmp_path / f"plan.{kind}"
    other = worlds.fit(worlds.project("Other market"))
    assert say("plan", other, "--as-fitted", "--out", path).code == 0
    said = say("plan", fit, "--scenario", path)
    assert said.code == 1
    assert "fit of another project" in said.err
    newer = worlds.fit(fit.parents[1])  # the project's own, of whichever fit
    assert say("plan", fit, "--as-fitted", "--out", path).code == 0
    assert say("plan", newer, "--scenario", path).code == 0


def test_without_sign_in_a_plan_becomes_the_plan_of_record(say, fit):
    saved = say("plan", fit, "--as-fitted", "--save", "Spring", "--json").data
    project, plan = fit.parents[1], saved["plan_id"]
    said = say("approval", project, plan, "--record", "--json")
    assert said.data["plans"][0]["is_record"], said.err
    said = say("approval", project, plan, "--unmark", "--json")
    assert not said.data["plans"][0]["is_record"], said.err
    assert say("approval", project, plan, "--unmark").code == 1
