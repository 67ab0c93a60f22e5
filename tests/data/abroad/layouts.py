"""Layouts that are no rows by date: dates across or in parts, pivots, plans, ranges."""

import io

import numpy as np
import openpyxl
import pandas as pd

from tests.data.abroad.exports import LOCALES, WIDE, Abroad, Table
from tests.data.abroad.faults import fault


def _across(made: Abroad, label: str = "{channel} {spend}") -> Table:
    """Weeks side by side, and a row for the KPI and for each channel."""
    week, spend, kpi = WIDE[made.locale]
    named = [label.format(channel=name, spend=spend) for name in made.spend]
    rows = [[kpi, *map(float, made.revenue)]]
    for name, values in zip(named, made.spend.values(), strict=True):
        rows.append([name, *map(float, values)])
    return Table(["", *made.dates], ["N", *["D"] * len(made.days)], rows)


def _named(made: Abroad, table: Table, form: str) -> None:
    """Dates of a header as texts."""
    day = LOCALES[made.locale][2]
    table.names = [
        f"KW {name.isocalendar()[1]:02d}/{name.isocalendar()[0]}"
        if form == "week" and isinstance(name, pd.Timestamp)
        else name.strftime(day)
        if form == "day" and isinstance(name, pd.Timestamp)
        else name
        for name in table.names
    ]


@fault(7, plain=True)
def weeks_across(made):
    table = _across(made)
    form = made.pick(("week", "day", "cell"))
    _named(made, table, form)
    made.put("plan", table, "xlsx" if form == "cell" else "", day="%Y-%m-%d")


@fault(7, plain=True)
def weeks_across_with_measures_and_totals(made):
    table = _across(made, "{channel}")
    _, spend, _ = WIDE[made.locale]
    table.names.insert(1, "Measure")
    for at, row in enumerate(table.rows):
        row.insert(1, spend if at else "")
    table.names.append("Total")
    for row in table.rows:
        row.append(round(sum(row[2:]), 2))
    sums = [round(float(s), 2) for s in np.sum([r[2:] for r in table.rows[1:]], axis=0)]
    table.rows.append(["Total", spend, *sums])
    made.put("plan", table, "xlsx")


@fault(7)
def weeks_across_in_thousands(made):
    table = _across(made)
    for row in table.rows:
        row[1:] = [round(value / 1000, 5) for value in row[1:]]
    made.close = 0.06
    if made.random.random() < 0.5:
        table.above = [["Media"], ["in TEUR"]]
    else:
        for row in table.rows:
            row[0] += " (TEUR)"
    made.put("plan", table, "xlsx")
    made.said = ("thousand", "same money")


@fault(7, plain=True)
def weeks_across_of_places(made):
    places = ("North", "South", "West")
    size = made.random.uniform(0.5, 2, (len(places), 1))
    made.spend = {name: np.round(v * size, 2) for name, v in made.spend.items()}
    made.revenue = np.round(made.revenue * size, 2)
    made.places = places
    _, spend, kpi = WIDE[made.locale]
    rows = []
    for at, place in enumerate(places):
        rows.append([place, kpi, *map(float, made.revenue[at])])
        for name, values in made.spend.items():
            rows.append([place, f"{name} {spend}", *map(float, values[at])])
    names = ["Region", "Variable", *made.dates]
    made.put("plan", Table(names, ["P", "N", *["D"] * len(made.days)], rows), "xlsx")


_PARTS = {
    "en": ("Year", "Week"),
    "de": ("Jahr", "KW"),
    "fr": ("Année", "Semaine"),
    "es": ("Año", "Semana"),
    "it": ("Anno", "Settimana"),
    "nl": ("Jaar", "Week"),
    "pl": ("Rok", "Tydzień"),
    "sv": ("År", "Vecka"),
    "cs": ("Rok", "Týden"),
    "tr": ("Yıl", "Hafta"),
    "ja": ("年", "週"),
}


def _in_parts(made: Abroad, parts) -> Table:
    table = made.wide()
    names = _PARTS.get(made.locale, _PARTS["en"])
    table.names[0:1] = names
    table.roles[0:1] = ["Y", "W"]
    for row in table.rows:
        row[0:1] = parts(row[0])
    return table


@fault(7, plain=True)
def year_and_week_apart(made):
    table = _in_parts(made, lambda day: list(day.isocalendar()[:2]))
    made.put("market", table, grouped=False)


@fault(7)
def weeks_of_another_calendar(made):
    def parts(day):  # as WEEKNUM counts: the first of January begins a week
        return [day.year, int(day.strftime("%U")) + 1]

    made.put("market", _in_parts(made, parts), grouped=False)
    made.said = ("calendar",)


@fault(1, plain=True)
def year_month_and_day_apart(made):
    table = made.wide()
    table.names[0:1] = ("Year", "Month", "Day")
    for row in table.rows:
        row[0:1] = [row[0].year, row[0].month, row[0].day]
    made.put("market", table, grouped=False)


@fault(7, plain=True)
def pivot_with_channels_below_dates(made):
    rows: list[list] = []
    for at, day in enumerate(made.dates):
        own = [(n, float(v[at])) for n, v in made.spend.items() if v[at] > 0]
        if own:
            rows.append([f"{day:%Y-%m-%d}", round(sum(v for _, v in own), 2)])
            rows += [list(pair) for pair in own]
    _pivot(made, rows)


@fault(7, plain=True)
def pivot_with_dates_below_channels(made):
    rows: list[list] = []
    for name, values in made.spend.items():
        rows.append([name, round(float(values.sum()), 2)])
        rows += [
            [f"{day:%d/%m/%Y}", float(v)]
            for day, v in zip(made.dates, values, strict=True)
            if v > 0
        ]
    _pivot(made, rows)


def _pivot(made: Abroad, rows: list[list]) -> None:
    total = round(float(sum(v.sum() for v in made.spend.values())), 2)
    table = Table(["Row Labels", "Sum of Spend"], ["L", "S"], rows)
    table.rows.append(["Grand Total", total])
    made.put("pivot", table, "xlsx")
    made.put("sales", made.sales())


@fault(1, plain=True)
def months_above_their_days(made):
    made.put("ads", made.ads())
    rows: list[list] = [["Total", float(made.revenue.sum())]]
    month = ""
    for day, value in zip(made.dates, made.revenue, strict=True):
        if f"{day:%B %Y}" != month:
            month = f"{day:%B %Y}"
            inside = [f"{d:%B %Y}" == month for d in made.dates]
            rows.append([month, float(made.revenue[inside].sum())])
        rows.append([f"    {day:%d %b %Y}", float(value)])
    made.put("sales", Table(["", "Revenue"], ["D", "V"], rows), "xlsx")


@fault(7, plain=True)
def plans_beside_actuals(made):
    word = made.pick(("Plan", "Budget", "Forecast", "Soll", "Prévu", "Planned"))
    table = made.wide()
    spent = table.names[1 : 1 + len(made.spend)]
    front = made.random.random() < 0.5
    for name in [*spent, table.names[-1]] if word != "Budget" else spent:
        at = table.names.index(name)
        noise = made.random.lognormal(0, 0.1, len(table.rows))
        table.add(
            f"{word} {name}" if front else f"{name} {word}",
            lambda n, row, at=at, noise=noise: round(row[at] * noise[n], 2),
            at if front else None,
        )
    made.put("tracker", table)


@fault(1, plain=True)
def orders_of_an_unusual_number(made):
    made.put("ads", made.ads())
    names = made.pick(
        (
            ("Fakturadatum", "Faktura", "Nettowert"),
            ("Bestelldatum", "Bestellnummer", "Gesamtbetrag"),
            ("created", "id", "amount"),
            ("Rechnungsdatum", "Beleg", "Rechnungsbetrag"),
        )
    )
    rows = []
    for day, total in zip(made.dates, made.revenue, strict=True):
        first = round(float(total) * 0.41, 2)
        for part in (first, round(float(total) - first, 2)):
            rows.append([day, f"R{len(rows) + 71_000}", part])
    made.put("orders", Table(list(names), ["D", "N", "V"], rows))


def _two_tables(made: Abroad, *, below: bool) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    table = made.wide()
    media = [[row[0].to_pydatetime(), *row[1:-1]] for row in table.rows]
    media = [table.names[:-1], *media]
    sales = [[row[0].to_pydatetime(), row[-1]] for row in table.rows]
    sales = [[table.names[0], table.names[-1]], *sales]
    if below:
        for row in (*sales, [], *media):
            sheet.append(row)
    else:
        for left, right in zip(sales, media, strict=True):
            sheet.append([*left, None, *right])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@fault(7)
def two_tables_on_a_sheet(made):
    made.files["market.xlsx"] = _two_tables(made, below=made.random.random() < 0.5)
    made.said = ("2 tables",)


@fault(7, plain=True)
def two_tables_that_were_chosen(made):
    below = made.random.random() < 0.5
    made.files["market.xlsx"] = _two_tables(made, below=below)
    n, width = len(made.days), len(made.spend)
    last = chr(ord("A") + width + (0 if below else 3))
    first = f"A{n + 3}:{last}{2 * n + 3}" if below else f"D1:{last}{n + 1}"
    made.options = ("--sheet", f"Sheet!A1:B{n + 1}", "--sheet", f"Sheet!{first}")
