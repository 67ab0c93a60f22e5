"""Every request of a planner over channels, geos, weeks, and weeks that geos share.

Through the service, on a small fit: the plan does what was asked, by its numbers, or
one clear sentence refuses it. Nothing is ignored, nothing ends in a traceback.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import MMMError
from core.jobs import executor
from core.jobs.tasks import flight_run, horizon_run
from core.model.spec import ChannelSpec, ModelSpec
from core.plan.record.plan_record import PlanRecord
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import open_run
from core.project.shelf.lifecycle import create_project
from core.service import plans
from core.service.ask import PlanAsk
from core.store.run_state import write_state
from tests.jobs.test_jobs_refresh_run import QUICK, by_geo, finish

N = 6
OVERS = ("channels", "geos", "weeks", "weeks over geos")
#: Months of the plan: from Monday 26 February 2024 on.
START, MONTHS = "2024-02-26", ("2024-02", "2024-03")


def market() -> pd.DataFrame:
    """The table of two geos, and a channel whose reach and frequency are known."""
    rng, frame = np.random.default_rng(5), by_geo(60)
    frame["Video_reach"] = (2e4 * rng.gamma(2.0, 0.5, len(frame))).round()
    frame["Video_frequency"] = (1 + rng.gamma(1.0, 1.0, len(frame))).round(2)
    frame["Video_spend"] = (0.02 * frame.Video_reach * frame.Video_frequency).round(2)
    frame["sales"] += (1.2 * frame.Video_spend).round(2)
    # What money buys differs from week to week, or the model is of money.
    frame["TV"] = (frame.TV * rng.uniform(0.7, 1.3, len(frame))).round(2)
    return frame


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    """A project of two geos, and its fit."""
    media = [
        ChannelColumns(name, "media", media=name, spend=f"{name}_spend")
        for name in ("TV", "Search")
    ]
    video = {key: f"Video_{key}" for key in ("reach", "frequency", "spend")}
    channels = (*media, ChannelColumns("Video", "reach_frequency", **video))
    mapping = ColumnMapping(
        "week", "sales", geo="geo", kpi_type="revenue", channels=channels
    )
    spec = ModelSpec(
        channels=tuple(ChannelSpec(each.name, each.kind) for each in channels), knots=4
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("requests")))
        patch.setattr(executor, "submit", at_once)
        project = create_project("requests", market(), mapping, spec=spec)
        short = vars(replace(QUICK, warmup=100, draws=100))
        yield open_run(finish(new_run(project, sampler=short)))


def at_once(run, **_) -> None:
    """The work of a run in this process; an error that it ends in is the test's."""
    task = {"flight": flight_run, "horizon": horizon_run}[open_run(run).kind]
    task.execute(run, lambda told: None, lambda: False)
    for state in ("starting", "running", "done"):
        write_state(run, state)


@dataclass(frozen=True)
class Asked:
    """A request, and the plans that tell whether it was heard.

    Attributes:
        plan: With the request.
        plain: The same without it.
        over: Of both.
    """

    plan: PlanRecord
    plain: PlanRecord
    over: str

    def of(self, name: str) -> Any:
        """A channel's line."""
        return next(line for line in self.plan.channels if line.name == name)

    @property
    def weeks(self) -> np.ndarray:
        """Spend by channel and week."""
        return np.array([line.weeks for line in self.plan.channels])


Check = Callable[[Asked], bool]
#: What has no meaning without weeks that are planned, or with them.
NO_WEEKS, WEEKS = ("channels", "geos"), ("weeks", "weeks over geos")


@dataclass(frozen=True)
class Request:
    """What is asked for, in the words of a scenario file, and what must then hold."""

    table: Callable[[PlanRecord], dict[str, Any]]
    holds: Check
    refused: tuple[str, ...] = ()
    beside: dict[str, Any] | None = None


def merged(*tables: dict[str, Any]) -> dict[str, Any]:
    """Tables put together, tables in them too."""
    whole: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            is_both = isinstance(value, dict) and isinstance(whole.get(key), dict)
            whole[key] = merged(whole[key], value) if is_both else value
    return whole


def of_tv(**row: Any) -> Callable[[PlanRecord], dict[str, Any]]:
    return lambda _: {"channel": {"TV": row}}


def finding(kind: str, target: Callable[[PlanRecord], float], **more: Any):
    return lambda plain: {"find": {"kind": kind, "target": target(plain)} | more}


def draws(asked: Asked) -> np.ndarray:
    return np.array(asked.plan.draws["planned"])


def near(value: float, other: float, share: float = 2e-3) -> bool:
    return bool(abs(value - other) <= share * abs(other))


def brought(plan: PlanRecord) -> float:
    return plan.outcome.planned.mean


def has_roi(asked: Asked) -> bool:
    target = asked.plan.scenario["find"]["target"]
    return near(asked.plan.objective.planned / asked.plan.budget, target, 5e-4)


def worst_tenth(values: np.ndarray) -> float:
    return float(np.sort(values)[: max(1, round(0.1 * len(values)))].mean())


def profit(plan: PlanRecord) -> float:
    return brought(plan) - plan.budget


def share_of(asked: Asked, *names: str) -> float:
    return sum(asked.of(name).planned for name in names) / asked.plan.budget


def is_off_or(least: float) -> Check:
    def holds(asked: Asked) -> bool:
        spends = np.array(asked.of("TV").weeks or [asked.of("TV").planned])
        return bool(((spends == 0) | (spends >= least - 0.01)).all())

    return holds


def in_steps(asked: Asked) -> bool:
    spends = np.array(asked.of("TV").weeks or [asked.of("TV").planned])
    return bool((np.abs(spends / 50 - np.round(spends / 50)) < 1e-6).all())


def in_march(asked: Asked) -> float:
    inside = [week.startswith("2024-03") for week in asked.plan.weeks]
    return float(asked.weeks[:, inside].sum())


def is_told(words: str) -> Check:
    return lambda asked: any(words in reason for reason in asked.plan.reasons)


def changes(asked: Asked) -> bool:
    rows = asked.weeks
    return bool((np.abs(np.diff(rows)) <= 0.1 * rows[:, :-1] + 0.03).all())


TV_IN = {"channel": {"TV": {"min": "140 %", "max": "150 %"}}}
ENDS = [0.8, 1.2]
WISHES = {
    "goal by p10": Request(
        lambda _: {"objective": "p10"},
        lambda a: (
            near(np.quantile(draws(a), 0.1), a.plan.objective.planned)
            and a.plan.objective.planned
            >= np.quantile(np.array(a.plain.draws["planned"]), 0.1) * (1 - 1e-3)
        ),
    ),
    "worst tenth": Request(
        lambda _: {"objective": "cvar10"},
        lambda a: (
            near(worst_tenth(draws(a)), a.plan.objective.planned, 5e-3)
            and a.plan.objective.planned
            >= worst_tenth(np.array(a.plain.draws["planned"])) * (1 - 5e-3)
        ),
    ),
    "odds of a goal": Request(
        lambda plain: {"objective": f"reach:{brought(plain):.0f}"},
        lambda a: (
            abs((draws(a) >= brought(a.plain)).mean() - a.plan.objective.planned) < 0.02
        ),
    ),
    "outcome": Request(
        finding("outcome", lambda plain: 1.05 * brought(plain)),
        lambda a: (
            near(a.plan.objective.planned, 1.05 * brought(a.plain))
            and a.plan.budget > a.plain.budget
        ),
    ),
    "outcome by p10": Request(
        lambda plain: {
            "objective": "p10",
            "find": {
                "kind": "outcome",
                "target": 1.03 * float(np.quantile(plain.draws["planned"], 0.1)),
            },
        },
        lambda a: (
            a.plan.objective.planned >= a.plan.scenario["find"]["target"] * (1 - 2e-3)
        ),
    ),
    "roi": Request(
        finding("roi", lambda plain: 0.97 * brought(plain) / plain.budget),
        lambda a: has_roi(a) and a.plan.budget > a.plain.budget,
    ),
    "mroi": Request(
        finding("mroi", lambda plain: 0.8 * brought(plain) / plain.budget),
        lambda a: (
            (rate := a.plan.scenario["find"]["target"]) > 0
            and brought(a.plan) - rate * a.plan.budget
            >= (brought(a.plain) - rate * a.plain.budget) * (1 - 1e-3)
        ),
    ),
    "budget that floats": Request(
        lambda plain: {
            "find": {
                "kind": "profit",
                "least": 0.9 * plain.budget,
                "most": 1.1 * plain.budget,
            }
        },
        lambda a: (
            0.9 * a.plain.budget - 0.01 <= a.plan.budget <= 1.1 * a.plain.budget + 0.01
            and profit(a.plan) >= profit(a.plain) - 1e-3 * abs(profit(a.plain))
        ),
    ),
    "price": Request(
        of_tv(price=1.5),
        lambda a: brought(a.plan) < brought(a.plain) * (1 - 1e-4),
        beside=TV_IN,
    ),
    "price by period": Request(
        of_tv(price=[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]),
        lambda a: brought(a.plan) < brought(a.plain) * (1 - 1e-4),
        beside=TV_IN,
    ),
    "value by period": Request(
        lambda _: {"horizon": {"value": [1.0, 1.0, 1.0, 1.0, 1.3, 1.3]}},
        lambda a: 1.02 < brought(a.plan) / brought(a.plain) < 1.3,
    ),
    "belief": Request(
        lambda plain: {
            "belief": {"Podcast": {"spend": 0.1 * plain.budget, "roi": [3.0, 6.0]}}
        },
        lambda a: (
            a.of("Podcast").is_belief
            and 0 < a.of("Podcast").planned <= 0.1 * a.plain.budget + 0.01
            and brought(a.plan) > brought(a.plain)
            and is_told("Podcast")(a)
        ),
    ),
    "frequency": Request(
        lambda _: {"channel": {"Video": {"frequency": "best"}}},
        lambda a: (
            is_told("frequency")(a) and brought(a.plan) >= brought(a.plain) * (1 - 1e-4)
        ),
    ),
    "gamma": Request(
        of_tv(gamma=0.3),
        lambda a: brought(a.plan) < brought(a.plain) * (1 - 1e-4),
        beside=TV_IN,
    ),
    "paused or a minimum": Request(
        of_tv(min=9_000, max=11_000, may_be_off=True),
        is_off_or(9_000),
        refused=WEEKS,
    ),
    "a week paused or a minimum": Request(
        of_tv(week_min=1_800), is_off_or(1_800), refused=NO_WEEKS
    ),
    "a least spend per week": Request(
        of_tv(week_min=500, may_be_off=False),
        lambda a: min(a.of("TV").weeks) >= 500 - 0.01,
        refused=NO_WEEKS,
    ),
    "steps": Request(of_tv(step=50), in_steps),
    "groups": Request(
        lambda _: {"group": {"Both": {"channels": ["TV", "Search"], "max": "50 %"}}},
        lambda a: share_of(a, "TV", "Search") <= 0.5 + 1e-4,
    ),
    "kept as it is": Request(
        of_tv(lock=True), lambda a: near(a.of("TV").planned, a.of("TV").current, 1e-4)
    ),
    "budget of a month": Request(
        lambda plain: {"weeks": {"budget": {"2024-03": 0.5 * plain.budget}}},
        lambda a: near(in_march(a), 0.5 * a.plain.budget, 1e-4),
        refused=NO_WEEKS,
    ),
    "from a date": Request(
        of_tv(**{"from": "2024-03-11"}),
        lambda a: not any(a.of("TV").weeks[:2]) and sum(a.of("TV").weeks) > 0,
        refused=NO_WEEKS,
    ),
    "until a date": Request(
        of_tv(until="2024-03-11"),
        lambda a: not any(a.of("TV").weeks[3:]) and sum(a.of("TV").weeks) > 0,
        refused=NO_WEEKS,
    ),
    "dark and booked weeks": Request(
        of_tv(dark=["2024-03-04"], weeks={"2024-03-18": 700}),
        lambda a: (a.of("TV").weeks[1], a.of("TV").weeks[3]) == (0.0, 700.0),
        refused=NO_WEEKS,
    ),
    "change from week to week": Request(
        lambda _: {"weeks": {"change": "10 %"}}, changes, refused=NO_WEEKS
    ),
    "most of a week": Request(
        lambda plain: {"weeks": {"most": 0.2 * plain.budget}},
        lambda a: a.weeks.sum(axis=0).max() <= 0.2 * a.plain.budget + 0.01,
        refused=NO_WEEKS,
    ),
    "discount": Request(
        lambda _: {"discount": "8 %"}, lambda a: a.plan.gain is not None, NO_WEEKS
    ),
}
#: What stands beside a target ROI in one plan, and is to hold with it.
BESIDE = (
    "belief",
    "frequency",
    "gamma",
    "groups",
    "kept as it is",
    "most of a week",
    "paused or a minimum",
    "a week paused or a minimum",
    "price",
    "steps",
    "value by period",
)


PLANS: dict[str, PlanRecord] = {}


def planned(fit, over: str, table: dict[str, Any]) -> PlanRecord:
    """The plan of a scenario, as every face asks for it; worked out once."""
    key = over + json.dumps(table)
    if key not in PLANS:
        base = {
            "horizon": {"periods": N, "start": START},
            "bounds": ENDS if over in NO_WEEKS else [0.5, 1.5],
            "supported": False,
        }
        if over == "weeks over geos":
            base["channel"] = {"Search": {"geos": {"North": 0.4, "South": 0.6}}}
        ask = PlanAsk(over=over.split()[0], scenario=merged(base, table))
        PLANS[key] = plans.plan(fit, ask)
    return PLANS[key]


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("name", WISHES)
def test_a_request_holds_or_is_refused(fit, name, over):
    request = WISHES[name]
    before = planned(fit, over, request.beside or {})
    table = merged(request.beside or {}, request.table(before))
    if over in request.refused:
        with pytest.raises(MMMError) as refused:
            planned(fit, over, table)
        assert len(refused.value.message) > 20 and refused.value.hint
        return
    asked = Asked(planned(fit, over, table), before, over)
    assert request.holds(asked)


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("name", BESIDE)
def test_a_target_roi_holds_beside_other_requests(fit, name, over):
    request = WISHES[name]
    if over in request.refused:
        return
    before = planned(fit, over, request.beside or {})
    beside = merged(request.beside or {}, request.table(before))
    usual = planned(fit, over, beside)
    target = 0.97 * brought(usual) / usual.budget
    made = planned(fit, over, merged(beside, finding("roi", lambda _: target)(usual)))
    assert has_roi(Asked(made, usual, over)) or made.budget > usual.budget
    assert made.objective.planned >= made.budget * target * (1 - 5e-4)
    if name not in ("price", "gamma", "value by period", "belief", "frequency"):
        assert request.holds(Asked(made, usual, over))
