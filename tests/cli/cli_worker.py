"""Quick stand-ins for the work of a fit, chosen by CLI_BEHAVIOUR."""

import json
import os
import sys
import time
from pathlib import Path

from msgspec import convert, to_builtins

from core.errors import DataError, SamplingError
from core.store.fit_results import FitReport
from core.store.results import write_result
from tests.charts import synthetic
from tests.pages import worlds


def execute(run_dir, report, should_stop):
    print("a library that talks on standard output")
    print("started in", Path(sys.argv[0]).parent.name)
    chain = {"iteration": 5, "total": 10, "divergences": 1, "phase": "warmup"}
    report({"phase": "warmup", "fraction": 0.25, "chains": [chain], "rhat_max": 1.2})
    BEHAVIOURS[os.environ["CLI_BEHAVIOUR"]](run_dir, should_stop)


def done(run_dir, should_stop):
    names = tuple(os.environ.get("CLI_CHANNELS", "").split(",")) + synthetic.NAMES[4:]
    names = names if len(names) == 6 else synthetic.NAMES
    summary = synthetic.summary(names) | {"run": str(run_dir)}
    about = {
        "run": str(run_dir),
        "seconds": {"total": 3.0, "compile": 1.0, "warmup": 1.0, "draws": 1.0},
        "peak_rss_bytes": 1_000_000_000,
        "compilations": 3,
        "precision": "float32",
        "device": "cpu",
        "seed": 1,
        "versions": {},
        "diagnostics": summary["diagnostics"],
    }
    before = json.loads((run_dir / "run.json").read_text()).get("options")
    with write_result(run_dir) as result:
        if before:
            told = synthetic.refresh(before["before"], run_dir.name)
            (result / "refresh.json").write_text(json.dumps(told))
        report = to_builtins(convert(about, FitReport))
        (result / "fit.json").write_text(json.dumps(report))
        (result / "summary.json").write_text(json.dumps(summary))
        views = {
            "channels": synthetic.channels(names),
            "curves": synthetic.curves(names),
            "horizon_curves": synthetic.horizon_curves(names),
            "weeks": synthetic.weeks(names, seed=_seed(run_dir.parents[1].name)),
        }
        for name, view in views.items():
            view.to_netcdf(result / f"{name}.nc", engine="h5netcdf")


def _seed(project):
    """Every project is a market of its own, unless its name says that it is a copy."""
    name = project.removesuffix(" copy")
    return 7 if name == worlds.MARKET else sum(map(ord, name))


def gate(run_dir, should_stop):
    """Waits until it is told to stop, or for the file `go` in the workspace."""
    (run_dir / "waiting").touch()
    while not (Path(os.environ["MIXWRIGHT_HOME"]) / "go").exists():
        if should_stop():
            return
        time.sleep(0.02)
    done(run_dir, should_stop)


def previews(run_dir, should_stop):
    """Writes a preview, then what is sampled, and gives others the time to see both."""
    worlds.preview(run_dir)
    time.sleep(1.0)
    sampling = {"verdict": "trustworthy", "reasons": []}
    worlds.preview(run_dir, method="sampled", plan=None, sampling=sampling)
    time.sleep(1.0)
    done(run_dir, should_stop)


def bad_input(run_dir, should_stop):
    raise DataError("Channel TV has no spend.", hint="Add its cost.", where="TV")


def not_sampled(run_dir, should_stop):
    raise SamplingError("The density is not finite.", hint="Check the priors.")


def killed(run_dir, should_stop):
    os.abort()


BEHAVIOURS = {
    function.__name__: function
    for function in (done, gate, previews, bad_input, not_sampled, killed)
}
