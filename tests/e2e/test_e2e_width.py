"""Narrow windows: nothing scrolls sideways on a phone, no column hides on a laptop."""

import pytest
from e2e_driver import Browser
from playwright.sync_api import expect

from core.workspace.projects import store
from pages.ui import navigation
from tests.pages import worlds

pytestmark = pytest.mark.timeout(900)

PHONE = {"width": 390, "height": 844}
#: No column is as narrow: less than this is a border, px.
NARROWEST = 20
LAPTOP = {"width": 1280, "height": 720}
#: Screens with views of their own, which are as wide as they like.
VIEWS = {
    "channels": ["Contribution", "Response curves", "One channel", "Fit to the data"],
    "model": ["Options"],
    "plan": ["Weeks"],
    "compare": ["Plans"],
    "help": [],
}
#: How much wider the page, or what scrolls in its place, is than the window.
OVERHANG = """() => Math.max(...[document.documentElement,
    document.querySelector("[data-testid='stMain']")].map(
        (box) => box.scrollWidth - box.clientWidth))"""


@pytest.fixture
def market(server, monkeypatch):
    """The name of a project with a finished fit."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    if worlds.MARKET not in {card.name for card in store.projects()}:
        worlds.fit(worlds.project())
    return worlds.MARKET


@pytest.fixture
def window(chromium, server):
    """Opens a browser of a size; at the end nothing went wrong in it."""
    opened = []

    def of(size: dict, **options) -> Browser:
        context = chromium.new_context(viewport=size, locale="en-GB", **options)
        opened.append(Browser(context, server.url))
        return opened[-1]

    yield of
    for browser in opened:
        browser.context.close()
        assert browser.problems == []


def show(browser: Browser, view: str) -> None:
    main = browser.page.get_by_test_id("stMain")
    main.get_by_role("radio", name=view, exact=True).first.click()
    browser.wait_idle()


def test_nothing_scrolls_sideways_on_a_phone(window, market):
    phone = window(PHONE, has_touch=True, is_mobile=True)
    wide = {}
    for screen in navigation.SCREENS:
        phone.open("" if screen is navigation.START else screen.name, market)
        side = phone.page.get_by_test_id("stSidebar")
        heading = phone.page.get_by_role("heading", name=screen.title, exact=True)
        expect(heading).to_be_visible()
        expect(side).not_to_be_in_viewport()
        wide[screen.name] = phone.page.evaluate(OVERHANG)
        for view in VIEWS.get(screen.name, []):
            show(phone, view)
            wide[f"{screen.name}, {view}"] = phone.page.evaluate(OVERHANG)
    assert {name: by for name, by in wide.items() if by > 0} == {}


@pytest.mark.parametrize(
    ("screen", "table"), [("plan", "plan.limits"), ("model", "model.channels")]
)
def test_every_column_is_in_sight_on_a_laptop(window, market, screen, table):
    laptop = window(LAPTOP)
    laptop.open(screen, market)
    cells = laptop.by_key(table).locator(".dvn-scroller").first
    cells.wait_for()
    assert laptop.page.evaluate(OVERHANG) <= 0
    hidden = cells.evaluate("(box) => box.scrollWidth - box.clientWidth")
    assert hidden < NARROWEST
