"""Returns from fit to fit: legible on a phone."""

from core.charts import channels as history
from core.text import Units
from tests.charts import synthetic


def test_dates_below_the_panels_are_on_two_lines_so_that_a_phone_has_room():
    roi = {name: {"lo": 1.0, "mean": 2.0, "hi": 3.0} for name in synthetic.NAMES[:3]}
    fits = [("23 Dec 2024", roi), ("6 Jan 2025", roi), ("13 Jan 2025", roi)]
    figure = history.returns(fits, Units("revenue", "EUR"))
    assert figure.layout.xaxis.ticktext == ("23 Dec<br>2024", "13 Jan<br>2025")
    assert figure.layout.xaxis3.tickangle == 0


def test_names_of_the_second_row_are_clear_of_the_dates_above_them():
    roi = {name: {"lo": 1.0, "mean": 2.0, "hi": 3.0} for name in synthetic.NAMES[:4]}
    fits = [("23 Dec 2024", roi), ("6 Jan 2025", roi)]
    layout = history.returns(fits, Units("revenue", "EUR")).layout
    drawn = layout.height - layout.margin.t
    between = layout.yaxis.domain[0] - layout.yaxis4.domain[1]
    assert between * drawn > 65  # dates on two lines, a name, and air
