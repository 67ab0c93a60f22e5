"""Figures, drawn once for the same content: Plotly takes longer than all the rest."""

import hashlib
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core import text as fmt
from core.charts.drawing import style
from core.charts.fits.room import room
from core.service.records.fit import Run
from core.text.languages.language import language
from pages.ui import layout, reading


def show(
    name: str, make: Callable[[], go.Figure], *key: Hashable, run: Run | None = None
) -> None:
    """A figure in the reader's theme.

    Args:
        name: Its name among the charts of the app.
        make: What draws it.
        key: Everything else that it depends on but theme and language; small things
            only.
        run: Whose result it shows.
    """
    of = () if run is None else (str(run.folder), reading.result_sha(run.folder))
    locale = f"{fmt.locale().name} {language()}"
    figure = _figure(f"{(name, *of, *key)!r} {locale}", layout.theme(), make)
    layout.chart(figure, name)


def anew(name: str, make: Callable[[], go.Figure]) -> None:
    """A figure in the reader's theme that is another whenever it is drawn.

    Args:
        name: Its name among the charts of the app.
        make: What draws it.
    """
    with style.in_theme(layout.theme()):
        layout.chart(make(), name)


@st.cache_resource(max_entries=256, show_spinner=False)
def _figure(key: str, theme: style.Theme, _make: Callable[[], go.Figure]) -> go.Figure:
    name = hashlib.sha256(f"{key} {theme}".encode()).hexdigest()
    with style.in_theme(theme):
        return Comparable(_make(), name[:16])


class Comparable(go.Figure):
    """A figure that the browser draws once.

    Streamlit hands each figure to Plotly twice in a row. Plotly draws the second in
    full unless it can tell that nothing changed: it compares names of the data, and
    takes any template and any packed array for a new one. So what the template says is
    written out, numbers are lists, and the data have a name. Margins have room for the
    labels, or Plotly would draw once more to make it.
    """

    def __init__(self, figure: go.Figure, name: str) -> None:
        """The same figure.

        Args:
            figure: The figure.
            name: Of its data: another figure has another.
        """
        super().__init__(figure, _validate=False)  # it was, when it was made
        self.update_layout(datarevision=name)
        written_out = self.layout.to_plotly_json()
        template = written_out.pop("template", {}).get("layout", {})
        defaults = {
            "xaxis": template.pop("xaxis", {}),
            "yaxis": template.pop("yaxis", {}),
        }
        data = [trace.to_plotly_json() for trace in self.data]
        axes = _under(written_out, template)
        for axis in _axes(written_out, data):
            axes[axis] = _under(axes.get(axis, {}), defaults[axis[:5]])
        sent = {"data": _listed(data), "layout": _listed(axes)}
        sent["layout"]["margin"] |= room(sent["data"], sent["layout"])
        object.__setattr__(self, "_sent", sent)

    def to_dict(self) -> dict[str, Any]:
        """What is sent to the browser."""
        return self._sent


def _axes(layout: Mapping[str, Any], data: list[dict[str, Any]]) -> set[str]:
    """The axes that a figure has, as its layout names them."""
    named = {key for key in layout if key[:5] in ("xaxis", "yaxis")}
    for trace in data:
        for letter in "xy":
            axis = trace.get(f"{letter}axis", letter)
            named.add(f"{letter}axis{axis[1:]}")
    return named


def _under(own: Any, default: Any) -> Any:
    """What is given, with defaults where it says nothing."""
    if not isinstance(own, Mapping) or not isinstance(default, Mapping):
        return own
    missing = {key: value for key, value in default.items() if key not in own}
    values = {key: _under(value, default.get(key)) for key, value in own.items()}
    return values | missing


def _listed(part: Any) -> Any:
    """The same with lists for arrays of numbers, and None for what is not a number."""
    if isinstance(part, Mapping):
        return {key: _listed(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_listed(value) for value in part]
    if isinstance(part, np.ndarray) and part.dtype.kind in "fiu":
        if part.dtype.kind == "f":
            part = np.where(np.isfinite(part), part.astype(object), None)
        return part.tolist()
    return part
