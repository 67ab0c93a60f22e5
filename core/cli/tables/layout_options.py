"""Options of init, check and update: how files become one table."""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from core.cli.tables.reading_options import add_answers
from core.service.records.columns import (
    MAX_BYTES,
    PERIODS,
    WEEKDAYS,
    Cancelled,
    GeoColumns,
    Overlap,
    WeekDates,
)

if TYPE_CHECKING:
    from core.service.projects.columns import Answers


def add_layout(command: argparse.ArgumentParser) -> None:
    """Add the options that answer what a layout leaves open."""
    group = command.add_argument_group(
        "layout", "how the files become one table; each has a guess, which is printed"
    )
    group.add_argument(
        "--channel-by",
        metavar="COLUMN",
        action="append",
        default=[],
        help="one channel per value of this column; may be given several times",
    )
    group.add_argument(
        "--first-word",
        action="store_true",
        default=None,
        help="only the first word of that name",
    )
    group.add_argument(
        "--pattern",
        metavar="REGEX",
        help="the channel is what the first group matches: '^([a-z]+)_'",
    )
    group.add_argument(
        "--group",
        metavar="CHANNEL=NAME,NAME*",
        type=_group,
        action="append",
        default=[],
        help="put campaigns together by hand; * stands for any text",
    )
    group.add_argument("--period", choices=PERIODS[1:], help="what one row covers")
    group.add_argument("--week-begins", choices=WEEKDAYS, help="(monday)")
    group.add_argument(
        "--sum-geos", action="store_true", help="sum all geos to one market"
    )
    _add_doubts(group)
    _add_places(group)
    _add_rate(group)
    add_parts(group)


def _add_rate(group) -> None:
    """Add what other currencies are worth."""
    group.add_argument(
        "--rate",
        metavar="CODE=X",
        type=_rate,
        action="append",
        default=[],
        help="what one unit of a currency is worth in the project's: USD=0.92",
    )


def _add_doubts(group) -> None:
    """Add the answers to what could count twice, or not at all."""
    group.add_argument(
        "--zero-outside",
        action="store_true",
        help="nothing ran before the first and after the last row of a file of "
        "campaigns; without it those periods are left out",
    )
    _add_twice(group)
    group.add_argument(
        "--week-dates",
        choices=get_args(WeekDates),
        help="the day of its week that a row of a file of weeks is dated with",
    )


def _add_twice(group) -> None:
    """Add the answers to what could count twice."""
    group.add_argument(
        "--overlap",
        choices=get_args(Overlap),
        help="rows that several files have: those of the newest export count, every "
        "file is a platform or country of its own, or all are added",
    )
    group.add_argument(
        "--cancelled",
        choices=get_args(Cancelled),
        help="whether cancelled and refunded orders count",
    )


def add_again(command) -> None:
    """Add the answers to what new files of a project leave open."""
    group = command.add_argument_group("answers")
    _add_twice(group)
    _add_rate(group)
    add_answers(command)


def answers_again(options: argparse.Namespace) -> dict[str, str | None]:
    """What was said of new files of a project."""
    keys = ("overlap", "cancelled", "dates", "decimal")
    return {key: getattr(options, key) for key in keys}


def _add_places(group) -> None:
    """Add the answer to columns that are about one place each."""
    group.add_argument(
        "--geo-columns",
        choices=get_args(GeoColumns),
        help="columns that differ by a place (revenue_Bayern, revenue_Hessen): a row "
        "per place, or columns of their own",
    )


def add_start(command) -> None:
    """Add what dates rows that have none."""
    command.add_argument(
        "--start",
        metavar="DATE",
        help="of the first row, where a table has no dates (arrays of LightweightMMM)",
    )
    command.add_argument(
        "--every", choices=("day", "week", "month"), default="week", help="(week)"
    )


def add_parts(command) -> None:
    """Add the choice of sheets and of files in archives."""
    command.add_argument(
        "--sheet",
        metavar="NAME",
        action="append",
        default=[],
        help="sheet of a workbook, or file in a zip archive",
    )


def answers_of(options: argparse.Namespace) -> "Answers":
    """What the options say about the layout."""
    from core.service.projects.columns import Answers

    same = {each.name for each in fields(Answers)} & vars(options).keys()
    stated = {name: getattr(options, name) for name in same}
    stated |= {
        "channel": tuple(options.channel_by),
        "groups": tuple(options.group),
        "geos": "summed" if options.sum_geos else None,
        "outside": "zero" if options.zero_outside else None,
        "rates": tuple(options.rate),
    }
    return Answers(**stated)


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
