"""A draft in the address: F5 and a copied link keep what was typed."""

import pytest

from tests.pages import worlds
from tests.pages.said import edition, is_sound


def budget_of(at) -> float:
    return at.session_state["plan.budget"]


def test_what_was_typed_survives_a_new_browser_tab(screen, fitted):
    at = screen("plan", worlds.MARKET)
    assert "draft" not in at.query_params
    usual = budget_of(at)
    at.session_state["plan.budget"] = usual * 0.9
    at.session_state[f"plan.limits.{edition(at, 'limits')}"] = {
        "edited_rows": {0: {"min": 95.0, "max": 105.0, "lock": False}},
        "added_rows": [],
        "deleted_rows": [],
    }
    at.run()
    assert is_sound(at)
    draft = at.query_params["draft"]
    again = screen("plan", worlds.MARKET, draft=draft)
    assert is_sound(again)
    assert budget_of(again) == pytest.approx(usual * 0.9)
    before, after = (one.session_state["draft.limits.now"] for one in (at, again))
    assert after == before


@pytest.mark.parametrize(
    "draft",
    [
        "[]",
        "{",
        '{"budget":"x"}',
        '{"budget":-5}',
        '{"budget":1e400}',
        '{"limits":[1]}',
        '{"limits":{"TV":[-1,2,3]}}',
        '{"limits":{"Nobody":[1,2,true]}}',
        "[" * 5000,
        "x" * 9000,
    ],
)
def test_what_nobody_typed_changes_nothing(screen, fitted, draft):
    usual = budget_of(screen("plan", worlds.MARKET))
    at = screen("plan", worlds.MARKET, draft=draft)
    assert is_sound(at)
    assert budget_of(at) == usual
    assert "draft" not in at.query_params


@pytest.mark.parametrize(
    ("screen_name", "key", "view"),
    [
        ("channels", "channels.view", "Contribution"),
        ("channels", "channels.period", "2023"),
        ("plan", "plan.view", "Budgets"),
        ("compare", "compare.view", "Plans"),
        ("model", "model.view", "Options"),
    ],
)
def test_the_address_keeps_the_view(screen, fitted, screen_name, key, view):
    at = screen(screen_name, worlds.MARKET, **{key: view})
    assert is_sound(at)
    assert at.session_state[key] == view
    at = screen(screen_name, worlds.MARKET, **{key: "nonsense"})
    assert is_sound(at)
