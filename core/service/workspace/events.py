"""What happens, told to whoever gathers the logs of a server; loads no table."""

from core.jobs.operation.event_log import event

__all__ = ["event"]
