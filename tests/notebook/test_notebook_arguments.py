"""What a notebook hands on: numbers of NumPy's count, everything else is named."""

from types import SimpleNamespace

import numpy as np
import pytest

import mixwright
from core.errors import MMMError, PlanError, SpecError
from core.notebook.arguments import checked, named, plain
from core.service import forecasts
from core.service.ask import Bound, PlanAsk, refuse_mistyped
from core.service.experiments.lift_tests import Options
from core.service.records.columns import StatedColumns

FORECAST = ("periods", "multipliers", "goal")
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.int64(6), int),
        (np.float32(0.5), float),
        ([np.int32(1), np.float32(2.5)], list),
        ({"TV": np.float32(2)}, dict),
        ((np.int8(1), "a", None), tuple),
    ],
)
def test_numbers_of_numpy_are_pythons(value, kind):
    same = plain(value)
    assert type(same) is kind
    assert same == value
    parts = same.values() if kind is dict else same if kind in (list, tuple) else [same]
    assert not any(isinstance(part, np.generic) for part in parts)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kpi": 5}, "Expected `str"),
        ({"dates": "foo"}, "Invalid enum value 'foo'"),
        ({"period": "fortnight"}, "Invalid enum value"),
        ({"rate": (("USD", NAN),)}, "rate of read is not a finite number"),
        ({"rate": 5}, "Expected `array`"),
        ({"overlp": "all"}, "Did you mean overlap"),
        ({"control": ("price",)}, "read has no option control"),
    ],
)
def test_an_answer_of_another_kind_is_named(options, said):
    with pytest.raises(SpecError) as caught:
        mixwright.read("sales.csv", **options)
    assert said in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weeks": "x"}, "Expected `array`"),
        ({"most_at_risk": INF}, "not a finite number"),
        ({"foo": 1}, "has no option foo"),
    ],
)
def test_an_option_of_another_kind_is_named(options, said):
    with pytest.raises(SpecError) as caught:
        checked(Options, options, "design_tests")
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_options_of_their_kind_are_taken_as_they_are():
    rate = (("USD", 0.9),)
    assert checked(StatedColumns, {"rate": rate}, "read", ["rate"]).rate == rate
    assert checked(Options, {"seed": np.int64(3)}, "design_tests").seed == 3
    assert named(PlanAsk, {"budget": "75M"}, "plan") == {"budget": "75M"}


@pytest.mark.parametrize(
    "asked",
    [
        {"over": "geo"},
        {"over": {"x": 1}},
        {"scenario": "plan.toml"},
        {"limits": 5},
        {"limits": [{"channel": "TV"}]},
        {"bounds": 1.3},
        {"budget": []},
        {"budget": (1, 2, 3)},
        {"spend": [1.0]},
    ],
)
def test_a_plan_is_not_asked_for_in_another_kind(asked):
    ask = SimpleNamespace(**vars(PlanAsk()) | asked)
    with pytest.raises(PlanError) as caught:
        refuse_mistyped(ask)
    (name,) = asked
    assert caught.value.message.startswith(f"{name} is ")
    assert caught.value.hint


def test_what_a_plan_can_be_asked_for():
    PlanAsk(over="weeks", budget=(1e6, 2e6), limits=(Bound(channel="TV", high=2.0),))
    ask = {"bounds": [0.7, 1.3], "scenario": {}, "budget": "75M"}
    refuse_mistyped(SimpleNamespace(**vars(PlanAsk()) | ask))


@pytest.mark.parametrize(
    "asked",
    [
        {"periods": 2.5},
        {"periods": "6"},
        {"periods": NAN},
        {"goal": INF},
        {"goal": "much"},
        {"multipliers": {"TV": NAN}},
        {"multipliers": {"TV": -1.0}},
        {"multipliers": {"TV": "2"}},
        {"multipliers": {"TV": 1e300}},
        {"multipliers": 2.0},
    ],
)
def test_a_forecast_is_not_asked_for_in_another_kind(asked):
    with pytest.raises(SpecError) as caught:
        forecasts.refuse_mistyped(**dict.fromkeys(FORECAST) | asked)
    assert caught.value.hint


def test_reading_nothing_is_refused():
    with pytest.raises(MMMError, match="no file"):
        mixwright.read()
