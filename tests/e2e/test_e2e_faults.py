"""What goes wrong: bad files, a closed browser, a server that restarts."""

import json
import os
import re
import signal
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from e2e_market import as_csv, file, market
from test_e2e_journey import FIT, await_verdict, shorten

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

GOOD = market(30)
BAD = {
    "empty": (file("empty.csv", b""), "empty.csv"),
    "header": (file("header.csv", b"week,revenue,TV_spend\n"), "header.csv"),
    "binary": (file("binary.csv", bytes(range(256)) * 40), "binary.csv"),
    "not-a-workbook": (file("book.xlsx", b"PK\x03\x04 nothing"), "book.xlsx"),
    "doubled-column": (
        file("twice.csv", b"week,revenue,revenue\n2024-01-01,1,2\n"),
        "revenue",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_gets_a_message_and_the_app_stays_up(app, server, case):
    given, culprit = BAD[case]
    before = sorted((server.home / "projects").glob("*"))
    app.open()
    app.upload("start.upload", given)
    alert = app.page.get_by_test_id("stMain").get_by_test_id("stAlert")
    alert.filter(has_text=culprit).first.wait_for()
    app.wait_idle()
    app.expect_text("Demo market")
    assert sorted((server.home / "projects").glob("*")) == before or not before


def test_text_in_a_number_column_blocks_and_says_where(app):
    table = GOOD.astype({"TV_spend": object})
    table.loc[3, "TV_spend"] = "n/a?"
    app.open()
    app.upload("start.upload", as_csv(table, "Text.csv"))
    app.expect_text(re.compile("blocks? a fit"))
    app.expect_text(re.compile("TV_spend"))


def test_names_like_formulas_and_html_are_shown_as_they_are(app):
    table = GOOD.rename(
        columns={
            "TV_spend": "=1+1_spend",
            "TV_impressions": "=1+1_impressions",
            "Social_spend": "<b onclick=alert(1)>Fernsehen Süd</b>_spend",
            "Social_impressions": "<b onclick=alert(1)>Fernsehen Süd</b>_impressions",
        }
    )
    table["revenue"] = np.abs(table["revenue"])
    app.open()
    app.upload("start.upload", as_csv(table, "Ünïcode =1+1.csv"))
    app.expect_text(re.compile("is not saved yet"))
    assert app.page.locator("b[onclick]").count() == 0


def state_of(run) -> str:
    return json.loads((run / "state.json").read_text())["state"]


@contextmanager
def held(run):
    """The run's worker stands still meanwhile, so that it is at work until the end."""
    give_up = time.monotonic() + FIT / 1000
    while not (found := processes(run)):
        assert time.monotonic() < give_up, "no process fits"
        time.sleep(0.05)
    for pid in found:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in found:
            os.kill(pid, signal.SIGCONT)


def processes(run) -> list[int]:
    """Those that fit for a run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
            if ".worker\0" in command and run.name in command:
                found.append(int(folder.name))
    return found


def test_run_survives_closed_browser_and_restarted_server(browsers, server):
    project = "Demo market"
    app = browsers()
    app.open()
    app.expect_text(project)
    app.open("fit", project)
    shorten(app)
    app.click("fit.start")
    app.by_key("fit.live").wait_for()
    [run] = server.runs(project)
    with held(run):
        app.context.close()

        second = browsers()
        second.open("fit", project)
        second.by_key("fit.live").wait_for()
        assert state_of(run) in ("queued", "starting", "running")

        second.expects_outage = True
        server.stop()
        assert state_of(run) in ("queued", "starting", "running")
        server.start()
        second.context.close()

    third = browsers()
    third.open("fit", project)
    await_verdict(third)
    assert server.runs(project) == [run]
    assert state_of(run) == "done"


def test_cancel_stops_the_run_and_it_can_go_on(app, server):
    project = "Demo market"
    app.open()
    app.expect_text(project)
    app.open("fit", project)
    shorten(app, warmup=2000, draws=2000)
    app.click("fit.start")
    app.by_key("fit.live").wait_for()
    app.click("fit.cancel")
    app.expect_text(re.compile("Fit (cancelled|stopped)"), timeout=FIT)
    app.wait_idle()
    assert app.by_key("fit.start").get_by_role("button").first.is_enabled()
    app.by_key("fit.resume").wait_for()
    assert state_of(server.runs(project)[-1]) == "cancelled"
