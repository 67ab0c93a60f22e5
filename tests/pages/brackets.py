"""Screens in a language that puts every message in brackets: what stands outside?"""

import gettext
import json
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

#: Fields of an element that a reader sees or hears.
_SHOWN = {"label", "help", "placeholder", "body", "title", "alt", "text", "options"}
_SHOWN |= {"value", "formatted_options", "content", "default_value", "caption"}
#: Parts of a figure with words.
_OF_FIGURES = {"text", "ticktext", "hovertext", "name", "customdata", "hovertemplate"}
#: Markdown that is no word: icons, colours, links, code, placeholders of Plotly.
_MARKUP = re.compile(
    r":material/\w+:|:[\w-]+\[|\]\([^)]*\)|<[^>]*>|`[^`]*`|%\{[^}]*\}|\d{8}-\d{6}-\w+"
)


class Bracketed(gettext.NullTranslations):
    """A language in which every message stands in brackets, but what fills it."""

    def gettext(self, message: str) -> str:
        return f"⟦{message.replace('{', '⟧{').replace('}', '}⟦')}⟧"

    def ngettext(self, one: str, several: str, number: int) -> str:
        return self.gettext(one if number == 1 else several)


def outside(text: str, names: frozenset[str]) -> list[str]:
    """Words outside of brackets that are nobody's name."""
    text = _MARKUP.sub(" ", text.replace("\\", ""))
    text = re.sub(r"⟦[^⟦⟧]*⟧?", " ", text)
    return [word for word in re.findall(r"[^\W\d_]{2,}", text) if word not in names]


def said(at: AppTest) -> Iterator[tuple[str, str]]:
    """Everything that a screen says, with where it stands."""
    for block in (at.main, at.sidebar):
        for element in _elements(block):
            proto = getattr(element, "proto", None)
            if proto is None:
                continue
            kind = element.type
            if kind in ("arrow_data_frame", "dataframe"):
                yield from _of_table(element)
            elif kind == "plotly_chart":
                yield from _of_figure(proto)
            elif kind != "html":
                yield from ((kind, text) for text in _of_proto(proto))


def _elements(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from _elements(child)


def _of_proto(proto: Any) -> Iterator[str]:
    """Texts of the fields that are shown, however deep."""
    if not hasattr(proto, "ListFields"):
        return
    for field, value in proto.ListFields():
        several = value if field.is_repeated else [value]
        for each in several:
            if isinstance(each, str):
                if field.name in _SHOWN:
                    yield each
            elif hasattr(each, "ListFields"):
                yield from _of_proto(each)


def _of_table(element: Any) -> Iterator[tuple[str, str]]:
    proto = element.proto
    for name in ("alt", "placeholder"):
        if getattr(proto, name, ""):
            yield "table", getattr(proto, name)
    columns = json.loads(getattr(proto, "columns", "") or "{}")
    hidden = {name for name, about in columns.items() if about.get("hidden")}
    for about in columns.values():
        for key in ("label", "help"):
            if about.get(key):
                yield "column", about[key]
        options = (about.get("type_config") or {}).get("options") or []
        for each in options:
            if isinstance(each, dict) and each.get("label"):
                yield "option", each["label"]
    frame = element.value
    if not isinstance(frame, pd.DataFrame):
        return
    for name in frame.columns:
        if str(name) in hidden:
            continue
        if "label" not in (columns.get(str(name)) or {}):
            yield "head", str(name)
        for cell in frame[name]:
            if isinstance(cell, str) and str(name) not in _chosen(columns):
                yield f"cell of {name}", cell


def _chosen(columns: dict[str, Any]) -> set[str]:
    """Columns whose cells are shown by the words of their options."""
    return {
        name
        for name, about in columns.items()
        if (about.get("type_config") or {}).get("type") == "selectbox"
    }


def _of_figure(proto: Any) -> Iterator[tuple[str, str]]:
    def walk(value: Any, key: str = "") -> Iterator[str]:
        if isinstance(value, str):
            if key in _OF_FIGURES:
                yield value
        elif isinstance(value, list):
            for each in value:
                yield from walk(each, key)
        elif isinstance(value, dict):
            for name, each in value.items():
                if name != "template":
                    yield from walk(each, name)

    spec = json.loads(proto.spec or proto.figure.spec)
    for text in walk(spec):
        yield "figure", text
