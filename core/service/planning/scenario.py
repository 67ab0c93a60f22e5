"""What a scenario says of channels, geos and weeks, as tables and back."""

from core.plan.limits.cents import step, whole, with_total
from core.plan.limits.stated import StatedRow, as_row, stated
from core.plan.response.price import evaluated
from core.plan.scenario.geos import geo_request, with_totals
from core.plan.scenario.reserved import as_rows
from core.plan.scenario.table import (
    as_table,
    beliefs_of,
    beliefs_table,
    find_in,
    find_table,
    groups_of,
    groups_table,
    of_table,
)
from core.plan.scenario.week_limits import cells_of, own_budget
from core.plan.scenario.weeks import MOST_WEEKS, week_request
