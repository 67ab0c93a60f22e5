"""Backups while others write, each restored elsewhere and compared.

    python -m tests.workspace.backup.backup_faults [COUNT]

Processes edit projects, replace tables, run fits, save plans and delete, as fast as
they can. A backup must then hold projects that are whole: every table is the one that
its project.toml was written with, every plan has its run, every run its result.
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import MMMError
from core.experiments.kept import KeptTest
from core.model.spec import ChannelSpec, ModelSpec
from core.project.backup.archive import Archive
from core.project.backup.restore import restore
from core.project.backup.take import take_backup
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import delete_run, list_runs
from core.project.lift_tests.lift_tests import keep_lift_test, lift_tests
from core.project.plans.plans import list_plans, mark_plan, plan_of_record, save_plan
from core.project.settings.project import (
    data_file,
    load_project,
    project_sha256,
    save_project,
)
from core.project.settings.project_data import replace_table
from core.project.shelf.lifecycle import (
    create_project,
    delete_project,
    duplicate_project,
    rename_project,
)
from core.store.atomic import sha256_of, write_json
from core.store.locks import alone, hold
from core.store.places import home, is_id
from core.store.results import result_files, write_result
from core.store.run_state import FINAL, stored_state, write_state
from core.store.stored import read_object
from tests.plan.records import record

MAPPING = ColumnMapping(
    "week", "sales", channels=(ChannelColumns("TV", "media", media="tv", spend="tv"),)
)
SPEC = ModelSpec(channels=(ChannelSpec("TV"),), knots=4)


def table(n_times: int) -> pd.DataFrame:
    weeks = pd.date_range("2024-01-01", periods=n_times, freq="7D")
    steps = np.arange(n_times, dtype=float)
    return pd.DataFrame(
        {"week": weeks.strftime("%Y-%m-%d"), "sales": 100 + steps, "tv": steps % 5}
    )


def make(name: str) -> Path:
    """A project whose seed is the number of rows of its table."""
    folder = create_project(name, table(24), MAPPING, spec=SPEC)
    project = load_project(folder)
    save_project(folder, replace(project, sampler=replace(project.sampler, seed=24)))
    return folder


# --- who writes ------------------------------------------------------------------


def new_table(folder: Path, rng: random.Random) -> None:
    base, project = project_sha256(folder), load_project(folder)
    n_rows = rng.randrange(20, 2000)
    changed = replace(project, sampler=replace(project.sampler, seed=n_rows))
    replace_table(folder, table(n_rows), changed, base_sha=base)


def edit(folder: Path, rng: random.Random) -> None:
    base, project = project_sha256(folder), load_project(folder)
    currency = rng.choice(("EUR", "USD", "CHF"))
    save_project(folder, replace(project, currency=currency), base_sha=base)


def fit(folder: Path, rng: random.Random) -> None:
    """A run from its frozen inputs to its result, with checkpoint, log and states."""
    run = new_run(folder)
    lock = hold(run / "lock")
    try:
        for state in ("starting", "running"):
            write_state(run, state)
        (run / "checkpoint").mkdir()
        for step in range(3):
            write_json(run / "checkpoint" / "state.json", {"step": step})
            with open(run / "log.txt", "a") as log:
                log.write(f"step {step}\n" * rng.randrange(1000))
        if rng.random() < 0.2:
            write_state(run, "cancelled")
            return
        with write_result(run) as result:
            for name in ("summary.json", "posterior.nc", "weeks.nc"):
                (result / name).write_bytes(rng.randbytes(rng.randrange(1, 300_000)))
        write_state(run, "done")
    finally:
        os.close(lock)


def plan(folder: Path, rng: random.Random) -> None:
    with alone(folder / "runs"):  # not in the instant in which a run is deleted
        done = [run for run in list_runs(folder) if run.status.state == "done"]
        if done:
            run_id = rng.choice(done).run_id
            plan_id = save_plan(folder, record(name="A", run_id=run_id)).plan_id
            mark_plan(folder, plan_id)


def tidy(folder: Path, rng: random.Random) -> None:
    ended = [run for run in list_runs(folder) if not run.status.is_live]
    for run in ended[6:]:
        with alone(folder / "runs"):
            delete_run(folder, run.run_id)
    for kept in list_plans(folder)[8:]:
        if kept.plan_id != plan_of_record(folder):
            (folder / "plans" / f"{kept.plan_id}.json").unlink(missing_ok=True)


def lift_test(folder: Path, rng: random.Random) -> None:
    if len(lift_tests(folder)) < 30:
        keep_lift_test(folder, KeptTest(name="Spring"))


def come_and_go(folder: Path, rng: random.Random) -> None:
    """A project is copied, renamed and deleted beside the others."""
    number = rng.randrange(10**6)
    duplicate_project(folder.name, f"Copy {number}")
    rename_project(f"Copy {number}", f"Renamed {number}")
    delete_project(f"Renamed {number}")


def in_place(folder: Path, rng: random.Random) -> None:
    """Somebody's own file and a log, which are written where they lie."""
    (folder / "notes.csv").write_text(f"{rng.random()}\n" * rng.randrange(20_000))
    line = json.dumps({"by": "a" * rng.randrange(9000)}) + "\n"
    with open(home() / "events.jsonl", "ab", buffering=0) as log:
        log.write(line.encode())


WRITERS: tuple[Callable[[Path, random.Random], None], ...] = (
    new_table, edit, fit, plan, tidy, lift_test, come_and_go, in_place,
)  # fmt: skip


def write_for_ever(name: str, seed: int) -> None:
    """Do one thing after the other to a project, until killed."""
    rng = random.Random(seed)
    folder = home() / "projects" / name
    while True:
        with contextlib.suppress(MMMError, FileNotFoundError):
            rng.choice(WRITERS)(folder, rng)


@contextlib.contextmanager
def writers(*projects: str) -> Iterator[None]:
    """Two processes for each project, until the body ends."""
    command = [sys.executable, "-m", "tests.workspace.backup.backup_faults", "--write"]
    work = [
        subprocess.Popen([*command, name, str(seed)])
        for seed, name in enumerate([*projects, *projects])
    ]
    try:
        yield
    finally:
        for process in work:
            process.kill()
            process.wait()


def until_there_is_a_plan(seconds: float = 60.0) -> None:
    """Wait until the writers have fitted and planned."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if all(list_plans(folder) for folder in (home() / "projects").glob("[NS]o*")):
            return
        time.sleep(0.05)
    raise AssertionError("no plan was saved")


# --- what must hold --------------------------------------------------------------


def faults(workspace: Path) -> list[str]:
    """What is not whole in a workspace that was restored."""
    return [
        f"{folder.name}: {fault}"
        for folder in sorted((workspace / "projects").iterdir())
        for fault in _faults(folder)
    ] + [
        f"{path.name}: half a line"
        for path in workspace.glob("*.jsonl")
        for line in path.read_text().split("\n")[:-1]
        if not line.endswith("}")
    ]


def _faults(folder: Path) -> Iterator[str]:
    project = load_project(folder)
    if folder.name in ("North", "South"):
        if len(pd.read_parquet(data_file(folder, project))) != project.sampler.seed:
            yield "the table is not that of project.toml"
    runs = {path.name: path for path in folder.glob("runs/*")}
    for name, run in runs.items():
        about = read_object(run / "run.json")
        if not is_id(name) or about.get("run_id") != name:
            yield f"{name} has no run.json"
        if about.get("data_sha256") != sha256_of(run / "data.parquet"):
            yield f"{name} has another table"
        if stored_state(run) not in FINAL:
            yield f"{name} is {stored_state(run)}"
        if (stored_state(run) == "done") != (run / "result").exists():
            yield f"{name} is {stored_state(run)} without its result"
        if (run / "result").exists():
            wrong = [
                file
                for file, digest in result_files(run).items()
                if sha256_of(run / "result" / file) != digest
            ]
            if wrong:
                yield f"{name} has another {wrong}"
    plans = list_plans(folder)
    if len(plans) != len([p for p in folder.glob("plans/*.json") if is_id(p.stem)]):
        yield "a plan is damaged"
    for kept in plans:
        if kept.run_id not in runs:
            yield f"the run of plan {kept.plan_id} is missing"
    if (folder / "plans" / "record.json").exists() and not plan_of_record(folder):
        yield "the plan of record is missing"


def attempt(number: int, folder: Path) -> tuple[str, int]:
    """Back up, restore into an empty workspace and compare: what is wrong, its size."""
    file = folder / f"{number}.zip"
    began = home()
    manifest = take_backup(file)
    os.environ["MIXWRIGHT_HOME"] = str(folder / f"restored {number}")
    try:
        with Archive(file) as archive:
            restored = restore(archive)
            wrong = faults(home())
            for named in manifest.projects:
                for path, part in manifest.of_project(named).items():
                    put = home() / "projects" / named / path
                    if sha256_of(put) != part.sha256:
                        wrong.append(f"{put} is not what the list says")
        if {path.name for path in restored.projects} != set(manifest.projects):
            wrong.append("a project is missing")
    finally:
        os.environ["MIXWRIGHT_HOME"] = str(began)
    return "; ".join(wrong), len(manifest.parts)


def main(count: int) -> int:
    """Print a line for each backup; the number of those that are not whole."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["MIXWRIGHT_HOME"] = str(folder / "home")
        for name in ("North", "South"):
            make(name)
        wrong, refused = 0, 0
        with writers("North", "South"):
            until_there_is_a_plan()
            for number in range(count):
                began = time.monotonic()
                try:
                    fault, files = attempt(number, folder)
                except MMMError as error:
                    refused, fault, files = refused + 1, f"refused: {error}", 0
                else:
                    wrong += bool(fault)
                seconds = time.monotonic() - began
                said = fault or "whole"
                print(
                    f"{number + 1}: {files} files, {seconds:.1f} s, {said}", flush=True
                )
    whole = count - wrong - refused
    print(f"{count} backups: {whole} whole, {refused} refused, {wrong} half")
    return wrong


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write_for_ever(sys.argv[2], int(sys.argv[3]))
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50) > 0)
