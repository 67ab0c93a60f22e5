"""Scenario files: limits in money and percent, groups, steps, budgets to be found."""

import json

import numpy as np
import pytest
from synthetic import random_dataset

from core.errors import PlanError
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.plan.scenario.table import of_table, scenario_table, scenario_text

FULL = """
name = "Spring"
budget = 620_000
objective = "mean"
bounds = ["60 %", "150 %"]

[channel.TV]
min = "80 %"
max = 130_000
[channel.Search]
lock = true
[channel.Radio]
step = 5_000
[channel.Print]
min = 30_000
may_be_off = true

[group.Air]
channels = ["TV", "Radio"]
min = 100_000
max = "65 %"
"""


def read_toml(text, curves, **flags):
    return of_table(scenario_table(text) | flags, curves)


@pytest.fixture
def curves():
    stored = random_dataset(0, n_channels=4, n_draws=80)
    stored["spend"].values[:] = [100_000.0, 200_000.0, 250_000.0, 50_000.0]
    stored["channel"] = ["TV", "Search", "Radio", "Print"]
    stored.attrs.update(currency="EUR", outcome_unit="revenue")
    return response_curves(stored)


@pytest.mark.parametrize("amount", ['"450 k"', '"450 k EUR"', '"450,000 €"'])
def test_amounts_of_groups_and_channels_are_read_as_people_write_them(amount, curves):
    """And the plan that keeps to them can be written."""
    text = f'[group.Air]\nchannels = ["TV", "Radio"]\nmax = {amount}\n'
    text += f"[channel.Radio]\nmax = {amount}\nstep = {amount.replace('450', '10')}\n"
    asked = read_toml(text, curves)
    assert asked.groups[0].high == 450_000 and asked.channels[2].step == 10_000
    said = json.loads(json.dumps(as_dict(plan(curves, asked))))
    assert said["scenario"]["group"]["Air"]["max"] == 450_000


@pytest.mark.parametrize(
    "text",
    [
        'budget = "600 k USD"',
        '[channel.TV]\nmax = "120 k USD"',
        '[channel.day]\nmax = "120 k USD"',
        '[group.Air]\nchannels = ["TV", "Radio"]\nmax = "$120k"',
    ],
)
def test_limits_in_another_currency_are_refused(text, curves):
    with pytest.raises(PlanError, match="and the project is in EUR"):
        read_toml(text, curves)


def test_a_file_says_what_is_kept_to(curves):
    asked = read_toml(FULL, curves)
    made = plan(curves, asked)
    rows = {row.name: row for row in made.channels}
    planned = {name: row.planned for name, row in rows.items()}
    assert 80_000 <= planned["TV"] <= 130_000
    assert planned["Search"] == 200_000
    assert planned["Radio"] % 5000 == 0
    assert planned["Print"] == 0 or 30_000 <= planned["Print"] <= 75_000
    assert 100_000 <= planned["TV"] + planned["Radio"] <= 0.65 * 620_000 + 0.01
    assert round(100 * sum(planned.values())) == 62_000_000
    assert made.bound.gap < 1e-3
    again = read_toml(scenario_text(made.scenario, name="Copy", notes=""), curves)
    assert again == asked
    said = json.loads(json.dumps(as_dict(made), allow_nan=False))
    assert said["scenario"]["group"]["Air"]["max_share"] == 0.65


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("budget =", "not TOML"),
        ("budgets = 5", "Did you mean budget?"),
        ('budget = "many"', "not an amount"),
        ("[channel.TV]\nmax = 'much'", "not an amount"),
        ("[channel.TVV]\nmax = '10 %'", "Did you mean TV?"),
        ("[channel.TV]\nfloor = 1", "[channel.TV] has an unknown key floor"),
        ("[group.G]\nchannels = []", "is empty"),
        ("[group.G]\nchannels = ['TV']\nmin = 5e5\nmax = 1e5", "above its maximum"),
        ("[find]\nkind = 'luck'", "No budget can be found for 'luck'"),
        ("[find]\nkind = 'roi'", "not a number above 0"),
        ("[find]\nkind = 'profit'\nmargin = -1", "margin"),
        ("objective = 'p10'\n[find]\nkind = 'profit'", "expected outcome"),
        ("bounds = 3", "not a pair"),
        ("channel = 3", "must be a table, [channel], not 3"),
    ],
)
def test_what_is_not_understood_is_named(curves, text, words):
    with pytest.raises(PlanError) as told:
        read_toml(text, curves)
    assert words in str(told.value)


def test_limits_that_contradict_get_the_smallest_change(curves):
    text = """
budget = 600_000
bounds = ["20 %", "150 %"]
[group.Air]
channels = ["TV", "Radio"]
max = 150_000
"""
    with pytest.raises(PlanError) as told:
        read_toml(text, curves)
    # Beside Air, Search and Print take at most 375,000: 75,000 are left over.
    assert "raise the maximum of group Air from 150,000\u00a0€ to 225,000" in str(
        told.value
    )
    assert "lower the budget to 525,000" in str(told.value)
    read_toml(text.replace("150_000", "225_000"), curves)
    read_toml(text.replace("600_000", "525_000"), curves)


def test_locks_that_contradict_a_group_get_the_smallest_change(curves):
    text = """
budget = 600_000
bounds = ["20 %", "200 %"]
[channel.TV]
lock = 90_000
[channel.Radio]
lock = 100_000
[group.Air]
channels = ["TV", "Radio"]
max = 150_000
"""
    with pytest.raises(PlanError) as told:
        read_toml(text, curves)
    said = str(told.value)
    assert "of group Air from 150,000\u00a0€ to 190,000\u00a0€" in said
    assert "lock TV at 50,000\u00a0€" in said
    read_toml(text.replace("150_000", "190_000"), curves)
    read_toml(text.replace("90_000", "50_000"), curves)


def test_steps_that_miss_the_budget_are_told_the_nearest(curves):
    steps = "".join(
        f"[channel.{name}]\nstep = 10_000\n"
        for name in ("TV", "Search", "Radio", "Print")
    )
    with pytest.raises(PlanError) as told:
        read_toml(f"budget = 604_000\n{steps}", curves)
    assert "lower the budget to 600,000" in str(told.value)
    made = plan(curves, read_toml(f"budget = 600_000\n{steps}", curves))
    assert all(row.planned % 10_000 == 0 for row in made.channels)


def wide(curves, find, **more):
    text = f"bounds = [0.2, 2.5]\n[find]\n{find}"
    return plan(curves, read_toml(text, curves, **more))


def outcome(curves, budget):
    asked = scenario(curves, budget=budget, bounds=(0.2, 2.5))
    return plan(curves, asked).objective.planned


def test_largest_profit(curves):
    made = wide(curves, "kind = 'profit'\nmargin = 0.6")
    profit = 0.6 * made.objective.planned - made.budget
    low, high = 0.2 * 600_000, 2.5 * 600_000
    others = [0.6 * outcome(curves, b) - b for b in np.linspace(low + 1, high - 1, 40)]
    assert profit >= max(others) - 1e-4 * abs(profit)
    assert as_dict(made)["goal"]["profit"]["mean"] == pytest.approx(profit)


def test_target_marginal_roi(curves):
    made = wide(curves, "kind = 'mroi'\ntarget = 1.2")
    more, less = outcome(curves, made.budget + 500), outcome(curves, made.budget - 500)
    assert (more - less) / 1000 == pytest.approx(1.2, abs=0.02)


def test_target_roi_is_the_largest_such_budget(curves):
    made = wide(curves, "kind = 'roi'\ntarget = 4.5")
    assert made.objective.planned / made.budget == pytest.approx(4.5, rel=1e-4)
    beyond = made.budget * 1.01
    assert outcome(curves, beyond) / beyond < 4.5
    with pytest.raises(PlanError, match="Lower the target to"):
        wide(curves, "kind = 'roi'\ntarget = 200")


@pytest.mark.parametrize("objective", ["mean", "p20"])
def test_smallest_budget_for_a_goal(curves, objective):
    made = wide(curves, "kind = 'outcome'\ntarget = 1_500_000", objective=objective)
    reached = made.objective.planned
    assert reached >= 1_500_000 * (1 - 1e-3)
    less = scenario(
        curves, budget=0.99 * made.budget, bounds=(0.2, 2.5), objective=objective
    )
    assert plan(curves, less).bound.best_possible < 1_500_000 * 1.002
    with pytest.raises(PlanError, match="No budget within the limits brings"):
        wide(curves, "kind = 'outcome'\ntarget = 1e12", objective=objective)


def test_nothing_beyond_what_was_seen(curves):
    free = plan(curves, scenario(curves, budget=9e5, bounds=(0.1, 2.9)))
    assert any(row.beyond_seen for row in free.channels)
    asked = scenario(curves, budget=9e5, bounds=(0.1, 2.9), within_seen=True)
    kept = plan(curves, asked)
    assert not any(row.beyond_seen for row in kept.channels)
    with pytest.raises(PlanError, match="allows no more than"):
        own = {"TV": {"min": 250_000, "max": 260_000}}
        of_table({"channel": own, "within_seen": True}, curves)


@pytest.mark.parametrize("objective", ["cvar10", "p10", "reach:1.4e6"])
def test_cautious_objectives_with_every_kind_of_limit(curves, objective):
    made = plan(curves, read_toml(FULL, curves, objective=objective))
    assert made.bound.best_possible >= made.objective.planned
    planned = [row.planned for row in made.channels]
    assert round(100 * sum(planned)) == 62_000_000
    assert planned[2] % 5000 == 0
    assert planned[0] + planned[2] <= 0.65 * 620_000 + 0.01
    mean = plan(curves, read_toml(FULL, curves))
    draws = mean.draws_of("planned")
    value = {"cvar10": np.sort(draws)[:8].mean(), "p10": np.quantile(draws, 0.1)}
    of_mean = value.get(objective, (draws >= 1.4e6).mean())
    assert made.objective.planned >= of_mean - 1e-3 * abs(of_mean)


def test_amounts_may_be_written_as_people_do(curves):
    typed = 'budget = "600k"\nobjective = "reach:1.5M"\n[channel.TV]\nmax = "150,000"'
    plain = 'budget = 600_000\nobjective = "reach:1.5M"\n[channel.TV]\nmax = 150000'
    assert read_toml(typed, curves) == read_toml(plain, curves)


def test_an_amount_that_could_be_two_is_asked_about(curves):
    with pytest.raises(PlanError, match="Write the budget as 600000"):
        read_toml('budget = "600.000"', curves)


def test_everything_that_is_wrong_is_told_at_once(curves):
    text = """
budget = "many"
bounds = 3
supported = "yes"
[channel.TV]
max = "much"
lock = "tight"
[group.Air]
channels = "TV"
"""
    with pytest.raises(PlanError) as refused:
        read_toml(text, curves)
    said = [finding.message for finding in refused.value.findings]
    places = ("budget", "bounds", "supported", "max", "lock", "channels")
    assert len(said) == len(places)
    assert all(any(place in one for one in said) for place in places)


@pytest.mark.parametrize(
    ("ends", "message", "remedy"),
    [
        ("most = 100_000", "minimums add up to 120,000 €, 20,000 € more", "120,000"),
        ("least = 1\nmost = 100_000", "minimums add up to 120,000 €", "120,000"),
        ("least = 2_000_000", "maximums add up to 1,500,000 €", "1,500,000"),
        (
            "least = 2_000_000\nmost = 3_000_000",
            "maximums add up to 1,500,000 €, 500,000 € less",
            "1,500,000",
        ),
    ],
)
def test_budgets_that_no_limits_allow_are_refused(curves, ends, message, remedy):
    for kind in ("kind = 'profit'\nmargin = 0.6", "kind = 'roi'\ntarget = 4.5"):
        with pytest.raises(PlanError) as refused:
            wide(curves, f"{kind}\n{ends}")
        said = str(refused.value).replace("\u00a0", " ")
        assert message in said
        assert f"the budget to {remedy} €" in said


@pytest.mark.parametrize(
    ("margin", "share"), [('"40 %"', 0.4), ('"37,5 %"', 0.375), ("0.4", 0.4), ("3", 3)]
)
def test_a_margin_is_a_share_of_revenue_or_a_percentage(curves, margin, share):
    asked = read_toml(f'[find]\nkind = "profit"\nmargin = {margin}\n', curves)
    assert asked.find.margin == pytest.approx(share)


@pytest.mark.parametrize("margin", ["40", "35.5", '"400 %"'])
def test_a_percentage_without_its_sign_is_no_margin(curves, margin):
    with pytest.raises(PlanError, match="times the revenue itself") as caught:
        read_toml(f'[find]\nkind = "profit"\nmargin = {margin}\n', curves)
    assert "0.4 for 40 %" in caught.value.hint


@pytest.mark.parametrize(
    "text", ['budget = "80 %"', '[find]\nkind="roi"\ntarget="9 %"']
)
def test_a_percentage_of_nothing_is_named(curves, text):
    with pytest.raises(PlanError, match="a percentage of nothing that is known"):
        read_toml(text, curves)
