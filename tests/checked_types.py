"""Arguments and results of core are checked; shapes where a function names some.

jaxtyping binds the arguments of every call, to compare sizes of axes that have one
name, which costs more than most functions do. A function that names no axis is
therefore checked by beartype alone: the same hints, in a tenth of the time. A function
within a function is made anew at every call of the outer one: what checks it is made
once, and put around each of them.
"""

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial, update_wrapper
from types import CodeType, FunctionType
from typing import get_args, get_type_hints

import jaxtyping

_by_shape = jaxtyping.jaxtyped


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
    if _names_shapes(fn):
        return _by_shape(fn, typechecker=typechecker)
    made = typechecker(fn)
    if is_inner:
        _inner[id(fn.__code__)] = (fn.__code__, fn.__annotations__, made)
    return made


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


def _names_shapes(function: Callable) -> bool:
    """Whether a hint has axes, or cannot be told: a name for annotations only."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except Exception:
        return True
    return any(map(_has_axes, hints.values()))


def _has_axes(hint: object) -> bool:
    parts = hint if isinstance(hint, list) else get_args(hint)
    return type(hint).__module__.startswith("jaxtyping") or any(map(_has_axes, parts))
