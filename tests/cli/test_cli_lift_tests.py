"""python -m core tests: list, design, brief, read and add."""

import json

import pandas as pd
import pytest

from core.cli.tests.lift_tests import designs_table
from core.experiments.kept import as_kept
from core.project.fits.runs import latest_fit
from core.project.lift_tests.lift_tests import keep_lift_test, lift_tests
from core.project.settings.project import load_project
from core.text.units import units
from tests.charts import synthetic
from tests.experiments.geo_world import END, START, TREATED, project_of_geos, table
from tests.pages import worlds
from tests.reference import REFERENCE
from tests.view.designs import design


@pytest.fixture
def by_geo(home):
    """A project of four geos."""
    return project_of_geos()


@pytest.fixture
def fitted(by_geo):
    """The same with a finished fit."""
    worlds.fit(by_geo, has_geo_curves=True)
    return by_geo


def read(say, project, *more):
    where = ("--treated", TREATED, "--start", START, "--end", END)
    return say("tests", "read", project, *where, *more)


@pytest.mark.skipif(not (REFERENCE / "public").is_dir(), reason="no public tables")
def test_a_table_without_media_is_read(say):
    said = say(
        *("tests", "read", REFERENCE / "public" / "geolift_test.csv"),
        *("--treated", "chicago,portland"),
        *("--start", "2021-04-01", "--end", "2021-04-15", "--json"),
    )
    assert said.code == 0, said.err
    told = said.data
    assert {"lift", "incremental", "iroas", "p", "checks"} <= told.keys()
    assert told["lift"]["lo"] < 0.054 < told["lift"]["hi"]
    assert told["incremental"]["lo"] < 4667 < told["incremental"]["hi"]
    assert told["iroas"] is None


def test_a_project_is_read_with_what_the_model_expects(say, fitted):
    said = read(say, fitted, "--channel", "TV", "--json")
    assert said.code == 0, said.err
    told = said.data
    assert told["lift"]["mean"] == pytest.approx(-0.1, abs=0.03)
    assert told["iroas"]["mean"] > 0
    assert told["model"]["mean"] < 0
    assert {check["status"] for check in told["checks"]} <= {"good", "warning"}
    text = read(say, fitted, "--channel", "TV").out
    assert "The model expects" in text and "iROAS" in text


def test_a_read_out_is_kept_and_given_to_the_model(say, fitted):
    told = ("--channel", "TV", "--save", "TV off", "--to-model")
    checks = read(say, fitted, "--channel", "TV", "--json").data["checks"]
    doubts = [check["message"] for check in checks if check["status"] == "warning"]
    refused = read(say, fitted, *told)
    assert doubts and refused.code != 0
    assert all(
        " ".join(doubt.split()) in " ".join(refused.err.split()) for doubt in doubts
    )
    assert not load_project(fitted).experiments and not lift_tests(fitted)
    said = read(say, fitted, *told, "--despite-warnings")
    assert said.code == 0, said.err
    assert "fit again" in said.err
    (entry,) = load_project(fitted).experiments
    assert (entry.channel, entry.geos) == ("TV", (TREATED,))
    assert entry.incremental_outcome > 0 and entry.amount > 0
    (kept,) = lift_tests(fitted)
    assert kept.in_model and kept.entry == entry
    listed = say("tests", "list", fitted, "--json").data
    assert [(test["name"], test["state"]) for test in listed["tests"]] == [
        ("TV off", "in the model")
    ]
    assert say("check", fitted).code == 0
    again = read(say, fitted, *told, "--despite-warnings")
    assert again.code == 1 and "would count it twice" in " ".join(again.err.split())
    assert load_project(fitted).experiments == (entry,)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"--treated": "Mars"}, "Mars is not in the data"),
        ({"--end": "2023-09-01"}, "before it starts"),
        ({"--treated": "North,South,East"}, "1 geo is left"),
        ({"--channel": "Radio"}, "Radio has no spend"),
    ],
)
def test_bad_tests_are_refused_with_the_remedy(say, by_geo, changes, said):
    options = {"--treated": TREATED, "--start": START, "--end": END} | changes
    arguments = [part for pair in options.items() for part in pair]
    refused = say("tests", "read", by_geo, *arguments)
    assert refused.code == 1
    assert said in refused.err
    assert "--treated is missing" in say("tests", "read", by_geo).err


def test_designs_are_ranked_kept_and_briefed(say, fitted, tmp_path):
    said = say("tests", "design", fitted, "--channel", "TV", "--weeks", "4", "--json")
    assert said.code == 0, said.err
    designs = said.data["designs"]
    keys = {"kind", "geos", "start", "weeks", "standard_error", "mde", "power"}
    assert keys | {"cost", "value", "net"} <= designs[0].keys()
    net = [each["net"]["mean"] for each in designs]
    assert net == sorted(net, reverse=True)
    assert {each["channel"] for each in designs} == {"TV"}
    assert "100 % of the designs" in said.err
    again = say(
        *("tests", "design", fitted, "--channel", "TV", "--weeks", "4"),
        *("--kind", "dark", "--top", "1", "--save", "Next"),
    )
    assert again.code == 0, again.err
    assert "Lift  Power" in again.out and "kept as Next" in again.err
    assert ("Run this: TV" in again.out) != ("None is worth its cost" in again.out)
    pays = "Run this: TV" in again.out
    assert ("By this fit the test is not worth its cost" in again.err) != pays
    assert "tests brief" in again.err  # what comes next
    (kept,) = lift_tests(fitted)
    outs = [tmp_path / f"brief{end}" for end in (".html", ".csv", ".json")]
    flags = [part for out in outs for part in ("--out", out)]
    said = say("tests", "brief", fitted, "Next", *flags)
    assert said.code == 0, said.err
    page = outs[0].read_text()
    assert "Switch off TV in" in page and kept.geos[0] in page
    rows = pd.read_csv(outs[1])
    assert len(rows) == 4 * 4
    dark = rows[rows["arm"] == "treatment"]
    assert (dark["planned"] == 0).all() and (dark["usual"] > 0).all()
    design = json.loads(outs[2].read_text())
    assert design["designs"]["cell_1"]["treatment_geos"] == list(kept.geos)
    where = ("--channel", "TV", "--start", kept.start)
    assert say("tests", "add", fitted, outs[2], *where).code == 0
    assert lift_tests(fitted)[1].geos == kept.geos
    assert say("tests", "brief", fitted, "Next", "--out", "b.pdf").code == 1
    assert "No test is" in say("tests", "brief", fitted, "Last", "--out", "b.csv").err


def test_a_national_market_is_told_how_weak_its_tests_are(say, project):
    worlds.fit(project)
    said = say("tests", "design", project, "--channel", "TV", "--top", "2")
    assert said.code == 0, said.err
    assert "Split your market by region first" in said.out


def test_tests_are_designed_without_a_fit(say, by_geo, tmp_path):
    file = tmp_path / "sales.csv"
    table()[["week", "geo", "revenue"]].to_csv(file, index=False)
    told = []
    for source in (by_geo, file):
        said = say("tests", "design", source, "--weeks", "2,8", "--json")
        assert said.code == 0, said.err
        told.append(said.data)
        designs = said.data["designs"]
        assert {each["weeks"] for each in designs} == {2, 8}
        assert [each["mde"] for each in designs] == sorted(
            each["mde"] for each in designs
        )
        for each in designs:
            assert 0 < each["mde"] < 0.2 and each["geos"]
            powers = [at["power"] for at in each["power"]]
            assert powers == sorted(powers) and not {"cost", "value", "net"} & {*each}
        text = say("tests", "design", source, "--top", "1").out
        assert "Without a fit" in text and "Power at 5 %" in text
    assert told[0]["designs"] == told[1]["designs"]
    saved = say("tests", "design", by_geo, "--save", "Next")
    assert saved.code == 1 and "a fit has ranked" in saved.err
    foreign = say("tests", "design", by_geo, "--channel", "Telly")
    assert foreign.code == 1 and "Telly is not a channel" in foreign.err


@pytest.mark.parametrize("option", ["--geos", "--leave-out", "--control"])
@pytest.mark.parametrize("has_fit", [False, True])
def test_foreign_geos_of_a_design_are_named(say, by_geo, option, has_fit):
    if has_fit:
        worlds.fit(by_geo, has_geo_curves=True)
    refused = say("tests", "design", by_geo, option, "North,Mars", "--weeks", "4")
    assert refused.code == 1 and "Mars is not in the data" in refused.err


def test_designs_fit_a_terminal_of_100_columns():
    name = "Paid Social Prospecting Video (United Kingdom and Ireland)"
    designs = [design(channel, net=-123456789.0) for channel in (name, "TV")]
    text = designs_table(designs, units({"currency": "USD"}))
    rows = text.splitlines()
    assert len(rows) > 4 and max(map(len, rows)) <= 100
    assert all(word in text for word in name.split())


def test_what_cannot_be_designed_is_said(say, by_geo):
    worlds.fit(by_geo, has_geo_curves=True)
    refused = say("tests", "design", by_geo, "--channel", "Telly")
    assert refused.code == 1 and "Telly is not a channel" in refused.err
    assert say("tests", "design", by_geo, "--weeks", "50").code == 2


def test_results_of_a_report_go_into_the_model(say, by_geo, tmp_path):
    file = tmp_path / "lift.csv"
    file.write_text(
        "platform,start date,end date,iROAS,lower,upper,confidence\n"
        "TV,2022-03-07,2022-04-03,2.5,1.5,3.5,90\n"
    )
    said = say("tests", "add", by_geo, file, "--half-life", "52", "--json")
    assert said.code == 0, said.err
    (entry,) = load_project(by_geo).experiments
    assert said.data["added"] == [entry.as_table()]
    frame = table()
    inside = frame["week"].between("2022-03-07", "2022-04-03")
    money = frame.loc[inside, "TV_spend"].sum()
    assert entry.incremental_outcome == pytest.approx(2.5 * money)
    assert entry.half_life == 52
    assert "1 result is in project.toml" in say("tests", "list", by_geo).out
    again = say("tests", "add", by_geo, file)
    assert again.code == 1 and "has the cells of test 1" in again.err
    other = say("tests", "add", by_geo, file, "--kpi", "app installs")
    assert other.code == 1 and "counts app installs" in other.err
    assert load_project(by_geo).currency == "EUR"
    spent = say("tests", "add", by_geo, file, "--amount", "5000 USD")
    assert spent.code == 1 and "Convert it to EUR" in spent.err
    assert "There is no file" in say("tests", "add", by_geo, "nothing.csv").err
    assert len(load_project(by_geo).experiments) == 1


def test_data_that_break_a_test_are_said(say, by_geo):
    test = {"name": "Dim", "channels": ["TV"], "kind": "dim", "multiple": 0.5}
    test |= {"geos": ["South"], "start": START, "end": END}
    keep_lift_test(by_geo, as_kept(test))
    said = say("tests", "list", by_geo)
    assert "Dim: South should have 0.5 times its usual TV spend" in said.err
    assert "Dim: North is a control geo" in said.err
    (told,) = say("tests", "list", by_geo, "--json").data["tests"]
    assert told["state"] == "over" and len(told["broken"]) >= 2


def test_data_that_end_with_the_last_week_of_a_test_are_all_it_needs(say, by_geo):
    """The last week begins on 25 Dec; it holds the days up to the 31st."""
    about = {"name": "Off", "channels": ["TV"], "kind": "dark", "multiple": 0.0}
    about |= {"geos": [TREATED], "start": "2023-12-04"}
    for end, step in (("2023-12-31", "It is over: read it."), ("2024-01-01", "add")):
        keep_lift_test(by_geo, as_kept(about | {"end": end}))
        (told,) = (
            each
            for each in say("tests", "list", by_geo, "--json").data["tests"]
            if each["end"] == end
        )
        assert told["state"] == "over" and step in told["next"]


def test_nothing_yet(say, by_geo):
    assert "No tests yet" in say("tests", "list", by_geo).out
    assert say("tests", "list", by_geo, "--json").data == {"tests": [], "did": []}


def test_the_list_says_what_tests_did(say, fitted):
    seen = synthetic.experiments()[0] | {
        "channel": "TV",
        "geos": [TREATED],
        "start": START,
        "end": END,
        "amount": 2e5,
    }
    worlds.fit(fitted, has_geo_curves=True, experiments=(seen,))
    said = say("tests", "list", fitted)
    assert said.code == 0, said.err
    assert "The test found" in said.out and "The model says" in said.out
    (did,) = say("tests", "list", fitted, "--json").data["did"]
    assert did["fit_before"] == 1 and did["now"] == seen["posterior"]
    assert did["plan"]["worth"]["mean"] >= 0


def test_a_plan_of_geos_keeps_to_planned_tests(say, fitted):
    about = {"name": "TV off", "channels": ["TV"], "kind": "dark", "multiple": 0.0}
    about |= {"geos": [TREATED], "start": "2024-01-01", "end": "2024-03-03"}
    keep_lift_test(fitted, as_kept(about))
    fit = latest_fit(fitted).folder
    asked = ("plan", fit, "--over", "geos")
    said = say(*asked, "--json")
    assert said.code == 0, said.err
    (reserved,) = said.data["scenario"]["geos"]["reserved"]
    assert reserved["test"] == "TV off"
    assert reserved["geos"][TREATED][1] == 0.0 < reserved["geos"][TREATED][0]
    assert "planned test TV off" in say(*asked).out
    without = say(*asked, "--without-tests", "--json")
    assert "reserved" not in without.data["scenario"]["geos"]


def test_geos_chosen_by_hand_are_scored(say, fitted):
    asked = ("--channel", "TV", "--weeks", "4", "--kind", "dark", "--geos", "East,West")
    said = say("tests", "design", fitted, *asked, "--json")
    assert said.code == 0, said.err
    scores = said.data["assignment"]
    assert scores["cells"] == [["East", "West"]]
    assert any("Only 2 geos are left" in warning for warning in scores["warnings"])
