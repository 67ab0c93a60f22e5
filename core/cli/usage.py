"""Usage: a wrong option is answered by a sentence and the nearest right one."""

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Never

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
