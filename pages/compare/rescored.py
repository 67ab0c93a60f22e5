"""An old plan by a newer fit: what it brings now, and why that differs."""

from core import text as fmt
from core.errors import MMMError
from core.service import runs
from core.service.planning.by_hand import Between, Rescored, rescored
from core.service.records.fit import Run
from core.service.records.plan import PlanRecord
from core.service.runs import has_result
from core.text.languages.language import marked, say
from core.view import plan_words
from core.view.origin import is_over
from pages.ui import layout, planning, reading, tables
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened

_CAUSES = {
    "data": marked("other data"),
    "model": marked("another model"),
    "data and model": marked("other data and another model"),
    "simulation": marked("simulation error"),
}


def show(
    here: Opened, plan: PlanRecord, before: Run, run: Run, units: fmt.Units
) -> None:
    """A plan of an older fit by the fit that is open; nothing once it is over.

    Args:
        here: The project.
        plan: The plan, over channels.
        before: The fit that it was made with.
        run: The fit that is open.
        units: Words for the units.
    """
    end = reading.fit(run.folder).end[:10]
    if before.run_id == run.run_id or is_over(plan, end):
        return
    old = planning.curves_of_plan(before, plan)
    new = planning.curves_of_plan(run, plan)
    if old is None or new is None:
        layout.remark(
            "The newer fit has no curves of {plan}. Plan these periods with it "
            "once, then the plan is scored here.",
            plan=plan_words.horizon(plan),
        )
        return
    try:
        change = rescored(
            plan.money,
            old,
            new,
            **_same(before, run),
            between=_between(here, plan, before, run),
        )
    except MMMError as error:
        show_error(error)
        return
    _explain(plan, change, units)


def _same(before: Run, after: Run) -> dict[str, bool]:
    first, second = _made_of(before), _made_of(after)
    return {"same_data": first[0] == second[0], "same_model": first[1] == second[1]}


def _between(here: Opened, plan: PlanRecord, before: Run, after: Run) -> Between | None:
    """A fit with the data of one and the model of the other, where there is one."""
    first, last = (_made_of(run) for run in (before, after))
    pairs = {(last[0], first[1]): "data", (first[0], last[1]): "model"}
    if first[0] == last[0] or first[1] == last[1]:
        return None
    for run in runs.list_runs(here.folder, "fit"):
        changed = pairs.get(_made_of(run))
        if changed and has_result(run.folder):
            curves = planning.curves_of_plan(run, plan)
            return None if curves is None else Between(curves, changed)
    return None


def _made_of(run: Run) -> tuple[str, str]:
    """Hashes of a fit's data and definition."""
    return run.data_sha256, run.spec_sha256


def _explain(plan: PlanRecord, change: Rescored, units: fmt.Units) -> None:
    before, after = map(units.estimate, (change.before, change.after))
    odds = fmt.probability(change.gain.probability_positive)
    difference, response, spend = (
        units.show(amount, signed=True)
        for amount in (change.response + change.spend, change.response, change.spend)
    )
    layout.remark(
        "{outcome_name} was {before}, is {after}; beats {over} with a "
        "probability of {odds}. The difference of {difference} is {response} from "
        "response ({change}) and {spend} from the spend behind the curves.",
        outcome_name=plain(units.outcome_name),
        before=before,
        after=after,
        over=plan.horizon.compared(is_scaled=plan.current_scaled),
        odds=odds,
        difference=difference,
        response=response,
        change=_causes(change, units),
        spend=spend,
    )
    rows = [
        {
            say("Channel"): row.name,
            say("Before"): units.show(row.before),
            say("Response"): units.show(row.response, signed=True),
            say("Spend"): units.show(row.spend, signed=True),
            say("After"): units.show(row.after),
        }
        for row in change.channels
    ]
    tables.grid(rows, say("Why the outcome of the plan differs"))


def _causes(change: Rescored, units: fmt.Units) -> str:
    """Why the response differs; with amounts where a fit tells causes apart."""
    if len(change.parts) == 1:
        more = say("; a fit of the new data with the old model would tell them apart")
        is_both = change.cause == "data and model"
        return say(_CAUSES[change.cause]) + (more if is_both else "")
    return ", ".join(
        f"{units.show(value, signed=True)} {say(_CAUSES[name])}"
        for name, value in change.parts.items()
    )
