"""Options of a plan: its limits, as flags."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from core.cli.arguments import (
    channel_amounts,
    channel_multiple,
    channel_range,
    lock,
    money,
    multiples,
)
from core.service.planning.switches import SWITCHES

#: Limits of single channels: flag, type, what stands for its value, what it is.
_OF_CHANNELS = (
    ("limit", channel_range, "CHANNEL=LOW:HIGH", "limits of one channel, as multiples"),
    (
        "limit-money",
        channel_amounts,
        "CHANNEL=LOW:HIGH",
        "limits of one channel, in currency (TV=5M:12M)",
    ),
    ("lock", lock, "CHANNEL[=X]", "leave a channel at last year's spend, or at X"),
    (
        "gamma",
        channel_multiple,
        "CHANNEL=X",
        "a channel that gets dearer with volume (units = spend^(1-X)); `prices RUN` "
        "suggests X",
    ),
)
#: How media are bought, of single channels and mediators.
_BOUGHT = (
    (
        "price",
        channel_multiple,
        "CHANNEL=X",
        "what a unit of a channel costs over last year's (1.05: fees, VAT, a rate of "
        "exchange)",
    ),
    (
        "bought",
        channel_multiple,
        "MEDIATOR=X",
        "pay for what channels make be spent on a mediator of a funnel, of which a "
        "share X is bought (1: as now)",
    ),
    (
        "best-frequency",
        str,
        "CHANNEL",
        "buy the reach of a channel at the frequency that pays most",
    ),
)
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
    _add_repeated(plan, _OF_CHANNELS)


def add_buying(plan: argparse.ArgumentParser) -> None:
    """What media cost and how reach is bought, and what an outcome is worth."""
    _add_repeated(plan, _BOUGHT)
    plan.add_argument(
        "--margin",
        type=money,
        metavar="X",
        help="profit before media per unit of outcome, where profit decides (1)",
    )


def _add_repeated(
    plan: argparse.ArgumentParser,
    flags: Sequence[tuple[str, Callable[[str], Any], str, str]],
) -> None:
    """Flags that may be given several times."""
    for name, kind, shown, about in flags:
        plan.add_argument(
            f"--{name}",
            type=kind,
            metavar=shown,
            action="append",
            default=[],
            help=about,
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
