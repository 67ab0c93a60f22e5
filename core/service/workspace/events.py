"""What happens, told to whoever gathers the logs of a server; loads no table."""

from core.jobs.operation.event_log import event
from core.store.atomic import changes
