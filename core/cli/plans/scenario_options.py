"""Options of a plan, as flags: its periods, limits, tests, and what it teaches."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.cli.arguments import (
    channel_amounts,
    channel_multiple,
    channel_range,
    lock,
    money,
    multiples,
)
from core.errors import PlanError
from core.service.planning.bounds import FIELDS
from core.service.planning.switches import SWITCHES

if TYPE_CHECKING:
    from core.service.records.plan import HorizonRequest


#: Limits of single channels that set both ends: flag, type, what it is.
_ENDS = (
    ("limit", channel_range, "limits of one channel, as multiples"),
    (
        "limit-money",
        channel_amounts,
        "limits of one channel, in currency (TV=5M:12M)",
    ),
)


def _best(text: str) -> tuple[str, str]:
    """A channel that is bought at its best frequency."""
    return text, "best"


#: How the value of the flag of a field is read.
_READ = {
    "locked": lock,
    "gamma": channel_multiple,
    "price": channel_multiple,
    "frequency": _best,
}
#: Multiples of today's spend of all channels or geos.
_RANGES = {
    "bounds": "limits of every channel, as multiples of its spend in the same periods "
    "last year (0.7:1.3)",
    "geo-bounds": "limits of every channel in every geo, as multiples of what it "
    "spends there (0.5:2)",
    "geo-totals": "limits of every geo's total, as multiples (none)",
}


def add_limits(plan: argparse.ArgumentParser) -> None:
    """Limits of channels, as flags."""
    _add_ranges(plan, "bounds")
    for flag, kind, about in _ENDS:
        _add_repeated(plan, flag, kind, "CHANNEL=LOW:HIGH", about)
    _add_fields(plan, "locked", "gamma")


def add_buying(plan: argparse.ArgumentParser) -> None:
    """What media cost and how reach is bought, and what an outcome is worth."""
    _add_fields(plan, "price")
    about = (
        "pay for what channels make be spent on a mediator of a funnel, of which a "
        "share X is bought (1: as now)"
    )
    _add_repeated(plan, "bought", channel_multiple, "MEDIATOR=X", about)
    _add_fields(plan, "frequency")
    plan.add_argument(
        "--margin",
        type=money,
        metavar="X",
        help="profit before media per unit of outcome, where profit decides (1)",
    )


def _add_fields(plan: argparse.ArgumentParser, *names: str) -> None:
    """Flags of fields of a limit."""
    for field in map(FIELDS.__getitem__, names):
        _add_repeated(plan, field.flag, _READ[field.name], field.shown, field.about)


def _add_repeated(
    plan: argparse.ArgumentParser,
    flag: str,
    kind: Callable[[str], Any],
    shown: str,
    about: str,
) -> None:
    """A flag that may be given several times."""
    plan.add_argument(
        f"--{flag}", type=kind, metavar=shown, action="append", default=[], help=about
    )


def _add_ranges(plan: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        plan.add_argument(
            f"--{name}", type=multiples, metavar="LOW:HIGH", help=_RANGES[name]
        )


def add_switches(plan: argparse.ArgumentParser) -> None:
    """Every yes or no of a plan, as a flag."""
    for switch in SWITCHES:
        plan.add_argument(f"--{switch.flag}", action="store_true", help=switch.about)


def add_geos(plan: argparse.ArgumentParser) -> None:
    """Limits of geos, of a plan over channels and geos."""
    _add_ranges(plan, "geo-bounds", "geo-totals")


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


def horizon(options: argparse.Namespace) -> "HorizonRequest | None":
    """The periods that flags ask for; None where they say nothing."""
    from core.service.records.plan import HorizonRequest

    asked = HorizonRequest(options.periods, options.start, options.as_fitted)
    return None if asked == HorizonRequest() else asked


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


def add_planned_tests(plan: argparse.ArgumentParser) -> None:
    """Whether a plan carries planned tests out, as a flag."""
    plan.add_argument(
        "--without-tests",
        action="store_true",
        help="plans over weeks and geos keep to the spend of the project's planned "
        "tests; this plans as if there were none",
    )
