import json

import numpy as np
import pytest

from core.project.settings.project import load_project
from tests.pages import worlds
from tests.reference import REFERENCE, needs_reference

FINDING = {"severity", "where", "message", "hint"}


@pytest.fixture
def sales(tmp_path):
    path = tmp_path / "sales.csv"
    worlds.table().to_csv(path, index=False)
    return path


def test_check_of_a_good_table(say, sales):
    said = say("check", sales, "--json")
    assert said.code == 0
    assert set(said.data) == {"findings"}
    assert all(set(finding) == FINDING for finding in said.data["findings"])
    assert not any(f["severity"] == "error" for f in said.data["findings"])


def test_check_of_a_project(say, project):
    assert say("check", project, "--json").code == 0
    by_name = say("check", project.name)
    assert by_name.code == 0
    assert by_name.err == ""


def test_check_looks_at_lift_tests_and_options(say, project):
    text = (project / "project.toml").read_text()
    test = """
[[experiment]]
channel = "TV"
start = "1999-01-04"
end = "1999-02-01"
incremental_outcome = 1000.0
standard_error = 100.0
"""
    (project / "project.toml").write_text(text + test)
    said = say("check", project, "--json")
    assert said.code == 1
    assert [f["where"] for f in said.data["findings"][:1]] == ["Test 1"]
    geo = text.replace("[model]", '[model]\nbaseline_geo = "Atlantis"')
    (project / "project.toml").write_text(geo)
    said = say("check", project, "--json")
    assert said.code == 1
    assert "Atlantis is not in the data" in said.err


def test_check_names_channels_that_follow_demand(say, home):
    frame = worlds.table()
    season = np.cos(2 * np.pi * np.arange(len(frame)) / 52.18)
    rng = np.random.default_rng(1)
    frame["Search_spend"] = 1e4 * np.exp(
        0.8 * season + 0.2 * rng.standard_normal(len(frame))
    )
    folder = worlds.create_project("Seasonal", frame, worlds.mapping())
    said = say("check", folder, "--json")
    assert said.code == 0
    told = {f["where"]: f for f in said.data["findings"] if f["severity"] == "info"}
    assert "Search follows demand with a probability of" in told["Search"]["message"]
    assert "TV" not in told
    assert "lift test" in told["Search"]["hint"]


def test_check_says_what_blocks_a_fit(say, tmp_path):
    table = worlds.table()
    table.loc[3, "TV_spend"] = -5.0
    table.loc[7, "revenue"] = None
    path = tmp_path / "wrong.csv"
    table.to_csv(path, index=False)
    said = say("check", path, "--json")
    assert said.code == 1
    errors = [f for f in said.data["findings"] if f["severity"] == "error"]
    assert len(errors) >= 2
    assert any("TV" in f["message"] for f in errors)
    assert "block" in said.err
    shown = say("check", path)
    assert shown.code == 1
    assert "error" in shown.out
    # Each is said once to whoever reads both.
    assert f"{len(errors)} errors block a fit." in shown.err
    for finding in errors:
        assert f"{shown.out}{shown.err}".count(finding["message"]) == 1


@pytest.mark.parametrize(
    ("content", "word"),
    [(b"", "empty"), (b"PK\x03\x04 no", "wrong.csv"), (b"a,b\n1,2\n", "date")],
)
def test_check_of_what_is_no_table(say, tmp_path, content, word):
    path = tmp_path / "wrong.csv"
    path.write_bytes(content)
    said = say("check", path, "--json")
    assert said.code == 1
    (finding,) = said.data["findings"]
    assert finding["severity"] == "error"
    assert word in finding["message"]
    assert finding["message"] in said.err


def test_check_of_a_project_cut_in_half(say, project):
    path = project / "project.toml"
    path.write_text(path.read_text()[: path.stat().st_size // 2])
    said = say("check", project, "--json")
    assert said.code == 1
    assert said.data["findings"]
    assert "project.toml" in said.out


def test_check_of_nothing(say):
    said = say("check", "nowhere.csv", "--json")
    assert said.code == 1
    assert "nowhere.csv" in said.err


def test_init_makes_a_project_that_can_be_checked(say, sales, tmp_path):
    said = say("init", sales, "--out", tmp_path / "market", "--json")
    assert said.code == 0
    assert said.data["project"] == str(tmp_path / "market")
    project = load_project(tmp_path / "market")
    assert project.name == "market"
    assert project.mapping.kpi == "revenue"
    assert {c.name for c in project.mapping.channels} >= {"TV", "Search"}
    assert say("check", tmp_path / "market").code == 0


def test_init_says_what_blocks_a_fit(say, sales, tmp_path):
    assert say("init", sales, "--out", tmp_path / "market").err == ""
    frame = worlds.table().astype(object)
    frame.iloc[3, frame.columns.get_loc("TV_spend")] = "tbc"
    frame.to_csv(sales, index=False)
    said = say("init", sales, "--out", tmp_path / "other", "--json")
    assert said.code == 0
    assert said.err.startswith("1 error blocks a fit. Column TV_spend has a cell")


def test_init_makes_no_project_of_the_app_that_the_app_would_not_open(
    say, sales, home, tmp_path
):
    refused = say("init", sales, "--out", home / "projects" / "Spring: new")
    assert refused.code == 1 and "cannot name a project" in refused.err
    assert not (home / "projects" / "Spring: new").exists()
    assert say("init", sales, "--out", tmp_path / "Spring: new").code == 0


def test_init_shows_what_it_recognised(say, sales, tmp_path):
    said = say("init", sales, "--out", tmp_path / "market")
    assert said.code == 0
    assert "KPI:" in said.out
    assert "TV_spend" in said.out


def test_init_names_what_it_leaves_out(say, tmp_path):
    path = tmp_path / "sales.csv"
    worlds.table().assign(returns_share=0.1, revenue_last_year=5.0).to_csv(
        path, index=False
    )
    said = say("init", path, "--out", tmp_path / "market")
    (line,) = (line for line in said.out.splitlines() if line.startswith("not used:"))
    assert "revenue_last_year" in line and "TV_spend" not in line


@pytest.mark.parametrize("named", [(), ("sale",), ("sale", "moved")])
def test_a_column_of_events_is_not_among_those_not_used(say, tmp_path, named):
    frame = worlds.table()
    for column, week in (("sale", 5), ("moved", 9)):
        frame[column] = [""] * week + [f"{column} on"] + [""] * (len(frame) - week - 1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    answers = [word for column in named for word in ("--events", column)]
    said = say("init", tmp_path / "data.csv", "--out", tmp_path / "market", *answers)
    assert said.code == 0, said.err
    lines = dict(line.split(":", 1) for line in said.out.splitlines() if ":  " in line)
    events, unused = lines.get("events from", ""), lines.get("not used", "")
    for column in ("sale", "moved"):
        assert (column in events) == (column in named)
        assert (column in unused) == (column not in named)


def test_init_says_how_numbers_are_written(say, sales, tmp_path):
    said = say("init", sales, "--out", tmp_path / "markt", "--locale", "de")
    assert said.code == 0
    assert load_project(tmp_path / "markt").locale == "de"
    assert say("init", sales, "--out", tmp_path / "x", "--locale", "xx").code == 2


def test_init_and_check_take_a_country_of_holidays(say, sales, tmp_path):
    said = say("init", sales, "--out", tmp_path / "de", "--holidays", "DE-BY")
    assert said.code == 0
    assert load_project(tmp_path / "de").spec.holidays == "DE-BY"
    for words in (("init", sales, "--out", tmp_path / "x"), ("check", sales)):
        said = say(*words, "--holidays", "Utopia")
        assert said.code == 1
        assert "no calendar of holidays for Utopia" in said.out + said.err
    assert not (tmp_path / "x").exists()


def test_init_overwrites_nothing(say, sales, tmp_path):
    say("init", sales, "--out", tmp_path / "market")
    before = (tmp_path / "market/project.toml").read_text()
    said = say("init", sales, "--out", tmp_path / "market")
    assert said.code == 1
    assert (tmp_path / "market/project.toml").read_text() == before


def test_init_refuses_a_value_in_other_money(say, tmp_path):
    frame = worlds.table().rename(columns={"TV_spend": "TV_spend EUR"})
    frame.to_csv(tmp_path / "euros.csv", index=False)
    words = ("init", tmp_path / "euros.csv", "--out", tmp_path / "p", "--currency")
    said = say(*words, "EUR", "--value", "3 USD")
    assert said.code == 1 and "The value is in USD" in said.err, said.err
    assert not (tmp_path / "p").exists()
    assert say(*words, "EUR", "--value", "3 EUR").code == 0


def test_init_leaves_out_any_column_of_the_table(say, sales, tmp_path):
    def mapping(name, *words):
        said = say("init", sales, "--out", tmp_path / name, *words, "--json")
        return said.code, said

    whole = json.loads(mapping("a")[1].out)["mapping"]["channels"]
    channel = next(c for c in whole if c["media"] != c["spend"] and c["spend"])
    both = ("--ignore", channel["media"], "--ignore", channel["spend"])
    rest = json.loads(mapping("b", *both)[1].out)["mapping"]["channels"]
    assert [c["name"] for c in rest] == [
        c["name"] for c in whole if c["name"] != channel["name"]
    ]
    alone = json.loads(mapping("c", *both[:2])[1].out)["mapping"]["channels"]
    kept = next(c for c in alone if c["name"] == channel["name"])
    assert kept["media"] == kept["spend"] == channel["spend"]
    kpi = json.loads(say("init", sales, "--out", tmp_path / "d", "--json").out)
    kpi = kpi["mapping"]["kpi"]
    code, said = mapping("e", "--kpi", kpi, "--ignore", kpi)
    assert code == 1 and f"{kpi} cannot be left out and used" in said.err
    assert not (tmp_path / "e").exists()


def test_init_takes_a_column_for_the_value_of_the_kpi(say, tmp_path):
    frame = worlds.table()
    frame = frame.rename(columns={frame.columns[1]: "units sold"})
    frame["average price"] = np.linspace(9.0, 11.0, len(frame))
    frame.to_csv(tmp_path / "units.csv", index=False)
    words = ("init", tmp_path / "units.csv", "--json", "--kpi", "units sold")
    said = say(*words, "--out", tmp_path / "p", "--value", "average price")
    mapping = json.loads(said.out)["mapping"]
    assert mapping["revenue_per_kpi"] == "average price"
    assert "average price" not in [c["name"] for c in mapping["channels"]]
    assert "average price" not in mapping["controls"]
    assert say("check", tmp_path / "p").code == 0
    said = say(*words, "--out", tmp_path / "q", "--value", "9 quid each")
    assert said.code == 1 and "There is no column 9 quid each" in said.err


def test_init_without_a_file(say, tmp_path):
    said = say("init", "nowhere.csv", "--out", tmp_path / "market")
    assert said.code == 1
    assert "nowhere.csv" in said.err
    assert not (tmp_path / "market").exists()


@needs_reference
@pytest.mark.parametrize(
    "name", ["geo_media", "national_all_channels", "geo_media_rf", "national_media"]
)
def test_reference_tables_need_no_mapping(say, tmp_path, name):
    said = say("init", REFERENCE / f"data/{name}.csv", "--out", tmp_path / name)
    assert said.code == 0, said.err
    assert say("check", tmp_path / name).code == 0


OPEN = "week;tv_spend;sales\n" + "".join(
    f"{at + 1:02}.01.2023;{1 + at % 7},{100 + 37 * at % 900};{500 + at * 7 % 31}\n"
    for at in range(12)
)


def test_what_a_table_leaves_open_is_asked_and_answered(say, tmp_path):
    path = tmp_path / "open.csv"
    path.write_text(OPEN)
    code, out, err = say("check", path)
    assert code == 1
    assert '"1,100" is 1100 if the point is the decimal sign, or 1.1' in out
    assert "2023-02-01 if the month comes first" in out
    assert "--decimal" in out and "--dates" in out
    code, out, _ = say("check", path, "--decimal", ",", "--dates", "month first")
    assert "can be read in" not in out
    folder = tmp_path / "market"
    say("init", path, "--out", folder, "--decimal", ",", "--dates", "month first")
    text = (folder / "project.toml").read_text()
    assert 'dates = "month first"' in text
    assert 'tv_spend = ","' in text
    code, out, _ = say("check", folder)
    assert code == 0 and "can be read in" not in out


@pytest.mark.parametrize("epoch", ["1900", "1904"])
def test_the_day_that_date_numbers_count_from_can_be_said(say, tmp_path, epoch):
    frame = worlds.table()
    frame["week"] = range(42759, 42759 + 7 * len(frame), 7)
    path, folder = tmp_path / "mac.csv", tmp_path / "mac"
    frame.to_csv(path, index=False)
    told = say("check", path, "--dates", epoch).out
    assert ("date numbers: 42759 was read as 2017-01-24" in told) == (epoch == "1900")
    assert say("init", path, "--out", folder, "--dates", epoch).code == 0
    assert load_project(folder).mapping.dates == (None if epoch == "1900" else epoch)
