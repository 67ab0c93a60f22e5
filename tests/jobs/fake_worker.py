"""Quick stand-ins for the work of a run, chosen by FAKE_BEHAVIOUR."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from core.errors import DataError, SamplingError
from core.store.atomic import write_json
from core.store.results import write_result
from core.store.stored import read_object


def read(path):
    return Path(path).read_text().strip()


def execute(run_dir, report, should_stop):
    (run_dir / "worker.txt").write_text(f"{os.getpid()} {os.getppid()}")
    report({"phase": "draws", "fraction": 0.25, "message": "chain 1/4"})
    BEHAVIOURS[os.environ["FAKE_BEHAVIOUR"]](run_dir, report, should_stop)


def done(run_dir, report, should_stop):
    with write_result(run_dir) as folder:
        (folder / "fit.json").write_text('{"seed": 1}')
    report({"phase": "saving", "fraction": 1.0})


def gate(run_dir, report, should_stop):
    """Waits for the file `go` in the workspace; stops when told to."""
    while not (Path(os.environ["MIXWRIGHT_HOME"]) / "go").exists():
        if should_stop():
            return
        time.sleep(0.02)
    done(run_dir, report, should_stop)


def span(run_dir, report, should_stop):
    begin = time.monotonic()
    time.sleep(0.05)
    (run_dir / "span.txt").write_text(f"{begin} {time.monotonic()}")
    done(run_dir, report, should_stop)


def fit_like(run_dir, report, should_stop):
    """Goes through the phases of a fit in a second; goes on from its checkpoint."""
    report({"phase": "compiling", "fraction": 0.05})
    time.sleep(0.2)
    folder = run_dir / "checkpoint"
    folder.mkdir(exist_ok=True)
    saved = read_object(folder / "step.json").get("step")
    first = saved if isinstance(saved, int) else 0
    for step in range(first, 20):
        if should_stop():
            return
        report({"phase": "warmup" if step < 10 else "draws", "fraction": step / 20})
        time.sleep(0.03)
        write_json(folder / "step.json", {"step": step + 1})
    with write_result(run_dir) as result:
        for name in ("fit", "summary", "diagnostics"):
            (result / f"{name}.json").write_text(json.dumps({"seed": 1}))
            time.sleep(0.02)
    report({"phase": "saving", "fraction": 1.0})


def stubborn(run_dir, report, should_stop):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (run_dir / "deaf").touch()
    while True:
        time.sleep(1)


def family(run_dir, report, should_stop):
    """Starts a child that would outlive it."""
    code = "import time; time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", code])
    (run_dir / "child.txt").write_text(str(child.pid))
    done(run_dir, report, should_stop)


def input_error(run_dir, report, should_stop):
    raise DataError("Channel TV has no spend.", hint="Add its cost.", where="TV")


def sampling_error(run_dir, report, should_stop):
    raise SamplingError("The density is not finite.", hint="Check the priors.")


def memory_error(run_dir, report, should_stop):
    raise MemoryError


def greedy(run_dir, report, should_stop):
    """Takes all the memory there is, a bit at a time."""
    taken = []
    while True:
        taken.append(bytearray(os.urandom(1024) * (20 * 1024)))
        time.sleep(0.01)


def no_device(run_dir, report, should_stop):
    raise RuntimeError("Unable to initialize backend 'cuda': no GPU")


def crash(run_dir, report, should_stop):
    raise ZeroDivisionError("division by zero")


def abort(run_dir, report, should_stop):
    os.abort()


def nothing(run_dir, report, should_stop):
    return


def full_disk(run_dir, report, should_stop):
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    with write_result(run_dir) as folder:
        (folder / "fit.json").write_text("x" * 5000)


def environment(run_dir, report, should_stop):
    names = ("JAX_", "XLA_", "OMP_")
    found = {k: v for k, v in os.environ.items() if k.startswith(names)}
    found["nice"] = str(os.nice(0))
    group = Path("/proc/self/autogroup")  # not on every kernel
    found["group"] = read(group) if group.exists() else ""
    found["oom"] = read("/proc/self/oom_score_adj")
    found["core"] = str(resource.getrlimit(resource.RLIMIT_CORE)[0])
    found["jax"] = str("jax" in sys.modules)
    (run_dir / "environment.txt").write_text(repr(found))
    done(run_dir, report, should_stop)


BEHAVIOURS = {
    function.__name__: function
    for function in (
        done,
        gate,
        span,
        fit_like,
        stubborn,
        family,
        input_error,
        sampling_error,
        memory_error,
        greedy,
        no_device,
        crash,
        abort,
        nothing,
        full_disk,
        environment,
    )
}
