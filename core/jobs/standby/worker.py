"""A worker that stands by.

    python -m core.jobs.standby.worker HOME DOOR RUN imports|practice

It sets JAX up as RUN needs it and imports what such a run does; for practice, what
every kind of run does, and practises on RUN where that is a finished fit. Then it waits
at the socket DOOR for a run, and is the worker of that one from then on.
"""

import gc
import importlib
import logging
import os
import socket
import sys
import time
import traceback
from pathlib import Path

from core.jobs import memory, worker
from core.jobs.standby import handover
from core.jobs.standby.keeping import PRACTICE
from core.store.stored import read_object

_LOG = logging.getLogger(__name__)


def main(arguments: list[str]) -> int:
    """Stand by, and do the run that comes."""
    _, number, example, ahead = arguments
    os.set_inheritable(int(number), False)
    door = socket.socket(fileno=int(number))
    started = time.monotonic()
    try:
        _prepare(Path(example), door, practises=ahead == PRACTICE)
        _LOG.info("ready after %.1f s", time.monotonic() - started)
    except Exception:  # a run will say it in words, if it holds for that one too
        traceback.print_exc()
    request = handover.receive(door)
    if request is None:
        return 0
    run, _ = request  # the lock is held for as long as this process lives
    handover.write_into(run / "log.txt")
    return worker.main([str(run)])


def _prepare(example: Path, door: socket.socket, *, practises: bool) -> None:
    """Import, and practise on a run."""
    about = read_object(example / "run.json")
    worker.set_up(about)
    if not practises:
        importlib.import_module(worker.module_of(about))
        return
    for module in worker.modules(about):
        importlib.import_module(module)
    if worker.module_of(about) == worker.FIT:
        from core.jobs.tasks.practice import practise  # noqa: PLC0415  after set_up

        practise(example, lambda: handover.has_news(door))
    gc.collect()
    memory.give_back()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
