"""The Plan screen by the address of a saved plan."""

import pytest

from core.project.plans import plans
from core.project.plans.plans import list_plans, save_plan
from core.store.places import new_id
from tests.pages import worlds
from tests.pages.said import CONSTRAINED, edition, is_sound, texts
from tests.plan.records import line, record


@pytest.fixture
def kept(screen, fitted):
    """A saved plan of the data's own periods with a budget and limits of its own."""
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    at.selectbox(key="plan.horizon").set_value("own").run()
    at.text_input(key="plan.budget.typed").set_value("16000000").run()
    at.session_state[f"plan.limits.{edition(at, 'limits')}"] = {
        "edited_rows": {0: {"max": 105}, 1: {"lock": True}},
        "added_rows": [],
        "deleted_rows": [],
    }
    at.run()
    at.selectbox(key="plan.objective").set_value("p10").run()
    at.button(key="plan.save").click().run()
    assert is_sound(at)
    (plan,) = list_plans(fitted)
    return plan


def test_the_address_of_a_saved_plan_opens_it(screen, kept):
    at = screen("plan", worlds.MARKET, plan=kept.plan_id, **CONSTRAINED)
    assert is_sound(at)
    assert at.session_state["plan.budget"] == kept.budget == 16e6
    assert at.selectbox(key="plan.horizon").value == "own"
    assert at.selectbox(key="plan.objective").value == "p10"
    limits = at.session_state["draft.limits.now"]
    assert limits["TV"].high == pytest.approx(1.05 * 9.2e6)
    assert limits["Search"].locked
    at.text_input(key="plan.budget.typed").set_value("15000000").run()
    assert at.session_state["plan.budget"] == 15e6  # brought back once


def test_the_list_offers_the_address(screen, fitted, kept):
    at = screen("plan", worlds.MARKET)
    chosen = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at.session_state[f"plan.saved.{edition(at, 'limits')}"] = chosen
    at.run()
    (address,) = [each.value for each in at.get("code")]
    assert address.endswith(f"?project=Test+market&plan={kept.plan_id}")
    at.button(key="plan.load").click().run()
    assert is_sound(at)
    assert at.query_params["plan"] == kept.plan_id


def test_a_link_that_opens_nothing_says_so_and_nothing_is_lost(screen, fitted):
    at = screen("plan", worlds.MARKET)
    at.text_input(key="plan.budget.typed").set_value("5000000").run()
    for plan_id in (new_id(), "../../etc", "x" * 300):
        at.query_params["plan"] = plan_id
        at.run()
        assert is_sound(at)
        assert "The plan in this link cannot be shown." in at.warning[0].value
        assert at.session_state["plan.budget"] == 5e6


def test_a_link_to_a_plan_of_another_project(screen, fitted):
    worlds.project("Other market")
    other = fitted.parent / "Other market"
    plan = save_plan(other, record(name="Theirs"))
    at = screen("plan", worlds.MARKET, plan=plan.plan_id)
    assert is_sound(at)
    assert "belongs to another project" in at.warning[0].value
    assert at.selectbox(key="plan.horizon").value == "year"


def test_a_plan_of_another_version_is_named_below_the_list(screen, fitted, monkeypatch):
    with monkeypatch.context() as earlier:
        earlier.setattr(plans, "SCHEMA", 1)
        save_plan(fitted, record(name="Old"))
    plans._read.cache_clear()
    at = screen("plan", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    assert "Plan Old was saved by another version of Mixwright" in said
    assert "Plan again and save it; the file stays where it is." in said


def test_a_link_to_a_plan_of_a_fit_with_other_channels(screen, fitted):
    plan = save_plan(fitted, record(line("Radio", 100.0), name="Radio plan"))
    at = screen("plan", worlds.MARKET, plan=plan.plan_id)
    assert is_sound(at)
    said = texts(at)
    assert "Radio plan cannot be opened with this fit." in said
    assert "It has other channels than this fit." in said
    assert at.session_state["plan.budget"] == pytest.approx(17e6 / 3, abs=0.01)
