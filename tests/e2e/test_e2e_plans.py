"""Plan, lock, save, compare, what came of it, download all three; a fit is there."""

import re
import zipfile

import openpyxl
import pandas as pd
import pytest
from pptx import Presentation

from core.workspace.plan_actuals import actuals_template
from core.workspace.plans import list_plans
from tests.pages import worlds

#: Where the box of the first channel's lock is in the table of limits.
LOCK = {"x": 378, "y": 52}
KINDS = ("html", "xlsx", "pptx")


@pytest.fixture
def market(server, monkeypatch):
    """A project with a finished fit in the server's workspace."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(server.home))
    folder = worlds.project()
    return folder, worlds.fit(folder)


def planned(app) -> pd.DataFrame:
    return pd.read_csv(app.download("plan.csv")).set_index("channel")


def test_plan_lock_compare_and_send(app, market):
    folder, run = market
    app.open()
    app.click(f"start.open.{worlds.MARKET}")
    app.expect_text(re.compile("Good enough for a fit"))
    app.go("Plan")
    app.expect_charts(1)
    first = planned(app)
    assert abs(first.multiplier["TV"] - 1) > 0.01
    app.click("plan.save")
    app.expect_text("Saved plans (1)")
    app.by_key("plan.limits").locator(".dvn-scroller").click(position=LOCK)
    app.page.wait_for_timeout(500)  # until the click has reached the server
    app.wait_idle()
    second = planned(app)
    assert second.locked["TV"] == "yes" and second.multiplier["TV"] == 1
    assert round(second.planned.iloc[:-1].sum(), 2) == second.planned["Total"]
    app.click("plan.save")
    app.expect_text("Saved plans (2)")
    assert [plan["name"] for plan in list_plans(folder)] == ["Plan 2", "Plan 1"]
    app.picture("plan-locked")

    app.go("Compare")
    main = app.page.get_by_test_id("stMain")
    main.get_by_role("radio", name="Plans", exact=True).first.click()
    app.page.locator(".js-plotly-plot").nth(1).wait_for()
    head, *rows = actuals_template(run).strip().splitlines()
    filled = [f"{row.split(',')[0]},9e5,70000,20000,15000,8000" for row in rows]
    content = "\n".join([head, *filled]).encode()
    file = {"name": "actuals.csv", "mimeType": "text/csv", "buffer": content}
    app.upload("compare.actuals.file", file)
    app.page.locator(".js-plotly-plot").nth(2).wait_for()
    app.wait_idle()

    app.go("Report")
    html, book, deck = (app.download(f"report.{kind}") for kind in KINDS)
    assert "Plan 2" in html.read_text()
    assert openpyxl.load_workbook(book)["Plan"]["A1"].value == "Plan 2"
    titles = [slide.shapes.title.text for slide in Presentation(deck).slides]
    assert "Plan 2" in titles
    assert all(zipfile.ZipFile(file).testzip() is None for file in (book, deck))
