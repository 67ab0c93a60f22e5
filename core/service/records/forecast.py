"""Records of forecasts, for faces."""

from core.analysis.ahead.outlook import GoalOdds, Outlook, Period

__all__ = ["GoalOdds", "Outlook", "Period"]
