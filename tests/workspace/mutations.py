"""Spoilt workspaces: files of a project and of its runs, mutated, and read by all.

    python -m tests.workspace.mutations [COUNT] [FIRST]

One project of a workspace is spoilt in one way after another; the other stays as it
is. Each time everything that lists or opens projects is asked. A message is an answer;
anything else that is raised, or a word lost about the sound project, is a fault.
"""

import contextlib
import io
import json
import logging
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from core.cli.main import main as command_line
from core.errors import MMMError
from core.jobs.status import status
from core.project.comparing import backtests
from core.project.fits import derived, previews, runs
from core.project.fits.pruning import pruning
from core.project.fits.run_differences import settings_that_differ
from core.project.fits.run_inputs import new_run
from core.project.plans.plans import list_plans, load_plan, plan_of_record, save_plan
from core.project.settings.definition import spec_sha256
from core.project.settings.project import (
    data_file,
    load_project,
    project_sha256,
    render_project,
    save_project,
)
from core.project.shelf.cards import projects
from core.project.shelf.lifecycle import create_project, truth
from core.project.shelf.seen import unseen
from core.service.fits import can_go_on
from core.store import results
from core.store.results import write_result
from core.store.run_state import write_state
from tests.plan.records import record

SOUND, SPOILT = "Sound", "Spoilt"

#: What nobody writes where something else belongs.
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**400, -(10**400), 2**63, 1e308, -1e308, 5e-324,
    "", " ", "x", "x" * 300, "\0", "a\0b", "../../etc/passwd", "/", ".", "..",
    "\ud800", "NaN", "done", "queued", "2024-01-01", "99999-01-01", "2024-13-45",
    "9999-12-31T23:59:59+00:00", "2024-01-01T00:00:00", "0001-01-01T00:00:00+14:00",
    [], {}, [[]], [None], {"": ""}, [1, 2], ["a"], {"a": {"b": {"c": []}}}, [[[[]]]],
    float("nan"), float("inf"), "🎉" * 50, "=1+1", "<script>", "​",
)  # fmt: skip
#: The same as TOML.
ODD_TOML = (
    "0", "-1", "1e300", "-1e300", "5e-324", "1e-300", "nan", "inf", "true", '""',
    '"\\u0000"', '"a\\u0000b"', '"' + "x" * 300 + '"', '"../x"', "[]", "{}", "[[]]",
    "[1, 2]", '["a"]', "2024-01-01", "07:32:00", "0001-01-01T00:00:00+23:59",
    "0x" + "f" * 5000, "9" * 5000, "9" * 400, "-" + "9" * 400, "1" + "_0" * 2000,
    "{mean = 1, sd = 1e300}", "{mean = 1e-300, sd = 1}", "{mean = 1e308, sd = 1e-308}",
    "{low = 1e-300, high = 1e300}", "{low = 0, high = 5e-324}",
    '{family = "Beta", mean = 0.5, sd = 1e-300}',
    '{family = "Gamma", mean = 1e200, sd = 1e-200}',
    '{family = "Uniform", mean = 0, sd = 1e308}',
    '{family = "Normal", low = -1e308, high = 1e308}',
    '{family = "Beta", low = 1e-320, high = 0.9999999999999999, mass = 0.999999}',
    '{family = "LogNormal", parameters = {loc = 1e308, scale = 1e308}, shift = 1e308}',
    '"""' + "\n" * 500 + '"""', '"🎉"', "[" * 300 + "]" * 300, "[" * 20_000,
    "{a = " * 300 + "1" + "}" * 300,
)  # fmt: skip
#: Keys that a project.toml may hold, so that odd values reach each of them.
KEYS = (
    "sigma", "mean", "sd", "low", "high", "mass", "most_likely", "family", "shift",
    "file", "name", "currency", "schema", "kpi_type", "knots", "seasonality", "smooth",
    "holidays", "holiday_window", "events", "holdout", "varies_by_geo", "max_lag",
    "priors", "prior", "calibration", "baseline", "start", "end", "geos", "draws",
    "revenue_per_kpi", "controls", "chains", "seed", "target_accept",
)  # fmt: skip
ODD_KEYS = ('""', '"\\u0000"', "a.a", "a" + ".a" * 300, "a" + ".a" * 3000)


def make(home: Path) -> None:
    """A workspace with two projects alike: finished fits, plans, a study, a preview."""
    from tests.workspace.workspace_market import FULL, simple, table

    project = simple()
    for name in (SOUND, SPOILT):
        folder = create_project(name, table(), project.mapping, spec=project.spec)
        _done(new_run(folder), "summary", "diagnostics", "fit")
        live = new_run(folder)
        write_state(live, "running")
        content = {"is_preview": True, "channels": [{"name": "TV"}]}
        with previews.write_preview(live, content):
            pass
        (live / "progress.json").write_text('{"fraction": 0.5, "phase": "draws"}')
        (live / "error.json").write_text('{"message": "It broke.", "hint": ""}')
        done = runs.latest_fit(folder).folder
        options = {"study": "s", "origin": 12, "horizon": 4, "folds": 1}
        _done(new_run(folder, "backtest", options=options), "part")
        flight = new_run(folder, "flight")
        (flight / "flight.json").write_text(json.dumps({"fit": done.name, "table": {}}))
        _done(flight, "plan")
        save_plan(folder, record(name="First", run_id=done.name))
        plan = list_plans(folder)[0].plan_id
        (folder / "plans" / "record.json").write_text(json.dumps({"plan_id": plan}))
    # Every option of the model is set somewhere, so that a mutation can meet it.
    text = render_project(FULL)
    (home / "full.toml").write_text(text)


def _done(run: Path, *names: str) -> None:
    from tests.charts import synthetic

    content = synthetic.fold() if names == ("part",) else {"channels": []}
    contents = {"summary": synthetic.summary()}
    with write_result(run) as folder:
        for name in names:
            (folder / f"{name}.json").write_text(
                json.dumps(contents.get(name, content))
            )
    write_state(run, "done")


# --- mutations -------------------------------------------------------------------


def spoil(home: Path, folder: Path, seed: int) -> str:
    """Spoil one thing in a project's folder; returns what was done."""
    rng = random.Random(seed)
    if rng.random() < 0.45:
        path = folder / "project.toml"
        how = rng.choice((_toml_value, _toml_value, _toml_key, _toml_line, _bytes))
        if rng.random() < 0.5:
            path.write_text((home / "full.toml").read_text())
    else:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        files = [path for path in files if path.suffix != ".parquet"] + files[:2]
        path = rng.choice(files)
        how = rng.choice((_json, _json, _json, _json, _bytes, _kind, _nested))
        how = how if path.suffix == ".json" else rng.choice((_bytes, _kind, _nested))
    how(path, rng)
    if rng.random() < 0.05:
        _folders(folder, rng)
    return f"seed {seed}: {how.__name__} of {path.relative_to(folder)}"


def _toml_value(path: Path, rng: random.Random) -> None:
    """Another value for a key that is there."""
    lines = path.read_text().splitlines()
    at = rng.choice([at for at, line in enumerate(lines) if "=" in line])
    lines[at] = f"{lines[at].split('=')[0]}= {rng.choice(ODD_TOML)}"
    path.write_text("\n".join(lines) + "\n")


def _toml_key(path: Path, rng: random.Random) -> None:
    """A key that may or may not belong there."""
    lines = path.read_text().splitlines()
    key = rng.choice((*KEYS, *ODD_KEYS))
    lines.insert(rng.randrange(len(lines) + 1), f"{key} = {rng.choice(ODD_TOML)}")
    path.write_text("\n".join(lines) + "\n")


def _toml_line(path: Path, rng: random.Random) -> None:
    """Lines doubled, left out, or tables of other kinds."""
    lines = path.read_text().splitlines()
    at = rng.randrange(len(lines))
    odd = rng.choice(("[model]", "[[model]]", "[channel]", "[[channel]]", "[data.x.y]"))
    long = ["[" + "a." * 5000 + "a]"]
    kept = ([], [lines[at]] * 2, [odd], long, ["\0"], ["#" * 9999])
    lines[at : at + 1] = rng.choice(kept)
    path.write_text("\n".join(lines) + "\n")


def _bytes(path: Path, rng: random.Random) -> None:
    """Bytes changed, put in, cut off."""
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        odd = rng.choice((b"\0", b"\xff", b"\xc3", b"[" * 20_000, b"{" * 20_000, b'"'))
        match rng.randrange(4):
            case 0:
                data[at:at] = odd
            case 1:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 2:
                del data[at:]
            case _:
                del data[at : at + rng.randint(1, 20)]
    path.write_bytes(bytes(data))


def _json(path: Path, rng: random.Random) -> None:
    """One value of a JSON file replaced; sometimes the whole of it."""
    try:
        value = json.loads(path.read_bytes())
    except ValueError:
        return _bytes(path, rng)
    odd = rng.choice(ODD)
    places = list(_places(value))
    if not places or rng.random() < 0.15:
        value = odd
    else:
        holder, key = rng.choice(places)
        if rng.random() < 0.15:
            del holder[key]
        else:
            holder[key] = odd
    path.write_text(json.dumps(value))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _nested(path: Path, rng: random.Random) -> None:
    """Brackets without end, or a number of thousands of digits."""
    odd = ("[" * 20_000, "[" * 900 + "]" * 900, '{"a":' * 20_000, "9" * 5000, "9" * 400)
    path.write_text(rng.choice(odd))


def _kind(path: Path, rng: random.Random) -> None:
    """Something else under the file's name: a folder, a link, a pipe, a huge file."""
    path.unlink()
    match rng.randrange(8):
        case 0:
            path.mkdir()
        case 1:
            path.symlink_to(path.name)  # to itself
        case 2:
            path.symlink_to("nowhere")
        case 3:
            os.mkfifo(path)
        case 4:
            with open(path, "wb") as file:
                file.truncate(1 << 40)
        case 5:
            path.symlink_to("/dev/zero")
        case 6:
            with socket.socket(socket.AF_UNIX) as listener, _inside(path.parent):
                listener.bind(path.name)
        case _:
            pass  # gone


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _folders(folder: Path, rng: random.Random) -> None:
    """A folder replaced, emptied, or with odd things in it."""
    inside = folder / rng.choice(("runs", "plans"))
    match rng.randrange(6):
        case 0:
            shutil.rmtree(inside)
            inside.write_text("a file")
        case 1:
            (inside / "20240101-000000-00000000").mkdir()
        case 2:
            (inside / ("n" * 255)).write_text("")
            (inside / os.fsdecode(b"\xff\xfe.json")).write_text("")
        case 3:
            (inside / "20240101-000000-00000000.json").mkdir()
        case 4:
            os.utime(inside, (0, 2**36))
        case _:
            shutil.rmtree(inside)
            inside.symlink_to(inside.name)


# --- readers ---------------------------------------------------------------------


class Faults(logging.Handler):
    """What was raised or logged that is no message."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.found.append(f"logged: {record.getMessage()} {error!r}")

    @contextlib.contextmanager
    def noted(self, what: str) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            raise
        except MMMError as error:
            if not error.message.strip():
                self.found.append(f"{what}: no words")
        except Exception as error:
            self.found.append(f"{what}: {type(error).__name__}: {str(error)[:200]}")


def read_everything(folder: Path, faults: Faults) -> None:
    """Ask everything that is asked about a project by screens and commands."""

    def ask(what: Callable[..., Any], *args: Any) -> Any:
        with faults.noted(what.__name__):
            return what(*args)
        return None

    project = ask(load_project, folder)
    ask(project_sha256, folder)
    if project is not None:
        ask(data_file, folder, project)
        ask(spec_sha256, project)
        ask(project.lift_tests)
        sha = project_sha256(folder)
        ask(lambda: save_project(folder, project, base_sha=sha))
    ask(runs.latest_fit, folder)
    ask(unseen, folder)
    ask(list_plans, folder)
    ask(plan_of_record, folder)
    ask(pruning, folder)
    ask(truth, folder)
    for study in ask(backtests.list_backtests, folder) or ():
        ask(backtests.read_backtest, study)
    listed = ask(runs.list_runs, folder) or []
    for run in listed:
        ask(_read_run, run, folder, project, faults)
    for one, other in zip(listed, listed[1:], strict=False):
        ask(settings_that_differ, one, other)
    plans = folder / "plans"
    for name in os.listdir(plans) if plans.is_dir() else ():
        ask(load_plan, folder, name.removesuffix(".json"))


def _read_run(run: runs.Run, folder: Path, project: Any, faults: Faults) -> None:
    one = run.folder
    asked: list[Callable[[], Any]] = [
        lambda: runs.open_run(one),
        lambda: status(one).fraction,
        lambda: runs.out_of_date(one, folder, project),
        lambda: results.result_files(one),
        lambda: results.read_json(one, "summary"),
        lambda: previews.read_preview(one),
        lambda: derived.asked(one),
        lambda: derived.derived(folder, "flight", one.name),
        lambda: can_go_on(one),
        lambda: backtests.backtest_of(folder, run),
        lambda: load_project(one),
        lambda: hash((run.run_id, run.kind, run.created, run.seed)),
    ]
    for number, question in enumerate(asked):
        with faults.noted(f"question {number} about run {one.name}"):
            question()


def command(arguments: list[str], faults: Faults) -> None:
    """A command of the command line, which must not end in a bug."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = command_line(arguments)
    if code == 70 or "Traceback" in said.getvalue():
        faults.found.append(f"{arguments[0]}: {said.getvalue()[-300:]}")


def faults_of(home: Path, seed: int) -> list[str]:
    """Spoil one project in one way; what does not hold then."""
    kept, folder = home / "kept", home / "projects" / SPOILT
    if not kept.exists():
        shutil.copytree(folder, kept)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(kept, folder)
    what = spoil(home, folder, seed)
    faults = Faults()
    logging.getLogger("mixwright").addHandler(faults)
    began = time.process_time()
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(120)
    try:
        with faults.noted("projects"):
            cards = {card.name: card for card in projects()}
            if set(cards) != {SOUND, SPOILT}:
                faults.found.append(f"projects listed: {sorted(cards)}")
            elif cards[SOUND].state not in ("running", "fitted"):
                faults.found.append(f"the sound project: {cards[SOUND]}")
        read_everything(folder, faults)
        read_everything(home / "projects" / SOUND, faults)
        if seed % 5 == 0:
            command(["check", str(folder)], faults)
            command(["prune", str(folder), "--keep", "1", "--dry-run"], faults)
            command(["summary", str(folder)], faults)
            command(["check", SOUND], faults)
    except TimeoutError as error:
        stack = traceback.extract_tb(error.__traceback__)
        faults.found.append(f"hangs in {[frame.name for frame in stack][-4:]}")
    finally:
        signal.alarm(0)
        logging.getLogger("mixwright").removeHandler(faults)
    taken = time.process_time() - began
    if taken > 10:
        faults.found.append(f"took {taken:.0f} s of the processor")
    return [f"{what}: {fault}" for fault in faults.found]


def _too_long(number: int, frame: Any) -> None:
    raise TimeoutError


def main(arguments: list[str]) -> int:
    """Spoil a workspace so many times; returns 1 where something did not hold."""
    count = int(arguments[0]) if arguments else 10_000
    first = int(arguments[1]) if len(arguments) > 1 else 0
    bad = 0
    with tempfile.TemporaryDirectory() as home:
        os.environ["MIXWRIGHT_HOME"] = home
        make(Path(home))
        for seed in range(first, first + count):
            found = faults_of(Path(home), seed)
            bad += bool(found)
            for line in found:
                print(line, flush=True)
            if (seed - first + 1) % 1000 == 0:
                print(f"{seed - first + 1:,} spoilt, {bad} with a fault", flush=True)
    print(f"{count:,} spoilt, {bad} with a fault")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
