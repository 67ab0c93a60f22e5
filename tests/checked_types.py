"""Arguments and results of core are checked; shapes where a function names some.

jaxtyping binds the arguments of every call, to compare sizes of axes that have one
name, which costs more than most functions do. A function that names no axis is
therefore checked by beartype alone: the same hints, in a tenth of the time.
"""

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
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
    if not inspect.isfunction(fn) or _names_shapes(fn):
        return _by_shape(fn, typechecker=typechecker)
    return typechecker(fn)


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
