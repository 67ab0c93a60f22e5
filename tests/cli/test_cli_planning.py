import csv
import json

import openpyxl
import pandas as pd
import pytest
from msgspec import convert

from core.errors import SamplingError
from core.plan.record.actuals import PlanBesideActuals
from core.plan.record.plan_record import as_record, with_details
from core.plan.response.periods import Horizon
from core.project.plans.plans import list_plans, load_plan
from core.service import horizons
from core.view.what_happened import notes
from tests.charts import synthetic
from tests.pages import worlds
from tests.plan.records import line, record

ESTIMATE = {"mean", "median", "sd", "lo", "hi"}
TOTAL = 17_000_000.0


def test_json_is_what_the_design_promises(say, fit):
    said = say(
        "plan", fit, "--as-fitted", "--budget", "17e6", "--bounds", "0.7:1.3", "--json"
    )
    assert said.code == 0, said.err
    told = said.data
    assert told["budget"] == TOTAL
    for row in told["channels"]:
        assert {"name", "current", "planned", "multiplier", "low", "high"} <= set(row)
        assert row["low"] <= row["planned"] <= row["high"]
        assert row["low"] == pytest.approx(0.7 * row["current"])
        assert 0 <= row["probability_up"] <= 1
    assert sum(round(100 * row["planned"]) for row in told["channels"]) == 1_700_000_000
    assert ESTIMATE == set(told["outcome"]["current"])
    assert ESTIMATE == set(told["outcome"]["planned"])
    assert ESTIMATE | {"probability_positive"} == set(told["gain"])
    assert told["bound"]["best_possible"] >= told["objective"]["planned"]
    assert 0 <= told["bound"]["gap"] < 1e-6
    assert told["advice"] in ("change", "keep")
    assert said.err == ""


def test_same_answer_twice(say, fit):
    once = say("plan", fit, "--as-fitted", "--objective", "p10", "--json")
    assert (
        once.out == say("plan", fit, "--as-fitted", "--objective", "p10", "--json").out
    )
    assert once.data["objective"]["name"] == "p10"


def test_without_a_budget_what_was_spent_is_split(say, fit):
    told = say("plan", fit, "--as-fitted", "--json").data
    assert told["budget"] == TOTAL
    assert not told["current_scaled"]


def test_profit_decides_on_a_budget_between_two_amounts(say, fit):
    free = say("plan", fit, "--as-fitted", "--bounds", "0:3", "--json").data
    at = free["break_even"]
    assert at["least"] < at["lo"] <= at["budget"] <= at["hi"] < at["most"]
    wide = ("--bounds", "0:3", "--budget", f"{at['least']}:{at['most']}")
    found = say("plan", fit, "--as-fitted", *wide, "--json").data
    assert found["budget"] == pytest.approx(at["budget"], rel=0.02)
    assert found["goal"]["kind"] == "profit"
    above = f"{1.2 * at['budget']}:{at['most']}"
    kept = say(
        "plan", fit, "--as-fitted", "--bounds", "0:3", "--budget", above, "--json"
    )
    assert kept.data["budget"] == pytest.approx(1.2 * at["budget"], rel=1e-6)
    less = say("plan", fit, "--as-fitted", *wide, "--margin", "0.5", "--json").data
    assert less["budget"] < found["budget"]
    said = say("plan", fit, "--as-fitted", "--bounds", "0:3").out
    assert "makes less than it costs." in " ".join(said.split())


def test_a_range_of_budgets_is_refused_where_it_says_nothing(say, fit):
    assert say("plan", fit, "--budget", "9M:8M").code == 2
    refused = say("plan", fit, "--margin", "0.4")
    assert refused.code == 1
    assert "--budget 60M:80M" in refused.err


def test_limits_and_locks(say, fit):
    request = (
        "--limit",
        "TV=0.95:1.05",
        "--lock",
        "Print",
        "--lock",
        "Social=2600001.5",
    )
    request += ("--limit-money", "Search=3M:6,000,000")
    said = say("plan", fit, "--as-fitted", *request, "--json")
    assert said.code == 0, said.err
    rows = {row["name"]: row for row in said.data["channels"]}
    assert rows["TV"]["high"] == pytest.approx(1.05 * 9.2e6)
    assert rows["Print"]["planned"] == 1.1e6
    assert rows["Print"]["locked"]
    assert rows["Social"]["planned"] == 2600001.5
    assert (rows["Search"]["low"], rows["Search"]["high"]) == (3e6, 6e6)


def test_limits_are_read_as_people_write_them(say, fit):
    """Amounts with letters and the project's sign, multiples in percent."""
    plain = ("--limit-money", "Search=3e6:6e6", "--bounds", "0.7:1.3")
    typed = ("--limit-money", "Search=€3M:6,000,000", "--bounds", "70%:130 %")
    about = ("plan", fit, "--as-fitted", "--json")
    dearer = (*plain, "--price", "TV=1.1"), (*typed, "--price", "TV=110%")
    first, second = (say(*about, *each) for each in dearer)
    assert first.code == second.code == 0, second.err
    assert first.data["channels"] == second.data["channels"]
    other = say(*about, "--limit-money", "Search=3M USD:6M USD")
    assert other.code == 1 and "is in USD, and the project is in EUR" in other.err
    wrong = say(*about, "--limit-money", "Search=3M")
    assert wrong.code == 2 and "not LOW:HIGH, like 5M:12M" in wrong.err


def test_a_channel_without_history_is_a_belief_everywhere(say, fit, tmp_path):
    file = tmp_path / "podcast.toml"
    file.write_text("[belief.Podcast]\nspend = 1e6\nroi = [4, 9]\n")
    request = ("--as-fitted", "--scenario", str(file))
    said = say("plan", fit, *request, "--best")
    assert said.code == 0, said.err
    assert "an ROI between 4 and 9 is a belief" in said.out
    row = next(row for row in said.out.splitlines() if row.startswith("Podcast"))
    assert "new" in row
    told = say("plan", fit, *request, "--best", "--json").data
    podcast = next(row for row in told["channels"] if row["name"] == "Podcast")
    assert podcast["is_belief"] and podcast["planned"] > 0
    assert told["today"]["spend"] == pytest.approx(TOTAL, abs=0.01)
    for ending in (".xlsx", ".csv", ".toml"):
        out = tmp_path / f"plan{ending}"
        assert say("plan", fit, *request, "--best", "--out", str(out)).code == 0
    table = say("plan", fit, "--scenario", str(out.with_suffix(".csv")))
    assert table.code == 1 and "Use the plan's workbook (.xlsx)" in table.err
    again = say("plan", fit, "--scenario", str(out), "--as-fitted", "--json")
    assert any(row["name"] == "Podcast" for row in again.data["channels"])


def test_scaled_limits_follow_the_budget(say, fit):
    refused = say("plan", fit, "--as-fitted", "--budget", "34e6")
    assert refused.code == 1
    assert "maximums add up to 22,100,000" in refused.err
    assert "--scaled" in refused.err
    told = say(
        "plan", fit, "--as-fitted", "--budget", "34e6", "--scaled", "--json"
    ).data
    assert told["current_scaled"]
    assert told["channels"][0]["low"] == pytest.approx(1.4 * 9.2e6)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--budget", "1000"), "raise the budget to 11,900,000"),
        (("--bounds", "1.2:1.3"), "minimums add up to 20,400,000"),
        (("--budget=-5",), "The budget is −5"),
        (("--bounds", "1.3:0.7"), "above its maximum"),
        (("--limit", "TVV=0.9:1.1"), "Did you mean TV?"),
        (("--lock", "Nobody"), "There is no channel Nobody"),
        (("--objective", "best"), "Objective 'best' is unknown"),
        (("--out", "plan.docx"), "is not a plan format"),
        (("--out", "missing/plan.csv"), "There is no folder"),
    ],
)
def test_a_request_that_cannot_be_met(say, fit, asked, words):
    said = say("plan", fit, "--as-fitted", *asked, "--json")
    assert said.code == 1
    assert said.out == ""
    assert words in said.err


def test_an_amount_that_is_none_is_wrong_usage(say, fit):
    said = say("plan", fit, "--as-fitted", "--budget", "nan", "--json")
    assert said.code == 2 and said.out == ""
    assert "'nan' is not an amount" in said.err and "75M" in said.err


def test_plan_for_people(say, fit):
    said = say("plan", fit, "--as-fitted", "--lock", "TV")
    assert said.code == 0
    for words in (
        "Budget 17,000,000\u00a0€ for",
        "Planned, €",
        "probability of",
        "Keep the split as it ran: ",
    ):
        assert words in said.out
    assert "TV (locked)" in said.out


def test_a_failed_fit_supports_no_change(say, project):
    fit = worlds.fit(project, "failed")
    told = say("plan", fit, "--as-fitted", "--json").data
    assert told["advice"] == "keep"
    assert told["verdict"] == "failed"


def test_save_keeps_the_plan_in_the_project(say, fit, project):
    said = say("plan", fit, "--as-fitted", "--save", "Bold", "--json")
    assert said.code == 0
    kept = load_plan(project, said.data["plan_id"])
    assert (kept.name, kept.run_id, kept.run) == ("Bold", fit.name, "")
    assert as_record(said.data) == with_details(kept, run=str(fit))
    assert said.data["plan_id"] in said.err


@pytest.mark.parametrize("name", ["", " "])
def test_a_plan_without_a_name_is_not_saved(say, fit, project, name):
    said = say("plan", fit, "--as-fitted", "--save", name)
    assert said.code == 2 and "an empty name is no name" in said.err
    assert not list_plans(project)


@pytest.mark.parametrize("kind", ["xlsx", "csv", "json"])
def test_out_writes_the_plan(say, fit, tmp_path, kind):
    path = tmp_path / f"plan.{kind}"
    said = say("plan", fit, "--as-fitted", "--out", path, "--json")
    assert said.code == 0, said.err
    first = said.data["channels"][0]
    if kind == "xlsx":
        assert openpyxl.load_workbook(path)["Plan"]["C5"].value == first["planned"]
    elif kind == "csv":
        row = next(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
        assert float(row["planned"]) == first["planned"]
    else:
        assert json.loads(path.read_text())["channels"][0] == first


def test_names_that_look_like_options_or_formulas(say, project):
    names = ("=1+1", "A=B", "Überall", "中文", *synthetic.NAMES[4:])
    fit = worlds.run(project, "done")
    with worlds.write_result(fit) as result:
        summary = synthetic.summary(names) | {"run": str(fit)}
        (result / "summary.json").write_text(json.dumps(summary))
        curves = synthetic.curves(names)
        curves.to_netcdf(result / "curves.nc", engine="h5netcdf")
    said = say(
        "plan", fit, "--as-fitted", "--lock", "=1+1", "--limit", "A=B=0.9:1.1", "--json"
    )
    assert said.code == 0, said.err
    rows = {row["name"]: row for row in said.data["channels"]}
    assert rows["=1+1"]["locked"]
    assert rows["A=B"]["high"] == pytest.approx(1.1 * rows["A=B"]["current"])


SCENARIO = """
name = "Spring"
notes = "Search is booked."
budget = 16_000_000
bounds = ["60 %", "140 %"]
[channel.Print]
min = 400_000
may_be_off = true
[group.Screens]
channels = ["TV", "Social"]
max = "70 %"
"""


def test_a_scenario_file(say, fit, tmp_path):
    path = tmp_path / "spring.toml"
    path.write_text(SCENARIO)
    said = say("plan", fit, "--as-fitted", "--scenario", path, "--json")
    assert said.code == 0, said.err
    told = said.data
    assert (told["budget"], told["name"]) == (16e6, "Spring")
    assert told["notes"] == "Search is booked."
    rows = {row["name"]: row["planned"] for row in told["channels"]}
    assert rows["TV"] + rows["Social"] <= 0.7 * 16e6 + 0.01
    assert sum(rows.values()) == pytest.approx(16e6, abs=1e-3)
    assert told["bound"]["best_possible"] >= told["objective"]["planned"]
    assert told["scenario"]["group"]["Screens"]["max_share"] == 0.7
    more = say(
        "plan", fit, "--as-fitted", "--scenario", path, "--budget", "17e6", "--json"
    ).data
    assert more["budget"] == 17e6


def test_a_budget_that_is_found(say, fit, tmp_path):
    path = tmp_path / "profit.toml"
    path.write_text("bounds = [0.5, 2]\n[find]\nkind = 'profit'\nmargin = 0.5\n")
    told = say("plan", fit, "--as-fitted", "--scenario", path, "--json").data
    assert told["goal"]["kind"] == "profit"
    assert {"mean", "lo", "hi"} <= set(told["goal"]["profit"])
    assert (
        "brings the largest profit at a margin of 50\u00a0%: "
        in say("plan", fit, "--as-fitted", "--scenario", path).out
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--lock", "TV"), "--lock is given beside --scenario"),
        (("--objective", "reach:x"), "Objective 'reach:x' is unknown"),
    ],
)
def test_a_scenario_that_cannot_be_met(say, fit, tmp_path, more, words):
    path = tmp_path / "spring.toml"
    path.write_text(SCENARIO)
    said = say("plan", fit, "--as-fitted", "--scenario", path, *more, "--json")
    assert (said.code, said.out) == (1, "")
    assert words in said.err
    path.write_text(SCENARIO.replace('max = "70 %"', "max = 100"))
    said = say("plan", fit, "--as-fitted", "--scenario", path, "--json")
    assert said.code == 1
    assert "raise the maximum of group Screens" in said.err
    assert (
        say("plan", fit, "--as-fitted", "--scenario", tmp_path / "none.toml").code == 1
    )


def test_actuals_of_a_saved_plan(say, fit, project, tmp_path):
    from core.project.plans.plan_actuals import actuals_template

    plan_id = say("plan", fit, "--as-fitted", "--save", "Spring", "--json").data[
        "plan_id"
    ]
    head, *rows = actuals_template(fit).strip().splitlines()
    lines = [head, *(f"{row.split(',')[0]},9e5,6e4,2e4,1e4,8e3" for row in rows)]
    file = tmp_path / "happened.csv"
    file.write_text("\n".join(lines))
    told = say("actuals", project / "plans" / f"{plan_id}.json", file, "--json").data
    assert told["name"] == "Spring" and told["periods"] == 13
    means = sum(part["mean"] for part in told["parts"])
    assert means == pytest.approx(told["difference"]["mean"])
    assert told["actual"] == pytest.approx(13 * 9e5)
    said = say("actuals", plan_id, file)
    assert said.code == 0 and "By response" in said.out and "Baseline" in said.out
    assert all(note in said.out for note in notes(convert(told, PlanBesideActuals)))
    assert say("actuals", "Spring", file).out == said.out
    missing = say("actuals", "nothing", file)
    assert missing.code == 1 and "There is no plan nothing" in missing.err
    file.write_text("\n".join([head, *lines[2:]]))
    assert "has no row for 2024-01-01" in say("actuals", plan_id, file).err


def test_a_saved_plan_is_found_by_its_name(say, fit, project, tmp_path):
    saved = [
        say("plan", fit, "--periods", 4, "--save", "Autumn", "--json").data
        for _ in range(2)
    ]
    names = [each["name"] for each in saved]
    assert names == ["Autumn", "Autumn (2)"]
    report = tmp_path / "report.xlsx"
    for each, name in zip(saved, names, strict=True):
        assert each["plan_id"] in say("approval", project, name).out
        assert say("report", fit, "--plan", name, "--out", report).code == 0
    missing = say("report", fit, "--plan", "Winter", "--out", report)
    assert missing.code == 1 and "There is no plan Winter" in missing.err


def test_actuals_may_have_what_the_data_have_and_no_model_reads(say, fit, tmp_path):
    from core.project.plans.plan_actuals import actuals_template

    table = pd.read_parquet(fit / "data.parquet").assign(season_id=3)
    table.to_parquet(fit / "data.parquet")
    assert say("plan", fit, "--as-fitted", "--save", "Columns").code == 0
    head, *rows = actuals_template(fit).strip().splitlines()
    lines = [f"{row.split(',')[0]},9e5,6e4,2e4,1e4,8e3,3" for row in rows]
    file = tmp_path / "export.csv"
    file.write_text("\n".join([f"{head},season_id", *lines]))
    assert say("actuals", "Columns", file).code == 0
    file.write_text("\n".join([f"{head},seasn_id", *lines]))
    assert "not a column of the data" in say("actuals", "Columns", file).err


def test_actuals_of_plans_of_weeks_and_of_geos(say, fit, project, tmp_path):
    from core.project.plans.plan_actuals import actuals_template
    from core.project.plans.plans import save_plan

    head, *rows = actuals_template(fit).strip().splitlines()
    days = [row.split(",")[0] for row in rows]
    file = tmp_path / "happened.csv"
    file.write_text("\n".join([head, *(f"{day},9e5,6e4,2e4,1e4,8e3" for day in days)]))

    def saved(*lines, **more):
        plan = record(*lines, name="Autumn", run_id=fit.name, **more)
        return save_plan(project, plan).plan_id

    weeks = line("TV", 5000.0, weeks=(1000.0,) * 5)
    of_weeks = saved(weeks, over="weeks", weeks=(*days[10:], *days[:2]))
    told = say("actuals", of_weeks, file, "--json").data
    assert told["plan_of"] == "weeks"
    means = sum(part["mean"] for part in told["parts"])
    assert means == pytest.approx(told["difference"]["mean"])
    late = saved(weeks, over="weeks", weeks=("2030-01-07",) * 5)
    said = say("actuals", late, file)
    assert said.code == 1 and "begins on 2030-01-07" in said.err
    horizon = Horizon(days[0], "2024-12-23", 52, as_fitted=False)
    belief = {"belief": {"Podcast": {"spend": 5.2e6, "roi": [2.0, 4.0]}}}
    new = line("Podcast", 5.2e6, 0.0, is_belief=True)
    usual = line("TV", 3.0, 3.0)
    told, more = (
        say("actuals", saved(*lines, horizon=horizon, scenario=belief), file, "--json")
        for lines in ((usual,), (usual, new))
    )
    grown = more.data["planned"]["mean"] - told.data["planned"]["mean"]
    assert grown == pytest.approx(1.3e6 * 2.9, rel=0.1)  # 13 weeks of a year
    means = sum(part["mean"] for part in more.data["parts"])
    assert means == pytest.approx(more.data["difference"]["mean"])
    assert more.data["believed"] == ["Podcast"]
    of_geos = saved(line("TV", 3.0, 2.0), over="geos", horizon=horizon)
    said = say("actuals", of_geos, file)
    assert said.code == 0 and "how much in which geo, not when" in said.out


def test_a_plan_is_for_the_year_after_the_data(say, fit):
    plan = say("plan", fit, "--json").data
    assert plan["horizon"] == {
        "start": "2024-01-01",
        "end": "2024-12-23",
        "periods": 52,
        "as_fitted": False,
        "began": [],
        "value": [],
        "is_repeated": False,
    }
    assert plan["budget"] == pytest.approx(17e6 / 3, abs=0.01)
    assert plan["today"]["spend"] == pytest.approx(17e6 / 3)
    own = say("plan", fit, "--as-fitted", "--json").data
    assert own["horizon"]["as_fitted"] and own["horizon"]["periods"] == 156


def test_a_budget_of_other_periods_is_pointed_at(say, fit):
    said = say("plan", fit, "--budget", "17000000")
    assert said.code == 1
    assert "52 weeks from 1 Jan 2024" in said.err and "--as-fitted" in said.err


@pytest.mark.parametrize("budget", ["17M GBP", "$17M", "£100"])
def test_a_budget_in_another_currency_is_to_be_converted_only(say, fit, budget):
    said = say("plan", fit, "--budget", budget)
    assert said.code == 1
    assert "Convert it to EUR" in said.err
    assert "--scaled" not in said.err and "--as-fitted" not in said.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--from", "2023-12-25"), "the data go on to the period that begins on"),
        (("--from", "next year"), "next year is not a date"),
        (("--from", "2025-12-29", "--periods", "1"), "more than 2 years after"),
        (("--periods", "0"), "A plan of 0 periods is not possible"),
        (("--as-fitted", "--periods", "5"), "have a start and a number already"),
        (("--as-fitted", "--over", "weeks"), "the data's own periods are over"),
        (("--over", "channels", "--geo-bounds", "0.5:2"), "Limits of geos are given"),
    ],
)
def test_horizons_that_cannot_be(say, fit, options, message):
    said = say("plan", fit, *options)
    assert said.code == 1
    assert message in said.err


def test_a_scenario_file_says_the_horizon(say, fit, tmp_path):
    path = tmp_path / "spring.toml"
    path.write_text('[horizon]\nstart = "2024-01-01"\nperiods = 52\n')
    plan = say("plan", fit, "--scenario", path, "--json").data
    assert plan["scenario"]["horizon"] == {"start": "2024-01-01", "periods": 52}
    path.write_text("[horizon]\nperiod = 5\n")
    said = say("plan", fit, "--scenario", path)
    assert said.code == 1 and "[horizon] has an unknown key period" in said.err


@pytest.mark.parametrize(
    ("cause", "code"), [(KeyboardInterrupt(), 130), (OSError(), 3)]
)
def test_a_plan_that_ctrl_c_stops_ends_as_interrupted(
    say, fit, monkeypatch, cause, code
):
    def stopped(*_, **__):
        raise SamplingError("The run was cancelled.") from cause

    for name in ("work_off", "await_end"):
        monkeypatch.setattr(horizons, name, stopped)
    said = say("plan", fit, "--periods", 7)
    assert said.code == code
    assert "Error: The run was cancelled." in said.err
