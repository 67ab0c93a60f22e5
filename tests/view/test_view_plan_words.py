"""What is said of a plan: hidden demand, tests, the other split."""

import pytest

from core import text as fmt
from core.plan.advice.parts import Correlated, LiftTest, Recommendation, Turn
from core.plan.record.parts import (
    Amount,
    Bound,
    BreakEven,
    Objective,
    Outcomes,
    Split,
    Supported,
)
from core.text.languages.language import spoken_in
from core.view import beside_words, plan_words
from core.view.advice import advice_in_words, advices
from core.view.break_even import break_even
from core.view.plan_claim import plan_claim
from core.view.sections import of_plan
from tests.plan.records import about, line, record

UNITS = fmt.Units(currency="EUR")
KEEP = Recommendation("keep", ())


def test_hidden_demand_of_a_portfolio_names_the_kpi_of_the_project():
    hidden = (Correlated("Nord: Clicks", 0.4, "Nord: orders"),)
    plan = record(robustness=(Turn("TV", None),), hidden=hidden)
    said = plan_words.robustness(plan)
    assert "moves Nord: Clicks and Nord: orders alike" in said
    own = record(robustness=(Turn("TV", None),), hidden=(Correlated("Clicks", 0.4),))
    assert "moves Clicks and the KPI alike" in plan_words.robustness(own)


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        ([], ""),
        (
            [Turn("Search", 0.409), Turn("TV", None)],
            "The advice holds even if 40 % of what Search seems to bring would have "
            "come anyway.",
        ),
        (
            [Turn("Search", 0.4), Turn("TV", 0.75)],
            "The advice holds even if 40 % of what Search, or 75 % of what TV seems to "
            "bring would have come anyway.",
        ),
        (
            [Turn("Search", 0.004)],
            "The advice turns if as little as 1 % of what Search seems to bring would "
            "have come anyway.",
        ),
        (
            [Turn("TV", None)],
            "The advice holds however much of what any one channel seems to bring "
            "would have come anyway.",
        ),
    ],
)
def test_robustness_in_one_line(turns, words):
    said = plan_words.robustness(record(robustness=tuple(turns)))
    assert said.replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("least", "most", "words"),
    [
        (30e6, 90e6, "Within these limits, spend above 59.0 M € (57.0 – 62.0) makes"),
        (20e6, 59e6, "Up to 59.0 M €, the most that these limits allow,"),
        (59e6, 90e6, "Even at 59.0 M €, the least that these limits allow,"),
        # Totals that are fixed but for rounding leave no other budget.
        (59e6 - 3, 59e6 + 5, ""),
        (59e6, 59e6, ""),
    ],
)
def test_a_budget_is_compared_with_others_that_the_limits_allow(least, most, words):
    at = BreakEven(59e6, 57e6, 62e6, least=least, most=most, margin=1.0)
    said = break_even(record(break_even=at), UNITS).replace("\u00a0", " ")
    assert said.startswith(words) and bool(said) == bool(words)


@pytest.mark.parametrize("verdict", ["doubtful", "failed"])
def test_no_hidden_demand_turns_an_advice_that_the_fit_decides(verdict):
    turns = (Turn("TV", 0.55), Turn("Search", None))
    assert plan_words.robustness(record(robustness=turns))
    assert plan_words.robustness(record(robustness=turns, verdict=verdict)) == ""


@pytest.mark.parametrize("verdict", ["doubtful", "failed"])
def test_the_warnings_of_a_fit_come_before_a_test(verdict):
    test = LiftTest("Social", "undecided", worth=976e3, moved=0.03)
    first, later = (
        plan_words.lift_test(record(test=test, verdict=each), UNITS)
        for each in ("trustworthy", verdict)
    )
    assert first.startswith("Test Social first: knowing")
    assert later.startswith("Once the fit is trustworthy, test Social: knowing")
    assert first.split(": ", 1)[1] == later.split(": ", 1)[1]


def test_a_test_that_comes_first_is_the_advice():
    test = LiftTest("Social", "undecided", worth=976e3, moved=0.03)
    plan = record(advice="test", reasons=("It is open.",), test=test)
    (said,) = advices(plan)
    assert said.text == "Test first: Social, before last year's split changes"
    assert said.sentence.endswith("changes. It is open.")
    assert advice_in_words(plan) == "Test first"


def test_two_advices_in_a_cell_are_in_the_language_of_the_reader():
    parts = {"on_split": Recommendation("test", ()), "on_budget": KEEP}
    plan = record(advice="keep", **parts)
    assert advice_in_words(plan) == "Split: test first, budget: keep"
    with spoken_in("de"):
        text = advice_in_words(plan)
    assert "Aufteilung: erst testen" in text


def test_beside_tiles_a_claim_has_the_amounts_of_the_tiles():
    moved = line("Search", 12e6, 20e6), line("Video", 38e6, 30e6)
    plan = record(*moved, gain=about(2e6, 1e6, 0.9))
    title, said = (plan_claim(plan, UNITS, is_title=each) for each in (True, False))
    assert "+2\u00a0M\u00a0€ revenue, 90\u00a0%\u00a0likely" in title
    shown = UNITS.show(plan.gain.mean, signed=True)
    assert shown == "+2.00\u00a0M\u00a0€" and said.endswith(f": {shown} revenue")


def test_plans_without_it_say_nothing():
    assert plan_words.robustness(record()) == ""
    assert plan_words.lift_test(record(), UNITS) == ""
    assert beside_words.other_split(record(), UNITS) == ""


def test_a_lift_test_and_its_worth():
    test = LiftTest("Social", "undecided", worth=976e3, moved=0.03)
    said = plan_words.lift_test(record(test=test), UNITS).replace("\u00a0", " ")
    assert said == (
        "Test Social first: knowing its return exactly would be worth 976 k € to this "
        "plan of 52 weeks (it would move 3 % of the budget)."
    )


def supported(*amounts, is_plan, step=1.0, held=(), gain=None):
    return Supported(
        tuple(Amount(name, money) for name, money in amounts),
        gain or about(3e6),
        is_plan,
        step,
        held,
    )


def test_the_supported_part_names_what_moves():
    gain = about(3e6, 1e6, 0.8)
    amounts = ("TV", 4e6), ("Search", 2e6), ("Print", 2e6)
    plan = record(
        line("TV", 6e6, 5e6),
        line("Search", 0.5e6, 1e6),
        line("Print", 1.5e6, 2e6),
        supported=supported(*amounts, is_plan=False, gain=gain),
    )
    said = beside_words.other_split(plan, UNITS).replace("\u00a0", " ")
    assert "TV −1.00 M €, Search +1.00 M €. It gains +3.00 M €" in said
    assert "Print" not in said


def test_the_best_plan_beside_the_supported_one():
    gain = about(3e6, 2e6, 0.72)
    part = supported(is_plan=True, held=("Search",))
    plan = record(supported=part, best=Split((), gain))
    said = beside_words.other_split(plan, UNITS).replace("\u00a0", " ")
    assert "with a probability of 72 %, by raising Search." in said


def test_the_largest_supported_step_is_at_the_edge_of_the_rule():
    part = supported(is_plan=True, step=0.6)
    plan = record(robustness=(Turn("Search", 0.004),), supported=part)
    said = plan_words.robustness(plan)
    assert said.startswith("This is the largest step that the data support, so any")


@pytest.mark.parametrize(
    ("gap", "shown"),
    [(0.0, "0.1 %"), (0.001, "0.1 %"), (0.0014, "0.2 %"), (0.05, "5.0 %")],
)
def test_the_gap_is_one_bound_in_every_medium(gap, shown):
    """Rounded up, so that no plan is nearer to the best than it is."""
    plan = record(bound=Bound(1.0, gap, "dual"))
    said = plan_words.bound(plan).replace("\u00a0", " ")
    assert said == f"At most {shown} below the best plan within these limits"
    assert plan_words.gap(plan) >= gap


@pytest.mark.parametrize(
    ("objective", "gap", "is_loose"),
    [
        ("p10", 0.0107, True),
        ("reach:21e6", 0.02, True),
        ("p10", 0.0004, False),
        ("mean", 0.0107, False),
        ("cvar10", 0.0107, False),
    ],
)
def test_a_loose_bound_is_said_to_be_one(objective, gap, is_loose):
    large = Objective(objective, planned=1.1)
    said = plan_words.nearness(record(objective=large, bound=Bound(1.0, gap, "draws")))
    assert said.startswith("At most") and said.endswith(".")
    assert ("The bound is loose for this objective" in said) == is_loose


def test_a_plan_that_was_typed_has_no_gap():
    plan = record(bound=Bound(1.0, 0.0, ""), scenario={"geos": {"spend": {}}})
    assert plan_words.gap(plan) is None
    assert "not optimised" in plan_words.bound(plan)


def test_weeks_and_channels_are_bridged_by_parts_that_add_up():
    channels = record(over="channels")
    brought = Outcomes(planned=about(530.0), fixed=about(510.0), current=about(400.0))
    weeks = record(over="weeks", outcome=brought)
    parts = beside_words.from_channels(weeks, channels)
    assert parts[0][1] == channels.outcome.planned.mean
    assert sum(value for _, value in parts) == pytest.approx(530.0)
    assert parts[2] == ("better timing", pytest.approx(20.0))
    said = beside_words.bridged(weeks, channels, UNITS).replace("\u00a0", " ")
    assert "better timing +20.0 €" in said and said.endswith("together 530 €.")
    other = record(line("TV", 500.0), over="weeks", outcome=brought)
    assert beside_words.from_channels(other, channels) == []
    assert beside_words.bridged(other, channels, UNITS) == ""


def test_a_plan_of_geos_is_bridged_where_its_sum_is_another():
    channels = record(over="channels")
    whole = channels.outcome.planned.mean
    brought = Outcomes(planned=about(whole + 30.0), current=about(400.0))
    moved = {"gain_over_channels": about(27.0), "geo_advice": "change"}
    geos = record(over="geos", outcome=brought, **moved)
    parts = beside_words.from_channels(geos, channels)
    assert sum(value for _, value in parts) == pytest.approx(whole + 30.0)
    assert parts[1] == ("moving money between geos", pytest.approx(27.0))
    said = beside_words.bridged(geos, channels, UNITS).replace("\u00a0", " ")
    assert "moving money between geos +27.0 €, counted geo by geo +3.00 €" in said
    same = record(over="geos", outcome=channels.outcome, geo_advice="keep")
    assert beside_words.bridged(same, channels, UNITS) == ""


def test_weeks_are_bridged_to_what_a_forecast_counts():
    brought = Outcomes(planned=about(530.0), fixed=about(510.0), current=about(400.0))
    after = {"terminal": about(33.0), "inherited": about(60.0)}
    weeks = record(over="weeks", outcome=brought, **after)
    said = beside_words.in_its_weeks(weeks, UNITS).replace("\u00a0", " ")
    assert "media bring 557 €" in said
    assert "530 € from the planned spend, less 33.0 €" in said
    assert beside_words.in_its_weeks(record(over="channels"), UNITS) == ""


def test_a_plan_whose_budget_profit_finds_maximises_profit():
    plain = record()
    found = record(scenario={"find": {"kind": "profit", "least": 1.0, "most": 9.0}})
    assert plan_words.pursued(plain, UNITS) == "expected revenue"
    assert plan_words.pursued(found, UNITS) == "expected profit"


def test_channels_that_a_plan_leaves_out_are_named_wherever_it_is_told():
    plan = record(idle=("Radio",))
    said = plan_words.idle(plan)
    assert said.startswith("Not part of the plan: Radio, which spent nothing in")
    assert said in of_plan.notes(plan)
    assert plan_words.idle(record()) == ""


def test_a_rise_that_the_data_do_not_ask_for_is_named():
    """Only of channels that get more; every medium has the line."""
    lines = tuple(
        line(name, current=100.0, planned=100.0 * by)
        for name, by in [("TV", 1.3), ("Radio", 1.001), ("Social", 0.7), ("Print", 1.1)]
    )
    plan = record(*lines, unseen=("TV", "Radio", "Social"))
    said = beside_words.unseen(plan)
    assert said.startswith(
        "TV gets more, although the data fit about as well if it did"
    )
    assert said in of_plan.notes(plan)
    both = record(*lines, unseen=("TV", "Print"))
    assert beside_words.unseen(both).startswith("TV and Print get more, although")
    assert beside_words.unseen(record(*lines)) == ""
    assert beside_words.unseen(record(*lines, unseen=("Social",))) == ""
