"""Arguments and results of core are checked; shapes where a function names some.

jaxtyping binds the arguments of every call and checks them twice, to compare sizes of
axes that have one name, which costs more than most functions do. A function that names
no axis is therefore checked by beartype alone, in a tenth of the time, and one that
does by beartype within a place where axes have their sizes: the same hints, each looked
at once. Only sizes that are computed from an argument, as in "{n_times}", need the
arguments bound. A function within a function is made anew at every call of the outer
one: what checks it is made once, and put around each of them.
"""

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from functools import partial, update_wrapper, wraps
from types import CodeType, FunctionType
from typing import get_args, get_type_hints

import jaxtyping

_by_shape = jaxtyping.jaxtyped
#: Sizes that axes have in the call at hand; entered anew by every call.
_SIZES = jaxtyping.jaxtyped("context")


def install() -> None:
    """Have jaxtyping's import hook (see pyproject.toml) check this way."""
    jaxtyping.jaxtyped = checked


def checked(fn=None, *, typechecker: Callable):
    """What jaxtyping's hook puts on every function and class of a module."""
    if fn is None:
        return partial(checked, typechecker=typechecker)
    if inspect.isclass(fn):
        if dataclasses.is_dataclass(fn):
            fn.__init__ = checked(fn.__init__, typechecker=typechecker)
        return fn
    if isinstance(fn, classmethod | staticmethod):
        return type(fn)(checked(fn.__func__, typechecker=typechecker))
    if not inspect.isfunction(fn):
        return _by_shape(fn, typechecker=typechecker)
    is_inner = "<locals>" in fn.__qualname__
    if is_inner and (known := _known(fn)) is not None:
        return known
    axes = _axes_of(fn)
    if axes is None or any("{" in each for each in axes):
        return _by_shape(fn, typechecker=typechecker)
    made = typechecker(fn)
    if axes:
        return _with_sizes(fn, made)
    if is_inner:
        _inner[id(fn.__code__)] = (fn.__code__, fn.__annotations__, made)
    return made


def _with_sizes(function: FunctionType, made: Callable) -> Callable:
    """A checked function whose calls each have sizes of their own."""

    @wraps(function)
    def call(*arguments, **options):
        with _SIZES:
            return made(*arguments, **options)

    return call


#: Functions within functions by their code, which is one for all that are made of it:
#: the code, hints, and the first of them with its checks.
_inner: dict[int, tuple[CodeType, dict[str, object], Callable]] = {}


def _known(function: FunctionType) -> FunctionType | None:
    """A function with the checks of an earlier one of the same code and hints."""
    _, hints, first = _inner.get(id(function.__code__), (None, None, None))
    given = function.__annotations__
    if first is None or hints != given or str in map(type, given.values()):
        return None
    options = first.__kwdefaults__ or {}
    if first.__code__ is function.__code__:  # nothing to check
        return function
    if "__beartype_func" not in options:
        return None
    parts = (first.__code__, first.__globals__, first.__name__, first.__defaults__)
    copy = FunctionType(*parts, first.__closure__)
    copy.__kwdefaults__ = {**options, "__beartype_func": function}
    return update_wrapper(copy, function)


def _axes_of(function: Callable) -> list[str] | None:
    """Axes that hints name; None where they cannot be told: a name for hints only."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except Exception:
        return None
    return [axes for hint in hints.values() for axes in _axes(hint)]


def _axes(hint: object) -> Iterator[str]:
    if type(hint).__module__.startswith("jaxtyping"):
        yield getattr(hint, "dim_str", "{")
    for part in hint if isinstance(hint, list) else get_args(hint):
        yield from _axes(part)
