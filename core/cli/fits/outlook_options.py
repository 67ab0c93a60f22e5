"""Options of the commands that look ahead: forecast and backtest."""

from core.cli.arguments import channel_multiple, money
from core.cli.parts import Add


def add_outlook(add: Add) -> None:
    """Add both commands.

    Args:
        add: Makes the parser of a command from its name, function and purpose.
    """
    _add_forecast(add)
    _add_backtest(add)


def _add_forecast(add: Add) -> None:
    ahead = add(
        "forecast",
        "fits.forecast:forecast_command",
        "forecast the KPI of the next periods",
    )
    ahead.add_argument("run", metavar="RUN")
    ahead.add_argument(
        "--periods", type=int, metavar="N", help="how many (26, or what the data allow)"
    )
    ahead.add_argument(
        "--media",
        metavar="PLAN.csv",
        help="media, spend and controls to come; the rest is as a year earlier",
    )
    ahead.add_argument(
        "--plan",
        metavar="PLAN",
        help="follow a saved plan (its name, id or file): how much of each channel's "
        "media runs, in its periods",
    )
    ahead.add_argument(
        "--multiply",
        type=channel_multiple,
        metavar="CHANNEL=X",
        action="append",
        default=[],
        help="multiply a channel's media and spend",
    )
    ahead.add_argument(
        "--goal", type=money, metavar="X", help="report the odds of reaching X"
    )
    ahead.add_argument("--out", metavar="FILE.csv", help="write the periods")


def _add_backtest(add: Add) -> None:
    back = add(
        "backtest",
        "fits.backtest:backtest_command",
        "measure forecasts against the past",
    )
    back.add_argument("project", metavar="PROJECT")
    back.add_argument("--folds", type=int, default=4, metavar="N", help="origins (4)")
    back.add_argument(
        "--horizon", type=int, default=8, metavar="N", help="periods of a forecast (8)"
    )
    back.add_argument(
        "--chains", type=int, default=2, metavar="N", help="of each fit (2)"
    )
    back.add_argument(
        "--draws", type=int, default=250, metavar="N", help="of each chain (250)"
    )
    back.add_argument(
        "--seed", type=int, default=1, metavar="N", help="of all randomness (1)"
    )
    back.add_argument(
        "--no-knots", action="store_true", help="leave out the comparison with knots"
    )
    back.add_argument(
        "--refresh",
        action="store_true",
        help="also how far results move when the last 4, 8 and 12 periods are dropped",
    )
    back.add_argument("--out", metavar="FILE.json", help="write the result")
