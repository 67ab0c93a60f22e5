"""Executables: compiled functions kept on disk, ready to run in the next process.

JAX's own cache spares a process the compiling. But to know which entry it needs, JAX
must trace and lower the function first, and for a fit that takes as long as sampling a
small market does. Here an executable is filed under what it is made of: the function,
its static arguments, the shapes of the others, the source of the stages that functions
are traced from, the versions of the compiler, its settings, and the machine.

Where the source has changed, the function is traced again; where that gives the same
program, the earlier executable is used. For that each file has a second name, made of
what was lowered.

The files lie in the folder of JAX's cache, are pruned with it, and are signed
(`core.model.compiled.signed`). Without such a folder, or where anything here fails, JAX
does what it does without.
"""

import contextlib
import hashlib
import logging
import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from core.model.compiled import read_ahead
from core.model.compiled.signed import content_of, load_lapack, read
from core.model.compiled.surroundings import surroundings

#: How files of executables end: by source, and by what was lowered.
SUFFIX, LOWERED = ".executable", ".lowered"
#: The stages whose code is traced.
_ROOT, _STAGES = Path(__file__).parents[2], ("model", "fit", "analysis", "plan")
_OURS = tuple(f"core.{stage}." for stage in _STAGES)
_HIT = "/jax/compilation_cache/cache_hits"
#: Compiled in about half of the time, for the same numbers (bench/RESULTS.md), in one
#: part on one thread: loops that have much to do in a step, as those over multiples of
#: a market's curve, get slower.
PLAIN = (
    ("xla_cpu_use_fusion_emitters", False),
    ("xla_cpu_parallel_codegen_split_count", 1),
)
#: Compiled in about a fifth of the time, and a few times slower: for what runs once or
#: on few numbers.
QUICK = (*PLAIN, ("xla_backend_optimization_level", 0))

_LOG = logging.getLogger(__name__)
#: `is_ahead`: whether this thread only gets functions ready; `is_over`: asked before
#: each of them whether anybody still wants it.
_THREAD = threading.local()
#: All functions of this process whose executables are kept.
_ALL: "weakref.WeakSet[Persistent]" = weakref.WeakSet()


class UnwantedError(Exception):
    """A function was to be got ready that nobody waits for any more."""


class Persistent:
    """A jitted function whose executables are kept on disk.

    Args:
        jitted: What `jax.jit` gives.
        n_static: How many of its first arguments are static.
        about: What else decides what is compiled: closed-over options, for instance.
        options: Of the compiler, on a CPU: `PLAIN`, `QUICK` or none.
    """

    def __init__(
        self,
        jitted: Callable,
        n_static: int = 1,
        about: Hashable = (),
        options: tuple[tuple[str, bool | int], ...] = (),
    ):
        self._jitted, self._n_static, self._about = jitted, n_static, about
        self._options = options
        self._name = f"{jitted.__module__}.{jitted.__qualname__}"
        self._ready: dict[Hashable, Callable] = {}
        #: Files of executables that have not run in this process yet.
        self._untried: dict[Hashable, Path] = {}
        #: Two threads that need one function do not both compile it.
        self._guard = threading.Lock()
        _ALL.add(self)

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives."""
        key = self._key(arguments)
        if key is None:
            return self._jitted(*arguments)
        run, others = self._made_ready(key, arguments), arguments[self._n_static :]
        if getattr(_THREAD, "is_ahead", False):
            return jax.tree.map(
                lambda leaf: np.zeros(leaf.shape, leaf.dtype), run.out_info
            )
        path = self._untried.pop(key, None)
        if path is None:
            return run(*others)
        try:
            return jax.block_until_ready(run(*others))
        except jax.errors.JaxRuntimeError:  # whatever is wrong with it: do without
            _LOG.warning("%s could not be used.", path.name, exc_info=True)
            _spoil(path)
            self._ready[key] = partial(self._jitted, *arguments[: self._n_static])
            return self._jitted(*arguments)

    def ahead(self, *arguments: Any) -> Callable:
        """The function of the arguments that are not static, loaded or compiled.

        Args:
            arguments: As in a call; arrays may be `jax.ShapeDtypeStruct`.
        """
        key = self._key(arguments)
        if key is None:
            return self._jitted.lower(*arguments).compile()
        self._made_ready(key, arguments)
        return partial(self, *arguments[: self._n_static])

    def is_kept(self, *arguments: Any) -> bool:
        """Whether a call compiles nothing: the executable is here, or on the disk.

        Args:
            arguments: As in a call; arrays may be `jax.ShapeDtypeStruct`.
        """
        key = self._key(arguments)
        if key is None:
            return False
        if key in self._ready:
            return True
        try:
            return self._path(key).is_file()
        except TypeError:
            return False

    def forget(self) -> None:
        """Let go of every executable; the next call loads or compiles it."""
        with self._guard:
            self._ready.clear()
            self._untried.clear()

    def _made_ready(self, key: Hashable, arguments: tuple) -> Callable:
        ready = self._ready.get(key)
        if ready is None:
            _refuse_unwanted()
            with self._guard:
                ready = self._ready.get(key)
                if ready is None:
                    ready = self._ready[key] = self._found(key, arguments)
        return ready

    def _key(self, arguments: tuple) -> Hashable | None:
        """What tells one executable from another; None where none is kept."""
        leaves, tree = jax.tree.flatten(arguments[self._n_static :])
        is_traced = any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
        if is_traced or not jax.config.jax_compilation_cache_dir:
            return None
        types = tuple(_type_of(leaf) for leaf in leaves)
        is_double = jax.config.jax_enable_x64  # a thread may have its own
        return arguments[: self._n_static], tree, types, is_double

    def _path(self, key: Hashable) -> Path:
        """Where the executable is filed.

        Raises:
            TypeError: A static argument has no full description: it is not kept.
        """
        described = _described((key[0], self._about, self._options))
        of_source = (self._name, described, _shapes(key), _code(), surroundings())
        name = f"{self._jitted.__name__}-{_digest(of_source)}{SUFFIX}"
        return _folder() / name

    def _found(self, key: Hashable, arguments: tuple) -> Callable:
        """From the disk, or compiled and written there."""
        lower = partial(self._jitted.lower, *arguments)
        options = dict(self._options) if jax.default_backend() == "cpu" else {}
        try:
            path = self._path(key)
        except TypeError:
            return lower().compile(options)
        if (found := read_ahead.taken(path) or _opened(path)) is not None:
            self._untried[key] = path
            return found
        lowered = lower()
        of_lowered = (_shapes(key), options, _traced_to(lowered), surroundings())
        twin = path.parent / f"{self._jitted.__name__}-{_digest(of_lowered)}{LOWERED}"
        with contextlib.suppress(OSError):  # none is there, or no second names here
            path.unlink(missing_ok=True)
            os.link(twin, path)
            if (found := _opened(path)) is not None:
                self._untried[key] = path
                return found
        compiled = _compiled_afresh(lowered, options)
        try:
            _write(path, content_of(compiled))
        except Exception:  # the next process compiles it again
            _LOG.info("%s was not kept.", path.name, exc_info=True)
        else:
            with contextlib.suppress(OSError):
                twin.unlink(missing_ok=True)
                os.link(path, twin)
        return compiled


def _shapes(key: Hashable) -> str:
    """The tree and the types of the arguments that are not static."""
    _, tree, types, _ = key
    return f"{tree} {types}"


def begin_reading() -> None:
    """Read what the last process that said so ran, on a thread, while this imports."""
    load_lapack()  # an import of its own, which the thread is to find done
    read_ahead.begin(_folder(), _here, _opened)


def remember() -> None:
    """Have the next process read ahead what this one ran."""
    read_ahead.remember(_folder(), _here(), _write)


def _folder() -> Path:
    return Path(jax.config.jax_compilation_cache_dir or os.devnull)


def _here() -> str:
    """What every executable depends on, in short."""
    return _digest((_code(), surroundings()))


def forget() -> None:
    """Let go of the executables of all functions in this process."""
    for each in list(_ALL):
        each.forget()


def persistent(
    n_static: int = 1, options: tuple[tuple[str, bool | int], ...] = ()
) -> Callable[[Callable], Persistent]:
    """Decorator: the function jitted, its first arguments static, its executables kept.

    Args:
        n_static: How many of the first arguments are static.
        options: Of the compiler, as `Persistent` takes them.
    """
    return lambda function: Persistent(
        jax.jit(function, static_argnums=tuple(range(n_static))),
        n_static,
        options=options,
    )


@contextlib.contextmanager
def getting_ready(is_over: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Functions that this thread calls inside are loaded or compiled, and give zeros.

    Those whose executables are not kept run as ever. A compiler cannot be stopped, and
    an interpreter waits for its threads: so each function is asked for again.

    Args:
        is_over: Whether nobody wants the functions any more.

    Raises:
        UnwantedError: So it is, before the next function that is not ready yet.
    """
    _THREAD.is_ahead, _THREAD.is_over = True, is_over
    try:
        yield
    finally:
        _THREAD.is_ahead = False


def _refuse_unwanted() -> None:
    if getattr(_THREAD, "is_ahead", False) and _THREAD.is_over():
        raise UnwantedError


def _traced_to(lowered: Any) -> tuple[str, ...]:
    """What tells a lowered function from others, whatever source it came from."""
    try:  # arguments that it does not use are not in its text
        used = str(sorted(lowered._lowering.compile_args["kept_var_idx"]))
    except (AttributeError, KeyError):  # another JAX: nothing is known to be the same
        used = os.urandom(8).hex()
    return lowered.as_text(), str(lowered.out_tree), used


def _digest(about: tuple) -> str:
    return hashlib.sha256(repr(about).encode()).hexdigest()[:40]


def _opened(path: Path) -> Callable | None:
    """The executable of a file, if there is one that can be read."""
    try:
        return read(path.read_bytes())
    except FileNotFoundError:
        return None
    except Exception:  # cut short, or unreadable: it is made again
        _LOG.warning("%s could not be used.", path.name, exc_info=True)
        return None


def _spoil(path: Path) -> None:
    """Take a file away that cannot be used, whatever other name it has."""
    with contextlib.suppress(OSError):
        path.write_bytes(b"")
        path.unlink()


def _compiled_afresh(lowered: Any, options: dict[str, bool | int]) -> Any:
    """A compiled function that can be written to disk.

    One that JAX read from its own cache cannot: it has lost the half that is written.
    """
    with _hits() as hits:
        compiled = lowered.compile(options)
    if not hits:
        return compiled
    # A number that only a debug print looks at: no entry of the cache has it.
    number = int.from_bytes(os.urandom(3))
    return lowered.compile(options | {"xla_debug_buffer_assignment_show_max": number})


@contextlib.contextmanager
def _hits() -> Iterator[list[str]]:
    """What this thread reads from JAX's cache inside."""
    thread, hits = threading.get_ident(), []

    def hear(event: str, **about: object) -> None:
        if event == _HIT and threading.get_ident() == thread:
            hits.append(event)

    jax.monitoring.register_event_listener(hear)
    try:
        yield hits
    finally:
        jax.monitoring.unregister_event_listener(hear)


def _type_of(leaf: Any) -> tuple[tuple[int, ...], str, bool]:
    """Shape, type, and whether the type is weak, as JAX takes an argument."""
    if isinstance(leaf, np.ndarray):
        return leaf.shape, _name_of(leaf.dtype, jax.config.jax_enable_x64), False
    if isinstance(leaf, jax.Array):  # most leaves are one: `jax.typeof` takes its time
        weak = bool(getattr(leaf, "weak_type", False))
        return leaf.shape, _name_of(leaf.dtype, True), weak
    kind = jax.typeof(leaf) if not isinstance(leaf, jax.ShapeDtypeStruct) else leaf
    return kind.shape, str(kind.dtype), bool(getattr(kind, "weak_type", False))


@cache
def _name_of(dtype: Any, is_double: bool) -> str:
    """The name of a type as JAX has it, which depends on whether it has doubles."""
    return str(dtype if is_double else jax.dtypes.canonicalize_dtype(dtype))


def _described(static: Any) -> str:
    """A static argument in full, the same in every process.

    Raises:
        TypeError: It holds something that has no such description.
    """
    if static is None or isinstance(static, bool | int | float | str | np.dtype):
        return repr(static)
    if isinstance(static, tuple):
        name = type(static).__qualname__
        return f"{name}({','.join(_described(each) for each in static)})"
    if is_dataclass(static) and not isinstance(static, type):
        parts = (_described(getattr(static, each.name)) for each in fields(static))
        return f"{type(static).__qualname__}({','.join(parts)})"
    name = f"{getattr(static, '__module__', '')}.{getattr(static, '__qualname__', '')}"
    # Of other code there is no digest: a function of the same name may do otherwise.
    if name.startswith(_OURS) and "<locals>" not in name:
        return name
    raise TypeError(type(static).__name__)


@cache
def _code() -> str:
    """Digest of the source that is traced."""
    source = hashlib.sha256()
    for stage in _STAGES:
        for path in sorted((_ROOT / stage).rglob("*.py")):
            source.update(path.read_bytes())
    return source.hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Write a file whole, or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
