"""Records of backtests, for faces."""

from core.analysis.ahead.backtest_record import BacktestRecord
