"""`[data.layout]` of project.toml: how the project's table was made from its files.

[data.layout]
period = "week"
week_begins = "monday"

[[data.layout.source]]
name = "google.csv"
kind = "campaigns"
date = "Day"
channel = ["Campaign type"]
amounts = {spend = "Cost", impressions = "Impr."}
"""

from dataclasses import fields
from typing import Any

from core.data.layout.recipe import KINDS, Layout, Source
from core.toml.table import Own, TableReader, is_number

_NAMED = ("amounts", "currencies")


def layout_table(layout: Layout) -> dict[str, Any]:
    """A layout as nested plain tables, without what is at its default."""
    table: dict[str, Any] = {"period": layout.period}
    if layout.period == "week" or layout.week_begins != "monday":
        table["week_begins"] = layout.week_begins
    standard = Layout(())
    for key in ("geos", "outside", "overlap", "cancelled", "geo_columns", "currency"):
        if getattr(layout, key) != getattr(standard, key):
            table[key] = getattr(layout, key)
    if layout.rates:
        table["rates"] = dict(layout.rates)
    return table | {"source": [_source_table(source) for source in layout.sources]}


def _source_table(source: Source) -> dict[str, Any]:
    standard = Source("", "table", "")
    table: dict[str, Any] = {}
    for field in fields(Source):
        value = getattr(source, field.name)
        if field.name not in ("name", "kind", "date"):
            if value == getattr(standard, field.name):
                continue
        if field.name in _NAMED:
            value = dict(value)
        elif field.name == "groups":
            value = {name: list(globs) for name, globs in value}
        table[field.name] = list(value) if isinstance(value, tuple) else value
    return table


def read_layout(data: TableReader) -> Layout | None:
    """The layout below `[data]`; None where the table is a file as it lies."""
    if data.any("layout") is None:
        return None
    table = data.child("layout")
    sources = tuple(_source(child) for child in table.children("source"))
    own: dict[str, Own] = {"sources": lambda _: sources, "rates": _rates}
    layout = Layout(**table.options(Layout, own))
    if not sources:
        hint = "Name each file under [[data.layout.source]], or delete the table."
        table.problem(f"{table.title} has no source.", hint)
    table.finish()
    return layout


def _rates(table: TableReader) -> tuple[tuple[str, float], ...]:
    """Currencies and what they are worth."""
    rates = table.any("rates") or {}
    if not isinstance(rates, dict) or not all(
        is_number(rate) and rate > 0 for rate in rates.values()
    ):
        table.problem(
            f"rates in {table.place} must be currencies and what they are worth, "
            f"like {{USD = 0.92}}, not {rates!r}.",
            key="rates",
        )
        return ()
    return tuple((str(code), float(rate)) for code, rate in rates.items())


def _source(table: TableReader) -> Source:
    name = table.owner = table.required("name", "Name the file it was made from.")
    own: dict[str, Own] = {
        "name": lambda _: name,
        "kind": lambda table: table.choice("kind", KINDS, "table"),
        "date": lambda table: table.required("date", "Name the column of dates."),
        "groups": lambda table: _named(table, "groups", list),
        "amounts": lambda table: _named(table, "amounts", str),
        "currencies": lambda table: _named(table, "currencies", str),
    }
    source = Source(**table.options(Source, own))
    if source.kind == "variables" and not (source.variable and source.value):
        table.problem(
            f"{table.title} lacks variable or value.",
            "Name the column of variable names and the column of their values.",
        )
    if source.kind == "campaigns" and not (source.channel and source.amounts):
        table.problem(
            f"{table.title} lacks channel or amounts.",
            "Name the columns that tell channels apart and what is summed.",
        )
    table.finish()
    return source


def _named(table: TableReader, key: str, kind: type) -> tuple:
    """Names with a text, or with a list of texts."""
    value = table.any(key)
    if value is None:
        return ()
    example = '{spend = "Cost"}' if kind is str else '{Brand = ["brand*"]}'
    entries = value.items() if isinstance(value, dict) else ()
    good = isinstance(value, dict) and all(_fits(entry, kind) for _, entry in entries)
    if not good:
        table.problem(
            f"{key} in {table.place} must be names with columns, like {example}, "
            f"not {value!r}.",
            key=key,
        )
        return ()
    return tuple(
        (str(name), entry if kind is str else tuple(entry)) for name, entry in entries
    )


def _fits(entry: object, kind: type) -> bool:
    if kind is str:
        return isinstance(entry, str)
    return isinstance(entry, list) and all(isinstance(text, str) for text in entry)
