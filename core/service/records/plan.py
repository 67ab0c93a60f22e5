"""The record of a plan and its parts, for faces that name their types."""

from core.plan.record.actuals import ChannelChanges, PlanBesideActuals
from core.plan.record.channels import Plan
from core.plan.record.parts import Cell, Line
from core.plan.record.plan_record import PlanRecord, as_dict, as_record, with_details
from core.plan.response.belief import Belief, believed
from core.plan.response.periods import Horizon
from core.plan.scenario.horizon import HorizonWish, horizon_wish

__all__ = [
    "Belief",
    "believed",
    "ChannelChanges",
    "PlanBesideActuals",
    "Cell",
    "Horizon",
    "HorizonWish",
    "Line",
    "Plan",
    "PlanRecord",
    "as_dict",
    "as_record",
    "horizon_wish",
    "with_details",
]
