"""Exports whose amounts count too often, or are not what was spent."""

import io

import numpy as np
import openpyxl
import pandas as pd

from tests.data.abroad.exports import Abroad, Table
from tests.data.abroad.faults import fault


@fault(1)
def rows_there_twice(made):
    table = made.ads()
    again = [list(row) for row in table.rows if made.random.random() < 0.1]
    table.rows = sorted([*table.rows, *again], key=lambda row: row[table.at("D")])
    made.put("ads", table, "xlsx")
    made.put("sales", made.sales())
    made.said = ("twice",)


@fault(1, plain=True)
def small_rows_alike(made):
    """Whole clicks of a few cents each: rows alike are no copies."""
    table = made.ads()
    for role in {"S", "I", "K", "R", "G"} & set(table.roles):
        table.change(role, lambda *_: float(made.random.integers(1, 4)))
    made.spend = {
        name: np.array([_spent(table, day, name) for day in made.dates])
        for name in made.spend
    }
    again = [list(row) for row in table.rows if made.random.random() < 0.3]
    for row in again:
        at = made.dates.index(row[table.at("D")])
        made.spend[row[table.at("C")]][at] += row[table.at("S")]
    table.rows = sorted([*table.rows, *again], key=lambda row: row[table.at("D")])
    made.put("ads", table)
    made.put("sales", made.sales())


def _spent(table: Table, day: pd.Timestamp, name: str) -> float:
    at, of, spend = (table.at(role) for role in "DCS")
    return sum(row[spend] for row in table.rows if (row[at], row[of]) == (day, name))


def _orders(made: Abroad, names: tuple[str, ...], cells) -> Table:
    """A row per line: the number, the day, the line's price, the order's total."""
    rows, truth, number = [], np.zeros(len(made.days)), 5000
    for at, day in enumerate(made.dates):
        for _ in range(int(made.random.integers(3, 6))):
            number += 1
            prices = np.round(made.random.gamma(2, 40, made.random.integers(1, 5)), 2)
            truth[at] += cells(rows, day, number, prices)
    made.revenue = np.round(truth, 2)
    return Table(list(names), ["N", "D", "L", "V"][: len(names)], rows)


@fault(1, plain=True)
def total_in_each_line_of_a_number_of_any_name(made):
    name = made.pick(("Order", "Ref.", "Zakaznik 7", "Vorgang", "Bon", "Checkout", "#"))

    def cells(rows, day, number, prices):
        total = round(float(prices.sum()), 2)
        rows.extend([f"A-{number}", day, float(price), total] for price in prices)
        return total

    made.put("ads", made.ads())
    columns = (name, "Created", "Item price", "Order total")
    made.put("orders", _orders(made, columns, cells), "xlsx")


@fault(1)
def paid_back(made):
    word = made.pick(
        (
            "Refunded Amount",
            "amount_refunded",
            "Erstattet",
            "Remboursé",
            "Rückerstattung",
        )
    )

    def cells(rows, day, number, prices):
        total = round(float(prices.sum()), 2)
        back = total if made.random.random() < 0.15 else 0.0
        rows.append([f"B{number}", day, back, total])
        return total - back

    made.put("ads", made.ads())
    table = _orders(made, ("Order ID", "Date", word, "Total"), cells)
    made.put("orders", table, "xlsx")
    made.said = (word,)


@fault(1, plain=True)
def paid_back_and_answered(made):
    paid_back(made)
    made.options = ("--cancelled", "left_out")


@fault(1, plain=True)
def planned_beside_spent(made):
    table = made.ads()
    name = made.pick(("Planned cost", "Booked spend", "Budget", "Geplante Kosten"))
    at = table.at("S")
    table.add(name, lambda _, row: round(row[at] * 1.3 + 20, 2), at)
    made.put("ads", table)
    made.put("sales", made.sales())


@fault(7, plain=True)
def versions_in_letters(made):
    table = made.wide()
    was, plan = made.pick((("A", "F"), ("ACT", "BUD"), ("Ist", "Soll"), ("I", "P")))
    table.add(made.pick(("Version", "Scenario", "Type")), lambda *_: was)
    weeks = [pd.Timedelta(weeks=len(made.days) + at) for at in range(13)]
    first = table.rows[0]
    table.rows += [
        [first[0] + after, *(round(cell * 1.1) for cell in first[1:-1]), plan]
        for after in weeks
    ]
    made.put("market", table)


@fault(7)
def month_to_date(made):
    name = next(iter(made.spend))
    spend = pd.Series(made.spend[name], index=pd.DatetimeIndex(made.days))
    table = made.wide()
    sums = spend.groupby([spend.index.year, spend.index.month]).cumsum().to_numpy()
    for row, value in zip(table.rows, sums, strict=True):
        row[1] = round(float(value), 2)
    made.put("market", table)
    made.said = ("to date", "running total")


@fault(7)
def month_in_each_week(made):
    name = next(iter(made.spend))
    spend = pd.Series(made.spend[name], index=pd.DatetimeIndex(made.days))
    table = made.wide()
    months = [spend.index.year, spend.index.month]
    sums = spend.groupby(months).transform("sum").to_numpy()
    for row, value in zip(table.rows, sums, strict=True):
        row[1] = round(float(value), 2)
    made.put("market", table)
    made.said = ("of a month",)


@fault(7, plain=True)
def unit_in_the_name_of_the_sheet(made):
    table = made.wide()
    for row in table.rows:
        row[1:] = [round(value / 1000, 5) for value in row[1:]]
    made.close = 0.06
    workbook = openpyxl.Workbook()
    workbook.active.title = made.pick(("TEUR", "Data in TEUR", "k€", "USD k", "$000s"))
    for row in (table.names, *table.rows):
        cells = [c.to_pydatetime() if isinstance(c, pd.Timestamp) else c for c in row]
        workbook.active.append(cells)
    buffer = io.BytesIO()
    workbook.save(buffer)
    made.files["market.xlsx"] = buffer.getvalue()


@fault(1, plain=True)
def letters_of_two_widths(made):
    wide = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}
    names = ("CTV", "Audio 2", "DOOH")
    made.spend = dict(zip(names, made.spend.values(), strict=False))
    table = made.ads()
    some = made.random.random(len(table.rows)) < 0.3
    table.change("C", lambda at, name: name.translate(wide) if some[at] else name)
    made.put("ads", table, "xlsx")
    made.put("sales", made.sales())


@fault(7, plain=True)
def spend_beside_its_clicks(made):
    """A channel of no known word, whose clicks say that it is one."""
    names = ("Falcon", "Bluebird", "Kite")
    made.spend = dict(zip(names, made.spend.values(), strict=False))
    table = made.wide(called="{channel}")
    for name in made.spend:
        at = table.names.index(name)
        table.add(f"{name} clicks", lambda _, row, at=at: int(row[at] * 3), at + 1)
    made.put("market", table)


@fault(7)
def money_of_no_known_word(made):
    names = ("Search", made.pick(("Publisher commission", "Falcon", "Agency X")))
    made.spend = dict(zip(names, list(made.spend.values())[:2], strict=False))
    table = made.wide()
    table.names[2] = names[1]
    made.put("market", table)
    made.said = names[1:]
