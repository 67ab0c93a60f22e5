"""From a table to a downloaded plan, as a person would, with real short fits."""

import os
import re
import zipfile

import pandas as pd
import pytest
from e2e_market import as_csv, market

#: A fit of a small market, compilation included, on two busy cores.
FIT = 300_000
KEEPS_PICTURES = os.environ.get("MIXWRIGHT_SCREENSHOTS") == "1"

LIFT_TEST = {
    "name": "tests.csv",
    "mimeType": "text/csv",
    "buffer": b"Channel,From,To,Lift,Low,High\n"
    b"TV,2023-02-06,2023-03-19,650000,400000,900000\n",
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def shorten(app, chains: int = 2, warmup: int = 150, draws: int = 150) -> None:
    """Set the sampler to little; pictures are worth a full fit."""
    if KEEPS_PICTURES:
        return
    app.page.get_by_role("button", name="Settings").click()
    for name, value in {"chains": chains, "warmup": warmup, "draws": draws}.items():
        app.fill_number(f"fit.set.{name}", value)
    app.page.keyboard.press("Escape")
    app.expect_text(f"{chains} chains of {warmup:,} warm-up and {draws:,} kept draws")


def await_verdict(app) -> None:
    ended = re.compile("Verdict: |Fit (failed|cancelled|lost|ended by the system)")
    app.expect_text(ended, timeout=FIT)
    app.expect_text(re.compile("Verdict: (trustworthy|doubtful|failed)"), timeout=5000)
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
    app.page.get_by_role("button", name="From a file").click()
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
    book = app.download("plan.xlsx")
    assert zipfile.ZipFile(book).testzip() is None
    app.click("plan.save")
    app.wait_idle()
    app.picture("plan-saved")

    app.go("Report")
    report = app.download("report.html")
    assert "plotly" in report.read_text()[:5_000_000].lower()
    app.picture("report")


def test_own_table_from_upload_to_plan(app, server):
    app.open()
    app.upload("start.upload", as_csv(market()))
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
    for name in ("TV", "Search", "Social"):
        app.expect_in_page(name)

    app.go("Plan")
    app.fill_number("plan.budget", 1_234_567.89)
    table = pd.read_csv(app.download("plan.csv")).set_index("channel")
    assert round(table.planned[["TV", "Search", "Social"]].sum(), 2) == 1_234_567.89
