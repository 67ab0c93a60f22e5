"""Approval of plans: proposed, commented, approved by another person.

    plans/approval.jsonl    {"time", "who", "plan_id", "sha256", "step", "text"}

Beside the plans and only ever appended to, one step a line; a plan itself is never
changed. A step counts for the file that it was taken for, whose hash it holds.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from core.errors import AccessError, WorkspaceError
from core.store.atomic import make_subfolder, note_change, sha256_of
from core.store.places import check_id
from core.store.stored import read_object
from core.team.audit import append, lines
from core.team.identity import same_name
from core.team.settings import is_enforced
from core.text.languages.language import say
from core.text.languages.locale import date

Step = Literal["proposed", "commented", "approved", "declined"]
Status = Literal["", "proposed", "approved", "declined"]

FILE = "approval.jsonl"
#: Characters of a comment.
LONGEST = 2000
_TEXTS = ("time", "who", "plan_id", "sha256", "step", "text")


@dataclass(frozen=True)
class Decision:
    """One step on a plan's way.

    Attributes:
        time: When, ISO UTC.
        who: Name of the person.
        plan_id: The plan.
        sha256: Of the plan's file.
        step: `proposed`, `commented`, `approved` or `declined`.
        text: What they said with it.
    """

    time: str
    who: str
    plan_id: str
    sha256: str
    step: Step
    text: str = ""


@dataclass(frozen=True)
class Approval:
    """How a plan stands.

    Attributes:
        steps: Every step, oldest first.
    """

    steps: tuple[Decision, ...] = ()

    @property
    def status(self) -> Status:
        """What the last step that decides says; empty where nobody proposed it."""
        last = self._last("proposed", "approved", "declined")
        return last.step if last is not None else ""  # type: ignore[return-value]

    @property
    def proposed(self) -> Decision | None:
        """The last proposal."""
        return self._last("proposed")

    @property
    def approved(self) -> Decision | None:
        """The approval that holds; None where none does."""
        last = self._last("proposed", "approved", "declined")
        return last if last is not None and last.step == "approved" else None

    def _last(self, *steps: Step) -> Decision | None:
        return next(
            (decision for decision in reversed(self.steps) if decision.step in steps),
            None,
        )


def approval_of(project: Path, plan_id: str) -> Approval:
    """How a plan of a project stands; steps for another file of its name do not count.

    Raises:
        WorkspaceError: The steps cannot be read.
    """
    sha = _sha256(project, plan_id)
    return Approval(
        tuple(
            step
            for step in _steps(project)
            if step.plan_id == plan_id and step.sha256 == sha
        )
    )


def check_approved(project: Path, plan_id: str) -> None:
    """Refuse a plan that nobody approved, where sign-in is on.

    Raises:
        AccessError: Nobody did.
    """
    if is_enforced(project) and approval_of(project, plan_id).approved is None:
        raise AccessError(
            f"Plan {plan_id} is not approved.",
            hint="Propose it; another planner of the project then approves it.",
            where=plan_id,
        )


def has_saved(project: Path, plan_id: str, name: str) -> bool:
    """Whether a person is the one who saved or proposed a plan."""
    plan = read_object(project / "plans" / f"{plan_id}.json")
    proposed = approval_of(project, plan_id).proposed
    authors = [str(plan.get("by") or ""), proposed.who if proposed else ""]
    return same_name(name) in [same_name(author) for author in authors if author]


def add_step(project: Path, plan_id: str, who: str, step: Step, text: str) -> None:
    """Append a step.

    Raises:
        WorkspaceError: There is no such plan, or the disk is full or read-only.
    """
    decision = Decision(
        time=datetime.now(UTC).isoformat(timespec="milliseconds"),
        who=who,
        plan_id=plan_id,
        sha256=_sha256(project, plan_id),
        step=step,
        text=text.strip()[:LONGEST],
    )
    folder = make_subfolder(project, "plans")
    append(folder / FILE, json.dumps(asdict(decision)))
    note_change()


def said_of(project: Path, plan_id: str) -> str:
    """How a plan of a project stands, for a report; empty where approval is no matter.

    A plan that is not kept, or whose file is gone, has nothing to say either.
    """
    try:
        text = said(approval_of(project, plan_id))
    except WorkspaceError:
        return ""
    return text or (say("Not approved.") if is_enforced(project) else "")


def said(approval: Approval) -> str:
    """How a plan stands, in a sentence; empty where nobody proposed it."""
    proposed, approved = approval.proposed, approval.approved
    if proposed is None:
        return ""
    begun = say(
        "Proposed by {who} on {time}", who=proposed.who, time=date(proposed.time)
    )
    if approved is not None:
        return say(
            "{begun}, approved by {who} on {time}.",
            begun=begun,
            who=approved.who,
            time=date(approved.time),
        )
    if approval.status == "declined":
        return say("{begun}, declined.", begun=begun)
    return say("{begun}, open.", begun=begun)


def _sha256(project: Path, plan_id: str) -> str:
    try:
        return sha256_of(project / "plans" / f"{check_id(plan_id, 'plan')}.json")
    except OSError as error:
        raise WorkspaceError(
            f"There is no plan {plan_id} in {project.name}.", where=plan_id
        ) from error


def _steps(project: Path) -> list[Decision]:
    decisions = []
    for line in lines(project / "plans" / FILE):
        texts: dict[str, Any] = {key: line.get(key) for key in _TEXTS}
        is_sound = all(isinstance(value, str) for value in texts.values())
        if is_sound and texts["step"] in get_args(Step):
            decisions.append(Decision(**texts))
    return decisions
