"""A Dask cluster as the place where runs work: its address, and what runs there.

    server, command line      python -m core.jobs.keeper     a worker of the cluster
    submit ──────────────────▶ task on the scheduler ───────▶ run_supervised
    cancel: a file in the run directory, seen by the supervisor there
    progress, log, result: files in the run directory, which all of them share

The keeper holds `cluster.lock` of its runs for as long as the cluster has them, so
that liveness is a held lock here too. Whoever works on a run holds `lock`, as ever.
Needs the package distributed on both sides, and Mixwright on the workers.
"""

import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from core import to_install
from core.errors import WorkspaceError
from core.jobs import memory
from core.jobs.resources import lane_of, python_path
from core.store.places import home
from core.store.run_about import RunAbout
from core.store.run_state import read_status

VARIABLE = "MIXWRIGHT_DASK_SCHEDULER"
#: Number of the process that a supervisor on the cluster ends with.
PARENT_VARIABLE = "MIXWRIGHT_PARENT"

_NOT_HANDED_ON = (VARIABLE, PARENT_VARIABLE, "MIXWRIGHT_RUN_LOCK")


def address() -> str:
    """Address of the cluster's scheduler; empty where there is none."""
    return os.environ.get(VARIABLE, "").strip()


def check() -> str:
    """The address of the cluster, if runs can be sent to it.

    Raises:
        WorkspaceError: No address is set, or distributed is not installed.
    """
    if not address():
        raise WorkspaceError(
            "There is no Dask cluster to send runs to.",
            hint=f"Set {VARIABLE} to its scheduler's address, like tcp://host:8786.",
        )
    if importlib.util.find_spec("distributed") is None:
        raise WorkspaceError(
            f"{VARIABLE} is set, but the package distributed is not installed.",
            hint=f"{to_install('dask')} Or leave the variable out.",
        )
    return address()


def needs(about: RunAbout) -> dict[str, float]:
    """The resources that a Dask worker must have free for a run.

    GPU=1 for a fit whose device is `gpu`; MEMORY, in bytes, where
    MIXWRIGHT_MEMORY_LIMIT says how much a worker may take.

    Args:
        about: The run's run.json.
    """
    needed = {}
    if lane_of(about) == "gpu":
        needed["GPU"] = 1.0
    size = memory.in_bytes(os.environ.get(memory.VARIABLE, ""))
    if size:
        needed["MEMORY"] = float(size)
    return needed


def handed_on() -> dict[str, str]:
    """Variables of the one who submits that hold on the cluster too."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("MIXWRIGHT_") and name not in _NOT_HANDED_ON
    }
    return variables | {"MIXWRIGHT_HOME": str(home())}


def run_supervised(run: str, variables: Mapping[str, str]) -> str:
    """Supervise a run on the Dask worker that this is called on.

    The supervisor is a process of its own; it dies with the Dask worker, and the
    scheduler then gives the run to another, where it goes on from its checkpoint.

    Args:
        run: The run directory, under the path that it has everywhere.
        variables: From `handed_on`.

    Returns:
        The state of the run.

    Raises:
        WorkspaceError: This machine does not see the run directory.
    """
    folder = Path(run)
    if not (folder / "run.json").is_file():
        raise WorkspaceError(
            f"The cluster's worker on {socket.gethostname()} does not see {folder}.",
            hint="The workspace must be a folder that the server and every worker "
            "share under one path.",
            where=run,
        )
    environment = os.environ | dict(variables)
    environment |= {"PYTHONPATH": python_path(), PARENT_VARIABLE: str(os.getpid())}
    with open(folder / "log.txt", "ab") as log:
        subprocess.run(
            [sys.executable, "-P", "-m", "core.jobs.supervisor", run],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
            check=False,
        )
    return read_status(folder).state
