"""python -m core plan --geos: its answer, files, and what it refuses."""

import csv
import json
import re

import openpyxl
import pytest

from core.plan.record.plan_record import as_record
from core.plan.scenario.table import scenario_text
from core.service.plans import author as said_by
from tests.pages import worlds
from tests.saved_plans import plans_over

SCENARIO = """
budget = 16_000_000
bounds = ["80 %", "120 %"]
scaled = true

[geos]
bounds = ["60 %", "160 %"]
totals = ["90 %", "115 %"]
[geos.geo.West]
lock = true
"""


@pytest.fixture
def geo_fit(project):
    """A finished fit of four geos."""
    return worlds.fit(project, has_geo_curves=True)


def test_json_has_channels_geos_cells_and_odds(say, geo_fit):
    said = say("plan", geo_fit, "--over", "geos", "--as-fitted", "--json")
    assert said.code == 0, said.err
    told = said.data
    assert len(told["cells"]) == 16
    assert [row["name"] for row in told["geos"]] == ["North", "South", "East", "West"]
    cents = sum(round(100 * cell["planned"]) for cell in told["cells"])
    assert cents == round(100 * told["budget"])
    assert told["bound"]["best_possible"] >= told["objective"]["planned"]
    assert told["bound"]["gap"] < 1e-5
    for gain in (told["gain"], told["gain_over_channels"]):
        assert 0 <= gain["probability_positive"] <= 1
        assert gain["lo"] <= gain["median"] <= gain["hi"]
    tv = {c["geo"]: c for c in told["cells"] if c["channel"] == "TV"}
    assert tv["North"]["multiplier"] > 1 > tv["South"]["multiplier"]
    assert told["geo_advice"] in ("change", "keep")
    assert said.err == ""


def test_text_says_what_moving_money_adds(say, geo_fit):
    said = say("plan", geo_fit, "--geo-totals", "0.9:1.1", "--geo-bounds", "0.7:1.5")
    assert said.code == 0, said.err
    for words in (
        "4 channels and 4 geos",
        "oving money between geos",
        "below the best plan",
        "North",
    ):
        assert words in said.out


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        ("p10", "the revenue that is reached with a probability of 90\u00a0%: "),
        ("reach:21e6", "the odds of at least 21.0\u00a0M\u00a0€: "),
        ("reach:21M €", "the odds of at least 21.0\u00a0M\u00a0€: "),
        ("cvar10", "mean revenue in the worst 10\u00a0% of cases: "),
    ],
)
def test_cautious_objectives_say_what_the_bound_leaves_open(
    say, geo_fit, objective, words
):
    said = say(
        "plan", geo_fit, "--over", "geos", "--as-fitted", "--objective", objective
    )
    assert said.code == 0, said.err
    assert f"Maximises {words}" in said.out
    near = re.search(r"At most ([0-9.]+)\u00a0% below the best plan", said.out)
    assert ("The bound is loose for this objective" in said.out) == (
        objective != "cvar10" and float(near[1]) > 0.1
    )


def test_a_file_with_geos_needs_no_flag(say, geo_fit, tmp_path):
    path = tmp_path / "spring.toml"
    path.write_text(SCENARIO)
    told = say("plan", geo_fit, "--as-fitted", "--scenario", path, "--json").data
    assert told["budget"] == 16e6
    west = told["geos"][3]
    assert west["locked"] and west["planned"] == pytest.approx(west["current"], abs=1)
    for row in told["geos"][:3]:
        assert 0.9 * 16 / 17 - 1e-6 <= row["multiplier"] <= 1.15 * 16 / 17 + 1e-6
    assert told["scenario"]["geos"]["totals"] == ["90 %", "115 %"]
    said = say("plan", geo_fit, "--scenario", path, "--geo-totals", "0.5:1.5", "--json")
    assert said.data["scenario"]["geos"]["totals"] == ["50 %", "150 %"]


def test_a_budget_that_channels_find_is_spread(say, geo_fit, tmp_path):
    path = tmp_path / "found.toml"
    path.write_text('[find]\nkind = "mroi"\ntarget = 1.0\n[channel.TV]\nstep = 5000\n')
    told = say(
        "plan", geo_fit, "--over", "geos", "--as-fitted", "--scenario", path, "--json"
    ).data
    channels = say("plan", geo_fit, "--as-fitted", "--scenario", path, "--json").data
    assert told["budget"] == channels["budget"]
    assert told["channels"][0]["planned"] % 5000 == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("kind", ["csv", "json", "xlsx"])
def test_files(say, geo_fit, tmp_path, kind):
    path = tmp_path / f"plan.{kind}"
    said = say(
        "plan", geo_fit, "--over", "geos", "--as-fitted", "--out", path, "--json"
    )
    assert said.code == 0, said.err
    if kind == "json":
        assert json.loads(path.read_text())["cells"] == said.data["cells"]
        return
    if kind == "xlsx":
        assert openpyxl.load_workbook(path).sheetnames == [
            *("Plan", "Chart", "Odds", "As planned")
        ]
        return
    rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    assert len(rows) == 16
    assert (rows[0]["geo"], rows[0]["channel"]) == ("North", "TV")
    assert sum(round(100 * float(row["planned"])) for row in rows) == round(
        100 * said.data["budget"]
    )


def test_a_plan_is_kept_and_its_scenario_makes_it_again(say, geo_fit, tmp_path):
    path = tmp_path / "spring.toml"
    find = '[find]\nkind = "mroi"\ntarget = 1.0\n[channel.TV]\nstep = 5000\n'
    for number, text in enumerate((SCENARIO, f'notes = "Booked."\n{find}')):
        path.write_text(text)
        flags = (
            "plan",
            geo_fit,
            "--over",
            "geos",
            "--as-fitted",
            "--scenario",
            path,
            "--json",
        )
        said = say(*flags, "--save", f"Spring {number}")
        assert said.code == 0, said.err
        kept = plans_over(geo_fit.parents[1], "geos")[0]
        assert kept.plan_id == said.data["plan_id"]
        assert (kept.name, kept.run_id) == (f"Spring {number}", geo_fit.name)
        assert kept.cells == as_record(said.data).cells
        assert kept.run == "" and kept.by == said_by()
        path.write_text(scenario_text(kept.scenario, name=kept.name, notes=kept.notes))
        again = say(*flags).data
        for one, other in zip(again["cells"], said.data["cells"], strict=True):
            assert one["planned"] == pytest.approx(other["planned"], abs=0.02)
    assert kept.notes == "Booked."
    assert say("actuals", kept.plan_id, path).code == 1
    assert plans_over(geo_fit.parents[1], "channels") == []


def test_a_fit_of_one_market_is_refused(say, fit):
    said = say("plan", fit, "--over", "geos", "--as-fitted")
    assert said.code == 1
    assert "has no geos to plan for" in said.err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--geo-totals", "1.2:1.5"), "The smallest change that works"),
        (("--geo-bounds", "2:1"), "not a range"),
        (("--out", "plan.pptx"), "End the name in .xlsx, .csv, .toml or .json"),
        (("--budget", "-5"), "The budget is"),
    ],
)
def test_what_is_refused(say, geo_fit, flags, words):
    said = say("plan", geo_fit, "--over", "geos", "--as-fitted", *flags)
    assert said.code == 1
    assert words in said.err
    assert not said.out


def test_a_geo_that_is_not_there_is_named(say, geo_fit, tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("[geos.geo.Nort]\nlock = true\n")
    said = say("plan", geo_fit, "--scenario", path)
    assert said.code == 1
    assert "There is no geo Nort" in said.err and "Did you mean North?" in said.err
