"""Exports from abroad, read by `init` and `check` in one process.

    python -m tests.data.abroad.run            one market of each kind
    python -m tests.data.abroad.run 20 7000    twenty of each, from seed 7000 on
    python -m tests.data.abroad.run 5 0 spellings

A project is held against the truth by period, channel and KPI: `right`; `asked`, if a
warning about it or an error says something; `refused`; or `silent`, if a number is
wrong without a word.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path
from unittest import mock

import numpy as np

from core.cli.main import main as command
from core.data.files.parquet import read_table, save_table
from core.data.observations import observe
from core.project.settings.project import load_project
from tests.data.abroad import layouts, spending  # noqa: F401
from tests.data.abroad.exports import VENDORS, Abroad, abroad
from tests.data.abroad.faults import FAULTS


def _read(what, source, filename, watch=None, **options):
    """What the reader does in a process of its own, and hands over as it does."""
    module, _, name = what.rpartition(".")
    result = getattr(import_module(module), name)(source, filename, **options)
    if not hasattr(result, "columns"):
        return json.loads(json.dumps(result))
    with tempfile.TemporaryDirectory() as place:
        save_table(result, Path(place) / "table.parquet")
        return read_table(Path(place) / "table.parquet")


def made_by(kind: str, seed: int, vendor: str = "") -> Abroad:
    """The market of one kind and seed, with its files."""
    step, write = FAULTS[kind]
    made = abroad(kind, seed, step=step, vendor=vendor)
    write(made)
    return made


def outcome(made: Abroad) -> tuple[str, str]:
    """What becomes of a market: `right`, `asked`, `refused` or `silent`; and why."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        paths = []
        for name, data in made.files.items():
            (folder / name).write_bytes(data)
            paths.append(str(folder / name))
        project = folder / "project"
        apart = "core.data.files.isolated.read_apart"
        with (
            mock.patch(apart, _read),
            mock.patch("core.data.layout.opening.read_apart", _read),
            mock.patch.dict(os.environ, {"MIXWRIGHT_HOME": str(folder / "home")}),
        ):
            answers = ("--out", str(project), "--json", *made.options)
            code, said, refusal = _run("init", *paths, *answers)
            if code:
                assert code == 1, refusal
                return "refused", refusal
            wrong = differences(made, project)
            _, checked, _ = _run("check", str(project), "--json")
    findings = [f for text in (said, checked) for f in json.loads(text)["findings"]]
    loud = [
        f"{f['severity']} {f['where']}: {f['message']}"
        for f in findings
        if f["severity"] != "info" and not f["where"].startswith("model")
    ]
    words = " | ".join(dict.fromkeys(loud))
    if not wrong:
        return "right", words
    is_named = any(word.casefold() in words.casefold() for word in made.said)
    heard = loud and (is_named or not made.said or "error " in words)
    return ("asked" if heard else "silent"), f"{wrong} SAID {words}"


def _run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command(list(arguments))
    return code, out.getvalue(), err.getvalue()


def differences(made: Abroad, project: Path) -> str:
    """How a project differs from the truth; empty where it does not."""
    settings = load_project(project)
    name = tomllib.loads((project / "project.toml").read_text())["data"]["file"]
    mapping = settings.mapping
    seen = observe(read_table(project / name), mapping)
    days = seen.times
    step = int((days[1] - days[0]).astype(int)) if len(days) > 1 else 0
    if step not in (1, 7) or step < made.step:
        return f"step {step}"
    if step == made.step and days[0] not in made.days:
        return f"first {days[0]}"
    if len(made.places) != len(seen.geos):
        return f"places {seen.geos}"
    if len(made.days) // (step // made.step) - len(days) > 2:
        return f"{len(days)} periods"
    channels = [channel for channel in mapping.channels if channel.spend]
    if len(channels) != len(made.spend):
        return f"channels {[c.name for c in channels]}, KPI {mapping.kpi}"
    read = {channel.spend: _by_time(seen, channel.spend) for channel in channels}
    if not _is(_by_time(seen, mapping.kpi), made.revenue, made, days, step):
        return f"KPI {mapping.kpi}"
    for name, amounts in made.spend.items():
        same = (c for c, v in read.items() if _is(v, amounts, made, days, step))
        found = next(same, None)
        if found is None:
            sums = {c: round(float(v.sum()), 2) for c, v in read.items()}
            return f"{name} {amounts.sum():.2f} is none of {sums}"
        read.pop(found)
    return ""


def _by_time(seen, name: str) -> np.ndarray:
    """Sums by geo and period; geos in order of size."""
    known = seen.cell >= 0
    values = np.nan_to_num(seen.numbers[name].values)[known]
    sums = np.bincount(seen.cell[known], values, len(seen.geos) * len(seen.times))
    return np.sort(sums.reshape(len(seen.geos), -1), axis=0)


def _is(values: np.ndarray, amounts, made: Abroad, days: np.ndarray, step: int) -> bool:
    """Whether amounts that were read are the true ones."""
    amounts = np.atleast_2d(amounts)
    at = np.searchsorted(days, made.days, side="right") - 1
    inside = (at >= 0) & (made.days < days[-1] + step)
    sums = np.zeros((len(amounts), len(days)))
    for place, row in enumerate(amounts):
        np.add.at(sums[place], at[inside], row[inside])
    return np.allclose(values, np.sort(sums, axis=0), rtol=1e-6, atol=made.close)


def main(arguments: list[str]) -> int:
    """Read the markets and print what became of them."""
    n = int(arguments[0]) if arguments else 1
    first = int(arguments[1]) if len(arguments) > 1 else 0
    counts: Counter[tuple[str, str]] = Counter()
    for kind in arguments[2:] or FAULTS:
        for seed in range(first, first + n):
            vendor = sorted(VENDORS)[seed % len(VENDORS)]
            what, why = outcome(made_by(kind, seed, vendor))
            counts[kind, what] += 1
            if what == "silent":
                print(what, kind, seed, vendor, " ".join(why.split())[:400], flush=True)
    total: Counter[str] = Counter()
    for (kind, what), number in sorted(counts.items()):
        print(f"{kind:40} {what:8} {number:5}")
        total[what] += number
    print(dict(total))
    return int(total["silent"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
