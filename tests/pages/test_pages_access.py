"""What a role sees on screen, and whom a provider or a proxy names."""

import json
import shutil
from types import SimpleNamespace

import pytest

from core.team import audit, identity
from core.team.identity import NOBODY, Person
from core.team.roles import Role
from core.team.settings import Settings, parse_settings
from pages.access import signed_in
from pages.access.proxy import CONNECTION, HEADER, TrustedProxy, named_by
from pages.access.signed_in import Standing, of_provider
from pages.shell import dialogs as members
from tests.pages import worlds

MEMBERS = """
[members]
"anna@x.org" = "admin"
"paul@x.org" = "planner"
"vera@x.org" = "viewer"
"""


@pytest.fixture
def signed(home, monkeypatch):
    """Signs somebody in, in a workspace where sign-in is on."""

    def sign_in(name: str) -> None:
        known = Standing(Person(name, "sign-in") if name else NOBODY)
        monkeypatch.setattr(signed_in, "person", lambda: known.person)
        monkeypatch.setattr("pages.shell.sign_in.standing", lambda settings: known)
        identity.set_sign_in(signed_in.person)

    (home / "access.toml").write_text('sign_in = "oidc"\nadmins = ["boss@x.org"]\n')
    yield sign_in
    identity.set_sign_in(None)


@pytest.fixture
def shop(fitted):
    (fitted / "members.toml").write_text(MEMBERS)
    return fitted


def disabled(at) -> dict[str, bool]:
    return {button.key: button.disabled for button in at.button}


def test_nobody_sees_nothing_but_the_way_in(shop, signed, screen):
    signed("")
    at = screen("plan", worlds.MARKET)
    assert not at.exception
    assert [button.key for button in at.button] == ["sign.in"]
    assert not at.sidebar.caption and not at.title


def test_who_has_no_role_sees_the_way_out(shop, signed, screen):
    signed("eve@x.org")
    at = screen("plan", worlds.MARKET)
    assert [button.key for button in at.button] == ["sign.out"]
    assert audit.entries()[-1].outcome == "refused"


BUTTONS = {
    "fit": {"fit.start": "planner"},
    "plan": {"plan.save": "planner"},
    "model": {"model.check": "planner"},
    "start": {"start.new": "workspace"},
}


@pytest.mark.parametrize("name", BUTTONS)
def test_a_viewer_sees_all_and_is_told_what_they_may_not(shop, signed, screen, name):
    signed("vera@x.org")
    at = screen(name, worlds.MARKET)
    assert not at.exception and not at.error
    for key in BUTTONS[name]:
        button = at.button(key)
        assert button.disabled
        assert "this needs a planner" in button.help
    if name != "start":
        assert any("ask one of its admins" in caption.value for caption in at.caption)
    signed("anna@x.org")
    at = screen(name, worlds.MARKET)
    for key, needs in BUTTONS[name].items():
        assert at.button(key).disabled == (needs == "workspace") or key != "plan.save"


def test_a_planner_may_fit_and_not_administer(shop, signed, screen):
    signed("paul@x.org")
    at = screen("fit", worlds.MARKET)
    assert not disabled(at)["fit.start"]
    menu = at.sidebar.get("menu_button")[0].proto
    assert "Delete" not in str(menu) and "Rename" not in str(menu)
    signed("anna@x.org")
    at = screen("fit", worlds.MARKET)
    menu = str(at.sidebar.get("menu_button")[0].proto)
    assert "Delete" in menu and "Members" in menu


def test_a_project_of_others_is_not_listed_and_not_opened(
    shop, signed, screen, home, tmp_path_factory
):
    signed("vera@x.org")
    other = shop.parent / "Secret"
    shutil.copytree(shop, other)
    (other / "members.toml").write_text('[members]\n"anna@x.org" = "admin"\n')
    at = screen("start")
    assert not any("Secret" in text.value for text in at.markdown)
    at = screen("plan", "Secret")
    assert "has no access to Secret" in at.error[0].value
    assert not at.metric
    at.run()
    refused = [e for e in audit.entries(other) if e.outcome == "refused"]
    assert [(e.who, e.action) for e in refused] == [("vera@x.org", "project opened")]


@pytest.mark.parametrize("name", ["../../etc", "..", "/etc/passwd", "a/../b", "\x00"])
def test_addresses_that_lead_elsewhere_are_refused_and_logged(
    shop, signed, screen, name
):
    signed("anna@x.org")
    at = screen("plan", name)
    assert "cannot name a project" in at.error[0].value
    last = audit.entries()[-1]
    assert (last.who, last.subject.strip(), last.outcome) == (
        "anna@x.org",
        name.replace("\x00", " ").strip(),
        "refused",
    )
    at = screen("plan", worlds.MARKET, run=False)
    at.query_params["run"] = f"{name}/run"
    at.run()
    assert audit.entries()[-1].action == "run opened"


def test_saving_by_hand_what_the_screen_does_not_offer_is_refused(shop, signed, screen):
    """As a browser that sends what it likes: the editor's value changes anyway."""
    signed("vera@x.org")
    at = screen("fit", worlds.MARKET)
    at.session_state["fit.set.seed.0"] = 99
    at.run()
    before = (shop / "project.toml").read_text()
    at = screen("model", worlds.MARKET)
    for choice in at.selectbox[:1]:
        choice.select_index(-1).run()
    assert (shop / "project.toml").read_text() == before


# --- whom a provider names --------------------------------------------------------

GOOD = {
    "is_logged_in": True,
    "iat": 1000.0,
    "email": "anna@x.org",
    "email_verified": True,
    "sub": "42",
}
OIDC = Settings(sign_in="oidc")


def test_a_verified_address_names_a_person():
    assert of_provider(GOOD, OIDC, now=2000) == (Person("anna@x.org", "sign-in"), "")


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"is_logged_in": False}, ""),
        ({"is_logged_in": "yes"}, ""),
        ({"iat": None}, "expired"),
        ({"iat": "1000"}, "expired"),
        ({"iat": 1000 - 13 * 3600}, "expired"),
        ({"email": None}, "did not give"),
        ({"email": ["anna@x.org"]}, "did not give"),
        ({"email": "root"}, "did not give"),
        ({"email_verified": False}, "not verified"),
        ({"email_verified": "true"}, "not verified"),
        ({"email": "anna@x.org\u200b"}, "characters"),
        ({"email": " anna@x.org"}, "characters"),
        ({"email": "anna@x.org\n"}, "characters"),
        ({"email": f"{'a' * 300}@x.org"}, "characters"),
    ],
)
def test_a_claim_with_a_fault_names_nobody(claims, why):
    known = of_provider(GOOD | claims, OIDC, now=1500)
    assert known.person == NOBODY
    assert why in known.why


def test_another_claim_may_name_the_person():
    settings = parse_settings('sign_in = "oidc"\n[oidc]\nclaim = "sub"\nhours = 1\n')
    assert of_provider(GOOD, settings, now=2000).person.name == "42"
    assert of_provider(GOOD, settings, now=4601).person == NOBODY


def test_letters_of_other_scripts_are_not_those_of_an_address():
    for name in ("boß@x.org", "\u212aate@x.org"):  # a Kelvin sign for a K
        assert identity.same_name(name) == name


# --- whom a proxy names -----------------------------------------------------------

PROXY = parse_settings(
    'sign_in = "proxy"\n[proxy]\nheader = "X-Forwarded-Email"\n'
    'addresses = ["10.0.0.4", "10.1.0.0/16", "::1", "::ffff:10.9.0.0/112"]\n'
)
EMAIL = (b"x-forwarded-email", b"anna@x.org")


@pytest.mark.parametrize(
    "address",
    ["10.0.0.4", "10.1.2.3", "::1", "::ffff:10.0.0.4", "10.9.0.7", "::ffff:10.9.0.7"],
)
def test_a_named_address_may_name_a_person(address):
    scope = {CONNECTION: (address, 4711), "headers": [EMAIL]}
    assert named_by(scope, PROXY) == b"anna@x.org"


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("10.0.0.5", [EMAIL]),
        ("127.0.0.1", [EMAIL]),
        ("10.0.0.5", [EMAIL, (b"x-forwarded-for", b"10.0.0.4")]),
        ("", [EMAIL]),
        ("unix:", [EMAIL]),
        ("10.0.0.4", []),
        ("10.0.0.4", [EMAIL, (b"X-Forwarded-Email", b"boss@x.org")]),
        ("10.0.0.4", [EMAIL, (b"x-forwarded-email", b"")]),
        ("10.0.0.4", [(b"x_forwarded_email", b"boss@x.org")]),
        ("10.0.0.4", [(b"x-forwarded-email ", b"boss@x.org")]),
        ("::ffff:10.0.0.5", [EMAIL]),
        ("10.10.0.7", [EMAIL]),
        ("::2", [EMAIL]),
    ],
)
def test_nobody_else_may(address, headers):
    scope = {CONNECTION: (address, 1) if address else None, "headers": headers}
    assert named_by(scope, PROXY) == b""


def test_an_address_that_may_have_been_rewritten_names_nobody():
    scope = {"client": ("10.0.0.4", 4711), "headers": [EMAIL]}
    assert named_by(scope, PROXY) == b""


@pytest.mark.parametrize("text", ["", PROXY])
def test_a_header_of_ours_from_outside_is_taken_away(home, monkeypatch, text):
    if text:
        monkeypatch.setattr("pages.access.proxy.settings_of", lambda: PROXY)
    seen = []

    async def inner(scope, receive, send):
        seen.append(scope["headers"])

    forged = (HEADER.lower().encode(), b"boss@x.org")
    scope = {"type": "websocket", "client": ("9.9.9.9", 1), "headers": [forged, EMAIL]}
    run = TrustedProxy(inner)(scope, None, None)
    with pytest.raises(StopIteration):
        run.send(None)
    assert seen == [[EMAIL]]


def test_the_log_holds_no_data(shop, signed, screen, home):
    signed("anna@x.org")
    screen("plan", worlds.MARKET)
    for line in (home / audit.FILE).read_text().splitlines():
        assert set(json.loads(line)) == set(audit._TEXTS)


def test_a_member_who_is_chosen_stands_in_the_fields(monkeypatch):
    put: dict[str, str] = {}
    chosen = SimpleNamespace(selection=SimpleNamespace(rows=[1]))
    monkeypatch.setattr(members.state, "put", put.__setitem__)
    monkeypatch.setattr(members.state, "widget", lambda key, default: chosen)
    members._choose([("anna@x.org", Role.ADMIN), (members.DEFAULT, Role.NONE)])
    assert put == {"members.name": "default", "members.role": "none"}
    assert put["members.role"] in members._ROLES
    chosen.selection.rows = []  # a line that is given up leaves the fields alone
    put.clear()
    members._choose([("anna@x.org", Role.ADMIN)])
    assert put == {}


def test_the_way_out_keeps_its_place_whether_a_project_is_open_or_not(
    shop, signed, screen
):
    """Else the browser shows the old one beside the new until the screen is drawn."""
    signed("boss@x.org")
    places = set()
    for name, project in (("plan", worlds.MARKET), ("start", "")):
        side = screen(name, project).sidebar
        (place,) = (
            place
            for place, block in side.children.items()
            if any(each.key == "sign.out" for each in getattr(block, "button", ()))
        )
        places.add(place)
    assert len(places) == 1
