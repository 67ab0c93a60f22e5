"""Room: margins that hold a figure's labels, so that the browser draws it once.

Plotly learns how wide labels are when it has drawn them, and draws the figure again if
they need more margin than there is. So the margins are estimated beforehand, a little
too wide. Where the estimate falls short the figure is drawn twice, as without it.
"""

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

#: Pixels at 12 px type of characters that are not of common width.
_NARROW = dict.fromkeys("fijlrt.,:;'|!()[] \u00a0-", 4.6)
_WIDE = dict.fromkeys("mwMW%—…", 10.5)
_CAPITAL, _COMMON = 8.2, 7.2
#: Beside names; beside the numbers of an axis, of which most are short; its title.
_BESIDE_NAMES, _NUMBERS, _TITLE, _TITLE_ALONE = 16, 44, 6, 29
#: Below: labels, and labels with a title.
_BELOW, _BELOW_TITLE = 32, 49

_MARKUP = re.compile(r"<[^>]*>")


def room(data: Iterable[Mapping[str, Any]], layout: Mapping[str, Any]) -> dict:
    """Left and bottom margin for the labels of the axes; the figure's where wider.

    Args:
        data: Traces, as sent to the browser.
        layout: With everything that a template says of axes written out.

    Returns:
        `l` and `b`, pixels.
    """
    traces = list(data)
    axes = {key: axis for key, axis in layout.items() if key[1:5] == "axis"}
    left = [
        _left(axis, _names(axis, key, traces))
        for key, axis in axes.items()
        if key[0] == "y" and axis.get("side") != "right"
    ]
    below = [
        (_BELOW_TITLE if _title(axis) else _BELOW) if _has_labels(axis) else 0
        for key, axis in axes.items()
        if key[0] == "x"
    ]
    margin = layout.get("margin") or {}
    return {
        "l": max([margin.get("l", 0), *left]),
        "b": max([margin.get("b", 0), *below]),
    }


def _left(axis: Mapping[str, Any], names: list[str]) -> int:
    """Pixels that the labels of a vertical axis and its title need."""
    if not _has_labels(axis):
        has_title = _title(axis) and axis.get("visible") is not False
        return _TITLE_ALONE if has_title else 0
    wide = _NUMBERS
    if names:
        wide = _BESIDE_NAMES + max(map(width, names))
    return round(wide + (_TITLE if _title(axis) else 0))


def width(text: str) -> float:
    """Pixels of a label's widest line."""
    lines = [html.unescape(_MARKUP.sub("", line)) for line in text.split("<br>")]
    return max(sum(map(_of_character, line)) for line in lines)


def _of_character(character: str) -> float:
    common = _CAPITAL if character.isupper() else _COMMON
    return _NARROW.get(character) or _WIDE.get(character) or common


def _names(axis: Mapping[str, Any], key: str, traces: list) -> list[str]:
    """Names along an axis: its own labels, or what its traces have there."""
    if axis.get("ticktext") is not None:
        return [str(text) for text in axis["ticktext"]]
    letter, number = key[0], key[5:]
    names = []
    for trace in traces:
        if trace.get(f"{letter}axis", letter) == f"{letter}{number}":
            values = trace.get(letter)
            names += values if isinstance(values, list) else []
    return [value for value in names if isinstance(value, str)]


def _has_labels(axis: Mapping[str, Any]) -> bool:
    return axis.get("visible") is not False and axis.get("showticklabels") is not False


def _title(axis: Mapping[str, Any]) -> str:
    return (axis.get("title") or {}).get("text") or ""
