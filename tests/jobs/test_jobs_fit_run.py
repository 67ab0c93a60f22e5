"""The work of a fit, in this process: stopped, continued, previewed, compared."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from msgspec import to_builtins

from core.analysis.draws import flat_draws
from core.analysis.record.fit_record import as_record
from core.analysis.returns import returns
from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit import fit as sampler
from core.fit.draws import SamplingStopped
from core.fit.settings import SamplerSettings
from core.jobs.tasks import fit_run, frozen, preview
from core.jobs.tasks.frozen import load_model
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.plan import plan
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.project.comparing.comparison import compare_runs
from core.project.fits.previews import read_preview
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import open_run
from core.project.shelf.lifecycle import create_project
from core.service.fits import with_more_draws
from core.store.fit_results import read_fit
from core.store.results import has_result, open_dataset, read_json
from core.store.run_state import write_state
from core.store.stored import read_object

CHANNELS = {"TV": 900.0, "Search": 400.0}
QUICK = SamplerSettings(chains=2, warmup=100, draws=120, precision="float64")


def table(seed: int = 0, n_times: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    weeks = pd.date_range("2023-01-02", periods=n_times, freq="7D")
    columns = {"week": weeks.strftime("%Y-%m-%d")}
    sales = 9_000 + rng.normal(0, 300, n_times)
    for name, weekly in CHANNELS.items():
        spend = weekly * rng.gamma(2.0, 0.5, n_times)
        sales += 3 * weekly * (1 + 2 * seed) * spend / (spend + weekly)
        columns |= {name: spend * 30, f"{name}_spend": spend}
    return pd.DataFrame(columns | {"sales": sales}).round(2)


def a_project(name: str, seed: int = 0):
    columns = [
        ChannelColumns(name, "media", media=name, spend=f"{name}_spend")
        for name in CHANNELS
    ]
    mapping = ColumnMapping(
        "week", "sales", kpi_type="revenue", channels=tuple(columns)
    )
    chances = {"TV": 0.3, "Search": 0.7}
    channels = (ChannelSpec(name, follows_demand=chances[name]) for name in CHANNELS)
    spec = ModelSpec(channels=tuple(channels), knots=4)
    return create_project(name, table(seed), mapping, spec=spec)


def run_of(project, **options):
    """A run that is done, as far as its worker can do it."""
    run = new_run(project, sampler=vars(QUICK) | options)
    finish(run)
    return run


def finish(run) -> None:
    fit_run.execute(run, lambda told: None, lambda: False)
    write_state(run, "done", rc=0)


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    """A project, and a finished fit of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("home")))
        project = a_project("Small market")
        yield project, run_of(project, seed=1)


def test_sources_add_up_to_what_is_expected(market):
    _, run = market
    sources, weeks = open_dataset(run, "sources"), open_dataset(run, "weeks")
    baseline = sources["baseline"].sum(["part", "stretch"]).mean()
    assert float(baseline) == pytest.approx(float(weeks["baseline"].sum()), rel=1e-6)
    added = sources["incremental_outcome"].sum("stretch").mean("draw")
    expected = weeks["contribution"].sum("time")
    np.testing.assert_allclose(added.sel(channel=expected["channel"]), expected)
    assert float(sources["actual"].sum()) == pytest.approx(float(weeks["actual"].sum()))
    assert int(sources["n_periods"].sum()) == weeks.sizes["time"]


def test_views_of_periods_and_of_channels_are_by_the_same_draws(market, monkeypatch):
    _, run = market
    monkeypatch.setattr(fit_run, "CHANNEL_DRAWS", 20)
    posterior = open_dataset(run, "posterior")
    _, model = load_model(run)
    views = fit_run._of_weeks(model, posterior, 1, lambda _: None)
    channels = returns(model, flat_draws(posterior, 20))
    brought = channels["incremental_outcome"].mean("draw")
    for view, over in (("weeks", "time"), ("sources", "stretch")):
        name = "contribution" if view == "weeks" else "incremental_outcome"
        summed = views[view][name].sum(over)
        mean = summed.mean("draw") if "draw" in summed.dims else summed
        shown = mean.sel(channel=brought["channel"].values)
        np.testing.assert_allclose(shown, brought, rtol=1e-4)


def test_a_plan_begins_at_what_the_report_says_media_brought(market):
    _, run = market
    curves = response_curves(open_dataset(run, "curves"))
    made = plan(curves, scenario(curves))
    returned = [
        row["contribution"]["mean"] for row in read_json(run, "summary")["channels"]
    ]
    assert made.outcome.current.mean == pytest.approx(sum(returned), rel=1e-6)
    assert made.today.outcome.mean == made.outcome.current.mean


def test_parameters_and_simulations_are_kept(market):
    _, run = market
    parameters = open_dataset(run, "parameters")
    assert "roi_m[TV]" in parameters["parameter"].values
    assert parameters.sizes["chain"] == QUICK.chains
    simulated = open_dataset(run, "replicated")["simulated"]
    assert np.isfinite(simulated).all()


def test_a_stopped_run_ends_with_the_draws_of_one_that_was_not(market, monkeypatch):
    project, whole = market
    monkeypatch.setattr(sampler, "BLOCK", 5)
    monkeypatch.setattr(sampler, "_BLOCK_SECONDS", 1e-9)
    run = new_run(project, sampler=vars(QUICK) | {"seed": 1})
    told = []
    with pytest.raises(SamplingStopped):
        fit_run.execute(
            run, told.append, lambda: any(t["phase"] == "draws" for t in told)
        )
    assert not has_result(run)
    assert read_preview(run) is not None
    finish(run)
    for name in ("posterior", "channels", "curves"):
        xr.testing.assert_equal(open_dataset(run, name), open_dataset(whole, name))


def test_more_draws_begin_with_those_that_were_there(market):
    _, run = market
    longer = with_more_draws(run, 200)
    finish(longer)
    assert read_json(longer, "fit")["continues"] == run.name
    before, after = open_dataset(run, "posterior"), open_dataset(longer, "posterior")
    assert after.sizes["draw"] == 200
    xr.testing.assert_equal(after.isel(draw=slice(120)), before)
    assert "continues" in {
        one.name for one in compare_runs(open_run(run), open_run(longer)).settings
    }


def test_two_seeds_agree_and_other_data_do_not(market):
    project, run = market
    second = run_of(project, seed=2)
    told = compare_runs(open_run(run), open_run(second))
    assert told.verdict.status in ("same", "unknown"), told.verdict
    assert not told.verdict.beyond
    assert [one.name for one in told.settings] == ["seed"]
    units = [abs(row.roi.units) for row in told.channels]
    assert 0 < max(units) < told.verdict.limit
    other = run_of(a_project("Other market", seed=1), seed=1)
    told = compare_runs(open_run(run), open_run(other))
    assert told.verdict.status == "other data"
    assert told.verdict.beyond
    assert "same answer" not in told.verdict.text


def test_a_preview_is_written_before_the_results_and_goes(market, caplog):
    project, whole = market
    run = new_run(project, sampler=vars(QUICK) | {"seed": 1})
    seen, sampled = {}, {}

    def look(told):
        if told["phase"] in ("warmup", "draws", "analysis") and not seen:
            seen.update(read_object(run / "preview" / "preview.json"))
        if told["phase"] == "saving":
            sampled.update(read_object(run / "preview" / "preview.json"))

    fit_run.execute(run, look, lambda: False)
    assert seen["is_preview"] is True
    assert not (run / "preview").exists()
    assert "preview" in read_json(run, "fit")["seconds"]
    assert "goes on" not in caplog.text  # what results need was made ready meanwhile
    result = {row["name"]: row for row in read_json(whole, "summary")["channels"]}
    for row in seen["channels"]:
        found, expected = row["roi"], result[row["name"]]["roi"]
        assert found["lo"] < found["mean"] < found["hi"]
        assert abs(found["mean"] - expected["mean"]) < expected["sd"]
    budget = sum(row["planned"] for row in seen["plan"]["channels"])
    assert budget == pytest.approx(seen["plan"]["budget"])
    json.dumps(seen, allow_nan=False)
    # What is sampled is shown before the rest, and is what the result says.
    verdict = read_json(run, "diagnostics")
    assert sampled["method"] == "sampled"
    assert sampled["sampling"]["rhat_max"] == verdict["rhat_max"]
    assert set(sampled["sampling"]["reasons"]) <= set(verdict["reasons"])
    for row, own in zip(
        sampled["channels"], read_json(run, "summary")["channels"], strict=True
    ):
        assert {key: own[key] for key in row} == row


def test_a_fit_whose_preview_fails_still_finishes(market, monkeypatch, caplog):
    project, whole = market

    def broken(*args):
        raise ZeroDivisionError("a bug in the preview")

    monkeypatch.setattr(preview, "returns", broken)
    run = run_of(project, seed=1)
    assert not (run / "preview").exists()
    assert "There is no preview" in caplog.text
    xr.testing.assert_equal(
        open_dataset(run, "posterior"), open_dataset(whole, "posterior")
    )


def test_the_last_year_is_in_the_summary(market):
    _, run = market
    latest = open_dataset(run, "years").isel(year=-1)
    rows = {row["name"]: row for row in read_json(run, "summary")["channels"]}
    for name in CHANNELS:
        one = latest.sel(channel=name)
        brought, spend = float(one["contribution"]), float(one["spend"])
        assert rows[name]["roi_last_year"]["mean"] == pytest.approx(brought / spend)
        assert 0 < spend < rows[name]["spend"]  # 52 of 60 weeks


def test_the_summary_is_the_record_to_the_byte(market):
    _, run = market
    stored = (run / "result" / "summary.json").read_text()
    assert json.dumps(to_builtins(read_fit(run)), indent=1) == stored


def test_a_finished_fit_keeps_what_it_decided_of_demand(market, monkeypatch):
    """Whatever a later version makes of the data: its draws belong to those columns."""
    project, run = market
    told = read_json(run, "summary")
    demand = {row["name"]: row["demand"] for row in told["channels"]}
    posterior = open_dataset(run, "posterior")["follows_demand"]
    curves = open_dataset(run, "curves")["follows_demand"]
    for name, one in demand.items():
        assert one["prior"] == {"TV": 0.3, "Search": 0.7}[name] and one["by"] == "you"
        mean = float(posterior.sel(demand_open=name).mean())
        assert one["probability"] == pytest.approx(mean, abs=1e-6)
        assert float(curves.sel(channel=name)) == pytest.approx(mean, abs=1e-6)
        assert "Probability that its spend follows demand" in one["sentence"]
    summary = told | {
        "channels": [
            row | {"demand": row["demand"] | {"prior": float(row["name"] == "Search")}}
            for row in told["channels"]
        ]
    }
    monkeypatch.setattr(frozen, "read_fit", lambda folder: as_record(summary))
    _, model = frozen.load_model(run)
    assert [(one.channel, one.column) for one in model.demand] == [
        ("TV", "none"),
        ("Search", "fixed"),
    ]
    fresh = new_run(project)
    _, model = frozen.load_model(fresh)
    assert all(one.column == "open" for one in model.demand)
