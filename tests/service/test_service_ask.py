"""What a plan is asked for, in the words of a scenario file."""

import argparse

import pytest

from core.cli.plans import options as plan_options
from core.errors import PlanError
from core.mcp.arguments import Plan, schema
from core.plan.limits.stated import FIELDS, FLAGS, LABELS, StatedRow, stated
from core.plan.scenario.geos import geo_request
from core.plan.scenario.horizon import HorizonRequest
from core.plan.scenario.workbook.sheet import LEAST, LOCKED, MOST
from core.service.ask import Bound, PlanAsk, share


def test_every_limit_has_its_words():
    ask = PlanAsk(
        over="geos",
        horizon=HorizonRequest(periods=13),
        budget=5e6,
        bounds=(0.5, 2.0),
        geo_totals=(0.9, 1.1),
        limits=[
            Bound("TV", low=share(0.8), high=2e6, may_be_off=True, step=500.0),
            Bound("TV", locked=True),
            Bound(["TV", "Radio"], high="60 %", name="Screens"),
            Bound(geo="North", low=100.0),
            Bound(geo="South", locked=True),
        ],
        scenario={"budget": 1.0, "geos": {"bounds": [0.1, 9]}, "name": "Spring"},
    )
    assert ask.stated() == {
        "name": "Spring",
        "budget": 5e6,
        "bounds": [0.5, 2.0],
        "horizon": {"periods": 13},
        "channel": {
            "TV": {
                "min": "80 %",
                "max": 2e6,
                "may_be_off": True,
                "step": 500.0,
                "lock": True,
            }
        },
        "group": {"Screens": {"channels": ["TV", "Radio"], "max_share": 0.6}},
        "geos": {
            "bounds": [0.1, 9],
            "totals": [0.9, 1.1],
            "geo": {"North": {"min": 100.0}, "South": {"lock": True}},
        },
    }
    assert ask.scenario["geos"] == {"bounds": [0.1, 9]}


def test_limits_of_weeks():
    limits = [
        Bound("TV", week="2025-01-06", low=50.0, high=50.0),
        Bound("TV", low=100.0, change="20 %"),
        Bound(week="2025-01-13", high=900.0),
        Bound(change="30 %"),
        Bound("Radio", week_low=20.0, week_high=90.0, step=5.0, may_be_off=False),
        Bound("Social", start="2025-03-03", end="2025-09-01"),
    ]
    ask = PlanAsk(limits=limits, find={"kind": "profit", "margin": 0.4})
    assert ask.kind() == "weeks"
    assert ask.stated() == {
        "find": {"kind": "profit", "margin": 0.4},
        "channel": {
            "TV": {"weeks": {"2025-01-06": 50.0}, "min": 100.0, "change": "20 %"},
            "Radio": {
                "week_min": 20.0,
                "week_max": 90.0,
                "step": 5.0,
                "may_be_off": False,
            },
            "Social": {"from": "2025-03-03", "until": "2025-09-01"},
        },
        "weeks": {"most": {"2025-01-13": 900.0}, "change": "30 %"},
    }


@pytest.mark.parametrize(
    ("over", "spend", "stated"),
    [
        ("weeks", {"TV": [1.0, 2.0]}, {"spend": {"TV": [1.0, 2.0]}}),
        (
            "geos",
            {"North": {"TV": 3.0}},
            {"geos": {"spend": {"North": {"TV": 3.0}}}},
        ),
        (
            "channels",
            {"TV": 3.0, "Radio": 1.0},
            {
                "budget": 4.0,
                "channel": {"TV": {"lock": 3.0}, "Radio": {"lock": 1.0}},
                "supported": False,
            },
        ),
    ],
)
def test_spend_is_evaluated_whatever_limits_say(over, spend, stated):
    ask = PlanAsk(over=over, spend=spend, bounds=(0.9, 1.1), objective="mean")
    assert ask.stated() == stated | {"objective": "mean"}


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (PlanAsk(over="weeks", limits=[Bound(geo="North")]), "Limits of geos"),
        (PlanAsk(over="geos", scenario={"weeks": {}}), "Limits of weeks"),
        (PlanAsk(over="geos", limits=[Bound("TV", week_low=1.0)]), "Limits of weeks"),
        (PlanAsk(limits=[Bound("TV", geo="North", low=1.0)]), "TV in North"),
        (
            PlanAsk(limits=[Bound("TV", name="A", low=1.0), Bound("Radio", name="A")]),
            "Group A is defined twice",
        ),
        (
            PlanAsk(limits=[Bound(("TV", "Radio"), name="A", low=x) for x in (1, 2)]),
            "Group A is defined twice",
        ),
        (PlanAsk(horizon=HorizonRequest(3, None, True)), "have a start and a number"),
        (PlanAsk(limits=[Bound(geo="North", step=5.0)]), "limit of North says step"),
        (PlanAsk(limits=[Bound(["TV", "Radio"], price=2.0)]), "TV, Radio says price"),
        (PlanAsk(limits=[Bound("TV", name="A", locked=True)]), "TV says locked"),
        (
            PlanAsk(limits=[Bound(week="2025-01-06", high=9.0, locked=True)]),
            "limit of 2025-01-06 says locked",
        ),
        (PlanAsk(limits=[Bound(change="5 %", gamma=0.2)]), "every channel says gamma"),
        (PlanAsk(limits=[Bound(low=5.0)]), "names nothing that it limits"),
    ],
)
def test_what_no_plan_has_is_refused(ask, words):
    with pytest.raises(PlanError, match=words):
        ask.stated()


@pytest.mark.parametrize(
    "scenario",
    [
        {"channel": {"TV": {"from": "2025-03-03"}}},
        {"channel": {"TV": {"until": "2025-03-03"}}},
        {"channel": {"TV": {"dark": ["2025-03-03"]}}},
        {"weeks": {"budget": {"2025-03": 300_000}}},
        {"discount": "8 %"},
    ],
)
def test_a_file_with_limits_of_weeks_plans_weeks(scenario):
    assert PlanAsk(scenario=scenario).kind() == "weeks"
    with pytest.raises(PlanError, match="Limits of weeks"):
        PlanAsk(over="channels", scenario=scenario).kind()
    assert PlanAsk(scenario={"channel": {"TV": {"min": 5.0}}}).kind() == "channels"


def test_a_geo_is_locked_at_what_it_has_only():
    ask = PlanAsk(limits=[Bound(geo="North", locked=5000.0)])
    with pytest.raises(PlanError, match="neither true nor false"):
        geo_request(ask.stated()["geos"])


def test_a_lock_at_nothing_and_a_channel_that_may_not_pause_are_limits():
    limits = [Bound("TV", locked=0.0, price=(1.0, 1.2)), Bound("Out", may_be_off=False)]
    assert PlanAsk(over="channels", limits=limits).stated()["channel"] == {
        "TV": {"lock": 0.0, "price": [1.0, 1.2]},
        "Out": {"may_be_off": False},
    }


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in LABELS])
def test_every_field_of_a_limit_is_read_from_a_scenario(name):
    written, key = object(), FIELDS[name].key
    row = stated({"channel": {"TV": {key: written}}}).channel["TV"]
    assert getattr(row, name) is written
    assert StatedRow() == stated({"channel": {"TV": {}}}).channel["TV"]


def test_every_face_has_the_words_of_the_declared_limits():
    limit = schema(Plan)["$defs"]["Bound"]["properties"]
    assert {name: of.get("description", "") for name, of in limit.items()} == {
        name: field.about for name, field in FIELDS.items()
    }
    command = argparse.ArgumentParser()
    plan_options.add_limits(command)
    plan_options.add_buying(command)
    for field in FLAGS:
        assert command._option_string_actions[f"--{field.flag}"].help == field.about
    assert (LEAST, MOST, LOCKED) == tuple(
        FIELDS[name].label for name in ("low", "high", "locked")
    )
