"""Promises through a small fit: kept, scored when the data arrive, and counted."""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime

import msgspec
import numpy as np
import pytest

from core.data.mapping import ChannelColumns
from core.experiments.kept import KeptTest
from core.model.spec import ChannelSpec
from core.plan.plan import plan
from core.plan.record.teaching import Learned
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.plan.scenario.table import of_table
from core.project.fits.runs import open_run
from core.project.lift_tests.lift_tests import keep_lift_test
from core.project.lift_tests.lift_tests import lift_tests as kept_tests
from core.project.plans.plans import list_plans, with_fit
from core.project.promises import keeping, missing
from core.project.promises.calibration import Calibration, calibrated
from core.project.promises.record import Outcome, Promise, Score, keep, promises
from core.project.settings.project import load_project, project_sha256
from core.project.settings.project_data import replace_table
from core.service import plans
from core.service.experiments import lift_tests
from core.service.projects import promises as service
from core.store.places import new_id
from core.store.results import open_dataset
from core.view import promises as words
from tests.plan.teaching_record import teaching
from tests.small_fit import FITTED, NAMES, copied, table


def give(project, frame) -> None:
    settings = load_project(project)
    replace_table(project, frame, settings, base_sha=project_sha256(project))


@pytest.fixture(scope="module")
def world(tmp_path_factory, small_fit):
    """A project and its fit of 60 weeks."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("MIXWRIGHT_HOME", str(home))
        yield copied(small_fit, home)


@pytest.fixture
def saved(world):
    """The same with a plan of the year after the data; the data as they were."""
    folder, run = world
    give(folder, table(FITTED))
    missing.keep_missing(folder)
    (own,) = [
        each
        for each in promises(folder)
        if each.run_id == run.name and each.kind == "forecast"
    ]
    for path in (folder / "promises").rglob("*.json"):
        if path.parent.name == "scores" or path.stem != own.promise_id:
            path.unlink()
    for path in (folder / "plans").glob("*.json"):
        path.unlink()
    (folder / "lift_tests.json").unlink(missing_ok=True)
    curves = response_curves(open_dataset(run, "horizon_curves"))
    record = with_fit(plan(curves, scenario(curves)), run)
    return folder, open_run(run), record


def by_kind(folder, kind):
    settled = service.record(folder).settled
    return next(pair for pair in settled if pair[0].kind == kind)


def test_a_fit_promises_half_a_year_and_says_when_it_can_be_scored(saved):
    folder, run, _ = saved
    promise, score = by_kind(folder, "forecast")
    assert promise.run_id == run.run_id
    view = open_dataset(run.folder, "forecast")["outcome"].to_numpy()[:, :26]
    assert len(promise.claims) == 27
    lo, hi = promise.claimed().intervals["90"]
    assert [lo, hi] == pytest.approx(np.quantile(view.sum(axis=1), [0.05, 0.95]))
    assert score.state == "open"
    assert "19 Feb 2024" in score.why
    assert "Nothing is scored yet" in words.findings([(promise, score)])[0]


def test_weeks_are_scored_as_they_arrive_and_once(saved):
    folder, _, _ = saved
    give(folder, table(FITTED + 6))
    promise, score = by_kind(folder, "forecast")
    assert score.state == "partly"
    assert [each.about for each in score.outcomes][0] == "2024-02-26"
    assert score.counted == len(score.outcomes) == 6
    assert score.is_followed and score.departure == pytest.approx(0, abs=1e-6)
    actual = table(FITTED + 6)["sales"].to_numpy()[-6:]
    assert [each.actual for each in score.outcomes] == pytest.approx(actual)
    for each in score.outcomes:
        lo, hi = promise.claimed(each.about).intervals["80"]
        assert each.is_held(80) == (lo <= each.actual <= hi)
    path = folder / "promises" / "scores" / f"{promise.promise_id}.json"
    before = path.stat().st_mtime_ns
    assert by_kind(folder, "forecast")[1] == score
    assert path.stat().st_mtime_ns == before
    give(folder, table(FITTED + 30))
    _, score = by_kind(folder, "forecast")
    assert score.state == "scored"
    assert score.outcomes[-1].about == "total"
    assert score.counted == 26


def test_a_forecast_is_scored_once_data_that_could_not_be_read_are_mended(saved):
    folder, _, _ = saved
    give(folder, table(FITTED + 10).drop(columns=["TV", "TV_spend"]))
    assert by_kind(folder, "forecast")[1].state == "impossible"
    give(folder, table(FITTED + 10))
    assert by_kind(folder, "forecast")[1].state == "partly"


def test_other_spend_is_said_and_the_forecast_is_that_of_what_was_spent(saved):
    folder, run, _ = saved
    give(folder, table(FITTED + 6, 1.5))
    promise, score = by_kind(folder, "forecast")
    assert not score.is_followed
    assert score.departure == pytest.approx(0.5, abs=0.02)
    expected = sum(each.mean for each in score.outcomes)
    promised = sum(promise.claimed(each.about).mean for each in score.outcomes)
    assert expected > promised
    said = words.findings([(promise, score)])[-1]
    assert "1 promise supposed other spend (more than 10\u00a0%" in said


def test_a_saved_plan_is_scored_when_its_periods_are_over(saved):
    folder, run, record = saved
    kept = plans.save(run, record, "Next year")
    promise, score = by_kind(folder, "plan")
    assert promise.subject == kept.plan_id
    assert promise.gain == kept.gain
    assert sum(promise.spend.values()) == pytest.approx(kept.budget, rel=1e-3)
    assert score.state == "open"
    give(folder, table(FITTED + 20))
    assert "20 of its periods are over" in by_kind(folder, "plan")[1].why
    give(folder, table(FITTED + 52, 3.0))
    promise, score = by_kind(folder, "plan")
    assert score.state == "scored"
    assert not score.is_followed
    (outcome,) = score.outcomes
    actual = table(FITTED + 52, 3.0)["sales"].to_numpy()[-52:].sum()
    assert outcome.actual == pytest.approx(actual)
    assert outcome.mean > promise.claimed().mean
    give(folder, table(FITTED))
    assert by_kind(folder, "plan")[1] == score


def test_a_plan_that_was_followed_is_scored_as_promised(saved):
    folder, run, record = saved
    plans.save(run, record, "Next year")
    frame = table(FITTED + 52)
    for line in record.channels:
        name = f"{line.name}_spend"
        frame.loc[FITTED:, name] *= line.multiplier
    give(folder, frame)
    promise, score = by_kind(folder, "plan")
    assert score.is_followed
    assert score.departure < 0.01
    assert score.outcomes[0].mean == pytest.approx(promise.claimed().mean, rel=1e-4)


def with_podcast(run, **options):
    """A plan with a channel that never ran, believed to return a lot."""
    curves = response_curves(open_dataset(run.folder, "horizon_curves"))
    table = {
        "budget": float(curves.spend.sum()) + 60_000,
        "belief": {"Podcast": {"spend": 60_000, "roi": [2.0, 3.0]}},
        "channel": {"Podcast": {"min": 60_000, "max": 60_000}},
        "supported": False,
    }
    return with_fit(plan(curves, of_table(table, curves)), run.folder)


def test_a_plan_with_a_channel_without_history_promises_what_is_believed(saved):
    folder, run, record = saved
    plans.save(run, record, "Without")
    plain, _ = by_kind(folder, "plan")
    made = with_podcast(run)
    plans.save(run, made, "With")
    promise, score = service.record(folder).settled[-1]
    assert promise.believed == ("Podcast",)
    assert promise.spend["Podcast"] == pytest.approx(60_000)
    # Last year's split of the others brings what is promised without it, nearly.
    believed = made.channels[-1].outcome.planned
    others = made.outcome.planned.mean - believed.mean
    own = record.outcome.planned.mean
    more = promise.claimed().mean - plain.claimed().mean
    assert more == pytest.approx(believed.mean + others - own, rel=0.02)
    assert believed.mean > 2 * 60_000
    assert "believed of Podcast" in words.notes([(promise, score)])[0].text


def test_what_a_new_channel_spent_is_read_once_the_data_have_it(saved):
    folder, run, _ = saved
    settings = load_project(folder)
    plans.save(run, with_podcast(run), "With")
    frame = table(FITTED + 52)
    give(folder, frame)
    why = service.record(folder).settled[-1][1].why
    assert "do not say what Podcast spent" in why
    new = ChannelColumns("Podcast", "media", media="Pods", spend="Pods")
    channels = (*settings.spec.channels, ChannelSpec("Podcast"))
    grown = replace(
        settings,
        mapping=replace(settings.mapping, channels=(*settings.mapping.channels, new)),
        spec=replace(settings.spec, channels=channels),
    )

    def scored(spend):
        """The plan's score where so much went to the new channel."""
        column = np.where(np.arange(len(frame)) < FITTED, 0.0, spend / 52)
        sha = project_sha256(folder)
        replace_table(folder, frame.assign(Pods=column), grown, base_sha=sha)
        promise, score = service.record(folder).settled[-1]
        for path in (folder / "promises" / "scores").iterdir():
            path.unlink()
        assert score.state == "scored"
        return promise, score, score.outcomes[0].mean

    try:
        promise, score, followed = scored(60_000)
        _, other, less = scored(20_000)
    finally:
        replace_table(folder, table(FITTED), settings, base_sha=project_sha256(folder))
    assert other.departure - score.departure == pytest.approx(
        40_000 / sum(promise.spend.values()), rel=0.05
    )
    # Half of what an ROI of 2 to 3 brings, at a bend that is about its spend.
    assert 50_000 < followed - less < 100_000


def that_teaches(run, record):
    """The plan as one of eight weeks that are to teach, at last year's spend."""
    view = open_dataset(run.folder, "forecast").isel(time=slice(8))
    days = view["time"].to_numpy().astype("datetime64[D]").astype(str)
    weeks = tuple(days.tolist())
    horizon = replace(record.horizon, start=weeks[0], end=weeks[-1], periods=8)
    learned = tuple(
        Learned(channel=name, earning=0.05, teaching=0.1, most="") for name in NAMES
    )
    lines = []
    for line in record.channels:
        spend = view["spend"].sel(paid=line.name).to_numpy()
        amounts = tuple(spend.astype(float).tolist())
        lines.append(msgspec.structs.replace(line, weeks=amounts, planned=sum(amounts)))
    return msgspec.structs.replace(
        record,
        over="weeks",
        weeks=weeks,
        horizon=horizon,
        channels=tuple(lines),
        teaching=teaching(channels=learned),
    )


def test_what_weeks_were_to_teach_stands_beside_what_the_next_fit_learned(saved):
    folder, run, record = saved
    plans.save(run, that_teaches(run, record), "Eight weeks")
    promise, score = by_kind(folder, "teaching")
    assert [(each.about, each.mean) for each in promise.claims] == [
        ("TV", 0.1),
        ("Search", 0.1),
    ]
    assert score.state == "open" and "once a fit has seen the weeks" in score.why
    give(folder, table(FITTED + 8))
    assert by_kind(folder, "teaching")[1].state == "open"  # no fit has seen them yet
    older = by_kind(folder, "forecast")[0]
    later = shutil.copytree(run.folder, folder / "runs" / new_id())
    end = promise.end
    keep(folder, msgspec.structs.replace(older, data_end=end, run_id=later.name))
    try:
        promise, score = by_kind(folder, "teaching")
    finally:
        shutil.rmtree(later)
    assert score.state == "scored" and score.is_followed
    assert score.learned == pytest.approx({"TV": 0.0, "Search": 0.0})
    row = words.rows([(promise, score)])[0]
    assert row[1] == "What Eight weeks is to teach"
    assert row[3] == "intervals narrower: TV 10\u00a0%, Search 10\u00a0%"
    assert row[4] == "intervals narrower: TV 0\u00a0%, Search 0\u00a0%"
    said = words.findings([(promise, score)])[0]
    assert "by 10\u00a0%, on average over channels" in said
    assert said.endswith("they are 0\u00a0% narrower.")
    assert by_kind(folder, "teaching")[1] == score  # once is enough
    json.dumps(service.record(folder).as_dict(), allow_nan=False)


def test_a_newer_fit_takes_the_place_of_an_older_one(saved):
    folder, run, _ = saved
    older = by_kind(folder, "forecast")[0]
    keep(folder, msgspec.structs.replace(older, data_end="2024-03-11", run_id="x"))
    give(folder, table(FITTED + 6))
    _, score = by_kind(folder, "forecast")
    assert len(score.outcomes) == 6
    assert score.counted == 3
    assert sum(score.chances["80"]) == pytest.approx(1)
    assert len(score.chances["80"]) == 4
    settled = service.record(folder).settled
    assert settled[1][1].state == "impossible"
    assert "deleted" in settled[1][1].why


def test_weeks_that_a_fit_of_the_same_data_takes_over_count_once(saved):
    """As after a table of before is restored and fitted again."""
    folder, _, _ = saved
    give(folder, table(FITTED + 6))
    older, score = by_kind(folder, "forecast")
    assert score.counted == 6
    keep(folder, msgspec.structs.replace(older, run_id="x"))
    give(folder, table(FITTED + 8))
    _, score = service.record(folder).settled[0]
    assert (score.state, score.counted) == ("impossible", 0)
    assert "took its place" in score.why


def test_a_damaged_promise_is_none_and_a_second_run_promises_nothing_new(saved):
    folder, run, _ = saved
    n = len(promises(folder))
    assert keeping.keep_forecast(run.folder) is None
    (folder / "promises" / "20260101-000000-abcdef.json").write_text("{]")
    assert len(promises(folder)) == n


class Killed(BaseException):
    """The process ends here."""


def killed_at(monkeypatch, n: int) -> None:
    """Let the process end right after so many files of the workspace are written."""
    left = iter(range(n))

    def then_killed(done):
        def wrapped(*args, **options):
            done(*args, **options)
            if next(left, None) is None:
                raise Killed

        return wrapped

    for name in ("link", "replace"):
        monkeypatch.setattr(os, name, then_killed(getattr(os, name)))


def said_of(folder, subject: str) -> list[tuple]:
    """What is promised of a plan or a test."""
    settled = service.record(folder).settled
    made = [promise for promise, _ in settled if promise.subject == subject]
    made.sort(key=lambda each: each.kind)
    return [(each.kind, each.claims, each.spend, each.draws) for each in made]


def a_plan(run, record) -> str:
    return plans.save(run, record, "Next year").plan_id


def a_plan_with_a_new_channel(run, _) -> str:
    return plans.save(run, with_podcast(run), "With").plan_id


def a_plan_that_teaches(run, record) -> str:
    return plans.save(run, that_teaches(run, record), "Eight weeks").plan_id


def a_test(run, _) -> str:
    dark = KeptTest(
        name="Dark",
        channels=("TV",),
        kind="dark",
        multiple=0.0,
        start="2024-04-01",
        end="2024-04-28",
    )
    return lift_tests.plan_test(run.folder.parents[1], dark)


def subjects(folder) -> set[str]:
    kept = {each.plan_id for each in list_plans(folder)}
    return kept | {each.test_id for each in kept_tests(folder)}


@pytest.mark.parametrize(
    "made", [a_plan, a_plan_with_a_new_channel, a_plan_that_teaches, a_test]
)
def test_what_a_killed_process_kept_gets_its_promise_from_whoever_looks_next(
    saved, monkeypatch, made
):
    folder, run, record = saved
    expected = said_of(folder, made(run, record))
    assert expected
    for n in range(12):
        before = subjects(folder)
        with monkeypatch.context() as patch:
            killed_at(patch, n)
            try:
                made(run, record)
                is_killed = False
            except Killed:
                is_killed = True
        for subject in subjects(folder) - before:
            assert said_of(folder, subject) == expected
        if not is_killed:
            break
    assert not is_killed and n > 1


def test_a_promise_made_up_for_is_dated_as_what_it_is_about(saved):
    folder, run, record = saved
    kept = plans.save(run, record, "Next year")
    test_id = a_test(run, record)
    (test,) = kept_tests(folder)
    for path in (folder / "promises").glob("*.json"):
        path.unlink()
    dates = {
        each.subject or each.run_id: datetime.fromisoformat(each.created)
        for each, _ in service.record(folder).settled
    }
    assert dates == {
        run.run_id: datetime.fromisoformat(run.status.since),
        kept.plan_id: datetime.fromisoformat(kept.created),
        test_id: datetime.fromisoformat(test.created),
    }


def test_a_test_promises_nothing_that_a_later_fit_found(saved):
    folder, _, _ = saved
    early = KeptTest(
        name="Early",
        created="2020-01-01T00:00:00+00:00",
        channels=("TV",),
        multiple=0.0,
        start="2024-04-01",
        end="2024-04-28",
    )
    assert said_of(folder, keep_lift_test(folder, early)) == []


def test_what_promises_nothing_is_worked_out_once_and_what_is_kept_never(
    saved, monkeypatch
):
    folder, run, record = saved
    past = replace(record.horizon, start="2023-01-02", end="2023-12-25")
    plans.save(run, msgspec.structs.replace(record, horizon=past), "Past")
    plans.save(run, record, "Next year")
    known = [each for each, _ in service.record(folder).settled]
    for name in ("open_dataset", "read_fit"):
        monkeypatch.delattr(keeping, name)
    monkeypatch.setattr(missing, "_keep", None)
    assert [each for each, _ in service.record(folder).settled] == known


def test_nothing_is_kept_where_it_may_not_be(saved, monkeypatch):
    folder, run, record = saved
    plans.save(run, record, "Next year")
    for path in (folder / "promises").glob("*.json"):
        path.unlink()
    assert service.record(folder, keeps=False).settled == []
    monkeypatch.setattr(missing.os, "access", lambda *_: False)
    assert service.record(folder).settled == []


def test_several_that_look_at_once_keep_one_promise(saved):
    folder, run, record = saved
    plans.save(run, record, "Next year")
    for path in (folder / "promises").glob("*.json"):
        path.unlink()
    with ThreadPoolExecutor(2) as pool:
        looks = [pool.submit(service.record, folder) for _ in range(2)]
        for look in looks:
            look.result()
    assert len(list((folder / "promises").glob("*.json"))) == len(promises(folder)) == 2


def test_the_record_is_plain_numbers(saved):
    folder, _, _ = saved
    give(folder, table(FITTED + 6))
    said = json.loads(json.dumps(service.record(folder).as_dict(), allow_nan=False))
    levels = {each["level"]: each for each in said["calibration"]}
    assert levels[80]["n"] == 6
    assert levels[80]["least"] <= levels[80]["most"]
    assert said["promises"][0]["score"]["counted"] == 6


def singles(n: int, held: int) -> list[tuple[Promise, Score]]:
    """Promises of one number each, of which some hold at 80 %."""
    outcome = Outcome(about="total", actual=1, mean=1, lo=0, hi=2, below=0.5)
    missed = msgspec.structs.replace(outcome, below=0.999)
    chances = {str(each): (1 - each / 100, each / 100) for each in (20, 40, 60, 80, 90)}
    promise = Promise(kind="plan", name="P", start="", end="", claims=(), unit="kpi")
    score = Score(state="scored", counted=1, chances=chances)
    some = [outcome] * held + [missed] * (n - held)
    return [
        (promise, msgspec.structs.replace(score, outcomes=(each,))) for each in some
    ]


def at_80(settled) -> Calibration:
    return next(each for each in calibrated(settled) if each.level == 80)


@pytest.mark.parametrize(
    ("n", "held", "part"),
    [
        (24, 19, "19 held (fewer than 15 would be a reason to doubt)."),
        (24, 12, "12 held: fewer than 15 is a reason to doubt."),
        (24, 24, "24 held: more than 23 says that the intervals are wider"),
        (2, 0, "0 held. That is too few to judge"),
        (1, 1, "Of 1 interval of 80\u00a0%, 1 held. That is too few to judge"),
        (3, 0, "fewer than 1 is a reason to doubt"),
    ],
)
def test_few_promises_do_not_accuse_and_many_do(n, held, part):
    said = words.sentence(at_80(singles(n, held)))
    assert part in said
    assert said.startswith(f"Of {n} interval")


def test_weeks_that_miss_together_accuse_less(saved):
    """Ten weeks of one forecast are less evidence than ten plans."""
    (promise, single), *_ = singles(1, 0)
    together = (0.2, *(0.0,) * 9, 0.8)
    missed = single.outcomes * 10
    of_weeks = msgspec.structs.replace(
        single,
        counted=10,
        outcomes=missed,
        chances=dict.fromkeys(single.chances, together),
    )
    assert at_80(singles(10, 0)).is_low
    assert not at_80([(promise, of_weeks)]).is_low
