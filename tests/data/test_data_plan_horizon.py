"""The periods that a plan is for."""

import numpy as np
import pytest

from core.data.ahead.horizon import plan_horizon
from core.errors import PlanError

WEEKS = np.datetime64("2022-01-03") + 7 * np.arange(104)
MONTHS = np.arange("2020-01", "2022-01", dtype="datetime64[M]").astype("datetime64[D]")
DAYS = np.datetime64("2024-01-01") + np.arange(90)


@pytest.mark.parametrize(
    ("times", "start", "end", "n"),
    [
        (WEEKS, "2024-01-01", "2024-12-23", 52),
        (MONTHS, "2022-01-01", "2022-12-01", 12),
        (DAYS, "2024-03-31", "2024-06-28", 90),
        (WEEKS[:20], "2022-05-23", "2022-10-03", 20),
    ],
)
def test_by_default_a_year_or_as_many_as_the_data_have(times, start, end, n):
    horizon = plan_horizon(times)
    assert horizon.as_dict() == {"start": start, "end": end, "periods": n}
    assert horizon.skip == 0


def test_it_begins_with_the_first_period_on_a_day_or_later():
    assert plan_horizon(WEEKS, 13, "2024-01-02").start == "2024-01-08"
    on_the_day = plan_horizon(WEEKS, 13, "2024-01-08")
    assert (on_the_day.start, on_the_day.skip) == ("2024-01-08", 1)
    assert plan_horizon(MONTHS, 3, "2022-04-01").as_dict() == {
        "start": "2022-04-01",
        "end": "2022-06-01",
        "periods": 3,
    }


@pytest.mark.parametrize(
    ("n", "start", "message"),
    [
        (0, None, "A plan of 0 periods is not possible"),
        (105, None, "more than 2 years after the data"),
        (52, "2025-01-20", "more than 2 years after the data"),
        (1, "2031-01-01", "more than 2 years after the data"),
        (4, "2023-12-25", "the data go on to the period that begins on 2023-12-25"),
        (4, "2020-01-01", "the data go on to"),
        (4, "soon", "soon is not a date"),
        (4, "", "is not a date"),
    ],
)
def test_periods_that_cannot_be_planned(n, start, message):
    with pytest.raises(PlanError, match=message) as caught:
        plan_horizon(WEEKS, n, start)
    assert caught.value.hint and caught.value.where == "horizon"
