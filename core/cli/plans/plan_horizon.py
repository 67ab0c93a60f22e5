"""The horizon of a plan, as options."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.service.records.plan import HorizonWish


def add_horizon(plan: argparse.ArgumentParser) -> None:
    """The periods of a plan, as flags."""
    plan.add_argument(
        "--periods",
        type=int,
        metavar="N",
        help="how many periods to plan (default: a year)",
    )
    plan.add_argument(
        "--from",
        dest="start",
        metavar="DATE",
        help="begin with the first period that starts on this day or later (the first "
        "after the data)",
    )
    plan.add_argument(
        "--as-fitted",
        action="store_true",
        help="plan the data's own periods instead, as Meridian's optimiser does",
    )


def horizon(options: argparse.Namespace) -> "HorizonWish | None":
    """The periods that flags ask for; None where they say nothing."""
    from core.service.records.plan import HorizonWish

    asked = HorizonWish(options.periods, options.start, options.as_fitted)
    return None if asked == HorizonWish() else asked
