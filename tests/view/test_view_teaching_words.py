"""What is said of plans for outcome and knowledge."""

from dataclasses import replace

from msgspec import structs

from core.plan.record.plan_record import as_dict, as_record
from core.plan.record.teaching import Share
from core.view.sections import plan_tables
from core.view.weeks import teaching_words
from tests.plan.records import about, line, record
from tests.plan.teaching_record import WEEKS, teaching


def plan(**more):
    return record(
        line("TV", 300.0),
        over="weeks",
        weeks=WEEKS,
        currency="EUR",
        outcome_unit="revenue",
        **more,
    )


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def test_a_plan_that_only_earns_says_nothing_of_knowledge():
    assert teaching_words.lines(plan()) == []
    assert teaching_words.rows(plan()) == []
    assert teaching_words.why_this_week(plan(), "TV", WEEKS[0]) == ""


def test_costs_and_brings_with_intervals():
    said = plain(teaching_words.headline(plan(teaching=teaching())))
    assert "Learning costs 4.00 k €" in said
    assert "expected to bring 9.00 k €" in said
    assert "in the next horizon" in said
    three = plan(teaching=teaching(horizons=3))
    assert "the next 3 horizons" in teaching_words.headline(three)


def test_says_when_no_plan_was_worth_it():
    said = teaching_words.headline(plan(teaching=teaching(is_other=False)))
    assert "The plan that only earns teaches enough" in said


def test_why_these_weeks():
    (why,) = teaching_words.why_these_weeks(plan(teaching=teaching()))
    assert why.startswith("TV is dark for 2 weeks from ")
    assert "spends more in the week of " in why
    assert why.endswith("separates carryover from level.")
    last = teaching_words.why_this_week(plan(teaching=teaching()), "TV", WEEKS[2])
    assert last.startswith("Spends more in the week of ")
    assert teaching_words.why_this_week(plan(teaching=teaching()), "Social", "") == ""


def test_json_says_why_each_stretch_differs():
    made = plan(teaching=teaching())
    changes = teaching_words.with_reasons(made)["teaching"]["changes"]
    for change in changes:
        why = teaching_words.why_this_week(made, change["channel"], change["first"])
        assert change["why"] == why != ""
    assert as_record(teaching_words.with_reasons(made)) == made  # it is still read
    assert teaching_words.with_reasons(plan()) == as_dict(plan())


def test_questions_with_their_odds():
    drift, demand = map(plain, teaching_words.told_apart(plan(teaching=teaching())))
    assert "answered right with 70 %, against 50 % now" in drift
    assert demand.startswith(
        "These weeks do not tell of a channel whether its spend follows"
    )
    assert demand.endswith(": Social. A lift test would.")


def test_intervals_with_both_plans():
    said = plain(teaching_words.learned(plan(teaching=teaching())))
    assert "TV by 21 % and 8 %" in said


def test_a_plan_that_is_the_one_that_only_earns_is_not_set_beside_itself():
    made = plan(teaching=teaching(is_other=False, changes=()))
    labels = [row.label for row in teaching_words.rows(made)]
    assert labels == ["Value of certainty", "Best possible, both"]
    said = [plain(each) for each in teaching_words.lines(made)]
    assert (
        "Intervals of returns are expected to narrow: TV by 21 %; Social by 5 %."
        in (said)
    )
    assert not any("after the plan that only earns" in each for each in said)
    assert any(each.endswith("right with 70 %, against 50 % now.") for each in said)
    (narrower,) = [
        table for table in plan_tables.teaching(made) if table.heads[0] == "Channel"
    ]
    assert [plain(cell) for cell in narrower.rows[0]] == ["TV", "21 %"]


def test_intervals_that_narrow_are_a_table_and_no_paragraph():
    first, narrower, *_ = plan_tables.teaching(plan(teaching=teaching()))
    assert "expected to narrow" not in first.note
    assert narrower.heads == ["Channel", "This plan", "Plan that only earns"]
    assert [plain(cell) for cell in narrower.rows[0]] == ["TV", "21 %", "8 %"]


def test_reasons_that_stand_beside_their_weeks_are_not_said_again():
    made = plan(teaching=teaching())
    first, *others = plan_tables.teaching(made)
    (differ,) = [table for table in others if table.title == "Weeks that differ"]
    assert all(row[-1] and row[-1] not in first.note for row in differ.rows)
    assert teaching_words.headline(made) in first.note
    assert not any(why in first.note for why in teaching_words.why_these_weeks(made))


def by_geo():
    """TV spends more in Harbour and less in Hill."""
    shares = (("Harbour", 0.4, 0.48), ("Hill", 0.6, 0.52))
    rows = [
        Share(channel="TV", geo=geo, usual=usual, planned=planned)
        for geo, usual, planned in shares
    ]
    return tuple(rows)


def test_geos_that_differ_are_named_with_their_shares():
    made = plan(teaching=teaching(spread=0.2), shares=by_geo())
    (why,) = map(plain, teaching_words.why_these_geos(made))
    assert why.startswith(
        "TV spends 48.0 % in Harbour instead of 40.0 % and 52.0 % in Hill instead of"
    )
    assert why in map(plain, teaching_words.lines(made))
    rows = [[plain(cell) for cell in row] for row in teaching_words.share_rows(made)]
    assert rows[1] == ["TV", "Hill", "60.0 %", "52.0 %", "156"]
    assert teaching_words.why_these_geos(plan(teaching=teaching())) == []
    assert teaching_words.share_rows(plan()) == []


def test_shares_of_data_shorter_than_a_year_are_not_called_last_years():
    made = plan(teaching=teaching(spread=0.2), shares=by_geo())
    assert "last year" in " ".join(teaching_words.share_heads(made))
    horizon = replace(made.horizon, is_repeated=True)
    short = structs.replace(made, horizon=horizon)
    heads = " ".join(teaching_words.share_heads(short))
    assert "last year" not in heads and "as it ran" in heads


def test_many_geos_that_differ_are_named_by_the_money_that_moves():
    """Those whose shares are written alike are not among them."""
    shares = [(f"Geo {i:02d}", 0.02, 0.02 + 2e-4 * (i - 20)) for i in range(41)]
    rows = [
        Share(channel="TV", geo=geo, usual=usual, planned=planned)
        for geo, usual, planned in shares
    ]
    made = plan(teaching=teaching(spread=0.2), shares=tuple(rows))
    named = [row[1] for row in teaching_words.share_rows(made)]
    assert set(named[:2]) == {"Geo 00", "Geo 40"} and "Geo 20" not in named
    table = plan_tables.teaching(made)[-1]
    assert len(table.rows) == 30
    assert table.note.startswith(f"{len(named) - 30} more differ by less money;")


def test_geos_that_bring_more_at_once_cost_nothing():
    earns = teaching(cost=about(-4000.0, 1000.0), spread=0.2)
    said = plain(teaching_words.headline(plan(teaching=earns, shares=by_geo())))
    assert "brings 4.00 k € more revenue than the plan that only earns" in said
    assert "expected to bring 9.00 k €" in said
