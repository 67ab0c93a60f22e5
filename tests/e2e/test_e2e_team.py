"""A team behind a proxy that signs people in: members, a viewer's view, approval."""

import json
from contextlib import ExitStack

import pytest
from e2e_driver import VIEWPORT, Browser, watched
from e2e_proxy import SigningProxy
from e2e_server import Server
from playwright.sync_api import expect

from core.project.plans.plans import list_plans, plan_of_record
from core.team import audit
from tests.pages import worlds

HEADER = "X-Forwarded-Email"
#: From which the proxy that is trusted speaks to the app.
NAMED, OTHER = "127.0.0.7", "127.0.0.8"
#: What is drawn below a text.
LINE = "(text) => getComputedStyle(text).textDecorationLine"
#: Where the box of the first row is in a table of which rows can be chosen.
FIRST_ROW = {"x": 16, "y": 52}
ANNA, PAUL, VERA = "anna@x.org", "paul@x.org", "vera@x.org"


@pytest.fixture(scope="module")
def server(tmp_path_factory, compiled):
    """A server with a fitted project, of which Anna is admin and Paul a planner."""
    server = Server(tmp_path_factory.mktemp("e2e") / "home")
    server.make_workspace(compiled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(server.home))
        project = worlds.project(truth=worlds.synthetic.truth())
        worlds.fit(project)
    members = f'[members]\n"{ANNA}" = "admin"\n"{PAUL}" = "planner"\n'
    (project / "members.toml").write_text(members)
    (server.home / "access.toml").write_text(
        'sign_in = "proxy"\nadmins = ["boss@x.org"]\n'
        f'[proxy]\nheader = "{HEADER}"\naddresses = ["{NAMED}"]\n'
    )
    with server.running():
        yield server


@pytest.fixture
def person(chromium, server):
    """Browsers of people whom a proxy names; at the end nothing went wrong."""
    with ExitStack() as proxies, watched() as opened:

        def come(name: str, address: str = NAMED) -> Browser:
            proxy = SigningProxy(server.port, address=address, header=HEADER, name=name)
            proxy.start()
            proxies.callback(proxy.stop)
            context = chromium.new_context(viewport=VIEWPORT, locale="en-GB")
            opened.append(Browser(context, proxy.url))
            return opened[-1]

        yield come


@pytest.fixture
def project(server):
    return server.home / "projects" / worlds.MARKET


def log(server):
    lines = (server.home / audit.FILE).read_text().splitlines()
    listed = [json.loads(line) for line in lines]
    return [(line["action"], line["who"], line["outcome"]) for line in listed]


def expect_locked(page):
    """The sign-in screen and nothing of the app."""
    expect(page.get_by_text("your organisation's proxy")).to_be_visible()
    expect(page.get_by_test_id("stPageLink-NavLink")).to_have_count(0)


def test_a_proxy_names_people_from_its_address_only(person, chromium, server):
    anna = person(ANNA)
    anna.open("fit", worlds.MARKET)
    expect(anna.by_key("person")).to_contain_text(ANNA)
    drawn = anna.by_key("person").locator("a").evaluate(LINE)
    assert drawn == "none"  # a name, not a link
    expect(anna.by_key("fit.start").get_by_role("button")).to_be_enabled()
    elsewhere = person(ANNA, address=OTHER)
    elsewhere.open("fit", worlds.MARKET)
    expect_locked(elsewhere.page)
    context = chromium.new_context(extra_http_headers={HEADER: ANNA})
    page = context.new_page()
    page.goto(f"{server.url}/fit?project={worlds.MARKET}")
    expect_locked(page)
    context.close()


def members(browser):
    """Open the dialog of members; returns it."""
    browser.click("menu.project")
    browser.page.get_by_role("menuitem", name="Members").click()
    dialog = browser.page.get_by_role("dialog")
    expect(dialog.get_by_text("Admins of every project")).to_be_visible()
    return dialog


def test_an_admin_lets_a_viewer_in_who_sees_all_and_changes_nothing(
    person, server, project
):
    vera = person(VERA)
    vera.open("fit", worlds.MARKET)
    expect(vera.page.get_by_text("No access yet")).to_be_visible()

    anna = person(ANNA)
    anna.open("data", worlds.MARKET)
    dialog = members(anna)
    field = dialog.get_by_role("textbox", name="E-mail address")
    field.fill(VERA)
    field.press("Enter")
    save = anna.by_key("members.save").get_by_role("button")
    expect(save).to_be_enabled()  # the first role of the list is the viewer's
    save.click()
    # The dialog stays for the next person, with the list as it is now.
    expect(dialog.get_by_test_id("stAlert")).to_contain_text("viewer")
    expect(field).to_have_value("")
    expect(dialog).to_contain_text(VERA)
    assert f'"{VERA}" = "viewer"' in (project / "members.toml").read_text()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)

    vera.page.reload()
    vera.wait_idle()
    vera.expect_text("ask one of its admins")
    start = vera.by_key("fit.start")
    expect(start.get_by_role("button")).to_be_disabled()
    start.hover()
    expect(vera.page.get_by_role("tooltip")).to_contain_text("this needs a planner")
    vera.go("Model")
    expect(vera.by_key("model.check").get_by_role("button")).to_be_disabled()
    vera.go("Plan")
    expect(vera.by_key("plan.save").get_by_role("button")).to_be_disabled()
    assert vera.plan_file("csv").stat().st_size > 100
    vera.click("menu.project")
    expect(vera.page.get_by_role("menuitem", name="Members")).to_be_visible()
    expect(vera.page.get_by_role("menuitem", name="Delete")).to_have_count(0)
    assert ("members changed", ANNA, "done") in log(server)


def first_plan(browser):
    """The first of the saved plans, chosen."""
    browser.open("plan", worlds.MARKET)
    shelf = browser.page.get_by_text("Saved plans (1)")
    shelf.scroll_into_view_if_needed()
    shelf.click()
    table = browser.by_key("plan.saved")
    expect(table.locator("canvas").first).to_be_visible()
    table.locator(".dvn-scroller").click(position=FIRST_ROW)
    expect(browser.by_key("plan.load").get_by_role("button")).to_be_visible()
    browser.wait_idle()


def say(browser, text):
    """Type a comment below the chosen plan."""
    browser.page.get_by_role("button", name="Approval").click()
    field = browser.page.get_by_role("textbox", name="Comment")
    field.fill(text)
    field.press("Control+Enter")
    browser.wait_idle()


def test_a_plan_is_proposed_and_approved_by_another_person(person, server, project):
    paul = person(PAUL)
    paul.open("plan", worlds.MARKET)
    paul.click("plan.save")
    paul.expect_text("Saved plans (1)")
    (plan,) = list_plans(project)
    first_plan(paul)
    say(paul, "For the spring")
    paul.click("plan.approval.propose")
    paul.expect_text("paul@x.org proposed on")
    expect(paul.by_key("plan.record").get_by_role("button")).to_be_disabled()

    anna = person(ANNA)
    first_plan(anna)
    anna.expect_text("For the spring")
    say(anna, "Less TV in May")
    anna.click("plan.approval.comment")
    anna.expect_text("anna@x.org commented on")

    first_plan(paul)
    paul.expect_text("Less TV in May")
    paul.page.get_by_role("button", name="Approval").click()
    expect(paul.by_key("plan.approval.approve").get_by_role("button")).to_be_disabled()
    paul.page.keyboard.press("Escape")

    say(anna, "Agreed")
    anna.click("plan.approval.approve")
    anna.expect_text("anna@x.org approved on")
    expect(anna.by_key("plan.record")).to_contain_text("Unmark")
    assert plan_of_record(project) == plan.plan_id
    steps = [("plan proposed", PAUL), ("plan commented", ANNA), ("plan approved", ANNA)]
    assert [(*step, "done") for step in steps] == [
        line for line in log(server) if line[0] in dict(steps)
    ]
    anna.go("History")
    anna.choose("history.view", "Timeline")
    anna.expect_in_page("approved")
