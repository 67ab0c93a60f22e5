"""Figures about assumptions: a prior's density, and what the priors imply together."""

import numpy as np
import plotly.graph_objects as go

from core import text as fmt
from core.analysis.record.prior_check import PriorCheck
from core.charts.drawing import bars, marks, style
from core.charts.drawing.shapes import quantity
from core.model.priors import distribution
from core.model.priors.prior import Prior
from core.text.languages.language import say


def density(
    prior: Prior,
    *,
    kind: str = "roi",
    channel: str = "",
    colour: str | None = None,
    units: fmt.Units | None = None,
) -> go.Figure:
    """Density of one prior, its 90 % range darker and named.

    Args:
        prior: The prior.
        kind: What it is about: roi, mroi, contribution or coefficient.
        channel: The channel, for the title.
        colour: The channel's colour.
        units: Units of the project.
    """
    name, unit, factor = quantity(kind, units or fmt.Units())
    implied = distribution.estimate(prior)
    ends = tuple(fmt.roi(factor * end) for end in (implied.lo, implied.hi))
    figure = style.figure(
        say(
            "Prior: {name} of {channel}, {unit}",
            name=name,
            channel=style.label(channel),
            unit=unit,
        )
        if channel
        else say("Prior: {name}, {unit}", name=name, unit=unit),
        height=190,
        note=say(
            "90 % between {low} and {high}, most likely {likely}.",
            low=ends[0],
            high=ends[1],
            likely=fmt.roi(factor * implied.mode),
        ),
        x=f"{name}, {unit}",
    )
    shade = colour or style.palette().accent
    return _with_density(figure, prior, shade, factor, unit)


def small_density(prior: Prior, name: str, *, colour: str | None = None) -> go.Figure:
    """Density of any parameter's prior, for beside a form.

    Args:
        prior: The prior.
        name: The parameter, with its unit if it has one.
        colour: The channel's colour.
    """
    implied = distribution.estimate(prior)
    low, high, mean = (
        f"{number:.3g}" for number in (implied.lo, implied.hi, implied.mean)
    )
    figure = style.figure(
        say("Prior: {name}", name=style.label(name, 40)),
        height=170,
        note=say(
            "90 % between {low} and {high}, mean {mean}.", low=low, high=high, mean=mean
        ),
        x=style.label(name, 40),
    )
    return _with_density(figure, prior, colour or style.palette().accent, 1.0, "")


def _with_density(
    figure: go.Figure, prior: Prior, shade: str, factor: float, unit: str
) -> go.Figure:
    """The figure with the density, its 90 % range darker."""
    implied = distribution.estimate(prior)
    x, height = distribution.density(prior)
    inside = (x >= implied.lo) & (x <= implied.hi)
    hover = [fmt.exact(float(factor * at), unit) for at in x]
    figure.add_trace(marks.hill(factor * x, height, shade, 0.12, hover=hover))
    if inside.any():
        core = (factor * x[inside], height[inside])
        figure.add_trace(marks.hill(*core, shade, 0.28, width=0))
    figure.update_yaxes(showticklabels=False, rangemode="tozero", showgrid=False)
    top = np.nanmax(height[1:-1], initial=0.0)  # a density may be infinite at an end
    figure.update_yaxes(range=[0, 1.05 * float(top) or 1.0])
    return figure


def predictive(check: PriorCheck, *, units: fmt.Units) -> go.Figure:
    """What the priors alone expect of the KPI, against what was observed.

    Args:
        check: prior.json.
        units: Units of the project.
    """
    kpi = check.kpi
    colours = style.palette()
    times = np.array(kpi.time, dtype="datetime64[D]")
    actual, middle, low, high = (
        np.array(each, float) for each in (kpi.actual, kpi.median, kpi.lo, kpi.hi)
    )
    unit = style.label(units.outcome)
    divisor, axis_unit = marks.scaled(
        unit, float(np.nanmax(np.abs([*actual, *middle])))
    )
    word = marks.period(times)
    share = float(np.mean((actual >= low) & (actual <= high)))
    figure = style.figure(
        say(
            "{outcome_name} before any data, {shown} per {word}",
            outcome_name=style.label(units.outcome_name),
            shown=axis_unit,
            word=say(word),
        ),
        height=260,
        note=say(
            "Band: 90 % of what the priors allow; {share} of the actual {periods} lie "
            "in it.",
            share=fmt.share(share),
            periods=fmt.periods(word),
        ),
        y=say("{shown} per {word}", shown=axis_unit, word=say(word)),
    )
    figure.add_trace(marks.band(times, low / divisor, high / divisor, colours.faint))
    figure.add_trace(marks.line(times, middle / divisor, colours.faint))
    hover = [
        say(
            "<b>{t}</b><br>actual {a}<br>prior median {m}<br>90 %: {lo} to {hi}",
            t=fmt.date(str(t)),
            a=fmt.exact(float(a), unit),
            m=fmt.exact(float(m), unit),
            lo=fmt.exact(float(lo), unit),
            hi=fmt.exact(float(hi), unit),
        )
        for t, a, m, lo, hi in zip(times, actual, middle, low, high, strict=True)
    ]
    figure.add_trace(marks.line(times, actual / divisor, colours.ink, hover=hover))
    _limits(figure, actual / divisor, low / divisor, high / divisor)
    return figure


def shares(check: PriorCheck) -> go.Figure:
    """Baseline and channels as shares of the outcome, as the priors imply them.

    Args:
        check: prior.json.
    """
    names = [channel.name for channel in check.channels]
    lines = [
        check.baseline_share,
        *(channel.contribution_share for channel in check.channels),
    ]
    by_name = style.channel_colours(names)
    colours = [style.palette().faint, *(by_name[name] for name in names)]
    texts = [say("Baseline"), *(style.label(name) for name in names)]
    at = np.arange(len(lines))
    low, high, middle = (
        100 * np.array([getattr(each, end) for each in lines])
        for end in ("lo", "hi", "median")
    )
    figure = style.figure(
        say("What the priors imply, % of the outcome"),
        height=marks.rows_height(len(lines)),
        note=say("Dot: median. Bar: 90 % interval."),
        x=say("% of the outcome"),
    )
    shades = [style.fade(colour, 0.45) for colour in colours]
    figure.add_trace(bars.intervals(at, low, high, shades))
    hover = [
        f"<b>{text}</b><br>{fmt.estimate(e, 'share', centre='median')}"
        for text, e in zip(texts, lines, strict=True)
    ]
    figure.add_trace(marks.dots(middle, at, colours, 11, hover))
    marks.row_axis(figure, texts)
    estimates = [marks.light(fmt.estimate(e, "share", centre="median")) for e in lines]
    marks.row_texts(figure, estimates)
    marks.percent_axis(figure.layout.xaxis)
    # Priors may allow shares far beyond the whole, of which there is nothing to see.
    ends = [max(-100, min(0, low.min())), min(200, high.max() + 3)]
    figure.update_xaxes(range=ends, nticks=5, tickangle=0)  # in half a small window
    return figure


def _limits(figure, actual, low, high) -> None:
    """Keep the observed series readable where the prior is very wide."""
    bottom, top = float(np.nanmin(actual)), float(np.nanmax(actual))
    room = 3 * (top - bottom or abs(top) or 1.0)
    bottom = max(min(float(np.nanmin(low)), bottom), bottom - room)
    top = min(max(float(np.nanmax(high)), top), top + room)
    pad = 0.05 * (top - bottom)
    figure.update_yaxes(range=[bottom - pad, top + pad])
