"""The worker of one run: `python -m core.jobs.worker RUN_DIR`.

It sets JAX up through the environment before anything imports it, does the run, and
turns what goes wrong into a message. Exit status: 0 done, 1 the input is at fault,
3 sampling failed, 4 stopped when told to, 5 the disk is full, 70 a bug in Mixwright.
"""

import contextlib
import errno
import faulthandler
import importlib
import logging
import os
import signal
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from core.disk import is_disk_full
from core.errors import MMMError, SamplingError, SpecError, WorkspaceError
from core.fit.devices import (
    CACHE_BYTES,
    jax_options,
    prune,
    single_threaded_blas,
)
from core.jobs.resources import cores
from core.jobs.states import NO_SPACE
from core.process import (
    collect_little,
    hide_plotting,
    importing,
    leave,
    packages_named,
)
from core.project.settings.project import locale_of
from core.store.atomic import explain, write_json
from core.store.places import compilation_cache
from core.store.results import has_result
from core.store.run_about import RunAbout, RunSampler, read_about
from core.text.languages.locale import set_locale

INPUT_AT_FAULT, SAMPLING_FAILED, STOPPED, BUG = 1, 3, 4, 70

#: What does the work, by kind of run: a module with
#: `execute(run_dir, report, should_stop)`.
FIT = "core.jobs.tasks.fit_run"
_EXECUTABLES = "core.model.compiled.executables"
_WORK = {
    "fit": FIT,
    "prior": "core.jobs.tasks.prior_run",
    "backtest": "core.jobs.tasks.backtest_run",
    "flight": "core.jobs.tasks.flight_run",
    "horizon": "core.jobs.tasks.horizon_run",
}
_MEMORY = ("RESOURCE_EXHAUSTED", "out of memory", "Out of memory", "bad_alloc")
_NO_DEVICE = ("Unable to initialize backend", "Unknown backend")
_REPORTS_PER_SECOND = 4.0
#: What progress says of chains, until they say something new.
_OF_CHAINS = ("chains", "rhat_max", "ess_min")


class Progress:
    """Writes progress.json, a few times a second at most and at every new phase."""

    def __init__(self, run: Path):
        self.path = run / "progress.json"
        self._started = time.monotonic()
        self._last: dict[str, Any] = {}
        self._written = -1.0
        self._pending = False

    def report(self, progress: dict[str, Any]) -> None:
        """Show how far the run is; never fails, and costs next to nothing.

        Seconds elapsed are those of the worker where the work does not say others. What
        is known of the chains stays while results are worked out of them.
        """
        now = time.monotonic()
        sampled = {key: self._last[key] for key in _OF_CHAINS if key in self._last}
        progress = {"elapsed": now - self._started} | sampled | progress
        is_new_phase = _phase(progress) != _phase(self._last)
        self._last, self._pending = progress, True
        if is_new_phase or now - self._written >= 1 / _REPORTS_PER_SECOND:
            self.flush()

    def flush(self) -> None:
        """Write what was reported last, if it is not written yet."""
        if self._pending:
            self._written, self._pending = time.monotonic(), False
            with contextlib.suppress(WorkspaceError):
                write_json(self.path, self._last, durable=False)


def _phase(progress: Mapping[str, Any]) -> object:
    return progress.get("phase")


class StopFlag:
    """Set by SIGTERM; the work looks at it between two blocks."""

    def __init__(self) -> None:
        self.is_set = False
        signal.signal(signal.SIGTERM, self._set)

    def _set(self, number: int, frame: FrameType | None) -> None:
        self.is_set = True

    def __call__(self) -> bool:
        """Whether to stop."""
        return self.is_set


def jax_environment(sampler: RunSampler) -> dict[str, str]:
    """The environment that gives JAX its device, precision and cache.

    Args:
        sampler: The sampler settings of run.json.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if "xla_force_host_platform_device_count" not in flags:
        flags = f"{flags} --xla_force_host_platform_device_count={cores()}".strip()
    environment = {
        "XLA_FLAGS": flags,
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        # Chains fill the cores; OpenBLAS's own threads would wait in busy loops.
        "OPENBLAS_NUM_THREADS": "1",
    }
    choices = str(sampler.precision), str(sampler.device)
    options = jax_options(*choices, compilation_cache())
    return environment | {
        name.upper(): str(int(value) if isinstance(value, bool) else value)
        for name, value in options.items()
    }


def main(arguments: list[str]) -> int:
    """Do the run in the directory given, and say what went wrong if anything did."""
    run = Path(arguments[0]).resolve()
    should_stop = StopFlag()
    faulthandler.enable()
    about = read_about(run)
    set_up(about)
    with contextlib.suppress(OSError):
        compilation_cache().mkdir(parents=True, exist_ok=True)
        prune(compilation_cache(), CACHE_BYTES)
    progress = Progress(run)
    how = locale_of(run)
    set_locale(lambda: how)
    try:
        with importing():
            execute = imported(module_of(about)).execute
        if not should_stop():
            execute(run, progress.report, should_stop)
            _remember(module_of(about))
        return STOPPED if should_stop() and not has_result(run) else 0
    except Exception as error:  # every failure must become a message
        with contextlib.suppress(OSError):  # the disk may be what is full
            traceback.print_exc()
        if should_stop():
            return STOPPED
        return _tell(run, understood(error, about, run))
    finally:
        progress.flush()


def set_up(about: RunAbout) -> None:
    """Set JAX and this process up for a run; harmless a second time.

    Args:
        about: The run's run.json.
    """
    _log_to_stderr()
    os.environ.update(jax_environment(about.sampler))
    # NumPy is here already, with threads for every core.
    single_threaded_blas()
    hide_plotting()
    collect_little()


def module_of(about: RunAbout) -> str:
    """The module that does the work of a run.

    Raises:
        WorkspaceError: There is none.
    """
    kind = about.kind or None
    if kind not in _WORK:
        raise WorkspaceError(
            f"The run is of an unknown kind, {kind!r}, or its run.json is damaged.",
            hint="Start a new run.",
        )
    return os.environ.get("MIXWRIGHT_TEST_WORKER") or _WORK[kind]


def modules(about: RunAbout) -> list[str]:
    """What a worker imports ahead: for this run first, then for every other kind."""
    first = module_of(about)
    return [first, *(_WORK.values() if first in _WORK.values() else ())]


def imported(name: str) -> ModuleType:
    """A module that does the work of a run.

    Before that of a fit a thread begins to read what the last fit ran.
    """
    if name == FIT and name not in sys.modules:
        with packages_named("rocm"):  # it imports JAX
            executables = importlib.import_module(_EXECUTABLES)
        executables.begin_reading()
    return importlib.import_module(name)


def _remember(name: str) -> None:
    """Have the next fit read ahead what this one ran."""
    if name == FIT:
        importlib.import_module(_EXECUTABLES).remember()


def _log_to_stderr() -> None:
    shape = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=shape)
    logging.getLogger("jax").setLevel(logging.WARNING)


def understood(error: Exception, about: RunAbout, run: Path) -> Exception:
    """The error in the user's words where its cause is known, else as it is."""
    text = str(error)
    if isinstance(error, MMMError):
        return error
    if isinstance(error, MemoryError) or any(sign in text for sign in _MEMORY):
        return SamplingError(
            "The run needs more memory than there is.",
            hint="Use fewer chains or draws, float32, or a machine with more memory.",
        )
    if any(sign in text for sign in _NO_DEVICE):
        return SpecError(
            f"There is no {about.device} that JAX can use on this machine.",
            hint="Choose the device auto or cpu.",
            where="sampler.device",
        )
    if is_disk_full(error):
        place = Path(getattr(error, "filename", None) or run / "result")
        return explain(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), place)
    return error


def _tell(run: Path, error: Exception) -> int:
    """Write error.json and choose the exit status."""
    if isinstance(error, MMMError):
        message, hint, where = error.message, error.hint, error.where
        is_sampling = isinstance(error, SamplingError)
        status = SAMPLING_FAILED if is_sampling else INPUT_AT_FAULT
    else:
        message = f"Mixwright made a mistake: {type(error).__name__}: {error}"
        hint, where, status = "The run's log has the details.", "", BUG
    report = {"type": type(error).__name__, "message": message, "hint": hint}
    try:
        write_json(run / "error.json", report | {"where": where})
    except WorkspaceError as failure:
        return NO_SPACE if is_disk_full(failure) else status
    return status


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
