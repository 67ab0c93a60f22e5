"""Prices that rise with volume, through the command line."""

import numpy as np
import pytest

from core.plan.response.price import gammas_of
from core.plan.scenario.geos import geo_request, with_totals
from core.project.plans.plans import list_plans
from core.service.ask import PlanAsk
from tests.pages import worlds

GAMMA = 0.3


@pytest.fixture
def dear(home, monkeypatch):
    """A fit whose TV got dearer with volume; the others have one price."""
    plain = worlds.table

    def table(*about, **more):
        rows = plain(*about, **more)
        spend = rows["TV_spend"]
        noise = np.exp(0.05 * np.random.default_rng(2).standard_normal(len(rows)))
        rows["TV_impressions"] = np.round(spend ** (1 - GAMMA) * 30 * noise)
        return rows

    monkeypatch.setattr(worlds, "table", table)
    return worlds.fit(worlds.project())


def test_gamma_is_suggested_with_its_error(say, dear):
    said = say("prices", dear, "--json")
    assert said.code == 0, said.err
    tv, *others = said.data["channels"]
    low, high = tv["interval"]
    assert low <= GAMMA <= high and tv["suggestion"] == pytest.approx(tv["gamma"], 1e-2)
    assert tv["standard_error"] > 0 and not tv["is_money"]
    assert all(each["is_money"] and each["gamma"] is None for each in others)
    text = say("prices", dear).out
    assert "--gamma CHANNEL=X" in text and "one price" in text


def test_check_names_the_channel_that_gets_dearer(say, dear):
    """With its error, and how a plan takes it; channels in money are no finding."""
    found = say("check", dear.parent.parent, "--json").data["findings"]
    (gamma,) = [each for each in found if "gets dearer with volume" in each["message"]]
    (tv,) = [
        each
        for each in say("prices", dear, "--json").data["channels"]
        if each["name"] == "TV"
    ]
    assert gamma["severity"] == "info" and gamma["where"] == "TV"
    low, high = tv["interval"]
    assert f"gamma {tv['gamma']:.2f} ({low:.2f} – {high:.2f})" in gamma["message"]
    assert f"--gamma TV={tv['suggestion']:g}" in gamma["hint"]


@pytest.mark.parametrize(
    ("channel", "message"),
    [("TV", "gamma of TV belongs to a plan"), ("Social", "fitted on its money")],
)
def test_gamma_in_the_project_file_is_refused_with_the_way(say, dear, channel, message):
    file = dear.parent.parent / "project.toml"
    text = file.read_text().replace("Social_impressions", "Social_spend")
    line = f'name = "{channel}"\n'
    assert line in text
    file.write_text(text.replace(line, f"{line}gamma = 0.2\n"))
    said = say("check", file.parent)
    assert said.code == 1 and message in said.out + said.err, said.out + said.err
    assert "Take" in said.out + said.err and "unknown key" not in said.out + said.err


def test_a_plan_pays_what_volume_costs(say, dear, tmp_path):
    plain = say("plan", dear, "--best", "--json")
    zero = say("plan", dear, "--best", "--gamma", "TV=0", "--json")
    assert zero.out == plain.out
    said = say("plan", dear, "--best", "--gamma", f"TV={GAMMA}", "--json")
    assert said.code == 0, said.err
    plan = said.data
    assert plan["bound"]["gap"] <= 1e-3
    assert plan["scenario"]["channel"]["TV"]["gamma"] == GAMMA
    assert [line["planned"] for line in plan["channels"]] != [
        line["planned"] for line in plain.data["channels"]
    ]
    kept = say("plan", dear, "--best", "--gamma", f"TV={GAMMA}", "--save", "Dear")
    assert kept.code == 0
    file = tmp_path / "plan.toml"
    say("plan", dear, "--best", "--gamma", f"TV={GAMMA}", "--out", file)
    again = say("plan", dear, "--scenario", file, "--json").data
    assert [line["planned"] for line in again["channels"]] == pytest.approx(
        [line["planned"] for line in plan["channels"]]
    )


@pytest.mark.parametrize(
    ("gamma", "messages"),
    [
        ("Social=0.2", ["fitted on the money of Social", "impressions"]),
        ("TV=0.95", ["gamma", "between 0 and 0.9"]),
        ("Nothing=0.2", ["Nothing"]),
    ],
)
def test_what_cannot_be_is_refused(say, dear, gamma, messages):
    said = say("plan", dear, "--gamma", gamma)
    assert said.code == 1 and not said.out
    for message in messages:
        assert message in said.err, said.err


def test_settled_amounts_keep_their_price():
    gammas = {"TV": {"gamma": 0.3, "min": 1.0}, "Radio": {"gamma": 0}}
    table = {"channel": gammas, "bounds": [0.5, 2]}
    spend = {
        "channels": {"TV": 10.0, "Radio": 5.0},
        "weeks": {"TV": [10.0], "Radio": [5.0]},
        "geos": {"North": {"TV": 10.0, "Radio": 5.0}},
    }
    for over, amounts in spend.items():
        stated = PlanAsk(over=over, spend=amounts, scenario=table).stated()
        assert gammas_of(stated) == {"TV": 0.3}, over
    by_geo = geo_request({"spend": spend["geos"]})
    assert gammas_of(with_totals(stated, by_geo, ("TV", "Radio"))) == {"TV": 0.3}


def test_a_unit_that_costs_more_buys_less_everywhere(say, fit):
    plain = say("plan", fit, "--as-fitted", "--json").data
    said = say("plan", fit, "--as-fitted", "--price", "TV=1.19", "--json")
    assert said.code == 0, said.err
    dear = said.data
    assert dear["scenario"]["channel"]["TV"]["price"] == 1.19
    assert dear["outcome"]["planned"]["mean"] < plain["outcome"]["planned"]["mean"]
    assert dear["today"]["outcome"] == plain["today"]["outcome"]
    text = say("plan", fit, "--as-fitted", "--price", "TV=1.19").out
    assert "both at the plan's prices of media" in text


def test_a_portfolio_pays_what_volume_costs_and_so_do_its_parts(say, dear, tmp_path):
    other = worlds.fit(worlds.project("South brands"))
    names = [fit.parents[1].name for fit in (dear, other)]
    file = tmp_path / "portfolio.toml"
    plain = 'currency = "EUR"\n' + "".join(f'[project."{name}"]\n' for name in names)
    file.write_text(
        f'{plain}[channel."{names[0]}: TV"]\ngamma = {GAMMA}\nprice = 1.1\n'
    )
    said = say("portfolio", "plan", file, "--save", "Group", "--json")
    assert said.code == 0, said.err
    whole = said.data
    assert whole["bound"]["gap"] <= 1e-3
    first, second = (list_plans(fit.parents[1])[0] for fit in (dear, other))
    assert gammas_of(first.scenario) == {"TV": GAMMA}
    assert first.scenario["channel"]["TV"]["price"] == 1.1
    assert not gammas_of(second.scenario)
    parts = first.outcome.planned.mean + second.outcome.planned.mean
    assert parts == pytest.approx(whole["outcome"]["planned"]["mean"], rel=1e-9)
    file.write_text(plain)
    cheap = say("portfolio", "plan", file, "--json").data
    assert cheap["outcome"]["planned"]["mean"] > whole["outcome"]["planned"]["mean"]
    refused = f'{plain}[channel."{names[1]}: Social"]\ngamma = 0.2\n'
    file.write_text(refused)
    said = say("portfolio", "plan", file)
    assert said.code == 1 and "fitted on the money of Social" in said.err
