"""A fit that refreshes an earlier one: its first answer, its warm start, its record."""

import json
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.analysis.refreshing.reweighted import FEWEST
from core.data.files.parquet import read_table
from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.settings import SamplerSettings
from core.jobs.tasks import fit_run, flight_run, refresh_run
from core.jobs.tasks.coordinates import has_begun, in_kept_coordinates
from core.jobs.tasks.frozen import load_model
from core.jobs.tasks.saved_plans import plan_of_record_anew, saved_plans
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.geo_plan import geo_plan
from core.plan.plan import judged_amounts, plan
from core.plan.record.plan_record import as_record
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.plan.scenario.table import of_table
from core.project.comparing.comparison import compare_runs
from core.project.fits.derived import new_derived
from core.project.fits.previews import read_preview
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import latest_fit, open_run
from core.project.plans.plans import (
    list_plans,
    load_plan,
    mark_plan,
    plan_of_record,
    save_plan,
    with_fit,
)
from core.project.refresh.standing import scored_again, standing
from core.project.settings.project import data_file, load_project, project_sha256
from core.project.settings.project_data import replace_table
from core.project.shelf.lifecycle import create_project
from core.service.fits import verdict_of
from core.store.atomic import write_json
from core.store.results import open_dataset, read_json
from core.store.run_state import write_state
from core.store.stored import read_object
from core.view.refresh_words import first_answer
from tests.plan.records import refresh_record

CHANNELS = {"TV": 900.0, "Search": 400.0}
QUICK = SamplerSettings(chains=2, warmup=150, draws=250, precision="float64")


def table(n_times: int = 64) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    weeks = pd.date_range("2023-01-02", periods=80, freq="7D")
    columns = {"week": weeks.strftime("%Y-%m-%d")}
    sales = 9_000 + rng.normal(0, 300, 80)
    for name, weekly in CHANNELS.items():
        spend = weekly * rng.gamma(2.0, 0.5, 80)
        sales += 3 * weekly * spend / (spend + weekly)
        columns |= {name: spend * 30, f"{name}_spend": spend}
    return pd.DataFrame(columns | {"sales": sales}).round(2)[:n_times]


def by_geo(n_times: int = 64) -> pd.DataFrame:
    """The table for a large geo, and one of six tenths of it."""
    large, small = table(n_times), table(n_times)
    amounts = [name for name in small.columns if name != "week"]
    small[amounts] = (0.6 * small[amounts]).round(2)
    small["sales"] += np.random.default_rng(4).normal(0, 150, n_times).round(2)
    geos = {"North": large, "South": small}
    return pd.concat(frame.assign(geo=name) for name, frame in geos.items())


def a_project(name: str, frame: pd.DataFrame | None = None, **options):
    columns = [
        ChannelColumns(name, "media", media=name, spend=f"{name}_spend")
        for name in CHANNELS
    ]
    mapping = ColumnMapping(
        "week",
        "sales",
        geo=None if frame is None else "geo",
        kpi_type="revenue",
        channels=tuple(columns),
    )
    options = options or {"knots": 4}
    channels = tuple(ChannelSpec(name) for name in CHANNELS)
    spec = ModelSpec(channels=channels, **options)
    frame = table(60) if frame is None else frame
    return create_project(name, frame, mapping, spec=spec)


def finish(run):
    fit_run.execute(run, lambda told: None, lambda: False)
    write_state(run, "starting")
    write_state(run, "running")
    write_state(run, "done")
    return run


def finish_as_the_product_does(run):
    """In a worker process, which hides what it does not need."""
    command = [sys.executable, "-m", "core.jobs.worker", str(run)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return run


def give(project, frame) -> None:
    replace_table(
        project, frame, load_project(project), base_sha=project_sha256(project)
    )


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A project, its first fit, and the fit of four more weeks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("refresh")))
        project = a_project("monthly")
        first = finish(new_run(project, sampler=vars(QUICK)))
        curves = response_curves(open_dataset(first, "horizon_curves"))
        verdict = verdict_of(open_run(first))
        made = plan(curves, scenario(curves), verdict=verdict)
        spring = with_fit(made, first)
        mark_plan(project, save_plan(project, spring).plan_id)
        give(project, table(64))
        seen = {}
        real = refresh_run.begin

        def begin(run, *others):
            found = real(run, *others)
            seen.update(read_object(run / "preview" / "preview.json"))
            return found

        patch.setattr(refresh_run, "begin", begin)
        options = {"before": first.name}
        later = new_run(project, sampler=vars(QUICK), options=options)
        finish(later)
        yield project, first, later, seen


def test_the_draws_before_answer_first(world):
    _, first, later, seen = world
    assert seen["method"] == "reweighted"
    assert seen["before"] == first.name
    assert seen["k_hat"] < 0.7
    assert [row["name"] for row in seen["channels"]] == list(CHANNELS)
    record = read_json(later, "refresh")
    assert record["fast"]["channels"] == seen["channels"]
    assert record["fast_agrees"], record["fast_beyond"]
    assert read_preview(later) is None


def test_a_warm_start_finds_what_a_cold_one_does(world):
    project, _, warm, _ = world
    cold = finish(new_run(project, sampler=vars(QUICK)))
    told = compare_runs(*(open_run(run) for run in (warm, cold)))
    assert told.verdict.status == "same", told.verdict
    warm_up = {run: state_of(run)["plan"][:-1] for run in (warm, cold)}
    lengths = {run: sum(stage[1] for stage in each) for run, each in warm_up.items()}
    assert lengths[warm] < lengths[cold]


def test_a_refresh_moves_in_the_coordinates_of_the_fit_before(world, tmp_path):
    """Whatever its own would be: positions of the fit before keep their meaning."""
    _, first, later, _ = world
    kept = read_object(first / "checkpoint" / "coordinates.json")
    assert read_object(later / "checkpoint" / "coordinates.json") == kept
    _, model = load_model(later)
    others = {name: (2 * np.array(each)).tolist() for name, each in kept.items()}
    for place in ("before", "after"):
        (tmp_path / place / "checkpoint").mkdir(parents=True)
    write_json(tmp_path / "after" / "run.json", {"options": {"before": "before"}})
    write_json(tmp_path / "before" / "checkpoint" / "coordinates.json", others)
    found = in_kept_coordinates(tmp_path / "after", model).arrays.errors
    assert {name: np.asarray(each).tolist() for name, each in found.items()} == others
    assert not has_begun(tmp_path / "after")


def state_of(run) -> dict:
    with np.load(run / "checkpoint" / "state.npz") as saved:
        return json.loads(str(saved["about"]))


def test_new_rows_alone_are_the_one_cause(world):
    _, first, later, _ = world
    record = read_json(later, "refresh")
    assert record["causes"] == ["new data"]
    assert record["came"]["periods"] == list(table(64)["week"][60:])
    before, after = (read_json(run, "summary")["channels"] for run in (first, later))
    for row, old, new in zip(record["channels"], before, after, strict=True):
        move = (new["roi"]["mean"] - old["roi"]["mean"]) / old["roi"]["sd"]
        assert row["sds"] == pytest.approx(move)
        assert row["by"] == {"new data": pytest.approx(move)}
    assert record["moved"] == max(abs(row["sds"]) for row in record["channels"])
    report = (later / "report.html").read_text()
    assert "Since the last fit" in report
    assert "ROI moved most" in report or "Nothing moved" in report


def test_the_plan_of_record_is_scored_in_the_periods_still_ahead(world):
    _, first, later, _ = world
    scored = read_json(later, "refresh")["plan"]
    assert scored["periods"] == 48
    assert scored["start"] == str(table(65)["week"][64])
    assert scored["cause"] == "data"
    assert scored["before"]["mean"] > 0
    assert "no forecast" in read_json(later, "refresh")["no_actuals"]
    assert "Plan of record" in (later / "report.html").read_text()


def test_saved_plans_ahead_are_scored_when_a_fit_ends(world):
    project, first, later, _ = world
    (plan_id,) = [each.plan_id for each in list_plans(project)]
    kept = load_plan(project, plan_id)
    (again,) = read_json(later, "plans")["plans"]
    assert again == read_json(later, "refresh")["plan"]
    assert again["plan_id"] == plan_id
    assert again["saved_as"] == kept.advice
    assert again["is_changed"] == (again["was"] != again["advice"])
    assert again["reasons"]
    newest = latest_fit(project)
    by_newest = scored_again(newest.folder)[plan_id]
    stood = standing(project, kept)
    assert stood.newest == newest.run_id
    assert stood.gain == by_newest.gain
    assert stood.window == (by_newest.start, by_newest.end)
    assert stood.is_changed == by_newest.is_changed
    # No plan was saved yet when the first fit ended.
    assert scored_again(first) == {}


def test_both_fits_are_asked_what_the_plan_was(world):
    """The fit of a plan, asked again, advises what the plan was saved with."""
    project, first, _, _ = world
    kept = list_plans(project)[0]
    curves = response_curves(open_dataset(first, "horizon_curves"))
    again = judged_amounts(curves, kept.money, verdict=kept.verdict)
    assert again.on_split.advice == kept.on_split.advice
    assert again.advice == kept.advice
    assert again.gain_draws.mean() == pytest.approx(kept.gain.mean)


def test_two_causes_are_told_apart_by_a_refit(world):
    project, _, later, _ = world
    frame = table(68)
    frame.loc[10:20, "sales"] *= 1.6
    give(project, frame)
    run = new_run(project, sampler=vars(QUICK), options={"before": later.name})
    record = read_json(finish_as_the_product_does(run), "refresh")
    assert "Since the last fit" in (run / "report.html").read_text()
    assert not (run / "error.json").exists()
    assert record["causes"] == ["changed history", "new data"]
    assert record["came"]["n_changed"] == 11
    for row in record["channels"]:
        assert sum(row["by"].values()) == pytest.approx(row["sds"])
    by_history = max(abs(row["by"]["changed history"]) for row in record["channels"])
    by_rows = max(abs(row["by"]["new data"]) for row in record["channels"])
    assert by_history > by_rows


def test_a_fit_of_another_version_is_a_cause_and_is_not_reweighted(world):
    project, first, _, _ = world
    about = read_object(first / "run.json")
    write_json(first / "run.json", about | {"versions": {"mixwright": "0.0.1"}})
    give(project, table(64))
    run = new_run(
        project,
        sampler=vars(replace(QUICK, draws=60, warmup=60)),
        options={"before": first.name},
    )
    record = read_json(finish(run), "refresh")
    assert record["causes"] == ["version", "new data"]
    assert record["fast"] is None
    assert record["fast_agrees"] is None
    assert record["is_warm"]
    write_json(first / "run.json", about)


def test_without_its_checkpoint_the_last_fit_is_only_compared_with(world):
    project, first, _, _ = world
    (first / "checkpoint").rename(first / "elsewhere")
    run = new_run(
        project,
        sampler=vars(replace(QUICK, draws=60, warmup=60)),
        options={"before": first.name},
    )
    record = read_json(finish(run), "refresh")
    (first / "elsewhere").rename(first / "checkpoint")
    assert not record["is_warm"]
    assert record["fast"] is None
    assert record["moved_channel"] in CHANNELS


def test_another_specification_is_a_cause_of_its_own(world):
    project, first, _, _ = world
    changed = load_project(project)
    spec = replace(changed.spec, knots=6)
    run = new_run(
        project,
        project=replace(changed, spec=spec),
        sampler=vars(replace(QUICK, draws=60, warmup=60)),
        options={"before": first.name},
    )
    record = read_json(finish(run), "refresh")
    assert record["causes"][-1] == "specification"
    # Knots are integrated out: the parameters are those of the fit before.
    assert record["fast"]["k_hat"] < 0.7
    for row in record["channels"]:
        assert sum(row["by"].values()) == pytest.approx(row["sds"])


def test_a_fit_whose_last_fit_is_gone_by_now_is_a_fit(world, tmp_path):
    _, _, later, _ = world
    (tmp_path / "summary.json").write_text("{}")
    gone = refresh_run.Refresh(later, tmp_path / "gone", None)
    frozen = load_model(later)
    refresh_run.record(tmp_path, gone, *frozen, lambda told: None, lambda: False)
    assert not (tmp_path / "refresh.json").exists()


def begun(project, last, frame):
    """What a refresh answers first with other rows; its fit is not run."""
    give(project, frame)
    options = {"before": last.name}
    run = new_run(project, sampler=vars(QUICK), options=options)
    try:
        return run, refresh_run.begin(run, *load_model(run), time.monotonic())
    finally:
        give(project, table(64))


def test_draws_that_do_not_reach_the_new_answer_say_so(world):
    """Half a year of sales was wrong: too far for reweighting, which says so."""
    project, first, _, _ = world
    frame = table(64)
    frame.loc[20:45, "sales"] *= 2.5
    run, begun_with = begun(project, first, frame)
    fast = begun_with.fast
    assert fast.is_rough and fast.channels == ()
    is_far = fast.k_hat is None or fast.k_hat > fast.highest_k
    assert is_far or fast.draws < FEWEST
    assert read_preview(run).is_rough
    record = refresh_record(fast=fast)
    said = first_answer(record)
    assert "There was no first answer: the earlier draws do not reach" in said


def test_a_plan_of_weeks_is_scored_by_the_weeks_that_are_left(world):
    project, first, later, _ = world
    flight = new_derived(first, "flight", {"horizon": {"periods": 6}})
    flight_run.execute(flight, lambda told: None, lambda: False)
    weeks = with_fit(as_record(read_json(flight, "flight")), first)
    told = anew(project, later, save_plan(project, weeks))
    left = weeks.weeks[4:]
    assert (told["plan"]["start"], told["plan"]["periods"]) == (left[0], 2)
    planned = [sum(line.weeks[4:]) for line in weeks.channels]
    usual = [sum(line.weeks) for line in weeks.channels]
    assert 0 < sum(planned) < sum(usual)
    rows = {row["name"]: row for row in told["plan"]["channels"]}
    assert set(rows) == set(CHANNELS)
    assert told["plan"]["after"]["mean"] > 0
    assert told["no_plan"] == ""


def test_a_channel_without_history_is_scored_as_it_is_believed(world):
    project, first, later, _ = world
    curves = response_curves(open_dataset(first, "horizon_curves"))
    spend = 0.1 * float(curves.spend.sum())
    table = {
        "belief": {"Podcast": {"spend": spend, "roi": [2.0, 3.0]}},
        "channel": {"Podcast": {"min": spend, "max": spend}},
    }
    made = with_fit(plan(curves, of_table(table, curves)), first)
    told = anew(project, later, save_plan(project, made))["plan"]
    rows = {row["name"]: row for row in told["channels"]}
    assert set(rows) == {*CHANNELS, "Podcast"}
    part = told["periods"] / made.horizon.periods
    assert 2 * part * spend < rows["Podcast"]["before"] < 3 * part * spend
    assert rows["Podcast"]["after"] == pytest.approx(rows["Podcast"]["before"])


def anew(project, later, plan):
    """A plan of record by the newer fit."""
    before = plan_of_record(project)
    mark_plan(project, plan.plan_id)
    frozen, model = load_model(later)
    frame = read_table(data_file(later, frozen))
    try:
        scored = saved_plans(later, model, later / "result", "trustworthy")
        return plan_of_record_anew(project, later.name, frame, scored)
    finally:
        mark_plan(project, before)


@pytest.fixture(scope="module")
def geo_world(world):
    """A project of two geos, its fit, and the fit of four more weeks."""
    project = a_project("regions", by_geo(60))
    short = vars(replace(QUICK, warmup=80, draws=80))
    first = finish(new_run(project, sampler=short))
    give(project, by_geo(64))
    options = {"before": first.name}
    return project, first, finish(new_run(project, sampler=short, options=options))


def test_a_plan_of_geos_is_scored_by_its_channels(geo_world):
    project, first, later = geo_world
    asked = scenario(response_curves(open_dataset(first, "horizon_curves")))
    split = geo_plan(open_dataset(first, "horizon_geo_curves"), asked).record(asked)
    assert split.over == "geos"
    told = anew(project, later, save_plan(project, with_fit(split, first)))
    assert told["no_plan"] == ""
    assert told["plan"]["periods"] == 48
    assert {row["name"] for row in told["plan"]["channels"]} == set(CHANNELS)
    assert told["plan"]["before"]["mean"] > 0 and told["plan"]["after"]["mean"] > 0
    record = read_json(later, "refresh")
    assert record["moved_channel"] in CHANNELS
