"""Scoring: what came of promises, as far as the project's data have it by now.

A promise supposes a spend. Where what was spent departs from it by more than
`TOLERANCE`, the promise as it stood cannot be judged: what is scored is then what the
same fit expects at the spend that there was, and the score says so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from jaxtyping import Float

from core.data.ahead.actual_table import Actuals, read_actuals, spend_of
from core.data.assemble import assemble
from core.data.files.isolated import kept_table
from core.data.observations import dates_of
from core.dims import INTERVAL
from core.errors import CoverageError, MMMError, WorkspaceError
from core.experiments.kept import KeptTest
from core.plan.against.at_spend import TOLERANCE, departure, outcome_at
from core.plan.against.begun import begun_outcome, begun_spend
from core.plan.against.planned_spend import planned_spend
from core.plan.against.rescore import narrowed
from core.plan.response.curves import response_curves
from core.project.fits.runs import data_sha256
from core.project.lift_tests.lift_tests import lift_tests
from core.project.plans.plan_actuals import carryover, data_of_fit, happened, terms
from core.project.plans.plans import load_plan
from core.project.plans.where_it_ran import departed, divided_by
from core.project.promises.keeping import ERRORS, plan_periods
from core.project.promises.missing import keep_missing, may_keep
from core.project.promises.record import (
    LEVELS,
    TOTAL,
    Outcome,
    Promise,
    Score,
    keep_score,
    promises,
    scores,
)
from core.project.settings.project import data_file, load_project
from core.store.results import has_result, open_dataset
from core.text import date
from core.text.sentences import listed

if TYPE_CHECKING:
    import pandas as pd

#: The spend of a test may differ from its plan by so many times, up or down.
_TIMES = 2.0


@dataclass(frozen=True)
class Now:
    """The project's data as they are now.

    Attributes:
        project: Its folder.
        digest: Of the table.
    """

    project: Path
    digest: str

    @cached_property
    def table(self) -> "pd.DataFrame":
        """The project's table."""
        return kept_table(data_file(self.project, load_project(self.project)))

    def since(self, promise: Promise) -> Actuals | None:
        """What happened from the data of a promise's fit on, up to its last period.

        None where the data have nothing new.

        Raises:
            MMMError: The fit was deleted, or the data are not what its were.
        """
        run = self.run(promise)
        settings = load_project(run)
        rows = happened(run, self.table)
        if rows.empty:
            return None
        days = dates_of(rows, settings.mapping).values.astype("datetime64[D]")
        rows = rows[days <= np.datetime64(promise.end)].reset_index(drop=True)
        if rows.empty:
            return None
        return read_actuals(
            data_of_fit(run), rows, settings.mapping, currency=settings.currency
        )

    def begun(
        self, names: Sequence[str], times: np.ndarray
    ) -> dict[str, Float[np.ndarray, " time"]]:
        """What channels that a fit had never seen spent in some periods.

        Args:
            names: Channels.
            times: First days of the periods.

        Raises:
            MMMError: The project's data do not say it.
        """
        if not names:
            return {}
        data = assemble(self.table, load_project(self.project).mapping)
        inside = np.isin(data.times, times)
        spent = {name: spend_of(data, name) for name in names}
        missing = [name for name, each in spent.items() if not each.size]
        if missing:
            raise CoverageError(
                f"The data do not say what {listed(missing)} spent. Add the spend as a "
                "channel of the project.",
                where=missing[0],
            )
        return {name: each[inside] for name, each in spent.items()}

    def run(self, promise: Promise) -> Path:
        """The folder of a promise's fit.

        Raises:
            WorkspaceError: It was deleted.
        """
        run = self.project / "runs" / promise.run_id
        if not has_result(run):
            raise WorkspaceError(
                "The fit behind this promise was deleted, so what it expects at the "
                "spend that there was is not known.",
                where=promise.run_id,
            )
        return run


def settle(project: Path, *, keeps: bool = True) -> list[tuple[Promise, Score]]:
    """Every promise of a project with what came of it.

    Scores that are kept are not worked out again while the data stay the same.

    Args:
        project: The project's folder.
        keeps: Whether new scores and missing promises are kept, by whoever may.

    Raises:
        WorkspaceError: The project is damaged.
    """
    keeps = keeps and may_keep(project)
    if keeps:
        keep_missing(project)
    records = promises(project)
    if not records:
        return []
    stored, settings = scores(project), load_project(project)
    now = Now(project, data_sha256(data_file(project, settings)))
    settled = []
    for place, promise in enumerate(records):
        old = stored.get(promise.promise_id)
        last = _by_newer_fits(promise, records[place + 1 :])
        key = f"{now.digest}.{last}.{_known_of(project, promise)}"
        if old is not None and (old.data == key or _is_final(promise, old, last)):
            settled.append((promise, old))
            continue
        score = _scored(now, promise, last, key)
        is_replaced = _is_superseded(promise, last)  # its weeks count for the newer fit
        if old is not None and old.outcomes and not (score.outcomes or is_replaced):
            score = msgspec.structs.replace(old, data=key, why=score.why)
        settled.append((promise, score))
        if keeps:
            _try_to_keep(project, promise, score)
    return settled


def _try_to_keep(project: Path, promise: Promise, score: Score) -> None:
    """Keep a score where that works; without, it is worked out again next time."""
    try:
        keep_score(project, promise.promise_id, score)
    except WorkspaceError:
        return


def _is_final(promise: Promise, score: Score, last: str) -> bool:
    """Whether nothing can change a score: plans that are scored, and what never is.

    Data that could not be read, or were not what the fit's were, may be mended.
    """
    is_superseded = score.state == "impossible" and _is_superseded(promise, last)
    is_once = promise.kind in ("plan", "teaching")
    return is_superseded or (is_once and score.state == "scored")


def _is_superseded(promise: Promise, last: str) -> bool:
    """Whether a forecast counts for no period: a newer fit saw the same data."""
    return promise.kind == "forecast" and bool(last) and last <= promise.data_end


def _by_newer_fits(promise: Promise, later: Sequence[Promise]) -> str:
    """What newer fits make of a promise.

    The last period that a forecast counts for, which is what a newer fit saw; the first
    fit that saw all weeks of a plan that teaches. Empty where there is no such fit, and
    for other promises.
    """
    if promise.kind == "teaching":
        saw = (
            each.run_id
            for each in later
            if each.kind == "forecast" and each.data_end >= promise.end
        )
        return next(saw, "")
    if promise.kind != "forecast":
        return ""
    ends = [each.data_end for each in later if each.kind == "forecast"]
    return min(ends, default="")


def _known_of(project: Path, promise: Promise) -> str:
    """What a score depends on besides data: a read-out, channels without history."""
    if promise.kind == "plan" and promise.believed:
        channels = load_project(project).mapping.channels
        return ",".join(each.name for each in channels if each.name in promise.believed)
    if promise.kind != "test":
        return ""
    test = _test(project, promise)
    if test is None or test.readout is None or test.readout.incremental is None:
        return ""
    return str(test.readout.incremental.mean)


def _scored(now: Now, promise: Promise, last: str, key: str) -> Score:
    """What came of one promise."""
    scorer = _SCORERS.get(promise.kind)
    if scorer is None:
        why = "This version of Mixwright cannot score a promise of this kind."
        return Score(state="impossible", why=why, data=key)
    try:
        score = scorer(now, promise, last)
    except MMMError as error:
        return Score(state="impossible", why=error.message, data=key)
    return msgspec.structs.replace(score, data=key)


def _of_forecast(now: Now, promise: Promise, last: str) -> Score:
    """A forecast, period by period, as far as the data go."""
    if _is_superseded(promise, last):
        why = "A newer fit of the same data took its place."
        return Score(state="impossible", why=why)
    actuals = now.since(promise)
    if actuals is None:
        why = f"Can be scored once the data go beyond {date(promise.data_end)}."
        return Score(state="open", why=why)
    run = now.run(promise)
    view = open_dataset(run, "forecast").isel(time=slice(actuals.n_times))
    usual = view["spend"].transpose("paid", "time").to_numpy().astype(float)
    names = [str(name) for name in view["paid"].to_numpy()]
    # Nobody decided on it: a forecast supposes last year's spend, week by week.
    supposed = _cells(dict(zip(names, usual, strict=True)))
    apart = departure(supposed, _cells(actuals.spend))
    is_followed = apart is None or apart <= TOLERANCE
    draws = outcome_at(view, {} if is_followed else actuals.spend, carryover(run))
    days = actuals.times.astype("datetime64[D]").astype(str).tolist()
    is_whole = days[-1] >= promise.end
    outcomes = list(map(_outcome, days, actuals.outcome.tolist(), draws.T))
    if is_whole:
        total = float(actuals.outcome.sum())
        outcomes.append(_outcome(TOTAL, total, draws.sum(axis=1)))
    counted = len(days) if not last else sum(day <= last for day in days)
    return Score(
        state="scored" if is_whole else "partly",
        why="" if is_whole else f"The rest once the data reach {date(promise.end)}.",
        until=days[-1],
        departure=apart,
        is_followed=is_followed,
        outcomes=tuple(outcomes),
        counted=counted,
        chances=_chances(draws[:, :counted]),
    )


def _of_plan(now: Now, promise: Promise, _: str) -> Score:
    """The outcome of a plan's periods, once all of them are over."""
    plan = load_plan(now.project, promise.subject)
    actuals = now.since(promise)
    days = [] if actuals is None else actuals.times.astype("datetime64[D]").astype(str)
    if actuals is None or days[-1] < promise.end:
        over = sum(promise.start <= day <= promise.end for day in days)
        so_far = f" ({over} of its periods are over)" if over else ""
        why = f"Can be scored once the data reach {date(promise.end)}{so_far}."
        return Score(state="open", why=why)
    run = now.run(promise)
    view = open_dataset(run, "forecast")
    inside = plan_periods(plan, view)
    if inside is None:
        why = "The fit's forecast does not cover the plan's periods."
        return Score(state="impossible", why=why)
    begun = now.begun(promise.believed, actuals.times[inside])
    ran = {name: each[inside] for name, each in actuals.spend.items()} | begun
    spent = {name: float(each.sum()) for name, each in ran.items()}
    bought, geos = terms(run, plan, view), None
    if divided := divided_by(run, plan, view, actuals, inside):
        geos = divided[1]
    apart = departed(plan, promise.spend, spent, geos)
    is_followed = apart is None or apart <= TOLERANCE
    spend, new = actuals.spend, begun
    if is_followed:
        spend, new = planned_spend(plan, view, len(inside)), begun_spend(plan)
    elif geos is not None:
        bought = geos.terms
    draws = outcome_at(view, spend, carryover(run), bought)
    return _single(
        float(actuals.outcome[inside].sum()),
        draws[:, inside].sum(axis=1) + begun_outcome(plan, view, inside, new),
        until=promise.end,
        departure=apart,
        is_followed=is_followed,
    )


def _of_teaching(now: Now, promise: Promise, later: str) -> Score:
    """By how much intervals narrowed, once a fit has seen the plan's weeks."""
    if not later:
        why = f"Can be scored once a fit has seen the weeks to {date(promise.end)}."
        return Score(state="open", why=why)
    newer = now.project / "runs" / later
    if not has_result(newer):
        why = "The fit that saw these weeks first was deleted."
        return Score(state="impossible", why=why)
    plan, actuals = load_plan(now.project, promise.subject), now.since(promise)
    apart = None
    if actuals is not None:
        inside = np.isin(actuals.times.astype("datetime64[D]").astype(str), plan.weeks)
        fitted = [line for line in plan.channels if line.name in actuals.spend]
        planned = {line.name: np.array(line.weeks) for line in fitted}
        spent = {line.name: actuals.spend[line.name][inside] for line in fitted}
        apart = departure(_cells(planned), _cells(spent))
    before, after = (
        response_curves(open_dataset(run, "horizon_curves"))
        for run in (now.run(promise), newer)
    )
    return Score(
        state="scored",
        until=promise.end,
        departure=apart,
        is_followed=apart is None or apart <= TOLERANCE,
        learned=narrowed(before, after),
    )


def _of_test(now: Now, promise: Promise, _: str) -> Score:
    """The lift that a test read, beside what the fit expected of it."""
    test = _test(now.project, promise)
    if test is None:
        return Score(state="impossible", why="The test was deleted.")
    readout = test.readout
    if readout is None or readout.incremental is None:
        why = f"Can be scored once the test, which ends {date(promise.end)}, is read."
        return Score(state="open", why=why)
    lift = readout.incremental
    spent = {name: readout.spend_change.get(name, 0.0) for name in promise.spend}
    supposed, moved = sum(promise.spend.values()), sum(spent.values())
    times = moved / supposed if supposed else 1.0
    apart = abs(times - 1)
    is_followed = apart <= TOLERANCE
    if not 1 / _TIMES <= times <= _TIMES:
        why = (
            "Spend changed by other than half to twice of what was planned, so the "
            "test is another one."
        )
        return Score(state="impossible", why=why, departure=apart)
    effect = np.array(promise.draws) * (1.0 if is_followed else times)
    result = (effect[:, None] + lift.sd * ERRORS).ravel()
    return _single(
        lift.mean,
        result,
        until=promise.end,
        departure=apart,
        is_followed=is_followed,
    )


def _test(project: Path, promise: Promise) -> KeptTest | None:
    tests = lift_tests(project)
    return next((each for each in tests if each.test_id == promise.subject), None)


def _cells(spend: Mapping[str, Float[np.ndarray, " time"]]) -> dict[str, float]:
    """Spend of each channel and period, under names of their own."""
    return {
        f"{name} {t}": float(amount)
        for name, amounts in spend.items()
        for t, amount in enumerate(amounts)
    }


def _outcome(about: str, actual: float, draws: Float[np.ndarray, " draw"]) -> Outcome:
    lo, hi = np.quantile(draws, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
    return Outcome(
        about=about,
        actual=actual,
        mean=float(draws.mean()),
        lo=float(lo),
        hi=float(hi),
        below=float((draws <= actual).mean()),
    )


def _single(
    actual: float,
    draws: Float[np.ndarray, " draw"],
    *,
    until: str,
    departure: float | None,
    is_followed: bool,
) -> Score:
    """The score of a promise that is one number."""
    return Score(
        state="scored",
        until=until,
        departure=departure,
        is_followed=is_followed,
        outcomes=(_outcome(TOTAL, actual, draws),),
        counted=1,
        chances={str(each): (1 - each / 100, each / 100) for each in LEVELS},
    )


def _chances(draws: Float[np.ndarray, "draw time"]) -> dict[str, tuple[float, ...]]:
    """Probability of each number of periods held, by level, if the draws are right."""
    n_draws, n = draws.shape
    if not n:
        return {}
    place = draws.argsort(axis=0).argsort(axis=0) + 0.5
    reach = np.abs(2 * place / n_draws - 1)
    chances = {}
    for level in LEVELS:
        n_held = (reach <= level / 100).sum(axis=1)
        share = np.bincount(n_held, minlength=n + 1) / n_draws
        chances[str(level)] = tuple(share.tolist())
    return chances


_SCORERS: dict[str, Callable[[Now, Promise, str], Score]] = {
    "forecast": _of_forecast,
    "plan": _of_plan,
    "test": _of_test,
    "teaching": _of_teaching,
}
