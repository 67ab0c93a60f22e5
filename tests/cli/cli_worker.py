"""Quick stand-ins for the work of a fit, chosen by CLI_BEHAVIOUR."""

import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

from msgspec import convert, to_builtins

from core.errors import DataError, SamplingError
from core.store.fit_results import FitReport
from core.store.results import write_result


def execute(run_dir, report, should_stop):
    print("a library that talks on standard output")
    print("started in", Path(sys.argv[0]).parent.name)
    chain = {"iteration": 5, "total": 10, "divergences": 1, "phase": "warmup"}
    report({"phase": "warmup", "fraction": 0.25, "chains": [chain], "rhat_max": 1.2})
    BEHAVIOURS[os.environ["CLI_BEHAVIOUR"]](run_dir, should_stop)


def done(run_dir, should_stop):
    made = kept(run_dir.parents[1].name.removesuffix(" copy"))
    summary = json.loads((made / "summary.json").read_text("utf-8")) | {
        "run": str(run_dir)
    }
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
    before = json.loads((run_dir / "run.json").read_text("utf-8")).get("options")
    with write_result(run_dir) as result:
        if before:
            told = json.loads((made / "refresh.json").read_text("utf-8"))
            told |= {"before": before["before"], "after": run_dir.name}
            (result / "refresh.json").write_text(json.dumps(told))
        report = to_builtins(convert(about, FitReport))
        (result / "fit.json").write_text(json.dumps(report))
        (result / "summary.json").write_text(json.dumps(summary))
        for view in made.glob("*.nc"):
            shutil.copyfile(view, result / view.name)


def kept(project: str) -> Path:
    """The folder with the summary and the views of a project's fits.

    Every project is a market of its own, unless its name says that it is a copy. Who
    wants them first makes them, which takes longer than all else that workers do here.
    """
    channels = os.environ.get("CLI_CHANNELS", "")
    shelf = Path(os.environ["CLI_SHELF"])
    folder = shelf / sha256(os.fsencode(f"{channels}\n{project}")).hexdigest()
    if folder.is_dir():
        return folder
    views = synthetic()
    names = tuple(channels.split(",")) + views.NAMES[4:]
    names = names if len(names) == 6 else views.NAMES
    part = Path(tempfile.mkdtemp(dir=shelf))
    (part / "summary.json").write_text(json.dumps(views.summary(names)))
    (part / "refresh.json").write_text(json.dumps(views.refresh("", "")))
    for name, view in {
        "channels": views.channels(names),
        "curves": views.curves(names),
        "horizon_curves": views.horizon_curves(names),
        "weeks": views.weeks(names, seed=_seed(project)),
    }.items():
        view.to_netcdf(part / f"{name}.nc", engine="h5netcdf")
    with contextlib.suppress(OSError):  # another worker was quicker
        part.rename(folder)
    return folder


def synthetic():
    """Made-up fits; slow to import, and seldom wanted."""
    from tests.charts import synthetic

    return synthetic


def _seed(project: str) -> int:
    return 7 if project == worlds().MARKET else sum(map(ord, project))


def worlds():
    """Made-up projects; slow to import, and seldom wanted."""
    from tests.pages import worlds

    return worlds


def gate(run_dir, should_stop):
    """Waits until it is told to stop, or for the file `go` in the workspace."""
    (run_dir / "waiting").touch()
    while not (Path(os.environ["MIXWRIGHT_HOME"]) / "go").exists():
        if should_stop():
            return
        time.sleep(0.02)
    done(run_dir, should_stop)


def previews(run_dir, should_stop):
    """Writes a preview, then what is sampled, each until it was told; see `told`."""
    worlds().preview(run_dir)
    _until_told("Preview", should_stop)
    sampling = {"verdict": "trustworthy", "reasons": []}
    worlds().preview(run_dir, method="sampled", plan=None, sampling=sampling)
    _until_told("Sampled", should_stop)
    done(run_dir, should_stop)


def _until_told(word, should_stop):
    while not (Path(os.environ["MIXWRIGHT_HOME"]) / word).exists():
        if should_stop():
            return
        time.sleep(0.02)


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
