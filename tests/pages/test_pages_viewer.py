"""A viewer on every screen: whatever is offered is allowed, and the rest says why."""

import shutil

import pytest

from core.project.fits import runs
from core.project.fits.derived import new_derived
from core.store.run_state import write_state
from core.team import identity
from pages.access import signed_in
from pages.shell import sign_in
from pages.ui import navigation
from tests.experiments import geo_world
from tests.pages import attempts, worlds
from tests.pages.said import is_sound, texts, unfolded
from tests.pages.test_pages_lift_tests import read, view
from tests.pages.test_pages_plan_weeks import HORIZON, flight_result
from tests.pages.walk import Walk

VERA = "vera@x.org"
#: Some of what each screen must keep from a viewer; # stands for numbers of editions.
LOCKED = {
    "start": {"start.new", "members.role", "members.save"},
    "data": {
        "data.accept",
        "data.value.#",
        "data.currency.#",
        "data.spend_unit.#",
        "data.locale.#",
    },
    "model": {"model.check", "model.option.order.#", "model.option.baseline.#"},
    "experiments": {
        "experiments.add",
        "experiments.board.delete",
        "experiments.plan",
        "experiments.upload.#",
    },
    "fit": {"fit.start", "fit.resume", "fit.delete", "fit.prune", "fit.set.seed.#"},
    "channels": {"channels.note.date"},
    "plan": {
        "plan.save",
        "plan.name.#",
        "plan.notes.#",
        "plans.by",
        "plan.record",
        "plan.approval.decline",
        "plan.approval.comment",
        "plan.approval.approve",
        "flight.go",
        "flight.upload.#",
        "flight.evaluate",
    },
    "forecast": {"backtest.start"},
    "compare": set(),
    "report": set(),
    "history": set(),
    "help": set(),
}
#: Tables that whoever sees them can edit: what is typed stays in the browser.
PRIVATE = ("plan.limits.", "plan.more.", "plan.values.")
PRIVATE += ("flight.booked.", "flight.edit.")
PRIVATE += ("flight.limits.", "flight.periods.", "forecast.plan.")
#: What is disabled whoever looks, because there is nothing to do.
IDLE = {"plan.undo", "plan.redo", "flight.undo", "flight.redo", "fit.open"}
IDLE |= {"flight.book", "sign.in"}
BUSY = {"fit": {"fit.cancel"}, "forecast": {"backtest.cancel"}}
BUSY["plan"] = {"flight.cancel"}


@pytest.fixture
def team(monkeypatch):
    """Puts back who is signed in."""
    monkeypatch.setattr(signed_in, "person", signed_in.person)
    monkeypatch.setattr(sign_in, "standing", sign_in.standing)
    yield
    identity.set_sign_in(None)


@pytest.fixture
def world(fitted, team) -> attempts.World:
    """A project with a fit, a plan of weeks, a test, and a fit that was stopped."""
    flight_result(runs.list_runs(fitted, "fit")[0].folder)
    world = attempts.World(fitted)
    shutil.rmtree(world.ready)
    return world


def walked(world: attempts.World, name: str) -> Walk:
    """Everything that a viewer can do on a screen."""
    attempts.as_person(VERA)
    refused, before = world.refusals(), world.looks()

    def check(at, did):
        assert is_sound(at), (did, texts(at))
        assert world.refusals() == refused, did

    def opened():
        at = attempts.screen(name, project=world.shop.name)
        return unfolded(at) if name == "plan" else at

    walk = Walk(opened, check)
    walk.go()
    assert world.looks() == before
    assert not [key for key in walk.editors if not key.startswith(PRIVATE)]
    unexplained = {key for key, why in walk.locked.items() if "this needs a" not in why}
    assert unexplained <= IDLE
    return walk


def test_every_screen_is_walked_over():
    assert set(LOCKED) == {screen.name for screen in navigation.SCREENS}


@pytest.mark.parametrize("name", LOCKED)
def test_nothing_that_a_viewer_is_offered_is_refused(world, name):
    walk = walked(world, name)
    assert LOCKED[name] <= set(walk.locked)
    assert walk.tried


@pytest.mark.parametrize("name", BUSY)
def test_a_viewer_cannot_stop_what_is_at_work(world, held, name):
    fit = runs.latest_fit(world.shop)
    flight = new_derived(fit.folder, "flight", {"horizon": HORIZON})
    write_state(flight, "running")
    for run in (
        worlds.run(world.shop),
        flight,
        *worlds.backtest(world.shop, state="running"),
    ):
        held(run)
    assert BUSY[name] <= set(walked(world, name).locked)


def test_the_same_is_offered_to_whoever_may(world):
    """So that a button is disabled for its person, not for what the project is."""
    attempts.as_person("anna@x.org")
    offered = {"fit": {"fit.start", "fit.resume"}, "plan": {"plan.save"}}
    for name, keys in offered.items():
        at = attempts.screen(name, project=world.shop.name)
        disabled = {button.key for button in at.button if button.disabled}
        assert not keys & disabled


def test_a_test_that_was_read_is_not_added_to_the_model(home, team):
    folder = geo_world.project_of_geos()
    (folder / "members.toml").write_text(attempts.MEMBERS)
    (home / "access.toml").write_text(attempts.ACCESS)
    attempts.as_person(VERA)
    at = attempts.screen("experiments", project=folder.name)
    button = read(view(at, "Read a test")).button(key="experiments.to_model")
    assert button.disabled
    assert "this needs a planner" in button.help


def test_other_periods_wait_for_a_planner(world):
    attempts.as_person(VERA)
    at = attempts.screen("plan", project=world.shop.name)
    at.selectbox(key="plan.horizon").set_value("custom").run()
    at.number_input(key="plan.periods").set_value(7).run()
    assert is_sound(at) and not at.error
    assert "this needs a planner" in texts(at)
