"""Handing a run, and the lock on it, to a process that stands by for it.

    server ──▶ supervisor on standby ──▶ worker on standby

Each arrow is a pair of sockets between a process and its child. The end of one is the
end of the other's wait: what stands by for a process that is gone ends too. Standard
library only: the supervisor uses it.
"""

import contextlib
import os
import select
import socket
from pathlib import Path

#: Bytes of a request: the path of a run, and a line's end.
_LONGEST = 8192
_TAKEN = b"y"


def send(door: socket.socket, run: Path, lock: int) -> None:
    """Hand a run over.

    Args:
        door: To the process on standby.
        run: The run directory.
        lock: Descriptor that holds its lock; the other process gets one of its own.

    Raises:
        OSError: The other process is gone.
    """
    socket.send_fds(door, [os.fsencode(run) + b"\n"], [lock])


def receive(door: socket.socket) -> tuple[Path, int] | None:
    """Wait for a run; None when the process at the other end is gone.

    Returns:
        The run directory, and a descriptor that holds its lock.
    """
    text, handles = b"", []
    while not text.endswith(b"\n"):
        with contextlib.suppress(ConnectionError):
            more, received, _, _ = socket.recv_fds(door, _LONGEST, 1)
            handles += received
            if more:
                text += more
                continue
        break
    for handle in handles:
        os.set_inheritable(handle, False)
    if not text.endswith(b"\n") or len(handles) != 1:
        for handle in handles:
            os.close(handle)
        return None
    return Path(os.fsdecode(text.removesuffix(b"\n"))), handles[0]


def has_news(door: socket.socket, seconds: float = 0.0) -> bool:
    """Whether a run was handed over, or the other process is gone."""
    return bool(select.select([door], [], [], seconds)[0])


def confirm(door: socket.socket) -> None:
    """Say that the run was taken, and hear no more of the other process."""
    with contextlib.suppress(OSError):
        door.sendall(_TAKEN)
    door.close()


def is_confirmed(door: socket.socket, seconds: float) -> bool:
    """Whether the other process takes the run that was sent, in so many seconds."""
    door.settimeout(seconds)
    try:
        return door.recv(1) == _TAKEN
    except OSError:
        return False


def write_into(log: Path) -> None:
    """Have what this process prints from now on in the log of a run."""
    with contextlib.suppress(OSError), open(log, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
