"""The record of a plan and its parts, for faces that name their types."""

from core.plan.limits.channels import DEFAULT_BOUNDS, Group
from core.plan.record.actuals import PlanBesideActuals
from core.plan.record.plan_record import (
    PlanRecord,
    as_dict,
    as_record,
    in_same_periods,
    with_details,
)
from core.plan.response.belief import Belief, believed
from core.plan.response.curves import ResponseCurves, response_curves
from core.plan.response.geos import GeoResponse, geo_response
from core.plan.response.periods import Horizon
from core.plan.scenario.find import Find
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.horizon import HorizonRequest, horizon_request
from core.plan.scenario.measure import goal_of
from core.plan.scenario.reserved import Reserved
from core.plan.scenario.scenario import Scenario
