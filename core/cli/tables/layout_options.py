"""Options of init, check and update: files, a query, and how they become one table."""

import argparse
from pathlib import Path
from typing import Any

from core.cli.arguments import money_or_column
from core.cli.parts import Add, takes
from core.service.records.columns import (
    AGAIN,
    FIELDS,
    MAX_BYTES,
    Field,
    Part,
    StatedColumns,
)
from core.text.languages.locale import LOCALES, STANDARD


def add_layout(command: argparse.ArgumentParser) -> None:
    """Add the options that answer what a layout leaves open."""
    group = command.add_argument_group(
        "layout", "how the files become one table; each has a guess, which is printed"
    )
    for part in ("layout", "twice", "rates", "files"):
        add_part(group, part)


def add_again(command: argparse.ArgumentParser) -> None:
    """Add the answers to what new files of a project leave open."""
    group = command.add_argument_group("answers")
    add_part(group, "twice")
    add_part(group, "rates")
    add_part(command, "reading")


def answers_again(options: argparse.Namespace) -> dict[str, str | None]:
    """What was said of new files of a project."""
    return {each.name: getattr(options, each.name) for each in AGAIN}


def add_start(command: argparse.ArgumentParser) -> None:
    """Add what dates rows that have none."""
    command.add_argument(
        "--start",
        metavar="DATE",
        help="of the first row, where a table has no dates (arrays of LightweightMMM)",
    )
    command.add_argument("--every", choices=("day", "week", "month"), default="week")


def add_part(command, part: Part) -> None:
    """Add the options of one part of what may be stated of files."""
    for field in FIELDS:
        if field.part == part:
            command.add_argument(f"--{field.name.replace('_', '-')}", **_how(field))


def _how(field: Field) -> dict[str, Any]:
    """How an option is read, and its help."""
    how: dict[str, Any] = {"help": field.about}
    if field.choices:
        return how | {"choices": field.choices}
    if not field.metavar:
        return how | {"action": "store_true", "default": field.default}
    how |= {"metavar": field.metavar, "type": _READ.get(field.name)}
    if field.default is None:
        return how
    about = f"{field.about}; may be repeated"
    return how | {"help": about, "action": "append", "default": []}


def stated(options: argparse.Namespace) -> StatedColumns:
    """What the options say of files; a command may have fewer than all."""
    names = {each.name for each in FIELDS} & vars(options).keys()
    return StatedColumns(**{name: getattr(options, name) for name in names})


def split_models(names: list[str]) -> tuple[list[Path], list[str]]:
    """Model files of other programs, and the other files."""
    from core.service.data.elsewhere import is_model_file
    from core.service.places import typed_path

    models, others = [], []
    for name in names:
        path = typed_path(name)
        is_model = is_model_file(path.name) and path.is_file()
        if is_model and path.stat().st_size < MAX_BYTES:
            models.append(path)
        else:
            others.append(name)
    return models, others


def _group(text: str) -> tuple[str, tuple[str, ...]]:
    name, _, globs = text.partition("=")
    parts = tuple(part.strip() for part in globs.split(",") if part.strip())
    if not name.strip() or not parts:
        raise argparse.ArgumentTypeError(f"{text!r} is not like Brand=brand*,Marke*")
    return name.strip(), parts


def _rate(text: str) -> tuple[str, float]:
    code, _, number = text.partition("=")
    try:
        rate = float(number)
    except ValueError:
        rate = 0.0
    if not code.strip() or not 0 < rate < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not like USD=0.92")
    return code.strip().upper(), rate


#: How the values of options are read that are more than words.
_READ = {"group": _group, "rate": _rate, "value": money_or_column}


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
        "tables.data:update",
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
