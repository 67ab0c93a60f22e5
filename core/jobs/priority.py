"""Priority: runs give way to the screens that show them. Standard library only."""

import contextlib
import os
import time

#: A run's niceness: beside somebody who clicks it gets a tenth of a core, else all.
NICENESS = 10

_GROUP = "/proc/self/autogroup"
_TRIES, _PAUSE = 5, 0.05


def give_way() -> None:
    """Lower the priority of this process, the first of its session.

    Where Linux shares the processor between sessions (autogroup, the default of
    desktops) niceness counts within a session only, so the session gets it too.
    """
    os.nice(NICENESS)
    for _ in range(_TRIES):  # Linux takes one such request in a tenth of a second
        with contextlib.suppress(OSError):
            group = os.open(_GROUP, os.O_WRONLY)
            try:
                os.write(group, str(NICENESS).encode())
            finally:
                os.close(group)
            return
        if not os.path.exists(_GROUP):
            return
        time.sleep(_PAUSE)
