"""Answers on the command line to what a table leaves open: --decimal and --dates."""

import argparse
from typing import TYPE_CHECKING, get_args

from core.data.mapping import ColumnMapping, DateReading, Decimal

if TYPE_CHECKING:
    import pandas as pd


def add_answers(command: argparse.ArgumentParser) -> None:
    """Add the options."""
    command.add_argument(
        "--decimal",
        choices=get_args(Decimal),
        help="the decimal sign of numbers such as 12.345 that are ambiguous",
    )
    command.add_argument(
        "--dates",
        choices=get_args(DateReading),
        help="how to read dates such as 03/04/2021 or 202301 that are ambiguous",
    )


def with_answers(
    frame: "pd.DataFrame", mapping: ColumnMapping, options: argparse.Namespace
) -> ColumnMapping:
    """The mapping with the answers that the command line gives to its questions."""
    from core.data.reading.doubts import answered, questions

    doubts = questions(frame, mapping)
    answers = {
        question.column: options.dates
        if question.column == mapping.time
        else options.decimal
        for question in doubts
    }
    return answered(mapping, doubts, answers)
