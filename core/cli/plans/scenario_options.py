"""Options of a plan: its limits, as flags."""

import argparse

from core.cli.arguments import channel_multiple, channel_range, lock, money, multiples


def add_limits(plan: argparse.ArgumentParser) -> None:
    """Limits of channels, as flags."""
    plan.add_argument(
        "--bounds",
        type=multiples,
        metavar="LOW:HIGH",
        help="limits of every channel, as multiples of its spend in the same periods "
        "last year (0.7:1.3)",
    )
    plan.add_argument(
        "--scaled",
        action="store_true",
        help="multiples are of last year's split at the new budget",
    )
    plan.add_argument(
        "--limit",
        type=channel_range,
        metavar="CHANNEL=LOW:HIGH",
        action="append",
        default=[],
        help="limits of one channel, as multiples",
    )
    plan.add_argument(
        "--limit-money",
        type=channel_range,
        metavar="CHANNEL=LOW:HIGH",
        action="append",
        default=[],
        help="limits of one channel, in currency",
    )
    plan.add_argument(
        "--lock",
        type=lock,
        metavar="CHANNEL[=X]",
        action="append",
        default=[],
        help="leave a channel at last year's spend, or at X",
    )
    plan.add_argument(
        "--gamma",
        type=channel_multiple,
        metavar="CHANNEL=X",
        action="append",
        default=[],
        help="a channel that gets dearer with volume (units = spend^(1-X)); "
        "`prices RUN` suggests X",
    )


def add_buying(plan: argparse.ArgumentParser) -> None:
    """What media cost and how reach is bought, and what an outcome is worth."""
    plan.add_argument(
        "--price",
        type=channel_multiple,
        metavar="CHANNEL=X",
        action="append",
        default=[],
        help="what a unit of a channel costs over last year's (1.05: fees, VAT, a "
        "rate of exchange)",
    )
    plan.add_argument(
        "--bought",
        type=channel_multiple,
        metavar="MEDIATOR=X",
        action="append",
        default=[],
        help="pay for what channels make be spent on a mediator of a funnel, of which "
        "a share X is bought (1: as now)",
    )
    plan.add_argument(
        "--best-frequency",
        metavar="CHANNEL",
        action="append",
        default=[],
        help="buy the reach of a channel at the frequency that pays most",
    )
    plan.add_argument(
        "--margin",
        type=money,
        metavar="X",
        help="profit before media per unit of outcome, where profit decides (1)",
    )


def add_support(plan: argparse.ArgumentParser) -> None:
    """Whether the plan is to be one that the draws support, as a flag."""
    plan.add_argument(
        "--best",
        action="store_true",
        help="print the best plan for the objective even if the draws do not "
        "support it; by default the part that they do support takes its place",
    )


def add_geos(plan: argparse.ArgumentParser) -> None:
    """Limits of geos, of a plan over channels and geos."""
    plan.add_argument(
        "--geo-bounds",
        type=multiples,
        metavar="LOW:HIGH",
        help="limits of every channel in every geo, as multiples of what it spends "
        "there (0.5:2)",
    )
    plan.add_argument(
        "--geo-totals",
        type=multiples,
        metavar="LOW:HIGH",
        help="limits of every geo's total, as multiples (none)",
    )
