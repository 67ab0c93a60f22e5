"""How long a page switch takes, and how much memory the web process has.

    python -m bench.page_switch HOME PROJECT [N]

HOME is a workspace and PROJECT one of its projects with a finished fit. Have a fit
running beside it, so that both cores are taken. A switch is measured in Chromium from
the click on a link of the side bar until its charts are drawn and its script has
ended, with the processor time of the web process and of the browser.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from core.jobs.memory import resident

PORT = 8719
PAGES = (
    *("Data", "Model", "Experiments", "Channels", "Plan"),
    *("Flighting", "Forecast", "Compare", "Report"),
)
#: Beginning and ending on Data.
ORDER = PAGES[1:] + PAGES[:1]
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
CHROMIUM = "/usr/bin/chromium"


def served(home: str) -> subprocess.Popen:
    """The app on a port of its own."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless"]
    command += ["true", "--server.port", str(PORT)]
    return subprocess.Popen(
        command,
        cwd=Path(__file__).parent.parent,
        env=os.environ | {"MIXWRIGHT_HOME": home},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


#: From the click until the heading is there, the script has ended, nothing is a
#: placeholder and every chart is drawn; looked at in the page, each frame.
SWITCH = """(name) => new Promise((done) => {
  const all = (what) => [...document.querySelectorAll(what)];
  const links = all("[data-testid='stSidebar'] a");
  const began = performance.now();
  let ended = null;
  const look = () => {
    const now = performance.now() - began;
    const app = document.querySelector("[data-testid='stApp']");
    const there = all("h1").some((h) => h.textContent.trim() === name);
    const over = app.dataset.testScriptState === "notRunning";
    if (there && over && ended === null) ended = now;
    const drawn = all("[data-testid='stPlotlyChart']").every(
      (chart) => chart.querySelector("svg.main-svg"));
    const waits = all("[data-testid='stMain'] [data-testid='stSkeleton']").length;
    if (ended !== null && drawn && !waits || now > 30000) done([ended, now]);
    else requestAnimationFrame(look);
  };
  links.find((link) => link.textContent.includes(name)).click();
  requestAnimationFrame(look);
})"""


def cpu_of_server(server: subprocess.Popen) -> float:
    """Milliseconds of processor time so far."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return 1000 * sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def cpu_of_browser(browser) -> float:
    """Milliseconds of processor time so far, of all its processes."""
    session = browser.new_browser_cdp_session()
    told = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return 1000 * sum(process["cpuTime"] for process in told)


def opened(browser, project: str):
    """A page of the project, every screen visited once: the first reads results."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    address = f"http://localhost:{PORT}/data?project={quote(project)}"
    for _ in range(60):
        time.sleep(1.0)
        try:
            page.goto(address)
            break
        except Exception as error:  # noqa: BLE001  not up yet
            refused = error
    else:
        raise SystemExit(f"The server did not start: {refused}")
    page.get_by_role("heading", name="Data", exact=True).first.wait_for()
    side = page.get_by_test_id("stSidebar")
    side.get_by_role("link", name=re.compile("Report")).wait_for()
    page.wait_for_timeout(5000)
    for name in ORDER:
        page.evaluate(SWITCH, name)
    return page


def measured(server: subprocess.Popen, browser, page, name: str) -> tuple[float, ...]:
    """Milliseconds: drawn, script ended, processor time of server and of browser."""
    page.wait_for_timeout(500)
    before = cpu_of_server(server), cpu_of_browser(browser)
    ended, drawn = page.evaluate(SWITCH, name)
    after = cpu_of_server(server), cpu_of_browser(browser)
    return drawn, ended, after[0] - before[0], after[1] - before[1]


def main(home: str, project: str, n: int = 5) -> None:
    """Measure and print."""
    server = served(home)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=ARGUMENTS
            )
            page = opened(browser, project)
            taken = {name: [] for name in PAGES}
            for _ in range(n):
                for name in ORDER:
                    taken[name].append(measured(server, browser, page, name))
            every = [one[0] for rows in taken.values() for one in rows]
            print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {n} rounds")
            for name, rows in taken.items():
                drawn, ended, web, shown = map(median, zip(*rows, strict=True))
                print(
                    f"{name}: {drawn:.0f} ms, script ended after {ended:.0f}; processor"
                    f" time {web:.0f} server, {shown:.0f} browser"
                )
            print(f"median {median(every):.0f} ms, slowest {max(every):.0f} ms")
            print(f"web process {resident(server.pid) / 1e6:.0f} MB")
            browser.close()
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]))
