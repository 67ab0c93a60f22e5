"""What is said of a plan: hidden demand, tests, the other split."""

import pytest

from core import text as fmt
from core.charts import plan_words

UNITS = fmt.Units(currency="EUR")


def turn(channel, share):
    return {"channel": channel, "share": share}


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        ([], ""),
        (
            [turn("Search", 0.409), turn("TV", None)],
            "The advice holds even if 40 % of what Search seems to bring would have "
            "come anyway.",
        ),
        (
            [turn("Search", 0.4), turn("TV", 0.75)],
            "The advice holds even if 40 % of what Search, or 75 % of what TV seems to "
            "bring would have come anyway.",
        ),
        (
            [turn("Search", 0.004)],
            "The advice turns if as little as 1 % of what Search seems to bring would "
            "have come anyway.",
        ),
        (
            [turn("TV", None)],
            "The advice holds however much of what any one channel seems to bring "
            "would have come anyway.",
        ),
    ],
)
def test_robustness_in_one_line(turns, words):
    said = plan_words.robustness({"robustness": turns})
    assert said.replace("\u00a0", " ") == words


def test_plans_without_it_say_nothing():
    assert plan_words.robustness({}) == ""
    assert plan_words.lift_test({}, UNITS) == ""
    assert plan_words.other_split({}, UNITS) == ""
    assert plan_words.against_today({}, UNITS) == ""


def test_a_lift_test_and_its_worth():
    test = {"channel": "Social", "why": "undecided", "worth": 976e3, "moved": 0.03}
    said = plan_words.lift_test({"test": test}, UNITS).replace("\u00a0", " ")
    assert said == (
        "Test Social first: knowing its return exactly would be worth 976 k € to this "
        "plan (it would move 3 % of the budget)."
    )


def test_the_supported_part_names_what_moves():
    gain = {"mean": 3e6, "lo": 1e5, "hi": 6e6, "probability_positive": 0.8}
    plan = {
        "channels": [
            {"name": "TV", "comparison": 5e6},
            {"name": "Search", "comparison": 1e6},
            {"name": "Print", "comparison": 2e6},
        ],
        "supported": {
            "is_plan": False,
            "channels": [
                {"name": "TV", "planned": 4e6},
                {"name": "Search", "planned": 2e6},
                {"name": "Print", "planned": 2e6},
            ],
            "gain": gain,
        },
        "best": None,
    }
    said = plan_words.other_split(plan, UNITS).replace("\u00a0", " ")
    assert "TV −1.00 M €, Search +1.00 M €. It gains +3.00 M €" in said
    assert "Print" not in said


def test_the_best_plan_beside_the_supported_one():
    gain = {"mean": 3e6, "lo": -1e6, "hi": 6e6, "probability_positive": 0.72}
    plan = {"supported": {"is_plan": True, "held": ["Search"]}, "best": {"gain": gain}}
    said = plan_words.other_split(plan, UNITS).replace("\u00a0", " ")
    assert "with a probability of 72 %, by raising Search." in said


def test_the_largest_supported_step_is_at_the_edge_of_the_rule():
    supported = {"is_plan": True, "step": 0.6}
    plan = {"robustness": [turn("Search", 0.004)], "supported": supported}
    said = plan_words.robustness(plan)
    assert said.startswith("This is the largest step that the draws support, so any")
