"""Every figure, in both themes, with ordinary and with hostile names."""

import json
import re
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from msgspec import convert

from core import text as fmt
from core.analysis import stretches
from core.analysis.by_period import PARTS
from core.analysis.record.fit_record import as_record
from core.analysis.record.prior_check import PriorCheck
from core.analysis.record.sections import (
    Accuracy,
    ChannelPrior,
    Convergence,
    ModelCheck,
)
from core.analysis.weeks import TREND
from core.charts import (
    channels,
    checks,
    contribution,
    curves,
    data,
    frequency,
    parameters,
)
from core.charts import contribution as bridge
from core.charts import curves as years
from core.charts import data as demand
from core.charts.drawing import marks, style
from core.charts.drawing.shapes import adstock, prior_posterior, saturation
from core.charts.fits import accuracy, comparison, prior, progress
from core.charts.planning import plan
from core.charts.planning import plan as variance
from core.data.ahead.actual_table import Actuals
from core.data.demand.comparison import Comparison
from core.model.priors.prior import prior as make_prior
from core.plan.against.actuals import against_actuals
from core.plan.comparison import Both, ComparedChannel
from core.plan.record.parts import change_of_spend, odds_of_more
from core.plan.record.plan_record import with_details
from core.project.shelf.lifecycle import true_rois
from core.text import Units
from core.text.languages.language import (
    LANGUAGES,
    SOURCE,
    missing_messages,
    say,
    spoken_in,
)
from tests.charts import synthetic
from tests.plan.records import line

KPI = synthetic.ATTRS | {"outcome_unit": "kpi", "kpi_name": "Sign-ups <b>"}
RNG = np.random.default_rng(0)
DRAWS = RNG.normal(1.8e6, 1.1e6, 300)


def drawn_plan(names):
    """A plan with draws of what it brings and of what it is compared with."""
    draws = {"current": tuple(DRAWS + 4e7), "planned": tuple(DRAWS + 4.1e7)}
    return with_details(synthetic.plan(names), draws=draws)


SAMPLES = xr.DataArray(RNG.normal(3, 0.5, (4, 50)), dims=("chain", "draw"))
LOGNORMAL = make_prior("LogNormal", loc=0.2, scale=0.9)
GEOS = ("<i>Nord</i>", "Süd")
#: Figures about parameters and checks, whose numbers are of many units or of none.
UNITLESS = ("convergence", "small_density", "ranks", "parameter", "parameter_pairs")
UNITLESS += ("two_parameters", "checks", "residuals", "trace")


def pairs(names, attrs):
    """Channels of two fits that are the same."""
    rows = as_record(synthetic.summary(names, attrs)).channels[:4]
    none = {"difference": 0.0, "error": None, "units": 0.0}
    return [
        ComparedChannel(
            name=row.name,
            kind=row.kind,
            roi=Both(a=row.roi, b=row.roi, **none),
            contribution=Both(a=row.contribution, b=row.contribution, **none),
        )
        for row in rows
    ]


def actuals(names):
    """A plan beside actuals."""
    view = synthetic.forecast(names).isel(time=slice(13))
    spend = dict(zip(names[:4], (5e5, 4e5, 2e5, 1e5), strict=True))
    n = view.sizes["time"]
    by_week = {name: np.full(n, total / n) for name, total in spend.items()}
    happened = Actuals(view["time"].to_numpy(), np.full(n, 1.2e7 / n), by_week)
    return against_actuals(view, {}, happened).record()


def beside(name):
    """Spend with a pause beside the KPI."""
    rng = np.random.default_rng(2)
    spend, kpi = rng.standard_normal((2, 40))
    spend[10:13] = np.nan
    times = np.datetime64("2024-01-01") + 7 * np.arange(40)
    return Comparison(name, times, spend, kpi)


def bridged(names, attrs):
    """Steps from the second year to the third."""
    sources = synthetic.sources(names, attrs)
    years = {one.label: one for one in stretches.choices(sources)}
    steps, *ends = stretches.bridge(sources, years["2022"], years["2023"])
    return steps, tuple(ends)


def figures(names=synthetic.NAMES, attrs=synthetic.ATTRS):
    """Name of each figure and how to build it."""
    of_channels = synthetic.channels(names, attrs)
    of_curves = synthetic.curves(names, attrs)
    weeks = synthetic.weeks(names, attrs, geos=GEOS, n_times=60)
    shapes = synthetic.shapes(names, attrs)
    over_years = synthetic.years(names, attrs)
    table, mapping = synthetic.table(names, GEOS, 30), synthetic.mapping(names)
    known = convert(synthetic.priors(names), dict[str, ChannelPrior])
    checked = convert(synthetic.model_check(missed=True), ModelCheck)
    truth = true_rois(synthetic.truth(names))
    units = Units(attrs["outcome_unit"], attrs["currency"], attrs["kpi_name"])
    money = attrs["currency"]
    check = convert(synthetic.prior_check(names), PriorCheck)
    first = names[0]
    scalars = convert(synthetic.diagnostics()["parameters"], list[Convergence])
    of_draws, sources = synthetic.parameters(names[:4]), synthetic.sources(names, attrs)
    labels = [str(one) for one in of_draws["parameter"].values]
    return {
        "spend_and_kpi": partial(
            demand.spend_and_kpi, beside(first), kpi=attrs["kpi_name"]
        ),
        "roi": partial(channels.roi, of_channels, prior=known, truth=truth),
        "mroi": partial(channels.mroi, of_channels),
        "share": partial(channels.contribution, of_channels),
        "cpik": partial(channels.cpik, of_channels),
        "pairs": partial(comparison.pairs, pairs(names, attrs), "roi", units),
        "pairs_outcome": partial(
            comparison.pairs, pairs(names, attrs), "contribution", units
        ),
        "bridge": partial(
            bridge.bridge,
            *bridged(names, attrs),
            ("2022", "2023"),
            units,
            order=names,
        ),
        "ranks": partial(parameters.ranks, of_draws, labels[0]),
        "parameter": partial(parameters.prior_posterior, of_draws, labels[0]),
        "parameter_pairs": partial(parameters.pairs, of_draws, labels[:4]),
        "two_parameters": partial(parameters.pairs, of_draws, labels[:2]),
        "checks": partial(checks.checks, checked),
        "residuals": partial(checks.residuals, weeks),
        "densities": partial(checks.densities, synthetic.replicated(), unit="€"),
        "over_time": partial(contribution.over_time, weeks),
        "waterfall": partial(contribution.waterfall, of_channels),
        "waterfall_parts": partial(
            contribution.waterfall,
            stretches.returned(sources, stretches.choices(sources)[2]),
        ),
        "expected": partial(accuracy.expected, weeks, accuracy=Accuracy(0.9, 0.1, 0.2)),
        "expected_geo": partial(accuracy.expected, weeks, geo=GEOS[0]),
        "response": partial(curves.response, of_curves, first),
        "responses": partial(curves.responses, of_curves),
        "adstock": partial(adstock, shapes, first),
        "frequency": partial(
            frequency.by_frequency,
            synthetic.frequency((names[0], names[4]), attrs),
            first,
        ),
        "frequency_organic": partial(
            frequency.by_frequency,
            synthetic.frequency((names[0], names[4]), attrs),
            names[4],
        ),
        "saturation": partial(saturation, shapes, first),
        "roi_by_year": partial(years.roi_by_year, over_years, first),
        "effectiveness_over_time": partial(years.effectiveness, over_years, first),
        "prior_posterior": partial(prior_posterior, shapes, names[5]),
        "kpi": partial(data.kpi, table, mapping),
        "kpi_by_geo": partial(data.kpi, table, mapping, by_geo=True),
        "spend": partial(data.spend, table, mapping, currency=money),
        "spend_share": partial(data.spend_share, table, mapping, currency=money),
        "correlation": partial(data.correlation, table, mapping),
        "plan": partial(plan.spend, synthetic.plan(names), currency=money),
        "outcome": partial(plan.outcome, drawn_plan(names), units=units),
        "variance": partial(variance.variance, actuals(names), units=units),
        "gain": partial(plan.gain, DRAWS, units=units, over="last year"),
        "convergence": partial(progress.convergence, scalars),
        "trace": partial(progress.trace, SAMPLES, name=f"roi_m[{first}]"),
        "density": partial(prior.density, LOGNORMAL, channel=first, units=units),
        "small_density": partial(prior.small_density, LOGNORMAL, "alpha"),
        "predictive": partial(prior.predictive, check, units=units),
        "implied_shares": partial(prior.shares, check),
    }


ORDINARY = figures()
HOSTILE = figures(synthetic.HOSTILE, KPI)
DOLLARS = figures(attrs=synthetic.ATTRS | {"currency": "USD"})


@cache
def figure_of(name, theme="light", kind="ordinary"):
    sets = {"ordinary": ORDINARY, "hostile": HOSTILE, "dollars": DOLLARS}
    with style.in_theme(theme):
        return sets[kind][name]()


EACH = pytest.mark.parametrize("name", list(ORDINARY))
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


def strings(node):
    """Every text in a figure's JSON."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in node.values():
            yield from strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value)


@EACH
@THEMES
def test_builds_and_is_json(name, theme):
    figure = figure_of(name, theme)
    sent = json.loads(figure.to_json())
    assert sent["layout"]["template"]
    assert figure.layout.height <= 640
    assert figure.layout.title.text
    assert len(figure.data) <= 30


@EACH
@THEMES
def test_uses_house_colours_only(name, theme):
    allowed = {c.lower() for c in style.COLORWAY}
    allowed |= {c for c in vars(style.palette(theme)).values()}
    rgb = {tuple(int(c[i : i + 2], 16) for i in (1, 3, 5)) for c in allowed}
    text = figure_of(name, theme).to_json()
    found = {c.lower() for c in re.findall(r"#[0-9a-fA-F]{6}\b", text)}
    assert found <= allowed
    faded = re.findall(r"rgba\((\d+),(\d+),(\d+),", text)
    assert {tuple(map(int, f)) for f in faded} <= rgb
    assert not re.findall(r"\brgb\(|\bhsl", text)


@EACH
def test_number_axes_have_a_unit(name):
    """An axis is titled, or shows names, dates, nothing, or what the title says."""
    figure, in_the_title = figure_of(name), set()
    has_dates = any(
        np.asarray(t.x).dtype.kind == "M" for t in figure.data if t.x is not None
    )
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        is_x = axis.plotly_name.startswith("xaxis")
        unlabelled = axis.tickvals is not None or (is_x and has_dates)
        unlabelled |= axis.showticklabels is False
        shared = name == "responses" or axis.matches is not None
        if not (axis.title.text or unlabelled or shared):
            in_the_title.add(axis.plotly_name)
    assert len(in_the_title) <= 1
    assert not in_the_title or ", " in figure.layout.title.text


@EACH
@THEMES
def test_hostile_names_stay_text(name, theme):
    figure = figure_of(name, theme, "hostile")
    sent = json.loads(figure.to_json())
    for text in strings(sent["data"] + [sent["layout"]]):
        tags = set(re.findall(r"<\s*/?\s*([a-z]+)", text, re.I))
        assert tags <= {"b", "br", "span", "extra"}, text
        assert "onerror" not in text or "&lt;img" in text
    for trace in figure.data:
        template = trace.hovertemplate
        assert template in (None, "%{customdata}<extra></extra>")


@EACH
def test_dollars_are_no_formula(name):
    sent = json.loads(figure_of(name, kind="dollars").to_json())
    for text in strings(sent["data"] + [sent["layout"]]):
        assert text.count("$") < 2, text


@EACH
def test_titles_say_the_unit(name):
    title = figure_of(name).layout.title.text
    assert name in UNITLESS or re.search(r"[€%]|−1 to 1|[Oo]rders", title), title


def test_what_is_counted_is_said_once():
    """A title names the KPI, the axis says thousands: no `k Sales units` twice."""
    figure = figure_of("kpi")
    assert figure.layout.title.text.count("rders") == 1
    assert "k orders" not in figure.to_json()
    assert figure.layout.yaxis.title.text in (None, "thousands", "millions")


def test_roi_is_sorted_and_leaves_out_what_has_none():
    figure = channels.roi(synthetic.channels())
    assert list(figure.layout.yaxis.ticktext) == ["TV", "Search", "Social", "Print"]
    dots = figure.data[-1]
    assert list(dots.x) == sorted(dots.x, reverse=True)


def test_a_figure_beside_another_has_its_rows_in_the_same_order():
    view = synthetic.channels()
    order = channels.roi_order(view)
    first, beside = channels.roi(view), channels.mroi(view, order=order)
    rows = [figure.layout.yaxis.ticktext for figure in (first, beside)]
    assert rows[0] == rows[1]
    assert channels.mroi(view, order=order[::-1]).layout.yaxis.ticktext == rows[0][::-1]
    assert channels.cpik_order(view)[0] == order[0]


def test_colours_follow_the_project_order_everywhere():
    by_name = style.channel_colours(synthetic.NAMES)
    shuffled = synthetic.plan()
    shuffled = with_details(shuffled, channels=shuffled.channels[::-1])
    bars = plan.spend(shuffled, order=synthetic.NAMES).data[1]
    expected = [by_name[each.name] for each in shuffled.channels]
    assert list(bars.marker.color) == expected
    roi = channels.roi(synthetic.channels()).data[-1]
    assert list(roi.marker.color) == [by_name[n] for n in synthetic.PAID]
    curve = curves.response(synthetic.curves(), "Social")
    assert curve.data[1].line.color == by_name["Social"]


def test_waterfall_ends_at_the_expected_outcome():
    made = synthetic.channels()
    bars = contribution.waterfall(made).data[0]
    total = float(made.expected_outcome.mean()) / 1e6
    assert bars.x[-1] == pytest.approx(total)
    assert bars.base[-2] + bars.x[-2] == pytest.approx(total)


def test_response_is_dashed_beyond_what_was_seen():
    figure = curves.response(synthetic.curves(), "TV")
    seen, beyond = (t for t in figure.data if t.mode == "lines" and t.fill is None)
    assert (seen.line.dash, beyond.line.dash) == ("solid", "dash")
    assert seen.x[-1] == beyond.x[0] == pytest.approx(1.8 * 9.2)
    within = curves.response(synthetic.curves(), "Search")
    assert all(t.line.dash != "dash" for t in within.data if t.mode == "lines")


@pytest.mark.parametrize(
    ("up", "planned", "sign"),
    [
        (0.95, 130, "▲"),
        (0.95, 70, "◇"),
        (0.05, 70, "▼"),
        (0.8, 130, "△"),
        (0.2, 70, "▽"),
        (0.5, 130, "◇"),
        (0.5, 100.1, "="),
        (None, 130, "▲"),
    ],
)
def test_direction_firmness(up, planned, sign):
    tv = line("TV", planned, probability_up=up)
    assert plan.direction(tv)[0] == sign


def test_a_lock_is_no_direction_and_no_odds():
    """What a draw's own best plan does with a lock says nothing of what pays."""
    for planned, up in ((70, 0.0), (130, 1.0)):
        tv = line("TV", planned, probability_up=up, locked=True)
        assert plan.direction(tv) == ("", "locked")
        assert odds_of_more(tv) is None
        assert change_of_spend(tv) == fmt.share(planned / 100 - 1, signed=True)


def test_gain_says_how_sure_it_is():
    note = plan.gain(
        np.linspace(-1, 3, 1000), units=Units(), over="last year"
    ).layout.title.subtitle.text
    assert note.startswith("75")


def test_data_charts_read_what_can_be_read():
    table, mapping = synthetic.table(n_times=10), synthetic.mapping()
    table["orders"] = table["orders"].astype(object)
    table.loc[3, "orders"] = "many"
    table.loc[4, "week"] = "someday"
    del table["Print_spend"]
    assert len(data.kpi(table, mapping).data[0].x) == 10
    assert len(data.spend(table, mapping).data) == 3
    for build in (data.kpi, data.spend, data.spend_share, data.correlation):
        build(table, mapping).to_json()


def test_empty_tables_draw_empty_figures():
    table, mapping = synthetic.table(n_times=4).iloc[:0], synthetic.mapping()
    for build in (data.kpi, data.spend, data.spend_share, data.correlation):
        build(table, mapping).to_json()


def test_many_channels_stay_one_screen():
    names = [f"Channel {i}" for i in range(24)]
    table = {"draw": 5, "channel": names}
    value = xr.DataArray(
        np.random.default_rng(0).lognormal(0, 0.3, (5, 24)),
        coords={"channel": names},
        dims=list(table),
    )
    made = xr.Dataset({"roi": value}, attrs=synthetic.ATTRS)
    figure = channels.roi(made)
    assert figure.layout.height < 800


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_charts_that_add_up_show_the_largest_of_many_channels(theme):
    few, many = synthetic.weeks(), [f"Channel {i}" for i in range(24)]
    weeks = few.isel(channel=[i % 4 for i in range(24)]).assign_coords(channel=many)
    with style.in_theme(theme):
        drawn = contribution.over_time(weeks)
    assert len(drawn.data) == 13
    assert "13 smaller channels" in drawn.layout.annotations[-1].text
    total = sum(np.array(trace.y, float) for trace in drawn.data)
    whole = weeks["baseline"] + weeks["contribution"].sum("channel")
    np.testing.assert_allclose(total / total[0], whole / whole[0])
    channels = synthetic.channels()
    channels = channels.isel(channel=[i % 4 for i in range(24)])
    channels = channels.assign_coords(channel=many)
    with style.in_theme(theme):
        steps = contribution.waterfall(channels).data[0]
    assert len(steps.x) == 1 + 11 + 1 + 1
    brought = float(channels["incremental_outcome"].mean("draw").sum())
    assert float(np.sum(steps.x[1:-1])) == pytest.approx(brought / 1e6)


@pytest.mark.parametrize("draw", [contribution.over_time, accuracy.expected])
def test_notes_stand_at_their_dates(draw):
    notes = (("2022-03-07", "<b>Strike"), ("1999-01-01", "Long ago"))
    before = draw(synthetic.weeks())
    drawn = draw(synthetic.weeks(), notes=notes)
    assert [shape.x0 for shape in drawn.layout.shapes or ()] == ["2022-03-07"]
    (added,) = [note for note in drawn.layout.annotations if note.textangle == -90]
    assert added.x == "2022-03-07"
    assert added.text == "&lt;b&gt;Strike"
    assert added.hovertext == "7 Mar 2022: &lt;b&gt;Strike"
    assert len(drawn.layout.annotations) == len(before.layout.annotations) + 1


def test_end_labels_do_not_overlap():
    placed = marks.spread([0.0, 0.01, 0.02, 5, 9.99, 10], 1.0, (0, 10))
    gaps = np.diff(placed)
    assert (gaps >= 0.999).all()
    assert placed[0] >= 0 and placed[-1] <= 10


@pytest.mark.parametrize("family", ["Beta", "Uniform", "HalfNormal", "Deterministic"])
def test_densities_of_every_shape(family):
    numbers = {
        "Beta": {"concentration1": 0.5, "concentration0": 2.0},
        "Uniform": {"low": 0.0, "high": 1.0},
        "HalfNormal": {"scale": 5.0},
        "Deterministic": {"loc": 1.0},
    }[family]
    figure = prior.density(make_prior(family, **numbers), kind="contribution")
    assert np.isfinite(figure.layout.yaxis.range).all()


def test_many_geos_are_one_trace():
    geos = tuple(f"Geo {i}" for i in range(60))
    table = synthetic.table(geos=geos, n_times=6)
    figure = data.kpi(table, synthetic.mapping(), by_geo=True)
    assert len(figure.data) == 1
    assert np.isnan(figure.data[0].y).sum() == 59


def test_runaway_ratios_do_not_stretch_the_axis():
    made = synthetic.channels()
    made["cpik"][:30, 3] = 1e9
    made["cpik"][30:60, 3] = -1e9
    axis = channels.cpik(made).layout.xaxis
    assert axis.range[1] < 1000 and axis.range[0] > -1000
    made["cpik"][:, 3] = np.inf
    assert len(channels.cpik(made).layout.yaxis.ticktext) == 3


def test_nothing_expected_draws_a_waterfall_without_shares():
    made = synthetic.channels() * 0
    made.attrs = synthetic.ATTRS
    contribution.waterfall(made.fillna(0)).to_json()


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != SOURCE])
def test_every_part_of_the_baseline_is_said_in_the_language(language):
    view = synthetic.channels()
    names = [TREND, *PARTS]
    parts = [view["baseline_outcome"] / len(names)] * len(names)
    joined = xr.concat(parts, pd.Index(names, name="part"))
    view["baseline_part"] = joined.transpose(..., "part")
    with spoken_in(language), missing_messages() as missing:
        labels = contribution.waterfall(view).layout.yaxis.ticktext
        before = say("Baseline")
    assert not missing
    said = {label for label in labels if label.startswith(before)}
    assert len(said) == len(names)


@pytest.mark.parametrize("rounding", [0.0, 0.0148])
@pytest.mark.parametrize("nothing", [0, 2])
def test_a_part_of_the_baseline_that_is_nothing_has_no_step(nothing, rounding):
    view = synthetic.channels()
    names = ["Trend", "Season", "Controls"]
    whole = view["baseline_outcome"]
    parts = [0.5 * whole if place != nothing else 0 * whole for place in range(3)]
    parts[nothing] = parts[nothing] + rounding
    joined = xr.concat(parts, pd.Index(names, name="part"))
    view["baseline_part"] = joined.transpose(..., "part")
    drawn = contribution.waterfall(view)
    labels = " ".join(drawn.layout.yaxis.ticktext)
    for place, name in enumerate(names):
        assert (name.lower() in labels) == (place != nothing)
    texts = [each.text for each in drawn.layout.annotations]
    assert not [text for text in texts if text.startswith("0\u00a0")]


def test_a_part_whose_draws_cancel_has_no_step():
    """As the demand of the demo: 20 k of 900 M in a draw, and nothing on average."""
    made = synthetic.channels()
    base = made["baseline_outcome"]
    sign = xr.zeros_like(base) + 1.0
    sign[{"draw": slice(None, None, 2)}] = -1.0
    tiny = sign * 2e-5 * float(made["expected_outcome"].mean())
    tiny = tiny - tiny.mean()
    part = xr.concat([base, tiny], dim="part")
    made["baseline_part"] = part.assign_coords(part=["Trend", "Demand"])
    names = contribution.waterfall(made).layout.yaxis.ticktext
    assert not [name for name in names if "demand" in name]


def test_titles_of_changes_fit_a_phone():
    """They name no periods: the first and the last bar do."""
    names = synthetic.NAMES
    steps, ends = bridged(names, synthetic.ATTRS)
    for labels in (("2022", "2023"), ("The 52 weeks before", "Last 52 weeks")):
        units = Units("revenue", "EUR", "Orders")
        made = bridge.bridge(steps, ends, labels, units, order=names)
        assert made.layout.title.text == "What changed revenue, M\u00a0€"
        assert [made.layout.yaxis.ticktext[at] for at in (0, -1)] == list(labels)
