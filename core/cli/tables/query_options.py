"""Options of check and init: a table from a query, with or without files beside it."""

import argparse


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
