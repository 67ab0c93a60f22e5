"""Records of forecasts, for faces."""

from core.analysis.ahead.outlook import (
    GoalOdds,
    Outlook,
    Period,
    goal_odds,
    outlook,
    replanned,
)
from core.plan.response.periods import horizon_to_come
