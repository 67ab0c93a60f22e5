"""Stated results and reports: every measure, and every fault by name."""

import json
from dataclasses import replace
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest

from core.data.experiments.experiment_table import read_experiments
from core.data.experiments.recognised import recognised
from core.data.files.load import load_table
from core.errors import SchemaError, SpecError
from core.experiments.results.reports import Context, read_report
from core.experiments.results.stated import Stated, as_entry
from core.experiments.results.table import read_table
from core.model.media.result import Result
from tests.small_market import market

START, END = "2024-02-05", "2024-03-03"
STATED = Stated(("tv",), START, END, "incremental_outcome", 1000.0, 200.0)
CONTEXT = Context(channels=("tv",), geos=("g0",), start=START, end=END)


@pytest.fixture(scope="module")
def data():
    return market(every_kind=True)


def window(data):
    return (data.times >= np.datetime64(START)) & (data.times <= np.datetime64(END))


def spend(data, place=0):
    return data.media.spend[:, window(data), place].sum()


def test_an_outcome_with_its_error_is_taken_as_it_is(data):
    entry = as_entry(STATED, data, "sales").as_table()
    assert entry["incremental_outcome"] == 1000.0
    assert entry["standard_error"] == pytest.approx(200.0)
    assert {"channel": "tv", "start": START, "end": END}.items() <= entry.items()
    assert "geos" not in entry and "multiple" not in entry


def test_an_interval_of_any_level_gives_the_error(data):
    stated = replace(STATED, standard_error=None, interval=(804.0, 1196.0), level=0.95)
    assert as_entry(stated, data, "sales").standard_error == pytest.approx(
        100, rel=1e-3
    )
    assert as_entry(stated, data, "sales").standard_error == 100.0018
    alone = replace(stated, value=None)
    assert as_entry(alone, data, "sales").incremental_outcome == 1000.0


@pytest.mark.parametrize("seed", range(8))
def test_an_asymmetric_interval_keeps_its_ends(data, seed):
    """Whatever is reported, its ends and its middle are those of the model's error."""
    random = np.random.default_rng(seed)
    level = random.choice([0.8, 0.9, 0.95])
    reach = NormalDist().inv_cdf(0.5 + level / 2)
    shape = random.choice([0.0, 0.15, 0.3])
    low, value, high = (2.0 * np.exp(shape * z) for z in (-reach, 0.0, reach))
    if not shape:
        low, high = 1.4, 2.6
    measure = random.choice(["iroas", "incremental_outcome", "cost_per_incremental"])
    stated = replace(
        STATED,
        measure=measure,
        value=value,
        standard_error=None,
        interval=(low, high),
        level=float(level),
    )
    entry = as_entry(stated, data, "sales").as_table()
    result = Result(
        *(entry[key] for key in ("incremental_outcome", "standard_error")),
        entry.get("skewness", 0.0),
    )
    ends = {
        "iroas": lambda x: x * spend(data),
        "incremental_outcome": lambda x: x,
        "cost_per_incremental": lambda x: spend(data) / x,
    }[measure]
    grid = np.linspace(*sorted([ends(low / 4), ends(high * 4)]), 400_001)
    grid = np.concatenate([-grid[::-1], grid])
    density = np.exp(result.log_density(grid))
    mass = np.concatenate(
        [[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))]
    )
    found = np.interp([0.5 - level / 2, 0.5, 0.5 + level / 2], mass, grid)
    assert mass[-1] == pytest.approx(1, abs=2e-3)
    np.testing.assert_allclose(found, sorted(map(ends, (low, value, high))), rtol=4e-3)
    told = result.estimate()
    weights = density / density.sum()
    if level == 0.9:
        assert told["lo"] == pytest.approx(found[0], rel=1e-2)
    assert told["mean"] == pytest.approx(weights @ grid, rel=1e-2)
    assert told["sd"] == pytest.approx(
        np.sqrt(weights @ (grid - told["mean"]) ** 2), rel=3e-2
    )
    assert ("skewness" in entry) == (shape > 0 or measure == "cost_per_incremental")


def test_an_interval_that_is_too_lopsided_is_refused(data):
    stated = replace(STATED, standard_error=None, interval=(990.0, 2000.0))
    with pytest.raises(SpecError, match="too lopsided"):
        as_entry(stated, data, "sales")


@pytest.mark.parametrize("multiple", [0.0, 0.5, 1.5])
def test_iroas_is_money_times_ratio(data, multiple):
    stated = replace(
        STATED, measure="iroas", value=3.0, standard_error=0.5, multiple=multiple
    )
    entry = as_entry(stated, data, "sales").as_table()
    money = spend(data) * abs(1 - multiple)
    assert entry["incremental_outcome"] == pytest.approx(3 * money)
    assert entry["standard_error"] == pytest.approx(0.5 * money)
    assert entry.get("multiple", 0.0) == multiple


def test_channels_together_share_their_money(data):
    stated = replace(
        STATED,
        channels=("tv", "search"),
        measure="iroas",
        value=2.0,
        standard_error=0.1,
    )
    entry = as_entry(stated, data, "sales").as_table()
    both = spend(data) + spend(data, 1)
    assert entry["incremental_outcome"] == pytest.approx(2 * both)
    assert entry["together_with"] == ["search"]


def test_a_cost_per_unit_is_money_over_cost(data):
    stated = replace(
        STATED, measure="cost_per_incremental", value=0.02, standard_error=0.002
    )
    entry = as_entry(stated, data, "sales").as_table()
    assert entry["incremental_outcome"] == pytest.approx(spend(data) / 0.02)
    assert entry["standard_error"] == pytest.approx(spend(data) / 0.2, rel=0.05)
    with pytest.raises(SpecError, match="reaches zero") as caught:
        as_entry(replace(stated, standard_error=0.02), data, "sales")
    assert "incremental outcome" in caught.value.hint


def test_a_lift_is_of_what_there_would_have_been(data):
    stated = replace(STATED, measure="lift", value=0.05, standard_error=0.01)
    total = data.outcome[:, window(data)].sum()
    entry = as_entry(stated, data, "sales").as_table()
    assert entry["incremental_outcome"] == pytest.approx(total * 0.05 / 1.05)
    geo = as_entry(replace(stated, geos=("g1",)), data, "sales").as_table()
    own = data.outcome[1, window(data)].sum()
    assert geo["incremental_outcome"] == pytest.approx(own * 0.05 / 1.05)


def test_a_lift_lost_in_the_dark_is_won_by_media(data):
    """Sales fell by 4 % without the channel: it brings 4 % of what there would be."""
    data = market(every_kind=True)
    data.media.units[:, window(data), 0] = 0.0
    data.media.spend[:, window(data), 0] = 0.0
    stated = replace(
        STATED, measure="lift", value=-0.04, standard_error=0.01, tested_at=0.0
    )
    entry = as_entry(stated, data, "sales").as_table()
    total = data.outcome[:, window(data)].sum()
    assert entry["incremental_outcome"] == pytest.approx(total * 0.04 / 0.96)
    past = data.times < np.datetime64(START)
    usual = data.media.spend[:, past, 0].sum(axis=0).mean() * window(data).sum()
    assert entry["amount"] == pytest.approx(usual)


def test_spend_of_the_test_over_usual_is_the_other_way_round(data):
    entry = as_entry(replace(STATED, tested_at=1.5), data, "sales").as_table()
    assert entry["multiple"] == pytest.approx(2 / 3)
    assert as_entry(replace(STATED, half_life=52.0), data, "sales").half_life == 52.0


def test_a_count_of_the_kpi_is_worth_its_revenue(data):
    entry = as_entry(replace(STATED, kpi="Sales"), data, "sales").as_table()
    inside = window(data)
    value = data.outcome[:, inside].sum() / data.kpi[:, inside].sum()
    assert entry["incremental_outcome"] == pytest.approx(1000 * value)
    money = as_entry(replace(STATED, kpi="revenue"), data, "sales").as_table()
    assert money["incremental_outcome"] == 1000.0


@pytest.mark.parametrize(
    ("changes", "said", "hint"),
    [
        ({"kpi": "app installs"}, "counts app installs, and the model", "in revenue"),
        ({"standard_error": None}, "has no uncertainty", "standard error"),
        ({"standard_error": 0.0}, "has no uncertainty", "standard error"),
        ({"value": None}, "has no incremental outcome", "standard error"),
        ({"interval": (5.0, 5.0)}, "5 to 5 at 0.9 is not an interval", "different"),
        ({"interval": (5.0, 6.0), "level": 1.2}, "is not an interval", "0.9"),
        ({"measure": "lift", "value": -1.2}, "lift of -120 %", "above -1"),
        ({"measure": "iroas", "channels": ("blog",)}, "blog has no spend", "cost"),
        ({"measure": "lift", "value": 0.1, "geos": ("Mars",)}, "no period", "Check"),
    ],
)
def test_impossible_results_are_refused(data, changes, said, hint):
    with pytest.raises(SpecError, match=said) as caught:
        as_entry(replace(STATED, **changes), data, "sales")
    assert hint in caught.value.hint


def test_an_iroas_where_nothing_was_spent_is_refused():
    data = market(every_kind=True)
    data.media.spend[:, window(data), 0] = 0.0
    with pytest.raises(SpecError, match="no spend in its geos and weeks"):
        as_entry(replace(STATED, measure="iroas"), data, "sales")


GEOX = {
    "results": {
        "cell_1": {"lift": {"point_estimate": 120.0, "standard_deviation": 30.0}}
    },
    "analysis_config": {
        "analysis_start_date": f"{START}T00:00:00",
        "analysis_end_date": f"{END}T00:00:00",
        "design": {
            "designs": {"cell_1": {"treatment_geos": ["g0", "g2"]}},
            "design_config": {"experiment_types": {"cell_1": 2}},
        },
    },
}


def test_a_result_of_geox():
    (made,) = read_report(json.dumps(GEOX), "geox.json", CONTEXT)
    assert (made.geos, made.start, made.end) == (("g0", "g2"), START, END)
    assert (made.value, made.standard_error) == (120.0, 30.0)
    assert made.tested_at == 0.0  # go dark: usual spend is the other arm
    held = json.loads(json.dumps(GEOX))
    held["analysis_config"]["design"]["design_config"] = {}
    (made,) = read_report(json.dumps(held), "geox.json", CONTEXT)
    assert (made.tested_at, made.multiple) == (None, 0.0)
    with pytest.raises(SchemaError, match="does not say the channel") as caught:
        read_report(json.dumps(GEOX), "geox.json", Context())
    assert "--channel" in caught.value.hint
    del held["results"]["cell_1"]["lift"]
    with pytest.raises(SchemaError, match="lacks parts"):
        read_report(json.dumps(held), "geox.json", CONTEXT)


GEOLIFT = """
Test results for 15 treatment periods, from time-stamp 91 to 105 for test markets:
1 CHICAGO
2 PORTLAND
##################################
#####     Test Statistics    #####
##################################

Percent Lift: 5.4%

Incremental Y: 4,667

P-value: 0.01
"""


def test_what_geolift_prints():
    (made,) = read_report(GEOLIFT, "out.txt", replace(CONTEXT, geos=()))
    assert made.geos == ("chicago", "portland")
    assert made.value == 4667.0
    assert made.standard_error == pytest.approx(4667 / 2.5758, rel=1e-4)
    text = GEOLIFT + "90% Confidence Interval: (2,100.5, 7,233.5)\n"
    (made,) = read_report(text, "out.txt", CONTEXT)
    assert (made.interval, made.level) == ((2100.5, 7233.5), 0.9)
    with pytest.raises(SchemaError, match="the dates of the test"):
        read_report(GEOLIFT, "out.txt", Context(channels=("tv",)))


ROBYN = {
    "channel": ["facebook_S", "tv_S+ooh_S"],
    "liftStartDate": ["2018-05-01", "2018-04-03"],
    "liftEndDate": ["2018-06-10", "2018-06-03"],
    "liftAbs": [400000, 300000],
    "spend": [421000, 7100],
    "confidence": [0.85, 0.8],
}


def test_calibration_input_of_robyn():
    known = {"facebook_S": "Facebook", "tv_S": "TV", "ooh_S": "OOH"}
    content = json.dumps({"InputCollect": {"calibration_input": ROBYN}})
    first, both = read_report(content, "robyn.json", Context(channel_names=known))
    assert (first.channels, both.channels) == (("Facebook",), ("TV", "OOH"))
    assert first.standard_error == pytest.approx(400000 / 1.4395, rel=1e-4)
    rows = [{key: value[0] for key, value in ROBYN.items()}]
    assert read_report(json.dumps(rows), "r.json", Context(channel_names=known))[
        0
    ] == replace(first, source="r.json, test 1")
    certain = json.dumps({"calibration_input": ROBYN | {"confidence": [None, None]}})
    assert read_report(certain, "r.json", Context())[0].standard_error is None


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("none", "is not a report"),
        ([1], "is not a report"),
        ({key: [] for key in ROBYN}, "is not a report"),
        (ROBYN | {"liftAbs": []}, "test 1 of calibration_input lacks a part"),
    ],
)
def test_calibration_input_of_robyn_without_a_test_is_refused(tests, said):
    with pytest.raises(SchemaError, match=said):
        read_report(json.dumps({"calibration_input": tests}), "r.json", Context())


def rows_of(text, context=CONTEXT, periods=4):
    return read_table(load_table(text.encode(), "t.csv"), "t.csv", context, periods)


def test_lift_tests_of_pymc_marketing():
    text = (
        "channel,x,delta_x,delta_y,sigma\ntv,10,5,3,1\ntv,10,-5,-3,1\ntv,10,-10,-4,1\n"
    )
    up, down, dark = rows_of(text)
    assert (up.value, up.standard_error) == (12.0, 2.0)
    assert up.multiple == pytest.approx(10 / 15)
    assert (down.value, down.multiple) == (12.0, 2.0)
    assert (dark.value, dark.amount) == (16.0, 40.0)
    with pytest.raises(SchemaError, match="the dates of the tests"):
        rows_of(text, Context())
    with pytest.raises(SchemaError, match="is not a change of spend"):
        rows_of(text.replace("10,5", "10,0"))
    with pytest.raises(SchemaError, match="row 3 has no channel"):
        rows_of(text.replace("tv,10,-5", ",10,-5"))
    with pytest.raises(SchemaError, match="row 2 has no sigma"):
        rows_of(text.replace("3,1\n", "3,\n", 1))


def test_a_channel_of_pymc_marketing_may_be_called_by_a_number():
    (test,) = rows_of("channel,x,delta_x,delta_y,sigma\n7,10,5,3,1\n")
    assert test.channels == ("7",)


@pytest.mark.parametrize(
    ("header", "cells", "measure", "value", "interval", "level"),
    [
        (
            "Platform,Start date,End date,Incremental conversions,Lower bound,"
            "Upper bound,Confidence",
            "tv,2024-02-05,2024-03-03,500,300,700,95%",
            "incremental_outcome",
            500.0,
            (300.0, 700.0),
            0.95,
        ),
        (
            "Channel,Start,End,Relative lift (%),Lower,Upper",
            "tv,2024-02-05,2024-03-03,5.4,2.1,8.7",
            "lift",
            0.054,
            (0.021, 0.087),
            0.9,
        ),
        (
            "Channel,Start,End,Incremental ROAS,Low,High,Level",
            "tv,2024-02-05,2024-03-03,2.5,1.0,4.0,0.8",
            "iroas",
            2.5,
            (1.0, 4.0),
            0.8,
        ),
        (
            "Channel,Start,End,Cost per incremental conversion,Low,High",
            "tv,2024-02-05,2024-03-03,12,10,14",
            "cost_per_incremental",
            12.0,
            (10.0, 14.0),
            0.9,
        ),
    ],
)
def test_tables_of_platforms(header, cells, measure, value, interval, level):
    (made,) = rows_of(f"{header}\n{cells}\n")
    assert (made.channels, made.start, made.end) == (("tv",), START, END)
    assert made.measure == measure
    assert made.value == pytest.approx(value)
    assert made.interval == pytest.approx(interval)
    assert made.level == pytest.approx(level)


def test_what_a_table_leaves_out_is_named():
    with pytest.raises(SchemaError, match="no column of a result"):
        rows_of("channel,start,end\ntv,2024-02-05,2024-03-03\n")
    with pytest.raises(SchemaError, match="has no channel and no start") as caught:
        rows_of("iroas,se\n2,1\n", Context())
    assert "--channel" in caught.value.hint


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": 1}', "hello", "[" * 5000])
def test_what_is_no_report_is_refused(text):
    with pytest.raises(SchemaError, match="is not a report"):
        read_report(text, "x.txt", CONTEXT)


HEADS = ("lift %", "Lift (%)", "lift pct", "lift_percent", "lift points", "lift")
CELLS = ("{:g}%", "{:g} %", "{:g} pct", "{:g} percent", "{:g} points", "{:g}")


ERRORS = ("se", "standard error", "std_error", "SD", "StdErr", "standardError")


@pytest.mark.parametrize(
    ("head", "cell", "share"),
    [
        ("lift bps", 540, 0.054),
        ("Uplift (‰)", 54, 0.054),
        ("basis points lift", 8, 8e-4),
    ],
)
def test_other_fractions_are_what_a_header_says(head, cell, share):
    text = f"channel,start,end,{head},se\ntv,{START},{END},{cell},{cell / 10:g}\n"
    (stated,) = rows_of(text)
    assert (stated.measure, stated.value) == ("lift", pytest.approx(share))
    assert stated.standard_error == pytest.approx(share / 10)


@pytest.mark.parametrize(("head", "error"), list(zip(HEADS, ERRORS, strict=True)))
def test_percent_is_percent_wherever_its_sign_stands(head, error):
    for cell, (percent, spread) in product(CELLS, ((5.4, 2.5), (-12, 3), (0.8, 0.7))):
        text = f"channel,start,end,{head},{error}\ntv,{START},{END},"
        text += f"{cell.format(percent)},{cell.format(spread)}\n"
        if head == "lift" and cell == "{:g}" and percent == 0.8:
            with pytest.raises(SchemaError, match="can be percent or shares"):
                rows_of(text)
            continue
        (stated,) = rows_of(text)
        assert stated.value == pytest.approx(percent / 100)
        assert stated.standard_error == pytest.approx(spread / 100)


@pytest.mark.parametrize("lift", [2_600_000, 150])
def test_a_bare_lift_that_can_be_an_amount_is_asked_about(lift):
    """It was read as percent: 26,000 times what there would have been."""
    cells = f"{lift},{0.6 * lift:g},{1.4 * lift:g}"
    text = f"channel,start,end,Lift,Low,High\ntv,{START},{END},{cells}\n"
    with pytest.raises(SchemaError, match="can be an amount or percent"):
        rows_of(text)
    named = text.replace("Lift", "Incremental revenue")
    (stated,) = rows_of(named)
    assert (stated.measure, stated.value) == ("incremental_outcome", lift)
    signed = text.replace(cells, "150%,120%,180%")
    assert rows_of(signed)[0].value == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("head", "cells", "value", "low"),
    [
        ("lift,low,high", "0.054,0.021,0.087", 0.054, 0.021),
        ("lift,low,high", "5.4%,2.1,8.7", 0.054, 0.021),
        ("lift %,low,high", "5.4%,0.021,0.087", 0.054, 0.021),
        ("lift %,low,high", "5.4,2.1%,8.7%", 0.054, 0.021),
        ("lift,low,high", "-120 %,-150 %,-90 %", -1.2, -1.5),
        ("lift %,se", "0.054,0.012", None, None),
        ("lift,se", "5.4%,0.9", None, None),
        ("lift,low,high", "0.054,2.1,8.7", None, None),
    ],
)
def test_lifts_and_ends_are_in_one_unit_or_asked_about(head, cells, value, low):
    text = f"channel,start,end,{head}\ntv,{START},{END},{cells}\n"
    if value is None:
        with pytest.raises(SchemaError, match="can be percent or shares|not between"):
            rows_of(text)
        return
    (stated,) = rows_of(text)
    assert (stated.value, stated.interval[0]) == pytest.approx((value, low))


@pytest.mark.parametrize(
    ("start", "end", "read"),
    [
        ("03/04/2024", "05/06/2024", None),
        ("03.04.2024", "05.06.2024", None),
        ("03.04.2024", "28.06.2024", "2024-04-03"),
        ("03/04/2024", "28/06/2024", "2024-04-03"),
        ("03/04/2024", "06/28/2024", "2024-03-04"),
        ("soon", "2024-06-28", None),
    ],
)
def test_days_of_a_test_are_read_or_refused(start, end, read):
    text = f"channel,start,end,iroas,se\ntv,{start},{end},2.5,0.5\n"
    if read is None:
        with pytest.raises(SchemaError, match="can be|is not a date"):
            rows_of(text)
    else:
        assert rows_of(text)[0].start == read


def test_a_number_that_can_be_two_is_refused():
    text = f"channel;start;end;iROAS;se\ntv;{START};{END};{{}};0.25\n"
    with pytest.raises(SchemaError, match="can be 1.853 or 1,853"):
        rows_of(text.format("1.853"))
    assert rows_of(text.format("1.8531"))[0].value == 1.8531


def test_channels_together_and_unknown_ones():
    names = {"tv": "tv", "tv_spend": "tv", "radio": "radio"}
    context = replace(CONTEXT, channel_names=names)
    text = f"channel,start,end,iroas,se\n{{}},{START},{END},2.5,0.5\n"
    assert rows_of(text.format("tv_spend+radio"), context)[0].channels == (
        "tv",
        "radio",
    )
    for joined in ("TV, Radio", "tv/radio", "Tv & RADIO"):
        cells = text.format(f'"{joined}"')
        assert rows_of(cells, context)[0].channels == ("tv", "radio")
    with pytest.raises(SchemaError, match="no channel Zeppelin"):
        rows_of(text.format("tv + Zeppelin"), context)


@pytest.mark.parametrize(
    ("low", "high", "level"),
    [
        ("ci_lower_95", "ci_upper_95", 0.95),
        ("95% CI low", "95% CI high", 0.95),
        ("Lower 2.5 %", "Upper 97.5 %", 0.95),
        ("lower (0.8)", "upper (0.8)", 0.8),
        ("low 50%", "high 80%", 0.9),
        ("low", "high", 0.9),
        ("low_2024", "high_2024", 0.9),
    ],
)
def test_the_names_of_its_ends_say_how_much_an_interval_holds(low, high, level):
    header = f"channel,start,end,incremental revenue,{low},{high}\n"
    (test,) = rows_of(header + "tv,2024-02-05,2024-03-03,500,300,700\n")
    assert test.level == pytest.approx(level)


def test_conversions_are_no_revenue_by_the_name_of_their_column(data):
    header = "channel,start,end,incremental conversions,low,high\n"
    (test,) = rows_of(header + "tv,2024-02-05,2024-03-03,500,300,700\n")
    assert test.kpi == "conversions"
    with pytest.raises(SpecError, match="counts conversions"):
        as_entry(replace(STATED, kpi=test.kpi), data, "revenue")


def test_a_cost_per_conversion_counts_conversions(data):
    header = "channel,start,end,cost per incremental conversion,low,high\n"
    (test,) = rows_of(header + "tv,2024-02-05,2024-03-03,40,30,60\n")
    with pytest.raises(SpecError, match="counts conversion"):
        as_entry(replace(STATED, kpi=test.kpi), data, "revenue")


@pytest.mark.parametrize(
    ("start", "end", "last"),
    [
        ("2024-W06", "2024-W09", "2024-03-03"),
        ("KW 6/2024", "KW 9/2024", "2024-03-03"),
        ("Feb 2024", "March 2024", "2024-03-31"),
        ("February 2024", "February 2024", "2024-02-29"),
        ("2024-Q1", "2024-Q2", "2024-06-30"),
        ("2024-02-05", "2024-03-03", "2024-03-03"),
        ("26.02.2024", "03.03.2024", "2024-03-03"),
    ],
)
def test_a_test_goes_on_until_the_last_day_of_the_week_or_month_that_is_named(
    start, end, last
):
    text = f"channel,start,end,incremental outcome,se\ntv,{start},{end},900,90\n"
    assert rows_of(text)[0].end == last
    frame = load_table(text.replace(" outcome", "_outcome").encode(), "tests.csv")
    assert read_experiments(frame, "tests.csv").rows[0].end == last


@pytest.mark.parametrize(
    ("result", "error", "cells"),
    [
        ("incremental_outcome", "standard_error", "900,30 %"),
        ("incremental_outcome (k)", "standard_error", "90,9"),
        ("incremental revenue (TEUR)", "standard error", "90,9"),
        ("incremental revenue", "standard error (k)", "90000,9"),
    ],
)
def test_an_error_in_another_unit_than_its_result_is_refused(result, error, cells):
    text = f"channel,start,end,{result},{error}\ntv,{START},{END},{cells}\n"
    with pytest.raises(SchemaError, match="are in two units"):
        rows_of(text)
    frame = load_table(text.encode(), "tests.csv")
    said = [one.message for one in read_experiments(frame, "tests.csv").findings]
    assert any("are in two units" in each for each in said)


def test_an_error_in_the_unit_of_its_result_is_read():
    head = "channel,start,end,incremental revenue (k),standard error (k)\n"
    (test,) = rows_of(head + f"tv,{START},{END},90,9\n")
    assert (test.value, test.standard_error) == (90_000, 9_000)


def test_columns_of_robyn_that_differ_in_length_are_refused():
    tests = {
        "channel": ["tv", "radio", "tv"],
        "liftAbs": [100.0, 200.0],
        "liftStartDate": ["2024-02-05"],
        "liftEndDate": ["2024-03-03"],
        "confidence": [0.9],
    }
    with pytest.raises(SchemaError, match="liftAbs of calibration_input"):
        read_report(json.dumps({"calibration_input": tests}), "r.json", Context())
    tests["liftAbs"].append(300.0)
    every = read_report(json.dumps({"calibration_input": tests}), "r.json", Context())
    assert [each.value for each in every] == [100.0, 200.0, 300.0]


MEASURES = {
    "Lift": "lift",
    "Relative uplift": "lift",
    "iROAS": "iroas",
    "Incremental revenue": "incremental_outcome",
    "Cost per incremental conversion": "cost_per_incremental",
}
COMPARED = ("to baseline", "to control", "to date", "from TV", "from ads", "until now")
TESTED = ("", "Test", "Lift test", "Conversion lift study", "Geo experiment")


@pytest.mark.parametrize(
    ("measure", "tail", "case"),
    list(product(MEASURES, COMPARED, (str, str.upper, str.lower))),
)
def test_a_result_that_is_compared_to_something_is_no_day(measure, tail, case):
    name = case(f"{measure} {tail}").replace("IROAS", "iROAS")
    assert recognised([name]) == {MEASURES[measure]: name}
    both = recognised([name, "Start", "End"])
    assert both == {MEASURES[measure]: name, "start": "Start", "end": "End"}


@pytest.mark.parametrize(
    ("what", "key", "word", "tail"),
    list(
        product(
            TESTED,
            ("start",),
            ("from",),
            ("", "date", "day"),
        )
    )
    + list(product(TESTED, ("end",), ("to", "until"), ("", "date", "week"))),
)
def test_days_of_a_test_may_be_named_by_from_and_to(what, key, word, tail):
    name = " ".join(part for part in (what, word, tail) if part)
    assert recognised([name]) == {key: name}


@pytest.mark.parametrize("seed", range(12))
def test_command_and_screen_read_the_same_from_a_table_of_results(data, seed):
    """Whatever a row says besides, the other arm and the half-life among them."""
    random = np.random.default_rng(seed)
    rows, names = [], ["tv", "search"]
    is_joint, has_amount = random.random(2) < 0.5
    for name in names[: 1 if is_joint else 2]:
        row = {"channel": name, "geos": "g0; g1", "start": START, "end": END}
        row["incremental_outcome"] = round(float(random.normal(1000, 300)), 2)
        row["standard_error"] = round(float(random.uniform(50, 400)), 2)
        if is_joint:
            row["together_with"] = "search"
        if has_amount and not is_joint:
            row["amount"] = float(random.integers(1, 9) * 1000)
        elif random.random() < 0.7:
            row["multiple"] = float(random.choice([0.5, 1.5]))
        if random.random() < 0.7:
            row["half_life"] = float(random.integers(4, 100))
        rows.append(row)
    heads = list(
        dict.fromkeys(random.permutation([key for row in rows for key in row]))
    )
    lines = [",".join(str(row.get(head, "")) for head in heads) for row in rows]
    text = "\n".join([",".join(heads), *lines])
    frame = load_table(text.encode(), "tests.csv")
    known = {name: name for name in names}
    stated = read_table(frame, "tests.csv", Context(channel_names=known), 1)
    entries = tuple(as_entry(each, data, "sales") for each in stated)
    read = read_experiments(frame, "tests.csv", ("g0", "g1"))
    assert not read.findings
    for given, typed in zip(entries, read.rows, strict=True):
        for key, value in typed.as_table().items():
            other = given.as_table()[key]
            is_same = other == value or other == pytest.approx(value, rel=1e-6)
            assert is_same, (key, other, value)
        assert given.as_table().keys() == typed.as_table().keys()
