"""Files as an outsider exports them, read through the door of the product.

    python -m tests.data.door_tables            2,000 markets of fixed seeds
    python -m tests.data.door_tables 200 7000   200 markets from seed 7000 on
    python -m tests.data.door_tables 200 7000 utc   the same, of one fault

One seed is a market, a layout, a fault of `tests/data/door_faults.py` and a way to
write files. What `core init` would read is held against the truth, by week and channel.
It is `right`; `asked` (or named by a warning); `refused`; `silent`, if a
number is wrong without a word; or `needless`, if nothing was wrong.
"""

import datetime
import io
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
import openpyxl
import pandas as pd

from core.data.files.load import load_table
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.opening import opened
from core.data.observations import observe
from core.errors import MMMError
from core.service.projects.columns import findings, recognised
from tests.data.door_faults import FAULTS, Skip
from tests.data.door_markets import LAYOUTS, Market, market

MARKETS = 2000
#: Faults of which nothing is wrong if the numbers are right.
HARMLESS = ("none", "offset", "zoned", "sparse", "negatives")
FORMATS = ("comma", "semicolon", "tab", "thousands", "book", "book", "parquet")


@dataclass(frozen=True)
class Outcome:
    """What became of a market.

    Attributes:
        fault: What was wrong with it.
        kind: `right`, `asked`, `refused`, `silent` or `needless`.
        about: The market, and what was said or is wrong.
    """

    fault: str
    kind: str
    about: str


def outcome(seed: int, fault: str | None = None) -> Outcome | None:
    """What becomes of the market of one seed; None where no layout has the fault."""
    random = np.random.default_rng([26, seed])
    fault = fault or str(random.choice(sorted(FAULTS)))
    for layout in random.permutation(LAYOUTS):
        made = market(random, str(layout))
        try:
            FAULTS[fault](made)
        except Skip:
            continue
        form = str(random.choice(FORMATS))
        about = f"{seed} {layout} {form} {len(made.places)} places step {made.step}"
        kind, said = _judged(made, form, fault)
        return Outcome(fault, kind, f"{about}: {said}")
    return None


def _judged(made: Market, form: str, fault: str) -> tuple[str, str]:
    try:
        files = written(made, form)
        table = recognised(files)
        loud = [f for f in findings(files)[1] if f.severity != "info"]
    except MMMError as error:
        said = f"{type(error).__name__} {error}"
        if fault in HARMLESS:
            return "needless", said
        return ("asked" if isinstance(error, Doubtful) else "refused"), said
    wrong = differences(made, table, has_rest=fault == "unnamed_rows")
    said = " | ".join(f"{f.severity} {f.where}: {f.message}" for f in loud)
    if not wrong:
        errors = [f for f in loud if f.severity == "error"]
        if fault in HARMLESS and errors:
            return "needless", said
        return "right", said
    heard = any(name.casefold() in said.casefold() for name in made.names if name)
    if heard or any(f.severity == "error" for f in loud):
        return "asked", f"{wrong} BUT {said}"
    return "silent", f"{wrong} SAID {said}"


def differences(made: Market, table, *, has_rest: bool = False) -> str:
    """How what is read differs from the truth; empty where it does not.

    Rows without the name of a channel are a channel of their own: then sums are held
    against each other.
    """
    seen = observe(table.table.frame, table.mapping)
    if made.notes.get("revised"):
        return "revised"
    days = seen.times
    step = int((days[1] - days[0]).astype(int)) if len(days) > 1 else 0
    if step not in (1, 7) or (step == 1 and made.step == 7):
        return f"step {step}"
    if len(made.places) != len(seen.geos):
        return f"places {seen.geos}"
    channels = [c for c in table.mapping.channels if c.spend is not None]
    if len(channels) != len(made.spend) + has_rest:
        return f"channels {[c.name for c in channels]}"
    if has_rest:
        spent = sum(seen.numbers[c.spend].values.sum() for c in channels)
        whole = sum(a.sum() for a in made.spend.values())
        same = np.isclose(spent, whole, rtol=0.05)
        return "" if same else f"spend is {spent:.2f}, not {whole:.2f}"
    truth = [*made.spend.values(), made.revenue]
    names = [c.spend for c in channels] + [table.mapping.kpi]
    read = {name: _by_time(seen, name) for name in names}
    lost = len(made.days) // (step // made.step) - len(days)
    if lost > 2:
        return f"{lost} periods are lost"
    for amounts in truth:
        right = _summed(made, amounts, days, step)
        if not any(
            np.allclose(one, right, rtol=1e-6, atol=0.02) for one in read.values()
        ):
            near = min(read, key=lambda n: np.abs(read[n].sum() - right.sum()))
            return f"{right.sum():.2f} is {near} {read[near].sum():.2f}"
    return ""


def _by_time(seen, name) -> np.ndarray:
    values = np.nan_to_num(seen.numbers[name].values)
    known = seen.cell >= 0
    sums = np.bincount(
        seen.cell[known], values[known], len(seen.geos) * len(seen.times)
    )
    return np.sort(sums.reshape(len(seen.geos), -1), axis=0)


def _summed(
    made: Market, amounts: np.ndarray, days: np.ndarray, step: int
) -> np.ndarray:
    """The truth at the periods that were read; places in order of size."""
    at = np.searchsorted(days, made.days, side="right") - 1
    inside = (at >= 0) & (made.days < days[-1] + step)
    sums = np.zeros((len(amounts), len(days)))
    for place, row in enumerate(amounts):
        np.add.at(sums[place], at[inside], row[inside])
    return np.sort(sums, axis=0)


# --- files ------------------------------------------------------------------------


def written(made: Market, form: str) -> list[File]:
    """The files of a market in one way of writing, as `core init` opens them."""
    hidden = {key for key in made.notes if key.startswith("hidden")}
    if made.notes.get("parquet"):
        form = "parquet"
    files = []
    for name, frame in made.files.items():
        here = "book" if hidden else form
        titled = made.notes.get("title", ("", ""))[0] == name
        if here == "parquet" and (
            titled or frame.dtypes.eq(object).any() or not frame.columns.is_unique
        ):
            here = "comma"
        data, suffix = _write(made, name, frame, here)
        full = f"{name}.{suffix}"
        files.append(opened(full, load_table(data, full)))
    return files


def _write(
    made: Market, name: str, frame: pd.DataFrame, form: str
) -> tuple[bytes, str]:
    title = dict([made.notes.get("title", ("", ""))]).get(name, "")
    if form == "parquet":
        return frame.to_parquet(), "parquet"
    if form == "book":
        return _book(made, name, frame, title), "xlsx"
    mark, decimal, group, day = {
        "comma": (",", ".", "", "%Y-%m-%d"),
        "semicolon": (";", ",", "", "%d.%m.%Y"),
        "tab": ("\t", ".", "", "%Y/%m/%d"),
        "thousands": (";", ",", ".", "%d.%m.%y"),
    }[form]
    lines = [mark.join(map(str, frame.columns))]
    for row in frame.itertuples(index=False):
        lines.append(mark.join(_cell(value, decimal, group, day) for value in row))
    text = "\n".join([*([title, ""] if title else []), *lines])
    return text.encode("utf-8-sig" if form == "semicolon" else "utf-8"), "csv"


def _cell(value, decimal: str, group: str, day: str) -> str:
    if (
        value is None
        or value is pd.NaT
        or (isinstance(value, float) and value != value)
    ):
        return ""
    if isinstance(value, pd.Timestamp | datetime.datetime):
        return value.strftime(day)
    if isinstance(value, float):
        text = f"{value:,.2f}" if abs(value) >= 1 else f"{value:.6g}"
        if value != round(value, 2):
            text = f"{value:,.5f}"
        return text.replace(",", "\0").replace(".", decimal).replace("\0", group)
    text = str(value)
    return (
        f'"{text}"' if decimal in text and decimal == "," and text.count(",") else text
    )


def _book(made: Market, name: str, frame: pd.DataFrame, title: str) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    for line in [title, None] if title else []:
        sheet.append([line])
    sheet.append(list(map(str, frame.columns)))
    for row in frame.itertuples(index=False):
        sheet.append([_typed(value) for value in row])
    at, rows = made.notes.get("hidden", ("", []))
    if at == name:
        for row in rows:
            sheet.row_dimensions[row + 2].hidden = True
    at, column = made.notes.get("hidden column", ("", ""))
    if at == name:
        place = list(frame.columns).index(column) + 1
        sheet.column_dimensions[openpyxl.utils.get_column_letter(place)].hidden = True
    if made.notes.get("hidden sheet") == name:
        other = book.create_sheet("old")
        for row in sheet.iter_rows(values_only=True):
            other.append([v * 3 if isinstance(v, float) else v for v in row])
        other.sheet_state = "hidden"
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _typed(value):
    if (
        value is None
        or value is pd.NaT
        or (isinstance(value, float) and value != value)
    ):
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value


def main(arguments: list[str]) -> int:
    """Read the markets and print what became of them."""
    n = int(arguments[0]) if arguments else MARKETS
    first = int(arguments[1]) if len(arguments) > 1 else 0
    fault = arguments[2] if len(arguments) > 2 else None
    counts: Counter[tuple[str, str]] = Counter()
    for seed in range(first, first + n):
        result = outcome(seed, fault)
        if result is None:
            continue
        counts[result.fault, result.kind] += 1
        if result.kind in ("silent", "needless") or fault:
            print(result.kind, result.fault, result.about[:600], flush=True)
    for (name, kind), number in sorted(counts.items()):
        print(f"{name:22} {kind:10} {number:6}")
    total = Counter()
    for (_, kind), number in counts.items():
        total[kind] += number
    print(dict(total))
    return int(total["silent"] + total["needless"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
