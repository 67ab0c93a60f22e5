"""From a clean file to the first plan: the one main button of each screen, four times.

Where the fit samples, one with known results takes its place: clicks are counted here,
and fits are tried elsewhere.
"""

import re

import pytest
from e2e_driver import VIEWPORT
from e2e_market import as_csv
from playwright.sync_api import expect

from core.project.fits.runs import list_runs
from core.project.plans.plans import list_plans
from tests.pages import worlds

pytestmark = pytest.mark.timeout(900)

#: Each screen's main button on the way, after the upload.
CLICKS = ("Accept and fit", "See what each channel returned", "Plan the budget")

#: Controls of a plan that a marketer needs: periods, budget, limits, goal, Save.
CONTROLS = 5
BUDGET = 5_500_000.0


def await_fit(app, server) -> None:
    """The fit that was started ends, and one that is finished is there."""
    folder = server.home / "projects" / "First"
    app.by_key("fit.live").wait_for()
    [started] = list_runs(folder, "fit")
    worlds.fit(folder)
    (started.folder / "cancel").touch()
    app.expect_text(re.compile("Verdict: trustworthy"), timeout=300_000)


def test_a_clean_file_becomes_a_plan_in_four_clicks(app, server, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    app.open()
    app.upload("start.upload", as_csv(worlds.table(), "First.csv"))
    app.expect_text(re.compile("First.csv is not saved yet"))
    for label in CLICKS:
        app.wait_idle()
        main = app.page.get_by_test_id("stBaseButton-primary")
        expect(main).to_have_count(1)
        expect(main).to_contain_text(label)
        main.click()
        if label == CLICKS[0]:
            await_fit(app, server)
    expect(app.page.get_by_role("heading", name="Plan", exact=True)).to_be_visible()
    app.expect_text(
        re.compile("Recommended: change the split|Test first|Keep last year")
    )
    app.expect_charts(1)
    folder = server.home / "projects" / "First"
    touched = brief(app)
    app.by_key("plan.save").get_by_role("button").click()
    app.expect_text("Saved plans (1)")
    assert len(touched) + 1 <= CONTROLS
    [plan] = list_plans(folder)
    assert plan.budget == BUDGET
    assert plan.objective.name.startswith("reach:")
    assert all(line.high <= line.current * 1.4001 for line in plan.channels)


def test_the_answer_fits_the_window(app, server, monkeypatch):
    """Question, advice, numbers, table and chart: no scrolling at 1440 by 900."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    worlds.fit(worlds.project("Window"))
    app.open("plan", "Window")
    app.expect_charts(1)
    main = app.page.get_by_test_id("stMain")
    for shown in (
        app.by_key("plan.brief"),
        app.by_key("plan.life"),
        main.locator(".dvn-scroller").first,
        main.locator(".js-plotly-plot").first,
    ):
        box = shown.bounding_box()
        assert box["y"] + box["height"] <= VIEWPORT["height"]
    fields = main.locator("input, textarea").filter(visible=True)
    switches = main.get_by_role("radio").count()
    assert fields.count() - switches <= CONTROLS  # the brief, and the plan's name


def test_back_keeps_the_view(app, server, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    worlds.fit(worlds.project("Back"))
    app.open("plan", "Back")
    for screen, key, view in (
        ("Plan", "plan.over", "By hand"),
        ("Compare", "compare.view", "Fits"),
        ("Forecast", "forecast.view", "Backtest"),
    ):
        app.go(screen)
        app.choose(key, view)
        app.go("Channels")
        app.page.go_back()
        app.wait_idle()
        chosen = app.by_key(key).get_by_role("radio", name=view, exact=True)
        expect(chosen).to_be_checked()


def brief(app) -> list[str]:
    """What a marketer fills in: the keys of the controls that were touched."""
    touched = []
    for key, amount in (
        ("plan.budget.typed", BUDGET),
        ("plan.spread", 40),
        ("plan.goal.typed", 45_000_000),
    ):
        app.fill_number(key, amount)
        touched.append(key)
    app.expect_text(re.compile("to reach 45.0.M.€, baseline included"))
    return touched
