"""A plan of geos through a small fit: followed, and spent in other geos."""

from dataclasses import replace

import pandas as pd
import pytest

from core.plan.geo_plan import geo_plan
from core.plan.response.curves import response_curves
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.scenario import scenario
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import open_run
from core.project.plans.plan_actuals import so_far
from core.project.plans.plans import with_fit
from core.service import plans
from core.service.projects import promises
from core.store.results import open_dataset
from tests.jobs.test_jobs_refresh_run import (
    CHANNELS,
    QUICK,
    a_project,
    by_geo,
    finish,
    give,
)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A project of two geos, and its fit, which has a forecast."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("by_geo")))
        project = a_project("regions", by_geo(60), baseline="structural")
        short = vars(replace(QUICK, warmup=80, draws=80))
        yield project, finish(new_run(project, sampler=short))


def with_a_year_more(times: dict[tuple[str, str], float]) -> pd.DataFrame:
    """The table of 60 weeks, and a year whose spend is last year's, multiplied."""
    parts = []
    for geo, own in by_geo(60).groupby("geo", sort=False):
        year = own[-52:].copy()
        later = pd.to_datetime(year["week"]) + pd.Timedelta(days=364)
        year["week"] = later.dt.strftime("%Y-%m-%d")
        for name in CHANNELS:
            year[f"{name}_spend"] *= times[name, geo]
            year[name] *= times[name, geo]
        parts += [own, year]
    return pd.concat(parts)


def test_money_that_went_to_another_geo_is_spend_and_departs_from_the_plan(world):
    project, first = world
    stored = open_dataset(first, "horizon_geo_curves")
    own = {"TV": {"North": 1.5, "South": 0.4}, "Search": {"North": 0.6, "South": 1.3}}
    usual = stored["spend"].transpose("geo", "channel").to_series().to_dict()
    money = {
        geo: {name: row[geo] * usual[geo, name] for name, row in own.items()}
        for geo in ("North", "South")
    }
    total = sum(sum(row.values()) for row in money.values())
    wanted = scenario(
        response_curves(open_dataset(first, "horizon_curves")), budget=total
    )
    split = geo_plan(stored, wanted, GeoRequest(spend=money)).record(wanted)
    kept = plans.save(open_run(first), with_fit(split, first), "By geo")
    times = {(name, geo): by for name, row in own.items() for geo, by in row.items()}
    give(project, with_a_year_more(times))
    score = promised(project, kept)
    assert score.is_followed and score.departure < 0.01
    told = so_far(first, kept)
    assert told.as_planned == () and [row.name for row in told.geos] == [
        "North",
        "South",
    ]
    for row in told.geos:
        assert row.actual_spend == pytest.approx(row.planned_spend, rel=1e-3)
    (spend,) = (part.mean for part in told.parts if part.name == "spend")
    assert abs(spend) < 1e-3 * told.planned.mean
    # The same totals of channels, in last year's pattern over geos.
    whole = {
        name: sum(money[geo][name] for geo in money)
        / sum(usual[geo, name] for geo in money)
        for name in CHANNELS
    }
    give(project, with_a_year_more({at: whole[at[0]] for at in times}))
    for path in (project / "promises" / "scores").glob("*.json"):
        path.unlink()  # plans are scored once
    other = promised(project, kept)
    assert not other.is_followed and other.departure > 0.2
    told = so_far(first, kept)
    for row in told.channels:
        assert row.actual_spend == pytest.approx(row.planned_spend, rel=1e-3)
    (spend,) = (part.mean for part in told.parts if part.name == "spend")
    assert sum(row.spend.mean for row in told.geos) == pytest.approx(spend)
    # What the plan's geos bring less than last year's, by the plan's own account.
    in_pattern = geo_plan(
        stored,
        wanted,
        GeoRequest(
            spend={
                geo: {name: whole[name] * usual[geo, name] for name in CHANNELS}
                for geo in money
            }
        ),
    )
    less = in_pattern.record(wanted).outcome.planned.mean - split.outcome.planned.mean
    assert spend == pytest.approx(less, rel=0.05)


def promised(project, plan):
    """What came of a plan's promise."""
    settled = promises.record(project).settled
    return next(
        score
        for promise, score in settled
        if promise.kind == "plan" and promise.subject == plan.plan_id
    )
