"""Priors that a team's other projects suggest, through the command line."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from core.data.experiments.entry import Entry
from core.data.files.isolated import kept_table
from core.project.settings.project import data_file, load_project, save_project
from core.project.shelf.lifecycle import duplicate_project
from core.service.suggestions import priors
from core.store.results import open_dataset
from tests.charts import synthetic
from tests.pages import worlds

NAMES = ("Alpha", "Beta", "Gamma")
ANNA = "anna@x.org"


@pytest.fixture
def brand(home, monkeypatch):
    """Makes a project with a fit whose market and returns are its own."""
    channels, weeks, summary = (
        getattr(synthetic, name) for name in ("channels", "weeks", "summary")
    )

    def make(name, times=1.0, *, seed=None, experiments=(), **about):
        number = sum(map(ord, name)) if seed is None else seed

        def of_brand(*arguments, **more):
            view = channels(*arguments, n_draws=2000, **more)
            part = np.array([times] * 4 + [1.0] * 2)
            return view.assign(
                roi=view["roi"] * part, contribution=view["contribution"] * part
            )

        monkeypatch.setattr(synthetic, "channels", of_brand)
        monkeypatch.setattr(synthetic, "weeks", lambda **m: weeks(**m, seed=number))
        monkeypatch.setattr(synthetic, "summary", lambda: summary() | about)
        table = worlds.table
        monkeypatch.setattr(worlds, "table", lambda: table(seed=number))
        folder = worlds.project(name)
        worlds.fit(folder, about.get("verdict", "trustworthy"), experiments=experiments)
        monkeypatch.setattr(worlds, "table", table)
        return folder

    return make


@pytest.fixture
def brands(brand):
    return [brand(name, 1 + 0.2 * i) for i, name in enumerate(NAMES)]


def by_name(said):
    assert said.code == 0, said.err
    return {each["name"]: each for each in said.data["channels"]}


def test_others_suggest_by_kind_and_the_project_is_left_out(say, brands):
    found = by_name(say("priors", "suggest", "Gamma", "--json"))
    assert set(found) == set(synthetic.PAID)  # neither organic nor non-media
    tv = found["TV"]
    assert tv["kind"] == "booked ahead" and tv["is_default"]
    sources = {(each["project"], each["channel"]) for each in tv["sources"]}
    # Print is booked ahead, too.
    assert sources == {(name, c) for name in NAMES[:2] for c in ("TV", "Print")}
    weights = [each["weight"] for each in tv["sources"]]
    assert sum(weights) + tv["suggestion"]["default_weight"] == pytest.approx(1)
    low, high = (tv["suggestion"]["prior"][key] for key in ("low", "high"))
    assert low < 3.1 < high and math.log(high / low) >= 3.28 * 0.5
    own = found["Search"]["sources"][0]
    assert own["roi"]["lo"] < 2.2 < own["roi"]["hi"] and own["verdict"]


def test_text_names_sources_and_what_it_is(say, brands):
    said = say("priors", "suggest", "Gamma")
    assert said.code == 0 and "Alpha: TV (" in said.out
    assert "ROI: 90 % between 0.28 and 5.37" in said.out.replace("\u00a0", " ")
    assert "typically differs by a factor of" in said.out
    assert "This project is left out" in said.out


def test_accepted_suggestions_are_the_priors_of_the_next_fit(say, brands):
    one = say("priors", "suggest", "Gamma", "--accept", "--channel", "TV", "--json")
    found = by_name(one)
    assert found["TV"]["is_accepted"] and not found["Search"]["is_accepted"]
    spec = load_project(brands[2]).spec
    wanted = found["TV"]["suggestion"]["prior"]
    assert spec.channel("TV").prior.written.numbers() == {
        key: wanted[key] for key in ("low", "high", "mass")
    }
    assert spec.channel("Search").prior is None
    again = say("priors", "suggest", "Gamma", "--accept")
    assert "Accepted: Search, Social and Print" in again.err + again.out
    third = say("priors", "suggest", "Gamma", "--accept").err
    assert "Nothing changed: the project has these priors already" in third
    refused = say("priors", "suggest", "Gamma", "--channel", "Newsletter")
    assert refused.code == 1 and "There is no paid channel Newsletter" in refused.err


def test_a_workspace_without_other_fits_says_where_it_looked(say, brand, home):
    """And accepts nothing, instead of saying that the next fit has it."""
    brand("Alpha")
    said = say("priors", "suggest", "Alpha", "--accept")
    assert said.code == 0, said.err
    assert (
        "There is no other project with a fit in" in said.out and "--from" in said.out
    )
    assert "Nothing accepted: no channel has a suggestion." in said.err
    assert "next fit" not in said.err


def test_a_kind_can_be_changed_and_is_kept(say, brands):
    said = say("priors", "suggest", "Gamma", "--kind", "Print=paid by sales", "--json")
    print_ = by_name(said)["Print"]
    assert print_["kind"] == "paid by sales" and print_["suggestion"] is None
    assert "No other project" in print_["sentence"]
    assert '"paid by sales"' in (brands[2] / "project.toml").read_text()
    # Alpha asks Gamma, whose Print is no longer booked ahead.
    tv = by_name(say("priors", "suggest", "Alpha", "--json"))["TV"]
    assert ("Gamma", "Print") not in {
        (each["project"], each["channel"]) for each in tv["sources"]
    }
    say("priors", "suggest", "Gamma", "--kind", "Print=booked ahead")
    assert load_project(brands[2]).kinds == ()
    for wrong, message in (
        ("Print=nonsense", "nonsense is not a kind of channel"),
        ("Nobody=shopping ads", "There is no paid channel Nobody"),
    ):
        said = say("priors", "suggest", "Gamma", "--kind", wrong)
        assert said.code == 1 and message in said.err
    assert say("priors", "suggest", "Gamma", "--kind", "Print").code == 2


def test_what_cannot_be_compared_is_left_out_with_why(say, brand, brands):
    brand("Orders", outcome_unit="kpi", kpi_name="Orders")
    brand("Profit", kpi_name="gross profit")
    brand("Copy", seed=sum(map(ord, "Gamma")))
    brand("Alpha two", seed=sum(map(ord, "Alpha")))
    worlds.project("Never")
    said = say("priors", "suggest", "Gamma", "--json")
    reasons = {row["project"]: row["reason"] for row in said.data["left_out"]}
    assert reasons == {
        "Orders": "it counts Orders, which has no value in money",
        "Profit": "its ROI is of gross profit, here it is of revenue",
        "Copy": "it is a copy of this market",
        "Alpha two": "it is the same market as Alpha, which counts once",
        "Never": "it has no finished fit",
    }
    told = say("priors", "suggest", "Gamma").out
    assert "Orders: it counts Orders, which has no value in money." in told


def test_a_project_that_counts_no_money_asks_nobody(say, brands):
    project = load_project(brands[2])
    mapping = replace(project.mapping, kpi_type="non_revenue")
    save_project(brands[2], replace(project, mapping=mapping))
    found = by_name(say("priors", "suggest", "Gamma", "--json"))
    assert all("not the same money" in each["sentence"] for each in found.values())
    refused = say("priors", "suggest", "Gamma", "--accept", "--channel", "TV")
    assert refused.code == 1 and "There is no suggestion for TV" in refused.err


def test_a_lift_test_that_no_fit_has_seen_counts_with_its_own_error(say, brands):
    project = load_project(brands[0])
    table = {"channel": "Social", "start": "2023-10-02", "end": "2023-11-26"}
    results = {"incremental_outcome": 4.0e5, "standard_error": 2.0e4}
    save_project(brands[0], replace(project, experiments=(Entry(**table, **results),)))
    social = by_name(say("priors", "suggest", "Gamma", "--json"))["Social"]
    test = next(each for each in social["sources"] if each["test"])
    assert test["project"] == "Alpha" and test["is_tested"] and test["verdict"] is None
    spend = worlds.table(seed=sum(map(ord, "Alpha")))
    inside = (spend["week"] >= "2023-10-02") & (spend["week"] <= "2023-11-26")
    roi = 4.0e5 / spend["Social_spend"][inside].sum()
    assert test["roi"]["lo"] < roi < test["roi"]["hi"]
    assert test["roi"]["hi"] / test["roi"]["lo"] == pytest.approx(
        math.exp(2 * 1.645 * 0.05), rel=0.02
    )
    partly = Entry(**table, **results, multiple=0.5)
    save_project(brands[0], replace(project, experiments=(partly,)))
    said = say("priors", "suggest", "Gamma", "--json")
    assert "two levels of spend" in said.data["left_out"][0]["reason"]


def test_fits_with_a_lift_test_are_named(say, brand, brands):
    window = {"channel": "Social", "start": "2023-10-02", "end": "2023-11-26"}
    seen = synthetic.experiments(("Social",) * 5)[0] | window
    brand("Delta", experiments=[seen])
    social = by_name(say("priors", "suggest", "Gamma", "--json"))["Social"]
    tested = [each["project"] for each in social["sources"] if each["is_tested"]]
    assert tested == ["Delta"] and "Delta: Social, with lift test" in social["sentence"]


def test_who_may_not_see_a_project_is_not_told_of_it(say, brands, home, monkeypatch):
    (home / "access.toml").write_text('sign_in = "oidc"\nadmins = ["boss@x.org"]\n')
    for folder, role in zip(brands[1:], ("viewer", "viewer"), strict=True):
        (folder / "members.toml").write_text(f'[members]\n"{ANNA}" = "{role}"\n')
    monkeypatch.setenv("MIXWRIGHT_USER", ANNA)
    said = say("priors", "suggest", "Gamma", "--json")
    assert "Alpha" not in said.out and "Beta" in said.out
    refused = say("priors", "suggest", "Gamma", "--from", "Alpha")
    assert refused.code == 1 and "no access to Alpha" in refused.err
    before = (brands[2] / "project.toml").read_bytes()
    refused = say("priors", "suggest", "Gamma", "--accept")
    assert refused.code == 1 and "this needs a planner" in refused.err
    assert (brands[2] / "project.toml").read_bytes() == before


def test_a_damaged_fit_is_left_out(say, brands):
    run = next((brands[0] / "runs").iterdir())
    (run / "result" / "summary.json").write_text("{}")
    said = say("priors", "suggest", "Gamma", "--json")
    assert said.code == 0
    [left] = [row for row in said.data["left_out"] if row["project"] == "Alpha"]
    assert "damaged" in left["reason"]


def with_test(folder, **more):
    """A project of which a lift test of Social is known that no fit has seen."""
    test = {"channel": "Social", "start": "2023-10-02", "end": "2023-11-26"}
    results = {"incremental_outcome": 4.0e5, "standard_error": 2.0e4}
    project = load_project(folder)
    tests = (Entry(**test, **results),)
    save_project(folder, replace(project, experiments=tests, **more))


def said_of(said):
    sources = {
        each["project"]
        for channel in said.data["channels"]
        for each in channel["sources"]
    }
    return sources, {row["project"]: row["reason"] for row in said.data["left_out"]}


def test_a_duplicate_without_a_fit_does_not_count_the_markets_tests_twice(say, brands):
    with_test(brands[2])
    duplicate_project("Gamma", "Gamma two")
    duplicate_project("Alpha", "Alpha two")
    with_test(brands[0].parent / "Alpha two")
    before, _ = said_of(say("priors", "suggest", "Gamma", "--json"))
    assert before == {"Alpha", "Beta"}
    _, left = said_of(say("priors", "suggest", "Gamma", "--json"))
    assert left["Gamma two"] == "it is a copy of this market"
    assert left["Alpha two"] == "it is the same market as Alpha, which counts once"


def test_tests_alone_of_profit_say_nothing_of_revenue(say, brands, monkeypatch):
    monkeypatch.setattr(worlds, "table", partial(worlds.table, seed=77))
    folder = worlds.project("Margins")
    project = load_project(folder)
    with_test(folder, mapping=replace(project.mapping, kpi="gross profit"))
    frame = kept_table(data_file(folder, project))
    kpi = project.mapping.kpi
    frame.rename(columns={kpi: "gross profit"}).to_parquet(folder / project.file)
    sources, left = said_of(say("priors", "suggest", "Gamma", "--json"))
    assert "Margins" not in sources
    assert left["Margins"] == "its ROI is of gross profit, here it is of revenue"


def test_a_project_before_its_first_fit_knows_a_fit_of_its_own_market(say, brands):
    """Its table may have other rows by now, so that hashes differ."""
    duplicate_project("Gamma", "Next")
    folder = brands[2].parent / "Next"
    project = load_project(folder)
    frame = kept_table(data_file(folder, project))
    run = next((brands[2] / "runs").iterdir())
    frame[project.mapping.kpi] = open_dataset(run, "weeks")["actual"].to_numpy()
    frame.iloc[4:].to_parquet(folder / project.file)
    _, left = said_of(say("priors", "suggest", "Next", "--json"))
    assert left["Gamma"] == "it is a copy of this market"


def test_a_failed_fit_does_not_shadow_a_good_one_of_the_same_market(say, brand, brands):
    brand("Aaa", seed=sum(map(ord, "Beta")), verdict="failed")
    sources, left = said_of(say("priors", "suggest", "Gamma", "--json"))
    assert sources == {"Alpha", "Beta"} and left["Aaa"] == "its fit failed"


def test_a_project_with_lift_tests_alone_is_asked_on_screen(say, brands):
    folder = worlds.project("Tests only")
    before = priors.fitted(brands[2])
    assert [each[0].name for each in before] == ["Alpha", "Beta"]
    with_test(folder)
    (_, _, run_id) = priors.fitted(brands[2])[-1]
    assert run_id == "" and len(priors.fitted(brands[2])) == 3
