"""The life of a run: its states and the steps between them that are legal.

    queued -> starting -> running -> done
    queued, starting, running -> cancelling -> cancelled (or done, if it was too late)
    failed and killed can follow every state in which the run lives

`lost` is never written: it is what a reader sees when nobody is left to write. A run
that ended without a result (`RESUMABLE`) may be queued again.
"""

from core.store.run_state import State

#: Exit status of a worker that had no room to say so: its own, and Python's where the
#: log could not be written to the end.
NO_SPACE, LOG_LOST = 5, 120

#: What is said of a run that was cancelled while it waited.
NEVER_STARTED = "The run was cancelled before it started."

#: Final states from which a run can be started again.
RESUMABLE: frozenset[State] = frozenset({"failed", "cancelled", "killed", "lost"})

_STOPS: frozenset[State] = frozenset({"failed", "cancelled", "killed", "lost"})
_STEPS: dict[State, frozenset[State]] = {
    "queued": frozenset({"starting", "cancelling"}) | _STOPS,
    "starting": frozenset({"running", "cancelling", "done"}) | _STOPS,
    "running": frozenset({"cancelling", "done"}) | _STOPS,
    "cancelling": frozenset({"done"}) | _STOPS,
    "done": frozenset(),
    **{state: frozenset({"queued"}) for state in RESUMABLE},
}


def is_legal(before: State, after: State) -> bool:
    """Whether a run may go from one state to the next."""
    return after in _STEPS[before]


def last_word(rc: int, *, was_asked: bool, has_result: bool) -> State:
    """The final state of a run whose worker has ended.

    Args:
        rc: The worker's exit status; minus the signal that ended it.
        was_asked: Whether the worker had been told to stop.
        has_result: Whether the whole result is there.
    """
    if has_result:  # whole and checked, whatever happened to the worker afterwards
        return "done"
    if rc == 4 or (was_asked and rc < 0):
        return "cancelled"
    return "killed" if rc < 0 else "failed"  # 0 without a result is a failure too
