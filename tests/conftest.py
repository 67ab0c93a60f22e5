"""What every test gets: double precision, one thread of algebra, quick compiling.

Chains run in processes of their own and choose their precision themselves; a test
that needs single precision in this process uses `jax.enable_x64(False)`. What one
process has compiled, no other compiles again, in this run or the next; see
tests/kept.py.
"""

import gc
import os
import pickle
from pathlib import Path

# Until all is collected: what modules and tests hold lives as long as the process.
gc.disable()
# Each compiles in four fifths of the time; read when JAX first computes.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1",
)
# Compiles in half the time what then computes little; workers and commands, too.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
# An app that starts in an empty workspace would fit its demo beside the tests.
os.environ.setdefault("MIXWRIGHT_DEMO_FIT", "0")
# Nor should a worker practise for the next fit there.
os.environ.setdefault("MIXWRIGHT_WARM_WORKER", "off")

import jax  # noqa: E402
import pytest  # noqa: E402
import xarray  # noqa: E402

from tests import checked_types, order, shelf  # noqa: E402

checked_types.install()

from core.data.files import ahead, isolated  # noqa: E402
from core.fit.devices import single_threaded_blas  # noqa: E402
from core.model.compiled.mappings import make_room  # noqa: E402
from tests import kept  # noqa: E402
from tests.warm_reader import Nursery  # noqa: E402

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_most_optimizations", True)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
single_threaded_blas()


def pytest_ignore_collect(collection_path, config):
    """Files without a test that the marks ask for are not even imported."""
    marks = config.getoption("markexpr").split(" and ")
    return order.is_left_out(collection_path, marks) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """The longest files first, so that no process is left alone with one at the end."""
    for item in items:
        if order.is_slow(item.path):
            item.add_marker(pytest.mark.slow)
    seconds = order.durations()
    items.sort(key=lambda item: -seconds.get(order.name(item.path), 0.0))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What was imported is not searched for garbage any more, by tests or screens."""
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)  # tracing makes more objects than garbage
        gc.enable()


def pytest_sessionfinish():
    """One process of a run tidies what all of them keep."""
    if not os.environ.get("PYTEST_XDIST_WORKER"):
        kept.tidy()


@pytest.fixture(scope="session", autouse=True)
def compiled(tmp_path_factory):
    """The folder of compiled functions, shared by all processes and kept."""
    base = tmp_path_factory.getbasetemp()
    folder = kept.folder(base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base)
    jax.config.update("jax_compilation_cache_dir", str(folder))
    return folder.parent


@pytest.fixture(scope="module", autouse=True)
def _room_for_what_is_compiled():
    """A process that runs thousands of tests compiles more than it may hold."""
    yield
    make_room(share=0.3)


#: How the product starts a reader, and one ahead.
_STARTED, _PREPARE = isolated.started, ahead.Ahead.prepare


@pytest.fixture(scope="session", autouse=True)
def _readers_are_forked():
    """Files are read in forks of one process; see tests/warm_reader.py."""
    nursery = Nursery()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolated, "started", nursery.started)
        patch.setattr(ahead.Ahead, "prepare", lambda self: None)
        yield
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


@pytest.fixture(scope="session")
def source_messages(tmp_path_factory):
    """`tools.languages.messages` is taken from the source by one process of a run."""
    from tools import languages

    base = tmp_path_factory.getbasetemp()
    base = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    file, taken = base / "messages.pickle", languages.messages
    if not file.is_file():
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(pickle.dumps(taken()))
        part.replace(file)
    messages = pickle.loads(file.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(languages, "messages", lambda: messages)
        yield


@pytest.fixture(scope="session")
def small_fit(tmp_path_factory, compiled):
    """A workspace with a small finished fit, for all processes: `small_fit.copied`."""
    from tests import small_fit

    base = tmp_path_factory.getbasetemp()
    return small_fit.shared(
        base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    )


@pytest.fixture
def own_readers(monkeypatch):
    """Every reader is started as the product starts it."""
    monkeypatch.setattr(isolated, "started", _STARTED)
    monkeypatch.setattr(ahead.Ahead, "prepare", _PREPARE)


@pytest.fixture(scope="module")
def optimised():
    """Compiles as the product does; for a module that computes much."""
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", True)


@pytest.fixture
def keeps_compiled(compiled):
    """Gives a workspace the session's compiled functions."""

    def give(home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        (home / "cache").symlink_to(compiled)

    return give
