"""The same money over channels and geos: against all splits of a grid, and refusals."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.advice.rule import PROBABLE
from core.plan.geo_plan import as_planned, geo_plan
from core.plan.limits.program import total_range
from core.plan.limits.stated import StatedRow
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict, as_record
from core.plan.response.geos import geo_response
from core.plan.scenario.find import Find
from core.plan.scenario.geos import GeoRequest, geo_request
from core.plan.scenario.measure import measure_of
from core.plan.scenario.table import of_table
from core.text import probability
from core.view.advice import tested_first as advised_test
from tests.plan.geo_market import market, response, splits, stored

#: At most a part of what it had.
SOUTH = {"South": StatedRow(high="80 %")}


def request(given, **asked):
    table = {"bounds": [0.0, 3.0], "supported": False} | asked
    return of_table(table, market(given))


def cells(made) -> np.ndarray:
    return made.spend.planned


def keeps(given, made, x: np.ndarray) -> np.ndarray:
    """Whether splits keep to the limits of channels and geos; split cell."""
    return made.limits.domain.keeps(x, 1.0)


@pytest.mark.parametrize("s_shaped", [False, True])
@pytest.mark.parametrize(
    ("shape", "points", "geo"),
    [
        ((2, 2), 51, GeoRequest(bounds=(0.2, 2.5))),
        ((2, 2), 51, GeoRequest(bounds=(0.2, 2.5), totals=(0.9, 1.1))),
        (
            (1, 3),
            161,
            GeoRequest(bounds=(0.0, 3.0), geos=SOUTH),
        ),
        ((2, 3), 13, GeoRequest(bounds=(0.4, 2.2), totals=(0.8, 1.25))),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_split_of_a_fine_grid_is_better(shape, points, geo, s_shaped, seed):
    given = response(shape, seed=seed, s_shaped=s_shaped)
    asked = request(given, bounds=(0.6, 1.5))
    made = geo_plan(given, asked, geo)
    domain = made.limits.domain
    tried = splits(domain.low, domain.high, made.budget, points)
    tried = tried[keeps(given, made, tried)]
    best = float(given.curves.mean().outcome(tried)[0].sum(axis=1).max())
    assert len(tried) > 100
    assert made.objective.planned >= best * (1 - 1e-3)
    assert made.best_possible >= max(best, made.objective.planned)
    assert keeps(given, made, cells(made)[None]).all()


@pytest.mark.parametrize("budget", [None, 123_456.78])
@pytest.mark.parametrize(
    "geo", [GeoRequest(), GeoRequest(totals=(0.9, 1.2), scaled=True)]
)
def test_spends_the_budget_to_the_cent(budget, geo):
    given = response((3, 4), seed=4)
    total = float(given.curves.spend.sum())
    asked = request(given, bounds=(0.7, 1.3), budget=budget, scaled=True)
    made = geo_plan(given, asked, replace(geo, scaled=True))
    told = as_dict(made.record())
    cents = [round(100 * row["planned"], 4) for row in told["cells"]]
    assert all(amount == int(amount) for amount in cents)
    assert sum(cents) == round(100 * (budget or total))
    for over in ("channels", "geos"):
        spent = sum(row["planned"] for row in told[over])
        assert round(spent, 2) == round(made.budget, 2)
    for row in told["geos"]:
        assert row["low"] - 1e-6 <= row["planned"] <= row["high"] + 1e-6


def test_one_geo_is_the_plan_of_channels():
    given = response((4, 1), seed=5)
    asked = request(given, bounds=(0.6, 1.5))
    over_geos = geo_plan(given, asked, GeoRequest(bounds=(0.0, 5.0)))
    over_channels = plan(market(given), asked)
    planned = [row.planned for row in over_channels.channels]
    assert cells(over_geos) == pytest.approx(planned, abs=0.02)
    assert over_geos.objective.planned == pytest.approx(
        over_channels.objective.planned, rel=1e-9
    )
    moved = (over_geos.draws.planned - over_geos.draws.in_pattern).sum(axis=1)
    assert moved.mean() == pytest.approx(0, abs=1e-6 * over_geos.objective.planned)


@pytest.mark.parametrize(
    ("marks", "advice"),
    [
        ({}, "change"),
        ({"follows_demand": [0.1, 0.9], "lift_tests": [0, 0]}, "test"),
        ({"follows_demand": [0.1, 0.9], "lift_tests": [0, 1]}, "change"),
        ({"follows_demand": [0.9, 0.4], "lift_tests": [0, 0]}, "change"),
    ],
)
def test_no_money_goes_to_a_channel_that_follows_demand_untested(marks, advice):
    """Over geos as over channels: the first channel is cut, the second gets more."""
    curves = stored((2, 2), roi=np.array([[0.5, 0.5], [2.0, 2.0]]))
    curves = curves.assign_coords({k: ("channel", row) for k, row in marks.items()})
    plan = geo_plan(geo_response(curves), request(geo_response(curves))).record()
    assert [line.multiplier > 1 for line in plan.channels] == [False, True]
    assert (plan.advice, plan.on_split.advice) == (advice, advice)
    assert ("rests on Search" in plan.reasons[0]) == (advice == "test")
    assert advised_test(plan) == ("Search" if advice == "test" else "")


def test_keeping_the_pattern_is_the_plan_of_channels():
    given = response((3, 4), seed=6)
    asked = request(given, bounds=(0.7, 1.3))
    made = geo_plan(given, asked)
    over_channels = plan(market(given), asked)
    kept = made.draws.in_pattern.sum(axis=1)
    assert kept.mean() == pytest.approx(over_channels.objective.planned, rel=1e-6)
    told = as_dict(made.record())
    assert told["gain_over_channels"]["mean"] > 0
    assert told["gain"]["mean"] == pytest.approx(
        told["gain_over_channels"]["mean"]
        + told["outcome"]["channels"]["mean"]
        - told["outcome"]["current"]["mean"]
    )
    assert sum(row["gain"]["mean"] for row in told["geos"]) == pytest.approx(
        told["gain"]["mean"]
    )
    again = as_record(json.loads(json.dumps(told, allow_nan=False)))
    assert again == made.record()


def test_money_goes_where_it_pays_and_the_direction_is_firm():
    roi = np.array([[4.0, 1.0, 1.0], [4.0, 1.0, 1.0]])
    given = response((2, 3), seed=7, roi=roi, noise=0.1)
    told = as_dict(geo_plan(given, request(given, bounds=(0.9, 1.1))).record())
    north, south, _ = told["geos"]
    assert north["multiplier"] > 1.3 and south["multiplier"] < 0.9
    assert north["probability_up"] > 0.95 and south["probability_up"] < 0.3
    assert told["geo_advice"] == told["advice"] == "change"


def test_geos_that_cannot_be_told_apart_are_kept():
    given = response((2, 4), seed=8, roi=np.full((2, 4), 2.0), noise=0.0)
    flat = np.repeat(given.curves.value[:, ::4], 4, axis=1)  # one shape per channel
    slope = np.repeat(given.curves.slope[:, ::4], 4, axis=1)
    share = given.curves.spend / np.repeat(given.curves.spend[::4], 4)
    alike = replace(
        given.curves, value=flat * share[:, None], slope=slope * share[:, None]
    )
    given = replace(given, curves=alike)
    told = as_dict(geo_plan(given, request(given, bounds=(0.7, 1.3))).record())
    assert told["geo_advice"] == "keep"
    assert told["gain_over_channels"]["mean"] == pytest.approx(
        0, abs=1e-4 * told["outcome"]["current"]["mean"]
    )


def test_locked_geos_and_channels_keep_what_they_have():
    given = response((3, 4), seed=9)
    asked = request(given, bounds=[0.6, 1.5], channel={"TV": {"lock": True}})
    told = as_dict(
        geo_plan(given, asked, geo_request({"geo": {"West": {"lock": True}}})).record()
    )
    for row in told["cells"]:
        if row["channel"] == "TV" or row["geo"] == "West":
            assert row["planned"] == pytest.approx(row["current"], abs=0.011)
    assert [row["locked"] for row in told["geos"]] == [False, False, False, True]
    assert told["geos"][3]["probability_up"] == 0.5


def test_within_seen_holds_in_every_cell():
    given = response((2, 2), seed=10)
    asked = request(given, budget=1.5 * float(given.curves.spend.sum()))
    free = geo_plan(given, asked, GeoRequest(bounds=(0.0, 2.9)))
    assert any(row["beyond_seen"] for row in as_dict(free.record())["cells"])
    seen = replace(asked, within_seen=True)
    told = as_dict(geo_plan(given, seen, GeoRequest(bounds=(0.0, 2.9))).record())
    assert not any(row["beyond_seen"] for row in told["cells"])


def test_cvar_is_bounded_and_no_worse_than_the_mean_plan():
    given = response((2, 3), seed=11, noise=0.8)
    mean = geo_plan(given, request(given, bounds=(0.7, 1.3)))
    made = geo_plan(given, request(given, bounds=(0.7, 1.3), objective="cvar10"))
    worst = np.sort(mean.draws.planned.sum(axis=1))[:3].mean()
    assert made.objective.planned >= worst - 1e-3 * abs(worst)
    assert made.best_possible >= made.objective.planned
    assert made.record().bound.gap < 0.01


def test_a_goal_that_no_plan_reaches_leaves_no_gap():
    given = response((2, 3), seed=11, noise=0.8)
    made = geo_plan(given, request(given, bounds=(0.7, 1.3), objective="reach:1e15"))
    gap = made.record().bound.gap
    assert made.objective.planned == made.best_possible == gap == 0.0


def test_groups_hold_over_geos():
    given = response((3, 3), seed=12)
    group = {"Air": {"channels": ["TV", "Radio"], "max": "50 %"}}
    asked = request(given, bounds=(0, 3), group=group)
    with pytest.raises(PlanError, match="let group Air have"):
        geo_plan(given, asked)
    told = as_dict(geo_plan(given, asked, GeoRequest(bounds=(0.0, 3.0))).record())
    air = sum(row["planned"] for row in told["channels"] if row["name"] != "Search")
    assert air <= 0.5 * told["budget"] + 0.05


def test_what_channels_alone_decide_is_taken_over():
    given = response((3, 2), seed=13)
    curves = market(given)
    asked = of_table({"channel": {"TV": {"step": 5_000.0}}}, curves)
    with pytest.raises(PlanError, match="needs channels without steps or pauses"):
        geo_plan(given, asked)
    over_channels = plan(curves, asked)
    decided = as_planned(asked, plan(curves, replace(asked, supported=False)))
    assert decided.supported  # geos move as asked, whatever split of channels they take
    made = geo_plan(
        given, as_planned(asked, over_channels), GeoRequest(bounds=(0.0, 4.0))
    )
    assert made.budget == over_channels.budget
    told = as_dict(made.record())["channels"][0]
    assert told["planned"] == pytest.approx(over_channels.channels[0].planned)


def test_a_budget_to_be_found_is_not_settled_by_channels():
    given = response((3, 2), seed=13)
    curves = market(given)
    find = {"kind": "roi", "target": 2.4}
    steps = {"channel": {"TV": {"step": 5_000.0}}}
    asked = of_table({"bounds": [0.0, 3.0], "find": find} | steps, curves)
    over_channels = plan(curves, replace(asked, supported=False))
    decided = replace(as_planned(asked, over_channels), supported=False)
    made = geo_plan(given, decided, GeoRequest(bounds=(0.0, 3.0)), original=asked)
    told = as_dict(made.record(asked))
    planned = told["channels"][0]["planned"]
    assert planned == pytest.approx(over_channels.channels[0].planned)
    assert made.budget > over_channels.budget
    assert made.objective.planned / made.budget == pytest.approx(2.4, rel=1e-6)
    assert told["scenario"]["find"] == {"kind": "roi", "target": 2.4, "margin": 1.0}


def found(kind: str, target: float) -> dict:
    """`[find]`, with a margin for the largest profit."""
    return {"kind": kind, "target": target} | (
        {"margin": 0.8} if kind == "profit" else {}
    )


FOUND = {
    "roi": lambda money, brought, target: np.where(brought >= target * money, money, 0),
    "outcome": lambda money, brought, target: np.where(brought >= target, -money, -9e9),
    "mroi": lambda money, brought, target: brought - target * money,
    "profit": lambda money, brought, _: 0.8 * brought - money,
}


@pytest.mark.parametrize("kind", FOUND)
@pytest.mark.parametrize("s_shaped", [False, True])
@pytest.mark.parametrize(
    ("shape", "points", "geo"),
    [
        ((2, 2), 21, GeoRequest(bounds=(0.2, 2.5), totals=(0.6, 1.3))),
        (
            (1, 3),
            41,
            GeoRequest(bounds=(0.0, 3.0), geos=SOUTH),
        ),
    ],
)
def test_no_split_of_any_budget_does_more_of_what_was_asked(
    shape, points, geo, s_shaped, kind
):
    given = response(shape, seed=3, s_shaped=s_shaped)
    mean, now = given.curves.mean(), given.curves.spend
    most = float(mean.outcome(now).sum())
    target = {"roi": 0.9 * most / now.sum(), "outcome": 0.9 * most}.get(kind, 1.2)
    asked = request(given, bounds=(0.4, 2.0), find=found(kind, target))
    made = geo_plan(given, asked, geo)
    brought = made.objective.planned
    if kind == "roi" and made.budget < 0.999 * total_range(made.limits.domain)[1]:
        assert brought / made.budget == pytest.approx(target, rel=1e-5)
    if kind == "outcome":
        assert brought == pytest.approx(target, rel=1e-5)

    domain = made.limits.domain
    axes = [
        np.linspace(*ends, points) for ends in zip(domain.low, domain.high, strict=True)
    ]
    tried = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(now))
    free = domain.with_budget(0.0, np.inf)
    inside = free.keeps(tried, 1.0)
    money = tried.sum(axis=1)[inside]
    outcome = mean.outcome(tried)[0].sum(axis=1)[inside]
    best = float(FOUND[kind](money, outcome, target).max())
    own = FOUND[kind](made.budget, brought * (1 + 1e-6), target)
    assert len(money) > 1000
    assert own >= best - 1e-3 * abs(best)
    assert free.keeps(cells(made)[None], 1.0).all()


def test_the_pattern_over_geos_has_a_budget_of_its_own():
    """The ROI asked for is that of the split that is planned, moved or kept."""
    given = response((2, 2), seed=1)
    asked = request(given, find=found("roi", 1.45), supported=True)
    kept = geo_plan(given, asked, GeoRequest(bounds=(0.3, 2.5)))
    assert kept.geo_advice.advice == "keep"
    assert kept.objective.planned / kept.budget == pytest.approx(1.45, rel=1e-6)
    assert cells(kept) == pytest.approx(given.in_pattern(cells(kept)), abs=0.05)
    moved = geo_plan(
        given, replace(asked, supported=False), GeoRequest(bounds=(0.3, 2.5))
    )
    assert moved.objective.planned / moved.budget == pytest.approx(1.45, rel=1e-6)
    assert moved.budget > kept.budget


def test_what_only_moved_money_reaches_is_planned_by_moving_it():
    given = response((2, 2), seed=1)
    asked = request(given, bounds=(1.0, 1.0), find=found("roi", 0.0001), supported=True)
    most = geo_plan(
        given, replace(asked, supported=False), GeoRequest(bounds=(0.3, 2.5))
    )
    ends = most.objective.planned, float(most.draws.in_pattern.sum(axis=1).mean())
    target = sum(ends) / 2 / most.budget
    made = geo_plan(
        given, replace(asked, find=Find("roi", target)), GeoRequest(bounds=(0.3, 2.5))
    )
    assert made.objective.planned / made.budget >= target * (1 - 1e-9)


def test_a_target_that_no_split_reaches_is_refused_with_the_nearest():
    given = response((2, 2), seed=1)
    with pytest.raises(PlanError, match="No budget within the limits has an ROI of 50"):
        geo_plan(
            given,
            request(given, find=found("roi", 50.0)),
            GeoRequest(bounds=(0.3, 2.5)),
        )


def test_cells_without_spend_are_left_out():
    data = stored((2, 3), seed=14)
    spend = data["spend"].values.copy()
    spend[1, 2] = spend[0, 0] = spend[1, 0] = 0.0
    data = data.assign_coords(spend=(("channel", "geo"), spend))
    given = geo_response(data)
    assert given.geos == ("South", "East")
    made = geo_plan(given, request(given, bounds=(0.5, 1.5)))
    assert len(as_dict(made.record())["cells"]) == 3
    assert given.table(cells(made))[1, 1] == 0.0
    assert given.curves.idle == ()  # each channel spends somewhere


def test_a_channel_without_spend_anywhere_is_named():
    data = stored((2, 3), seed=14)
    spend = data["spend"].values.copy()
    spend[1] = 0.0
    given = geo_response(data.assign_coords(spend=(("channel", "geo"), spend)))
    made = geo_plan(given, request(given, bounds=(0.5, 1.5)))
    assert made.record().idle == ("Search",)


@pytest.mark.parametrize(
    ("geo", "words"),
    [
        ({"geo": {"Nort": {"lock": True}}}, ("There is no geo Nort", "mean North")),
        ({"geo": {"North": {"min": -5}}}, ("min of geo North", "above 0")),
        ({"geo": {"North": {"lock": 3}}}, ("lock in [geos.geo.North]", "min and max")),
        (
            {"geo": {"North": {"min": "90 %", "max": "80 %"}}},
            ("minimum of geo North is above", "Lower the minimum"),
        ),
        ({"bounds": ["200 %", "50 %"]}, ("not a range", "smaller one first")),
        ({"bound": ["50 %", "200 %"]}, ("unknown key bound", "mean bounds")),
        (
            {"totals": ["110 %", "150 %"]},
            ("limits ask for", "minimum of geo"),
        ),
        ({"totals": ["50 %", "90 %"]}, ("leave room for", "raise the maximum of geo")),
        (
            {"bounds": ["110 %", "150 %"]},
            ("add up to", "down to 100 % in each geo"),
        ),
    ],
)
def test_what_cannot_be_met_is_refused(geo, words):
    given = response((2, 2), seed=15)
    with pytest.raises(PlanError) as refused:
        geo_plan(given, request(given, bounds=(0.5, 1.5)), geo_request(geo))
    said = f"{refused.value.message} {refused.value.hint}"
    assert all(word in said for word in words), said


def test_the_smallest_change_works():
    given = response((2, 3), seed=16)
    asked = request(given, bounds=(0.5, 1.5))
    most = {name: {"max": "90 %"} for name in given.geos}
    with pytest.raises(PlanError) as refused:
        geo_plan(given, asked, geo_request({"geo": most}))
    hint = refused.value.hint
    assert "lower the budget to" in hint
    budget = float(hint.split("budget to ")[1].split("\u00a0€")[0].replace(",", ""))
    geo_plan(given, replace(asked, budget=budget), geo_request({"geo": most}))
    with pytest.raises(PlanError):
        geo_plan(given, replace(asked, budget=budget + 1), geo_request({"geo": most}))


@pytest.mark.parametrize("s_shaped", [False, True])
@pytest.mark.parametrize("objective", ["p10", "p40", "cvar10", "reach"])
@pytest.mark.parametrize("totals", [None, (0.9, 1.1)])
def test_cautious_plans_against_a_fine_grid(objective, s_shaped, totals):
    given = response((2, 2), seed=3, s_shaped=s_shaped, n_draws=60)
    middle = np.median(given.curves.outcome(given.curves.spend).sum(axis=1))
    if objective == "reach":
        objective = f"reach:{1.05 * middle:.0f}"
    measure = measure_of(objective)
    asked = request(given, bounds=(0.6, 1.5), objective=objective)
    made = geo_plan(given, asked, GeoRequest(bounds=(0.3, 2.5), totals=totals))
    domain = made.limits.domain
    tried = splits(domain.low, domain.high, made.budget, 41)
    tried = tried[keeps(given, made, tried)]
    found = measure.of(given.curves.outcome(tried).sum(axis=2))
    assert len(tried) > 500
    assert made.best_possible >= found.max() - 1e-9 * abs(found.max())
    least = found.max() - 2 / 60 if measure.kind == "reach" else 0.995 * found.max()
    assert made.objective.planned >= least
    assert made.objective.planned >= made.objective.current
    assert keeps(given, made, cells(made)[None]).all()


def test_a_cautious_plan_gives_up_mean_for_what_it_makes_large():
    given = response((3, 3), seed=5, n_draws=80, noise=0.8)
    asked = {"bounds": (0.5, 1.6)}
    mean = geo_plan(given, request(given, **asked))
    told = {}
    for objective in ("p10", "cvar10"):
        made = geo_plan(given, request(given, objective=objective, **asked))
        outcome = made.draws.planned.sum(axis=1)
        usual = mean.draws.planned.sum(axis=1)
        measure = measure_of(objective)
        assert measure.of(outcome) > measure.of(usual)
        assert outcome.mean() < usual.mean()
        told[objective] = as_dict(made.record())
    assert "quantile" in told["p10"]["bound"]["method"]
    assert told["p10"]["geo_advice"] in ("change", "keep")


def test_the_request_as_a_table_is_the_request():
    table = {
        "bounds": ["50 %", "150 %"],
        "totals": ["80 %", "120 %"],
        "geo": {"North": {"max": 5e5}, "South": {"lock": True}},
    }
    assert geo_request(table).as_table() == table


def test_small_gains_between_geos_are_no_reason_to_move():
    given = response((2, 3), seed=3, roi=np.full((2, 3), 2.0), noise=0.002)
    told = geo_plan(given, request(given, bounds=(0.999, 1.001)))
    told = as_dict(told.record())
    assert told["gain_over_channels"]["probability_positive"] > 0.8
    gained = told["gain_over_channels"]["mean"] / told["outcome"]["channels"]["mean"]
    assert 0 < gained < 0.02
    assert told["geo_advice"] == "keep"
    assert "less than 2\u00a0%" in told["geo_reasons"][0]


def test_break_even_is_the_budget_of_highest_profit_in_the_plans_pattern():
    given = response((2, 3), seed=1)
    scale = (
        1.2
        * given.curves.spend.sum()
        / given.curves.outcome(given.curves.spend).sum(axis=1).mean()
    )
    curves = replace(
        given.curves,
        outcome_unit="revenue",
        value=scale * given.curves.value,
        slope=scale * given.curves.slope,
    )
    given = replace(given, curves=curves)
    asked = request(given, bounds=(0.2, 2.0))
    made = geo_plan(given, asked, GeoRequest(bounds=(0.2, 3.0)))
    known = made.record().break_even
    inside = given.in_channel
    totals = inside @ cells(made)
    low, high = asked.ranges(given.channels)
    mean = curves.mean()
    best = []
    for place, own in enumerate(inside):
        pattern = cells(made) * own / totals[place]
        room = (made.limits.domain.high[own > 0] / pattern[own > 0]).min()
        at = np.linspace(low[place], min(high[place], room), 400)
        profit = mean.outcome(at[:, None] * pattern)[0].sum(axis=1) - at
        # A cell without spend in the pattern brings the same at any of them.
        best.append(at[profit.argmax()])
    assert known.budget == pytest.approx(sum(best), rel=0.01)
    assert low.sum() < known.budget < high.sum()
    assert known.lo <= known.budget <= known.hi
    tied = geo_plan(given, asked, GeoRequest(bounds=(0.2, 3.0), totals=(0.8, 1.2)))
    assert tied.record().break_even is None


@pytest.mark.parametrize("times", [0.8, 0.9, 1.1, 1.25])
def test_the_advice_on_a_budget_is_of_the_budget_alone(times):
    """Beside the same cells at last year's budget: what the split gains is not its."""
    given = response((2, 3), n_draws=60)
    curves, total = given.curves, float(given.curves.spend.sum())
    asked = request(given, budget=times * total, bounds=(0.2, 2.5), scaled=True)
    made = geo_plan(given, asked, GeoRequest(bounds=(0.2, 2.5)))
    plan, spent = made.record(), cells(made)
    assert plan.on_split.advice == "change"
    brings = [curves.outcome(each).sum(axis=1) for each in (spent / times, spent)]
    pays = (brings[1] - brings[0] > (times - 1) * total).mean()
    grows = plan.against_today.profit.gain.probability_positive
    advice = "change" if min(pays, grows) >= PROBABLE else "keep"
    assert plan.on_budget.advice == advice
    odds = pays if grows >= PROBABLE else grows
    assert probability(odds) in plan.on_budget.reasons[0]
