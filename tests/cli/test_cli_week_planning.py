"""python -m core plan --over weeks: its answer, files, and what it refuses."""

import json
import re

import openpyxl
import pytest
from msgspec.structs import replace

from core.cli.plans.planning import plan_text
from core.errors import PlanError
from core.experiments.kept import as_kept
from core.plan.advice.parts import Turn
from core.plan.record.plan_record import with_details
from core.plan.response.periods import Horizon
from core.project.lift_tests.lift_tests import keep_lift_test
from core.service import plans as command
from tests.plan.records import about, line, record
from tests.plan.teaching_record import teaching
from tests.saved_plans import plans_over

N = 3
ESTIMATE = about(5e6, 1e5, None)
GAIN = about(5e6, 1e5)


@pytest.fixture
def requested(monkeypatch):
    """What was asked for; the work itself is tested in tests/plan."""
    asked = []

    def made(run, table, watch=None):
        asked.append(table)
        weeks = [f"2025-01-{6 + 7 * place:02d}" for place in range(N)]
        tv = line(
            "TV",
            330.0,
            300.0,
            beyond_seen=True,
            weeks=(100.0, 110.0, 120.0),
            weeks_beyond_seen=(False, False, True),
            booked=(False,) * N,
        )
        return record(
            tv,
            over="weeks",
            horizon=Horizon(weeks[0], weeks[-1], N, as_fitted=False),
            weeks=tuple(weeks),
            robustness=(Turn("TV", 0.4),),
            gain=GAIN,
            gain_over_even=GAIN,
            gain_over_fixed=GAIN,
            inherited=ESTIMATE,
            terminal=ESTIMATE,
            run=str(run.folder),
            run_id=run.run_id,
            scenario=dict(table),
            teaching=teaching() if "teach" in table else None,
        )

    monkeypatch.setattr(command, "week_plan", made)
    return asked


def test_says_what_it_found(say, fit, requested):
    options = ("--over", "weeks", "--periods", "3", "--bounds", "0.5:1.5")
    said = say("plan", fit, *options, "--within-seen")
    assert said.code == 0
    assert "At most 0.2 % below the best" in said.out.replace("\u00a0", " ")
    assert re.search(r"20 Jan 2025 +× 120 +120", said.out)  # as reports have it
    assert "holds even if 40 % of what TV" in said.out.replace("\u00a0", " ")
    asked = {"bounds": [0.5, 1.5], "within_seen": True, "horizon": {"periods": 3}}
    assert requested == [asked]


def test_a_channel_without_history_is_marked():
    new = line(
        "Podcast",
        300.0,
        0.0,
        multiplier=None,
        weeks=(100.0, 100.0, 100.0),
        weeks_beyond_seen=(False,) * N,
        is_belief=True,
    )
    weeks = ("2025-01-06", "2025-01-13", "2025-01-20")
    more = {"gain_over_even": GAIN, "gain_over_fixed": GAIN}
    more |= {"inherited": ESTIMATE, "terminal": ESTIMATE}
    said = plan_text(record(new, over="weeks", weeks=weeks, gain=GAIN, **more))
    (row,) = (row for row in said.splitlines() if row.startswith("Podcast"))
    assert row.split()[1:4] == ["0", "300", "new"]


def test_json_and_csv(say, fit, requested, tmp_path):
    out = tmp_path / "weeks.csv"
    said = say("plan", fit, "--over", "weeks", "--json", "--out", out)
    assert said.data["bound"]["gap"] == 0.002
    assert out.read_text("utf-8-sig").splitlines()[:2] == [
        "week,TV",
        "2025-01-06,100.00",
    ]
    assert json.loads(said.out)["weeks"][0] == "2025-01-06"


def test_names_in_files_run_nothing(say, fit, requested, monkeypatch, tmp_path):
    made = command.week_plan

    def hostile(run, table, watch=None):
        plan = made(run, table)
        tv = replace(plan.channels[0], name="=1+1")
        return with_details(plan, channels=(tv,))

    monkeypatch.setattr(command, "week_plan", hostile)
    csv, book = tmp_path / "weeks.csv", tmp_path / "weeks.xlsx"
    for path in (csv, book):
        assert say("plan", fit, "--over", "weeks", "--out", path).code == 0
    assert csv.read_text("utf-8-sig").splitlines()[0] == "week,'=1+1"
    sheet = openpyxl.load_workbook(book)["Plan"]
    assert (sheet["B4"].value, sheet["B4"].data_type) == ("=1+1", "s")
    assert sheet["C5"].value == "=SUM(B5:B5)"


def test_a_plan_is_kept(say, fit, requested, tmp_path):
    path = tmp_path / "spring.toml"
    path.write_text("[horizon]\nperiods = 4\n[weeks]\nchange = '30 %'\n")
    options = ("--scenario", path, "--periods", "3", "--budget", "5")
    said = say("plan", fit, "--over", "weeks", *options, "--save", "Spring", "--json")
    assert said.code == 0
    (kept,) = plans_over(fit.parents[1], "weeks")
    assert kept.plan_id == said.data["plan_id"]
    assert (kept.name, kept.run_id) == ("Spring", fit.name)
    request = {"horizon": {"periods": 3}, "weeks": {"change": "30 %"}}
    assert kept.scenario == {"budget": 5.0, **request}
    assert say("actuals", kept.plan_id, path).code == 1


def test_a_scenario_file(say, fit, requested, tmp_path):
    path = tmp_path / "spring.toml"
    path.write_text("budget = 5\n[horizon]\nperiods = 4\n[weeks]\nmost = 9\n")
    assert say("plan", fit, "--over", "weeks", "--scenario", path).code == 0
    request = {"horizon": {"periods": 4}, "weeks": {"most": 9}}
    assert requested == [{"budget": 5, **request}]
    path.write_text("budget =")
    assert say("plan", fit, "--over", "weeks", "--scenario", path).code == 1
    assert (
        say("plan", fit, "--over", "weeks", "--scenario", tmp_path / "none.toml").code
        == 1
    )


def test_what_is_refused(say, fit, monkeypatch):
    def refuse(*_, **__):
        raise PlanError("The budget is -1 EUR.", hint="Give one above 0.")

    monkeypatch.setattr(command, "week_plan", refuse)
    said = say("plan", fit, "--over", "weeks")
    assert said.code == 1
    assert "The budget is -1 EUR" in said.err
    assert say("plan", fit, "--over", "weeks", "--out", "weeks.txt").code == 1


def test_planned_tests_are_kept_to_unless_told_otherwise(say, project, fit, requested):
    about = {"name": "TV off", "channels": ["TV"], "geos": [], "kind": "dark"}
    dates = {"multiple": 0.0, "start": "2024-02-05", "end": "2024-02-18"}
    keep_lift_test(project, as_kept(about | dates))
    said = say("plan", fit, "--over", "weeks")
    assert said.code == 0, said.err
    (reserved,) = requested[-1]["weeks"]["reserved"]
    weeks = {"2024-02-05": 0.0, "2024-02-12": 0.0}
    assert reserved == {"test": "TV off", "channel": "TV", "weeks": weeks}
    assert "planned test TV off" in said.out
    assert say("plan", fit, "--over", "weeks", "--without-tests").code == 0
    assert "weeks" not in requested[-1]


def test_a_budget_in_another_currency_is_refused(say, fit, requested):
    for over in ("channels", "weeks"):
        said = say("plan", fit, "--over", over, "--budget", "1.5M USD")
        assert said.code == 1
        assert "USD" in said.err


def test_asks_for_outcome_and_knowledge(say, fit, requested):
    flags = ("--over", "weeks", "--teach", "--teach-cost", "1%", "--teach-later", "3")
    assert say("plan", fit, *flags).code == 0
    assert requested[-1]["teach"] == {"cost": "1%", "later": 3}
    said = say("plan", fit, *flags).out
    assert "Learning costs" in said
    assert "separates carryover from level" in said
    data = say("plan", fit, *flags, "--json").data
    assert data["teaching"]["changes"][0]["kind"] == "dark"
    assert say("plan", fit, *flags, "--teach-spread", "20%").code == 0
    assert requested[-1]["teach"] == {"cost": "1%", "later": 3, "spread": "20%"}
    assert say("plan", fit, "--teach").code == 0  # weeks are what varies
    assert requested[-1]["teach"] is True


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--over", "weeks", "--teach-later", "3"), "needs --teach"),
        (("--over", "weeks", "--teach-spread", "20%"), "needs --teach"),
        (("--over", "geos", "--teach"), "A plan over geos cannot teach"),
    ],
)
def test_refuses_knowledge_of_other_plans(say, fit, requested, flags, said):
    answer = say("plan", fit, *flags)
    assert answer.code == 1
    assert said in answer.err
