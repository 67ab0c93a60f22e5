"""Options of check, init and update: files, a query, and what a table leaves open."""

import argparse

from core.cli.parts import Add, takes
from core.cli.tables.layout_options import add_again, add_layout, add_part, add_start
from core.text.languages.locale import LOCALES, STANDARD


def add_data(add: Add) -> None:
    """Add the commands that begin with a table."""
    check = add("check", "tables.data:check", "list problems in the data")
    check.add_argument("sources", metavar="PROJECT_OR_CSV", nargs="*")
    init = add(
        "init", "tables.data:init", "create a project from one or several tables"
    )
    init.add_argument("sources", metavar="DATA.csv", nargs="*")
    init.add_argument(
        "--out", metavar="PROJECT", required=True, help="the new project's folder"
    )
    update = add(
        "update",
        "tables.update:update",
        "load next month's files, or run the query again",
    )
    update.add_argument("project", metavar="PROJECT")
    update.add_argument("sources", metavar="DATA.csv", nargs="*")
    add_part(update, "files")
    add_start(update)
    add_again(update)
    for command in (check, init):
        add_part(command, "table")
        add_query(command)
        add_part(command, "reading")
        add_layout(command)
        add_start(command)
    add_part(init, "roles")
    init.add_argument(
        "--locale",
        choices=tuple(LOCALES),
        default=STANDARD,
        help="how numbers, money and dates of the project are written, everywhere: "
        f"{', '.join(LOCALES)} (default {STANDARD})",
    )


def add_query(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = command.add_argument_group(
        "query", "a table from where data live (needs requirements-duckdb.txt)"
    )
    takes(
        group,
        {
            "--query SQL": "one SELECT over files and databases: FROM 'sales/*.csv'",
            "--database NAME=KIND:PLACE ...": "a database of the query: "
            "costs=sqlite:costs.sqlite, plan=excel:plan.xlsx, shop=postgres:SECRET or "
            "mysql:SECRET, where SECRET is the name of the environment variable or "
            "Streamlit secret with its connection string",
        },
    )
