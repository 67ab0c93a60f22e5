"""forecast and backtest on the command line, on a small structural fit."""

import json

import pandas as pd
import pytest
from msgspec import to_builtins

from core.analysis.ahead.backtest_record import (
    BacktestRecord,
    Scores,
    Skipped,
    as_fold,
)
from core.cli.fits.backtest import backtest_text
from core.model.spec import ChannelSpec, ModelSpec
from core.store.results import open_dataset, read_json
from tests.charts import synthetic
from tests.pages import worlds
from tests.small_fit import copied


@pytest.fixture(scope="module")
def world(tmp_path_factory, small_fit):
    """A workspace whose fit was done by its worker's work, in a process of tests."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("MIXWRIGHT_HOME", str(home))
        _, run = copied(small_fit, home)
        yield run


def test_a_fit_leaves_forecast_and_evidence(world):
    view = open_dataset(world, "forecast")
    assert view.sizes["time"] == 52
    assert view.attrs["outcome_unit"] == "revenue"
    assert str(view["time"].to_numpy()[0])[:10] == "2024-02-26"
    for row in read_json(world, "summary")["channels"]:
        told = row["evidence"]
        assert told["label"] in ("measured", "partly assumed", "mostly assumed")
        assert told["reason"]
        assert told["rank"] in (1, 2)
        assert told["prior_sensitivity"] is not None


def test_summary_says_how_firmly_each_return_is_known(say, world):
    said = say("summary", world).out
    assert "How firmly each return is known:" in said
    assert "Hidden cause moves ROI" in said
    assert "The hidden cause is as strong as the season." in said


def test_forecast(say, world, tmp_path):
    out = tmp_path / "ahead.csv"
    said = say(
        "forecast", world, "--periods", "6", "--goal", "1", "--out", out, "--json"
    )
    assert said.code == 0, said.err
    told = said.data
    assert told["periods"] == len(told["weeks"]) == 6
    assert told["goal"] == {"value": 1.0, "probability": 1.0}
    assert told["total"]["lo"] < told["total"]["hi"]
    parts = sum(part["mean"] for part in told["parts"])
    assert parts == pytest.approx(told["total"]["mean"], rel=0.05)
    assert len(pd.read_csv(out)) == 6
    text = say("forecast", world, "--periods", "6", "--goal", "1").out
    assert "probability >\u00a099\u00a0%" in text
    assert "Baseline" in text


def test_a_plan_moves_the_forecast(say, world, tmp_path):
    base = say("forecast", world, "--periods", "4", "--json").data
    more = say("forecast", world, "--periods", "4", "--multiply", "TV=2", "--json").data
    assert more["spend"]["TV"] == pytest.approx(2 * base["spend"]["TV"])
    assert more["total"]["mean"] > base["total"]["mean"]
    weeks = pd.date_range("2024-02-26", periods=4, freq="7D").strftime("%Y-%m-%d")
    plan = tmp_path / "plan.csv"
    pd.DataFrame({"week": weeks, "TV_spend": 0.0}).to_csv(plan, index=False)
    none = say("forecast", world, "--periods", "4", "--media", plan, "--json").data
    assert none["spend"] == {"TV": 0.0, "Search": base["spend"]["Search"]}
    assert none["total"]["mean"] < base["total"]["mean"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--periods", "99"), "1 to 52"),
        (("--multiply", "Radio=2"), "no channel Radio"),
        (("--media", "nowhere.csv"), "no file"),
        (("--out", "ahead.xlsx"), "is not a forecast format"),
    ],
)
def test_requests_that_cannot_be(say, world, options, says):
    said = say("forecast", world, *options)
    assert said.code == 1
    assert says in said.err


def test_knots_are_no_forecast(say, home):
    kinds = dict(zip(synthetic.NAMES, synthetic.KINDS, strict=True))
    channels = tuple(ChannelSpec(name, kind) for name, kind in kinds.items())
    folder = worlds.project(spec=ModelSpec(channels=channels, knots=3))
    run = worlds.fit(folder)
    said = say("forecast", run)
    assert said.code == 1
    assert "cannot be forecast" in said.err


def test_backtest_for_people_and_machines():
    ends = Scores(wmape=0.03, bias=-0.01, coverage_50=0.5, coverage_90=0.9)
    none = Scores(wmape=0.06, bias=0.0, coverage_50=None, coverage_90=None)
    told = BacktestRecord(
        folds=(as_fold(synthetic.fold()),),
        horizon=8,
        skipped=(Skipped("2024-01-01", "TV has no media."),),
        is_structural=False,
        scores={"model": ends, "seasonal_naive": none},
        skill={"seasonal_naive": 0.5},
    )
    text = backtest_text(told)
    (own,) = [line for line in text.splitlines() if line.startswith("This model")]
    assert own.split("  ")[-1].strip() == "90\u00a0%" and "−1.0\u00a0%" in own
    (theirs,) = [line for line in text.splitlines() if "year's values  " in line]
    assert "6.0\u00a0%" in theirs
    assert "Against last year's values: 50\u00a0% smaller" in text
    assert "Left out 2024-01-01: TV has no media." in text
    assert "last knot was held" in text
    json.dumps(to_builtins(told), allow_nan=False)


def test_backtest_refuses_nonsense(say, project):
    assert say("backtest", project, "--folds", "0").code == 1
    assert "too few" in say("backtest", project, "--horizon", "150").err


def test_a_forecast_follows_a_saved_plan(say, world):
    run = str(world)
    plan = say("plan", run, "--save", "Spring", "--json").data
    by = {row["name"]: row["multiplier"] for row in plan["channels"]}
    path = world.parents[1] / "plans" / f"{plan['plan_id']}.json"
    followed = say("forecast", run, "--plan", path, "--json").data
    assert followed["periods"] == plan["horizon"]["periods"] == 52
    flags = [f"--multiply={name}={times}" for name, times in by.items()]
    same = say("forecast", run, "--periods", "52", *flags, "--json").data
    assert followed["spend"] == pytest.approx(same["spend"], rel=1e-6)
    assert followed["total"]["mean"] == pytest.approx(same["total"]["mean"], rel=1e-6)


def test_a_file_of_media_goes_before_a_plan(say, world, tmp_path):
    """What the file says runs as it says, what it leaves out as planned."""
    plan = say("plan", world, "--save", "June", "--json").data
    path = world.parents[1] / "plans" / f"{plan['plan_id']}.json"
    four = ("--plan", path, "--periods", "4", "--json")
    followed = say("forecast", world, *four).data
    weeks = pd.date_range("2024-02-26", periods=4, freq="7D").strftime("%Y-%m-%d")
    media = tmp_path / "media.csv"
    pd.DataFrame({"week": weeks, "TV_spend": 500.0}).to_csv(media, index=False)
    both = say("forecast", world, *four, "--media", media).data
    assert both["spend"]["TV"] == pytest.approx(2000.0)
    search = followed["spend"]["Search"]
    assert both["spend"]["Search"] == pytest.approx(search, rel=1e-6)


def test_a_plan_that_buys_dearer_media_costs_what_it_says(say, world):
    """Not what the same media would cost at last year's prices."""
    flags = ("--price", "TV=1.25", "--save", "Dear", "--json")
    plan = say("plan", world, *flags).data
    path = world.parents[1] / "plans" / f"{plan['plan_id']}.json"
    followed = say("forecast", world, "--plan", path, "--json").data
    planned = {row["name"]: row["planned"] for row in plan["channels"]}
    assert followed["spend"] == pytest.approx(planned, rel=1e-6)
    halved = say("forecast", world, "--plan", path, "--multiply=TV=0.5", "--json").data
    usual = {row["name"]: row["current"] for row in plan["channels"]}
    spend = {"TV": usual["TV"] / 2, "Search": planned["Search"]}
    assert halved["spend"] == pytest.approx(spend, rel=1e-6)


def test_a_plan_with_a_channel_without_history_is_forecast_with_it(
    say, world, tmp_path
):
    belief = tmp_path / "new.toml"
    belief.write_text("[belief.Podcast]\nspend = 100000\nroi = [2.0, 4.0]\n")
    flags = ("--scenario", belief, "--save", "Pods", "--json")
    plan = say("plan", world, *flags).data
    [new] = [row for row in plan["channels"] if row["name"] == "Podcast"]
    path = world.parents[1] / "plans" / f"{plan['plan_id']}.json"
    followed = say("forecast", world, "--plan", path, "--json").data
    assert followed["spend"]["Podcast"] == pytest.approx(new["planned"])
    [part] = [part for part in followed["parts"] if part["name"] == "Podcast"]
    assert (part["mean"] > 0) == (new["planned"] > 0)
    whole = sum(part["mean"] for part in followed["parts"])
    assert followed["total"]["mean"] == pytest.approx(whole, rel=0.02)
