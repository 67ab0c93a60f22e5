"""Compiled functions on disk: found by the next process, and only where they fit."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.model.compiled import executables, signed
from core.model.compiled.executables import LOWERED, SUFFIX, Persistent
from core.model.density import collapsed_log_density

#: What a process of its own does: it solves with LAPACK, and says how often it traced.
CHILD = """
import sys
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
from core.model.compiled.executables import persistent
traced = []

@persistent()
def solved(size, draws):
    traced.append(size)
    return jax.lax.map(lambda x: jnp.linalg.cholesky(jnp.eye(size) * x), draws)

total = float(solved(3, np.arange(1.0, 5.0)).sum())
print(len(traced), total)
"""


class Numbers(NamedTuple):
    values: np.ndarray
    by_name: dict[str, np.ndarray]


@pytest.fixture
def folder(tmp_path, compiled):
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    yield tmp_path
    jax.config.update("jax_compilation_cache_dir", str(compiled / "jax"))


@pytest.fixture
def traced():
    return []


@pytest.fixture
def a_process(traced):
    """The function as a process that has just begun has it."""

    def begun(**about) -> Persistent:
        return Persistent(jax.jit(partial_sum(traced), static_argnums=0), **about)

    return begun


def partial_sum(traced):
    def summed(n, numbers):
        traced.append(n)
        return numbers.values[:n].sum() + numbers.by_name["one"]

    return summed


NUMBERS = Numbers(np.arange(4.0), {"one": np.ones(3)})


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{SUFFIX}"))


def test_the_next_process_traces_nothing(tmp_path):
    said = []
    for _ in range(2):
        command = [sys.executable, "-c", CHILD, str(tmp_path)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=dict(os.environ)
        )
        said.append(done.stdout.split())
    assert [int(traces) for traces, _ in said] == [1, 0]
    assert said[0][1] == said[1][1]


def test_what_is_on_disk_is_what_was_compiled(folder, a_process, traced):
    first, second = a_process(), a_process()
    expected = first(2, NUMBERS)
    np.testing.assert_array_equal(second(2, NUMBERS), expected)
    np.testing.assert_array_equal(second(2, NUMBERS), expected)
    assert traced == [2]
    np.testing.assert_allclose(expected, np.full(3, 2.0))


def test_it_is_made_ready_without_being_run(folder, a_process, traced):
    for first, n_traced in ((a_process(), 1), (a_process(), 1)):
        with executables.getting_ready():
            nothing = first(2, NUMBERS)
        assert len(traced) == n_traced
        np.testing.assert_array_equal(nothing, np.zeros(3))
        np.testing.assert_array_equal(first(2, NUMBERS), np.full(3, 2.0))
        assert len(traced) == n_traced


def test_what_nobody_wants_any_more_is_not_made_ready(folder, a_process, traced):
    """Else an interpreter that ends waits for one compilation after the other."""
    function = a_process()
    unwanted = pytest.raises(executables.UnwantedError)
    with unwanted, executables.getting_ready(lambda: True):
        function(2, NUMBERS)
    assert traced == []
    np.testing.assert_array_equal(function(2, NUMBERS), np.full(3, 2.0))
    with executables.getting_ready(lambda: True):  # it is there: nothing to compile
        function(2, NUMBERS)


def test_two_threads_compile_it_once(folder, a_process, traced):
    function = a_process()
    with ThreadPoolExecutor(4) as threads:
        given = list(threads.map(lambda _: function(2, NUMBERS), range(8)))
    np.testing.assert_array_equal(given, np.full((8, 3), 2.0))
    assert traced == [2]


def test_another_function_is_compiled_for_itself(folder, a_process, traced):
    a_process()(2, NUMBERS)
    a_process()(3, NUMBERS)
    a_process(about="otherwise")(2, NUMBERS)
    longer = NUMBERS._replace(values=np.arange(5.0))
    a_process()(2, longer)
    single = NUMBERS._replace(values=np.arange(4, dtype=np.float32))
    a_process()(2, single)
    with jax.enable_x64(False):
        a_process()(2, NUMBERS)
    assert traced == [2, 3, 2, 2, 2, 2]
    assert len(files(folder)) == 6


@pytest.fixture
def compiled_afresh(monkeypatch):
    """Names of functions for which nothing was found."""
    names, compile_ = [], executables._compiled_afresh

    def counted(lowered, options):
        names.append(lowered.as_text().split()[1])
        return compile_(lowered, options)

    monkeypatch.setattr(executables, "_compiled_afresh", counted)
    return names


@pytest.fixture
def other_code(monkeypatch):
    """The source of the stages has changed."""
    versions = iter(range(10))

    def changed():
        number = next(versions)
        monkeypatch.setattr(executables, "_code", lambda: f"version {number}")

    return changed


def test_other_code_is_traced_again_and_compiled_if_it_comes_to_something_else(
    folder, a_process, traced, compiled_afresh, other_code
):
    expected = a_process()(2, NUMBERS)
    other_code()
    np.testing.assert_array_equal(a_process()(2, NUMBERS), expected)
    np.testing.assert_array_equal(a_process()(2, NUMBERS), expected)
    assert traced == [2, 2] and len(compiled_afresh) == 1
    assert len(files(folder)) == 2
    other_code()
    half = Persistent(jax.jit(lambda n, x: x.values[:n].sum() / 2, static_argnums=0))
    half._jitted.__name__ = "summed"
    assert float(half(2, NUMBERS)) == 0.5
    assert len(compiled_afresh) == 2


@pytest.mark.parametrize("about", ["constants", "arguments", "results"])
def test_what_comes_to_nearly_the_same_is_compiled_for_itself(
    folder, compiled_afresh, other_code, about
):
    """Of one name, and of the same shapes."""
    large = jnp.arange(5_000.0)
    first, second = {
        "constants": (lambda x, y: x + np.arange(5e3), lambda x, y: x + np.ones(5_000)),
        "arguments": (lambda x, y: x + 1, lambda x, y: y + 1),
        "results": (lambda x, y: {"a": x}, lambda x, y: {"b": x}),
    }[about]
    for function in (first, second):
        other_code()
        given = Persistent(jax.jit(function), n_static=0)(large, -large)
        jax.tree.map(np.testing.assert_array_equal, given, function(large, -large))
    assert len(compiled_afresh) == 2


def test_what_jax_read_from_its_own_cache_is_not_written(folder, a_process, traced):
    """It cannot be: it has lost half of itself. So it is compiled afresh."""
    expected = a_process()(2, NUMBERS)
    for file in (*files(folder), *folder.glob(f"*{LOWERED}")):
        file.unlink()
    a_process()(2, NUMBERS)
    assert len(files(folder)) == 1
    np.testing.assert_array_equal(a_process()(2, NUMBERS), expected)
    assert traced == [2, 2]


@pytest.mark.parametrize("content", [b"", b"x" * 100, None])
def test_a_damaged_file_is_made_again(folder, a_process, traced, content):
    expected = a_process()(2, NUMBERS)
    (file,) = files(folder)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if content is None else content)
    np.testing.assert_array_equal(a_process()(2, NUMBERS), expected)
    assert traced == [2, 2]
    np.testing.assert_array_equal(a_process()(2, NUMBERS), expected)
    assert traced == [2, 2]


def test_what_another_machine_made_is_not_opened(
    folder, a_process, traced, monkeypatch
):
    """A workspace may come from anybody; what it brings must not run."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(signed, "_machine", lambda: b"another machine")
        expected = a_process()(2, NUMBERS)
    np.testing.assert_array_equal(a_process()(2, NUMBERS), expected)
    assert traced == [2, 2]


def test_one_that_does_not_run_is_done_without(folder, a_process, traced, monkeypatch):
    expected = a_process()(2, NUMBERS)

    def broken(*arguments):
        raise jax.errors.JaxRuntimeError("NOT_FOUND: Function fusion.1 not found")

    with monkeypatch.context() as patch:
        patch.setattr(executables, "read", lambda content: broken)
        again = a_process()
        np.testing.assert_array_equal(again(2, NUMBERS), expected)
        np.testing.assert_array_equal(again(2, NUMBERS), expected)
    assert traced == [2, 2]
    assert not files(folder)
    # Under its other name it is not tried again either.
    np.testing.assert_array_equal(a_process()(2, NUMBERS), expected)
    assert traced == [2, 2, 2] and len(files(folder)) == 1


def test_a_full_disk_is_no_reason_to_fail(folder, a_process, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(executables, "_write", full)
    np.testing.assert_allclose(a_process()(2, NUMBERS), np.full(3, 2.0))
    assert not files(folder)


def test_what_cannot_be_described_is_not_kept(folder, traced):
    inner = Persistent(
        jax.jit(lambda values: values.sum()), n_static=0, about=lambda x: x
    )
    assert float(inner(np.ones(3))) == 3.0
    assert not files(folder)


def test_inside_another_function_it_is_a_part_of_that(folder, a_process, traced):
    own = a_process()
    of = jax.jit(lambda values: own(2, NUMBERS._replace(values=values)).sum())
    assert float(of(np.arange(4.0))) == 6.0
    assert not files(folder)


def test_ahead_of_its_first_call(folder, a_process, traced):
    shapes = jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), NUMBERS
    )
    ahead = a_process().ahead(2, shapes)
    assert traced == [2]
    np.testing.assert_allclose(ahead(NUMBERS), np.full(3, 2.0))
    assert traced == [2]


def test_without_a_folder_it_is_a_jitted_function(a_process, traced, compiled):
    jax.config.update("jax_compilation_cache_dir", None)
    try:
        own = a_process()
        np.testing.assert_allclose(own(2, NUMBERS), np.full(3, 2.0))
        np.testing.assert_allclose(own(2, NUMBERS), np.full(3, 2.0))
        assert traced == [2]
    finally:
        jax.config.update("jax_compilation_cache_dir", str(compiled / "jax"))


def test_static_arguments_are_described_in_full():
    def described(static):
        return executables._described(static)

    assert described((1, 2.0, "a", None, True)) != described((1, 2.0, "a", None, 1))
    assert described(((1,), 2)) != described((1, (2,)))
    ours = collapsed_log_density
    assert described(ours) == "core.model.density.collapsed_log_density"
    theirs = jnp.linalg.cholesky  # whose code is in no digest
    for opaque in (theirs, lambda x: x, partial(max), np.arange(3), {"a": 1}):
        with pytest.raises(TypeError):
            described((opaque,))


def test_what_a_fit_compiles_is_kept():
    """Or the next fit of a shape traces it again, in every process."""
    core = Path(executables.__file__).parents[2]
    jitted = {
        path: path.read_text()
        for stage in ("model", "fit", "analysis")
        for path in (core / stage).rglob("*.py")
        if "jax.jit" in path.read_text()
    }
    kept = {path for path, text in jitted.items() if "Persistent(" in text}
    within_others = {core / "model" / "compiled" / "fusion.py"}  # never run by itself
    assert jitted.keys() - kept == within_others
