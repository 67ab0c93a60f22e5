"""More than two hundred attempts to do what a role must not: none succeeds."""

import pytest

from core.team import identity
from pages.access import signed_in
from pages.shell import sign_in
from tests.pages import attempts


@pytest.fixture
def world(fitted, monkeypatch):
    """A workspace with sign-in; who is signed in is put back afterwards."""
    monkeypatch.setattr(signed_in, "person", signed_in.person)
    monkeypatch.setattr(sign_in, "standing", sign_in.standing)
    yield attempts.World(fitted)
    identity.set_sign_in(None)


@pytest.mark.slow
def test_no_attempt_succeeds_and_each_is_in_the_log(world):
    counts, wrong = attempts.failures(world)
    assert wrong == []
    assert sum(counts.values()) >= 200
    assert min(counts.values()) > 1


def test_the_same_is_done_by_who_may(world):
    """So that an attempt is refused for its person, not for a mistake in it."""
    attempts.as_person("anna@x.org")
    done = 0
    for attempt in attempts.functions(world):
        if attempt.who == "vera@x.org" and attempt.what in (
            "save plan",
            "create run",
            "comment",
            "approve",
            "keep test",
            "delete run",
        ):
            attempt.act()
            done += 1
    assert done == 6
