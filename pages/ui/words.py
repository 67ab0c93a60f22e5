"""Words: times, durations and states as the screens say them."""

import math
from datetime import UTC, datetime

from core import text as fmt
from core.service.runs import RunStatus

#: States of a run, in words.
STATES = {
    "queued": "waiting",
    "starting": "starting",
    "running": "running",
    "cancelling": "stopping",
    "done": "done",
    "failed": "failed",
    "cancelled": "cancelled",
    "killed": "ended by the system",
    "lost": "lost",
}
#: Phases of a fit, in words.
PHASES = {
    "preparing": "reading the data",
    "compiling": "compiling the model",
    "warmup": "warming up",
    "draws": "drawing",
    "budget": "finding the budget",
    "climbing": "moving money between weeks",
    "bounding": "working out how good it can be",
    "teaching": "looking for weeks that teach",
    "analysis": "working out the results",
    "causes": "telling causes apart",
    "plans": "scoring the saved plans",
    "saving": "saving the results",
}
#: Seconds by which clocks of two machines may differ without being wrong.
_CLOCKS_DIFFER = 120


def duration(seconds: float) -> str:
    """A stretch of time in one unit: `40 s`, `12 min`, `3 h`, `5 days`."""
    seconds = max(0.0, seconds)
    for size, unit in ((86_400 * 2, "days"), (3_600 * 2, "h"), (90, "min")):
        if seconds >= size:
            each = {"days": 86_400, "h": 3_600, "min": 60}[unit]
            return f"{round(seconds / each)}\u00a0{unit}"
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
        return "just now"
    if 0 < passed < 90:
        return "1\u00a0min ago"
    if 0 < passed < 86_400 * 7:
        return f"{duration(passed)} ago"
    return fmt.date(when)


#: Phases after sampling.
SAMPLED = ("analysis", "causes", "plans", "saving")


def elapsed(status: RunStatus) -> float | None:
    """Seconds that a run has worked; None before it does."""
    if status.state not in ("running", "cancelling"):
        return None
    seconds = status.progress.get("elapsed")
    seconds = float(seconds) if isinstance(seconds, int | float) else 0.0
    try:
        since = datetime.now(UTC) - datetime.fromisoformat(status.since)
    except (ValueError, TypeError):
        return seconds
    return max(seconds, since.total_seconds()) if status.state == "running" else seconds


def time_left(status: RunStatus) -> str:
    """What a run at work has before it: a time, or its state."""
    if status.state != "running":
        return STATES.get(status.state, status.state)
    left = seconds_left(status)
    if left is not None:
        return f"{duration(left)} left" if left > 0 else "almost done"
    return f"{round(100 * status.fraction)}\u00a0%" if status.fraction else "running"


def seconds_left(status: RunStatus) -> float | None:
    """Seconds until a run is done, results included; None where that is not known.

    Once the results are worked out the worker tells it once; from then on it runs down.
    Zero: it takes longer than it was to.
    """
    left = status.progress.get("eta")
    if isinstance(left, bool) or not isinstance(left, int | float):
        return None
    if status.progress.get("phase") in SAMPLED:
        told = status.progress.get("elapsed")
        told = float(told) if isinstance(told, int | float) else 0.0
        left = max(left - max((elapsed(status) or 0.0) - told, 0.0), 0.0)
    return float(left) if math.isfinite(left) else None


def phase(status: RunStatus) -> str:
    """What a run is doing, in words."""
    if status.state == "queued":
        place = status.position
        return f"waiting, place {place} in line" if place else "waiting"
    if status.state != "running":
        return STATES.get(status.state, status.state)
    word = str(status.progress.get("phase") or "")
    return PHASES.get(word, "starting")
