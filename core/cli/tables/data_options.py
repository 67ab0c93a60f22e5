"""Options of check, init and update: files, a query, and what a table leaves open."""

import argparse
from typing import get_args

from core.cli.arguments import money
from core.cli.parts import Add
from core.cli.tables.layout_options import add_again, add_layout, add_parts, add_start
from core.cli.tables.reading_options import add_answers
from core.service.records.columns import SpendUnit
from core.text.locale import LOCALES, STANDARD


def add_data(add: Add) -> None:
    """Add the commands that begin with a table."""
    check = add("check", "tables.data:check", "list problems in the data")
    check.add_argument("sources", metavar="PROJECT_OR_CSV", nargs="*")
    init = add(
        "init", "tables.data:init", "create a project from one or several tables"
    )
    init.add_argument("sources", metavar="DATA.csv", nargs="*")
    init.add_argument("--out", metavar="PROJECT", required=True)
    update = add(
        "update",
        "tables.update:update",
        "load next month's files, or run the query again",
    )
    update.add_argument("project", metavar="PROJECT")
    update.add_argument("sources", metavar="DATA.csv", nargs="*")
    add_parts(update)
    add_start(update)
    add_again(update)
    for command in (check, init):
        command.add_argument(
            "--kpi",
            metavar="COLUMN",
            help="the column to explain, if the guess is wrong",
        )
        command.add_argument(
            "--currency",
            metavar="CODE",
            help="of spend and revenue, such as EUR; else the one that the files name",
        )
        add_query(command)
        add_answers(command)
        add_layout(command)
        add_start(command)
    _add_roles(init)
    init.add_argument(
        "--locale",
        choices=tuple(LOCALES),
        default=STANDARD,
        help="how numbers, money and dates of the project are written, everywhere: "
        f"{', '.join(LOCALES)} (default {STANDARD})",
    )


def _add_roles(init: argparse.ArgumentParser) -> None:
    """What a new project's columns and units are, where the guess is wrong."""
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
        "--paid",
        metavar="COLUMN",
        action="append",
        default=[],
        help="paid exposure without spend: it takes the place of spend, in its own "
        "unit; may be repeated, * stands for any text",
    )
    init.add_argument(
        "--events",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column of text whose values are events of the model",
    )
    init.add_argument(
        "--value", type=money, metavar="X", help="what one unit of the KPI is worth"
    )
    init.add_argument(
        "--spend-unit",
        choices=get_args(SpendUnit),
        help="currency: spend is in the KPI's money; other: thousands, an index, "
        "scaled",
    )


def add_query(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = command.add_argument_group(
        "query", "a table from where data live (needs requirements-duckdb.txt)"
    )
    group.add_argument(
        "--query",
        metavar="SQL",
        help="one SELECT over files and databases: FROM 'sales/*.csv'",
    )
    group.add_argument(
        "--database",
        metavar="NAME=KIND:PLACE",
        action="append",
        default=[],
        help="a database of the query: costs=sqlite:costs.sqlite, "
        "plan=excel:plan.xlsx, shop=postgres:SECRET or mysql:SECRET, where SECRET is "
        "the name of the environment variable or Streamlit secret with its connection "
        "string",
    )
