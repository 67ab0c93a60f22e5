"""The house style: colours, type and frame of every figure, in light and dark.

A figure carries its own complete template and a solid background, so it looks the
same in the app, in a notebook and in a report. In Streamlit show it with
`st.plotly_chart(figure, theme=None, config=style.CONFIG)`: Streamlit's own theme
would paint over it, and the placeholder template that `import streamlit` installs as
Plotly's default never applies. A figure is light until the body of `in_theme` says that
its reader's is dark (`st.context.theme.type`), as reports speak a language.

The ten channel colours differ for readers with protan, deutan or tritan vision and
stand out from both backgrounds (at least 3:1). Channel i always has colour i.
"""

import html
import re
import textwrap
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from numbers import Real
from typing import Any, Literal

import plotly.graph_objects as go
import xarray as xr

from core import text as fmt
from core.text.currency import SIGNS
from core.text.languages.language import say
from core.within import Within

Theme = Literal["light", "dark"]

_theme: Within[Theme] = Within("theme", "light")

#: Ten categorical colours, the same in light and dark; also in .streamlit/config.toml.
COLORWAY = (
    "#235bdc",
    "#e8651a",
    "#2ea58c",
    "#ad366b",
    "#ab82b3",
    "#067a80",
    "#7e9a61",
    "#718dff",
    "#6f6e48",
    "#c4231a",
)
#: Fill patterns that tell channels 11 to 20, 21 to 30 ... from those before them.
PATTERNS = ("", "/", ".", "x")

FONT = "'Source Sans', 'Source Sans 3', system-ui, 'Segoe UI', sans-serif"

#: Configuration for `st.plotly_chart` and `to_html`: no logo, nothing leaves the house.
CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "responsive": True,
    "showSendToCloud": False,
    "modeBarButtonsToRemove": [
        "sendChartToCloud",
        "lasso2d",
        "select2d",
        "autoScale2d",
        "zoomIn2d",
        "zoomOut2d",
    ],
}


@dataclass(frozen=True)
class Palette:
    """Colours of one theme that do not belong to channels.

    Attributes:
        background: Behind the figure.
        surface: Behind hover labels.
        ink: Titles and what was measured.
        muted: Axis titles, ticks, notes.
        faint: Marks that stay in the background: current plan, prior, geos.
        grid: Grid lines.
        accent: What matters now: expected, planned.
        low: Strong end of the diverging scale below zero.
        high: Strong end above zero.
    """

    background: str
    surface: str
    ink: str
    muted: str
    faint: str
    grid: str
    accent: str
    low: str
    high: str


#: In the order of their attributes: two grounds, three inks, grid, accent, both ends.
_LIGHT = Palette(
    *("#ffffff #ffffff #10151c #586270 #8b95a3 #e6eaef #1c3d8f #b4552d #2a62b8".split())
)
_DARK = Palette(
    *("#101418 #1a2027 #e7ebf0 #a5afbc #7b8694 #272e37 #b9c8ff #a85530 #3a66b5".split())
)


def in_theme(theme: Theme) -> AbstractContextManager[None]:
    """Draw in a theme inside the body."""
    return _theme.during(theme)


def palette(theme: Theme | None = None) -> Palette:
    """Neutral colours of a theme; of the one that is drawn in where none is named."""
    return _DARK if (theme or _theme.get()) == "dark" else _LIGHT


def chain_shades(n: int) -> list[str]:
    """A tone for each chain of a fit, so that no chain looks like a channel."""
    colours = palette()
    tones = (colours.accent, colours.faint, colours.ink, colours.muted)
    return [tones[chain % len(tones)] for chain in range(n)]


def channel_colours(names: Sequence[str]) -> dict[str, str]:
    """Colour of each channel by its place in the project's channel order."""
    return {name: COLORWAY[i % len(COLORWAY)] for i, name in enumerate(names)}


def colour_of(dataset: xr.Dataset, channel: str) -> str:
    """Colour of a channel among those of a view model."""
    names = [str(name) for name in dataset["channel"].values]
    return channel_colours(names)[channel]


def channel_patterns(names: Sequence[str]) -> dict[str, str]:
    """Fill pattern of each channel: none for the first ten."""
    ten = len(COLORWAY)
    return {name: PATTERNS[i // ten % len(PATTERNS)] for i, name in enumerate(names)}


def fade(colour: str, opacity: Real) -> str:
    """The colour with an opacity, as Plotly writes it."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def label(name: str, width: int = 26) -> str:
    """A name that is safe to draw: one line, shortened, markup shown as typed.

    Plotly reads text as HTML; what a user typed must not become markup. No unit stays
    no unit; a name of only spaces reads "(no name)". The sign of a currency stays as it
    is, so that amounts with it are written as money: `$1.2M`.
    """
    if not name or name in SIGNS:
        return name
    text = " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())
    text = fmt.brief_name(text, width)
    return literal(html.escape(text, quote=False)) or say("(no name)")


def literal(text: str) -> str:
    """The text with dollars that Plotly does not take for TeX, and no loose ends."""
    return fmt.tidy(text).replace("$", "&#36;")


#: Letters of a line of a note: as many as a chart beside a table shows on a laptop.
NOTE = 54


def figure(
    title: str, *, height: int, note: str = "", x: str = "", y: str = ""
) -> go.Figure:
    """An empty figure in house style.

    Args:
        title: Subject and unit, safe to draw: `ROI, € per €`.
        height: Height in pixels.
        note: How to read it, below the title; wrapped unless it holds markup.
        x: Title of the x axis with its unit.
        y: Title of the y axis with its unit.
    """
    heading: dict[str, Any] = {"text": literal(title)}
    lines = [note] if "<" in note else _lines(note)
    if note:
        # Plotly sets one line half a line lower than two, onto what is drawn.
        subtitle = lines if len(lines) > 1 else [*lines, "\u00a0"]
        heading["subtitle"] = {"text": literal("<br>".join(subtitle))}
    layout = {
        "template": _written_out(_theme.get(), fmt.locale().separators),
        "title": heading,
        "height": height,
        "margin": {"t": 42 + 16 * len(lines) if note else 40},
        "colorway": COLORWAY,
        **{
            axis: {"title": {"text": text}}
            for axis, words in (("xaxis", x), ("yaxis", y))
            if (text := _axis_title(words, title)) is not None
        },
    }
    # Looking at the same template for every figure took longer than to draw most.
    figure = go.Figure(layout=layout, _validate=False)
    figure._validate = figure.layout._validate = True
    return figure


@cache
def _written_out(theme: Theme, separators: str) -> dict[str, Any]:
    """The house template as figures hold it; looked at once.

    Args:
        theme: The one that is drawn in, whose colours it has.
        separators: Those of the locale, which it has, too.
    """
    return template().to_plotly_json()


def _axis_title(text: str, title: str) -> str | None:
    """What an axis is called; nothing where the figure's title says it."""
    return None if f", {text}" in title else literal(text) or None


#: Between two sentences of a note.
_SENTENCES = re.compile(r"(?<=\.) +")


def _lines(note: str) -> list[str]:
    """A note in lines of a phone's width, of whole sentences unless that takes more."""
    full = textwrap.wrap(note, NOTE, break_on_hyphens=False)
    lines: list[str] = []
    for sentence in _SENTENCES.split(note) if note else []:
        joined = f"{lines[-1]} {sentence}" if lines else sentence
        if lines and len(joined) <= NOTE:
            lines[-1] = joined
        else:
            lines += textwrap.wrap(sentence, NOTE, break_on_hyphens=False)
    return lines if len(lines) <= len(full) else full


def level(figure: go.Figure, *beside: go.Figure) -> go.Figure:
    """The figure, with its plot as far down as those of figures that stand beside it.

    Args:
        figure: The figure.
        beside: Of the same height; their notes may have more lines.
    """
    top = max(each.layout.margin.t for each in (figure, *beside))
    return figure.update_layout(margin={"t": top})


def template() -> go.layout.Template:
    """The house template."""
    colours, axis = palette(), _axis()
    return go.layout.Template(
        layout={
            "paper_bgcolor": colours.background,
            "plot_bgcolor": colours.background,
            "colorway": COLORWAY,
            "separators": fmt.locale().separators,
            "font": {"family": FONT, "size": 13, "color": colours.ink},
            "title": {
                "x": 0,
                "xref": "container",
                "xanchor": "left",
                "y": 1,
                "yref": "container",
                "yanchor": "top",
                "pad": {"t": 8},
                "font": {"size": 15, "weight": 600, "color": colours.ink},
                "subtitle": {"font": {"size": 12, "color": colours.muted}},
            },
            "margin": {"l": 8, "r": 16, "t": 40, "b": 8},
            "hoverlabel": {
                "bgcolor": colours.surface,
                "bordercolor": colours.faint,
                "font": {"family": FONT, "size": 13, "color": colours.ink},
                "align": "left",
            },
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 1,
                "yanchor": "bottom",
                "font": {"size": 12, "color": colours.muted},
                "bgcolor": fade(colours.background, 0),
            },
            "modebar": {
                "bgcolor": fade(colours.background, 0),
                "color": colours.faint,
                "activecolor": colours.ink,
            },
            "showlegend": False,
            "hoverdistance": 80,
            "bargap": 0.25,
            "colorscale": {"diverging": diverging()},
            "xaxis": axis
            | {"showgrid": False, "showline": True, "tickformatstops": _MONTHS},
            "yaxis": axis | {"showline": False},
        }
    )


#: A year below the first of its months: beside each, it slants them on a phone.
_MONTHS = [{"dtickrange": ["M1", "M6"], "value": "%b\n%Y"}]


def _axis() -> dict[str, Any]:
    colours = palette()
    return {
        "automargin": True,
        "separatethousands": True,
        "gridcolor": colours.grid,
        "linecolor": colours.grid,
        "zeroline": False,
        "ticks": "",
        "tickfont": {"color": colours.muted, "size": 12},
        "title": {"font": {"color": colours.muted, "size": 12}, "standoff": 8},
    }


def diverging() -> list[list[float | str]]:
    """Colour scale from -1 to 1 whose middle is the background."""
    colours = palette()
    return [[0.0, colours.low], [0.5, colours.background], [1.0, colours.high]]
