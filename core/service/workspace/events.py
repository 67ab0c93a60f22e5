"""What happens, told to whoever gathers the logs of a server; loads no table."""

from core.jobs.operation.event_log import event
from core.store.atomic import changes


def n_writes() -> int:
    """How often this thread has written into a workspace, to see if an action did."""
    return changes()
