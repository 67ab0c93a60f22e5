import pytest

from core.team import identity

#: An access.toml whose admin is boss@x.org.
ACCESS = """
sign_in = "oidc"
admins = ["Boss@x.org"]
"""


@pytest.fixture
def acts():
    """Signs somebody in for the rest of the test."""
    people = {"now": identity.MIXWRIGHT}

    def sign_in(name: str, source: str = "sign-in") -> None:
        people["now"] = identity.Person(name, source) if name else identity.NOBODY

    identity.set_sign_in(lambda: people["now"])
    yield sign_in
    identity.set_sign_in(None)


@pytest.fixture
def shop(market, acts, home):
    """A project of a workspace where sign-in is on; nobody is signed in."""
    (home / "access.toml").write_text(ACCESS)
    (market / "members.toml").write_text(
        '[members]\n"anna@x.org" = "admin"\n"paul@x.org" = "planner"\n'
        '"vera@x.org" = "viewer"\n'
    )
    acts("")
    return market
