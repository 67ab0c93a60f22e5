"""Strangers' exports, read by the commands and readers of the product.

    python -m tests.data.strangers.run                  one market of each kind
    python -m tests.data.strangers.run 5 7000           five, from seed 7000 on
    python -m tests.data.strangers.run 5 7000 sap_list  the same, of one kind

`init` makes a project of the files, and `check` says what it finds. The
project is held against the truth, by period and channel: `right`; `asked`, if a
warning or an error names a column or file; `refused`; or `silent`, if a number is wrong
without a word.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import tomllib
import zlib
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

from core.cli.main import main as command
from core.data.files.parquet import read_table
from core.project.settings.project import load_project
from core.team import identity
from tests.data.door_tables import differences
from tests.data.strangers import platforms, shops, workbooks  # noqa: F401
from tests.data.strangers.market import KINDS, Stranger, market


def stranger(kind: str, seed: int) -> Stranger:
    """The market of one kind and seed."""
    step, write = KINDS[kind]
    random = np.random.default_rng([zlib.crc32(kind.encode()), seed])
    made = market(random, step)
    write(made)
    return made


def outcome(kind: str, seed: int) -> tuple[str, str]:
    """What becomes of a market: `right`, `asked`, `refused` or `silent`; and why."""
    made = stranger(kind, seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        paths = []
        for name, data in made.files.items():
            (folder / name).write_bytes(data)
            paths.append(str(folder / name))
        project = folder / "project"
        code, said, refusal = _core(
            folder, "init", *paths, "--out", str(project), "--json"
        )
        if code:
            return "refused", refusal
        wrong = _differences(made, project)
        if not wrong:
            return "right", said
        _, checked, _ = _core(folder, "check", str(project), "--json")
        findings = [f for text in (said, checked) for f in json.loads(text)["findings"]]
        heard = [
            f"{f['where']}: {f['message']}"
            for f in findings
            if f["severity"] != "info" and not f["where"].startswith("model")
        ]
        return ("asked" if heard else "silent"), f"{wrong} SAID {' | '.join(heard)}"


def _differences(made: Stranger, project: Path) -> str:
    """How a project differs from the truth; empty where it does not."""
    settings = load_project(project)
    name = tomllib.loads((project / "project.toml").read_text())["data"]["file"]
    read = SimpleNamespace(frame=read_table(project / name))
    table = SimpleNamespace(table=read, mapping=settings.mapping)
    truth = SimpleNamespace(
        days=made.days,
        step=made.step,
        places=made.places,
        notes={},
        spend={name: values[None, :] for name, values in made.spend.items()},
        revenue=made.revenue[None, :],
    )
    wrong = differences(truth, table)
    if wrong and settings.mapping.kpi in made.notes.get("also", ()):
        return ""
    return wrong


def _core(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command, in this process."""
    out, err = io.StringIO(), io.StringIO()
    home = {"MIXWRIGHT_HOME": str(folder / "home")}
    identity.set_sign_in(None)
    with (
        mock.patch.dict(os.environ, home),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = command(arguments)
    if code > 1:
        raise AssertionError(f"{arguments[0]} ended with {code}: {err.getvalue()}")
    return code, out.getvalue(), err.getvalue()


def main(arguments: list[str]) -> int:
    """Read the markets and print what became of them."""
    n = int(arguments[0]) if arguments else 1
    first = int(arguments[1]) if len(arguments) > 1 else 0
    kinds = arguments[2:] or sorted(KINDS)
    total: Counter[str] = Counter()
    for kind in kinds:
        for seed in range(first, first + n):
            what, why = outcome(kind, seed)
            total[what] += 1
            about = " ".join(why.split())[:400] if what != "right" else ""
            print(f"{what:8} {kind:28} {seed} {about}", flush=True)
    print(dict(total))
    return int(total["silent"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
