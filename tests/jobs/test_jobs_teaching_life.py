"""Weeks that teach around a planned test: planned, followed, refitted, and told."""

from dataclasses import replace

import numpy as np
import pandas as pd

from core.experiments.kept import as_kept
from core.jobs import executor
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import open_run
from core.project.lift_tests.lift_tests import keep_lift_test
from core.service import plans
from core.service.ask import PlanAsk
from core.service.projects import promises
from core.view import promises as words
from tests.jobs.test_jobs_refresh_run import (
    CHANNELS,
    QUICK,
    a_project,
    finish,
    give,
    table,
)
from tests.jobs.test_jobs_requests import at_once

#: The table has 60 weeks from 2 January 2023: the plan is of the eight after them.
DARK = ("2024-03-11", "2024-03-18")


def test_a_test_inside_weeks_that_teach_is_kept_to_and_scored(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    monkeypatch.setattr(executor, "submit", at_once)
    project = a_project("teaches", baseline="structural")
    short = vars(replace(QUICK, warmup=250, draws=250))
    fit = open_run(finish(new_run(project, sampler=short)))
    about = {"name": "TV off", "channels": ["TV"], "geos": [], "kind": "dark"}
    dates = {"multiple": 0.0, "start": DARK[0], "end": "2024-03-24"}
    keep_lift_test(project, as_kept(about | dates))

    ask = PlanAsk(
        over="weeks",
        teach={"cost": "5 %", "later": 3},
        scenario={"horizon": {"periods": 8}, "bounds": [0.5, 1.5]},
    )
    made = plans.plan(fit, ask)
    (tv,) = (line for line in made.channels if line.name == "TV")
    spent = dict(zip(made.weeks, tv.weeks, strict=True))
    assert [spent[day] for day in DARK] == [0.0, 0.0]
    of_tv = [each for each in made.teaching.changes if each.channel == "TV"]
    assert not any(each.first <= day <= each.last for each in of_tv for day in DARK)
    assert made.scenario["weeks"]["reserved"][0]["test"] == "TV off"
    kept = plans.save(fit, made, "Eight weeks")

    give(project, followed(made))
    again = finish(new_run(project, sampler=short))
    assert again != fit.folder
    promise, score = next(
        (promise, score)
        for promise, score in promises.record(project).settled
        if promise.kind == "teaching" and promise.subject == kept.plan_id
    )
    assert score.state == "scored" and score.is_followed
    assert set(score.learned) == set(CHANNELS)
    row = words.rows([(promise, score)])[0]
    assert row[3].startswith("intervals narrower: TV")
    assert row[4].startswith("intervals narrower: TV")


def followed(plan) -> pd.DataFrame:
    """The table, and the weeks of a plan as it has them."""
    frame, days = table(68), list(plan.weeks)
    rows = frame.week.isin(days)
    assert rows.sum() == len(days)
    for line in plan.channels:
        spend = np.array(line.weeks)
        frame.loc[rows, f"{line.name}_spend"] = spend
        frame.loc[rows, line.name] = 30 * spend
    return frame
