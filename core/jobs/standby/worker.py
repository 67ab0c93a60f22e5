"""A worker that stands by.

    python -m core.jobs.standby.worker HOME DOOR ABOUT [RUN]

It sets JAX up as runs need it whose kind and sampler ABOUT says, imports what such a
run does, and starts JAX's devices. With a RUN it imports what every kind of run does,
and practises on that one where it is a finished fit. Then it waits at the socket DOOR
for a run, and is the worker of that one from then on.
"""

import gc
import json
import logging
import os
import socket
import sys
import time
import traceback
from pathlib import Path

from core.fit.devices import describe_device
from core.jobs import memory, worker
from core.jobs.standby import handover
from core.process import importing, leave
from core.store.run_about import RunAbout, about_of

_LOG = logging.getLogger(__name__)


def main(arguments: list[str]) -> int:
    """Stand by, and do the run that comes."""
    _, number, about, *example = arguments
    os.set_inheritable(int(number), False)
    door = socket.socket(fileno=int(number))
    started = time.monotonic()
    try:
        _prepare(about_of(json.loads(about)), *map(Path, example), door=door)
        _LOG.info("ready after %.1f s", time.monotonic() - started)
    except Exception:  # a run will say it in words, if it holds for that one too
        traceback.print_exc()
    request = handover.receive(door)
    if request is None:
        return 0
    run, _ = request  # the lock is held for as long as this process lives
    handover.confirm(door)
    handover.write_into(run / "log.txt")
    return worker.main([str(run)])


def _prepare(
    about: RunAbout, example: Path | None = None, *, door: socket.socket
) -> None:
    """Import, and practise on a run."""
    worker.set_up(about)
    with importing():
        ahead = [worker.module_of(about)] if example is None else worker.modules(about)
        for module in ahead:
            worker.imported(module)
    if example is None:
        if "jax" in sys.modules:
            describe_device()  # it takes its time the first time
        return
    if worker.module_of(about) == worker.FIT:
        from core.jobs.tasks.practice import practise  # noqa: PLC0415  after set_up

        practise(example, lambda: handover.has_news(door))
    gc.collect()
    memory.give_back()


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
