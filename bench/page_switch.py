"""How long a page switch takes, and how much memory the web process has.

    python -m bench.page_switch HOME PROJECT [N]

HOME is a workspace and PROJECT one of its projects with a finished fit. Have a fit
running beside it, so that both cores are taken. A switch is measured in Chromium from
the click on a link of the side bar to the end of the page's script with its heading
on screen.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from urllib.parse import quote

from playwright.sync_api import expect, sync_playwright

from core.jobs.memory import resident

PORT = 8719
PAGES = ("Data", "Model", "Channels", "Plan", "Forecast", "Report")
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


def switched(page, name: str) -> float:
    """Milliseconds of one switch."""
    app = page.locator("[data-testid='stApp'][data-test-script-state='notRunning']")
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=re.compile(name))
    began = time.perf_counter()
    link.first.click()
    expect(page.get_by_role("heading", name=name, exact=True).first).to_be_visible()
    app.wait_for(state="attached")
    return 1000 * (time.perf_counter() - began)


def main(home: str, project: str, n: int = 5) -> None:
    """Measure and print."""
    server = served(home)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=ARGUMENTS
            )
            page = browser.new_page()
            for _ in range(60):
                time.sleep(1.0)
                try:
                    page.goto(f"http://localhost:{PORT}/data?project={quote(project)}")
                    break
                except Exception as error:  # noqa: BLE001  not up yet
                    refused = error
            else:
                raise SystemExit(f"The server did not start: {refused}")
            page.get_by_role("heading", name="Data", exact=True).first.wait_for()
            for name in PAGES[1:] + PAGES[:1]:
                switched(page, name)  # the first visit reads the results
            taken = {name: [] for name in PAGES}
            for _ in range(n):
                for name in PAGES[1:] + PAGES[:1]:
                    taken[name].append(switched(page, name))
                    page.wait_for_timeout(300)
            every = [one for of_page in taken.values() for one in of_page]
            print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, {n} rounds")
            for name, of_page in taken.items():
                print(f"{name}: {median(of_page):.0f} ms")
            print(f"median {median(every):.0f} ms, slowest {max(every):.0f} ms")
            print(f"web process {resident(server.pid) / 1e6:.0f} MB")
            browser.close()
    finally:
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]))
