"""Who reads with a screen reader, or in poor light: axe finds nothing of ours."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from core.project.shelf.cards import projects
from pages.ui import navigation
from tests.pages import worlds

pytestmark = pytest.mark.timeout(900)

#: What Streamlit's own widgets are found with: https://github.com/streamlit/streamlit
STREAMLIT = {"presentation-role-conflict"}


@pytest.fixture
def market(server, monkeypatch):
    """The name of a project with a finished fit."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    if worlds.MARKET not in {card.name for card in projects()}:
        worlds.fit(worlds.project())
    return worlds.MARKET


#: What is asked of a theme: everything of one, and of the other what colours decide.
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
RULES = {"light": {}, "dark": {"runOnly": COLOURS}}


@pytest.mark.parametrize("theme", RULES)
def test_axe_finds_nothing(window, market, theme):
    app = window(color_scheme=theme)
    found = []
    app.open("", market)
    for screen in navigation.SCREENS:
        if screen is not navigation.START:
            app.go(screen.title)
        app.page.get_by_role("heading", name=screen.title, exact=True).wait_for()
        for violation in (
            Axe().run(app.page, options=RULES[theme]).response["violations"]
        ):
            if violation["id"] in STREAMLIT:
                continue
            found += [
                (screen.name, violation["id"], node["html"][:90])
                for node in violation["nodes"]
            ]
    assert found == []
