"""The fault suite: `python -m tests.jobs.faults [N]` tries each fault N times.

Each fault does harm to a workspace with real processes, then asks: is the state
right within five seconds, is every process gone, is every run listed, does the next
run work? What was tried and survived is written to docs/reliability.md.
"""

import contextlib
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.plan.records import record

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from fault_world import LIVE, World, kill  # noqa: E402
from job_bench import until  # noqa: E402

from core.errors import MMMError  # noqa: E402
from core.jobs.executor import cancel, submit  # noqa: E402
from core.jobs.status import status  # noqa: E402
from core.project.fits import runs  # noqa: E402
from core.project.plans.plans import list_plans, load_plan, save_plan  # noqa: E402
from core.project.shelf import cards  # noqa: E402
from core.store import results  # noqa: E402


def worker_killed(world, i):
    run = world.start("fit_like")
    pid = world.find("worker", run)
    world.sleep(1.0)
    kill(pid)
    last = world.settles(run, {"killed", "done"})
    if last.state == "killed":
        world.must(last.signal == 9, f"signal {last.signal}")
        world.resumed(run)


def supervisor_killed(world, i):
    run = world.start("fit_like")
    pid = world.find("supervisor", run)
    world.sleep(1.3)
    kill(pid)
    if world.settles(run, {"lost", "done"}).state == "lost":
        until(lambda: not world.processes(".worker\0"), seconds=5)
        world.resumed(run)


def server_killed(world, i):
    world.behave("fit_like")
    made = [world.new() for _ in range(2)]
    server = world.serve(made)
    world.sleep(1.2)
    kill(server.pid)
    server.wait()
    since = time.monotonic()
    # What was submitted goes on; what was not is lost, and says so.
    right = {"lost", "starting", "running", "done"}
    for now, run in [(world.settles(run, right, since=since), run) for run in made]:
        if now.state == "lost":
            world.must("never started" in now.message, now.message)
            submit(run, resume=True)
        world.comes_to_an_end(run)


def cancelled(moment):
    def fault(world, i):
        if moment == "before":
            world.behave("gate")
            ahead = [world.start("gate") for _ in range(2)]
            for run in ahead:
                world.find("worker", run)
        run = world.start("fit_like")
        if moment == "compiling":
            until(lambda: status(run).progress.phase == "compiling")
        if moment in ("sampling", "twice", "two"):
            until(lambda: status(run).fraction > 0)
            world.sleep(0.3)
        if moment == "two":
            code = f"""
from pathlib import Path
from core.jobs.executor import cancel
cancel(Path({str(run)!r}))"""
            both = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
            for one in both:
                one.wait()
        else:
            cancel(run)
            if moment == "twice":
                world.sleep(0.1)
                cancel(run)
        world.settles(run, {"cancelled", "done"})
        if moment == "before":
            world.must(not (run / "worker.txt").exists(), "a cancelled run worked")
            world.open_gate()
            for one in ahead:
                world.comes_to_an_end(one)
            (world.home / "go").unlink()
        elif status(run).state == "cancelled":
            world.resumed(run)

    return fault


def worker_stopped(world, i):
    run = world.start("fit_like")
    pid = world.find("worker", run)
    world.sleep(0.8)
    kill(pid, signal.SIGSTOP)
    time.sleep(0.3)
    world.must(status(run).state in LIVE | {"done"}, "a stopped worker is not live")
    if i % 2:
        kill(pid, signal.SIGCONT)
        world.comes_to_an_end(run)
    else:
        cancel(run)
        world.settles(run, {"cancelled", "done"})


def supervisor_stopped(world, i):
    run = world.start("fit_like")
    pid = world.find("supervisor", run)
    world.sleep(0.8)
    kill(pid, signal.SIGSTOP)
    cancel(run)
    time.sleep(0.5)
    world.must(status(run).state in LIVE | {"done", "cancelled"}, "it is not live")
    kill(pid, signal.SIGCONT)
    world.settles(run, {"cancelled", "done"})


def file_size_limit(world, i):
    last = world.comes_to_an_end(world.start("full_disk"), {"failed"})
    world.must("disk is full" in last.message, last.message)


def full_disk(folder, monkeypatch, i, *, at_once=False):
    """A small tmpfs that fills up under a run; None where it cannot be mounted.

    `at_once` fills it with the worker's first report, before the supervisor has
    written that the run is at work.
    """
    small = folder / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)]
    if os.getuid() or subprocess.run(mount, capture_output=True).returncode:
        return None
    world = World(small, monkeypatch, seed=i)
    try:
        run = world.start("fit_like")
        world.find("worker", run)
        while at_once and not (run / "progress.json").exists():
            pass
        world.sleep(0.0 if at_once else 0.8)
        with contextlib.suppress(OSError), open(small / "filler", "wb") as file:
            while True:
                file.write(b"x" * 4096)
                file.flush()
        # The room for its last word was taken when it began.
        last = world.comes_to_an_end(run, {"failed", "done"})
        if last.state != "done":
            world.must("disk is full" in last.message, last.message)
            world.must("space" in last.hint, last.hint)
        with contextlib.suppress(MMMError):
            save_plan(world.project, record(name="x" * 9000, run_id=run.name))
        (small / "filler").unlink()
        if last.state != "done":
            world.resumed(run)
        world.nothing_is_left()
    finally:
        world.close()
        subprocess.run(["umount", "-l", str(small)], check=False)
    return world


def clock_jumps_back(world, i):
    clock = world.home / "clock"
    clock.write_text("0")
    world.monkeypatch.setenv("FAKE_CLOCK", str(clock))
    first, second = world.start("fit_like"), world.start("fit_like")
    world.find("worker", first)
    world.sleep(0.5)
    clock.write_text(str(world.rng.choice([-3600, -30, -86400 * 400])))
    if i % 3 == 2:
        cancel(second)
        world.settles(second, {"cancelled", "done"})
    else:
        world.comes_to_an_end(second)
    world.comes_to_an_end(first)
    world.monkeypatch.delenv("FAKE_CLOCK")


def damaged_files(world, i):
    """Every kind of file, cut short or with one bit turned, and then read."""
    run = world.start("fit_like")
    world.comes_to_an_end(run)
    plan = save_plan(world.project, record(name="Next", run_id=run.name)).plan_id
    (run / "lock").touch()
    files = [
        run / name
        for name in ("state.json", "run.json", "progress.json", "project.toml")
    ]
    files += [run / "checkpoint" / "step.json", run / "data.parquet", run / "log.txt"]
    files += [run / "result" / name for name in ("manifest.json", "fit.json")]
    files += [world.project / "project.toml", world.project / "data.parquet"]
    files += [world.project / "plans" / f"{plan}.json"]
    for path in files:
        whole = path.read_bytes()
        path.write_bytes(damaged(whole, world.rng))
        for look in (
            lambda: status(run),
            lambda: runs.list_runs(world.project),
            lambda: runs.open_run(run),
            lambda: runs.latest_fit(world.project),
            lambda: results.read_json(run, "fit"),
            lambda: runs.out_of_date(run, world.project),
            lambda: list_plans(world.project),
            lambda: load_plan(world.project, plan),
            cards.projects,
        ):
            try:
                look()
            except MMMError as error:
                world.must(bool(error.message), "an error without a message")
            except Exception as error:  # what the suite is there to find
                world.must(False, f"{path.name}: {type(error).__name__}: {error}")
        path.write_bytes(whole)
        world.must(status(run).state == "done", f"{path.name} changed the state")
    damaged_at_work(world)


def damaged_at_work(world):
    """The files of a run at work are damaged under it; it ends well all the same."""
    run = world.start("fit_like")
    until(lambda: (run / "checkpoint" / "step.json").exists())
    for name in ("state.json", "progress.json", "checkpoint/step.json"):
        path = run / name
        path.write_bytes(damaged(path.read_bytes(), world.rng))
    world.must(status(run).is_live or status(run).state == "done", "it is not live")
    world.comes_to_an_end(run)
    ahead = [world.start("gate") for _ in range(2)]
    waiting = world.start("done")
    until(lambda: status(waiting).position)
    for ticket in (world.home / "queue" / "cpu").glob("0*"):
        ticket.write_bytes(damaged(ticket.read_bytes(), world.rng))
    world.open_gate()
    for one in (*ahead, waiting):
        world.comes_to_an_end(one)
    (world.home / "go").unlink()


def damaged(whole, rng):
    if not whole or rng.random() < 0.5:
        return whole[: rng.randrange(len(whole) or 1)]
    at = rng.randrange(len(whole))
    turned = whole[at] ^ (1 << rng.randrange(8))
    return whole[:at] + bytes([turned]) + whole[at + 1 :]


def many_at_once(n_runs):
    def fault(world, i):
        world.behave("span")
        made = [world.new() for _ in range(n_runs)]
        for run in made:
            submit(run)
        states = {status(run).state for run in made}
        world.must(states <= LIVE | {"done"}, f"states {states}")
        for run in made:
            world.comes_to_an_end(run)
        at_most_two(world, made)

    return fault


def at_most_two(world, made):
    """No more runs at once than there are slots."""
    spans = [tuple(map(float, (r / "span.txt").read_text().split())) for r in made]
    begins = [begin for begin, _ in spans]
    most = max(sum(b <= at < e for b, e in spans) for at in begins)
    world.must(most <= 2, f"{most} runs at once")


def four_servers(n_runs):
    def fault(world, i):
        world.behave("span")
        made = [world.new() for _ in range(4 * n_runs)]
        for at in range(4):
            world.serve(made[at::4])
        for run in made:
            world.settles(run, {"done"}, seconds=90)
        at_most_two(world, made)

    return fault


def faults(n):
    """Every fault: name, what it does, how often."""
    few = max(1, n // 4)
    listed = [
        ("kill -9 of the worker, at a random moment", worker_killed, n),
        ("kill -9 of the supervisor, at a random moment", supervisor_killed, n),
        ("kill -9 of the server, at a random moment", server_killed, n),
        ("cancel before the start", cancelled("before"), few),
        ("cancel while compiling", cancelled("compiling"), few),
        ("cancel while sampling", cancelled("sampling"), few),
        ("cancel twice", cancelled("twice"), few),
        ("cancel from two processes", cancelled("two"), few),
        ("SIGSTOP of the worker", worker_stopped, few),
        ("SIGSTOP of the supervisor", supervisor_stopped, few),
        ("file size limit (RLIMIT_FSIZE)", file_size_limit, few),
        ("clock jumping back (30 s, an hour, 400 days)", clock_jumps_back, few),
        ("12 kinds of files truncated or with a flipped bit", damaged_files, n // 2),
    ]
    n_runs = 50 if n >= 20 else 8
    listed.append((f"{n_runs} runs queued at once", many_at_once(n_runs), 1))
    n_runs = 6 if n >= 20 else 2
    name = f"4 servers on one workspace, {n_runs} runs each"
    listed.append((name, four_servers(n_runs), 1 if n < 20 else 3))
    return listed


def attempt(fault, folder, times, *, is_warm=False):
    """One fault, so many times, in a workspace of its own."""
    folder.mkdir()
    with pytest.MonkeyPatch.context() as monkeypatch:
        world = World(folder, monkeypatch, seed=times)
        world.is_warm = is_warm
        try:
            for i in range(times):
                fault(world, i)
            world.nothing_is_left()
        finally:
            world.close()
    return world


def main(arguments):
    n = int(arguments[0]) if arguments else 20
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for at, (name, fault, times) in enumerate(faults(n)):
            began = time.monotonic()
            world = attempt(fault, folder / str(at), times)
            rows.append(row(name, times, world))
            print(*rows[-1], f"{time.monotonic() - began:.0f} s", sep=" | ", flush=True)
            for wrong in world.wrong:
                print(f"    {wrong}", flush=True)
        rows += on_tmpfs(folder, max(1, n // 4))
        from real_faults import real_rows  # noqa: PLC0415

        for made in real_rows(folder, n):
            rows.append(made)
            print(*made, sep=" | ", flush=True)
    write(rows)
    return any(wrong for _, _, _, wrong, *_ in rows)


def on_tmpfs(folder, times):
    worlds = []
    for i in range(times):
        place = folder / f"tmpfs{i}"
        place.mkdir()
        with pytest.MonkeyPatch.context() as monkeypatch:
            worlds.append(full_disk(place, monkeypatch, i))
    if None in worlds:
        return []
    first = worlds[0]
    for world in worlds[1:]:
        first.wrong += world.wrong
        first.ends += world.ends
        first.slowest = max(first.slowest, world.slowest)
    made = row("full disk (a 2 MB tmpfs that fills up)", times, first)
    print(*made, *first.wrong, sep=" | ", flush=True)
    return [made]


def row(name, times, world):
    ends = ", ".join(f"{n} {state}" for state, n in sorted(world.ends.items()))
    slowest = f"{world.slowest:.1f}" if world.slowest else ""
    survived = times - min(times, len(world.wrong))
    return name, times, survived, len(world.wrong), slowest, ends


def write(rows):
    lines = [
        f"| {name} | {times} | {survived} | {slowest} | {ends} |"
        for name, times, survived, _, slowest, ends in rows
    ]
    path = HERE.parents[1] / "docs" / "reliability.md"
    place = f"{platform.system()}, Python {platform.python_version()}, "
    place += f"{os.cpu_count()} cores"
    path.write_text(TEXT.format(rows="\n".join(lines), place=place))


TEXT = """\
# Reliability

What was done to runs, and what became of them. Written by `python -m tests.jobs.faults`, which does it again (minutes); a part of it is in
`make test`. This table: {place}.

After each attempt it is asked: is the state that a screen shows right within 5 s, is no process left over, is every run still listed, does the next
run work? An attempt survived if all of it holds. The slowest is how long a right state took at most, where the fault should end or change the run at
once; the ends are those of every run involved, those that were resumed included.

| fault | tried | survived | slowest, s | how runs ended |
|---|---:|---:|---:|---|
{rows}

The sampler of most rows is a stand-in that goes through the phases of a fit in a second, with a checkpoint after each step; "real" rows sample a real
model. Everything else is as in the product: server, supervisor, worker, locks, queue and files.

## What is not covered

- The machine itself losing power: writes are synced and renamed, which is what can be done; it was not tried on a real disk.
- A disk that returns wrong data without an error, but for the results and plans, whose hashes are checked whenever they are read.
- A network file system that breaks its promise of locks. NFS 4 keeps it; check others before a workspace is shared through them.
- The clock is moved under Mixwright's processes (their `datetime`), not under the whole machine.
- Dask's own keeping of its workers: a `LocalCluster` gives up one that is killed again 15 s after it was killed (`distributed.deploy.lost-worker-timeout`,
  an hour in these tests). With no worker left, runs wait as `queued` until one comes or they are cancelled.
"""  # noqa: E501

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
