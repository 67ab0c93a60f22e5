"""Attempts to do what a role must not: functions, command line, addresses, buttons.

`python -m tests.pages.attempts` makes a workspace, tries them all and prints how many
there were, how many were refused, and how many of those are in the audit log.
"""

import contextlib
import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from core.cli.main import main as command
from core.errors import MMMError
from core.experiments.kept import KeptTest
from core.jobs import executor
from core.plan.record.plan_record import with_details
from core.project.fits import pruning, runs
from core.project.fits.run_inputs import new_run
from core.project.lift_tests import lift_tests
from core.project.plans import plans
from core.project.settings.project import load_project, save_project
from core.project.settings.project_data import replace_data, replace_table
from core.project.shelf.lifecycle import (
    create_project,
    delete_project,
    duplicate_project,
    rename_project,
)
from core.service.plans import plan as planned
from core.service.projects import approvals
from core.store.run_state import write_state
from core.team import audit, identity
from core.team.identity import NOBODY, Person
from core.team.membership import change_members
from core.team.roles import Role
from pages.access import signed_in
from pages.access.signed_in import Standing
from pages.shell import sign_in
from tests.pages import worlds
from tests.plan.records import record

APP = Path(__file__).parents[2] / "app.py"
MEMBERS = '[members]\n"anna@x.org" = "admin"\n"paul@x.org" = "planner"\n'
MEMBERS += '"vera@x.org" = "viewer"\n"rita@x.org" = "none"\n'
ACCESS = 'sign_in = "oidc"\nadmins = ["boss@x.org"]\n'
#: A viewer, somebody without a role, somebody removed, nobody.
SMALL = ("vera@x.org", "eve@x.org", "rita@x.org", "")
#: Names that lead elsewhere, or are none.
ESCAPES = ("../../etc", "..", "/etc/passwd", "a/b", "C:\\x", "x\0y", "-rf ", "a" * 300)


@dataclass(frozen=True)
class Attempt:
    """One attempt.

    Attributes:
        way: By function, command, address or button.
        who: Name of the person.
        what: What is tried.
        act: Tries it; whether it is refused is seen from what changed and the log.
        reaches_us: Whether Mixwright hears of it: Streamlit drops what a browser sends
            for a button that is disabled by then.
    """

    way: str
    who: str
    what: str
    act: Callable[[], object]
    reaches_us: bool = True


class World:
    """A workspace with a fitted project that the attempts are about.

    Args:
        shop: The project's folder.
    """

    def __init__(self, shop: Path):
        self.shop, self.home = shop, shop.parents[1]
        self.run = runs.list_runs(shop, "fit")[0]
        self.ended = new_run(shop)
        write_state(self.ended, "cancelled")
        self.ready = new_run(shop)
        self.project = load_project(shop)
        self.test_id = lift_tests.keep_lift_test(shop, KeptTest(name="Test"))
        plan = planned(runs.latest_fit(shop))
        self.plan_id = plans.save_plan(shop, with_details(plan, name="Spring")).plan_id
        approvals.propose_plan(shop, self.plan_id)
        (shop / "members.toml").write_text(MEMBERS)
        (self.home / "access.toml").write_text(ACCESS)

    def looks(self) -> str:
        """What every file of the workspace is, but for the log and marks of reading."""
        digest = hashlib.sha256()
        for path in sorted(self.home.rglob("*")):
            apart = path.name in (audit.FILE, "lock", "seen") or ("cache" in path.parts)
            if path.is_file() and not apart and not path.name.startswith("."):
                digest.update(str(path).encode() + path.read_bytes())
        return digest.hexdigest()

    def refusals(self) -> int:
        """How many refusals the log has."""
        return sum(entry.outcome == "refused" for entry in audit.entries())


def as_person(name: str) -> None:
    """Have the browser, and functions, be somebody's."""
    known = Standing(Person(name, "sign-in") if name else NOBODY)
    signed_in.person = lambda: known.person
    sign_in.standing = lambda settings: known
    identity.set_sign_in(signed_in.person)


# --- by function, as screens and notebooks call them --------------------------------


def functions(world: World) -> Iterator[Attempt]:
    """What needs a planner, an admin, or a role in the workspace."""
    shop, plan_id, run = world.shop, world.plan_id, world.ready
    frame, mapping = worlds.table(20), worlds.mapping()
    planner: dict[str, Callable[[], object]] = {
        "save project": lambda: save_project(shop, world.project),
        "replace table": lambda: replace_data(shop, frame),
        "replace table and mapping": lambda: replace_table(
            shop, frame, world.project, base_sha=""
        ),
        "save plan": lambda: plans.save_plan(shop, record(name="x")),
        "plan of record": lambda: plans.mark_plan(shop, plan_id),
        "no plan of record": lambda: plans.mark_plan(shop, None),
        "rename plan": lambda: plans.rename_plan(shop, plan_id, "x", ""),
        "delete plan": lambda: plans.delete_plan(shop, plan_id),
        "create run": lambda: new_run(shop),
        "start run": lambda: executor.submit(run),
        "resume run": lambda: executor.submit(world.ended, resume=True),
        "start runs": lambda: executor.submit_all([run]),
        "keep test": lambda: lift_tests.keep_lift_test(shop, KeptTest(name="x")),
        "change test": lambda: lift_tests.change_lift_test(shop, world.test_id, {}),
        "delete test": lambda: lift_tests.delete_lift_test(shop, world.test_id),
        "propose": lambda: approvals.propose_plan(shop, plan_id),
        "comment": lambda: approvals.comment_plan(shop, plan_id, "x"),
        "approve": lambda: approvals.approve_plan(shop, plan_id),
        "decline": lambda: approvals.decline_plan(shop, plan_id),
    }
    admin: dict[str, Callable[[], object]] = {
        "delete run": lambda: runs.delete_run(shop, world.ended.name),
        "prune": lambda: pruning.prune(shop, runs.list_runs(shop)),
        "rename": lambda: rename_project(shop.name, "Mine"),
        "delete": lambda: delete_project(shop.name),
        "make oneself admin": lambda: change_members(
            shop, {identity.who().name or "me": Role.ADMIN}
        ),
        "open to all": lambda: change_members(shop, {"default": Role.ADMIN}),
    }
    workspace: dict[str, Callable[[], object]] = {
        "create": lambda: create_project("Mine", frame, mapping),
        "duplicate": lambda: duplicate_project(shop.name, "Copy"),
    }
    for who in SMALL:
        for what, act in (planner | admin | workspace).items():
            yield Attempt("function", who, what, act)
    for what, act in (admin | workspace).items():
        yield Attempt("function", "paul@x.org", what, act)


def escapes(world: World) -> Iterator[Attempt]:
    """An admin, by names of projects, runs and plans that lead elsewhere."""
    shop, frame, mapping = world.shop, worlds.table(20), worlds.mapping()
    by_name: dict[str, Callable[[str], object]] = {
        "delete": delete_project,
        "rename to": lambda name: rename_project(shop.name, name),
        "duplicate to": lambda name: duplicate_project(shop.name, name),
        "delete run": lambda name: runs.delete_run(shop, name),
        "plan of record": lambda name: plans.mark_plan(shop, name),
        "propose": lambda name: approvals.propose_plan(shop, name),
        "create": lambda name: create_project(name, frame, mapping),
    }
    for what, act in by_name.items():
        for name in ESCAPES:
            yield Attempt(
                "name", "boss@x.org", f"{what} {name!r}", lambda a=act, n=name: a(n)
            )


# --- by the command line --------------------------------------------------------------


def commands(world: World) -> Iterator[Attempt]:
    """The same on a shared host, and reading without a role."""
    shop, run, plan = str(world.shop), str(world.run.folder), world.plan_id
    csv = world.home / "next.csv"
    csv.write_text(worlds.table(170).to_csv(index=False))
    out = str(world.home / "out.html")
    writes = {
        "fit": ["fit", shop],
        "resume": ["fit", shop, "--resume", world.ended.name],
        "update": ["update", shop, str(csv)],
        "plan --save": ["plan", run, "--save", "Mine"],
        "approve": ["approval", shop, plan, "--approve"],
        "propose": ["approval", shop, plan, "--propose"],
        "members": ["members", shop, "--set", "vera@x.org=admin"],
        "prune": ["prune", shop, "--keep", "0"],
        "delete": ["delete", world.shop.name],
        "backtest": ["backtest", shop],
        "audit of all": ["audit"],
        "backup": ["backup", str(world.home / "all.zip")],
    }
    reads = {
        "summary": ["summary", run],
        "report": ["report", run, "--out", out],
        "check": ["check", shop],
        "audit": ["audit", shop],
        "plans": ["approval", shop],
        "forecast": ["forecast", run],
        "compare": ["compare", run, run],
    }
    for who in ("vera@x.org", "eve@x.org", "rita@x.org"):
        for what, words in (writes | (reads if who != "vera@x.org" else {})).items():
            yield Attempt("command", who, what, lambda w=words, p=who: _command(w, p))


def _command(words: list[str], who: str) -> None:
    """Run a command as somebody, who the keeper of the host lets act by a variable."""
    identity.set_sign_in(None)
    os.environ[identity.VARIABLE] = who
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            assert command(words) == 1
    finally:
        del os.environ[identity.VARIABLE]


# --- by the browser -------------------------------------------------------------------


def screen(name: str, **query: str) -> AppTest:
    """A screen of the app in a new tab."""
    at = AppTest.from_file(str(APP), default_timeout=300)
    at._page_hash = calc_hash(name)
    at.session_state["app.demo_tried"] = True
    for key, value in query.items():
        at.query_params[key] = value
    return at.run()


def addresses(world: World) -> Iterator[Attempt]:
    """Addresses of what one may not see, and of what is elsewhere."""
    shop = world.shop.name
    titles = ("data", "model", "fit", "channels", "plan", "compare", "report")
    for title in (*titles, "forecast", "experiments"):
        for who in ("eve@x.org", "rita@x.org"):
            yield Attempt(
                "address",
                who,
                title,
                lambda t=title: screen(t, project=shop),
            )
    for name in ESCAPES:
        yield Attempt(
            "address",
            "vera@x.org",
            f"?project={name!r}",
            lambda n=name: screen("plan", project=n),
        )
        yield Attempt(
            "address",
            "vera@x.org",
            f"?run={name!r}",
            lambda n=name: screen("channels", project=shop, run=n),
        )


def buttons(world: World) -> Iterator[Attempt]:
    """A browser that presses what is disabled, and sends files with odd names."""
    pressed = {"fit": "fit.start", "plan": "plan.save", "model": "model.check"}
    for title, key in pressed.items():
        yield Attempt(
            "button",
            "vera@x.org",
            key,
            lambda t=title, k=key: _press(world, t, k),
            reaches_us=False,
        )
    for option, value in {"baseline": False, "autocorrelation": False}.items():
        yield Attempt(
            "edit",
            "vera@x.org",
            option,
            lambda o=option, v=value: _edit(world, o, v),
            reaches_us=False,
        )
    names = ("market.csv", "../../etc/passwd.csv", "/etc/cron.d/x.csv", "..csv")
    content = worlds.table(30).to_csv(index=False).encode()
    for name in names:
        for title in ("start", "data"):
            yield Attempt(
                "upload",
                "vera@x.org",
                f"{title}: {name}",
                lambda t=title, n=name: _upload(world, t, n, content),
                reaches_us=False,
            )


def _press(world: World, title: str, key: str) -> None:
    """Press a button that was drawn when one was still a planner."""
    acting = signed_in.person()
    as_person("anna@x.org")
    at = screen(title, project=world.shop.name)
    as_person(acting.name)
    at.button(key).click().run()


def _edit(world: World, option: str, value: object) -> None:
    """Change an option on the Model screen that was drawn for a planner."""
    acting = signed_in.person()
    as_person("anna@x.org")
    at = screen("model", project=world.shop.name)
    at.segmented_control("model.mode").set_value("Analyst").run()
    at.segmented_control("model.view").set_value("Options").run()
    for widget in (*at.selectbox, *at.toggle):
        if str(widget.key).startswith(f"model.option.{option}."):
            as_person(acting.name)
            widget.set_value(value).run()
            return
    raise AssertionError(f"{option} is not on the screen")


def _upload(world: World, title: str, name: str, content: bytes) -> None:
    """Drop a file where one could when the screen was drawn."""
    acting = signed_in.person()
    as_person("anna@x.org" if title == "data" else "boss@x.org")
    at = screen(title, project=world.shop.name)
    as_person(acting.name)
    at.file_uploader[0].upload(name, content, "text/csv").run()


# --- all of it ------------------------------------------------------------------------


def everything(world: World) -> list[Attempt]:
    """Every attempt."""
    parts = (functions, escapes, commands, addresses, buttons)
    return [attempt for part in parts for attempt in part(world)]


def failures(world: World) -> tuple[dict[str, int], list[str]]:
    """Try everything.

    Returns:
        How many attempts there were by their way, and those that succeeded, or that
        the log does not know.
    """
    counts: dict[str, int] = {}
    wrong = []
    for attempt in everything(world):
        counts[attempt.way] = counts.get(attempt.way, 0) + 1
        looks, refusals = world.looks(), world.refusals()
        as_person(attempt.who)
        raised = "no error"
        try:
            attempt.act()
        except MMMError as error:
            raised = type(error).__name__
        told = f"{attempt.way}: {attempt.who or 'nobody'}: {attempt.what} ({raised})"
        if world.looks() != looks:
            wrong.append(f"it succeeded: {told}")
        if world.refusals() <= refusals and attempt.reaches_us:
            wrong.append(f"it is not in the log: {told}")
    return counts, wrong


def main() -> None:
    """Try everything in a workspace of its own, and print the counts."""
    home = Path(tempfile.mkdtemp())
    os.environ["MIXWRIGHT_HOME"] = str(home)
    shop = worlds.project(truth=worlds.synthetic.truth())
    worlds.fit(shop, geos=("North", "South"))
    counts, wrong = failures(World(shop))
    print(*wrong, sep="\n")
    total = sum(counts.values())
    print(f"{total} attempts, {len(wrong)} that were not refused or not logged:")
    print(", ".join(f"{number} by {way}" for way, number in counts.items()))
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
