"""The life of a test: its states, what is next, what breaks it, and its papers."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import SchemaError, SpecError
from core.experiments.design.market import expected_effect
from core.experiments.design.ranking import Options, rank
from core.experiments.kept import as_kept
from core.experiments.life import (
    broken_by,
    entry_of,
    geox_design,
    next_step,
    planned_by_geox,
    planned_test,
    spend_of_test,
    state_of,
)
from core.experiments.panel import Panel
from core.experiments.reading.geo_test import GeoTest
from core.experiments.reading.readout import read_out
from tests.experiments.geo_panels import market, panel, with_lift
from tests.reference import REFERENCE

PLANNED = {
    "test_id": "1",
    "name": "TV off",
    "channels": ["TV"],
    "kind": "dark",
    "multiple": 0.0,
    "geos": ["g03", "g07"],
    "start": "2024-09-02",
    "end": "2024-09-29",
}
TEST, WINDOW = as_kept(PLANNED), (PLANNED["start"], PLANNED["end"])


@pytest.mark.parametrize(
    ("changes", "today", "state", "said"),
    [
        ({"start": "", "end": ""}, "2024-08-01", "idea", "rank the designs"),
        ({}, "2024-08-01", "planned", "starts on 2 Sep 2024"),
        ({}, "2024-09-02", "running", "alone until 29 Sep 2024"),
        ({}, "2024-09-29", "running", "alone until 29 Sep 2024"),
        ({}, "2024-10-01", "over", "add data up to 29 Sep 2024"),
        ({}, "2024-10-20", "over", "read it"),
        ({"readout": {"p": 0.1}}, "2024-10-20", "read", "Add it to the model"),
        ({"readout": {}, "in_model": True}, "2024-10-20", "in the model", "Fit again"),
    ],
)
def test_states_follow_from_what_was_done_and_the_day(changes, today, state, said):
    test = as_kept(PLANNED | changes)
    last = "2024-09-22" if today < "2024-10-10" else "2024-10-13"
    assert state_of(test, today) == state
    assert said in next_step(test, today, last)


def spent(given, geos, times):
    money = given.spend["TV"].copy()
    money[np.ix_(given.is_in(geos), given.within(*WINDOW))] *= times
    return replace(given, spend={"TV": money})


def steady():
    """A market that spends the same every week."""
    given = panel(24, seed=4)
    money = np.repeat(given.spend["TV"][:, :1], len(given.times), axis=1)
    return replace(given, spend={"TV": money})


def test_spend_of_a_test_is_usual_but_in_treated_geos():
    rows = spend_of_test(steady(), TEST)
    assert len(rows) == 24 * 4
    for row in rows:
        is_treated = row.geo in PLANNED["geos"]
        assert row.arm == ("treatment" if is_treated else "control")
        assert row.planned == (0.0 if is_treated else row.usual)
    future = as_kept(PLANNED | {"start": "2025-01-06", "end": "2025-02-02"})
    assert spend_of_test(steady(), future)[0].week == "2025-01-06"
    with pytest.raises(SpecError, match="Radio has no spend"):
        spend_of_test(steady(), as_kept(PLANNED | {"channels": ["Radio"]}))


def test_data_that_break_a_test_are_named():
    carried_out = spent(steady(), PLANNED["geos"], 0.0)
    assert broken_by(carried_out, TEST) == ()
    assert broken_by(steady().before(PLANNED["start"]), TEST) == ()
    idle = broken_by(spent(carried_out, ("g07",), 1.0), TEST)
    assert idle == ()
    partly = spent(spent(steady(), ("g03",), 0.0), ("g05",), 0.0)
    said = broken_by(partly, TEST)
    assert len(said) == 2
    assert any(line.startswith("g05 is a control geo") for line in said)
    assert any(line.startswith("g07 should have 0 times") for line in said)


def read(times, lift):
    given = spent(steady(), PLANNED["geos"], times)
    given = with_lift(given, PLANNED["geos"], *WINDOW, lift)
    test = GeoTest(tuple(PLANNED["geos"]), *WINDOW, ("TV",))
    return given, read_out(given, test)


def test_a_dark_test_enters_as_what_the_money_would_have_brought():
    given, readout = read(0.0, -0.1)
    entry = entry_of(readout).as_table()
    assert entry["incremental_outcome"] == pytest.approx(-readout.incremental.mean)
    assert entry["incremental_outcome"] > 0
    usual = given.spend["TV"][given.is_in(PLANNED["geos"]), 0].sum() * 4
    assert entry["amount"] == pytest.approx(usual)
    assert "multiple" not in entry


@pytest.mark.parametrize(("times", "lift"), [(0.5, -0.05), (1.5, 0.05)])
def test_a_partial_test_enters_with_usual_spend_as_the_other_arm(times, lift):
    given, readout = read(times, lift)
    entry = entry_of(readout).as_table()
    assert entry["multiple"] == pytest.approx(1 / times)
    sign = np.sign(times - 1)
    assert entry["incremental_outcome"] == pytest.approx(
        sign * readout.incremental.mean
    )
    assert entry["standard_error"] == pytest.approx(readout.incremental.sd)


def test_a_test_without_a_channel_or_a_change_is_no_entry():
    given, readout = read(1.0, 0.0)
    with pytest.raises(SpecError, match="hardly changed"):
        entry_of(readout)
    nameless = replace(readout, test=replace(readout.test, channels=()))
    with pytest.raises(SpecError, match="does not say which channel"):
        entry_of(nameless)


def test_channels_that_were_off_together_are_no_entry():
    _, readout = read(0.0, -0.1)
    joint = replace(readout, test=replace(readout.test, channels=("TV", "Radio")))
    with pytest.raises(SpecError, match="were off together") as caught:
        entry_of(joint)
    assert "one at a time" in caught.value.hint


def test_the_model_says_what_it_expects_of_a_test_that_ran():
    made = market(2, 16, seed=3)
    names = made.panel.geos[:3]
    money = made.panel.spend["c0"].copy()
    money[np.ix_(made.panel.is_in(names), made.panel.within(*WINDOW))] = 0.0
    made = replace(made, panel=replace(made.panel, spend={"c0": money}))
    readout = read_out(made.panel, GeoTest(names, *WINDOW, ("c0",)))
    told = expected_effect(made, readout)
    usual = readout.usual_spend["c0"] / 4
    level = usual / money[made.panel.is_in(names)].sum(axis=0).mean()
    loss = made.difference("c0", names, 0.0, level)[0] * 4 / 104
    assert told["mean"] == pytest.approx(loss.mean() * made.seen("c0", 4), rel=1e-6)
    assert told["hi"] < 0
    unknown = replace(readout, spend_change={})
    assert expected_effect(made, unknown) is None
    more = {"c0": 1.5 * readout.usual_spend["c0"]}
    dear = replace(readout, usual_spend=more, spend_change={"c0": -more["c0"]})
    assert expected_effect(made, dear)["mean"] < 1.1 * told["mean"]


def test_the_model_expects_nothing_of_a_test_that_it_knows_a_part_of():
    made = market(2, 16, seed=3)
    names = made.panel.geos[:3]
    money = made.panel.spend["c0"].copy()
    money[np.ix_(made.panel.is_in(names), made.panel.within(*WINDOW))] = 0.0
    made = replace(made, panel=replace(made.panel, spend={"c0": money, "new": money}))
    readout = read_out(made.panel, GeoTest(names, *WINDOW, ("c0", "new")))
    assert expected_effect(made, readout) is None


def test_a_design_becomes_a_plan_and_a_design_of_geox():
    made = market(2, 16, seed=3)
    best = rank(made, ("c0",), Options(weeks=(4,), kinds=("dark",)))[0]
    test = planned_test(best, "First")
    assert test.geos == best.geos
    assert state_of(test, "2024-01-01") == "planned"
    told = json.loads(json.dumps(geox_design(made.panel, test)))
    assert told["designs"]["cell_1"]["treatment_geos"] == sorted(best.geos)
    assert {*told["control_geos"]} == {*made.panel.geos} - {*best.geos}
    config = told["design_config"]
    assert config["experiment_duration"] == "P28D"
    assert config["experiment_types"] == {"cell_1": 2}
    (back,) = planned_by_geox(told, "d.json", ("c0",), best.start, made.panel)
    same = ("channels", "kind", "multiple", "geos", "start", "end")
    assert [getattr(back, key) for key in same] == [getattr(test, key) for key in same]
    for place in ("treated", "control"):
        foreign = json.loads(json.dumps(told))
        geos = foreign["control_geos"]
        if place == "treated":
            geos = foreign["designs"]["cell_1"]["treatment_geos"]
        geos += ["Mars", "Venus"]
        with pytest.raises(SpecError, match="Mars and Venus are not in the data"):
            planned_by_geox(foreign, "d.json", ("c0",), best.start, made.panel)
    with pytest.raises(SpecError, match="Radio is not a channel"):
        planned_by_geox(told, "d.json", ("Radio",), best.start, made.panel)


@pytest.mark.skipif(not (REFERENCE / "public").is_dir(), reason="no public tables")
def test_a_design_that_geox_wrote_becomes_a_planned_test():
    name = "geox_example_design_stratified_sampling_holdback.json"
    content = json.loads((REFERENCE / "public" / name).read_text())
    design = content["designs"]["cell_1"]
    geos = [*design["treatment_geos"], *content["control_geos"]]
    times = np.arange("2020-01-06", "2020-03-30", 7, dtype="datetime64[D]")
    given = Panel(tuple(geos), times, np.ones((len(geos), len(times))))
    (test,) = planned_by_geox(content, name, ("Search",), "2020-04-01", given)
    assert len(test.geos) == 27
    assert (test.start, test.end) == ("2020-04-01", "2020-04-30")
    with pytest.raises(SchemaError, match="neither channel nor first day"):
        planned_by_geox(content, name, (), "2020-04-01", given)
    with pytest.raises(SchemaError, match="is not a date"):
        planned_by_geox(content, name, ("Search",), "soon", given)
    with pytest.raises(SchemaError, match="lacks parts"):
        planned_by_geox({"designs": {}}, name, ("Search",), "2020-04-01", given)
