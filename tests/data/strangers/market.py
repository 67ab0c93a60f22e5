"""A market of strangers, its truth, and how people's programs write tables."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import openpyxl
import pandas as pd

CHANNELS = ("Brand Search", "Prospecting", "Retargeting", "Video Reach", "Shopping")
Rows = list[list[object]]


@dataclass
class Stranger:
    """What is true of a market, and the files that somebody exported.

    Attributes:
        random: What everything is drawn from.
        days: First day of each row's period, datetime64[D].
        spend: By channel, by period.
        revenue: By period.
        files: By name.
    """

    random: np.random.Generator
    days: np.ndarray
    spend: dict[str, np.ndarray]
    revenue: np.ndarray
    files: dict[str, bytes] = field(default_factory=dict)
    places: tuple[str, ...] = ("",)
    notes: dict[str, object] = field(default_factory=dict)

    @property
    def step(self) -> int:
        """Days of a period."""
        return int((self.days[1] - self.days[0]).astype(int))

    @property
    def dates(self) -> list[pd.Timestamp]:
        """The periods' first days."""
        return list(pd.DatetimeIndex(self.days))

    def with_sales(self, locale: str = "en") -> None:
        """A plain file of sales by period beside what is odd."""
        words = {"en": "Date,Revenue", "de": "Datum;Umsatz"}[locale]
        lines = [words]
        for day, value in zip(self.dates, self.revenue, strict=True):
            if locale == "de":
                lines.append(f"{day:%d.%m.%Y};{german(value)}")
            else:
                lines.append(f"{day:%Y-%m-%d},{value:.2f}")
        self.files["sales.csv"] = "\n".join(lines).encode()

    def with_ads(self) -> None:
        """A plain file of spend by channel beside what is odd."""
        rows = [["Date", *(f"{name} Spend" for name in self.spend)]]
        for at, day in enumerate(self.dates):
            rows.append([f"{day:%Y-%m-%d}", *(f"{v[at]:.2f}" for v in self.by_name())])
        self.files["media.csv"] = text(rows)

    def by_name(self) -> list[np.ndarray]:
        """Spend of each channel."""
        return list(self.spend.values())

    def lines(self) -> list[tuple[pd.Timestamp, str, float, int]]:
        """Day, campaign, spend and impressions, where a campaign ran."""
        return [
            (day, name, float(values[at]), int(values[at] * 130))
            for at, day in enumerate(self.dates)
            for name, values in self.spend.items()
            if values[at] > 0
        ]


def market(random: np.random.Generator, step: int) -> Stranger:
    """A market by day or week that begins on a Monday."""
    n = int(random.integers(60, 110)) if step == 7 else 7 * int(random.integers(28, 40))
    first = np.datetime64("2022-01-03") + 7 * int(random.integers(60))
    names = random.permutation(CHANNELS)[: int(random.integers(2, 4))]
    spend = {
        str(name): np.round(
            random.lognormal(random.uniform(5, 7.5), 0.5, n) * (random.random(n) < 0.9),
            2,
        )
        for name in names
    }
    for values in spend.values():
        values[:2] = values[:2] + 50
        values[-2:] = values[-2:] + 50
    at = np.arange(n) * step / 364
    season = 1 + 0.3 * np.sin(2 * np.pi * at)
    revenue = np.round(12_000 * season * random.lognormal(0, 0.12, n), 2)
    return Stranger(random, first + step * np.arange(n), spend, revenue)


def text(rows: Rows, mark: str = ",", encoding: str = "utf-8") -> bytes:
    """Rows as delimited text."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=mark, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode(encoding)


def book(
    sheets: dict[str, Rows] | Rows,
    merged: Sequence[str] = (),
    formats: dict[str, str] | None = None,
) -> bytes:
    """Rows as a workbook, of one or several sheets."""
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    if isinstance(sheets, list):
        sheets = {"Sheet1": sheets}
    for title, rows in sheets.items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append([_cell(cell) for cell in row])
        for area in merged:
            sheet.merge_cells(area)
        for column, code in (formats or {}).items():
            for cell in sheet[column]:
                cell.number_format = code
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def _cell(cell: object) -> object:
    if isinstance(cell, pd.Timestamp):
        return cell.to_pydatetime()
    return cell.item() if hasattr(cell, "item") else cell


def german(value: float, places: int = 2) -> str:
    """A number as German programs write it."""
    return f"{value:,.{places}f}".translate(str.maketrans(",.", ".,"))


def french(value: float) -> str:
    """A number as French programs write it, with a narrow space."""
    return f"{value:,.2f}".replace(",", "\u202f").replace(".", ",")


def english(value: float) -> str:
    """A number with commas between thousands."""
    return f"{value:,.2f}"


Write = Callable[[Stranger], None]
#: Kinds by name: days of a period, and what writes the files.
KINDS: dict[str, tuple[int, Write]] = {}


def kind(step: int) -> Callable[[Write], Write]:
    """Register a kind of export."""

    def register(write: Write) -> Write:
        KINDS[write.__name__] = (step, write)
        return write

    return register
