"""Figures about a fit: has it converged, and which parameter has not?"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import xarray as xr
from plotly.subplots import make_subplots

from core import text as fmt
from core.analysis.record.sections import Convergence
from core.charts.drawing import marks, style
from core.text.languages.language import say
from core.text.parameters import group_name

#: What a trustworthy fit reaches.
RHAT_LIMIT, ESS_LIMIT = 1.01, 400
_MAX_ROWS = 14


def _limits(n_kept: int, n_groups: int) -> str:
    """What the dotted lines are, and how many groups are left out."""
    note = say(
        "Dotted lines: R-hat {rhat}, {ess} effective draws.",
        rhat=RHAT_LIMIT,
        ess=ESS_LIMIT,
    )
    if n_kept == n_groups:
        return note
    worst = say("The worst {kept} of {number} groups.", kept=n_kept, number=n_groups)
    return f"{note} {worst}"


def convergence(parameters: Sequence[Convergence]) -> go.Figure:
    """Worst R-hat and smallest effective sample size of each parameter group.

    Args:
        parameters: The figures of each scalar.
    """
    colours = style.palette()
    groups = _groups(parameters)
    names = sorted(groups, key=lambda name: _badness(groups[name]))[:_MAX_ROWS]
    note = _limits(len(names), len(groups))
    figure = make_subplots(
        1,
        2,
        shared_yaxes=True,
        horizontal_spacing=0.06,
        column_widths=[0.42, 0.58],
        figure=style.figure(
            say("Convergence by parameter group: R-hat and effective draws"),
            height=marks.rows_height(len(names), frame=110),
            note=note,
        ),
    )
    at = np.arange(len(names))
    rhat = np.array([groups[name].rhat for name in names])
    bad = [value >= RHAT_LIMIT or not np.isfinite(value) for value in rhat]
    own = [colours.low if b else colours.accent for b in bad]
    hover = [_hover(name, groups[name]) for name in names]
    figure.add_trace(marks.dots(rhat, at, own, 10, hover), row=1, col=1)
    for key, shift, opacity in (("ess_bulk", -0.17, 0.9), ("ess_tail", 0.17, 0.5)):
        values = np.array([getattr(groups[name], key) for name in names])
        shades = [colours.low if v < ESS_LIMIT else colours.accent for v in values]
        figure.add_bar(
            x=values,
            y=at + shift,
            width=0.3,
            orientation="h",
            marker={"color": [style.fade(shade, opacity) for shade in shades]},
            **marks.hovering(hover),
            row=1,
            col=2,
        )
    _axes(figure, names, rhat, colours.muted)
    return figure


def trace(
    samples: xr.DataArray, *, name: str, at: Sequence[int] | None = None
) -> go.Figure:
    """Draws of one parameter in order, one line per chain.

    Args:
        samples: chain draw.
        name: Name of the parameter.
        at: Number of each draw; None to count from one.
    """
    values = samples.transpose("chain", "draw").values
    title = style.label(name, 40)
    figure = style.figure(
        say("Trace of {title}", title=title),
        height=220,
        note=say(
            "One line per chain ({n_values}). They should lie over each other.",
            n_values=len(values),
        ),
        x=say("Draw"),
        y=title,
    )
    at = np.arange(1, values.shape[1] + 1) if at is None else np.asarray(at)
    shades = style.chain_shades(len(values))
    for chain, (draws, shade) in enumerate(zip(values, shades, strict=True)):
        hover = [
            say("chain {chain}, draw {i}<br>{v}", chain=chain + 1, i=i, v=f"{v:.5g}")
            for i, v in zip(at, draws, strict=True)
        ]
        stroke = marks.line(at, draws, shade, hover=hover, width=1)
        figure.add_trace(stroke.update(opacity=0.75))
    return figure


class _Worst(NamedTuple):
    """The worst figures of a group of scalars."""

    rhat: float = 0.0
    ess_bulk: float = np.inf
    ess_tail: float = np.inf


def _groups(parameters: Sequence[Convergence]) -> dict[str, _Worst]:
    """Worst value of every measure by parameter name."""
    groups: dict[str, _Worst] = {}
    for one in parameters:
        worst = groups.get(one.name, _Worst())
        groups[one.name] = _Worst(
            max(worst.rhat, _number(one.rhat)),
            min(worst.ess_bulk, _number(one.ess_bulk)),
            min(worst.ess_tail, _number(one.ess_tail)),
        )
    return groups


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _badness(group: _Worst) -> float:
    # Both on one scale: how far each is from what a trustworthy fit reaches.
    ess = min(group.ess_bulk, group.ess_tail) / ESS_LIMIT
    # R-hat of chains that agree may be 1, or below it by chance.
    return min(ess, (RHAT_LIMIT - 1) / max(group.rhat - 1, 1e-6))


def _hover(name: str, group: _Worst) -> str:
    title = f"<b>{style.label(group_name(name), 60)}</b> ({style.label(name, 40)})"
    return say(
        "{title}<br>R-hat {rhat}<br>bulk {ess_bulk} effective draws<br>tail {ess_tail} "
        "effective draws",
        title=title,
        rhat=f"{group.rhat:.3f}",
        ess_bulk=fmt.exact(group.ess_bulk, decimals=0),
        ess_tail=fmt.exact(group.ess_tail, decimals=0),
    )


def _axes(figure, names, rhat, colour: str) -> None:
    largest = float(np.nanmax(rhat, initial=RHAT_LIMIT))
    marks.row_axis(figure, [style.label(group_name(name), 30) for name in names])
    figure.update_xaxes(
        title_text=say("Largest R-hat"),
        range=[0.9985, max(1.012, largest + 0.1 * (largest - 1))],
        row=1,
        col=1,
    )
    figure.update_xaxes(
        title_text=say("Smallest effective draws (strong: bulk, pale: tail)"),
        rangemode="tozero",
        row=1,
        col=2,
    )
    line = {"color": colour, "width": 1.25, "dash": "dot"}
    figure.add_vline(x=RHAT_LIMIT, line=line, row=1, col=1)
    figure.add_vline(x=ESS_LIMIT, line=line, row=1, col=2)
    figure.update_layout(barmode="overlay")
