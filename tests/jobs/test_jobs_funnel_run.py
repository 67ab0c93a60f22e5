"""A funnel from two fits on: what the worker writes, and what is asked of it later."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.analysis.ahead import backtest
from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import SpecError
from core.fit.fit import fit
from core.fit.settings import SamplerSettings
from core.jobs.tasks import backtest_run, fit_run, flight_run, horizon_run
from core.jobs.tasks.frozen import load_model
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.plan import plan
from core.plan.record.plan_record import as_record
from core.plan.response.curves import response_curves
from core.plan.scenario.table import of_table
from core.project.comparing.backtests import new_backtest
from core.project.fits.derived import new_derived
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import open_run
from core.project.learnt.of_fit import of_fit
from core.project.settings.definition import Funnel
from core.project.settings.project import load_project, save_project
from core.project.shelf.lifecycle import create_project
from core.service.forecasts import forecast
from core.service.suggestions.priors import suggested
from core.store.results import open_dataset, read_json
from core.store.run_state import write_state

QUICK = SamplerSettings(chains=2, warmup=80, draws=80, precision="float64")
PAID = ("TV", "Search")


def table(n_times: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    weeks = pd.date_range("2023-01-02", periods=n_times, freq="7D")
    spend = {name: 900 * rng.gamma(2.0, 0.5, n_times) for name in PAID}
    queries = 5_000 + 2 * spend["TV"] + rng.normal(0, 200, n_times)
    sales = 3_000 + 0.3 * spend["Search"] + 0.9 * queries + rng.normal(0, 200, n_times)
    columns = {f"{name}_spend": values for name, values in spend.items()}
    columns |= {"queries": queries, "sales": sales, "paid": 0.02 * queries}
    weeks = {"week": weeks.strftime("%Y-%m-%d")}
    return pd.DataFrame(weeks | columns).round(2)


def a_project(kpi: str, *names: str):
    columns = [
        ChannelColumns(name, "media", spend=f"{name}_spend", media=f"{name}_spend")
        for name in names
    ]
    unit = "revenue" if kpi == "sales" else "non_revenue"
    mapping = ColumnMapping("week", kpi, kpi_type=unit, channels=tuple(columns))
    channels = (ChannelSpec(name, follows_demand=False) for name in names)
    return create_project(
        kpi, table(), mapping, spec=ModelSpec(channels=tuple(channels))
    )


def fitted(project):
    run = new_run(project, sampler=vars(QUICK))
    fit_run.execute(run, lambda told: None, lambda: False)
    write_state(run, "done", rc=0)
    return run


@pytest.fixture(scope="module")
def funnel(tmp_path_factory):
    """Finished fits of queries, and of sales with queries on the way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("home")))
        queries = fitted(a_project("queries", "TV"))
        sales = a_project("sales", *PAID)
        path = sales / "project.toml"
        stated = 'mediator = "queries"\nproject = "queries"\ncost = "paid"\n'
        path.write_text(f"{path.read_text()}\n[[funnel]]\n{stated}")
        yield fitted(sales), queries


def test_summary_and_curves_are_of_totals(funnel):
    run, _ = funnel
    about = read_json(run, "summary")
    (split,) = about["funnel"]["channels"]
    rows = {row["name"]: row for row in about["channels"]}
    assert split["name"] == "TV"
    total = split["total"]["mean"]
    assert split["through"]["queries"]["mean"] > total / 2
    assert rows["TV"]["contribution"]["mean"] == pytest.approx(total, rel=1e-5)
    assert rows["TV"]["roi"]["mean"] > split["roi_with_induced"]["mean"]
    assert rows["queries"]["kind"] == "organic_media"
    for name in ("curves", "sources", "channels"):
        view = open_dataset(run, name)["incremental_outcome"].sel(channel="TV")
        if name == "curves":
            view = view.sel(spend_multiplier=1.0, method="nearest")
        if name == "sources":
            view = view.sum("stretch")
        assert float(view.mean()) == pytest.approx(total, rel=0.02)
    shares = sum(row["contribution_share"]["mean"] for row in rows.values())
    assert shares + about["baseline_share"]["mean"] == pytest.approx(1.0, abs=1e-5)


def test_a_plan_pays_what_television_makes_us_spend_on_queries(funnel):
    run, _ = funnel
    (split,) = read_json(run, "summary")["funnel"]["channels"]
    curves = response_curves(open_dataset(run, "curves"))
    (paid,) = curves.paid
    (mediator,) = read_json(run, "summary")["funnel"]["mediators"]
    gone = (paid.k / np.sqrt(1 + paid.k**2)).mean()
    assert gone == pytest.approx(mediator["hidden"]["vanishes_at"]["mean"], rel=0.02)
    at_one = paid.induced[0][:, 0, 20]
    assert paid.names[0] == "TV"
    assert at_one.mean() == pytest.approx(split["induced"]["mean"], rel=0.02)
    through = paid.through[0][:, 0, 20].mean()
    assert through == pytest.approx(split["through"]["queries"]["mean"], rel=0.02)
    table = {"mediator": {"queries": {"bought": 1.0}}}
    planned = plan(curves, of_table(table, curves))
    assert planned.cash.mean == pytest.approx(planned.budget, abs=0.01)
    assert planned.budget > curves.spend.sum()


def test_the_posterior_keeps_the_pairs(funnel):
    run, queries = funnel
    both, theirs = open_dataset(run, "posterior"), open_dataset(queries, "posterior")
    assert sorted(both["through0_sigma"].values.ravel()) == sorted(
        theirs["sigma"].values.ravel()
    )
    _, model = load_model(run)
    assert len(model.mediators) == 1


def test_another_horizon_counts_both_ways(funnel):
    run, _ = funnel
    derived = new_derived(run, "horizon", {"periods": 8, "start": "2024-04-01"})
    horizon_run.execute(derived, lambda told: None, lambda: False)
    curves = open_dataset(derived, "horizon_curves")["incremental_outcome"]
    at_one = curves.sel(spend_multiplier=1.0, method="nearest").mean("draw")
    assert float(at_one.sel(channel="TV")) > float(at_one.sel(channel="Search"))


def test_a_forecast_moves_queries_with_television(funnel):
    run, _ = funnel
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.service.forecasts._use_jax", lambda run: None)
        plain = forecast(open_run(run), periods=6)
        more = forecast(open_run(run), periods=6, multipliers={"TV": 2.0})
        with pytest.raises(SpecError, match="queries is a mediator"):
            forecast(open_run(run), periods=6, multipliers={"queries": 2.0})
    rise = more.outlook.total.mean - plain.outlook.total.mean
    spend = plain.spend["TV"]
    assert rise > 0.5 * spend  # 0.9 queries a euro and 2 euros of sales, saturating


def test_weeks_count_what_comes_through_queries(funnel):
    """The same weeks: last year's bring what the curves say, the plan more."""
    run, _ = funnel
    ahead = {"periods": 8, "start": "2024-04-01"}
    derived = new_derived(run, "horizon", ahead)
    horizon_run.execute(derived, lambda told: None, lambda: False)
    curves = open_dataset(derived, "horizon_curves")["incremental_outcome"]
    at_one = curves.sel(spend_multiplier=1.0, method="nearest").mean("draw")
    derived = new_derived(run, "flight", {"horizon": ahead})
    flight_run.execute(derived, lambda told: None, lambda: False)
    planned = as_record(read_json(derived, "flight"))
    assert planned.today.outcome.mean == pytest.approx(float(at_one.sum()), rel=1e-3)
    tv, _ = planned.channels
    assert tv.planned > tv.current and planned.gain["mean"] > 0
    assert 0 <= planned.bound.gap < 0.05
    assert "TV also makes us spend on queries" in " ".join(planned.reasons)
    (hidden,) = planned.hidden
    assert hidden.mediator == "queries"
    asked = {"horizon": ahead, "mediator": {"queries": {"bought": 1.0}}}
    derived = new_derived(run, "flight", asked)
    flight_run.execute(derived, lambda told: None, lambda: False)
    paid = as_record(read_json(derived, "flight"))
    assert (
        paid.cash.mean > paid.budget and paid.scenario["mediator"] == asked["mediator"]
    )
    assert paid.today.spend == pytest.approx(paid.cash.mean, abs=0.03)
    assert 0 <= paid.bound.gap < 0.05


def test_weeks_that_pay_keep_to_what_is_booked_dark_and_reserved(funnel):
    run, _ = funnel
    test = {"2024-04-29": 700.0, "2024-05-06": 0.0}
    reserved = {"test": "TV test", "channel": "TV", "weeks": test}
    asked = {
        "horizon": {"periods": 8, "start": "2024-04-01"},
        "mediator": {"queries": {"bought": 1.0}},
        "weeks": {"reserved": [reserved]},
        "channel": {"TV": {"weeks": {"2024-04-08": 123.45}, "dark": ["2024-04-15"]}},
    }
    derived = new_derived(run, "flight", asked)
    flight_run.execute(derived, lambda told: None, lambda: False)
    paid = as_record(read_json(derived, "flight"))
    tv = dict(zip(paid.weeks, paid.channels[0].weeks, strict=True))
    fixed = {"2024-04-08": 123.45, "2024-04-15": 0.0} | test
    assert {day: tv[day] for day in fixed} == pytest.approx(fixed, abs=0.005)
    assert sum(tv.values()) > sum(fixed.values())
    assert paid.cash.mean == pytest.approx(paid.today.spend, abs=0.03)
    assert 0 <= paid.bound.gap < 0.2


def test_a_prior_on_the_direct_part_is_not_pooled_with_totals(funnel):
    run, _ = funnel
    known = {each.channel: each for each in of_fit(open_run(run)).returns}
    assert "directly" in known["TV"].reason and not known["TV"].learnt.is_something
    assert "directly" not in known["Search"].reason
    found = {each.channel: each.reason for each in suggested(run.parents[1]).channels}
    assert "works through a mediator" in found["TV"]
    assert "works through a mediator" not in found["Search"]


def test_the_worse_verdict_counts(funnel):
    run, queries = funnel
    verdicts = ("trustworthy", "doubtful", "failed")
    own, theirs = (
        read_json(each, "summary")["diagnostics"]["verdict"] for each in (run, queries)
    )
    assert verdicts.index(own) >= verdicts.index(theirs)


def test_the_funnel_is_kept_where_a_project_is_saved(funnel):
    run, _ = funnel
    folder = run.parents[1]
    project = load_project(folder)
    assert project.funnels == (Funnel("queries", "queries", "paid"),)
    save_project(folder, replace(project, currency="CHF"))
    assert load_project(folder).funnels == project.funnels
    assert 'cost = "paid"' in (folder / "project.toml").read_text()


def test_a_lift_test_of_television_is_of_its_total(funnel):
    """Two queries a euro, 0.9 sales a query: what a test of its weeks finds."""
    run, _ = funnel
    folder = run.parents[1]
    start, end = "2023-06-05", "2023-08-27"
    inside = table()["week"].between(start, end)
    true = 1.8 * table()["TV_spend"][inside].sum()
    path = folder / "project.toml"
    path.write_text(
        f"{path.read_text()}\n"
        f'[[experiment]]\nchannel = "TV"\nstart = "{start}"\nend = "{end}"\n'
        f"incremental_outcome = {true}\nstandard_error = {0.05 * true}\n"
    )
    tested = fitted(folder)
    about, untested = (read_json(each, "summary") for each in (tested, run))
    (test,) = about["experiments"]
    assert test["agrees"]
    assert test["posterior"]["mean"] == pytest.approx(true, rel=0.08)
    (split,), (before,) = (each["funnel"]["channels"] for each in (about, untested))
    assert split["total"]["sd"] < 0.8 * before["total"]["sd"]
    assert split["through"]["queries"]["mean"] > 2 * abs(split["direct"]["mean"])
    tv = next(each for each in about["channels"] if each["name"] == "TV")
    assert test["roi"]["posterior"]["mean"] == pytest.approx(tv["roi"]["mean"], rel=0.1)
    assert tv["roi"]["mean"] == pytest.approx(1.8, rel=0.12)
    _, model = load_model(tested)
    assert model.spec.experiments


def test_a_lift_test_of_queries_is_of_what_all_queries_bring(funnel):
    """0.9 sales a query; television was left as it was."""
    run, _ = funnel
    folder = run.parents[1]
    start, end = "2023-06-05", "2023-08-27"
    inside = table()["week"].between(start, end)
    true = 0.9 * table()["queries"][inside].sum()
    path = folder / "project.toml"
    before = path.read_text()
    path.write_text(
        f"{before.partition('[[experiment]]')[0]}\n"
        f'[[experiment]]\nchannel = "queries"\nstart = "{start}"\nend = "{end}"\n'
        f"incremental_outcome = {true}\nstandard_error = {0.05 * true}\n"
    )
    tested = fitted(folder)
    path.write_text(before)
    (test,) = read_json(tested, "summary")["experiments"]
    assert test["agrees"] and test["roi"] is None
    assert test["posterior"]["mean"] == pytest.approx(true, rel=0.08)
    assert test["posterior"]["sd"] < test["without"]["sd"]


def test_a_backtest_counts_what_a_test_measured_by_way_of_the_mediator(
    funnel, monkeypatch
):
    """Queries are fitted anew to the same periods; a refit's returns are totals."""
    run, _ = funnel
    folder = run.parents[1]
    path = folder / "project.toml"
    before = path.read_text()
    ended = '"2023-06-05"\nend = "2023-08-27"\nincremental_outcome = 20000\n'
    path.write_text(
        f'{before}\n[[experiment]]\nchannel = "TV"\nstart = {ended}'
        "standard_error = 2000\n"
    )
    short = vars(QUICK) | {"seed": 2}
    try:
        parts = new_backtest(folder, folds=1, refresh=True, sampler=short)
    finally:
        path.write_text(before)
    assert not (parts[0] / "mediators" / "0" / "result").exists()
    fitted_models = []

    def spied(model, *_, **options):
        fitted_models.append(model)
        return fit(model, *_, **options)

    monkeypatch.setattr(backtest, "fit", spied)
    for part in parts[:2]:
        backtest_run.execute(part, lambda told: None, lambda: False)
    assert [model.data.n_times for model in fitted_models] == [52, 52, 52, 60, 60]
    tested = [model for model in fitted_models if model.spec.experiments]
    assert len(tested) == 3  # sales: as it is, with knots, and the refit
    assert all(model.structure.tested for model in tested)
    roi = read_json(parts[1], "part")["channels"]["TV"]["roi"]
    inside = table()["week"].between("2023-06-05", "2023-08-27")
    measured = 20_000 / table()["TV_spend"][inside].sum()
    assert roi["mean"] == pytest.approx(measured, rel=0.15)  # a total, as tested
