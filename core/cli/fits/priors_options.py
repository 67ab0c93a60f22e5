"""Options of the command `priors`."""

import argparse

from core.cli.parts import Add, parts_of


def add_priors(add: Add) -> None:
    """Add the command `priors` with its part."""
    about = "priors that a team's other projects suggest"
    top = add("priors", "fits.priors:suggest", about)
    part = parts_of(top)("suggest", "fits.priors:suggest", about)
    part.add_argument("project", metavar="PROJECT")
    part.add_argument(
        "--from",
        dest="others",
        action="append",
        default=[],
        metavar="PROJECT",
        help="ask this project; repeat for several (every one that you may see)",
    )
    part.add_argument(
        "--channel",
        action="append",
        default=[],
        metavar="NAME",
        help="accept for this channel alone; repeat for several",
    )
    part.add_argument(
        "--kind",
        action="append",
        default=[],
        type=channel_kind,
        metavar="CHANNEL=KIND",
        help="what kind of channel it is, where its name says something else; kept "
        "in project.toml",
    )
    part.add_argument(
        "--accept", action="store_true", help="write the suggestions to project.toml"
    )


def channel_kind(text: str) -> tuple[str, str]:
    """A channel and its kind from `Kanal 5=shopping ads`."""
    name, equals, kind = text.rpartition("=")
    if not equals or not name or not kind:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not CHANNEL=KIND, like Kanal 5=shopping ads"
        )
    return name, kind
