"""From a table to a downloaded plan, as a person would, with real short fits."""

import os
import re
import time
import zipfile

import openpyxl
import pandas as pd
import pytest
from e2e_driver import PATIENCE
from e2e_market import as_csv
from playwright.sync_api import expect
from pptx import Presentation

from core.data.simulate import simulate_market
from core.project.plans.plan_actuals import actuals_template
from core.project.plans.plans import list_plans, plan_of_record
from tests.pages import worlds

#: A fit of a small market, compilation included, on two busy cores.
FIT = 300_000
KEEPS_PICTURES = os.environ.get("MIXWRIGHT_SCREENSHOTS") == "1"

LIFT_TEST = {
    "name": "tests.csv",
    "mimeType": "text/csv",
    "buffer": b"Channel,From,To,Lift,Low,High\n"
    b"TV,2023-02-06,2023-03-19,650000,400000,900000\n",
}

#: What a plan of weeks says whose limits are others than the form's now.
AGAIN = re.compile("Optimise weeks again")
#: Where the box of the first channel's lock is in the table of limits.
LOCK = {"x": 452, "y": 52}
KINDS = ("html", "xlsx", "pptx")
#: Channels of the table that is uploaded.
OWN = ("Tele", "Video", "Search", "Social", "Display", "Radio")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def shorten(app, chains: int = 2, warmup: int = 150, draws: int = 150) -> None:
    """Set the sampler to little; pictures are worth a full fit."""
    if KEEPS_PICTURES:
        return
    app.page.get_by_role("button", name="Settings").click()
    for name, value in {"chains": chains, "warmup": warmup, "draws": draws}.items():
        app.fill_number(f"fit.set.{name}", value)
    app.page.keyboard.press("Escape")
    app.expect_text(f"Draws {draws:,}")


def await_verdict(app) -> None:
    ended = re.compile("Verdict: |Fit (failed|cancelled|lost|ended by the system)")
    app.expect_text(ended, timeout=FIT)
    app.expect_text(re.compile("Verdict: (trustworthy|doubtful|failed)"))
    app.wait_idle()


def test_demo_from_data_to_plan(app):
    app.open()
    app.expect_text("Demo market")
    app.picture("start")
    app.click("start.open.Demo market")
    app.expect_text(re.compile("Good enough for a fit"))
    app.expect_charts(2)
    app.picture("data")

    app.go("Model")
    app.picture("model")
    app.click("model.check")
    app.expect_text(re.compile("[Bb]aseline"), timeout=FIT)
    app.picture("model-checked")

    app.go("Experiments")
    app.expect_text("No lift tests yet")
    app.picture("experiments-empty")
    app.page.get_by_role("button", name="Add test").click()
    app.choose("experiments.form.channel", "TV")
    app.page.reload()
    app.wait_idle()
    app.expect_text("New test")
    chosen = app.by_key("experiments.form.channel").get_by_role("combobox")
    expect(chosen).to_have_value("TV")
    app.click("experiments.form.cancel")
    app.expect_gone("New test")
    app.page.get_by_role("button", name="Upload").click()
    app.upload("experiments.upload", LIFT_TEST)
    app.expect_text(re.compile("90 % interval"))
    app.expect_text("Fit the model to see what each test does to the posterior.")
    app.click("experiments.dismiss")
    app.expect_gone(re.compile("90 % interval"))

    app.go("Fit")
    app.expect_text("Not fitted yet")
    shorten(app)
    app.click("fit.start")
    app.by_key("fit.live").wait_for()
    await_verdict(app)
    app.picture("fit")

    app.go("Channels")
    app.expect_charts(1)
    app.picture("channels")
    for view in ("Contribution", "Response curves", "One channel", "Fit to the data"):
        app.picture(f"channels-{view.lower().replace(' ', '-')}", choose=view)

    app.go("Experiments")
    app.expect_charts(1)
    app.expect_text("What each test did")
    app.picture("experiments")

    app.go("Plan")
    app.expect_charts(1)
    app.picture("plan")
    book = app.plan_file("xlsx")
    assert zipfile.ZipFile(book).testzip() is None
    app.click("plan.save")
    app.wait_idle()
    app.picture("plan-saved")

    app.choose("plan.horizon", "Next 13 weeks")
    app.expect_text(re.compile("as last year"), timeout=FIT)
    app.expect_charts(1)
    app.choose("plan.over", "Weeks")
    app.expect_text("Spend per week that ran")
    app.click("flight.go")
    app.expect_text(re.compile("below the best plan"), timeout=FIT)
    app.expect_charts(2)
    app.picture("plan-weeks", choose="Weeks")

    app.go("Forecast")
    app.expect_charts(2)
    app.page.get_by_text("Odds of other goals").click()
    app.expect_charts(3)
    app.picture("forecast")

    app.go("Report")
    report = app.download("report.html")
    assert "plotly" in report.read_text()[:5_000_000].lower()
    app.picture("report")


def test_own_table_from_upload_to_plan(app, server):
    app.open()
    # Numbers of its own; what the fit of the demo compiled serves this table, too.
    own = simulate_market(8).frame
    own.columns = own.columns.str.replace("TV", "Tele")
    app.upload("start.upload", as_csv(own))
    app.expect_text(re.compile("My sales.csv is not saved yet"))
    assert not (server.home / "projects" / "My sales").exists()
    app.page.keyboard.press("Control+s")
    app.expect_text(re.compile("Good enough for a fit"))
    app.expect_gone(re.compile("is not saved yet"))
    assert (server.home / "projects" / "My sales" / "project.toml").exists()

    app.go("Fit")
    shorten(app)
    app.page.keyboard.press("Control+Enter")
    await_verdict(app)

    app.go("Channels")
    for name in OWN:
        app.expect_in_page(name)

    app.go("Plan")
    app.fill_number("plan.budget.typed", 55_712_345.67)
    table = pd.read_csv(app.plan_file("csv")).set_index("channel")
    assert round(table.planned[[*OWN]].sum(), 2) == 55_712_345.67


@pytest.fixture
def fitted(server, monkeypatch):
    """A project with a finished fit in the server's workspace."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    folder = worlds.project()
    return folder, worlds.fit(folder)


def planned(app, locked: str = "") -> pd.DataFrame:
    """The plan on screen; once it has this channel locked, whose box was clicked."""
    give_up = time.monotonic() + PATIENCE / 1000
    while True:
        app.wait_idle()
        plan = pd.read_csv(app.plan_file("csv")).set_index("channel")
        if not locked or plan.locked[locked] == "yes":
            return plan
        assert time.monotonic() < give_up, plan


def n_weekly_plans(folder) -> int:
    return len(list(folder.glob("runs/*/result/flight.json")))


def slide_texts(deck) -> list[str]:
    return [
        shape.text_frame.text
        for slide in Presentation(deck).slides
        for shape in slide.shapes
        if shape.has_text_frame
    ]


def test_plan_lock_compare_and_send(app, fitted):
    folder, run = fitted
    app.open()
    app.open("plan", worlds.MARKET)
    app.expect_charts(1)
    first = planned(app)
    assert abs(first.multiplier["TV"] - 1) > 0.01
    app.click("plan.save")
    app.expect_text("Saved plans (1)")
    app.unfold("plan.constraints")
    app.press_cell("plan.limits", LOCK)
    second = planned(app, locked="TV")
    assert second.multiplier["TV"] == pytest.approx(1, abs=1e-8)
    assert round(second.planned.iloc[:-1].sum(), 2) == second.planned["Total"]
    app.click("plan.save")
    app.expect_text("Saved plans (2)")
    assert [plan.name for plan in list_plans(folder)] == ["Plan 2", "Plan 1"]
    app.picture("plan-locked")

    app.go("Compare")
    main = app.page.get_by_test_id("stMain")
    main.get_by_role("radio", name="Plans", exact=True).first.click()
    app.page.locator(".js-plotly-plot").nth(1).wait_for()
    app.wait_idle()
    app.picture("compare-plans", choose="Plans")
    app.go("History")
    head, *rows = actuals_template(run).strip().splitlines()
    filled = [f"{row.split(',')[0]},9e5,70000,20000,15000,8000" for row in rows]
    content = "\n".join([head, *filled]).encode()
    file = {"name": "actuals.csv", "mimeType": "text/csv", "buffer": content}
    expect(
        app.page.get_by_test_id("stFileUploader").filter(visible=True)
    ).to_have_count(1)
    app.choose("history.view", "Plan against actuals")
    app.page.get_by_role("button", name="Other actuals").click()
    app.upload("history.actuals.file", file)
    app.expect_text(re.compile("against the plan"))
    app.page.locator(".js-plotly-plot").first.wait_for()
    app.wait_idle()

    app.go("Report")
    html, book, deck = (app.download(f"report.{kind}") for kind in KINDS)
    assert "Plan 2" in html.read_text()
    assert openpyxl.load_workbook(book)["Plan"]["A1"].value == "Plan 2"
    assert any("Plan 2" in text for text in slide_texts(deck))
    assert all(zipfile.ZipFile(file).testzip() is None for file in (book, deck))


def test_next_quarter_from_horizon_to_slides(app, server):
    """One plan of the demo: horizon, lock, weeks, odds, comparison, record, slides."""
    folder = server.home / "projects" / "Demo market"
    app.open()
    app.click("start.open.Demo market")
    app.wait_idle()
    app.go("Fit")
    if not list(folder.glob("runs/*/result")):  # the first test of this file fits it
        shorten(app)
        app.click("fit.start")
        await_verdict(app)
    before = len(list_plans(folder))

    app.go("Plan")
    app.choose("plan.horizon", "Next 13 weeks")
    app.expect_text(re.compile("as last year"), timeout=FIT)
    app.expect_charts(1)
    free = planned(app)
    name = free.index[0]
    app.unfold("plan.constraints")
    app.press_cell("plan.limits", LOCK)
    assert free.locked[name] != "yes"
    channels = planned(app, locked=name)
    assert channels.multiplier[name] == pytest.approx(1, abs=1e-8)
    app.expect_text(re.compile("to reach .*baseline included"))  # odds of the goal

    app.choose("plan.over", "Weeks")
    if earlier := n_weekly_plans(folder):  # of the test before, with nothing locked
        app.expect_text(AGAIN)
    app.click("flight.go")
    give_up = time.monotonic() + FIT / 1000
    while n_weekly_plans(folder) == earlier and time.monotonic() < give_up:
        app.page.wait_for_timeout(200)
    app.by_key("flight.cancel").wait_for(state="detached")
    app.wait_idle()
    app.expect_text(re.compile("below the best plan"), timeout=FIT)
    app.expect_gone(AGAIN)
    app.expect_charts(2)
    app.expect_text(re.compile("Gain over the same weeks last year"))
    app.wait_idle()
    app.click("plan.save")
    app.expect_text(f"Saved plans ({before + 1})")
    plan = list_plans(folder)[0]
    assert (plan.over, plan.horizon.periods) == ("weeks", 13)
    assert plan.money[name] == pytest.approx(channels.planned[name], abs=3)

    app.go("Compare")
    main = app.page.get_by_test_id("stMain")
    main.get_by_role("radio", name="Plans", exact=True).first.click()
    app.page.locator(".js-plotly-plot").nth(1).wait_for()
    app.wait_idle()
    app.expect_in_page("Gain over its comparison")
    app.go("Plan")
    app.page.get_by_role("button", name="Mark as plan of record").first.click()
    app.expect_text(re.compile("Of record"))
    app.wait_idle()
    assert plan_of_record(folder) == plan.plan_id

    app.go("Report")
    texts = slide_texts(app.download("report.pptx"))
    assert any(plan.title in text for text in texts)
