"""Words: times, durations and states as the screens say them."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from core import text as fmt
from core.service.runs import RunStatus
from core.text.languages.language import marked, say
from core.view.progress import PHASES, seconds_left, waited

#: States of a run, in words.
STATES = {
    "queued": marked("waiting"),
    "starting": marked("starting"),
    "running": marked("running"),
    "cancelling": marked("stopping"),
    "done": marked("done"),
    "failed": marked("failed"),
    "cancelled": marked("cancelled"),
    "killed": marked("ended by the system"),
    "lost": marked("lost"),
}
#: Seconds by which clocks of two machines may differ without being wrong.
_CLOCKS_DIFFER = 120
#: Seconds from which a stretch of time is told in days.
_DAYS = 86_400 * 2


def said(table: Mapping[Any, str]) -> Callable[[Any], str]:
    """A widget's words for its options: those of a table, in the reader's language."""
    return lambda option: say(table[option]) if option in table else str(option)


def duration(seconds: float) -> str:
    """A stretch of time in one unit: `40 s`, `12 min`, `3 h`, `5 days`."""
    seconds = max(0.0, seconds)
    if seconds >= _DAYS:
        return say("{n}\u00a0days", n=round(seconds / 86_400))
    if seconds >= 2 * 3_600:
        return f"{round(seconds / 3_600)}\u00a0h"
    if seconds >= 90:
        return say("{n}\u00a0min", n=round(seconds / 60))
    return f"{round(seconds)}\u00a0s"


def clock(seconds: float) -> str:
    """A stretch of time as `3:07` or `1:02:45`."""
    minutes, second = divmod(int(max(0.0, seconds)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


def ago(when: str | datetime) -> str:
    """How long ago something was: `just now`, `12 min ago`; a date when older."""
    if isinstance(when, str):
        try:
            when = datetime.fromisoformat(when)
        except ValueError:
            return ""
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    passed = (datetime.now(UTC) - when).total_seconds()
    if -_CLOCKS_DIFFER < passed < 45:
        return say("just now")
    if 0 < passed < 90:
        return say("1\u00a0min ago")
    if _DAYS <= passed < 86_400 * 7:
        return say("{n}\u00a0days ago", n=round(passed / 86_400))
    if 0 < passed < _DAYS:
        return say("{passed} ago", passed=duration(passed))
    return fmt.date(when)


def time_left(status: RunStatus) -> str:
    """What a run at work has before it: a time, or its state."""
    if status.state != "running":
        return state_of(status)
    remaining = seconds_left(status)
    if remaining is not None:
        return (
            say("{left} left", left=duration(remaining))
            if remaining > 0
            else say("longer than expected")
        )
    return (
        f"{round(100 * status.fraction)}\u00a0%" if status.fraction else say("running")
    )


def state_of(status: RunStatus) -> str:
    """The state of a run, in words."""
    return say(STATES.get(status.state, status.state))


def phase(status: RunStatus) -> str:
    """What a run is doing, in words."""
    if status.state == "queued":
        place = status.position
        return (
            say("waiting, place {place} in line", place=place)
            if place
            else say("waiting")
        )
    if status.state == "starting":
        return say("starting a worker")
    if status.state != "running":
        return state_of(status)
    return say(PHASES.get(status.progress.phase, "starting"))


def at_work(status: RunStatus) -> str:
    """What a run is doing, for how long, and the time left, in one line."""
    parts = [phase(status)]
    passed, remaining = waited(status), seconds_left(status)
    if passed is not None and passed >= 1:
        parts.append(say("{elapsed} elapsed", elapsed=clock(passed)))
    if remaining:
        parts.append(say("{left} left", left=duration(remaining)))
    return " · ".join(parts)
