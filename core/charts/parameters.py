"""Figures about parameters: ranks of chains, prior and posterior, pairs of draws.

All read parameters.nc. The trace is in `core.charts.fits.progress`.
"""

import numpy as np
import plotly.graph_objects as go
import xarray as xr
from plotly.subplots import make_subplots

from core import text as fmt
from core.charts.drawing import marks, style
from core.text.languages.language import say, say_count
from core.text.parameters import plain_name

_BINS = 20
#: Most parameters against each other.
MOST_PAIRED = 4


def name_of(parameters: xr.Dataset, parameter: str) -> tuple[str, str]:
    """Plain name and unit of a parameter: ("Radio · slope", "")."""
    own = parameters[["name", "of"]].sel(parameter=parameter)
    return plain_name(str(own["name"].values), str(own["of"].values))


def ranks(parameters: xr.Dataset, parameter: str) -> go.Figure:
    """How the ranks of each chain's draws are spread: evenly where chains agree.

    Args:
        parameters: parameters.nc.
        parameter: One of them.
    """
    draws = parameters["draws"].sel(parameter=parameter).transpose("chain", "draw")
    values = draws.values
    # Sorted twice: the place of each draw in the order of all is its rank.
    order = np.argsort(np.argsort(values.ravel(), kind="stable"), kind="stable")
    chains, size = values.shape
    edges = np.linspace(0, order.size, _BINS + 1)
    expected = size / _BINS
    name, _ = name_of(parameters, parameter)
    figure = style.figure(
        say("Ranks of {name} by chain", name=style.label(name, 40)),
        height=220,
        note=say(
            "Share of a chain's draws in each twentieth of all draws. All lines near "
            "the dotted one: the chains agree."
        ),
        x=say("Rank of the draw among all chains, %"),
        y=say("Draws, % of the chain"),
    )
    shades = style.chain_shades(chains)
    x = 100 * (edges[:-1] + edges[1:]) / 2 / order.size
    for chain, own in enumerate(order.reshape(chains, size)):
        share = 100 * np.histogram(own, edges)[0] / size
        figure.add_scatter(
            x=x,
            y=share,
            mode="lines",
            line={"color": shades[chain], "width": 1.5, "shape": "hvh"},
            **marks.hovering(
                [
                    say("chain {chain}: {v}", chain=chain + 1, v=fmt.percent(v / 100))
                    for v in share
                ]
            ),
        )
    line = {"color": style.palette().muted, "width": 1.25, "dash": "dot"}
    figure.add_hline(y=100 * expected / size, line=line)
    figure.update_yaxes(rangemode="tozero")
    return figure


def prior_posterior(parameters: xr.Dataset, parameter: str) -> go.Figure:
    """Density of a parameter before and after the data.

    Args:
        parameters: parameters.nc.
        parameter: One of them.
    """
    own = parameters.sel(parameter=parameter)
    name, unit = name_of(parameters, parameter)
    colours = style.palette()
    keys = (
        marks.keyed(say("prior"), colours.faint),
        marks.keyed(say("posterior"), colours.accent),
    )
    figure = style.figure(
        say("{name}: prior and posterior", name=style.label(name, 40)),
        height=220,
        note="\u2002".join(keys),
        x=style.label(f"{name}, {unit}" if unit else name, 60),
    )
    x = own["grid"].values
    tops = []
    for variable, shade in (
        ("prior_density", colours.faint),
        ("posterior_density", colours.accent),
    ):
        height = own[variable].values
        tops.append(np.nanmax(height[1:-1], initial=0.0))  # it may be infinite at ends
        hover = [fmt.exact(float(v)) for v in x]
        figure.add_trace(marks.hill(x, height, shade, hover=hover))
    top = 1.05 * float(max(tops)) or 1.0
    figure.update_yaxes(showticklabels=False, showgrid=False, range=[0, top])
    return figure


def _diverged(number: int) -> str:
    if not number:
        return say("No transition diverged.")
    return say_count(
        number,
        "Cross: {number} transition that diverged.",
        "Crosses: {number} transitions that diverged.",
        number=number,
    )


def pairs(parameters: xr.Dataset, chosen: list[str]) -> go.Figure:
    """Draws of some parameters against each other, with those that diverged.

    Args:
        parameters: parameters.nc.
        chosen: Two to four of them.
    """
    chosen = chosen[:MOST_PAIRED]
    n = len(chosen) - 1
    colours = style.palette()
    names = [style.label(name_of(parameters, code)[0], 24) for code in chosen]
    divergent = parameters["divergent"].sel(parameter=chosen).values
    note = say("Dots: draws. A ridge: the data know only both together.")
    note = f"{note} {_diverged(len(divergent))}"
    figure = make_subplots(
        n,
        n,
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.03,
        figure=style.figure(
            say("Pairs of parameters, draw by draw"),
            height=110 + max(200, 170 * n),
            note=note,
        ),
    )
    draws = parameters["draws"].sel(parameter=chosen)
    flat = draws.transpose("chain", "draw", "parameter").values
    # Six hundred dots show a ridge; ten thousand a panel would keep the browser busy.
    flat = flat.reshape(-1, len(chosen))[:: max(1, draws[..., 0].size // 600)]
    for row in range(1, n + 1):
        for column in range(row):
            at = {"row": row, "col": column + 1}
            for table, marker in (
                (flat, {"size": 3, "opacity": 0.4, "colour": colours.accent}),
                (divergent, {"size": 7, "symbol": "x", "colour": colours.low}),
            ):
                pair = marks.dots(table[:, column], table[:, row], **marker)
                figure.add_trace(pair, **at)
            if row == n:
                figure.update_xaxes(title_text=names[column], **at)
            if column == 0:
                figure.update_yaxes(title_text=names[row], **at)
    return figure
