"""The advice on plans: what it withstands, the part that is supported, test first."""

from dataclasses import replace

import numpy as np
import pytest
from synthetic import curves_dataset, random_dataset

from core.plan.advice.information import worth_of_knowing
from core.plan.advice.parts import Turn
from core.plan.advice.robustness import turning_shares, turns
from core.plan.advice.rule import (
    PROBABLE,
    SURVIVED,
    Advice,
    Budgeted,
    Profit,
    advise,
    is_supported,
    settled,
)
from core.plan.advice.supported import SupportedPart
from core.plan.plan import plan
from core.plan.record.plan_record import as_dict
from core.plan.response.curves import response_curves
from core.plan.scenario.measure import measure_of
from core.plan.scenario.scenario import scenario
from core.plan.scenario.table import of_table
from core.text import probability
from core.text.languages.language import spoken_in
from tests.plan.records import about as estimated

MEAN = measure_of("mean")


def market(
    seed=0, *, spread=0.3, top=2.0, roi=None, n_channels=4, n_draws=400, **marks
):
    """Channels of different return, each uncertain on its own."""
    rng = np.random.default_rng(seed)
    spend = np.full(n_channels, 1e6)
    roi = np.linspace(0.8, top, n_channels) if roi is None else np.array(roi)
    size = (n_draws, n_channels)
    beta = 2 * spend * roi * np.exp(spread * rng.standard_normal(size))
    names = ("TV", "Video", "Search", "Social")[:n_channels]
    stored = curves_dataset(beta, np.ones(size), np.ones(size), spend, names=names)
    stored.attrs.update(currency="EUR", outcome_unit="revenue")
    return replace(response_curves(stored), **marks)


def channels(made):
    return {channel.name: channel for channel in made.channels}


@pytest.mark.parametrize("objective", ["mean", "p10", "cvar10"])
def test_the_turning_share_is_where_the_rule_turns(objective):
    curves = market(spread=0.6)
    made = plan(curves, replace(scenario(curves, objective=objective), supported=False))
    measure = measure_of(objective)
    planned = np.array([channel.planned for channel in made.channels])
    before, after = curves.outcome(curves.spend), curves.outcome(planned)

    def stands(name, share):
        left = np.ones(len(curves.names))
        left[curves.names.index(name)] -= share
        old, new = before @ left, after @ left
        growth = measure.growth(old, new)
        return bool(is_supported(new - old, growth, old.mean()))

    turning = turns(curves.names, (curves.spend, planned), (before, after), measure)
    found = {turn.channel: turn.share for turn in turning}
    assert set(found) == set(curves.names)
    first = stands(curves.names[0], 0.0)
    for name, share in found.items():
        if share is None:
            assert all(stands(name, s) == first for s in np.linspace(0, 1, 11))
        else:
            assert stands(name, share - 0.002) == first
            assert stands(name, share + 0.002) != first


def test_less_of_a_channel_that_is_cut_never_turns_a_change():
    curves = market()
    made = plan(curves, scenario(curves))
    assert made.advice == "change"
    cut = {name for name, channel in channels(made).items() if channel.multiplier < 1}
    told = {turn["channel"]: turn["share"] for turn in as_dict(made)["robustness"]}
    assert cut
    assert all(told[name] is None for name in cut)
    assert any(share is not None for share in told.values())


def test_the_turning_share_by_hand():
    # It gains 30 with certainty, 40 of it from the first channel: the gain falls below
    # 0.5 % of what is left of 1,000 at 40 s = 30 - 0.005 (1000 - 500 s).
    before = np.tile([500.0, 500.0], (10, 1))
    after = np.tile([540.0, 490.0], (10, 1))
    found = turning_shares(before, after, MEAN, moves=np.array([True, True]))
    assert found[0] == pytest.approx(25 / 37.5, abs=0.002)
    assert np.isnan(found[1])


def test_a_plan_that_moves_nothing_has_nothing_to_turn():
    curves = market()
    made = plan(
        curves,
        of_table({"channel": dict.fromkeys(curves.names, {"lock": True})}, curves),
    )
    assert made.robustness == ()
    assert made.reasons == (
        "It is the same as these periods as they ran: nothing changes.",
    )


@pytest.mark.parametrize("seed", range(6))
def test_words_and_rule_agree(seed):
    rng = np.random.default_rng(seed)
    gain = rng.normal(rng.uniform(-1, 2), 1.0, 200)
    said = advise(gain, gain.mean(), 100.0, over="last year").advice
    assert (said == "change") == bool(is_supported(gain, gain.mean(), 100.0))


WIDE = (0.3, 2.0)


def unsupported():
    """A market whose best plan gains on average, but in too few draws."""
    curves = market(spread=0.4, top=1.7)
    asked = scenario(curves, bounds=WIDE)
    best = plan(curves, replace(asked, supported=False))
    assert best.gain_draws.mean() > 0
    assert (best.gain_draws > 0).mean() < PROBABLE
    return curves, asked, best


def test_the_supported_part_takes_the_place_of_an_unsupported_plan():
    curves, asked, best = unsupported()
    made = plan(curves, asked)
    told = as_dict(made)
    assert made.advice == "change"
    assert told["gain"]["probability_positive"] >= PROBABLE
    assert 0 < made.supported.step < 1
    assert "of the way to the best one" in told["reasons"][0]
    moves = np.array([c.planned - c.comparison for c in made.channels])
    whole = np.array([c.planned - c.comparison for c in best.channels])
    np.testing.assert_allclose(moves, made.supported.step * whole, atol=0.02)
    cents = sum(round(100 * channel.planned) for channel in made.channels)
    assert cents == round(100 * made.budget)
    further = curves.spend + min(1.02 * made.supported.step, 1.0) * whole
    by_channel = curves.outcome(further) - curves.outcome(curves.spend)
    # A tenth of what any one channel seems to bring may have come anyway.
    left = by_channel.sum(axis=1)[:, None] - SURVIVED * by_channel
    assert (left > 0).mean(axis=0).min() < PROBABLE
    assert all(turn.share is None or turn.share >= 0.099 for turn in made.robustness)
    assert told["best"]["gain"]["mean"] == pytest.approx(best.gain_draws.mean())
    assert told["supported"]["is_plan"]
    assert made.bound.best_possible == pytest.approx(best.bound.best_possible)


@pytest.mark.parametrize("spread", [0.3, 0.33, 0.36, 0.4])
@pytest.mark.parametrize("follows", [(), ("Search",), ("Video",)])
def test_the_reason_for_a_part_of_the_way_is_what_stops_the_whole_way(spread, follows):
    curves = market(spread=spread, top=1.7, follows=follows)
    asked = scenario(curves, bounds=WIDE)
    made, best = (plan(curves, replace(asked, supported=on)) for on in (True, False))
    chance = float((best.gain_draws > 0).mean())
    (said,) = [each for each in made.reasons if "of the way to the best" in each]
    assert not made.supported.held
    if chance < PROBABLE:
        assert f"{probability(chance)} only" in said
        return
    moves = np.array([c.planned - c.comparison for c in best.channels])
    names = [each.name for each in best.channels]
    (stops,) = [name for name in names if f" of what {name} seems" in said]
    share = 0.5 if moves[names.index(stops)] > 0 and stops in follows else SURVIVED
    assert f"if {100 * share:.0f}\u00a0% of what {stops} seems" in said


def test_the_best_plan_offers_its_supported_part():
    curves, asked, best = unsupported()
    told = as_dict(best)
    assert told["best"] is None
    assert not told["supported"]["is_plan"]
    made = plan(curves, asked)
    offered = [row["planned"] for row in told["supported"]["channels"]]
    assert offered == [channel.planned for channel in made.channels]
    assert told["supported"]["gain"]["mean"] == pytest.approx(made.gain_draws.mean())
    assert told["objective"]["planned"] >= made.objective.planned


def test_a_plan_that_is_supported_is_the_best_one():
    curves = market()
    asked = scenario(curves)
    made = as_dict(plan(curves, asked))
    best = as_dict(plan(curves, replace(asked, supported=False)))
    assert made["supported"] is None
    assert made["best"] is None
    assert made["channels"] == best["channels"]


def test_a_plan_that_rests_on_a_follower_gives_way_to_one_that_does_not_raise_it():
    asked = {"bounds": [0.5, 1.6], "channel": {"Social": {"lock": True}}}
    given = {"spread": 0.1, "roi": (1.0, 2.0, 2.2, 2.0)}
    curves = market(**given, follows=("Search",))
    best = plan(market(**given), of_table(asked, curves))
    assert channels(best)["Search"].multiplier > 1.01
    made = plan(curves, of_table(asked, curves))
    told = as_dict(made)
    assert channels(made)["Search"].multiplier <= 1.0
    assert made.advice == "change"
    assert told["supported"]["held"] == ("Search",)
    assert told["reasons"][0].startswith(
        "The best plan rests on Search, which probably"
    )
    assert told["test"]["channel"] == "Search"
    assert told["test"]["why"] == "follows demand"
    assert told["test"]["worth"] > 0
    tested = replace(curves, tested=("Search",))
    assert channels(plan(tested, of_table(asked, curves))) == channels(best)


def test_a_plan_that_holds_with_half_of_the_follower_may_raise_it():
    curves = market(top=6.0, follows=("Search",))
    made = plan(curves, scenario(curves))
    assert channels(made)["Search"].multiplier > 1.01
    assert made.advice == "change"
    shares = {turn.channel: turn.share for turn in made.robustness}
    assert shares["Search"] is None or shares["Search"] > 0.5
    assert made.test is None


def test_a_gain_that_rests_on_a_follower_says_test_first():
    curves = market(n_channels=3, follows=("Search",))
    asked = of_table({"channel": {"Video": {"lock": True}}}, curves)
    made = plan(curves, replace(asked, supported=False))
    assert channels(made)["Search"].multiplier > 1
    assert made.advice == "test"
    assert made.reasons[0].startswith("The gain rests on Search, which probably")
    assert made.test.channel == "Search"
    # With the other channel locked nothing can move unless Search is raised.
    assert plan(curves, asked).advice == "test"


def test_a_cut_follower_needs_no_test():
    curves = market(follows=("TV",))
    made = plan(curves, scenario(curves))
    assert channels(made)["TV"].multiplier < 1
    assert made.advice == "change"
    assert made.test is None


def test_an_open_plan_asks_for_the_test_that_would_settle_it():
    found = []
    for seed in range(60):
        curves = market(seed, spread=1.2, n_channels=2)
        made = plan(curves, replace(scenario(curves), supported=False))
        chance = float((made.gain_draws > 0).mean())
        if 0.5 <= chance < PROBABLE and made.gain_draws.mean() > 0:
            found.append((curves, made))
    assert found
    for curves, made in found:
        test = made.test
        assert made.advice == ("test" if test else "keep")
        if test:
            assert test.why == "undecided"
            assert test.worth >= 0.005 * made.draws_of("current").mean()
            assert test.channel in made.reasons[-1]
            # What the fit says of it, where limits and budget are those of the fit.
            knowing = worth_of_knowing(curves)[test.channel]
            assert (test.worth, test.moved) == pytest.approx(knowing)
    assert any(made.advice == "test" for _, made in found)


def test_a_failed_fit_supports_no_part_and_no_test():
    curves, asked, _ = unsupported()
    made = plan(curves, asked, verdict="failed")
    assert made.advice == "keep"
    assert made.supported is None
    assert made.test is None


def test_the_part_keeps_to_groups_and_locks():
    curves, _, _ = unsupported()
    name = curves.names[0]
    asked = {"bounds": list(WIDE), "channel": {name: {"lock": True}}}
    made = plan(curves, of_table(asked, curves))
    assert channels(made)[name].planned == pytest.approx(curves.spend[0], abs=0.01)


def test_robustness_of_many_channels_and_draws_has_every_moved_channel():
    curves = response_curves(random_dataset(4, n_channels=20, n_draws=300))
    told = as_dict(plan(curves, scenario(curves)))
    moved = {
        row["name"]
        for row in told["channels"]
        if abs(row["planned"] - row["comparison"]) > 0.005 * row["comparison"]
    }
    assert {turn["channel"] for turn in told["robustness"]} == moved
    shares = [turn["share"] for turn in told["robustness"]]
    known = [share for share in shares if share is not None]
    assert shares == sorted(known) + [None] * (len(shares) - len(known))


#: An advice on a split that stands by itself, and what would make it another.
SPLIT_STANDS = Advice("change", ("It beats the same split.",))


def profit(odds: float, mean: float = 1.0, *turns: Turn) -> Profit:
    return Profit(estimated(mean, odds=odds), "the same weeks last year", turns)


def budget(odds: float, mean: float = 1.0, *turns: Turn) -> Budgeted:
    """A budget that pays or not over what ran, and pays by itself."""
    return Budgeted(profit(odds, mean, *turns), profit(0.99), None)


#: A plan that earns more than what ran, by its split and not by its budget.
ALONE = Budgeted(profit(0.99), profit(0.3), None)


@pytest.mark.parametrize(
    ("about", "advice", "reason"),
    [
        ({}, "change", "beats the same split"),
        ({"verdict": "trustworthy", "budgeted": budget(0.9)}, "change", "beats"),
        ({"turns": (Turn("TV", None), Turn("Search", 0.1))}, "change", "beats"),
        ({"verdict": "doubtful"}, "keep", "The fit is doubtful"),
        ({"verdict": "failed"}, "keep", "The fit is failed"),
        ({"turns": (Turn("TV", 0.5), Turn("Search", 0.02))}, "keep", "of what Search"),
        ({"budgeted": budget(0.14)}, "keep", "with a probability of 14\u00a0% only"),
        ({"budgeted": budget(0.9, -1.0)}, "keep", "but not on average"),
        ({"budgeted": budget(0.9, 1.0, Turn("TV", 0.05))}, "keep", "of what TV"),
        ({"turns": (Turn("Search", 0.5, True),)}, "test", "rests on Search"),
        ({"turns": (Turn("Search", 0.51, True),)}, "change", "beats"),
        ({"turns": (Turn("Search", 0.02, True),)}, "keep", "of what Search"),
        ({"budgeted": budget(0.9, 1.0, Turn("Search", 0.3, True))}, "keep", "rests on"),
        ({"budgeted": ALONE}, "keep", "In the planned split, profit is higher than"),
    ],
)
def test_one_rule_settles_every_plan(about, advice, reason):
    last = settled(SPLIT_STANDS, **about)
    assert last.advice == advice
    assert reason in last.reasons[0]
    kept = settled(Advice("keep", ("It gains nothing on average.",)), **about)
    assert (kept.advice, kept.split.advice) == ("keep", "keep")
    assert kept.budget == last.budget


def test_split_and_budget_are_two_advices():
    """Neither stands in the other's colour: a split may pay at a budget that loses."""
    loses = settled(SPLIT_STANDS, verdict="trustworthy", budgeted=budget(0.14))
    assert (loses.split.advice, loses.budget.advice) == ("change", "keep")
    assert loses.advice == "keep"
    pays = settled(
        Advice("keep", ("No.",)), verdict="trustworthy", budgeted=budget(0.9)
    )
    assert (pays.split.advice, pays.budget.advice) == ("keep", "change")
    assert pays.advice == "keep"
    doubted = settled(SPLIT_STANDS, verdict="doubtful", budgeted=budget(0.9))
    assert (doubted.split.advice, doubted.budget.advice) == ("keep", "keep")


def test_the_warnings_of_a_fit_come_before_a_test():
    """As in plans of weeks and geos, which have no test to advise."""
    first = Advice("test", ("A lift test of TV would settle it.",))
    assert settled(first, verdict="trustworthy").advice == "test"
    doubted = settled(first, verdict="doubtful")
    assert doubted.advice == "keep"
    assert doubted.reasons[0].startswith("The fit is doubtful: resolve its warnings")
    assert doubted.reasons[1:] == first.reasons


def test_a_budget_is_judged_in_the_split_that_stays():
    """In the plan's it may pay and in last year's lose: that is what would be spent."""
    both = {
        "verdict": "trustworthy",
        "budgeted": Budgeted(profit(0.9), profit(0.9), profit(0.3)),
    }
    kept = settled(Advice("keep", ("No.",)), **both)
    assert kept.budget.advice == "keep"
    assert kept.budget.reasons[0].startswith("In the split that stays, profit is above")
    assert settled(SPLIT_STANDS, **both).budget.advice == "change"
    curves = response_curves(random_dataset(6, n_channels=3, n_draws=60))
    curves = replace(curves, outcome_unit="revenue")
    asked = scenario(curves, budget=0.9 * curves.spend.sum(), scaled=True)
    found = plan(curves, asked)
    assert found.on_split.advice == "keep"
    before = curves.outcome(curves.spend).sum(axis=1)
    grown = found.draws_of("current") - before + 0.1 * curves.spend.sum()
    assert found.against_today.profit.gain.probability_positive > 0.4
    assert (grown > 0).mean() == pytest.approx(5 / 60)
    assert "with a probability of 8\u00a0% only" in found.on_budget.reasons[0]


def test_a_doubtful_fit_and_a_budget_that_loses_money_are_never_recommended():
    curves = market()
    asked = scenario(curves)
    trusted = plan(curves, asked, verdict="trustworthy")
    assert trusted.advice == "change"
    doubted = plan(curves, asked, verdict="doubtful")
    assert doubted.advice == "keep"
    assert "doubtful" in doubted.reasons[0]
    assert [line.planned for line in doubted.channels] == [
        line.planned for line in trusted.channels
    ]
    much = plan(
        curves, scenario(curves, budget=8 * curves.spend.sum(), bounds=(0.0, 12.0))
    )
    odds = much.against_today.profit.gain.probability_positive
    assert odds < PROBABLE
    assert much.advice == "keep"
    assert much.on_budget.advice == "keep"
    assert "profit is above" in much.reasons[0].lower()


@pytest.mark.parametrize(
    ("times", "advice"), [(0.8, "keep"), (0.95, "change"), (1.1, "keep")]
)
def test_a_split_that_gains_does_not_pay_for_a_budget_that_loses(times, advice):
    """The budget is judged by what it does itself: in the split of the plan."""
    curves = market(roi=(0.5, 1.2, 2.0, 3.0))
    total = curves.spend.sum()
    made = plan(
        curves, scenario(curves, budget=times * total, bounds=(0.5, 2.0), scaled=True)
    )
    planned = np.array(tuple(made.money.values()))
    before = curves.outcome(planned / times).sum(axis=1)
    grown = made.draws_of("planned") - before - (times - 1) * total
    (on_budget, whole) = made.on_budget, made.against_today.profit.gain
    assert made.on_split.advice == "change"
    assert whole.probability_positive > PROBABLE
    assert on_budget.advice == made.advice == advice
    assert ((grown > 0).mean() >= PROBABLE) == (advice == "change")
    assert probability((grown > 0).mean()) in on_budget.reasons[0]


def test_names_are_joined_in_the_language_of_the_reader():
    part = SupportedPart(np.ones(3), 1.0, ("Search", "Social", "Video"))
    with spoken_in("de"):
        (said,) = part.reasons(0.6, "")
    assert "Search, Social und Video" in said
