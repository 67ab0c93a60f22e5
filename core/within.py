"""Within: a value that the body of a `with` has for itself, in its thread or task.

A module keeps the value, and has a name for what sets it:

    _theme: Within[str] = Within("theme", "light")

    def in_theme(theme):
        return _theme.during(theme)
"""

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Within(Generic[_Value]):
    """A value that bodies set.

    Args:
        name: Of the value, for who debugs.
        outside: What it is outside of every body.
    """

    def __init__(self, name: str, outside: _Value) -> None:
        self._variable = contextvars.ContextVar(name, default=outside)
        self.get = self._variable.get

    @contextlib.contextmanager
    def during(self, value: _Value) -> Iterator[None]:
        """Have the body find this value."""
        token = self._variable.set(value)
        try:
            yield
        finally:
            self._variable.reset(token)
