"""The keeper of runs on a cluster: `python -m core.jobs.keeper HANDLE=RUN_DIR ...`.

It sends runs to the Dask scheduler, holds `cluster.lock` of each until the cluster
has done with it, and says what went wrong where no supervisor could. When it ends,
runs that wait are lost (and can be resumed); those at work go on to their end.
"""

import contextlib
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Any

from core.jobs import cluster
from core.jobs.states import NEVER_STARTED
from core.store.locks import hold, is_held
from core.store.run_about import read_about
from core.store.run_state import FINAL, State, stored_state, write_state

_LOOK = 0.25  # seconds between two looks at the runs

_RESUME = "Resume the run; a fit goes on from its last checkpoint."


class Kept:
    """One run that the cluster has.

    Args:
        run: The run directory.
        handle: Descriptor that holds its `cluster.lock`.
        future: What the cluster has promised.
    """

    def __init__(self, run: Path, handle: int, future: Any):
        self.run, self.handle, self.future = run, handle, future

    def has_ended(self) -> bool:
        """Whether the cluster has done with the run; says why if nobody else did."""
        if stored_state(self.run) in FINAL:
            return True
        if is_held(self.run / "lock"):
            return False
        if (self.run / "cancel").exists():
            say(self.run, "cancelled", NEVER_STARTED)
            return True
        if self.future.status == "error":
            state, message, hint = _reason(self.future.exception())
            say(self.run, state, message, hint)
        return self.future.done()

    def let_go(self) -> None:
        """Take the run off the cluster, and off the list of those that live."""
        self.future.cancel()
        os.close(self.handle)


def say(run: Path, state: State, message: str, hint: str = "") -> None:
    """Write the last word of a run that no supervisor has."""
    lock = hold(run / "lock", patience=1.0)
    if lock is None:
        return
    try:
        if stored_state(run) not in FINAL:
            write_state(run, state, message=message, hint=hint)
    finally:
        os.close(lock)


def _reason(error: BaseException | None) -> tuple[State, str, str]:
    """State, message and hint of a run that the cluster could not do."""
    name, text = type(error).__name__, str(error)
    if name == "KilledWorker":
        message = "The cluster's worker ended under the run, again and again."
        return "killed", message, f"Most often that means memory ran out. {_RESUME}"
    if isinstance(error, ImportError):
        return (
            "failed",
            f"The cluster's workers cannot load Mixwright: {text}.",
            "Install the same version of Mixwright on every worker.",
        )
    hint = getattr(error, "hint", "") or "The log of the Dask worker may say more."
    message = getattr(error, "message", "") or f"The cluster failed: {name}: {text}"
    return "failed", message, hint


def keep(runs: dict[Path, int]) -> None:
    """Send runs to the cluster and wait until it has done with all of them.

    Args:
        runs: Each with the descriptor that holds its `cluster.lock`.
    """
    from distributed import Client

    with Client(cluster.address()) as client:
        waiting = []
        for run, handle in runs.items():
            future = client.submit(
                cluster.run_supervised,
                str(run),
                cluster.handed_on(),
                key=f"mixwright-{run.name}-{secrets.token_hex(4)}",
                resources=cluster.needs(read_about(run)),
                pure=False,
                retries=0,
            )
            waiting.append(Kept(run, handle, future))
        while waiting and client.status != "closed":
            for ended in [each for each in waiting if each.has_ended()]:
                ended.let_go()
                waiting.remove(ended)
            time.sleep(_LOOK)


def main(arguments: list[str]) -> int:
    """Keep the runs given, each as `HANDLE=RUN_DIR`."""
    pairs = [argument.partition("=") for argument in arguments]
    runs = {Path(run): int(handle) for handle, _, run in pairs}
    for handle in runs.values():
        os.set_inheritable(handle, False)
    try:
        keep(runs)
    except OSError as error:  # the scheduler did not answer: a TimeoutError too
        for run in runs:
            with contextlib.suppress(Exception):
                say(
                    run,
                    "failed",
                    f"The Dask scheduler at {cluster.address()} did not answer.",
                    f"Check {cluster.VARIABLE} and that the cluster runs. {_RESUME}",
                )
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except Exception as error:  # such as an address that is none
        state, message, hint = _reason(error)
        for run in runs:
            with contextlib.suppress(Exception):
                say(run, state, message, hint)
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
