"""Thirty people, signed in, on one server beside a fit, without a browser's drawing.

    python -m bench.sessions HOME PROJECT [SECONDS] [PEOPLE]

HOME is a workspace without sign-in and PROJECT one of its projects with a finished fit;
another fit of it runs meanwhile. Each person is a web socket that speaks Streamlit's
protocol, named by a proxy's header: opens a screen, takes in all that is sent, asks for
fragments when their reruns are due, and goes on to another screen
after 6 to 18 seconds. What is left out is the browser: its drawing takes more than two
cores for thirty, and would be measured instead of the server.
"""

import asyncio
import os
import random
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import numpy as np
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.util import calc_hash

from bench.browsers import PORT, SETTLED, STAY, fitting, started
from core.jobs.memory import resident
from core.jobs.status import status

SCREENS = ("data", "model", "experiments", "fit", "channels", "plan", "forecast")
SCREENS += ("compare", "report", "history")
HEADER = "X-Forwarded-Email"
ACCESS = f"""sign_in = "proxy"
default = "planner"
[proxy]
header = "{HEADER}"
addresses = ["127.0.0.1"]
"""
#: A screen that takes longer is given up.
PATIENCE = 60.0
_WENT_WRONG = "Something went wrong"


@dataclass
class Person:
    """Somebody with one tab open.

    Attributes:
        name: As the proxy says it.
        seconds: What every change of screen took, until its script had ended.
        late: How many of them were given up.
        missing: How many ended without the screen's title.
        errors: What went wrong, in the server's words.
        redrawn: How often a fragment was rerun.
    """

    name: str
    seconds: list[float] = field(default_factory=list)
    late: int = 0
    missing: int = 0
    errors: list[str] = field(default_factory=list)
    redrawn: int = 0
    _due: dict[str, tuple[float, float]] = field(default_factory=dict)
    _titles: set[str] = field(default_factory=set)
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self, project: str, until: float, first: int) -> None:
        """Go through the screens until a time, monotonic seconds."""
        rng = random.Random(first)
        await asyncio.sleep(first / 2)
        address = f"ws://127.0.0.1:{PORT}/_stcore/stream"
        connection = websockets.connect(
            address,
            subprotocols=["streamlit"],
            additional_headers={HEADER: self.name},
            max_size=None,
            ping_interval=None,
        )
        async with connection as socket:
            listening = asyncio.create_task(self._listen(socket))
            try:
                at = first
                while time.monotonic() < until:
                    await self._open(socket, SCREENS[at % len(SCREENS)], project)
                    await self._stay(socket, project, rng.uniform(*STAY), at)
                    at += 1
            finally:
                listening.cancel()
                with suppress(asyncio.CancelledError):
                    await listening

    async def _open(self, socket, screen: str, project: str) -> None:
        """Change to a screen, and wait until its script has ended."""
        self._due.clear()
        self._titles.clear()
        self._ended.clear()
        began = time.monotonic()
        await socket.send(_request(screen, project))
        try:
            await asyncio.wait_for(self._ended.wait(), PATIENCE)
        except TimeoutError:
            self.late += 1
            return
        self.seconds.append(time.monotonic() - began)
        self.missing += screen.capitalize() not in self._titles

    async def _stay(self, socket, project: str, seconds: float, at: int) -> None:
        """Look at a screen, whose live parts are asked for when they are due."""
        leave = time.monotonic() + seconds
        while (now := time.monotonic()) < leave:
            for part, (due, interval) in list(self._due.items()):
                if due <= now:
                    screen = SCREENS[at % len(SCREENS)]
                    self._due[part] = (now + interval, interval)
                    self.redrawn += 1
                    await socket.send(_request(screen, project, part))
            await asyncio.sleep(0.2)

    async def _listen(self, socket) -> None:
        """Take in what the server sends."""
        async for content in socket:
            self._hear(ForwardMsg.FromString(content))

    def _hear(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "script_finished":
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                self._ended.set()
        elif kind == "auto_rerun":
            interval = message.auto_rerun.interval
            part = message.auto_rerun.fragment_id
            self._due.setdefault(part, (time.monotonic() + interval, interval))
        elif kind == "stop_auto_rerun":
            self._due.pop(message.stop_auto_rerun.fragment_id, None)
        elif kind == "delta":
            element = message.delta.new_element
            shown = element.WhichOneof("type")
            if shown == "exception":
                self.errors.append(element.exception.message)
            elif shown == "heading" and element.heading.tag == "h1":
                self._titles.add(element.heading.body)
            elif shown == "alert" and _WENT_WRONG in str(element.alert):
                self.errors.append(element.alert.body)


def _request(screen: str, project: str, part: str = "") -> bytes:
    """What a browser sends to see a screen, or to rerun a fragment."""
    message = BackMsg()
    state = message.rerun_script
    state.query_string = f"project={quote(project)}"
    state.page_script_hash = calc_hash(screen)
    state.page_name = "" if part else screen
    state.fragment_id, state.is_auto_rerun = part, bool(part)
    state.context_info.timezone, state.context_info.locale = "UTC", "en-GB"
    state.context_info.url = f"http://127.0.0.1:{PORT}/{screen}"
    return message.SerializeToString()


async def _sampled(server: int, until: float) -> tuple[np.ndarray, float]:
    """Seconds and resident bytes of the web process, and the machine's mean load."""
    began, samples, load = time.monotonic(), [], []
    while (now := time.monotonic()) < until:
        samples.append((now - began, resident(server)))
        load.append(os.getloadavg()[0])
        await asyncio.sleep(1)
    return np.array(samples), float(np.mean(load))


async def _measured(people: list[Person], project: str, server: int, seconds: float):
    until = time.monotonic() + seconds
    work = [person.work(project, until, at) for at, person in enumerate(people)]
    sampled, *_ = await asyncio.gather(_sampled(server, until), *work)
    return sampled


def _say(people: list[Person], samples: np.ndarray, load: float, log: Path) -> None:
    """Print what was measured."""
    seconds = np.array([each for person in people for each in person.seconds])
    print(
        f"{len(seconds)} changes of screen: median {np.median(seconds):.2f} s, p95 "
        f"{np.quantile(seconds, 0.95):.2f} s, most {seconds.max():.2f} s; "
        f"{sum(person.late for person in people)} given up after {PATIENCE:.0f} s, "
        f"{sum(person.missing for person in people)} without the screen"
    )
    runs = [line.split() for line in log.read_text().splitlines()]
    own = np.array([float(run[2]) for run in runs if run[1] == "whole"])
    print(
        f"processor time of a whole run of the script: median {np.median(own):.0f} ms, "
        f"p95 {np.quantile(own, 0.95):.0f} ms; "
        f"{sum(person.redrawn for person in people)} fragment reruns"
    )
    times, memory = samples[:, 0], samples[:, 1] / 1e6
    settled = min(SETTLED, times[-1] / 2)
    later = memory[times >= settled]
    print(
        f"resident memory after {settled:.0f} s: {later[0]:.0f} MB, "
        f"then {later.min():.0f} to {later.max():.0f}, at the end {later[-1]:.0f} MB"
    )
    errors = [error for person in people for error in person.errors]
    print(f"{len(errors)} errors on screen", *sorted(set(errors))[:5], sep="\n  ")
    print(f"load {load:.1f} on {os.cpu_count()} cores")


def _lost(folder: Path) -> list[str]:
    """Runs that ended otherwise than asked."""
    wrong = ("failed", "lost", "killed")
    found = {run.name: status(run).state for run in (folder / "runs").iterdir()}
    return [f"{name}: {state}" for name, state in found.items() if state in wrong]


def main(home: str, project: str, seconds: float = 600.0, number: int = 30) -> None:
    """Measure and print."""
    access = Path(home, "access.toml")
    if access.exists():
        raise SystemExit(f"{access} exists: use a workspace without sign-in.")
    log = Path(tempfile.mkdtemp(prefix="sessions-")) / "runs.log"
    access.write_text(ACCESS)
    server = started(home, log)
    fit = fitting(home, project, 1)
    os.nice(5)  # people are on other machines
    people = [Person(f"p{at}@example.com") for at in range(number)]
    try:
        print(f"{number} people, {seconds:.0f} s", flush=True)
        sampled = asyncio.run(_measured(people, project, server.pid, seconds))
        print(f"the fit {'ran throughout' if fit.poll() is None else 'ended early'}")
        print("runs lost:", _lost(Path(home, "projects", project)) or "none")
        _say(people, *sampled, log)
    finally:
        fit.terminate()
        fit.wait(60)
        server.terminate()
        server.wait(20)
        access.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(float, sys.argv[3:4]), *map(int, sys.argv[4:5]))
