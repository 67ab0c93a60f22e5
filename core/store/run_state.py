"""The state of a run, as its directory tells it.

What is on screen is what is on disk: `state.json` has one writer, the supervisor,
and a run whose lock is free although its state is not final is `lost`.
"""

import contextlib
import math
import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from core.disk import is_disk_full
from core.errors import WorkspaceError
from core.store.atomic import is_full, json_text, write_json, write_text
from core.store.locks import is_held
from core.store.stored import read_object

State = Literal[
    "queued",
    "starting",
    "running",
    "cancelling",
    "done",
    "failed",
    "cancelled",
    "killed",
    "lost",
]

#: States that a run never leaves by itself.
FINAL: frozenset[State] = frozenset({"done", "failed", "cancelled", "killed", "lost"})


#: Held by who has sent the run to a cluster, for as long as that has it.
CLUSTER_LOCK = "cluster.lock"

#: Seconds in which a run that was just created may still be submitted.
_GRACE = 4.0
#: A file of blanks that becomes state.json where there is no room for another.
_RESERVE, _RESERVED = ".last_word", 4096
_RESUME = "Start it again; a fit goes on from its last checkpoint."


@dataclass(frozen=True)
class ChainProgress:
    """How far a chain is; numbers are None where the worker does not say.

    Attributes:
        phase: What it does.
        iteration: Iterations done.
        total: Iterations in all.
        step_size: Of its sampler.
        divergences: Divergent transitions.
    """

    phase: str = ""
    iteration: float | None = None
    total: float | None = None
    step_size: float | None = None
    divergences: float | None = None


@dataclass(frozen=True)
class Progress:
    """What a worker reports; empty before the first report.

    Attributes:
        phase: What it does.
        fraction: Share of the work that is done.
        elapsed: Seconds that it has worked.
        eta: Seconds until it is done.
        rhat_max: Largest R-hat so far.
        ess_min: Smallest effective sample size so far.
        chains: How far each chain is.
        iterations: Numbers of the iterations of the trace.
        log_density: The trace, a list per chain.
    """

    phase: str = ""
    fraction: float | None = None
    elapsed: float | None = None
    eta: float | None = None
    rhat_max: float | None = None
    ess_min: float | None = None
    chains: tuple[ChainProgress, ...] = ()
    iterations: tuple[int, ...] = ()
    log_density: tuple[tuple[float, ...], ...] = ()


def progress_of(report: dict[str, Any]) -> Progress:
    """Progress of a worker's report; None where it holds none."""
    chains, trace = report.get("chains"), report.get("trace")
    chains = chains if isinstance(chains, list) else []
    numbers = ("fraction", "elapsed", "eta", "rhat_max", "ess_min")
    return Progress(
        phase=_stored_text(report, "phase"),
        **{name: _number(report, name) for name in numbers},
        chains=tuple(_chain(each) for each in chains if isinstance(each, dict)),
        **(_trace(trace) if isinstance(trace, dict) else {}),
    )


def _chain(report: dict[str, Any]) -> ChainProgress:
    numbers = ("iteration", "total", "step_size", "divergences")
    sizes = {name: _number(report, name) for name in numbers}
    return ChainProgress(_stored_text(report, "phase"), **sizes)


def _trace(report: dict[str, Any]) -> dict[str, Any]:
    """The trace of a report, NaN where a density is not finite; none if it is none."""
    try:
        iterations = tuple(map(int, report["iterations"]))
        density = tuple(
            tuple(math.nan if each is None else float(each) for each in chain)
            for chain in report["log_density"]
        )
    except (KeyError, TypeError, ValueError):
        return {}
    return {"iterations": iterations, "log_density": density}


@dataclass(frozen=True)
class RunStatus:
    """How a run stands.

    Attributes:
        run_id: The run.
        state: Its state.
        since: When it entered it, ISO UTC; empty if unknown.
        message: What happened, in one sentence; empty if all is well.
        hint: What to do about it.
        progress: What the worker reports.
        position: Place in the queue, from one; None for a run that is not queued.
        rc: The worker's exit status.
        signal: The signal that ended the worker.
    """

    run_id: str
    state: State
    since: str = ""
    message: str = ""
    hint: str = ""
    progress: Progress = Progress()
    position: int | None = None
    rc: int | None = None
    signal: int | None = None

    @property
    def is_live(self) -> bool:
        """Whether the run waits or works."""
        return self.state not in FINAL

    @property
    def fraction(self) -> float:
        """Share of the work that is done, from 0 to 1."""
        if self.state == "done":
            return 1.0
        return min(max(self.progress.fraction or 0.0, 0.0), 1.0)


def stored_state(run: Path) -> State | None:
    """The state in a run's state.json; None where that holds none."""
    state = read_object(run / "state.json").get("state")
    return state if state in get_args(State) else None


def read_status(run: Path) -> RunStatus:
    """The status of a run, without its place in the queue."""
    is_locked = is_held(run / "lock")
    stored = read_object(run / "state.json")
    progress = progress_of(read_object(run / "progress.json"))
    is_valid = stored.get("state") in get_args(State)
    status = RunStatus(
        run_id=run.name,
        state=stored["state"] if is_valid else "starting",
        since=_stored_text(stored, "since"),
        message=_stored_text(stored, "message"),
        hint=_stored_text(stored, "hint"),
        progress=progress,
        rc=_whole(stored, "rc"),
        signal=_whole(stored, "signal"),
    )
    if is_locked or not status.is_live or _is_fresh(run, status):
        return status
    if is_held(run / CLUSTER_LOCK):
        return _placed(run, status)
    # The supervisor may have finished between the two looks above.
    if stored_state(run) in FINAL and read_object(run / "state.json") != stored:
        return read_status(run)
    return _abandoned(run, status)


def _placed(run: Path, status: RunStatus) -> RunStatus:
    """Status of a run that a cluster has and none of its workers works on."""
    if is_held(run / "lock"):  # one has begun since
        return read_status(run)
    if stored_state(run) in FINAL:
        return read_status(run)
    message = "Waiting for a worker of the cluster."
    if status.state != "queued":
        message = "Its worker went away; the cluster gives the run to another."
    return replace(status, state="queued", message=message, progress=Progress())


def is_about_to_begin(run: Path) -> bool:
    """Whether a run was made a moment ago, and nobody has begun with it yet."""
    status = read_status(run)
    return status.is_live and _is_fresh(run, status)


def _is_fresh(run: Path, status: RunStatus) -> bool:
    """Whether the run was created a moment ago and is about to be submitted."""
    if status.state != "queued" or os.path.exists(run / "lock"):
        return False
    try:
        age = datetime.now(UTC) - datetime.fromisoformat(status.since)
    except (ValueError, TypeError):
        return False
    return 0 <= age.total_seconds() < _GRACE


def _abandoned(run: Path, status: RunStatus) -> RunStatus:
    """Status of a run that nobody works on although its state is not final."""
    state: State = "lost"
    message = "The run ended without a message: its process or its machine stopped."
    hint = ""
    is_out_of_room = is_full(run)
    if is_out_of_room:
        message = (
            "The run stopped, and the disk is full: it could not say how it ended."
        )
    if os.path.isfile(run / "result" / "manifest.json"):
        state, message = "done", ""
    elif _never_worked(run, status):
        message = "The run was never started."
        hint = "Start it again."
    else:
        hint = f"Free some space first. {_RESUME}" if is_out_of_room else _RESUME
    return RunStatus(status.run_id, state, status.since, message, hint, status.progress)


def _never_worked(run: Path, status: RunStatus) -> bool:
    """Whether whoever submitted the run ended before anybody could begin with it."""
    waited = status.state == "queued" and not os.path.exists(run / "checkpoint")
    return waited or not os.path.exists(run / "lock")


def write_state(
    run: Path,
    state: State,
    *,
    message: str = "",
    hint: str = "",
    rc: int | None = None,
    signal: int | None = None,
) -> None:
    """Write state.json, atomically and durably.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    content = {
        "state": state,
        "since": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "message": message,
        "hint": hint,
        "rc": rc,
        "signal": signal,
    }
    try:
        write_json(run / "state.json", content)
    except WorkspaceError as error:
        # The room is for the last word: a step on the way there must not use it up.
        is_last = state in FINAL and is_disk_full(error)
        if not (is_last and _write_into_reserve(run, json_text(content))):
            raise


def reserve_last_word(run: Path) -> None:
    """Take the room for a run's last word now, while there is some."""
    with contextlib.suppress(WorkspaceError):
        write_text(run / _RESERVE, " " * _RESERVED)


def give_back_reserve(run: Path) -> None:
    """Remove what `reserve_last_word` made."""
    with contextlib.suppress(OSError):
        (run / _RESERVE).unlink(missing_ok=True)


def _write_into_reserve(run: Path, text: str) -> bool:
    """Write state.json into the room that was reserved; whether that worked."""
    content = text.encode()
    if len(content) > _RESERVED:
        return False
    try:
        # Neither writing over bytes that are there nor renaming takes new room.
        with open(run / _RESERVE, "r+b") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(run / _RESERVE, run / "state.json")
    except OSError:
        return False
    return True


def _stored_text(stored: dict[str, Any], key: str) -> str:
    value = stored.get(key)
    return value if isinstance(value, str) else ""


def _number(stored: dict[str, Any], key: str) -> float | None:
    value = stored.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def _whole(stored: dict[str, Any], key: str) -> int | None:
    value = stored.get(key)
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole else None
