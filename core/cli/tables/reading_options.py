"""Answers on the command line to what a table leaves open: --decimal and --dates."""

import argparse
from typing import get_args

from core.service.records.columns import DateReading, Decimal


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
