"""A portfolio is one market with more cells: whatever solves that, solves it."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.money import elsewhere as money_elsewhere
from core.plan.plan import plan
from core.plan.portfolio.joined import in_money, joined
from core.plan.portfolio.plan import portfolio_plan
from core.plan.portfolio.portfolio import portfolio_of
from core.plan.response.curves import response_curves
from core.plan.response.periods import Horizon
from core.plan.scenario.measure import measure_of
from core.plan.scenario.scenario import scenario
from core.plan.scenario.table import of_table
from tests.plan import test_plan_elsewhere as elsewhere
from tests.plan.synthetic import random_dataset

EUR = {"worth": 1.0, "rate": 1.0, "currency": "EUR"}


def market(seed, n=3, s_shaped=False, **about):
    curves = response_curves(random_dataset(seed, n_channels=n, s_shaped=s_shaped))
    return in_money(curves, **(EUR | about))


def two(shared=(), seed=0, **second):
    markets = {"A": market(1), "B": market(2, n=4, **second)}
    rates = {"A": 1.0, "B": second.get("rate", 1.0)}
    return joined(markets, rates, dict(shared), seed)


def test_a_single_project_is_its_own_plan():
    curves = market(1)
    alone = plan(curves, scenario(curves))
    both = joined({"A": curves}, {"A": 1.0}, {})
    together = portfolio_plan(both, {}, "trustworthy")
    planned = [line.planned for line in together.channels]
    np.testing.assert_allclose(planned, tuple(alone.money.values()), rtol=1e-9)
    assert together.outcome.planned.mean == pytest.approx(alone.outcome.planned.mean)


def test_two_projects_are_solved_as_one_market():
    markets = two()
    table = {"bounds": [0.5, 2.0], "supported": False}
    record = portfolio_plan(markets, table, "trustworthy")
    assert record.bound.gap <= 1e-3
    assert sum(line.planned for line in record.channels) == pytest.approx(record.budget)
    # No transfer between any two cells, by hand, brings more.
    curves = markets.curves.mean()
    spend = np.array([line.planned for line in record.channels])
    best = curves.outcome(spend).sum()
    low, high = 0.5 * curves.spend, 2.0 * curves.spend
    for source, target in permutations(range(7), 2):
        amount = min(spend[source] - low[source], high[target] - spend[target])
        moved = spend.copy()
        moved[[source, target]] += np.array([-1, 1]) * 0.05 * amount
        assert curves.outcome(moved).sum() <= best * (1 + 1e-5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("objective", ["p10", "cvar10"])
def test_no_split_of_a_grid_exceeds_the_bound(objective, seed):
    """Every split of two projects in steps of a thirtieth of what may move."""
    first, second = (market(10 * seed + i, n=2, s_shaped=seed == 2) for i in (1, 2))
    markets = joined({"A": first, "B": second}, {"A": 1.0, "B": 1.0}, {})
    table = {"objective": objective, "bounds": [0.5, 1.6], "supported": False}
    record = portfolio_plan(markets, table, "trustworthy")
    curves, measure = markets.curves, measure_of(objective)
    low, high = 0.5 * curves.spend, 1.6 * curves.spend
    share = np.linspace(0, 1, 31)
    free = np.stack(np.meshgrid(share, share, share), axis=-1).reshape(-1, 3)
    three = low[:3] + free * (high - low)[:3]
    splits = np.column_stack([three, record.budget - three.sum(axis=1)])
    splits = splits[(splits[:, 3] >= low[3]) & (splits[:, 3] <= high[3])]
    best = float(measure.of(curves.total(splits)).max())
    reached = record.objective.planned
    assert len(splits) > 2000
    assert record.bound.best_possible >= best * (1 - 1e-9)
    assert reached >= best * (1 - 1e-4)
    assert record.bound.gap == pytest.approx(1 - reached / record.bound.best_possible)


def test_what_projects_bring_adds_up_and_is_their_own():
    markets = two()
    record = portfolio_plan(markets, {}, "trustworthy")
    for key in ("current", "planned"):
        parts = sum(getattr(each.outcome, key)["mean"] for each in record.projects)
        assert parts == pytest.approx(getattr(record.outcome, key).mean)
    own = market(2, n=4)
    spend = np.array(list(record.projects[1].spend.values()))
    brought = own.outcome(spend).sum(axis=1).mean()
    assert record.projects[1].outcome.planned.mean == pytest.approx(brought)


def test_draws_of_two_fits_are_paired_at_random():
    markets = two()
    spend = markets.curves.spend
    brought = markets.curves.outcome(spend)
    a, b = brought[:, :3].sum(axis=1), brought[:, 3:].sum(axis=1)
    assert sorted(a) == pytest.approx(sorted(market(1).outcome(spend[:3]).sum(axis=1)))
    assert sorted(b) == pytest.approx(
        sorted(market(2, n=4).outcome(spend[3:]).sum(axis=1))
    )
    others = two(seed=1).curves.outcome(spend)[:, 3:].sum(axis=1)
    assert not np.allclose(b, others)


def test_a_rate_and_a_worth_change_no_split_of_a_project():
    dear = two(rate=2.0, worth=2.0)
    np.testing.assert_allclose(dear.curves.spend[3:], 2 * two().curves.spend[3:])
    plain = portfolio_plan(
        two(), {"channel": {f"A: Channel{i}": {"lock": True} for i in range(3)}}, None
    )
    scaled = portfolio_plan(
        dear, {"channel": {f"A: Channel{i}": {"lock": True} for i in range(3)}}, None
    )
    for mine, other in zip(plain.projects, scaled.projects, strict=True):
        assert list(mine.spend.values()) == pytest.approx(
            list(other.spend.values()), rel=2e-3
        )


def test_shared_spend_is_paid_once_and_earns_twice():
    markets = {"New": market(1), "Repeat": market(1)}
    rates = dict.fromkeys(markets, 1.0)
    names = {f"Both{i}": [f"New: Channel{i}", f"Repeat: Channel{i}"] for i in range(3)}
    both = joined(markets, rates, names)
    once = market(1)
    np.testing.assert_allclose(both.curves.spend, once.spend)
    np.testing.assert_allclose(
        both.curves.mean().outcome(once.spend), 2 * once.mean().outcome(once.spend)
    )
    record = portfolio_plan(both, {}, None)
    assert record.budget == pytest.approx(once.spend.sum())
    assert all(each.planned == pytest.approx(record.budget) for each in record.projects)
    note = "Shared spend Both0, Both1 and Both2 is paid once and stands in the amounts"
    assert any(reason.startswith(note) for reason in record.reasons)
    apart = portfolio_plan(two(), {}, None).reasons
    assert not any("Shared spend" in reason for reason in apart)


@pytest.mark.parametrize("bought", [1.0, 0.5])
def test_shared_spend_that_one_of_its_projects_pays_on(bought):
    """No own spends of the same cash bring more: x serves both, A pays its clicks."""
    pays = in_money(elsewhere.market(7)[0], **EUR)
    other = market(2)
    other = replace(other, spend=np.array([pays.spend[0], *other.spend[1:]]))
    both = joined(
        {"A": pays, "B": other},
        {"A": 1.0, "B": 1.0},
        {"TV": ["A: Channel0", "B: Channel0"]},
        bought={"A": {"Clicks": bought}},
    )
    table = {"bounds": [0.4, 1.8], "supported": False}
    record = portfolio_plan(both, table, "trustworthy")
    clicks = elsewhere.cash_of(pays, pays.spend)
    now = both.curves.spend
    assert record.budget == pytest.approx(now.sum(), abs=0.01)
    assert now[0] == pytest.approx(pays.spend[0] + bought * clicks[0])
    (through,) = (each.through[0] for each in pays.paid)
    at_one, first, second = through[:, :, 20].mean(axis=0), pays.mean(), other.mean()

    def of_a(own):
        m = own / pays.spend
        lost = (1 - bought) * at_one * 2 * m / (1 + m)
        return (first.outcome(own)[0] - lost).sum(axis=-1)

    rng = np.random.default_rng(0)
    own = both.parts[0].curves.spend * rng.uniform(0.3, 1.9, (8000, 3))
    rest = other.spend * rng.uniform(0.3, 1.9, (8000, 3))
    rest[:, 0] = own[:, 0]  # one amount
    cash = own + bought * elsewhere.cash_of(pays, own)
    own[:, 1] = record.budget - (
        cash[:, 0] + cash[:, 2] + rest[:, 1] + rest[:, 2]
    )  # it makes no clicks
    amounts = np.column_stack([cash[:, 0], own[:, 1], cash[:, 2], rest[:, 1:]])
    kept = ((amounts >= 0.4 * now) & (amounts <= 1.8 * now)).all(axis=1)
    brought = of_a(own[kept]) + second.outcome(rest[kept])[0].sum(axis=1)
    assert len(brought) > 100
    assert brought.max() <= record.bound.best_possible * (1 + 1e-4)
    assert brought.max() <= record.objective.planned * (1 + 1e-3)
    a, b = record.projects
    x = b.spend["Channel0"]
    assert a.spend["Channel0"] == pytest.approx(
        x + bought * elsewhere.cash_of(pays, np.full(3, x))[0], rel=1e-3
    )
    assert a.spend["Channel0"] == pytest.approx(record.channels[0].planned)
    assert b.planned == pytest.approx(sum(b.spend.values()))
    assert b.current == pytest.approx(other.spend.sum())
    assert a.bought == {"Clicks": bought} and not b.bought
    mine = second.outcome(np.array(list(b.spend.values())))[0].sum()
    assert b.outcome.planned.mean == pytest.approx(mine)
    total = a.outcome.planned.mean + b.outcome.planned.mean
    assert total == pytest.approx(record.outcome.planned.mean, rel=1e-4)


def test_what_a_project_pays_is_priced_once(monkeypatch):
    pays, count = in_money(elsewhere.market(7)[0], **EUR), []
    real = money_elsewhere._whole

    def whole(curves, bought):
        count.append(curves.names)
        return real(curves, bought)

    monkeypatch.setattr(money_elsewhere, "_whole", whole)
    both = joined(
        {"A": pays, "B": market(2)},
        {"A": 1.0, "B": 1.0},
        {},
        bought={"A": {"Clicks": 1.0}},
    )
    table = {"channel": {"A: Channel0": {"price": 1.1}}, "supported": False}
    portfolio_plan(both, table, None)
    assert count.count(pays.names) == 1


def test_spend_that_is_the_same_in_two_projects_is_named():
    """One campaign in the books of two projects, unless it is shared or differs."""
    shares = np.array([[0.7, 0.2, 0.3], [0.2, 0.2, 0.3], [0.1, 0.6, 0.4]])
    once = market(1)
    once = replace(once, by_period=shares * once.spend)
    other = once.by_period.copy()
    other[:, 1] = other[::-1, 1]  # as much money, in other periods
    markets = {"New": once, "Repeat": replace(once, by_period=other)}

    def said(shared):
        both = joined(markets, dict.fromkeys(markets, 1.0), shared)
        reasons = portfolio_plan(both, {}, None).reasons
        return [each for each in reasons if "name it in [shared]" in each]

    first, second = said({})
    assert first.startswith("Channel0 is the same spend in every period in New and Rep")
    assert second.startswith("Channel2")
    both = {f"C{i}": [f"New: Channel{i}", f"Repeat: Channel{i}"] for i in (0, 2)}
    assert said(both) == []


def test_prices_of_periods_follow_the_index_of_a_project():
    """As the same prices in a plan of that project alone."""
    shares = np.array([[0.7, 0.2, 0.3], [0.2, 0.2, 0.3], [0.1, 0.6, 0.4]])
    ahead = Horizon("2025-01-06", "2025-01-20", 3, as_fitted=False)
    first, second = (
        replace(each, by_period=shares * each.spend, horizon=ahead)
        for each in (market(1), market(2, rate=1.5))
    )
    indexed = replace(first, indexed=(("Channel0", (1.0, 1.5, 2.0)),))
    alone = portfolio_plan(joined({"A": indexed}, {"A": 1.0}, {}), {}, None)
    own = plan(indexed, of_table({}, indexed))
    assert [line.planned for line in alone.channels] == pytest.approx(
        [line.planned for line in own.channels]
    )
    both = joined({"A": indexed, "B": second}, {"A": 1.0, "B": 1.5}, {})
    record = portfolio_plan(both, {}, None)
    dear, other = record.projects
    assert dear.prices == {"Channel0": pytest.approx(1.2)} and not other.prices
    parts = sum(each.outcome.planned.mean for each in record.projects)
    assert parts == pytest.approx(record.outcome.planned.mean)


def test_other_knots_are_the_same_curve():
    fine = market(1)
    keep = slice(None, None, 3)
    coarse = in_money(
        response_curves(random_dataset(2, n_channels=4).isel(spend_multiplier=keep)),
        **EUR,
    )
    both = joined({"A": fine, "B": coarse}, {"A": 1.0, "B": 1.0}, {})
    spend = coarse.spend * 1.234
    np.testing.assert_allclose(
        np.sort(both.parts[1].curves.outcome(spend).sum(axis=1)),
        np.sort(coarse.outcome(spend).sum(axis=1)),
        rtol=1e-9,
    )


@pytest.mark.parametrize(
    ("shared", "said"),
    [
        ({"TV": ["A: Channel0", "B: Nothing"]}, "there is no B: Nothing"),
        ({"TV": ["A: Channel0", "B: Channel0"]}, "Share only what is the same money"),
        ({"A: Channel1": ["A: Channel0", "B: Channel0"]}, "has the name of a channel"),
        (
            {"X": ["A: Channel0", "B: Channel1"], "Y": ["A: Channel0", "B: Channel2"]},
            "is in two shared spends",
        ),
    ],
)
def test_what_cannot_be_shared_is_refused(shared, said):
    with pytest.raises(PlanError) as refused:
        two(shared)
    assert said in f"{refused.value.message} {refused.value.hint}"


TEXT = """
name = "Group"
currency = "EUR"
budget = 2_000_000
[project.A]
max = "30 %"
[project.B]
worth = 12.5
rate = 1.1
[kind."booked ahead"]
min = "10 %"
[channel."A: TV"]
lock = true
"""


def test_limits_on_projects_and_kinds_become_groups():
    portfolio = portfolio_of(TEXT)
    assert portfolio.members[1].worth == 12.5
    kinds = {"A: TV": ["booked ahead"], "A: Search": ["other"]}
    kinds |= {"B: Radio": ["booked ahead"], "B: Search": ["other"]}
    table = portfolio.limits({"A": ("A: TV", "A: Search"), "B": ("B: Radio",)}, kinds)
    assert table["budget"] == 2_000_000
    assert table["group"] == {
        "A": {"channels": ["A: TV", "A: Search"], "max": "30 %", "of": "project"},
        "booked ahead": {
            "channels": ["A: TV", "B: Radio"],
            "min": "10 %",
            "of": "kind",
        },
    }
    with pytest.raises(PlanError, match="is of the kind"):
        portfolio.limits({"A": ("A: Search",), "B": ("B: Search",)}, kinds)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('currency = "EUR"', "", "lacks currency"),
        ("worth = 12.5", "worth = 0", "not above 0"),
        ("worth = 12.5", "worth = 1e300", "worth of B is 1e+300, not from"),
        ("rate = 1.1", "rate = 1e-300", "rate of B is 1e-300, not from"),
        ("worth = 12.5", "wroth = 12.5", "unknown key wroth"),
        ('"booked ahead"', '"television"', "not a kind of channel"),
        ("[project.B]\n", "[shared.TV]\n", "unknown key worth"),
        ('name = "Group"', "horizon = {as_fitted = true}", "no periods in common"),
        ("[project.A]", "[project.A", "not TOML"),
        ("[project.A]", "[belief.X]\nspend = 9\n[project.A]", "has [belief]"),
    ],
)
def test_a_file_that_is_not_understood_is_refused_with_the_remedy(old, new, said):
    with pytest.raises(PlanError) as refused:
        portfolio_of(TEXT.replace(old, new))
    everything = [refused.value.message, *(f.message for f in refused.value.findings)]
    assert any(said in line for line in everything)
    assert refused.value.hint or refused.value.findings


@pytest.mark.parametrize("written", ["eur", "€", " EUR "])
def test_a_currency_may_be_written_in_several_ways(written):
    assert portfolio_of(TEXT.replace("EUR", written)).currency == "EUR"


def test_twins_have_the_plan_of_their_joint_market():
    """Two fits of one kind of market, and the market that both are together."""
    once = market(1)
    markets = {"North": once, "South": once}
    twins = joined(markets, dict.fromkeys(markets, 1.0), {})
    double = {key: 2 * getattr(once, key) for key in ("spend", "value", "slope")}
    whole = replace(once, **double)
    table = {"bounds": [0.5, 2.0], "supported": False}
    record = portfolio_plan(twins, table, "trustworthy")
    joint = plan(whole, replace(scenario(whole, bounds=(0.5, 2.0)), supported=False))
    north, south = (list(each.spend.values()) for each in record.projects)
    assert record.bound.gap <= 1e-3
    assert north == pytest.approx(south, rel=5e-3)
    assert np.add(north, south) == pytest.approx(tuple(joint.money.values()), rel=5e-3)
    assert record.outcome.planned.mean == pytest.approx(
        joint.outcome.planned.mean, rel=1e-4
    )
