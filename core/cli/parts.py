"""Parts of a command: `portfolio plan`, `tests design`."""

import argparse
from collections.abc import Callable

#: Adds a command, or a part of one: by its name, what it runs and what it is about.
Add = Callable[..., argparse.ArgumentParser]


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
