"""Once: what screens work out is kept between scripts and readers, by what it is of."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from pages.ui.reader import tongue

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
_Function = Callable[_Asked, _Answer]


def once(
    of: Callable[..., object], *, most: int, wait: str = "", english: bool = True
) -> Callable[[_Function], _Function]:
    """A function that answers the same question once. Never change an answer.

    Args:
        of: What tells questions apart, by the arguments of the function.
        most: Answers that are kept.
        wait: What is said meanwhile, a `tongue.Later`; nothing where it is quick.
        english: Whether answers are worked out in English, see `tongue.in_english`.
    """

    def decorate(function: _Function) -> _Function:
        work = tongue.in_english(function) if english else function

        def kept(question: str, _answer: Callable[[], Any]) -> Any:
            return _answer()

        # Streamlit tells what it keeps apart by the names of functions.
        kept.__module__, kept.__qualname__ = function.__module__, function.__qualname__
        keeps = st.cache_resource(max_entries=most, show_spinner=wait or False)(kept)

        @functools.wraps(function)
        def asked(*args: _Asked.args, **keywords: _Asked.kwargs) -> _Answer:
            question = repr(of(*args, **keywords))
            return keeps(question, functools.partial(work, *args, **keywords))

        return asked

    return decorate
