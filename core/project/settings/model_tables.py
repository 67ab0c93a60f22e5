"""[[channel]] and [model] of project.toml, read."""

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

from core.data.mapping import KINDS, ChannelColumns, PriceIndex
from core.errors import SpecError
from core.model.holdout import HeldOut, Holdout
from core.model.inputs.events import Event
from core.model.priors.default_priors import DEFAULT_PRIORS
from core.model.priors.prior import Prior
from core.model.spec import (
    CHANNEL_STEMS,
    MAX_WINDOW,
    ChannelSpec,
    GeoPart,
    ModelSpec,
    PriorKind,
)
from core.project.settings.prior_table import read_prior
from core.text.languages.language import marked
from core.toml.document import shown
from core.toml.table import Own, TableReader, as_number, is_number, iso_date

#: Parameters of the whole model that can have a prior of their own.
MODEL_PRIORS = tuple(DEFAULT_PRIORS)
#: Parts of a structural baseline that geos can have of their own.
GEO_PARTS = get_args(GeoPart)
_PERIOD = 'a list of pairs of dates, like [["2024-01-01", "2024-06-30"]]'
_CELL = 'a list of geo and date, like [["Geo0", "2024-01-01"]]'
_INDEX = 'price_index = { "2023-01-01" = 1.0, "2024-01-01" = 1.08 }'


def read_channel(table: TableReader) -> tuple[ChannelColumns, ChannelSpec | None]:
    """The columns and the options of one [[channel]]; None for wrong options."""
    name = table.owner = table.required("name", "Name the channel.")
    kind = table.choice("kind", KINDS, "media")
    named: dict[str, Own] = {"name": lambda _: name, "kind": lambda _: kind}
    of_columns = named | {"price_index": _price_index}
    columns = ChannelColumns(**table.options(ChannelColumns, of_columns))
    _check_price_index(table, columns)
    _refuse_gamma(table, columns)
    prior_table = table.child("prior")
    priors_table = table.child("priors")
    own: dict[str, Own] = {
        **named,
        "prior_kind": lambda _: prior_table.choice("kind", get_args(PriorKind)),
        "prior": lambda _: read_prior(prior_table),
        "priors": lambda _: _priors(priors_table, CHANNEL_STEMS),
        "calibration": lambda table: table.pairs("calibration", _PERIOD, (0, 1)),
        "baseline": _channel_baseline,
        "follows_demand": _follows_demand,
    }
    values = table.options(ChannelSpec, own)
    prior_table.finish()
    table.finish()
    if table.has_problems:
        return columns, None
    return columns, build(ChannelSpec, table, **values)


def _price_index(table: TableReader) -> PriceIndex:
    """The days from which on a channel's media has a price, over any base."""
    stated = table.any("price_index")
    if stated is None:
        return ()
    rows = stated.items() if isinstance(stated, dict) else ()
    prices = [(iso_date(day), price) for day, price in rows]
    wrong = [
        day is None or not is_number(price) or not 0 < price < math.inf
        for day, price in prices
    ]
    if not prices or any(wrong):
        table.problem(
            f"price_index in {table.place} must have days with a price above 0, not "
            f"{shown(stated)}.",
            f"Write {_INDEX}: from each day on, over any base.",
            "price_index",
        )
        return ()
    return tuple(sorted((str(day), float(price)) for day, price in prices))


def _check_price_index(table: TableReader, columns: ChannelColumns) -> None:
    """Refuse an index of a channel whose units are known: its spend has their price."""
    if not columns.price_index:
        return
    if columns.kind != "media" or not columns.spend:
        table.problem(
            f"{columns.name} has a price_index, but is no paid media of one column.",
            "Take price_index out.",
            "price_index",
        )
    elif columns.media not in (None, columns.spend):
        table.problem(
            f"{columns.name} has a price_index and units of its own ({columns.media}): "
            "its spend over them is its price already.",
            f'Take price_index out, or model its money: media = "{columns.spend}".',
            "price_index",
        )


def _refuse_gamma(table: TableReader, columns: ChannelColumns) -> None:
    """Refuse a price by volume, which plans have: a fit is of what was bought."""
    if "gamma" not in table.table:
        return
    table.any("gamma")
    name = columns.name
    if not columns.price_index and columns.media not in (None, columns.spend):
        table.problem(
            f"gamma of {name} belongs to a plan, not to the project: a fit is of the "
            "units that were bought, whatever they cost.",
            "Take it out, and plan with --gamma, or with gamma in the channel's table "
            "of a scenario file.",
            "gamma",
        )
        return
    table.problem(
        f"{name} is fitted on its money, so its curve has what gets dearer with volume "
        "already, and gamma would bend it twice.",
        "Take gamma out, or fit the channel on what was bought: media is its column "
        "of impressions or clicks.",
        "gamma",
    )


def _channel_baseline(table: TableReader) -> float | str:
    return table.accepted(
        "baseline",
        lambda value: value if value in ("min", "max") else as_number(value),
        marked('a number, "min" or "max"'),
        "min",
    )


def _follows_demand(table: TableReader) -> bool | float | Literal["auto"]:
    wanted = marked('true, false, a probability between 0 and 1 such as 0.7, or "auto"')
    return table.accepted("follows_demand", _as_demand, wanted, "auto")


def _as_demand(value: Any) -> bool | float | Literal["auto"] | None:
    if value == "auto" or isinstance(value, bool):
        return value
    return float(value) if is_number(value) and 0.0 < value < 1.0 else None


def _priors(
    table: TableReader, allowed: tuple[str, ...]
) -> tuple[tuple[str, Prior], ...]:
    priors = []
    for name in allowed:
        child = table.child(name)
        if name in table.table:
            prior = read_prior(child)
            child.finish()
            priors += [(name, prior)] if prior else []
    table.finish()
    return tuple(priors)


def read_model(
    table: TableReader, channels: tuple[ChannelSpec, ...]
) -> ModelSpec | None:
    """The options in [model] with these channels; None if something is wrong."""
    own: dict[str, Own | None] = {
        "channels": lambda _: channels,
        "knots": _knots,
        "holiday_window": _window,
        "events": _events,
        "varies_by_geo": _varies,
        "holdout": _holdout,
        "priors": lambda table: _priors(table.child("priors"), MODEL_PRIORS),
        "experiments": None,
    }
    values = table.options(ModelSpec, own)
    table.finish()
    if table.has_problems:
        return None
    return build(ModelSpec, table, **values)


def _events(table: TableReader) -> tuple[Event, ...]:
    """Own events: [name, first day] or [name, first day, last day]."""
    value = table.any("events")
    if value is None:
        return ()
    tables = value if isinstance(value, list) else [value]
    events = []
    for row in tables:
        fits = isinstance(row, list) and len(row) in (2, 3)
        days = [iso_date(day) for day in row[1:]] if fits else [None]
        if not fits or not isinstance(row[0], str) or None in days:
            table.problem(
                "events must be a list of name, first and last day, like "
                f'[["Black Friday", "2024-11-29", "2024-12-02"]], not {shown(row)}.',
                key="events",
            )
            return ()
        events.append(build(Event, table, name=row[0], start=days[0], end=days[-1]))
    return tuple(event for event in events if event is not None)


def _window(table: TableReader) -> tuple[int, int]:
    """Periods before and after a holiday."""
    value = table.any("holiday_window")
    if value is None:
        return ModelSpec.holiday_window
    is_pair = isinstance(value, list) and [type(x) for x in value] == [int, int]
    if is_pair and min(value) >= 0 and max(value) <= MAX_WINDOW:
        return (value[0], value[1])
    table.problem(
        "holiday_window must be the periods before and after, like [1, 0] and of at "
        f"most {MAX_WINDOW} each, not {shown(value)}.",
        key="holiday_window",
    )
    return ModelSpec.holiday_window


def _varies(table: TableReader) -> tuple[str, ...] | None:
    """Parts of the baseline that geos have of their own; None for the default."""
    if table.any("varies_by_geo") is None:
        return None
    terms = table.texts("varies_by_geo")
    for word in terms:
        if word not in GEO_PARTS:
            table.problem(
                f"varies_by_geo cannot have {shown(word)}.",
                f"Use {', '.join(GEO_PARTS)}, or an empty list for none.",
                "varies_by_geo",
            )
            return None
    return terms


def _holdout(table: TableReader) -> HeldOut:
    """Cells, or a table with the rule."""
    if not isinstance(table.any("holdout"), dict):
        return table.pairs("holdout", _CELL, (1,))
    rule = table.child("holdout")
    own = {"dates": lambda rule: rule.pairs("dates", _PERIOD, (0, 1))}
    values = rule.options(Holdout, own)
    rule.finish()
    return () if rule.has_problems else build(Holdout, rule, **values) or ()


def _knots(table: TableReader) -> int | tuple[int, ...] | Literal["auto"] | None:
    wanted = marked('a number, increasing positions of periods from 0, or "auto"')
    return table.accepted("knots", _as_knots, wanted)


def _as_knots(value: Any) -> int | tuple[int, ...] | Literal["auto"] | None:
    if type(value) is int or value == "auto":
        return value
    wholes = isinstance(value, list) and all(type(x) is int and x >= 0 for x in value)
    is_rising = wholes and value and value == sorted(set(value))
    return tuple(value) if is_rising else None


def build(make: Callable[..., Any], table: TableReader, **values: object) -> Any:
    """The object, or None with its complaint noted on the table."""
    try:
        return make(**values)
    except SpecError as error:
        key = error.where.rpartition(".")[2]
        table.problem(error.message, error.hint, key if key in table.table else None)
        return None
