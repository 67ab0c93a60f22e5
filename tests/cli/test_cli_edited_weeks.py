"""`plan RUN --scenario plan.xlsx` where the workbook is that of a plan of weeks."""

import pytest

from core.plan.response.periods import Horizon
from core.service import plans as command
from tests.cli.edited_book import edit
from tests.plan.records import about, line, record

DAYS = ("2025-01-06", "2025-01-13", "2025-01-20")
ESTIMATE = about(5e6, 1e5, None)
GAIN = about(5e6, 1e5)
NAMES = ("TV", "Search", "Social", "Print")
WISH = {
    "objective": "cvar10",
    "weeks": {"value": [1.0, 1.1, 1.2], "change": "30 %"},
    "channel": {"TV": {"price": 1.05, "min": 5}},
    "mediator": {"Clicks": {"bought": 0.5}},
    "horizon": {"value": [1.1], "periods": 3},
}


@pytest.fixture
def requested(monkeypatch):
    """The tables that plans of weeks were asked for with."""
    tables = []

    def planned(run, table, watch=None):
        tables.append(table)
        channels = [
            line(
                name,
                90.0,
                60.0 + place,
                weeks=(10.0, 20.0, 30.0 + place),
                weeks_beyond_seen=(False,) * 3,
                booked=(False,) * 3,
            )
            for place, name in enumerate(NAMES)
        ]
        return record(
            *channels,
            over="weeks",
            horizon=Horizon(DAYS[0], DAYS[-1], 3, as_fitted=False),
            weeks=DAYS,
            gain=GAIN,
            gain_over_even=GAIN,
            gain_over_fixed=GAIN,
            inherited=ESTIMATE,
            terminal=ESTIMATE,
            run=str(run.folder),
            run_id=run.run_id,
            scenario=WISH,
        )

    monkeypatch.setattr(command, "week_plan", planned)
    return tables


@pytest.fixture
def book(say, fit, requested, tmp_path):
    """Writes the workbook of a plan of weeks with some cells changed."""

    def edited(changes=(), drop=()):
        path = tmp_path / "plan.xlsx"
        said = say("plan", fit, "--over", "weeks", "--out", path)
        assert said.code == 0, said.err
        requested.clear()
        return edit(path, dict(changes), drop)

    return edited


def test_edited_weeks_are_evaluated_as_they_are(say, fit, book, requested):
    said = say("plan", fit, "--scenario", book({"B5": 99.5, "C7": 0}), "--json")
    assert said.code == 0, said.err
    (table,) = requested
    assert table["spend"]["TV"] == [99.5, 20, 30]
    assert table["spend"]["Search"] == [10, 20, 0]
    ahead = {"start": "2025-01-06", "periods": 3, "value": [1.1]}
    assert table["horizon"] == ahead
    assert table["mediator"] == {"Clicks": {"bought": 0.5}}
    assert table["objective"] == "cvar10"
    assert table["weeks"] == {"value": [1.0, 1.1, 1.2]}
    assert table["channel"] == {"TV": {"price": 1.05}}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"B5": "much"},
            "sheet Plan, cell B5: the spend of TV in the week of 6 Jan 2025 is 'much'",
        ),
        (
            {"C6": None},
            "cell C6: the spend of Search in the week of 13 Jan 2025 is empty",
        ),
        (
            {"E7": -1},
            "cell E7: the spend of Print in the week of 20 Jan 2025 is negative",
        ),
        ({"B4": "Telly"}, "There is no channel Telly"),
        ({"B4": "Telly"}, "has no column for channel TV"),
        ({"A5": "13 Jan 2025"}, "13 Jan 2025 stands for the week of 6 Jan 2025"),
        ({"A7": None}, "has 2 weeks; the plan has 3"),
        ({"row 6": "hidden"}, "is hidden. Does it count?"),
    ],
)
def test_what_cannot_be_read_names_the_cell(say, fit, book, changes, words):
    said = say("plan", fit, "--scenario", book(changes), "--json")
    assert said.code == 1
    assert words in " ".join(said.err.split())


def test_without_the_hidden_sheet_the_weeks_are_not_known(say, fit, book):
    said = say("plan", fit, "--scenario", book(drop=["As planned"]), "--json")
    assert said.code == 1 and "has no sheet As planned" in said.err


def test_a_plan_of_weeks_is_none_of_channels(say, fit, book):
    said = say("plan", fit, "--over", "channels", "--scenario", book(), "--json")
    assert said.code == 1 and "Limits of weeks are given" in said.err
