"""Narrow windows: nothing scrolls sideways on a phone, no column hides on a laptop."""

import re

import pytest
from e2e_driver import Browser
from playwright.sync_api import expect

from core.project.fits.runs import latest_fit
from core.project.shelf.cards import projects
from core.service.reports import report_file
from core.store.places import project_folder
from pages.ui import navigation
from pages.ui.reader.tongue import COOKIE
from tests.charts import synthetic
from tests.experiments.geo_world import project_of_geos
from tests.pages import crowds, worlds

pytestmark = pytest.mark.timeout(900)

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
#: No column is as narrow: less than this is a border, px.
NARROWEST = 20
LAPTOP = {"viewport": {"width": 1280, "height": 720}}
#: Screens with views of their own, which are as wide as they like.
VIEWS = {
    "channels": ["Contribution", "Response curves", "One channel", "Fit to the data"],
    "model": ["Options"],
    "plan": ["Weeks"],
    "compare": ["Fits", "Specifications"],
    "history": ["Plan against actuals", "Timeline"],
    "help": [],
}
#: Pages of Help with wide tables, formulas and code.
WIDE = ("model", "planning")
#: How much wider the page, or what scrolls in its place, is than the window.
OVERHANG = """() => Math.max(...[document.documentElement,
    document.querySelector("[data-testid='stMain']")].map(
        (box) => box.scrollWidth - box.clientWidth))"""


@pytest.fixture
def market(server, monkeypatch):
    """The name of a project with a finished fit."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    if worlds.MARKET not in {card.name for card in projects()}:
        folder = worlds.project()
        worlds.fit(folder)
        worlds.prior_check(folder)
    return worlds.MARKET


@pytest.fixture
def crowd(server, monkeypatch):
    """The name of a project of 25 channels with a finished fit."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    if crowds.CROWD not in {card.name for card in projects()}:
        crowds.crowd()
    return crowds.CROWD


def show(browser: Browser, view: str) -> None:
    main = browser.page.get_by_test_id("stMain")
    main.get_by_role("radio", name=view, exact=True).first.click()
    browser.wait_idle()


def overhang(browser: Browser) -> float:
    """Pixels that stand out at the side, once charts have taken their widths."""
    for _ in range(30):
        by = browser.page.evaluate(OVERHANG)
        if by <= 0:
            break
        browser.page.wait_for_timeout(100)
    return by


def test_nothing_scrolls_sideways_on_a_phone(window, market):
    phone = window(**PHONE)
    wide = {}
    for screen in navigation.SCREENS:
        if screen is navigation.START:
            phone.open("", market)
        else:
            phone.turn(screen.name, market)
        side = phone.page.get_by_test_id("stSidebar")
        heading = phone.page.get_by_role("heading", name=screen.title, exact=True)
        expect(heading).to_be_visible()
        expect(side).not_to_be_in_viewport()
        wide[screen.name] = overhang(phone)
        for view in VIEWS.get(screen.name, []):
            show(phone, view)
            wide[f"{screen.name}, {view}"] = overhang(phone)
    for page in WIDE:
        phone.open("help", market, read=page)
        wide[f"help, {page}"] = overhang(phone)
    assert {name: by for name, by in wide.items() if by > 0} == {}


@pytest.mark.parametrize("screen", ["plan", "model", "channels"])
def test_every_column_is_in_sight_on_a_laptop(window, market, screen):
    laptop = window(**LAPTOP)
    laptop.open(screen, market)
    cells = laptop.page.get_by_test_id("stMain").locator(".dvn-scroller").first
    cells.wait_for()
    assert overhang(laptop) <= 0
    hidden = cells.evaluate("(box) => box.scrollWidth - box.clientWidth")
    assert hidden < NARROWEST


@pytest.mark.parametrize("screen", ["plan", "forecast"])
def test_every_column_of_a_plan_is_in_sight_on_a_phone(window, market, screen):
    phone = window(**PHONE)
    phone.open(screen, market)
    cells = phone.page.get_by_test_id("stMain").locator(".dvn-scroller").first
    cells.wait_for()
    hidden = cells.evaluate("(box) => box.scrollWidth - box.clientWidth")
    assert hidden < NARROWEST


#: Titles of charts that end beyond their chart.
CUT_TITLES = """() => [...document.querySelectorAll(".gtitle")].filter((title) =>
    title.getBoundingClientRect().right >
    title.closest(".js-plotly-plot").getBoundingClientRect().right
).map((title) => title.textContent)"""


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_titles_of_a_report_are_in_sight_on_a_phone(window, market, language):
    phone = window(**PHONE)
    run = latest_fit(project_folder(market))
    phone.page.set_content(
        report_file(run, ".html", synthetic.plan(), language).decode()
    )
    phone.page.locator(".gtitle").last.wait_for()
    assert phone.page.evaluate(CUT_TITLES) == []
    expect(phone.page.locator(".modebar-container").first).to_be_hidden()


def test_no_ring_is_drawn_around_the_page(window, market):
    laptop = window(**LAPTOP)
    laptop.open("plan", market)
    laptop.page.get_by_role("heading", name="Plan", exact=True).click()
    laptop.page.keyboard.press("Shift")
    main = laptop.page.get_by_test_id("stMain")
    ring = main.evaluate("(box) => getComputedStyle(box, '::before').boxShadow")
    assert ring == "none"


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_returns_are_in_sight_on_a_laptop_in_every_language(
    window, market, server, language
):
    laptop = window(**LAPTOP)
    cookie = {"name": COOKIE, "value": language, "url": server.url}
    laptop.context.add_cookies([cookie])
    laptop.open("channels", market)
    cells = laptop.page.get_by_test_id("stMain").locator(".dvn-scroller").first
    cells.wait_for()
    assert overhang(laptop) <= 0
    hidden = cells.evaluate("(box) => box.scrollWidth - box.clientWidth")
    assert hidden <= 0


#: Labels of cards that are cut, and what of a plan's brief is not in its first row.
CUT = """() => [
    ...[...document.querySelectorAll("[data-testid='stMetricLabel'] *")].filter(
        (box) => getComputedStyle(box).overflow === "hidden" &&
            box.scrollWidth > box.clientWidth + 1),
    ...[...document.querySelectorAll(".st-key-plan-brief > *")].filter(
        (box) => box.offsetHeight && box.offsetTop > box.parentElement.offsetTop + 60),
].map((box) => box.textContent)"""


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_nothing_is_cut_in_a_small_window_in_every_language(
    window, market, server, language
):
    small = window(viewport={"width": 1024, "height": 768})
    cookie = {"name": COOKIE, "value": language, "url": server.url}
    small.context.add_cookies([cookie])
    found = {}
    for screen in ("plan", "forecast", "channels", "model"):
        small.turn(screen, market)
        expect(small.page.locator(".gtitle")).not_to_have_count(0)
        cut = small.page.evaluate(CUT)
        found[screen] = [*cut, *small.page.evaluate(CUT_TITLES)]
    assert {name: cut for name, cut in found.items() if cut} == {}


@pytest.mark.parametrize(
    ("name", "button"),
    [("Tests ranked", "experiments.rank"), ("Tests", "experiments.precision")],
)
def test_every_column_of_the_next_test_is_in_sight(
    window, server, monkeypatch, name, button
):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    folder = project_of_geos(name)
    if button == "experiments.rank":
        worlds.fit(folder, has_geo_curves=True)
    laptop = window(**LAPTOP)
    laptop.open("experiments", name)
    show(laptop, "Next test")
    laptop.click(button)
    cells = laptop.page.get_by_test_id("stMain").locator(".dvn-scroller").first
    cells.wait_for()
    laptop.wait_idle()
    hidden = cells.evaluate("(box) => box.scrollWidth - box.clientWidth")
    assert hidden < NARROWEST


#: What scrolls within the page, down or sideways, in CSS pixels beyond its own size.
INNER = """() => [...document.querySelectorAll("[data-testid='stMain'] *")].filter(
    (box) => {
      const style = getComputedStyle(box);
      const by = (over, more) => /auto|scroll/.test(over) && more > 20;
      return box.clientHeight > 30 && box.clientWidth > 60 &&
        (by(style.overflowY, box.scrollHeight - box.clientHeight) ||
         by(style.overflowX, box.scrollWidth - box.clientWidth));
    }).map((box) => `${box.dataset.testid || box.className}`)"""


def test_many_channels_scroll_with_the_page_only(window, crowd):
    browser = window(**LAPTOP)
    views = {
        "channels": ["Contribution", "Response curves", "Year on year"],
        "plan": [
            "Where the next € goes",
            "Limits",
            "Budgets",
            "By hand",
            "Weeks",
        ],
        "data": [],
        "model": [],
        "forecast": [],
        "report": [],
    }
    found = {}
    for screen, more in views.items():
        browser.turn(screen, crowd)
        browser.expect_charts(1)
        found[screen] = browser.page.evaluate(INNER)
        if screen == "plan":
            browser.unfold("plan.analysts")
        for view in more:
            show(browser, view)
            found[f"{screen}, {view}"] = browser.page.evaluate(INNER)
    assert {name: boxes for name, boxes in found.items() if boxes} == {}


#: Names of visible buttons and fields that a message lies upon.
COVERED = """(message) => {
    const toast = message.getBoundingClientRect();
    return [...document.querySelectorAll("button, input, a")].filter((each) => {
        const box = each.getBoundingClientRect();
        return !message.contains(each) && each.checkVisibility() && box.width > 0 &&
            box.left < toast.right && box.right > toast.left &&
            box.top < toast.bottom && box.bottom > toast.top;
    }).map((each) => each.innerText || each.type); }"""
#: Outline and background of the link in focus, and background of the open page's.
FOCUS = """() => {
    const links = [...document.querySelectorAll("[data-testid='stPageLink-NavLink']")];
    const open = links.find((link) => link.pathname === location.pathname);
    const own = getComputedStyle(document.activeElement);
    return [document.activeElement.dataset.testid, own.outlineStyle,
            own.backgroundColor, getComputedStyle(open).backgroundColor]; }"""


def test_messages_cover_no_button(window, market):
    laptop = window(**LAPTOP)
    laptop.open("plan", market)
    laptop.click("plan.save")
    message = laptop.page.get_by_test_id("stToast").first
    message.wait_for()
    assert message.evaluate(COVERED) == []


def test_focus_does_not_look_like_the_open_page(window, market):
    laptop = window(**LAPTOP)
    laptop.open("plan", market)
    link = laptop.page.get_by_test_id("stPageLink-NavLink").first
    laptop.by_key("menu.project").get_by_role("button").focus()
    laptop.page.keyboard.press("Tab")
    expect(link).to_be_focused()
    _, outline, background, of_open = laptop.page.evaluate(FOCUS)
    assert outline == "solid"
    assert background != of_open


#: What a screen says, fields included; charts are drawn in their own time.
SAID = """() => {
    const main = document.querySelector("[data-testid='stMain']");
    const fields = [...main.querySelectorAll("input")].map((each) => each.value);
    const copy = main.cloneNode(true);
    copy.querySelectorAll(".js-plotly-plot, canvas").forEach((each) => each.remove());
    return [copy.textContent, ...fields]; }"""


#: How long ago the fit was: more by the time the second browser asks.
AGE = re.compile(r"Fit (just now|[^·]*? ago)")


def test_browsers_of_two_languages_read_the_same(window, market):
    ours, theirs = (window(**LAPTOP, locale=locale) for locale in ("en-US", "de-DE"))
    for screen in ("data", "channels", "plan", "forecast"):
        said = []
        for browser in (ours, theirs):
            browser.turn(screen, market)
            browser.expect_charts(1)
            texts = browser.page.evaluate(SAID)
            said.append([AGE.sub("Fit then", text) for text in texts])
        assert screen == "data" or "€" in said[0][0]
        assert said[0] == said[1]
