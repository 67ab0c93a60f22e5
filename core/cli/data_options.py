"""Options of check, init and update: which files, and what a table leaves open."""

import argparse
from collections.abc import Callable

from core.cli.layout_options import add_layout, add_parts

_Add = Callable[..., argparse.ArgumentParser]


def add_data(add: _Add) -> None:
    """Add the commands that begin with a table."""
    check = add("check", "data:check", "list what is wrong with the data")
    check.add_argument("sources", metavar="PROJECT_OR_CSV", nargs="+")
    init = add("init", "data:init", "make a project from one table, or from several")
    init.add_argument("sources", metavar="DATA.csv", nargs="+")
    init.add_argument("--out", metavar="PROJECT", required=True)
    update = add("update", "update:update", "give a project next month's files")
    update.add_argument("project", metavar="PROJECT")
    update.add_argument("sources", metavar="DATA.csv", nargs="+")
    add_parts(update)
    for command in (check, init):
        command.add_argument("--kpi", metavar="COLUMN", help="the column of the KPI")
        command.add_argument("--currency", metavar="CODE", help="of spend and revenue")
        add_layout(command)
