"""Plans of weeks for outcome and knowledge, as options."""

import argparse
from typing import Any

from core.errors import PlanError


def add_teach(plan: argparse.ArgumentParser) -> None:
    """Whether a plan of weeks is to teach, at what cost, for how long, as flags."""
    plan.add_argument(
        "--teach",
        action="store_true",
        help="vary spend from week to week so that the next plan knows more; on "
        "simulated markets it neither earned nor taught measurably more within a year "
        "than the plan that only earns",
    )
    plan.add_argument(
        "--teach-cost",
        metavar="SHARE",
        help="most that it may cost, as a share of what media bring (0.5%%)",
    )
    plan.add_argument(
        "--teach-later",
        type=int,
        metavar="N",
        help="later horizons of the same length that use what is learned (1)",
    )
    plan.add_argument(
        "--teach-spread",
        metavar="SHARE",
        help="with several geos, how far a geo's share of a channel's money may differ "
        "from last year's, such as 20%% of it (0%%)",
    )


def teach(options: argparse.Namespace) -> dict[str, Any] | None:
    """What flags ask for; None where they do not ask for teaching.

    Raises:
        PlanError: A cost, a number of horizons or a spread is given without --teach.
    """
    more = {"cost": options.teach_cost, "later": options.teach_later}
    more["spread"] = options.teach_spread
    more = {key: value for key, value in more.items() if value is not None}
    if more and not options.teach:
        flag = f"--teach-{next(iter(more))}"
        raise PlanError(f"{flag} needs --teach.", hint="Add --teach, or leave it out.")
    return more if options.teach else None
