"""The queue: at most so many runs at once, the others in order, without a daemon.

A waiting run has a ticket in `queue/<lane>/`, numbered in the order of submission; a
working run holds a slot, which is a locked file. A ticket whose run nobody holds is
dead and is thrown away by the next in line. So two servers on one workspace, or a
crash of any of them, leave nothing to repair. Standard library only.
"""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from core.jobs.resources import Lane, slots
from core.store.atomic import make_folder, write_bytes
from core.store.locks import alone, hold, is_held
from core.store.places import queue_folder
from core.store.stored import read_regular

_TICKET = re.compile(r"[0-9]{10}")
#: Bytes of a ticket: the path of a run.
_LONGEST = 8192


@dataclass(frozen=True)
class Slot:
    """A place at work, held for as long as `handle` is open."""

    number: int
    handle: int

    def leave(self) -> None:
        """Give the place to the next in line."""
        os.close(self.handle)


@dataclass(frozen=True)
class Load:
    """What a lane has to do.

    Attributes:
        waiting: Runs in line.
        working: Runs in progress.
        places: Runs that may work at once.
    """

    waiting: int
    working: int
    places: int


def load(lane: Lane) -> Load:
    """How many runs of a lane wait and work."""
    folder = queue_folder() / lane
    return Load(
        waiting=sum(_is_live(ticket) for ticket in _tickets(folder)),
        working=sum(is_held(slot) for slot in folder.glob("slot-*.lock")),
        places=slots(lane),
    )


def join(lane: Lane, run: Path) -> Path:
    """Draw a ticket for a run whose lock is held; the one it has, if it has one.

    Raises:
        WorkspaceError: The workspace cannot be written.
    """
    folder = make_folder(queue_folder() / lane)
    with alone(folder):
        tickets = _tickets(folder)
        for ticket in tickets:
            if _run_of(ticket) == run:
                return ticket
        number = int(tickets[-1].name) + 1 if tickets else 1
        ticket = folder / f"{number:010d}"
        # Not fsynced: after a crash of the machine no run of the queue is left alive
        # anyway.
        write_bytes(ticket, os.fsencode(run), durable=False)
        return ticket


def leave(ticket: Path) -> None:
    """Throw a ticket away."""
    with contextlib.suppress(OSError):
        ticket.unlink(missing_ok=True)


def take_slot(lane: Lane, ticket: Path) -> Slot | None:
    """A free slot, if this ticket is the first in line; None to wait on.

    The ticket is used up by it.

    Raises:
        WorkspaceError: The workspace cannot be written.
    """
    folder = ticket.parent
    if _waits_behind(ticket):
        return None
    with alone(folder):
        if _waits_behind(ticket):
            return None
        for number in range(slots(lane)):
            handle = hold(folder / f"slot-{number}.lock")
            if handle is not None:
                leave(ticket)
                return Slot(number, handle)
    return None


def _waits_behind(ticket: Path) -> bool:
    """Whether another live run is ahead; dead ones in between are thrown away."""
    # From the nearest: a long line is mostly live, so the first look usually answers.
    for other in reversed(_ahead(ticket)):
        if _is_live(other):
            return True
        leave(other)
    return False


def position(lane: Lane, run: Path) -> int | None:
    """A waiting run's place in line, from one; None if it does not wait."""
    folder = queue_folder() / lane
    for ticket in _tickets(folder):
        if _run_of(ticket) == run:
            return 1 + sum(_is_live(other) for other in _ahead(ticket))
    return None


def _tickets(folder: Path) -> list[Path]:
    try:
        names = sorted(name for name in os.listdir(folder) if _TICKET.fullmatch(name))
    except OSError:
        return []
    return [folder / name for name in names]


def _ahead(ticket: Path) -> list[Path]:
    return [other for other in _tickets(ticket.parent) if other.name < ticket.name]


def _run_of(ticket: Path) -> Path | None:
    try:
        text = os.fsdecode(read_regular(ticket, most=_LONGEST))
    except (OSError, ValueError):
        return None
    return Path(text) if text else None


def _is_live(ticket: Path) -> bool:
    run = _run_of(ticket)
    return run is not None and is_held(run / "lock")
