"""The heat map of a plan of geos: rows, columns, marks, names that look like code."""

import json

import numpy as np
import pytest

from core.charts.drawing import style
from core.charts.planning import geos
from core.plan.geo_plan import geo_plan
from core.plan.record.plan_record import as_dict, as_record, with_details
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.scenario import scenario
from tests.plan.geo_market import market, response

CODE = "<b>a</b>"


@pytest.fixture(scope="module")
def told():
    given = response((3, 4), seed=1)
    total = 1.2 * float(given.curves.spend.sum())
    asked = scenario(market(given), budget=total, supported=False)
    found = as_dict(geo_plan(given, asked, GeoRequest(bounds=(0.2, 2.5))).record())
    written = json.dumps(found).replace('"North"', json.dumps(CODE))
    return as_record(json.loads(written))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_row_per_geo_and_a_column_per_channel(told, theme):
    names = [line.name for line in told.geos]
    with style.in_theme(theme):
        drawn = geos.change(told, geos=names[::-1], order=["Radio", "TV"])
    cells = drawn.data[0]
    assert np.shape(cells.z) == (4, 3)  # one that the order lacks comes last
    first = next(
        cell for cell in told.cells if (cell.geo, cell.channel) == (names[-1], "Radio")
    )
    assert cells.z[0][0] == pytest.approx(first.multiplier - 1)
    assert cells.zmin == -cells.zmax
    assert "+" in "".join(np.ravel(cells.text))
    assert told.horizon.heading in cells.customdata[0][0]


def test_names_are_not_markup(told):
    drawn = json.loads(geos.change(told).to_json())
    assert CODE not in json.dumps(drawn["layout"])
    assert all(CODE not in str(line) for line in drawn["data"][0]["customdata"])


def test_cells_beyond_spend_seen_are_marked(told):
    beyond = sum(cell.beyond_seen for cell in told.cells)
    texts = "".join(np.ravel(geos.change(told).data[0].text))
    assert texts.count("×") == beyond > 0


def test_a_cell_without_spend_is_empty(told):
    fewer = with_details(told, cells=told.cells[1:])
    drawn = geos.change(fewer, geos=[line.name for line in told.geos])
    assert list(np.ravel(drawn.data[0].text)).count("") == 1


@pytest.mark.parametrize("letters", [2, 8, 12])
@pytest.mark.parametrize("number", [1, 4, 8, 12])
def test_names_above_the_columns_do_not_run_into_each_other(letters, number):
    names = [f"{at:02}{'x' * (letters - 2)}" for at in range(number)]
    shown, rows, angle = geos._names_above(names)
    raised = [name.endswith("<br>\u00a0") for name in shown]
    assert (rows == 2) == any(raised)
    if rows == 2:  # every other one
        assert raised == [at % 2 == 1 for at in range(number)]
    if not angle:
        assert number * letters <= 24 * rows or number <= 8
