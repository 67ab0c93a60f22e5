"""Records of forecasts, for faces."""

from core.analysis.ahead.outlook import GoalOdds, Outlook, Period
