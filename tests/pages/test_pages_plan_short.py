"""Plans of data shorter than a year: nothing that ran is called last year's."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from core.service.portfolio import members
from pages.ui import navigation
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.said import is_sound

OTHER = "South brands"
SHORT = {"horizon_repeated": 1}
LAST_YEAR = re.compile(r"[^.\"\n]*(?:last year|year earlier)[^.\"\n]*", re.IGNORECASE)


@pytest.fixture
def short(home, monkeypatch):
    """Two projects whose data have 40 weeks."""
    ahead, times = synthetic.forecast, members.data_times
    attrs = synthetic.ATTRS | SHORT
    curves = synthetic.horizon_curves
    monkeypatch.setattr(
        synthetic, "horizon_curves", lambda: curves().assign_attrs(SHORT)
    )
    monkeypatch.setattr(synthetic, "forecast", lambda: ahead(attrs=attrs))
    monkeypatch.setattr(members, "data_times", lambda fit: times(fit)[-40:])
    for name in (worlds.MARKET, OTHER):
        worlds.fit(worlds.project(name))


def everything(at) -> str:
    """Every text of a screen: labels, tooltips, columns and charts among them."""
    return "\n".join(str(node.proto) for node in at.main if hasattr(node, "proto"))


def called_last_years(at) -> list[str]:
    """What speaks of last year, but for the note on what stands for it."""
    assert is_sound(at)
    found = LAST_YEAR.findall(everything(at))
    return [each for each in found if "shorter than a year" not in each]


@pytest.mark.parametrize("view", ["Channels", "Weeks", "By hand", "Portfolio"])
def test_no_view_calls_what_ran_last_years(screen, short, view):
    at = screen("plan", worlds.MARKET, **{"plan.over": view})
    assert at.segmented_control(key="plan.over").value == view
    assert called_last_years(at) == []


def budget_to_find() -> None:
    """The place of a budget to be found, where no plan keeps to the limits."""
    import streamlit as st

    from core import text as fmt
    from core.plan.response.curves import response_curves
    from pages.plan import view
    from tests.charts import synthetic

    about = synthetic.ATTRS | synthetic.AHEAD_ATTRS | {"horizon_repeated": 1}
    curves = response_curves(synthetic.horizon_curves().assign_attrs(about))
    view.found_budget(st.container(), None, curves, fmt.Units("revenue", "EUR"))


def test_a_budget_that_is_not_found_stands_beside_what_ran():
    at = AppTest.from_function(budget_to_find).run()
    assert called_last_years(at) == []
    assert at.caption[0].value.startswith("the data's weeks as they ran: ")


def tiles_of_profit(language: str) -> None:
    """The tiles of a plan whose KPI is a count and whose budget is for profit."""
    import streamlit as st
    from msgspec import structs

    from core import text as fmt
    from core.plan.record.parts import Goal, Profit
    from core.text.languages.language import spoken_in
    from pages.plan import view
    from tests.plan.records import about, record

    goal = Goal(kind="profit", margin=9.0, profit=about(700.0))
    gain = Profit(margin=9.0, planned=about(700.0), gain=about(70.0))
    plan = record(goal=goal, profit=gain, outcome_unit="kpi")
    plan = structs.replace(
        plan, against_today=structs.replace(plan.against_today, profit=gain)
    )
    with spoken_in(language):
        view.tiles(st.columns(2), plan, fmt.Units("kpi", "EUR"))


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_a_gain_in_profit_is_money_in_every_language(language):
    at = AppTest.from_function(tiles_of_profit, args=(language,)).run()
    assert not at.exception
    gain = next(one for one in at.metric if "70" in one.value)
    assert "€" in gain.value and "KPI" not in gain.value


def test_a_year_of_data_is_last_years(screen, home):
    for name in (worlds.MARKET, OTHER):
        worlds.fit(worlds.project(name))
    at = screen(navigation.PLAN.name, worlds.MARKET, **{"plan.over": "Portfolio"})
    assert called_last_years(at)
