"""Meridian and Mixwright side by side: the same data, priors, knots, chains and draws.

    make bench            geo_media and national_media
    make bench FULL=1     and the three large markets, Mixwright alone

Each fit is a process of its own and has the machine to itself; the two take turns. Both
are measured from the call to the posterior in memory, compilation included. Effective
sample sizes and R-hat of both come from the same code. Writes bench/RESULTS.md.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from bench.cases import CASES, COMPARED, Case, about, reference_folder
from core.fit.convergence import diagnostics_table
from tests.reference import REFERENCE

HERE = Path(__file__).parent


def ours(case: Case, seed: int, folder: Path) -> dict:
    """One measured fit of Mixwright."""
    out = folder / "mixwright.npz"
    command = [sys.executable, "-m", "bench.fit_mixwright", case.name, str(out)]
    return _measured([*command, str(seed)], out, dict(os.environ))


def theirs(case: Case, seed: int, folder: Path, python: Path) -> dict:
    """One measured fit of Meridian."""
    out = folder / "meridian.npz"
    command = [
        *(str(python), str(HERE / "fit_meridian.py")),
        str(reference_folder(case) / "case.json"),
        str(REFERENCE / "data" / about(case)["dataset"]),
        *map(str, (case.chains, case.draws, *case.peer_adapt, seed)),
        str(out),
    ]
    double = str(case.precision == "float64")
    environment = os.environ | {"MERIDIAN_ENABLE_JAX_X64": double}
    return _measured(command, out, environment)


def _measured(command: list[str], out: Path, environment: dict[str, str]) -> dict:
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    told = json.loads(done.stdout.strip().splitlines()[-1])
    with np.load(out) as stored:
        draws = {name: stored[name] for name in stored.files}
    table = diagnostics_table({k: v for k, v in draws.items() if k in COMPARED})
    worst = int(np.argmin(table.ess_bulk))
    return told | {
        "ess": float(table.ess_bulk[worst]),
        "ess_tail": float(table.ess_tail.min()),
        "worst": table.label(worst),
        "rhat": float(table.rhat.max()),
        "roi": draws["roi_m"].mean(axis=(0, 1)).round(2).tolist(),
    }


def row(name: str, runs: list[dict]) -> str:
    """One line of the table: medians over the runs."""

    def middle(key: str) -> float:
        return median(run[key] for run in runs)

    each = median(run["ess"] / run["seconds"] for run in runs)
    second = f"{middle('second_call'):.1f}" if "second_call" in runs[0] else ""
    roi = ", ".join(f"{value:.2f}" for value in runs[0]["roi"][:4])
    return (
        f"| {name} | {middle('seconds'):.1f} | {second} | {middle('import'):.1f} | "
        f"{middle('ess'):,.0f} ({runs[0]['worst']}) | {middle('ess_tail'):,.0f} | "
        f"{middle('rhat'):.3f} | {each:.2f} | {middle('peak_rss_mb') / 1024:.2f} | "
        f"{roi} |"
    )


HEAD = """| | seconds | second call | import | worst bulk ESS | worst tail ESS | \
largest R-hat | ESS per second | peak GB | ROI |
|---|---|---|---|---|---|---|---|---|---|"""


def section(case: Case, runs: dict[str, list[dict]]) -> str:
    """Heading, table and ratio of one case."""
    lines = [f"### {case.name}, {case.chains} chains of {case.draws}", "", HEAD]
    lines += [row(name, made) for name, made in runs.items()]
    if len(runs) == 2:
        rates = [
            median(run["ess"] / run["seconds"] for run in made)
            for made in runs.values()
        ]
        lines += ["", f"Effective draws per second: {rates[1] / rates[0]:.0f} times."]
    own = runs["Mixwright"][0]
    parts = ", ".join(f"{name} {value:.1f}" for name, value in own["parts"].items())
    lines += [
        "",
        f"Mixwright's first run: {parts} s; {own['steps_per_draw']:.1f} leapfrog steps "
        f"a draw, verdict {own['verdict']}.",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--meridian", type=Path, help="its Python, if it is measured")
    parser.add_argument("--full", action="store_true", help="the large markets, too")
    parser.add_argument("--repeats", type=int, default=2, help="fits of each case")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md")
    options = parser.parse_args()
    sections = []
    for case in CASES:
        if options.only not in case.name or (case.is_large and not options.full):
            continue
        repeats = 1 if case.is_large else options.repeats
        runs: dict[str, list[dict]] = {}
        with TemporaryDirectory() as folder:
            for seed in range(1, repeats + 1):
                if case.peer and options.meridian:
                    made = theirs(case, seed, Path(folder), options.meridian)
                    runs.setdefault("Meridian 2.1.0", []).append(made)
                made = ours(case, seed, Path(folder))
                runs.setdefault("Mixwright", []).append(made)
        sections.append(section(case, runs))
        print(sections[-1], "\n", flush=True)
    packages = ", ".join(f"{name} {version(name)}" for name in ("jax", "blackjax"))
    head = (
        "# Results\n\nWritten by `make bench`; what is measured and how is in "
        f"bench/README.md. {date.today()}, {os.cpu_count()} CPU cores "
        f"({platform.machine()}), Python {platform.python_version()}, {packages}. "
        f"Medians of {options.repeats} fits, large markets once.\n"
    )
    options.out.write_text("\n\n".join([head.strip(), *sections]) + "\n")


if __name__ == "__main__":
    main()
