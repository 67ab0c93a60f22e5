"""What is asked of a plan and of its limits, for faces that offer it."""

from core.plan.limits.asked import (
    CONTROLS,
    SWITCHES,
    Asked,
    Over,
    Switches,
    of_flags,
    of_table,
)
from core.plan.limits.stated import FIELDS, FLAGS
