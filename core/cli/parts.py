"""Commands and what they take, as their usage shows it; parts: `portfolio plan`."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from core.cli.arguments import (
    age,
    channel_kind,
    channel_multiple,
    grant,
    money,
    multiples,
    names,
    seconds,
)

#: Adds a command, or a part of one: by its name, what it runs and what it is about.
Add = Callable[..., argparse.ArgumentParser]

#: How a value is read, by what stands for it in the usage; any other is a text.
_READ = {
    "N": int,
    "X": money,
    "LOW:HIGH": multiples,
    "CHANNEL=X": channel_multiple,
    "MEDIATOR=X": channel_multiple,
    "CHANNEL=KIND": channel_kind,
    "NAME=ROLE": grant,
    "AGE": age,
    "SECONDS": seconds,
    "A,B": names,
}


def takes(
    command: Any, about: Mapping[str, str], **parsers: Callable[..., Any]
) -> None:
    """Arguments of a command.

    Args:
        command: The command, a part of one, or a group of its options.
        about: What each is, by how the usage shows it: `PROJECT`, `--save NAME`,
            `--dry-run` for a yes, `--out FILE ...` for what may be repeated. Where
            nothing is said, `core.cli.usage` knows it.
        parsers: How values are read that are not what they look like, by argument.
    """
    for usage, meaning in about.items():
        flag, _, value = usage.removesuffix(" ...").partition(" ")
        name = flag.strip("-").replace("-", "_").lower()
        how: dict[str, Any] = {"help": meaning} if meaning else {}
        if flag == flag.upper():
            command.add_argument(name, metavar=flag, **how)
            continue
        if not value:
            how["action"] = "store_true"
        else:
            how |= {"metavar": value, "type": parsers.get(name, _READ.get(value))}
        if usage.endswith(" ..."):
            how |= {"action": "append", "default": []}
        command.add_argument(flag, **how)


def parts_of(command: argparse.ArgumentParser) -> Add:
    """What adds parts to a command; each takes --json, as the command does."""
    parts = command.add_subparsers(title="parts", metavar="PART", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,
        help="print one JSON object and nothing else",
    )

    def add(name: str, runs: str, about: str) -> argparse.ArgumentParser:
        part = parts.add_parser(
            name, parents=[shared], help=about, description=about, allow_abbrev=False
        )
        part.set_defaults(command=runs)
        return part

    return add
