"""Seconds from Enter or a click to the answer, whole processes, on a quiet machine.

    python -m bench.seconds      five minutes; writes bench/SECONDS.md

Each command is started as a person starts it and timed to its end, imports and all, in
a workspace of its own. Cold: XLA compiled nothing in it before, but Python has its
bytecode. Second: the same again, with another seed. The national market is Meridian's
sample without its last four weeks; the refresh adds them. With `--meridian` its fit of
geo_media runs between the two; without, the ratio is to the seconds that were recorded
once. Where there is a target, the table says whether it is met. `--small` shows in a
few draws that everything runs; its figures say nothing.
"""

import argparse
import contextlib
import csv
import ctypes
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from bench.cases import COMPARED, case
from tests.reference import reference_data

HERE = Path(__file__).parent
_CORE = (sys.executable, "-m", "core")
_GEO = case("geo_media, 30 knots, float32")
#: Weeks that the refresh adds.
_WEEKS = 4
#: Meridian 2.1.0 on geo_media, on the machine of the targets: seconds, and the worst
#: effective sample size, which was written down on another day (RESULTS.md).
_RECORDED = (193.0, 125.0)
#: Warm-up and draws of a chain where it is only to be seen that everything runs.
_SMALL = {"warmup": "60", "draws": "40"}
#: Targets: least ratios to Meridian's pace; most seconds, share after the last draw and
#: GB.
_LEAST = {"cold cache": 220.0, "second fit of the shape": 450.0}
_OF_DEMO = {"cold": 15.0, "second": 6.0}
_AFTER, _PEAK = 0.15, 0.70
_OF_COMMANDS = {"--help": 0.5, "check, a CSV of 156 weeks": 1.0, "summary": 0.5}
_FIRST_ANSWER, _TABLE, _WHOLE = 2.0, 1.0, 3.5
_PR_SET_CHILD_SUBREAPER = 36
#: What is measured, its figures, and what of them is to hold.
Row = tuple[str, str, str]
#: Seconds between two looks at whether an answer is there, and the most to wait.
_LOOK, _MOST = 0.02, 300.0


@dataclass(frozen=True)
class Timed:
    """A command that has ended.

    Attributes:
        seconds: By the clock, from start to end.
        processor: Of the command and of all that it started, where Linux says so.
        out: What it printed.
    """

    seconds: float
    processor: float
    out: str


def timed(home: Path, *arguments: str) -> Timed:
    """Run a command of Mixwright in a workspace, and wait for it."""
    before = _processor()
    began = time.perf_counter()
    done = subprocess.run(
        [*_CORE, *arguments], env=_environment(home), capture_output=True, text=True
    )
    seconds = time.perf_counter() - began
    _await_others()
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    return Timed(seconds, _processor() - before, done.stdout)


def _environment(home: Path) -> dict[str, str]:
    """Of a command; where Python keeps no bytecode, imports take twice as long."""
    own = {"MIXWRIGHT_HOME": str(home), "MIXWRIGHT_WARM_WORKER": "on"}
    own |= {"PYTHONDONTWRITEBYTECODE": ""}
    return os.environ | own


def _adopt() -> None:
    """Be the parent of what commands leave behind: supervisors, and their workers."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _await_others() -> None:
    """Until what a command left behind has ended, too: it counts once it is waited for.

    A command ends as soon as its run has, and its supervisor a moment later.
    """
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def project_of(table: Path, folder: Path, **settings: str) -> Path:
    """A project whose columns are recognised, with other settings of its TOML."""
    timed(folder.parent / "home", "init", str(table), "--out", str(folder))
    path = folder / "project.toml"
    text = path.read_text()
    for name, value in settings.items():
        text = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value}", text)
    path.write_text(text)
    return folder


def effective(run: Path) -> float:
    """Worst bulk effective sample size, over the parameters compared with Meridian."""
    from core.fit.convergence import diagnostics_table
    from core.store.results import open_dataset

    stored = open_dataset(run, "posterior").load()
    kept = {n: v.to_numpy() for n, v in stored.items() if n in COMPARED}
    return float(diagnostics_table(kept).ess_bulk.min())


def held(
    value: float | None, unit: str, *, most: float | None = None, least: float = 0.0
) -> str:
    """A target, and whether a figure meets it."""
    limit = f"at least {least:g}{unit}" if most is None else f"at most {most:g}{unit}"
    upper = float("inf") if most is None else most
    is_met = value is not None and least <= value <= upper
    return f"{limit}: {'met' if is_met else '**missed**'}"


def geo_media(folder: Path, python: Path | None, size: dict[str, str]) -> list[Row]:
    """Cold, Meridian's beside it, and a second fit of the shape."""
    project = project_of(
        reference_data("geo_media.csv"),
        folder / "geo",
        **{"preset": '"meridian"\nknots = 30', "draws": "500"} | size,
    )
    rows, rate = [], None
    over = "over Meridian 2.1.0's"
    if python is None:
        seconds, effective_size = _RECORDED
        rate = effective_size / seconds
        over += " of another day"
        about = f"{effective_size:.0f} effective draws in {seconds:.0f} s, recorded"
        rows.append(("Meridian 2.1.0: not here (`--meridian PYTHON`)", about, ""))
    for name, seed in (("cold cache", 1), ("second fit of the shape", 2)):
        fit = timed(folder / "home", "fit", str(project), "--json", "--seed", str(seed))
        record = json.loads(fit.out)
        rows.append(_fit_row(f"geo_media, {name}", fit, record))
        pace = effective(Path(record["run"])) / fit.seconds
        rows.append(("its worst effective draws a second", f"{pace:.1f}", ""))
        if rate is None:
            seconds, effective_size = _of_meridian(folder, python)
            rate = effective_size / seconds
            about = f"{effective_size:.0f} effective draws in {seconds:.0f} s"
            rows.append(("Meridian 2.1.0 on geo_media", about, ""))
        target = held(pace / rate, " times", least=_LEAST[name])
        rows.append((over, f"{pace / rate:.0f} times", target))
    return rows


def _of_meridian(folder: Path, python: Path) -> tuple[float, float]:
    """Meridian's seconds from call to posterior, and its worst effective draws."""
    from bench.run import theirs

    record = theirs(_GEO, 1, folder, python)
    return record["seconds"], record["ess"]


def _fit_row(name: str, command: Timed, record: dict, most: float | None = None) -> Row:
    """A fit in its parts; `most` is how many seconds its command may take."""
    parts = record["seconds"]
    share = parts["results"] / parts["total"]
    words = [f"{command.seconds:.1f} s ({command.processor:.1f} s of processor)"]
    named = ("mode", "compile", "warmup", "draws", "results")
    words.append(", ".join(f"{part} {parts[part]:.1f}" for part in named))
    words.append(
        f"after the last draw {share:.0%} of the worker's {parts['total']:.1f}"
    )
    words.append(f"{record['compilations']} compiled")
    peak = record["peak_rss_bytes"] / 1e9
    words.append(f"peak {peak:.2f} GB")
    targets = [] if most is None else [held(command.seconds, " s", most=most)]
    targets.append("after the last draw " + held(share * 100, " %", most=_AFTER * 100))
    if name.startswith("geo_media"):
        targets.append("peak " + held(round(peak, 2), " GB", most=_PEAK))
    return name, "; ".join(words), "; ".join(targets)


def demo(folder: Path, size: dict[str, str]) -> list[Row]:
    """The demo, cold and again."""
    rows = []
    asked = [word for name, value in size.items() for word in (f"--{name}", value)]
    for name, seed in (("cold", 1), ("second", 2)):
        done = timed(folder / "demo", "demo", "--json", "--seed", str(seed), *asked)
        record = json.loads(done.out)["fit"]
        name, most = f"demo, {name}, Enter to the prompt", _OF_DEMO[name]
        rows.append(_fit_row(name, done, record, most))
    return rows


def commands(folder: Path, project: Path) -> list[Row]:
    """Commands that compute nothing; medians of five."""
    table = str(reference_data("national_media.csv"))
    asked = {
        "--help": ("--help",),
        "check, a project of 152 weeks": ("check", str(project)),
        "check, a CSV of 156 weeks": ("check", table),
        "summary": ("summary", str(project)),
    }
    rows = []
    for name, arguments in asked.items():
        runs = [timed(folder / "home", *arguments) for _ in range(5)]
        seconds = median(run.seconds for run in runs)
        processor = median(run.processor for run in runs)
        most = _OF_COMMANDS.get(name)
        target = "" if most is None else held(seconds, " s", most=most)
        rows.append((name, f"{seconds:.2f} s ({processor:.2f} s of processor)", target))
    return rows


def refresh(folder: Path, project: Path) -> list[Row]:
    """From Enter on `refresh` to its first answer and to its end."""
    before = set((project / "runs").iterdir())
    table = str(reference_data("national_media.csv"))
    began = time.perf_counter()
    process = subprocess.Popen(
        [*_CORE, "refresh", str(project), table, "--yes"],
        env=_environment(folder / "home"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    first = _until(
        lambda: _has_channels("reweighted", _new_run(project, before)), began
    )
    process.wait()
    whole = time.perf_counter() - began
    _await_others()
    name = "refresh of a national market, command line"
    target = "first answer " + held(first, " s", most=_FIRST_ANSWER)
    return [(name, f"first answer {_seconds(first)}, all {whole:.1f} s", target)]


def _new_run(project: Path, before: set[Path]) -> Path | None:
    made = set((project / "runs").glob("[0-9]*")) - before
    return min(made, default=None)


def _has_channels(method: str, run: Path | None) -> bool:
    """Whether a run shows an answer of that kind before its result."""
    if run is None:
        return False
    try:
        preview = json.loads((run / "preview" / "preview.json").read_text())
    except (OSError, ValueError):
        return False
    return preview.get("method") == method and bool(preview["channels"])


def _until(is_there: Callable[[], bool], began: float) -> float | None:
    """Seconds from `began` until something is there; None where it never is."""
    while time.perf_counter() - began < _MOST:
        if is_there():
            return time.perf_counter() - began
        time.sleep(_LOOK)
    return None


def _seconds(seconds: float | None) -> str:
    return "none" if seconds is None else f"{seconds:.2f} s"


def warm(project: Path) -> None:
    """What an app does whose worker stands by; prints one JSON object.

    A fit with another prior of one channel, from the click on, and then a refresh by
    four weeks.
    """
    from core.jobs.standby.keeping import waiting
    from core.service import refreshes, runs, tables
    from core.store.places import queue_folder
    from core.store.results import has_result

    seen = set()

    def stands_by() -> bool:
        """Whether one does that did not; the log of the last one is still there."""
        one, log = waiting(), queue_folder() / "standby.log"
        number = one.pid if one else None
        if number is None or number in seen or "ready after" not in log.read_text():
            return False
        seen.add(number)
        return True

    def fitted(seed: int) -> tuple[float | None, ...]:
        began = time.perf_counter()
        run = runs.start(project, "fit", sampler={"seed": seed})
        first = _until(lambda: (run / "preview" / "preview.json").is_file(), began)
        is_reweighted = _has_channels("reweighted", run)
        table = _until(lambda: _has_channels("sampled", run) or has_result(run), began)
        whole = _until(lambda: has_result(run), began)
        runs.await_end(run, "a fit")
        _until(stands_by, time.perf_counter())
        return first if is_reweighted else None, table, whole

    runs.keep_warm()
    fitted(1)
    _with_another_prior(project)
    answer, table, whole = fitted(2)
    rows = refreshes.new_rows(
        project, tables.opened([reference_data("national_media.csv")])
    )
    refreshes.take(rows)
    began = time.perf_counter()
    run = refreshes.start_next(project)
    first = _until(lambda: _has_channels("reweighted", run), began)
    runs.await_end(run, "a refresh")
    seconds = {"answer": answer, "table": table, "whole": whole, "first": first}
    print(json.dumps(seconds))


def _with_another_prior(project: Path) -> None:
    """Narrow the prior of the first channel's return."""
    from core.model.priors.prior import prior
    from core.project.settings.project import load_project, save_project

    settings = load_project(project)
    first, *others = settings.spec.channels
    narrower = replace(first, prior=prior("LogNormal", loc=0.2, scale=0.6))
    spec = replace(settings.spec, channels=(narrower, *others))
    save_project(project, replace(settings, spec=spec))


def with_a_warm_worker(folder: Path, project: Path) -> list[Row]:
    """The same as a process that keeps a worker sees it."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.seconds", "--warm", str(project)],
        env=_environment(folder / "home"),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    record = json.loads(done.stdout.splitlines()[-1])
    fit = (
        f"channels' table from the last fit's draws {_seconds(record['answer'])}, "
        f"sampled {_seconds(record['table'])}, all {_seconds(record['whole'])}"
    )
    table = "channels' table " + held(record["answer"], " s", most=_TABLE)
    whole = "all " + held(record["whole"], " s", most=_WHOLE)
    name = "national, 4 x 1,000, another prior, warm worker, after the click"
    first = f"first answer {_seconds(record['first'])}"
    target = "first answer " + held(record["first"], " s", most=_FIRST_ANSWER)
    return [
        (name, fit, f"{table}; {whole}"),
        ("refresh of it, warm worker, after the click", first, target),
    ]


def shortened(folder: Path) -> Path:
    """The national market without its last weeks."""
    with open(reference_data("national_media.csv"), newline="") as file:
        rows = list(csv.reader(file))
    path = folder / "national.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows[: len(rows) - _WEEKS])
    return path


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--meridian", type=Path, help="its Python, if it is measured")
    parser.add_argument("--out", type=Path, help="default: bench/SECONDS.md")
    parser.add_argument("--small", action="store_true", help="few draws: does it run?")
    parser.add_argument("--warm", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.warm:
        warm(options.warm)
        return
    _adopt()
    size = _SMALL if options.small else {}
    rows = []

    def keep(more: list[Row]) -> None:
        for row in more:
            rows.append(f"| {' | '.join(row)} |")
            print(rows[-1], flush=True)

    with TemporaryDirectory() as place:
        folder = Path(place)
        keep(geo_media(folder, options.meridian, size))
        keep(demo(folder, size))
        table = shortened(folder)
        project = project_of(table, folder / "national", **size)
        done = timed(folder / "home", "fit", str(project), "--json")
        keep([_fit_row("national, 4 x 1,000, cold", done, json.loads(done.out))])
        keep(commands(folder, project))
        keep(refresh(folder, project))
        project = project_of(table, folder / "again", **size)
        keep(with_a_warm_worker(folder, project))
    load = ", ".join(f"{value:.1f}" for value in np.round(os.getloadavg(), 1))
    machine = f"{os.cpu_count()} CPU cores ({platform.machine()})"
    head = (
        "# Seconds\n\nWritten by `python -m bench.seconds`: whole processes, by the "
        f"clock. {date.today()}, {machine}, load at the end {load}.\n\n"
        "| what | figures | target |\n|---|---|---|"
    )
    text = "\n".join([head, *rows]) + "\n"
    if options.out or not options.small:  # small figures never pass for measured ones
        (options.out or HERE / "SECONDS.md").write_text(text)


if __name__ == "__main__":
    main()
