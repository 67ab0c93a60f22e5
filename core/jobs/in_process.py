"""A fit in this process: for notebooks and scripts that want no other.

The run's directory is that of any run, and the lock on it is held, so that the app and
the command line see it at work and see how it ended.
"""

import os
import sys
from pathlib import Path

from core.errors import MMMError, WorkspaceError
from core.fit.devices import no_word_of_the_cache
from core.jobs.worker import Progress, jax_environment, understood
from core.store.locks import hold
from core.store.run_about import RunSampler, read_about
from core.store.run_state import write_state


def work(run: Path) -> None:
    """Do a new fit here, and write how it ended.

    Args:
        run: The run directory, from `new_run`.

    Raises:
        MMMError: The input is at fault, sampling failed, or the run is at work.
        KeyboardInterrupt: Somebody interrupted it; the run is cancelled then.
    """
    about = read_about(run)
    lock = hold(run / "lock", patience=1.0)
    if lock is None:
        raise WorkspaceError(f"Run {run.name} is already running.", where=run.name)
    progress = Progress(run)
    try:
        write_state(run, "running")
        _prepare_jax(about.sampler)
        from core.jobs.tasks.fit_run import execute

        execute(run, progress.report, lambda: False)
        write_state(run, "done", rc=0)
    except KeyboardInterrupt:
        write_state(run, "cancelled", message="The run was cancelled.")
        raise
    except Exception as error:  # whatever it is, the run must get its last word
        reason = understood(error, about, run)
        if not isinstance(reason, MMMError):
            write_state(run, "failed", message=f"{type(error).__name__}: {error}")
            raise
        write_state(run, "failed", message=reason.message, hint=reason.hint)
        raise reason from error
    finally:
        progress.flush()
        os.close(lock)


def _prepare_jax(sampler: RunSampler) -> None:
    """JAX as a worker would have it; what is set at its start only stays as it is."""
    no_word_of_the_cache()
    environment = jax_environment(sampler)
    os.environ.update(environment)
    if "jax" not in sys.modules:
        return
    import jax

    jax.config.update("jax_enable_x64", sampler.precision == "float64")
    name = "jax_default_matmul_precision"
    jax.config.update(name, environment[name.upper()])
