"""What every test gets: double precision, one thread of algebra, quick compiling.

Chains run in processes of their own and choose their precision themselves; a test
that needs single precision in this process uses `jax.enable_x64(False)`. What one
process has compiled, no other compiles again: one folder for each test session.
"""

import os
from pathlib import Path

# Compiles in four fifths of the time; read when JAX first computes.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")
# An app that starts in an empty workspace would fit its demo beside the tests.
os.environ.setdefault("MIXWRIGHT_DEMO_FIT", "0")
# Nor should a worker practise for the next fit there.
os.environ.setdefault("MIXWRIGHT_WARM_WORKER", "off")

import jax  # noqa: E402
import pytest  # noqa: E402
import xarray  # noqa: E402

from tests import checked_types, shelf  # noqa: E402

checked_types.install()

from core.data.files import isolated  # noqa: E402
from core.fit.devices import single_threaded_blas  # noqa: E402
from tests.warm_reader import Nursery  # noqa: E402

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
single_threaded_blas()


#: Slow by nature, and so run by `make test-slow`: journeys in a browser, clusters,
#: processes that are killed, fits and densities that compile for themselves alone,
#: every public table, every screen tried by a person who may only read.
SLOW = (
    "e2e",
    "recovery",
    "parity",
    "notebook",
    "analysis/test_analysis_backtest.py",
    "cli/test_cli_many.py",
    "data/test_data_census.py",
    "data/test_data_counted.py",
    "data/test_data_isolated.py",
    "data/test_data_large.py",
    "plan/test_plan_flight_goals.py",
    "plan/test_plan_flight_target.py",
    "data/test_data_layout_public.py",
    "fit/test_fit_devices.py",
    "jobs/test_jobs_backtest_run.py",
    "jobs/test_jobs_cluster.py",
    "jobs/test_jobs_fault_suite.py",
    "jobs/test_jobs_faults.py",
    "jobs/test_jobs_fit_run.py",
    "jobs/test_jobs_flight_run.py",
    "jobs/test_jobs_funnel_run.py",
    "jobs/test_jobs_no_spend.py",
    "jobs/test_jobs_refresh_run.py",
    "jobs/test_jobs_standby.py",
    "model/test_model_collapsed.py",
    "model/test_model_common_noise.py",
    "model/test_model_linear_block.py",
    "pages/test_pages_attempts.py",
    "pages/test_pages_viewer.py",
    "plan/test_plan_first.py",
    "test_privacy.py",
    "test_proxy.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Slow files first, so that no process is left alone with them at the end."""
    here = Path(__file__).parent
    for item in items:
        if any(item.path.is_relative_to(here / name) for name in SLOW):
            item.add_marker(pytest.mark.slow)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session", autouse=True)
def compiled(tmp_path_factory):
    """The folder of compiled functions, shared by all processes of the session."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    named = os.environ.get("JAX_COMPILATION_CACHE_DIR")  # of several sessions
    folder = Path(named) if named else base / "compiled" / "jax"
    folder.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(folder))
    return folder.parent


#: How the product starts a reader.
_STARTED = isolated.started


@pytest.fixture(scope="session", autouse=True)
def _readers_are_forked():
    """Files are read in forks of one process; see tests/warm_reader.py."""
    nursery = Nursery()
    isolated.started = nursery.started
    yield
    isolated.started = _STARTED
    nursery.end()


@pytest.fixture(scope="session", autouse=True)
def _nothing_waits_for_the_disk():
    """No test cuts the power: nothing written need reach the disk at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: os.fstat(file) and None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _views_are_parsed_once():
    """A result is verified at every reading; what its bytes mean does not change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(xarray, "open_dataset", shelf.open_dataset)
        yield


@pytest.fixture
def own_readers(monkeypatch):
    """Every reader is started as the product starts it."""
    monkeypatch.setattr(isolated, "started", _STARTED)


@pytest.fixture(scope="module")
def hardly_optimised():
    """Compiles in half the time what then computes little; for a module of tests."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture
def keeps_compiled(compiled):
    """Gives a workspace the session's compiled functions."""

    def give(home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        (home / "cache").symlink_to(compiled)

    return give
