"""A walk over a screen: everything that can be pressed, chosen, typed or dropped.

Whatever an interaction brings to the screen is tried too, in the session in which it
appeared and in new ones, until a new session shows nothing that was not tried.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup, Multiselect, Selectbox

#: What a browser can set, by kind, and what to try; menus last, as they lead away.
_TRIES: dict[str, Callable] = {
    "button": lambda _: ["click"],
    "toggle": lambda _: ["the other way"],
    "checkbox": lambda _: ["the other way"],
    "selectbox": lambda widget: range(min(len(widget.options), 8)),
    "button_group": lambda widget: widget.options[:8],
    "multiselect": lambda widget: [widget.options[:1]],
    "number_input": lambda _: ["a step on"],
    "text_input": lambda _: ["7"],
    "text_area": lambda _: ["7"],
    "file_uploader": lambda _: ["a table"],
    "dataframe": lambda _: ["its first row"],
    "menu_button": lambda widget: widget.options,
}
#: Not tried: its options are read outside of the session, where they are English.
_LANGUAGE = "language.menu"
_TABLE = b"week,kpi\n2021-01-04,1\n"
_FIRST_ROW = {"selection": {"rows": [0], "columns": [], "cells": []}}
_MANY = 400


@dataclass
class Walk:
    """What was tried on a screen, and what was seen.

    Attributes:
        open_screen: Opens the screen in a new session.
        check: Called after every interaction, with the screen and what was done.
        editors: Keys of the tables that can be edited, without their numbers.
        locked: Help of every widget that is disabled, by key.
        tried: What was done, by key.
    """

    open_screen: Callable[[], AppTest]
    check: Callable[[AppTest, str], None]
    editors: set[str] = field(default_factory=set)
    locked: dict[str, str] = field(default_factory=dict)
    tried: set[tuple[str, str]] = field(default_factory=set)

    def go(self) -> None:
        """Try everything."""
        for _ in range(_MANY):
            at = self.open_screen()
            before = len(self.tried)
            self._in_session(at)
            if len(self.tried) == before:
                return
        raise AssertionError("The screen shows something new every time.")

    def _in_session(self, at: AppTest) -> None:
        screen = _title(at)
        while _title(at) == screen:
            self._note(at)
            step = next(self._untried(at), None)
            if step is None:
                return
            kind, widget, value = step
            self.tried.add((_plain(widget.key), str(value)))
            _do(at, kind, widget, value)
            self.check(at, f"{kind} {widget.key} set to {value!r}")

    def _note(self, at: AppTest) -> None:
        """What is disabled, and which tables are not."""
        for kind in _TRIES:
            for widget in at.get(kind):
                key, is_locked = _plain(widget.key), widget.proto.disabled
                if kind != "dataframe" and is_locked:
                    self.locked[key] = widget.proto.help
                elif kind == "dataframe" and _is_editor(widget) and not is_locked:
                    self.editors.add(key)

    def _untried(self, at: AppTest) -> Iterator[tuple]:
        for kind, values in _TRIES.items():
            for widget in at.get(kind):
                if widget.key in (None, _LANGUAGE) or not _is_on(kind, widget):
                    continue
                for value in values(widget):
                    if (_plain(widget.key), str(value)) not in self.tried:
                        yield kind, widget, value


def _title(at: AppTest) -> list[str]:
    return [title.value for title in at.title]


def _is_on(kind: str, widget) -> bool:
    """Whether a browser can do something with it."""
    if kind == "dataframe":
        return bool(widget.proto.selection_mode) and not _is_editor(widget)
    return not widget.proto.disabled


def _is_editor(widget) -> bool:
    return widget.editing_mode != "read_only"


def _do(at: AppTest, kind: str, widget, value) -> None:
    if kind == "button":
        widget.click()
    elif kind == "dataframe":
        at.session_state[widget.key] = _FIRST_ROW
    elif kind == "file_uploader":
        kinds = [each.lstrip(".") for each in widget.allowed_type]
        # One that takes any kind says which it reads when it has the file.
        name = f"market.{'csv' if 'csv' in kinds or not kinds else kinds[0]}"
        widget.set_value((name, _TABLE, "text/csv"))
    elif kind in ("toggle", "checkbox"):
        widget.set_value(not widget.value)
    elif kind == "number_input":
        widget.set_value(_number(widget))
    elif kind == "selectbox":
        widget.__class__ = _Listed
        widget.set_value(value)
    elif kind == "multiselect":
        widget.__class__ = _Several
        widget.set_value(value)
    elif kind == "button_group":
        widget.__class__ = _Shown
        widget.set_value(value)
    else:
        widget.set_value(value)
    at.run()


class _Shown(ButtonGroup):
    """A choice among buttons by what they show."""

    @property
    def formatted_values(self) -> list[str]:
        """What is chosen, as it is shown."""
        chosen = self._value
        return [chosen] if isinstance(chosen, str) else super().formatted_values


class _Several(Multiselect):
    """Choices from a list by what they show."""

    @property
    def values(self) -> list[str]:
        """What is chosen, as it is shown."""
        return self._value if isinstance(self._value, list) else super().values


class _Listed(Selectbox):
    """A choice from a list by its place."""

    @property
    def index(self) -> int | None:
        """The place of what is chosen."""
        return self._value if isinstance(self._value, int) else super().index


def _number(widget) -> float:
    value = widget.value
    step = widget.step or 1
    if value is None:
        return max(widget.min or 0, 1)
    return value - step if value == widget.max else value + step


def _plain(key: str) -> str:
    """A key without the numbers of editions and runs."""
    return re.sub(r"\d[\w-]*", "#", str(key))
