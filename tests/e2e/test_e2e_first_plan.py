"""From a clean file to the first plan: the one main button of each screen, four times.

Where the fit samples, one with known results takes its place: clicks are counted here,
and fits are tried elsewhere.
"""

import re

import pytest
from e2e_market import as_csv
from playwright.sync_api import expect

from core.project.fits.runs import list_runs
from tests.pages import worlds

pytestmark = pytest.mark.timeout(900)

#: Each screen's main button on the way, after the upload.
CLICKS = ("Accept and fit", "See what each channel returned", "Plan the budget")


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
    app.expect_charts(2)
