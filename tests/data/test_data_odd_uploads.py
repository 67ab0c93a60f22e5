"""Files of strangers, written in odd ways: read rightly, or what is wrong is said."""

import datetime

import pytest

from core.data.layout.stated import StatedColumns
from tests.data.odd_uploads import (
    REVENUE,
    SPEND,
    as_archive,
    as_book,
    as_csv,
    outcome,
    wide,
)

LAST = datetime.timedelta(days=6)
#: A week by its number and a date, or by two dates of which one says less.
WEEKS = {
    "W1 - 02.01.2023": lambda day: f"W{_week(day)} - {day:%d.%m.%Y}",
    "KW 1: 02.01.2023": lambda day: f"KW {_week(day)}: {day:%d.%m.%Y}",
    "KW 1 02.01.-08.01.2023": lambda day: (
        f"KW {_week(day)} {day:%d.%m.}-{day + LAST:%d.%m.%Y}"
    ),
    "Week 1 - 2023-01-02": lambda day: f"Week {_week(day)} - {day}",
    "Week 1 (2023)": lambda day: f"Week {_week(day)} ({day.isocalendar()[0]})",
    "KW 1 (23)": lambda day: f"KW {_week(day)} ({day.isocalendar()[0] % 100})",
    "02.-08.01.2023": lambda day: (
        f"{day:%d.}{'' if day.month == (day + LAST).month else f'{day:%m.}'}"
        f"-{day + LAST:%d.%m.%Y}"
    ),
    "2-8/1/2023": lambda day: (
        f"{day.day}{'' if day.month == (day + LAST).month else f'/{day.month}'}"
        f"-{(day + LAST).day}/{(day + LAST).month}/{(day + LAST).year}"
    ),
    "20230102-20230108": lambda day: f"{day:%Y%m%d}-{day + LAST:%Y%m%d}",
    "20230102 - 20230108": lambda day: f"{day:%Y%m%d} - {day + LAST:%Y%m%d}",
    '="2023-01-02"': lambda day: f'="{day}"',
    "'2023-01-02": lambda day: f"'{day}",
    "'02.01.2023": lambda day: f"'{day:%d.%m.%Y}",
}
_FINNISH = (
    *("tammi", "helmi", "maalis", "huhti", "touko", "kesä", "heinä", "elo", "syys"),
    *("loka", "marras", "joulu"),
)
_RUSSIAN = (
    *("января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа"),
    *("сентября", "октября", "ноября", "декабря"),
)
WEEKS |= {
    "2. tammikuuta 2023": lambda day: (
        f"{day.day}. {_FINNISH[day.month - 1]}kuuta {day.year}"
    ),
    "2 января 2023 г.": lambda day: (
        f"{day.day} {_RUSSIAN[day.month - 1]} {day.year} г."
    ),
    "02-янв-23": lambda day: f"{day:%d}-{_RUSSIAN[day.month - 1][:3]}-{day:%y}".replace(
        "мая", "май"
    ),
}
WEEKS |= {"٢٠٢٣/٠١/٠٢": lambda day: f"{day:%Y/%m/%d}".translate(_ARABIC)}
_ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
_MARKED_UP = ("Week", "<b>TV</b> spend", "Search<br>spend", "Radio spend", "Revenue")
_ABOUT = [["About this workbook"], ["Contact", "Ann"], ["Version", "3"]]
#: A table in quotes, digits and names of other programs, and beside texts about it.
AROUND = {
    "apostrophes": lambda: {"a.csv": as_csv(wide(), quote="'")},
    "tags": lambda: {"a.csv": as_csv(wide(names=_MARKED_UP))},
    "digits": lambda: {"a.csv": as_csv(wide(), ";", number=_arabic)},
    "digits of a book": lambda: {
        "a.xlsx": as_book([[_arabic(c) for c in row] for row in wide()])
    },
    "a sheet about it": lambda: {"a.xlsx": as_book(_ABOUT, ("Table", wide()))},
    "a text about it": lambda: {
        "a.zip": as_archive({"README.txt": b"See a, b, c.", "a.csv": as_csv(wide())})
    },
}
APOSTROPHES = "'’‘´ʼ`"


def _arabic(cell: object) -> object:
    """A number as Arabic text: ١٬٢٣٤٫٥٠."""
    if not isinstance(cell, float):
        return cell
    return f"{cell:,.2f}".replace(",", "٬").replace(".", "٫").translate(_ARABIC)


def _week(day: datetime.date) -> int:
    return day.isocalendar()[1]


@pytest.mark.parametrize("written", WEEKS)
def test_weeks_are_read_in_every_way_of_writing(written):
    rows = wide(WEEKS[written])
    assert outcome({"a.csv": as_csv(rows, ";")}) == ("right", "")


@pytest.mark.parametrize("what", AROUND)
def test_a_table_is_read_whatever_stands_around_it(what):
    assert outcome(AROUND[what]()) == ("right", "")


@pytest.mark.parametrize("mark", APOSTROPHES)
def test_apostrophes_of_every_keyboard_stand_between_thousands(mark):
    data = as_csv(wide(), ";", number=lambda x: f"{x:,.2f}".replace(",", mark))
    assert outcome({"a.csv": data}) == ("right", "")


def test_numbers_and_names_that_are_texts_of_a_formula():
    names = [f'="{name}"' for name in wide()[0]]
    data = as_csv(wide(names=names), number='="{:.2f}"'.format)
    assert outcome({"a.csv": data}) == ("right", "")


@pytest.mark.parametrize("between", ["nothing", "header", "each"])
@pytest.mark.parametrize(("answer", "times"), [("newest", 2), ("all", 3), (None, 0)])
def test_two_rows_of_a_date_that_nothing_tells_apart_are_asked_about(
    between, answer, times
):
    head, *rows = wide()
    twice = [[day, *(2 * amount for amount in amounts)] for day, *amounts in rows]
    below = [head, *rows, *([head] if between == "header" else []), *twice]
    mixed = [head, *(row for pair in zip(rows, twice, strict=True) for row in pair)]
    files = {"a.csv": as_csv(mixed if between == "each" else below)}
    spend = {name: times * amounts for name, amounts in SPEND.items()}
    stated = StatedColumns(overlap=answer)
    kind, said = outcome(files, stated, spend=spend, revenue=times * REVENUE)
    assert kind == ("right" if answer else "refused"), said
    assert answer or "140 rows for 70 dates" in said


@pytest.mark.parametrize("what", ["clock", "hour", "product"])
def test_rows_of_a_date_that_something_tells_apart_are_added(what):
    head, *rows = wide(lambda day: f"{day} 00:00" if what == "clock" else day)
    late = [
        [f"{day}".replace("00:00", "12:00"), *(amount * 0.75 for amount in amounts)]
        for day, *amounts in rows
    ]
    rows = [[day, *(amount / 4 for amount in amounts)] for day, *amounts in rows]
    if what != "clock":
        head = [*head, "Hour" if what == "hour" else "Product"]
        parts = (0, 12) if what == "hour" else ("Shoes", "Hats")
        rows = [[*row, parts[0]] for row in rows]
        late = [[*row, parts[1]] for row in late]
    data = as_csv([head, *rows, *late], number="{:.3f}".format)
    kind, said = outcome({"a.csv": data})
    assert kind == "right", said
