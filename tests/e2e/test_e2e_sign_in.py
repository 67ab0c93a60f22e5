"""Sign-in with a real provider and a real browser."""

import json
import time
from importlib.util import find_spec

import pytest
from e2e_driver import PATIENCE
from e2e_provider import COOKIE_SECRET, Provider, ServerWithSignIn
from playwright.sync_api import expect
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from core.team import audit

pytestmark = pytest.mark.skipif(
    find_spec("authlib") is None or find_spec("oidc_provider_mock") is None,
    reason="optional: requirements-auth.txt",
)

COOKIE = "_streamlit_user"
PEOPLE = [
    {"sub": "anna", "email": "anna@x.org", "email_verified": True},
    {"sub": "eve", "email": "eve@x.org", "email_verified": True},
    {"sub": "mallory", "email": "anna@x.org", "email_verified": False},
]


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    provider = Provider(PEOPLE, tmp_path_factory.mktemp("provider") / "log")
    provider.start()
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory, compiled, provider):
    server = ServerWithSignIn(tmp_path_factory.mktemp("e2e") / "home", provider)
    server.make_workspace(compiled)
    (server.home / "access.toml").write_text(
        'sign_in = "oidc"\nadmins = ["boss@x.org", "anna@x.org"]\n'
    )
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def context(chromium):
    """One for all: only the first page of a context loads what the app is made of."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context, server):
    page = context.new_page()
    yield page
    if page.url.startswith(server.url):
        page.evaluate("localStorage.clear()")
    page.close()
    context.clear_cookies()


def projects(page):
    return page.get_by_role("heading", name="Projects", exact=True)


def expect_locked(page):
    """The sign-in screen and nothing of the app."""
    expect(page.locator(".st-key-sign-in")).to_be_visible()
    expect(page.get_by_test_id("stPageLink-NavLink")).to_have_count(0)
    expect(projects(page)).to_have_count(0)


def sign_in(page, server, sub):
    page.goto(server.url)
    page.locator(".st-key-sign-in").get_by_role("button").click()
    page.locator(f"button[name=sub][value={sub}]").click()
    page.wait_for_url(f"{server.url}/**")


def log(server):
    lines = (server.home / audit.FILE).read_text().splitlines()
    listed = [json.loads(line) for line in lines]
    return [(line["action"], line["who"], line["outcome"]) for line in listed]


@pytest.mark.parametrize("screen", ["", "data", "plan?project=Demo%20market"])
def test_who_is_not_signed_in_sees_nothing(page, server, screen):
    page.goto(f"{server.url}/{screen}")
    expect_locked(page)
    expect(page.get_by_text("Demo market")).to_have_count(0)


def test_sign_in_and_log_out(page, server):
    sign_in(page, server, "anna")
    expect(projects(page)).to_be_visible()
    expect(page.locator(".st-key-person")).to_contain_text("anna@x.org")
    page.reload()
    expect(page.locator(".st-key-person")).to_contain_text("anna@x.org")
    # While a screen follows another, both are in the page for a moment.
    expect(page.locator("[data-test-script-state='notRunning']")).to_be_attached()
    out = page.locator(".st-key-sign-out").get_by_role("button")
    expect(out).to_have_count(1)
    out.click()
    page.get_by_role("button", name="End session").click()
    page.wait_for_url(f"{server.url}/**")
    expect_locked(page)
    assert not [c for c in page.context.cookies() if c["name"].startswith(COOKIE)]
    assert ("signed in", "anna@x.org", "done") in log(server)
    assert ("logged out", "anna@x.org", "done") in log(server)


def test_somebody_with_no_role_is_turned_away(page, server):
    sign_in(page, server, "eve")
    expect(page.get_by_text("No access yet")).to_be_visible()
    expect(page.get_by_test_id("stPageLink-NavLink")).to_have_count(0)
    page.goto(f"{server.url}/plan?project=Demo%20market")
    expect(page.get_by_text("No access yet")).to_be_visible()
    assert ("signed in", "eve@x.org", "refused") in log(server)


def test_an_address_that_is_not_verified_is_nobodys(page, server):
    sign_in(page, server, "mallory")
    expect(page.get_by_text("has not verified your address")).to_be_visible()
    expect_locked(page)


def test_whoever_is_removed_is_out_at_the_next_look(page, server):
    sign_in(page, server, "anna")
    page.wait_for_url("**project=Demo**")  # the demo opens itself
    button = page.locator(".st-key-start-open-Demo-market").get_by_role("button")
    expect(button).to_be_visible()
    expect(page.locator("[data-test-script-state='notRunning']")).to_be_attached()
    access = server.home / "access.toml"
    before = access.read_text()
    access.write_text('sign_in = "oidc"\nadmins = ["boss@x.org"]\n')
    try:
        button.click()
        expect(page.get_by_text("No access yet")).to_be_visible()
        page.reload()
        expect(page.get_by_text("No access yet")).to_be_visible()
    finally:
        access.write_text(before)


def cookie(server, *, secret=COOKIE_SECRET, **claims):
    known = {"email": "anna@x.org", "email_verified": True, "iat": time.time()}
    known |= {"is_logged_in": True, "provider": "default", "origin": server.url}
    value = create_signed_value(secret, COOKIE, json.dumps(known | claims)).decode()
    return {"name": COOKIE, "value": value, "url": server.url}


def test_a_cookie_is_worth_its_signature_and_its_hours(page, server):
    page.context.add_cookies([cookie(server)])
    page.goto(server.url)
    expect(projects(page)).to_be_visible()

    page.context.add_cookies([cookie(server, iat=time.time() - 13 * 3600)])
    page.goto(server.url)
    expect(page.get_by_text("has expired")).to_be_visible()
    expect_locked(page)

    for forged in (
        cookie(server, secret="another secret, as long as the right one"),
        cookie(server, origin="http://elsewhere.example"),
        cookie(server, is_logged_in=False),
        cookie(server, iat=None),
        cookie(server, email="anna@x.org\u200b"),
    ):
        page.context.add_cookies([forged])
        page.goto(server.url)
        expect_locked(page)


def test_a_provider_that_is_down_is_said_and_locks_nobody_out(page, server, provider):
    provider.stop()
    try:
        page.goto(server.url)
        page.locator(".st-key-sign-in").get_by_role("button").click()
        expect(page.get_by_text("does not answer")).to_be_visible()
        expect_locked(page)
        page.context.add_cookies([cookie(server)])
        page.goto(server.url)
        expect(projects(page)).to_be_visible()
    finally:
        provider.start()


def test_settings_that_cannot_be_understood_open_nothing(page, server):
    access = server.home / "access.toml"
    before = access.read_text()
    access.write_text('sing_in = "oidc"\n')
    try:
        page.context.add_cookies([cookie(server)])
        page.goto(server.url)
        expect(page.get_by_text("Sign-in is not set up")).to_be_visible()
        expect(projects(page)).to_have_count(0)
    finally:
        access.write_text(before)
    page.goto(server.url)
    expect(projects(page)).to_be_visible()
