"""Faults and layouts of exports from abroad; each writes the files of a market."""

import io
from collections.abc import Callable

import numpy as np
import openpyxl
import pandas as pd

from tests.data.abroad.exports import WIDE, Abroad, Table, book

#: Kinds by name: days of a period, and what writes the files.
FAULTS: dict[str, tuple[int, Callable[[Abroad], None]]] = {}
#: Those of which numbers are right or a question: nothing is wrong with the files.
PLAIN: set[str] = set()


def fault(step: int, *, plain: bool = False):
    """Register a kind; `plain` if it has to be read right and without a question."""

    def register(write):
        FAULTS[write.__name__] = (step, write)
        if plain:
            PLAIN.add(write.__name__)
        return write

    return register


_TWICE = ("overlap", "both", "twice", "same", "renamed")


@fault(1, plain=True)
def plain_exports(made):
    day = "name" if made.locale in ("it", "nl", "pl", "pt", "sv", "tr", "fr") else ""
    made.put("ads", made.ads(), day=day)
    made.put("sales", made.sales())


@fault(7, plain=True)
def plain_wide(made):
    made.put("market", made.wide())


@fault(7, plain=True)
def line_breaks_in_names(made):
    table = made.wide(called="{channel}\n{spend}")
    table.names[0] += "\n(Mo)"
    table.names[-1] += "\nnet"
    made.put("market", table)


@fault(1)
def overlap_with_a_column_more(made):
    n = len(made.days)
    old, new = made.ads(last=int(n * 0.65)), made.ads(first=int(n * 0.5))
    if made.random.random() < 0.5:
        old.change("S", lambda at, v: v if at < len(old.rows) - 60 else round(v * 0.9))
    new.add("Video plays", lambda *_: int(made.random.integers(1, 50)), 1)
    made.put("ads new", new, "csv", grouped=False)
    made.put("ads old", old, "csv", grouped=False)
    made.put("sales", made.sales())
    made.said = _TWICE


@fault(1)
def overlap_with_columns_in_another_order(made):
    n = len(made.days)
    old, new = made.ads(last=int(n * 0.65)), made.ads(first=int(n * 0.5))
    old.change("S", lambda at, v: v if at < len(old.rows) - 60 else round(v * 0.7))
    order = made.random.permutation(len(new.names))
    names = [new.names[at] for at in order]
    roles = [new.roles[at] for at in order]
    new = Table(names, roles, [[row[at] for at in order] for row in new.rows])
    made.put("export (1)", new, "csv", grouped=False)
    made.put("export", old, "csv", grouped=False)
    made.put("sales", made.sales())
    made.said = _TWICE


@fault(1)
def overlap_in_another_language(made):
    n = len(made.days)
    made.vendor, made.locale = "google_fr", "fr"
    made.put("first", made.ads(last=int(n * 0.65)), "csv")
    made.vendor, made.locale = "google_it", "it"
    made.put("second", made.ads(first=int(n * 0.5)), "csv")
    made.put("sales", made.sales())
    made.said = _TWICE


@fault(1)
def overlap_of_sales(made):
    made.put("ads", made.ads())
    table = made.sales()
    n = len(table.rows)
    old, new = table.cut(0, int(n * 0.65)), table.cut(int(n * 0.5), None)
    new.add("Orders", lambda *_: 7)
    made.put("sales old", old, "csv", grouped=False)
    made.put("sales new", new, "csv", grouped=False)
    made.said = _TWICE


@fault(1)
def block_pasted_within_a_day(made):
    table = made.ads()
    at = int(len(table.rows) * 0.4)
    table.rows += [list(row) for row in table.rows[at : at + 61]]
    made.put("ads", table)
    made.put("sales", made.sales())
    made.said = _TWICE


@fault(7)
def names_alike(made):
    pairs = (
        ("TV 1", "TV1"),
        ("Paid_Social", "PaidSocial"),
        ("Out of Home", "OutOfHome"),
    )
    names = made.pick((*pairs, ("CRM-Mail", "CRM Mail"), ("Ads+", "Ads")))
    made.spend = dict(zip(names, made.spend.values(), strict=False))
    made.put("market", made.wide())
    made.said = names


@fault(1)
def campaigns_alike(made):
    names = made.pick((("Brand", "brand"), ("Brand 1", "Brand1"), ("A - B", "A B")))
    made.spend = dict(zip(names, made.spend.values(), strict=False))
    made.put("ads", made.ads())
    made.put("sales", made.sales())
    made.said = names


@fault(1)
def spellings(made):
    spend = {f"{name} - X": values for name, values in made.spend.items()}
    made.spend = spend
    table = made.ads()
    signs = made.pick((("-", "–"), ("-", "—"), ("X", "x"), (" - ", " \u200b- ")))
    some = made.random.random(len(table.rows)) < 0.4
    table.change("C", lambda at, name: name.replace(*signs) if some[at] else name)
    made.put("ads", table, "xlsx")
    made.put("sales", made.sales())


_UNITS = {
    "de": ("in TEUR", "T€", "in Tsd. EUR"),
    "ch": ("TCHF", "in TCHF"),
    "fr": ("k€", "en milliers €"),
    "it": ("(migliaia €)", "in migliaia di euro"),
    "es": ("(miles €)", "en miles de €"),
    "nl": ("(x1000 EUR)", "in duizenden €"),
    "pt": ("(mil R$)", "em milhares de R$"),
    "pl": ("(tys. zł)", "w tys. PLN"),
    "sv": ("(tkr)", "i tusental kr"),
    "cs": ("(tis. Kč)", "v tis. Kč"),
    "tr": ("(bin TL)", "bin TL"),
    "ja": ("（千円）", "(千円)"),
}


def _thousands(made: Abroad) -> tuple[Table, str]:
    table = made.wide()
    for row in table.rows:
        row[1:] = [round(value / 1000, 5) for value in row[1:]]
    made.close = 0.06
    return table, made.pick(_UNITS.get(made.locale, ("(000)", "in thousands")))


@fault(7)
def thousands_in_names(made):
    table, unit = _thousands(made)
    table.names[1:] = [f"{name} {unit}" for name in table.names[1:]]
    made.put("market", table, "xlsx")


@fault(7)
def thousands_in_a_title(made):
    table, unit = _thousands(made)
    table.above = [["Report"], [unit if made.locale == "ja" else unit.strip("()")]]
    made.put("market", table, "xlsx")
    made.said = ("thousand", "same money")


@fault(7)
def thousands_in_a_note(made):
    table, unit = _thousands(made)
    words = unit if unit.startswith(("in", "en", "em", "w ", "v ", "i ")) else ""
    table.below = [[], [f"* {words or 'figures in thousands'}"]]
    made.put("market", table, "xlsx")
    made.said = ("thousand", "same money")


@fault(1)
def millionths(made):
    table = made.ads()
    names = ("cost_micros", "metrics.cost_micros", "costInMicros", "Spend Micros")
    table.names[table.at("S")] = made.pick(names)
    table.change("S", lambda _, value: round(value * 1e6))
    made.put("ads", table, "csv", grouped=False)
    made.put("sales", made.sales())


@fault(1)
def currencies_in_rows(made):
    made.vendor = made.pick(("meta_es", "criteo_fr", "tiktok_us", "agf_de"))
    other = made.pick(("GBP", "PLN", "SEK"))
    table = made.ads()
    second = list(made.spend)[1]
    place = table.at("C")
    table.add("ISO", lambda _, row: other if row[place] == second else "EUR")
    made.spend[second] = made.spend[second] * 1.2345
    made.put("ads", table)
    made.put("sales", made.sales())
    made.said = ("currenc", other)


@fault(7)
def hidden_columns(made):
    table = made.wide()
    table.add(f"Alt {WIDE[made.locale][1]}", lambda at, _: 1234.5 + at, 2)
    workbook = openpyxl.load_workbook(io.BytesIO(book(table)))
    workbook.active.column_dimensions["C"].hidden = True
    buffer = io.BytesIO()
    workbook.save(buffer)
    made.files["market.xlsx"] = buffer.getvalue()
    made.said = ("hidden",)


@fault(1)
def row_of_a_brand_without_a_date(made):
    names = ("Total Energies", "Subtotal Brand", "Summe Spezial", "Grand Hotel Total")
    names = (made.pick(names), "Other brand", "Third")
    made.spend = dict(zip(names, made.spend.values(), strict=False))
    table = made.ads()
    mine = [row for row in table.rows if row[table.at("C")] == names[0]]
    mine[20][table.at("D")] = None
    made.put("ads", table)
    made.put("sales", made.sales())
    made.said = (names[0], "no date")


@fault(1)
def row_of_totals(made):
    table = made.ads()
    total: list = [None] * len(table.names)
    words = "Suma Ogółem Totaal Celkem Toplam Summa 合計 Gesamt Overall Razem Insgesamt"
    total[0] = made.pick(words.split())
    for role in set("SIK") & set(table.roles):
        place = table.at(role)
        total[place] = round(sum(row[place] for row in table.rows), 2)
    table.rows.insert(len(table.rows) if made.random.random() < 0.5 else 0, total)
    made.put("ads", table)
    made.put("sales", made.sales())
    made.said = ("total", "sum", "no date")


_BRANDS = (
    *("Total Energies", "Store Visits", "Shop", "Summe", "All", "Store", "Media Markt"),
    *("Regional Radio", "City Cards", "Land Rover", "State Farm", "Plan B", "Target"),
    *("National Geographic", "Average Joe", "Budget Rent", "Country Music FM"),
)


@fault(1, plain=True)
def brands_like_totals_and_places(made):
    names = [str(name) for name in made.random.choice(_BRANDS, 3, replace=False)]
    made.spend = dict(zip(names, made.spend.values(), strict=False))
    made.put("ads", made.ads())
    made.put("sales", made.sales())


@fault(7)
def columns_like_totals_and_places(made):
    names = [str(name) for name in made.random.choice(_BRANDS, 3, replace=False)]
    made.spend = dict(zip(names, made.spend.values(), strict=False))
    made.put("market", made.wide())
    made.said = tuple(names)


@fault(7)
def weeks_of_the_last_day(made):
    table = made.ads()
    table.change("D", lambda _, day: day + pd.Timedelta(days=6))
    made.put("ads", table)
    sales = made.sales()
    days = [
        [day + pd.Timedelta(days=at), value / 7]
        for day, value in sales.rows
        for at in range(7)
    ]
    made.put("sales", Table(sales.names, sales.roles, days), "xlsx")
    made.said = ("last day", "first day", "week")


@fault(7)
def country_among_places(made):
    places = {"de": "Bayern Hessen Berlin", "pl": "Mazowieckie Śląskie Lubelskie"}
    names = {"de": "Bundesland", "pl": "Województwo", "pt": "Estado", "nl": "Provincie"}
    of = {"de": "Deutschland", "pl": "Ogółem", "pt": "Brasil", "nl": "Landelijk"}
    geos = places.get(made.locale, "North South Wales").split()
    made.places = tuple(geos)
    size = made.random.uniform(0.5, 2, (len(geos), 1))
    every = {**made.spend, "": made.revenue}
    for name, values in every.items():
        noise = made.random.lognormal(0, 0.3, (len(geos), len(values)))
        every[name] = np.round(values * size * noise, 2)
    made.revenue = every.pop("")
    made.spend = every
    table = made.wide(names.get(made.locale, "Region"))
    rows = []
    for at in range(0, len(table.rows), len(geos)):
        own = table.rows[at : at + len(geos)]
        sums = [round(sum(row[c] for row in own), 2) for c in range(2, len(own[0]))]
        rows += [*own, [own[0][0], of.get(made.locale, "All regions"), *sums]]
    table.rows = rows
    made.put("markets", table)
    made.said = ("sum", "total")
