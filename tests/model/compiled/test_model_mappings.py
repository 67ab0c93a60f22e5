"""A process that holds too many mappings of memory lets go of what it has compiled."""

import os
import subprocess
import sys
from inspect import unwrap
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.fit.fit import fit
from core.model.compiled import mappings
from core.model.compiled.executables import Persistent
from core.model.compiled.mappings import make_room

pytestmark = pytest.mark.skipif(
    not mappings._MOST.exists(), reason="this kernel sets no limit of mappings"
)

#: What a long session does: it fills all mappings but some hundreds, then goes on
#: compiling. The argument says whether it makes room before each function.
CHILD = """
import ctypes, os, sys
import jax, jax.numpy as jnp, numpy as np
from core.fit.fit import fit
from core.model.compiled import mappings
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
pointer, size, whole = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
libc.mmap.argtypes = [pointer, size, whole, whole, whole, ctypes.c_long]
libc.mprotect.argtypes = [pointer, size, whole]
most = int(mappings._MOST.read_text())
used = lambda: mappings._USED.read_bytes().count(b"\\n")
page, spare = os.sysconf("SC_PAGE_SIZE"), most - used() - 800
start = libc.mmap(None, page * (spare + 2), 3, 0x22, -1, 0)
for i in range(0, spare, 2):
    libc.mprotect(start + page * i, page, 1)
kept = []
for k in range(60):
    if sys.argv[2] == "room":
        mappings.make_room(share=1 - 400 / most)
    total = lambda x: jax.lax.map(jnp.cumsum, jnp.tanh(x @ x.T) * k).sum()
    function = jax.jit(jax.grad(total))
    function(np.ones((9, 9)))
    kept.append(function)
print("ended", k)
"""


def used() -> int:
    return mappings._USED.read_bytes().count(b"\n")


@pytest.fixture
def function():
    def total(x):
        return jnp.cumsum(jnp.tanh(x @ x.T)).sum()

    return Persistent(jax.jit(total), n_static=0)


def test_above_its_share_what_is_compiled_is_dropped(function, tmp_path, monkeypatch):
    before = float(function(np.ones((5, 7))))
    for n in range(2, 12):
        jnp.ones((n, 3)) + n
    (tmp_path / "most").write_text(f"{used()}\n")
    monkeypatch.setattr(mappings, "_MOST", tmp_path / "most")
    held = used()
    assert make_room()
    assert used() < held
    assert function._ready == {}
    assert float(function(np.ones((5, 7)))) == before


def test_below_it_nothing_is(function):
    function(np.ones((5, 7)))
    assert not make_room(share=1.0)
    assert function._ready


def test_a_kernel_without_such_a_limit_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(mappings, "_MOST", tmp_path / "none")
    assert not make_room(share=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["room", "none"])
def test_a_long_session_lives_only_because_it_makes_room(how, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path), how],
        capture_output=True,
        text=True,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        cwd=Path(mappings.__file__).parents[3],
        timeout=300,
    )
    if how == "none" and done.returncode == 0:
        pytest.skip("this compiler takes fewer mappings")
    assert (done.returncode == 0) == (how == "room"), done.stderr[-2000:]


def test_every_fit_begins_by_making_room(monkeypatch):
    class Made(Exception):
        """That room was made."""

    def made():
        raise Made

    monkeypatch.setattr("core.fit.fit.make_room", made)
    with pytest.raises(Made):
        unwrap(fit)(None, None)  # the types are not at issue here
