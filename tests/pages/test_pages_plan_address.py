"""A draft in the address: F5 and a copied link keep what was typed."""

import json
from urllib.parse import parse_qsl

import pytest
from streamlit.util import calc_hash

from core.plan.limits.buying import Buying
from core.plan.limits.channels import Group
from core.plan.scenario.find import Find
from core.project.fits.runs import latest_fit
from pages.plan.address import form
from pages.plan.more import More
from tests.pages import worlds
from tests.pages.said import CONSTRAINED, edition, is_sound, texts


def budget_of(at) -> float:
    return at.session_state["plan.budget"]


def test_what_was_typed_survives_a_new_browser_tab(screen, fitted):
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
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
    assert again.number_input(key="plan.spread").value == 30


def test_one_limit_of_all_channels_survives_a_new_tab_and_a_step_back(screen, fitted):
    at = screen("plan", worlds.MARKET)
    at.number_input(key="plan.spread").set_value(20).run()
    again = screen("plan", worlds.MARKET, draft=at.query_params["draft"])
    assert again.number_input(key="plan.spread").value == 20
    assert "limits of their own" not in texts(again)
    at.button(key="plan.undo").click().run()
    assert is_sound(at)
    assert at.number_input(key="plan.spread").value == 30
    assert "limits of their own" not in texts(at)


def test_objective_targets_groups_and_periods_survive_a_new_browser_tab(screen, fitted):
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    at.selectbox(key="plan.horizon").set_value("own").run()
    more = More(
        within_seen=True,
        buying={
            "Print": Buying(may_be_off=True, at_best_frequency=True),
            "TV": Buying(step=5000.0, gamma=0.2, price=1.05),
        },
        groups=(
            Group("Screens", ("TV", "Social"), high_share=0.8),
            Group("offline", ("TV", "Print"), low=1e6, of="kind"),
        ),
    )
    at.session_state["draft.more.now"] = more
    at.session_state["draft.more"] = more
    at.session_state["draft.edition.more"] = edition(at, "more") + 1
    at.selectbox(key="plan.objective").set_value("p10").run()
    assert is_sound(at)
    draft = at.query_params["draft"]
    again = screen("plan", worlds.MARKET, draft=draft, **CONSTRAINED)
    assert is_sound(again)
    assert again.selectbox(key="plan.horizon").value == "own"
    assert again.selectbox(key="plan.objective").value == "p10"
    assert again.session_state["draft.more.now"] == more
    at.text_input(key="plan.goal.typed").set_value("44M").run()
    draft = at.query_params["draft"]
    again = screen("plan", worlds.MARKET, draft=draft, **CONSTRAINED)
    assert again.selectbox(key="plan.objective").value == "p10"
    assert again.session_state["plan.goal"] == 44e6


@pytest.mark.parametrize("kind", ["profit", "mroi", "outcome"])
def test_a_target_survives_a_new_browser_tab(screen, fitted, kind):
    find = Find(kind, margin=0.5) if kind == "profit" else Find(kind, target=1.2)
    assert is_sound(screen("plan", worlds.MARKET))
    draft = json.dumps({"more": form.written(More(find=find))})
    at = screen("plan", worlds.MARKET, draft=draft)
    assert is_sound(at)
    now = at.session_state["draft.more.now"].find
    assert (now.kind, now.margin) == (find.kind, find.margin)
    assert now.target == find.target or kind == "profit"
    assert json.loads(at.query_params["draft"])["more"]["find"]["kind"] == kind


def test_periods_of_their_own_survive_a_new_browser_tab(screen, fitted):
    for n, is_kept in ((52, True), (9999, False), (-1, False)):
        draft = json.dumps({"for": ["2024-01-01", n]})
        at = screen("plan", worlds.MARKET, draft=draft)
        assert is_sound(at)
        assert at.selectbox(key="plan.horizon").value == "custom"
        assert (at.number_input(key="plan.periods").value == n) == is_kept


def test_sliders_and_scenarios_survive_a_new_browser_tab(screen, fitted):
    at = screen("plan", worlds.MARKET, **{"plan.over": "By hand"})
    assert "hand" not in at.query_params
    at.slider[0].set_value(150).run()
    at.button(key="hand.keep.B").click().run()
    at.slider[1].set_value(40).run()
    hand = at.query_params["hand"]
    again = screen("plan", worlds.MARKET, hand=hand, **{"plan.over": "By hand"})
    assert is_sound(again)
    assert again.slider[0].value == 150 and again.slider[1].value == 40
    before, after = (
        next(t.value for t in one.table if "Best plan" in t.value.columns)
        for one in (at, again)
    )
    assert before.equals(after)
    assert "B" in after.columns
    again.button(key="hand.best").click().run()
    assert "A" not in json.loads(again.query_params["hand"])


@pytest.mark.parametrize(
    "hand", ["{", "[]", '{"of":"x"}', '{"of":"%s","A":[1]}', '{"of":"%s","A":"abcd"}']
)
def test_sliders_that_nobody_moved(screen, fitted, hand):
    of = f"{latest_fit(fitted).run_id}.2024-01-01.52"
    written = hand.replace("%s", of)
    at = screen("plan", worlds.MARKET, hand=written, **{"plan.over": "By hand"})
    assert is_sound(at)
    assert "hand" not in at.query_params


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
        '{"for":7,"objective":"best","more":[],"goal":"x"}',
        '{"value":[["2026-13-45",1.1]],"for":["2026-02-30",4]}',
        '{"for":["x",true],"objective":7,"more":{"find":["roi",-1]}}',
        '{"more":{"find":"roi","buy":["TV"],"groups":[[1,2]]}}',
        '{"more":{"buy":{"Nobody":{"step":1}},"groups":[["a",[],1,2,3,4]]}}',
        '{"more":{"buy":{"TV":{"step":-1,"price":"x","gamma":9,"may_be_off":1}}}}',
        '{"more":{"buy":{"TV":{"at_best_frequency":false,"price":true},"Print":3}}}',
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


#: A choice other than the usual one of each control that an address keeps.
CHOICES = {
    "channels.view": "Contribution",
    "channels.period": "2023",
    "plan.view": "Budgets",
    "compare.view": "Fits",
    "forecast.view": "Backtest",
    "forecast.periods": "26",
    "history.view": "Timeline",
    "experiments.view": "Next test",
    "model.view": "Options",
    "model.mode": "Analyst",
}


@pytest.mark.parametrize(("key", "view"), CHOICES.items())
def test_the_address_keeps_the_view(screen, fitted, key, view):
    screen_name = key.partition(".")[0]
    at = screen(screen_name, worlds.MARKET, **{key: view})
    assert is_sound(at)
    assert str(at.session_state[key]) == view
    at = screen(screen_name, worlds.MARKET, **{key: "nonsense"})
    assert is_sound(at)


@pytest.mark.parametrize(("key", "view"), CHOICES.items())
def test_views_are_in_the_address_of_their_screen_only(screen, fitted, key, view):
    draft = '{"budget":777.0}'
    at = screen(key.partition(".")[0], worlds.MARKET, **{key: view, "draft": draft})
    for _ in range(2):  # while it is open, and once another screen is
        links = {link.proto.page: addressed(link) for link in at.get("page_link")}
        assert {query["project"] for query in links.values()} == {worlds.MARKET}
        assert {query["draft"] for query in links.values()} == {draft}
        having = [page for page, query in links.items() if query.get(key) == view]
        assert having == [key.partition(".")[0]]
        others = {
            each
            for page, query in links.items()
            for each in query
            if "." in each and not each.startswith(f"{page}.")
        }
        assert not others
        at._page_hash = calc_hash("data")
        at.run()


def test_links_lead_on_with_what_was_typed_last(screen, fitted):
    at = screen("plan", worlds.MARKET)
    for typed in ("777", "888"):
        at.text_input(key="plan.budget.typed").set_value(typed).run()
        assert is_sound(at)
        links = [addressed(link) for link in at.get("page_link")]
        assert {query.get("draft") for query in links} == {at.query_params["draft"]}
        assert typed in at.query_params["draft"]


def addressed(link) -> dict[str, str]:
    """What a link's address carries."""
    return dict(parse_qsl(link.proto.query_string))
