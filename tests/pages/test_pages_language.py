"""The reader's language: English until chosen, kept, and only what is complete."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.text.languages import language as spoken
from core.text.languages.language import language, say, set_language, spoken_in
from pages.plan.portfolio import panel
from pages.ui import planning
from pages.ui.reader import tongue
from tests.pages import worlds


@pytest.fixture
def four(monkeypatch):
    monkeypatch.setattr(spoken, "ON_SCREENS", tuple(spoken.LANGUAGES))


def labels(at: AppTest) -> list[str]:
    return [each.label for each in at.get("menu_button")]


def test_a_source_says_what_is_spoken_outside_of_a_body():
    set_language(lambda: "de")
    try:
        assert language() == "de" and say("Channel") == "Kanal"
        with spoken_in("fr"):
            assert say("Channel") == "Canal"
            with spoken_in("en"):
                assert say("Channel") == "Channel"
    finally:
        set_language(None)
    assert say("Channel") == "Channel"


def test_outside_of_a_session_it_is_english():
    assert tongue.chosen() == "en"


def test_what_is_kept_is_worked_out_in_english():
    with spoken_in("de"):
        assert tongue.in_english(lambda: say("Channel"))() == "Channel"
        made = tongue.kept(lambda: say("Channel"))
    assert made() == "Kanal" and language() == "en"


def test_a_text_of_streamlits_own_is_said_when_it_is_shown():
    later = tongue.Later("Channel")
    with spoken_in("es"):
        assert str(later) == "Canal"
    assert later == "Channel" and str(later) == "Channel"


@pytest.mark.parametrize("cookie", ["", "tlh", "x=1; path=/"])
def test_english_until_somebody_chooses(screen, four, monkeypatch, cookie):
    monkeypatch.setattr(
        "streamlit.runtime.context.ContextProxy.cookies", {tongue.COOKIE: cookie}
    )
    at = screen("help")
    assert not at.exception and "English" in labels(at)
    assert at.button_group == [] and tongue.COOKIE not in str(at.get("html"))


def test_a_choice_is_spoken_at_once_and_told_to_the_browser(screen, four):
    at = screen("help")
    at.session_state["app.language"] = "de"
    at.session_state["app.language.untold"] = True
    at.run()
    assert not at.exception and "Deutsch" in labels(at)
    told = [each.proto.body for each in at.get("html")]
    assert any(f"{tongue.COOKIE}=de; path=/" in body for body in told)
    at.run()
    assert not any(tongue.COOKIE in each.proto.body for each in at.get("html"))


def test_states_stand_in_tables_and_menus_in_the_readers_language(
    screen, home, held, four
):
    folder = worlds.project()
    for _ in range(2):
        worlds.fit(folder)
    run = worlds.run(folder, "running")
    held(run)
    worlds.progress(run, phase="analysis")

    def in_german(name: str, **query) -> AppTest:
        at = screen(name, worlds.MARKET, run=False, **query)
        at.session_state["app.language"] = "de"
        return at.run()

    [chains] = [
        each.value
        for each in in_german("fit").dataframe
        if "phase" in each.value.columns
    ]
    assert set(chains["phase"]) == {"fertig"}
    [bar] = in_german("history").get("progress")
    with spoken_in("de"):
        assert say("working out the results") in bar.proto.text
    assert "working out" not in bar.proto.text
    at = in_german("compare", **{"compare.view": "Fits"})
    options = [text for box in at.selectbox for text in box.options]
    assert any("belastbar" in text for text in options)
    assert not any("trustworthy" in text for text in options)


def test_a_browser_that_kept_a_choice_is_greeted_in_it(screen, four, monkeypatch):
    monkeypatch.setattr(
        "streamlit.runtime.context.ContextProxy.cookies", {tongue.COOKIE: "fr"}
    )
    assert "Français" in labels(screen("help"))


def test_the_browsers_language_is_offered_not_taken(screen, four):
    at = screen("help", run=False)
    at.context["locale"] = "es-MX"
    at.run()
    assert "English" in labels(at)
    at.button(key="language.offer").click().run()
    assert "Español" in labels(at)
    assert not [b for b in at.button if b.key == "language.offer"]


def test_a_language_without_all_its_words_is_not_spoken(screen, monkeypatch):
    monkeypatch.setattr(spoken, "ON_SCREENS", ("en", "de"))
    monkeypatch.setattr(
        "streamlit.runtime.context.ContextProxy.cookies", {tongue.COOKIE: "fr"}
    )
    assert "English" in labels(screen("help"))


def test_plans_and_what_limits_cost_are_kept_in_english(monkeypatch):
    """Readers of every language share what one of them made."""
    monkeypatch.setattr(planning, "curves_of", lambda files: files)
    monkeypatch.setattr(planning.reading, "result_sha", lambda run: "no fit")
    monkeypatch.setattr(planning.plans, "channel_plan", lambda *_, **__: say("Channel"))
    monkeypatch.setattr(planning, "limit_costs", lambda *_: say("Channel"))
    monkeypatch.setattr(panel.markets, "portfolio_of", lambda text: text)
    monkeypatch.setattr(panel.markets, "markets", lambda _: say("Channel"))
    with spoken_in("de"):
        files = SimpleNamespace(run="german")
        assert planning._best(files, None, "") == "Channel"
        assert planning.limit_costs_of(files, None, {}) == "Channel"
        assert panel._markets("german", "") == "Channel"
