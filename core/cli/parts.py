"""Commands, their parts (`portfolio plan`) and what they take, as their usage shows it.

A wrong option is answered by a sentence and the nearest right one.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Never

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

#: What an argument is, by how it is written, wherever its command says nothing else.
_MEANINGS = {
    "PROJECT": "a folder with project.toml, or the name of a project of the app",
    "RUN": "a run's folder or name, or a project: its newest finished fit",
    "PROJECT_OR_CSV": "a project, or files of data",
    "DATA.csv": "files of data: CSV, XLSX, Parquet, or zip archives of one",
    "--chains": "how many chains (the project's)",
    "--warmup": "iterations of the warm-up of each chain (the project's)",
    "--draws": "draws of each chain (the project's)",
    "--seed": "of all randomness (the project's)",
    "--precision": "of the computation (the project's)",
    "--device": "what computes (the project's)",
    "--every": "what a row covers, where a table has no dates (week)",
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are two lines on standard error, with exit status 2."""

    def add_argument(self, *names: str, **options: Any) -> argparse.Action:
        """Add an argument; what commands share is explained in the same words."""
        if "help" not in options:
            meanings = map(_MEANINGS.get, (options.get("metavar"), *names))
            meaning = next(filter(None, meanings), None)
            options |= {"help": meaning} if meaning else {}
        return super().add_argument(*names, **options)

    def parse_known_args(
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """The namespace; an option that this command lacks is refused by this command.

        argparse would hand it to the parser above, which knows none of the options.
        """
        parsed, unknown = super().parse_known_args(args, namespace)
        options = [word for word in unknown if word.startswith("-")]
        if options:
            self.error(self._unknown(options[0].partition("=")[0]))
        return parsed, unknown

    def error(self, message: str) -> Never:
        """End with what is wrong and where all options stand, not with all of them."""
        self.exit(2, f"{self.prog}: {message}\nusage: {self.prog} --help\n")

    def _unknown(self, option: str) -> str:
        names = [
            name
            for action in self._actions
            if action.help != argparse.SUPPRESS
            for name in action.option_strings
        ]
        nearest = get_close_matches(option, names, n=1, cutoff=0.6)
        hint = f"; the nearest is {nearest[0]}" if nearest else ""
        return f"there is no option {option} here{hint}"


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
            nothing is said, `_MEANINGS` does.
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


def parts_of(command: argparse.ArgumentParser, title: str = "parts") -> Add:
    """What adds parts to a command, or commands to the program; each takes --json."""
    metavar = title.removesuffix("s").upper()
    parts = command.add_subparsers(title=title, metavar=metavar, required=True)
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
