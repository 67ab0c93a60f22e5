"""Twenty people at once beside a fit: memory of the web process, time of its scripts.

    python -m bench.browsers HOME PROJECT [SECONDS] [BROWSERS]

HOME is a workspace and PROJECT one of its projects with a finished fit; another fit of
it runs meanwhile. Each browser goes through every screen in turn, 6 to 18 seconds on
each, and opens the address of the project anew after each round, as from a bookmark.
Reported are the web process's resident memory and what every run of the script took of
the web process's processor, which does not depend on what else the machine does.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import numpy as np

from core.jobs.memory import resident

PORT = 8723
#: Screens by their address and their title; the side bar has a link to each.
SCREENS = {
    name: name.capitalize()
    for name in (
        *("data", "model", "experiments", "fit", "channels", "plan"),
        *("forecast", "compare", "report", "history"),
    )
}
#: Seconds that somebody looks at a screen.
STAY = 6.0, 18.0
#: Seconds after which memory should not grow.
SETTLED = 60.0
CHROMIUM = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
CHROMIUM += ("--disable-gpu-rasterization", "--disable-accelerated-2d-canvas")
VIEWPORT = {"width": 1280, "height": 800}
#: Twenty pages that draw spinners sixty times a second take both cores by themselves.
STILL = """document.addEventListener("DOMContentLoaded", () => {
  const style = document.createElement("style");
  style.textContent = "*, *::before, *::after "
    + "{animation: none !important; transition: none !important}";
  document.head.append(style);
})"""
FIT = ("fit", "--draws", "50000", "--chains", "4", "--seed")

#: Follows a link of the side bar; false where there is none yet.
FOLLOW = """(name) => {
  const links = [...document.querySelectorAll("[data-testid='stSidebar'] a")];
  const link = links.find((link) => link.textContent.includes(name));
  if (link) link.click();
  return Boolean(link);
}"""
#: The titles on screen, and whether an error stands there.
SEEN = """() => [
  [...document.querySelectorAll("h1")].map((h) => h.textContent.trim()),
  document.body.textContent.includes("Something went wrong")
    || document.querySelector("[data-testid='stException']") !== null,
]"""


@dataclass
class Person:
    """A browser and what was seen in it.

    Attributes:
        page: The page of the browser.
        at: How many screens were opened.
        due: When the next one is opened, monotonic seconds.
        shown: How many screens had appeared when they were left.
        slow: How many had not.
        errors: How many showed an error.
    """

    page: object
    at: int
    due: float
    shown: int = 0
    slow: int = 0
    errors: int = 0


@dataclass
class Measured:
    """What was measured: seconds since the beginning and bytes of the web process."""

    times: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    load: list[float] = field(default_factory=list)


def serve(log: str, port: str) -> None:
    """The app, with what each run of the script takes written to a file."""
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
    from streamlit.web import cli

    run = ScriptRunner._run_script
    file = open(log, "a", buffering=1)  # noqa: SIM115  as long as the process

    def timed(self, request):
        began, own = time.monotonic(), time.thread_time()
        try:
            run(self, request)
        finally:
            own, wall = time.thread_time() - own, time.monotonic() - began
            part = "fragment" if request.fragment_id_queue else "whole"
            file.write(f"{time.time():.3f} {part} {1e3 * own:.2f} {1e3 * wall:.2f}\n")

    ScriptRunner._run_script = timed
    sys.argv = ["streamlit", "run", "app.py", "--server.port", port]
    cli.main()


def started(home: str, log: Path) -> subprocess.Popen:
    """The server, once it answers."""
    import urllib.request

    command = [sys.executable, "-m", "bench.browsers", "serve", str(log), str(PORT)]
    server = subprocess.Popen(
        command,
        cwd=Path(__file__).parent.parent,
        env=os.environ | {"MIXWRIGHT_HOME": home},
        stdout=subprocess.DEVNULL,
    )
    for _ in range(240):
        time.sleep(0.5)
        try:
            with urllib.request.urlopen(f"http://localhost:{PORT}/_stcore/health"):
                return server
        except OSError:
            continue
    server.kill()
    raise SystemExit("The server did not start.")


def fitting(home: str, project: str, seed: int) -> subprocess.Popen:
    """A long fit of the project."""
    return subprocess.Popen(
        [sys.executable, "-m", "core", *FIT, str(seed), project],
        env=os.environ | {"MIXWRIGHT_HOME": home},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def opened(person: Person, project: str) -> None:
    """Leave a screen and open the next one."""
    names = list(SCREENS)
    name = names[person.at % len(names)]
    if person.at % len(names) == 0 or person.page.url == "about:blank":
        address = f"http://localhost:{PORT}/{name}?project={quote(project)}"
        person.page.goto(address, wait_until="commit")
    elif not person.page.evaluate(FOLLOW, SCREENS[name]):
        person.slow += 1
        return
    person.at += 1


def looked(person: Person) -> None:
    """Note whether the screen that was opened last is there."""
    if person.page.url == "about:blank":
        return
    titles, is_wrong = person.page.evaluate(SEEN)
    last = list(SCREENS.values())[(person.at - 1) % len(SCREENS)]
    person.errors += is_wrong
    person.shown += last in titles
    person.slow += last not in titles


def page_of(chromium) -> object:
    """A page in a browser context of its own."""
    context = chromium.new_context(viewport=VIEWPORT, reduced_motion="reduce")
    context.add_init_script(STILL)
    return context.new_page()


def walked(people: list[Person], project: str, server: int, seconds: float) -> Measured:
    """Everybody goes through the screens for so long."""
    rng, measured = random.Random(1), Measured()
    began = time.monotonic()
    sampled = -1.0
    while (now := time.monotonic() - began) < seconds:
        if now - sampled >= 1.0:
            sampled = now
            measured.times.append(now)
            measured.memory.append(resident(server))
            measured.load.append(os.getloadavg()[0])
        person = min(people, key=lambda person: person.due)
        if person.due > time.monotonic():
            time.sleep(0.1)
            continue
        looked(person)
        opened(person, project)
        person.due = time.monotonic() + rng.uniform(*STAY)
    return measured


def told(measured: Measured, people: list[Person], log: Path, since: float) -> None:
    """Print what was measured."""
    times, memory = np.array(measured.times), np.array(measured.memory) / 1e6
    minute = [
        float(np.mean(memory[times // 60 == n]))
        for n in range(int(times[-1] // 60) + 1)
    ]
    print("resident memory by minute, MB: " + ", ".join(f"{mb:.0f}" for mb in minute))
    later = memory[times >= SETTLED]
    if len(later):
        print(
            f"after {SETTLED:.0f} s: {later[0]:.0f} MB, then {later.min():.0f} to "
            f"{later.max():.0f}, at the end {later[-1]:.0f} MB"
        )
    runs = [line.split() for line in log.read_text().splitlines()]
    parts = {
        "whole runs": lambda run: run[1] == "whole",
        f"whole runs after {SETTLED:.0f} s": lambda run: (
            run[1] == "whole" and float(run[0]) >= since + SETTLED
        ),
        "fragments": lambda run: run[1] == "fragment",
        "whole runs and fragments": lambda run: True,
    }
    for name, belongs in parts.items():
        own, wall = np.array([run[2:] for run in runs if belongs(run)], float).T
        print(
            f"{len(own)} {name}: processor time median {np.median(own):.0f}, p95 "
            f"{np.quantile(own, 0.95):.0f}, most {own.max():.0f} ms; elapsed median "
            f"{np.median(wall):.0f}, p95 {np.quantile(wall, 0.95):.0f} ms"
        )
    shown, slow, errors = (
        sum(getattr(person, what) for person in people)
        for what in ("shown", "slow", "errors")
    )
    print(f"screens: {shown} shown, {slow} not there when left, {errors} with an error")
    print(f"load {np.mean(measured.load):.1f} on {os.cpu_count()} cores")


def main(home: str, project: str, seconds: float = 600.0, browsers: int = 20) -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    from tools.browser import find_chromium

    log = Path(tempfile.mkdtemp(prefix="browsers-")) / "runs.log"
    path = find_chromium()
    server = started(home, log)
    fit = fitting(home, project, 1)
    os.nice(5)  # browsers of other people are on other machines
    try:
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
            people = [Person(page_of(chromium), at, at / 2) for at in range(browsers)]
            for person in people:
                person.due += time.monotonic()
            since = time.time()
            print(f"{browsers} browsers, {seconds:.0f} s", flush=True)
            measured = walked(people, project, server.pid, seconds)
            print(
                f"the fit {'ran throughout' if fit.poll() is None else 'ended early'}"
            )
            told(measured, people, log, since)
            chromium.close()
    finally:
        fit.terminate()
        fit.wait(60)
        server.terminate()
        server.wait(20)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(*sys.argv[2:])
    else:
        main(*sys.argv[1:3], *map(float, sys.argv[3:4]), *map(int, sys.argv[4:5]))
