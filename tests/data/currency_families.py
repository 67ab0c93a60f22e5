"""Tables whose amounts are in one currency or in two, with their truth.

    python -m tests.data.currency_families            2,000 tables of fixed seeds
    python -m tests.data.currency_families 200 7000   200 tables from seed 7000 on

A currency stands in headers, in cells, in formats of cells or in a column of codes;
the tables are wide, exports of campaigns beside sales, or orders beside campaigns. A
table of two currencies must be asked about by name, and read exactly once the rate is
said; a table of one must be read without a question.
"""

import datetime
import io
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
import openpyxl

from core.data.files.load import load_table
from core.data.layout.opening import opened
from core.data.layout.reading import read_files
from core.data.layout.stated import StatedColumns
from core.errors import MMMError

TABLES = 2000
#: How a currency is written: in a header, in a cell, as a format of cells.
WRITTEN = {
    "EUR": (
        ("(EUR)", "€", "in Euro", "_eur"),
        ("€{}", "{} €", "{} EUR"),
        ("#,##0 [$€-407]", '#,##0.00 "€"', "#,##0 €", "[$EUR] #,##0"),
    ),
    "USD": (
        ("(USD)", "$", "US$", "_usd", "in US dollars", "(Dollar)"),
        ("${}", "USD {}", "US${}"),
        ('"$"#,##0.00', "[$$-409]#,##0", "[$USD] #,##0", '#,##0 "US dollars"'),
    ),
    "GBP": (
        ("(GBP)", "£", "_gbp", "in Pfund", "(pounds)"),
        ("£{}", "{} GBP"),
        ("[$£-809]#,##0", '"£"#,##0', '#,##0 "Pfund"'),
    ),
    "SEK": (
        ("(SEK)", "_sek", "in SEK", "kr", "(kronor)"),
        ("{} SEK",),
        ("#,##0 [$SEK]", '#,##0 "kr"'),
    ),
    "CHF": (
        ("(CHF)", "CHF", "(Swiss francs)", "(Franken)"),
        ("CHF {}", "{} CHF"),
        ("[$CHF] #,##0.00", '#,##0 "Fr."'),
    ),
    "PLN": (("(PLN)", "zł", "in Zloty"), ("{} PLN",), ('#,##0 "zł"', "#,##0 [$PLN]")),
}
#: What else a cell of a column of codes says.
SPELLED = {"EUR": ("€", "Euro", "eur"), "USD": ("US$", "US Dollar", "usd")}
SPELLED |= {"GBP": ("£", "Pfund Sterling"), "CHF": ("Fr.", "Swiss francs")}  # fmt: skip
_CODE_COLUMNS = "currency|ccy|cur|currency_iso|Währung|devise|money_unit|iso|valuta"
RATE = 0.5


@dataclass(frozen=True)
class Case:
    """Files of one market.

    Attributes:
        about: Carrier and shape, for counting.
        files: Their bytes and names.
        codes: The currency of each amount; one or two different ones.
        truth: Sums of each amount as written.
    """

    about: str
    files: tuple[tuple[bytes, str], ...]
    codes: dict[str, str]
    truth: dict[str, float]


def case(seed: int) -> Case:
    """The files of one seed."""
    random = np.random.default_rng(seed)
    n = int(random.integers(40, 90))
    days = np.datetime64("2023-01-02") + 7 * np.arange(n)
    amounts = {
        "TV": random.integers(8_000, 30_000, n),
        "Search": random.integers(3_000, 9_000, n),
        "Revenue": random.integers(90_000, 200_000, n),
    }
    main, other = random.choice(sorted(WRITTEN), 2, replace=False)
    codes = dict.fromkeys(amounts, str(main))
    if random.random() < 0.7:
        codes[str(random.choice(sorted(amounts)))] = str(other)
    carrier = str(random.choice(["header", "cell", "format", "column"]))
    shape = str(random.choice(["wide", "campaigns", "orders"]))
    build = {"wide": _wide, "campaigns": _campaigns, "orders": _orders}[shape]
    files = build(random, days, amounts, codes, carrier)
    truth = {name: float(values.sum()) for name, values in amounts.items()}
    return Case(f"{carrier} {shape}", tuple(files), codes, truth)


def _pick(random, code: str, what: int) -> str:
    return str(random.choice(WRITTEN[code][what]))


def _wide(random, days, amounts, codes, carrier):
    heads, columns, formats = ["week"], [[str(day) for day in days]], [None]
    for name, values in amounts.items():
        spent = name if name == "Revenue" else f"{name} spend"
        code = codes[name]
        if carrier == "header":
            spent = f"{spent} {_pick(random, code, 0)}".replace(" _", "_")
        cells = [int(value) for value in values]
        if carrier == "cell":
            written = _pick(random, code, 1)
            cells = [written.format(value) for value in cells]
        if carrier == "column":
            heads.append(f"{spent} currency")
            columns.append([code] * len(days))
            formats.append(None)
        heads.append(spent)
        columns.append(cells)
        formats.append(_pick(random, code, 2) if carrier == "format" else None)
    return [_file(random, "market", heads, columns, formats, carrier)]


def _campaigns(random, days, amounts, codes, carrier):
    rows = [
        (str(day), name, int(value), codes[name])
        for i, day in enumerate(days)
        for name, value in (("TV", amounts["TV"][i]), ("Search", amounts["Search"][i]))
    ]
    both = {codes["TV"], codes["Search"]}
    if carrier in ("header", "format") and len(both) > 1:
        carrier = "column"  # one column cannot say two currencies there
    ads = _tall(random, "ads", ("date", "campaign", "cost"), rows, carrier)
    return [ads, _sales(random, days, amounts, codes, carrier)]


def _sales(random, days, amounts, codes, carrier):
    rows = [
        (str(day), int(value), codes["Revenue"])
        for day, value in zip(days, amounts["Revenue"], strict=True)
    ]
    return _tall(random, "sales", ("date", "Revenue"), rows, carrier)


def _orders(random, days, amounts, codes, carrier):
    rows = []
    for i, day in enumerate(days):
        total = int(amounts["Revenue"][i])
        first = int(random.integers(1, total))
        rows += [
            (f"A{2 * i}", str(day), first, codes["Revenue"]),
            (f"A{2 * i + 1}", str(day), total - first, codes["Revenue"]),
        ]
    heads = ("order_id", "date", "order total")
    orders = _tall(random, "orders", heads, rows, carrier)
    return [_campaigns(random, days, amounts, codes, carrier)[0], orders]


def _tall(random, name, heads, rows, carrier):
    """A file whose last column is the amount, in the currency of each row's end."""
    codes = sorted({row[-1] for row in rows})
    columns = [list(column) for column in zip(*rows, strict=True)]
    of_rows, heads = columns.pop(), list(heads)
    formats = [None] * len(heads)
    if carrier == "header":
        written = _pick(random, codes[0], 0)
        heads[-1] = f"{heads[-1]} {written}".replace(" _", "_")
    if carrier == "cell":
        if len(codes) > 1:
            carrier = "column"
        else:
            written = _pick(random, codes[0], 1)
            columns[-1] = [written.format(value) for value in columns[-1]]
    if carrier == "format":
        formats[-1] = _pick(random, codes[0], 2)
    if carrier == "column":
        heads.append(str(random.choice(_CODE_COLUMNS.split("|"))))
        if random.random() < 0.4:
            words = {c: str(random.choice(SPELLED.get(c, (c,)))) for c in codes}
            of_rows = [words[code] for code in of_rows]
        columns.append(of_rows)
        formats.append(None)
    return _file(random, name, heads, columns, formats, carrier)


def _file(random, name, heads, columns, formats, carrier):
    rows = [heads, *zip(*columns, strict=True)]
    if carrier != "format" and random.random() < 0.7:
        text = "\n".join(";".join(map(str, row)) for row in rows)
        return text.encode(), f"{name}.csv"
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(
            [datetime.date.fromisoformat(c) if _is_day(c) else c for c in row]
        )
    for at, code in enumerate(formats, start=1):
        for row in range(2, len(rows) + 1) if code else ():
            book.active.cell(row, at).number_format = code
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue(), f"{name}.xlsx"


def _is_day(cell) -> bool:
    return isinstance(cell, str) and len(cell) == 10 and cell[4] == "-"  # noqa: PLR2004


def outcome(seed: int) -> tuple[str, str]:
    """What became of a case: `right`, `needless`, `silent`, `unread`; and its kind."""
    made = case(seed)
    is_mixed = len(set(made.codes.values())) > 1
    files = [opened(name, load_table(data, name)) for data, name in made.files]
    try:
        table = read_files(files)
    except MMMError as error:
        if not is_mixed or not any(code in str(error) for code in _signs(made)):
            return "needless", f"{made.about}: {error}"
        return _rated(made, files)
    if is_mixed:
        return "silent", made.about
    return _compared(table, made, dict.fromkeys(made.truth, 1.0))


def _signs(made: Case) -> set[str]:
    return {*made.codes.values(), "$", "kr"}


def _rated(made: Case, files) -> tuple[str, str]:
    """Read again with a rate for the rarer currency of the two."""
    counts = Counter(made.codes.values())
    kept, converted = (code for code, _ in counts.most_common(2))
    answers = StatedColumns(currency=kept, rate=((converted, RATE),))
    try:
        table = read_files(files, answers)
    except MMMError as error:
        return "unread", f"{made.about}: {error}"
    by = {name: RATE if c == converted else 1.0 for name, c in made.codes.items()}
    return _compared(table, made, by)


def _compared(table, made: Case, by: dict[str, float]) -> tuple[str, str]:
    sums = [float(table.frame[c].sum()) for c in table.frame.select_dtypes("number")]
    for name, total in made.truth.items():
        if not np.isclose(sums, by[name] * total, rtol=1e-9).any():
            return "silent", f"{made.about}: {name}"
    return "right", made.about


def main() -> None:
    """Count outcomes."""
    count, first = (
        [*map(int, sys.argv[1:]), TABLES, 0][:2] if sys.argv[1:] else (TABLES, 0)
    )
    kinds = [outcome(seed) for seed in range(first, first + count)]
    print(Counter(kind for kind, _ in kinds))
    for kind, about in kinds:
        if kind != "right":
            print(kind, about)


if __name__ == "__main__":
    main()
