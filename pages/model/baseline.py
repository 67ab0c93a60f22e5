"""The baseline over time, as a card of options."""

from dataclasses import replace

import streamlit as st

from core import text as fmt
from core.errors import SpecError
from core.service.records.model import ModelSpec
from core.text.languages.language import marked, say
from pages.model.scope import Scope, key
from pages.ui import layout, words
from pages.ui.fields import gated
from pages.ui.findings import plain

_EVENLY, _FROM_DATA, _AT_PERIODS = (
    marked("evenly"),
    marked("where the outcome moves"),
    marked("at periods"),
)

_PARTS = {
    "trend": marked("trend"),
    "season": marked("season"),
    "smooth": marked("smooth deviation"),
}


def edit(spec: ModelSpec, scope: Scope) -> ModelSpec:
    """Draw the card, by what the baseline is made of; returns the options as edited.

    Raises:
        SpecError: An entry is impossible.
    """
    st.markdown(say("**Baseline over time**"))
    ways = [True, False]
    structural = gated.selectbox(
        say("Made of"),
        ways,
        ways.index(spec.is_structural),
        format_func=lambda is_so: say("trend and season") if is_so else say("knots"),
        key=key("baseline"),
        help=say(
            "Trend, season and a smooth deviation, which a forecast can carry on; or "
            "Meridian's knots. Default: trend and season."
        ),
    )
    if structural != spec.is_structural:
        baseline = "structural" if structural else "knots"
        knots = None if structural else scope.default_knots
        spec = replace(
            spec, baseline=baseline, knots=knots, seasonality=None, recurring=False
        )
    if structural:
        spec = _structural_baseline(spec, scope)
    else:
        spec = _knots_baseline(spec, scope)
    return _memory(spec)


def _memory(spec: ModelSpec) -> ModelSpec:
    """Whether noise goes on from one period to the next."""
    usual = replace(spec, autocorrelation=None).has_memory
    goes_on = gated.toggle(
        say("Noise carries over into the next period"),
        spec.has_memory,
        key=key("autocorrelation"),
        help=say(
            "Part of what is left unexplained in one period carries over to the next; "
            "the data say how much (AR 1). Without this, intervals are too narrow "
            "where it happens. Default: {part}.",
            part=say("on") if usual else say("off"),
        ),
    )
    if goes_on == spec.has_memory:
        return spec
    return replace(spec, autocorrelation=None if goes_on == usual else bool(goes_on))


def _structural_baseline(spec: ModelSpec, scope: Scope) -> ModelSpec:
    """Season, holidays and events beside level, trend and smooth deviation."""
    layout.remark(
        "Level, trend, season and a smooth deviation, each as strong as shown."
    )
    pairs = gated.number_input(
        say("Seasonal waves"),
        0,
        26,
        value=spec.seasonality,
        placeholder="4",
        key=key("waves"),
        help=say(
            "Pairs of sine and cosine that repeat every year. Default: 4, fewer where "
            "periods are long."
        ),
    )
    country = gated.text_input(
        say("Public holidays of"),
        spec.holidays or "",
        placeholder=say("no country"),
        key=key("holidays"),
        help=say(
            "Country code, with a subdivision if it matters: US, DE, DE-BY. Each "
            "holiday and the period before it may move the outcome. Default: none."
        ),
    ).strip()
    recurring = gated.toggle(
        say("An effect for each week of the year"),
        spec.recurring,
        key=key("recurring"),
        help=say(
            "For peaks that return each year and have no holiday. Needs two years; "
            "sampling takes up to twice as long. Default: off."
        ),
    )
    spec = replace(
        spec,
        seasonality=None if pairs is None else int(pairs),
        holidays=country or None,
        recurring=recurring,
    )
    return _own_of_geos(spec) if scope.market.geos else spec


def _own_of_geos(spec: ModelSpec) -> ModelSpec:
    """Which parts of the baseline every geo has for itself."""
    usual = ("trend", "season")
    now = list(usual if spec.varies_by_geo is None else spec.varies_by_geo)
    varies = gated.multiselect(
        say("Geos have their own"),
        [*usual, "smooth"],
        now,
        format_func=words.said(_PARTS),
        key=key("varies_by_geo"),
        help=say(
            "In addition to what they share. Smooth is for geos that drift (the model "
            "check says so) and takes longer. Default: trend and season."
        ),
        placeholder=say("Choose"),
    )
    if set(varies) == set(now):
        return spec
    own = None if set(varies) == set(usual) else tuple(varies)
    return replace(spec, varies_by_geo=own)


def _knots_baseline(spec: ModelSpec, scope: Scope) -> ModelSpec:
    """Knots, and waves of the year beside them."""
    layout.remark("The outcome without any media moves freely between its knots.")
    ways = [_EVENLY, _FROM_DATA, _AT_PERIODS]
    now = _AT_PERIODS if isinstance(spec.knots, tuple) else _EVENLY
    now = _FROM_DATA if spec.knots == "auto" else now
    way = gated.selectbox(
        say("Knots are put"),
        ways,
        ways.index(now),
        format_func=say,
        key=key("knots_are"),
        help=say(
            "Evenly over time, where the outcome moves, or at periods that you give. "
            "Default: evenly."
        ),
    )
    if way == _FROM_DATA:
        spec = replace(spec, knots="auto")
    elif way == _AT_PERIODS:
        spec = _knot_positions(spec, scope)
    else:
        spec = _knot_number(spec, scope)
    return _season(spec)


def _knot_number(spec: ModelSpec, scope: Scope) -> ModelSpec:
    limit = max(scope.market.n_times, 1)
    current = spec.knots or (limit if scope.market.geos else 1)
    if not isinstance(current, int):
        current = scope.default_knots or limit
        spec = replace(spec, knots=current)
    knots = gated.number_input(
        say("Number of knots"),
        1,
        limit,
        min(current, limit),
        key=key("knots"),
        help=say(
            "More knots follow the seasons more closely and leave less for media. "
            "Default: about one every six weeks."
        ),
    )
    return spec if knots == current else replace(spec, knots=int(knots))


def _knot_positions(spec: ModelSpec, scope: Scope) -> ModelSpec:
    """Knots at numbers of periods or at dates."""
    dates = scope.market.dates
    current = spec.knots
    if not isinstance(current, tuple):
        n_times = max(scope.market.n_times, 2)
        number = current if isinstance(current, int) else scope.default_knots or 2
        steps = max(min(number, n_times) - 1, 1)
        current = tuple(
            sorted({round(i * (n_times - 1) / steps) for i in range(steps + 1)})
        )
        spec = replace(spec, knots=current)
    text = gated.text_area(
        say("Periods of the knots"),
        ", ".join(map(str, current)),
        key=key("positions"),
        height=68,
        help=say(
            "Numbers of periods from 0, or dates as 2024-01-31, with commas between."
        ),
    )
    positions = _positions(text, dates, scope.market.n_times)
    if dates:
        first, last = (
            dates[min(at, len(dates) - 1)] for at in (positions[0], positions[-1])
        )
        layout.remark(
            "{n_positions} knots, the first at {first}, the last at {last}.",
            n_positions=len(positions),
            first=fmt.date(first),
            last=fmt.date(last),
        )
    return replace(spec, knots=positions)


def _positions(text: str, dates: tuple[str, ...], n_times: int) -> tuple[int, ...]:
    """The periods in a text.

    Raises:
        SpecError: One of them is not a number, or not in the data.
    """
    positions = set()
    for part in text.replace(";", ",").split(","):
        word = part.strip()
        if not word:
            continue
        if not word.isdecimal() and word not in dates:
            raise SpecError(
                say("{word} is not a period of the data.", word=plain(word)),
                hint=say("Use numbers from 0, or dates on which a period begins."),
                where="model.knots",
            )
        at = int(word) if word.isdecimal() else dates.index(word)
        if at >= n_times:
            raise SpecError(
                say(
                    "A knot at period {at} is beyond the last one, {n_times}.",
                    at=at,
                    n_times=n_times - 1,
                ),
                hint=say("Remove it."),
                where="model.knots",
            )
        positions.add(at)
    if not positions:
        raise SpecError(
            say("Knots at periods need at least one period."),
            hint=say("Enter some, or space the knots evenly."),
            where="model.knots",
        )
    return tuple(sorted(positions))


def _season(spec: ModelSpec) -> ModelSpec:
    pairs = gated.number_input(
        say("Seasonal waves"),
        0,
        26,
        min(spec.seasonality or 0, 26),
        key=key("seasonality"),
        help=say(
            "Pairs of sine and cosine that repeat every year, beside the knots: 2 to "
            "4 with few knots. Default: 0, none."
        ),
    )
    return replace(spec, seasonality=int(pairs) or None)
