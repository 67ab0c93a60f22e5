"""How a run stands, for screens and the command line."""

from dataclasses import replace
from pathlib import Path

from core.jobs import queue
from core.jobs.resources import lane_of
from core.store.run_about import read_about
from core.store.run_state import RunStatus, read_status


def status(run: Path) -> RunStatus:
    """The status of a run, with its place in the queue where it waits."""
    current = read_status(run)
    if current.state != "queued" or current.message:  # a message: a cluster has it
        return current
    lane = lane_of(read_about(run))
    return replace(current, position=queue.position(lane, run.resolve()))
