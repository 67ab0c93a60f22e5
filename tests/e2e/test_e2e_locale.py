"""Browsers of two countries: one project reads the same, dates are typed as at home."""

from dataclasses import replace

import pytest
from e2e_market import file
from e2e_server import Server
from playwright.sync_api import expect

from core.charts.drawing import style
from core.project.settings.project import load_project, save_project
from tests.pages import worlds

ARRAYS = "\n".join(
    ["channel_0,channel_1,target"]
    + [f"{n % 7 * 3.5},{n % 5 * 2.5},{900 + n % 13}" for n in range(60)]
)


@pytest.fixture(scope="module")
def server(tmp_path_factory, compiled):
    """A server with a fitted project that is written in German."""
    server = Server(tmp_path_factory.mktemp("e2e") / "home")
    server.make_workspace(compiled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(server.home))
        folder = worlds.project()
        worlds.fit(folder)
        save_project(folder, replace(load_project(folder), locale="de"))
    with server.running():
        yield server


def test_two_browsers_read_the_same_numbers_of_a_project(window):
    shown = []
    for locale in ("en-US", "de-DE"):
        app = window(locale=locale)
        app.open("channels", worlds.MARKET)
        app.expect_charts(1)
        values = app.page.get_by_test_id("stMetricValue").all_inner_texts()
        ticks = app.page.locator(".js-plotly-plot .xtick text").all_text_contents()
        shown.append((values, ticks))
    assert shown[0] == shown[1]
    values, ticks = shown[0]
    assert any("," in value for value in values) and "." not in values[2]
    assert not any("." in tick for tick in ticks)


@pytest.mark.parametrize(
    ("locale", "typed"),
    [("en-US", "03/04/2024"), ("de-DE", "04.03.2024"), ("en-GB", "04/03/2024")],
)
def test_a_date_is_typed_as_at_home(window, locale, typed):
    app = window(locale=locale)
    app.open("data")
    app.upload("data.upload", file("arrays.csv", ARRAYS.encode()))
    app.expect_text("has no column of dates")
    parts = app.page.get_by_test_id("stDateInput").get_by_role("spinbutton")
    parts.first.focus()
    app.page.keyboard.type(typed, delay=30)
    app.page.keyboard.press("Escape")  # the calendar
    app.page.get_by_role("heading", name="Data", exact=True).click()
    app.page.get_by_test_id("stExpander").get_by_text("note").first.click()
    app.expect_text("60 weeks are counted from 4 Mar 2024")


def test_charts_follow_the_theme_when_it_is_changed(window):
    app = window(locale="de-DE", color_scheme="light")
    app.open("channels", worlds.MARKET)
    app.expect_charts(1)
    title = app.page.locator(".js-plotly-plot .gtitle").first
    for scheme in ("dark", "light"):
        app.page.emulate_media(color_scheme=scheme)
        ink = style.palette(scheme).ink
        rgb = ", ".join(str(int(ink[i : i + 2], 16)) for i in (1, 3, 5))
        expect(title).to_have_css("fill", f"rgb({rgb})")
