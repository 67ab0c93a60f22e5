"""What F5 and a copied link keep of geos and of a forecast."""

import json

import pytest

from core.plan.limits.stated import StatedRow
from core.plan.scenario.geos import GeoRequest
from core.project.fits.runs import latest_fit
from core.project.plans.plans import save_plan
from pages.plan.geos.limits import Stated
from tests.pages import worlds
from tests.pages.said import is_sound
from tests.plan.records import AHEAD, line, record

#: The data's own periods, by geo.
GEOS = {"plan.over": "Geos", "draft": '{"for":"own"}'}


@pytest.fixture
def geo_fitted(home):
    """The folder of a project with a fit of four geos."""
    folder = worlds.project()
    worlds.fit(folder, has_geo_curves=True)
    return folder


def geos(at) -> list[str]:
    """The geos in the order of the table."""
    [table] = [each.value for each in at.dataframe if "Odds" in each.value]
    return list(table.iloc[:, 0])


def test_limits_of_geos_survive_a_new_browser_tab(screen, geo_fitted):
    at = screen("plan", worlds.MARKET, **GEOS)
    assert is_sound(at)
    assert "geos" not in at.query_params
    at.number_input(key="plan.geos.spread").set_value(10).run()
    at.number_input(key="plan.geos.times").set_value(1.5).run()
    at.multiselect[-1].set_value(["West"]).run()
    again = screen("plan", worlds.MARKET, **GEOS, geos=at.query_params["geos"])
    assert is_sound(again)
    assert again.number_input(key="plan.geos.spread").value == 10
    assert again.number_input(key="plan.geos.times").value == 1.5
    assert again.multiselect[-1].value == ["West"]
    assert geos(again) == geos(at)


def test_limits_of_single_geos_survive_a_new_browser_tab(screen, geo_fitted):
    name = f"draft.geos.stated.{latest_fit(geo_fitted).run_id}"
    request = GeoRequest(geos={"West": StatedRow(high="80 %")}, scaled=True)
    at = screen("plan", worlds.MARKET, **GEOS)
    at.session_state[name] = Stated("edited.xlsx", request)
    at.run()
    assert is_sound(at)
    again = screen("plan", worlds.MARKET, **GEOS, geos=at.query_params["geos"])
    assert is_sound(again)
    assert again.session_state[name] == Stated("edited.xlsx", request)
    again.button(key="plan.geos.form").click().run()
    assert is_sound(again)
    assert "geos" not in again.query_params


@pytest.mark.parametrize(
    "content",
    [
        {"times": "x", "spread": -5, "locked": "West"},
        {"times": 99, "spread": 1.5, "locked": ["Nowhere"]},
        {"stated": ["a", True]},
        {"stated": [1, True, {}]},
        {"stated": ["a", True, {"bounds": "all"}]},
        {"stated": ["a", True, {"geo": {"Nowhere": {"lock": True}}}]},
    ],
)
def test_limits_of_geos_that_nobody_typed(screen, geo_fitted, content):
    at = screen("plan", worlds.MARKET, **GEOS, geos=json.dumps(content))
    assert is_sound(at)
    assert at.number_input(key="plan.geos.spread").value == 30
    assert "geos" not in at.query_params


def test_the_plan_and_the_periods_of_a_forecast_survive(screen, fitted):
    run_id = latest_fit(fitted).run_id
    plan = record(line("TV", 200.0, 100.0), name="Twice", run_id=run_id, horizon=AHEAD)
    plan_id = save_plan(fitted, plan).plan_id
    at = screen("forecast", worlds.MARKET)
    assert is_sound(at)
    assert not {"forecast.of", "forecast.periods"} & set(at.query_params)
    at.selectbox(key="forecast.of").set_value(plan_id).run()
    at.segmented_control(key="forecast.periods").set_value(26).run()
    kept = {name: at.query_params[name] for name in ("forecast.of", "forecast.periods")}
    again = screen("forecast", worlds.MARKET, **kept)
    assert is_sound(again)
    assert again.selectbox(key="forecast.of").value == plan_id
    assert again.segmented_control(key="forecast.periods").value == 26
    nonsense = dict.fromkeys(kept, "nonsense")
    other = screen("forecast", worlds.MARKET, **nonsense)
    assert is_sound(other)
    assert other.segmented_control(key="forecast.periods").value == 13
    assert not set(kept) & set(other.query_params)
