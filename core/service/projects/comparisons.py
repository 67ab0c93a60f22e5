"""Fits side by side: their numbers, specifications, and forecasts of what came."""

from core.project.comparing.backtests import (
    Backtest,
    list_backtests,
    new_backtest,
    read_backtest,
)
from core.project.comparing.comparison import compare_runs
from core.project.comparing.specifications import compare_specifications
