"""Planning: what plan and evaluate ask of the service, and what a plan answers."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.errors import PlanError, WorkspaceError
from core.mcp import answers, arguments
from core.mcp.desk import Desk, judged
from core.service import plans
from core.service.ask import HorizonRequest, PlanAsk
from core.service.planning.asked import of_flags
from core.service.projects import approvals
from core.service.runs import Watch
from core.text import listed
from core.view import beside_words, plan_words
from core.view.advice import advice_lines
from core.view.progress import progress_text
from core.view.weeks import teaching_words

#: Seconds that a call waits for a run; many clients give up after a minute.
PATIENCE = 40.0
#: Values of arguments that ask for nothing.
_UNSAID = (None, "", {}, [])


def plan(desk: Desk, request: arguments.Plan) -> dict[str, Any]:
    """The best split of a budget; saved and proposed where that is asked for."""
    if request.save or request.propose:
        desk.permit("plan saved")
    if request.propose and not request.save:
        raise PlanError("A plan is proposed under a name.", hint="Give save=NAME, too.")
    asked = {name: getattr(request, name) for name in arguments.ASKED}
    ask = PlanAsk(
        over=request.over,
        horizon=_horizon(request),
        **{name: value for name, value in asked.items() if value not in _UNSAID},
        **of_flags(request),
    )
    fit = desk.fit(request.project, request.run)
    reasons = judged(fit).reasons

    def found(watch: Watch) -> dict[str, Any]:
        record = plans.plan(fit, ask, watch)
        if request.save:
            record = plans.save(fit, record, request.save)
        if request.propose:
            approvals.take(desk.project(request.project), "propose", record.plan_id)
        note = plan_words.renamed(record, request.save) if request.save else ""
        return of_record(record, reasons, note)

    return _patiently(found)


def evaluate(desk: Desk, request: arguments.Evaluate) -> dict[str, Any]:
    """What amounts would bring, as they are."""
    kinds = {float: "channels", int: "channels", list: "weeks", dict: "geos"}
    levels = {kinds[type(amount)] for amount in request.spend.values()}
    over = request.over or next(iter(levels), "channels")
    if levels != {over}:
        raise PlanError(
            "spend is not that of a plan over one of channels, weeks and geos.",
            hint="Give money by channel; for weeks a list by channel; for geos money "
            "by geo and channel.",
            where="spend",
        )
    ask = PlanAsk(over=over, horizon=_horizon(request), spend=request.spend)
    fit = desk.fit(request.project, request.run)
    reasons = judged(fit).reasons

    def levels(watch: Watch) -> dict[str, Any]:
        if over == "channels":
            _check_complete(plans.today(fit, ask, watch).names, request.spend)
        return of_record(plans.plan(fit, ask, watch), reasons)

    return _patiently(levels)


def approval(desk: Desk, request: arguments.Approval) -> dict[str, Any]:
    """How plans stand; a step with one of them."""
    folder = desk.project(request.project)
    if request.step is not None:
        desk.permit(f"plan to {request.step}")
        if not request.plan:
            raise WorkspaceError("Say which plan.", hint="Give its id.", where="plan")
        approvals.take(folder, request.step, request.plan, request.text)
    entries = approvals.listed(folder, request.plan or None)
    about = {"project": str(folder), "plans": [asdict(plan) for plan in entries]}
    return answers.plain(about, "Another person than who saved a plan approves it.")


def of_record(record: Any, reasons: Sequence[str], note: str = "") -> dict[str, Any]:
    """What a plan answers; its draws, which only programs read, are left out.

    Args:
        record: The plan.
        reasons: Of the verdict on its fit.
        note: What else is to be said of it.
    """
    about = teaching_words.with_reasons(record)
    about.pop("draws", None)
    advice = [*advice_lines(record), plan_words.idle(record)]
    advice += [plan_words.robustness(record), beside_words.unseen(record)]
    advice += [*teaching_words.lines(record), note]
    run = Path(record.run).name or record.run_id
    of = answers.Judged(record.verdict, reasons, record.units, run)
    return answers.estimated(about, of, " ".join(filter(None, advice)))


class _StillAtWorkError(Exception):
    """A run that a plan needs has not ended within the time that one waits."""

    def __init__(self, status: Any) -> None:
        super().__init__(status.run_id)
        self.status = status


class _Patience(Watch):
    """Waits so long for a run, and leaves it at work."""

    def __init__(self) -> None:
        self._until = time.monotonic() + PATIENCE

    def __call__(self, status: Any) -> None:
        """Give up waiting once the time is over.

        Raises:
            _StillAtWorkError: It is.
        """
        if status.is_live and time.monotonic() > self._until:
            raise _StillAtWorkError(status)


def _patiently(work: Callable[[Watch], dict[str, Any]]) -> dict[str, Any]:
    """An answer, or that a run is at work for it."""
    try:
        return work(_Patience())
    except _StillAtWorkError as still:
        now = still.status
        about = {"run": now.run_id, "state": now.state, "progress": progress_text(now)}
        return answers.plain(about, "The run goes on: ask for the same again later.")


def _check_complete(names: Sequence[str], spend: Mapping[str, Any]) -> None:
    """Refuse amounts of some channels alone: what the others spend is not said.

    Raises:
        PlanError: A channel is missing.
    """
    missing = [name for name in names if name not in spend]
    if missing:
        raise PlanError(
            f"spend says nothing of {listed(missing, limit=10)}.",
            hint="Give the money of every channel; a plan has today's as current.",
            where="spend",
        )


def _horizon(request: arguments.Horizon) -> HorizonRequest | None:
    horizon = HorizonRequest(request.periods, request.start or None, request.as_fitted)
    return None if horizon == HorizonRequest() else horizon
