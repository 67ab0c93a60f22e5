"""Options of a plan: its limits, as flags."""

import argparse
from collections.abc import Callable
from typing import Any

from core.cli.arguments import (
    channel_amounts,
    channel_multiple,
    channel_range,
    lock,
    money,
    multiples,
)
from core.service.planning.bounds import FIELDS
from core.service.planning.switches import SWITCHES

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
