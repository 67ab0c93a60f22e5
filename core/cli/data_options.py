"""Options of check and init: which table, and the answers that it does not give."""

import argparse
from collections.abc import Callable
from typing import get_args

from core.cli.reading_options import add_answers
from core.data.mapping import SpendUnit


def add_data(add: Callable[..., argparse.ArgumentParser]) -> None:
    """`check` and `init`, and what somebody can answer beforehand."""
    check = add("check", "data:check", "list what is wrong with the data")
    check.add_argument("source", metavar="PROJECT_OR_CSV")
    init = add("init", "data:init", "make a project from a table")
    init.add_argument("source", metavar="DATA.csv")
    init.add_argument("--out", metavar="PROJECT", required=True)
    for command in (check, init):
        add_answers(command)
    init.add_argument(
        "--currency",
        help="of spend and revenue, such as EUR; else the one that the table names",
    )
    init.add_argument(
        "--kpi",
        metavar="COLUMN",
        help="the column to explain, where the guess is another one",
    )
    init.add_argument(
        "--kpi-is",
        choices=("money", "count"),
        help="whether the KPI is money or a count; else guessed from its name",
    )
    init.add_argument(
        "--control",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a control that the guess leaves out; may be repeated",
    )
    init.add_argument(
        "--ignore",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a control that the guess should not use; may be repeated",
    )
    init.add_argument(
        "--events",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column of text whose values are events of the model",
    )
    init.add_argument(
        "--value", type=float, metavar="X", help="what one unit of the KPI is worth"
    )
    init.add_argument(
        "--spend-unit",
        choices=get_args(SpendUnit),
        help="currency: spend is in the KPI's money; other: thousands, an index, "
        "scaled",
    )
