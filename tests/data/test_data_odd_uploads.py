"""Files of strangers, written in odd ways: read rightly, or what is wrong is said."""

import datetime

import pytest

from tests.data.odd_uploads import as_csv, outcome, wide

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
APOSTROPHES = "'’‘´ʼ`"


def _week(day: datetime.date) -> int:
    return day.isocalendar()[1]


@pytest.mark.parametrize("written", WEEKS)
def test_weeks_are_read_in_every_way_of_writing(written):
    rows = wide(WEEKS[written])
    assert outcome({"a.csv": as_csv(rows, ";")}) == ("right", "")


@pytest.mark.parametrize("mark", APOSTROPHES)
def test_apostrophes_of_every_keyboard_stand_between_thousands(mark):
    data = as_csv(wide(), ";", number=lambda x: f"{x:,.2f}".replace(",", mark))
    assert outcome({"a.csv": data}) == ("right", "")


def test_numbers_and_names_that_are_texts_of_a_formula():
    names = [f'="{name}"' for name in wide()[0]]
    data = as_csv(wide(names=names), number='="{:.2f}"'.format)
    assert outcome({"a.csv": data}) == ("right", "")
