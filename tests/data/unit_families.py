"""Tables whose amounts are not in whole units of one currency, with their truth.

    python -m tests.data.unit_families            3,000 tables of fixed seeds
    python -m tests.data.unit_families 200 7000   200 tables from seed 7000 on

A table passes if what is read is the truth and what was done is said, or if a warning
or a refusal names the column. Any other is a silent misreading.
"""

import io
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.observations import observe
from core.data.recognition.recognise import guess_mapping
from core.errors import MMMError

TABLES = 3000
_THOUSANDS = (
    "(TEUR)|(k€)|k€|in Tsd. €|(€000)|(000)|in thousands|(in 1,000 EUR)|_keur|kEUR"
)
_THOUSANDS += "|thsd|1.000 €|(in 1.000 €)"
_MILLIONS = "(€m)|Mio. €|(Mio)|in millions|MEUR|EUR million|(MM)|Mn|mln EUR"
_RARE = {"(bn)": 1e9, "Mrd. €": 1e9, "(₹ lakh)": 1e5, "in crore": 1e7, "hundreds": 1e2}
_RARE["(minor units)"] = 1e-2
#: Formats of cells of a workbook that show thousands, and what they stand for.
_FORMATS = {'#,##0 "TEUR"': 1e3, '#,##0 "k€"': 1e3, '0.00 "Mio. €"': 1e6}
_FORMATS |= {"#,##0 [$k€-407]": 1e3, '#,##0,"k€"': 1.0, '0.00,, "Mio. EUR"': 1.0}
_TITLES = "Angaben in TEUR|All figures in thousands|Beträge in Tsd. EUR|in k€"


@dataclass(frozen=True)
class Case:
    """A table: its bytes, the whole amounts that are meant, and its column at fault."""

    fault: str
    name: str
    data: bytes
    truth: dict[str, np.ndarray]
    culprit: str


def case(seed: int) -> Case:
    """The table of one seed."""
    random = np.random.default_rng(seed)
    n = int(random.integers(40, 110))
    tv = np.round(random.uniform(8_000, 30_000, n) * (random.random(n) > 0.2), 0)
    search = np.round(random.uniform(3_000, 9_000, n), 0)
    sales = np.round(90_000 + 2 * tv + 3 * search + random.normal(0, 4_000, n), 0)
    whole = {"Revenue": sales, "TV spend": tv, "Search cost": search}
    faults = {
        "thousands": _header,
        "millions": _header,
        "micros": _header,
        "cents": _header,
        "rare": _rare,
        "title": _title,
        "format": _format,
        "middle": _middle,
        "single": _single,
        "plain": lambda *_: (whole, whole, "", ""),
    }
    fault = list(faults)[seed % len(faults)]
    cells, truth, culprit, title = faults[fault](random, whole, fault)
    frame = pd.DataFrame(
        {"Week": pd.date_range("2022-01-03", periods=n, freq="7D").astype(str), **cells}
    )
    name, data = _written(random, frame, title)
    return Case(fault, name, data, truth, culprit)


def _header(random, whole, fault):
    factor = {"thousands": 1e3, "millions": 1e6, "micros": 1e-6, "cents": 1e-2}[fault]
    words = {"thousands": _THOUSANDS, "millions": _MILLIONS, "micros": "_micros"}
    word = str(random.choice(words.get(fault, "_cents|(cents)|in cents").split("|")))
    gap = "" if word.startswith("_") else " "
    some = random.random() < 0.5
    names = {
        column: f"{column}{gap}{word}" if some or column != "Revenue" else column
        for column in whole
    }
    cells = {
        new: whole[old] / factor if new != old else whole[old]
        for old, new in names.items()
    }
    truth = {new: whole[old] for old, new in names.items()}
    return cells, truth, names["TV spend"], ""


def _rare(random, whole, _):
    word = str(random.choice(sorted(_RARE)))
    names = {column: f"{column} {word}" for column in whole}
    cells = {names[old]: values / _RARE[word] for old, values in whole.items()}
    return (
        cells,
        {names[old]: values for old, values in whole.items()},
        names["TV spend"],
        "",
    )


def _title(random, whole, _):
    cells = {column: values / 1e3 for column, values in whole.items()}
    return cells, whole, "TV spend", str(random.choice(_TITLES.split("|")))


def _format(random, whole, _):
    shown = str(random.choice(sorted(_FORMATS)))
    column = str(random.choice(sorted(whole)))
    cells = whole | {column: whole[column] / _FORMATS[shown]}
    return cells, whole, column, f"format {column} {shown}"


def _middle(random, whole, _):
    column = str(random.choice(["Revenue", "TV spend", "Search cost"]))
    at = int(random.integers(8, len(whole[column]) - 8))
    factor = float(random.choice([1e-3, 1e3, 1e2, 1e-2]))
    part = np.arange(len(whole[column])) >= at
    cells = whole | {column: whole[column] * np.where(part, factor, 1.0)}
    return cells, whole, column, ""


def _single(random, whole, _):
    column = str(random.choice(["TV spend", "Search cost"]))
    cells = whole[column].copy()
    at = int(random.choice(np.flatnonzero(cells)))
    cells[at] = cells.max() * float(random.choice([10, 100, 1000]))
    return whole | {column: cells}, whole, column, ""


def _written(random, frame, title):
    shown = ""
    if title.startswith("format "):
        column = next(c for c in frame.columns if title.startswith(f"format {c} "))
        title, shown = "", title.removeprefix(f"format {column} ")
    if shown or random.random() < 0.3:
        buffer = io.BytesIO()
        with pd.ExcelWriter(buffer, engine="openpyxl") as book:
            frame.to_excel(book, index=False, startrow=2 * bool(title))
            if title:
                book.sheets["Sheet1"]["A1"] = title
            for row in range(2, len(frame) + 2) if shown else ():
                place = list(frame.columns).index(column) + 1
                book.sheets["Sheet1"].cell(row, place).number_format = shown
        return "table.xlsx", buffer.getvalue()
    mark = str(random.choice([",", ";", "\t"]))
    lines = f"{title}\n\n" if title else ""
    text = frame.to_csv(index=False, sep=mark, float_format="%.10g")
    return "table.csv", (lines + text).encode()


def outcome(seed: int) -> tuple[str, str]:
    """What became of the table of one seed: `read`, `said`, `silent` or `needless`."""
    one = case(seed)
    try:
        frame = load_table(one.data, one.name)
        mapping = guess_mapping(frame)
        findings = check_table(frame, mapping)
    except MMMError as error:
        return "said", error.message
    numbers = observe(frame, mapping).numbers
    loud = [f for f in findings if f.severity in ("error", "warning")]
    wrong = [
        column
        for column, truth in one.truth.items()
        if column not in numbers
        or not np.allclose(np.nan_to_num(numbers[column].values), truth, rtol=1e-6)
    ]
    about = f"{seed} {one.fault} {list(one.truth)}"
    said = any(one.culprit in f"{f.where} {f.message}" for f in loud)
    if wrong:
        return ("said" if said else "silent"), f"{about}: {wrong}"
    if one.fault == "plain":
        needless = [
            f.message for f in loud if "level" in f.message or "out" in f.message
        ]
        return ("needless" if needless else "read"), f"{about}: {needless}"
    noted = any("was read as" in f.message for f in findings)
    noted |= one.fault == "format"  # what is read is what the workbook shows
    return ("read" if noted else "silent"), f"{about}: read, and nothing said"


def main(arguments: list[str]) -> int:
    """Read the tables and print what became of them."""
    n = int(arguments[0]) if arguments else TABLES
    first = int(arguments[1]) if len(arguments) > 1 else 0
    counts: Counter[str] = Counter()
    for seed in range(first, first + n):
        kind, about = outcome(seed)
        counts[kind] += 1
        if kind in ("silent", "needless"):
            print(kind, about)
    print(f"{n} tables: " + ", ".join(f"{v} {k}" for k, v in counts.most_common()))
    return int(counts["silent"] + counts["needless"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
