import os

import pytest
from workspace_market import simple, table

from core.errors import AccessError
from core.project.fits.run_inputs import new_run
from core.project.fits.runs import delete_run
from core.project.plans.plans import list_plans, load_plan, mark_plan, save_plan
from core.project.settings.project import load_project, save_project
from core.project.settings.project_data import replace_data
from core.project.shelf import store
from core.project.shelf.cards import projects
from core.project.shelf.lifecycle import (
    create_project,
    delete_project,
    duplicate_project,
    rename_project,
)
from core.store.places import project_folder
from core.store.run_state import write_state
from core.team import audit, identity
from core.team.gate import may
from core.team.members import members_of, parse_members, role_of
from core.team.membership import change_members
from core.team.roles import Role
from core.team.settings import acting, parse_settings, settings_of
from tests.plan.records import record

WEB = ("anna@x.org", "paul@x.org", "vera@x.org", "boss@x.org", "eve@x.org", "")
VIEWER, PLANNER, ADMIN = (("anna", "paul", "vera"), ("anna", "paul"), ("anna",))


def person(name):
    return identity.Person(name, "sign-in")


def roles(project):
    return {name: role_of(person(name), project).word for name in WEB}


def test_each_role_may_what_the_one_before_may(shop):
    assert roles(shop) == {
        "anna@x.org": "admin",
        "paul@x.org": "planner",
        "vera@x.org": "viewer",
        "boss@x.org": "admin",
        "eve@x.org": "none",
        "": "none",
    }


def test_addresses_have_no_capitals(shop):
    assert role_of(person("Paul@X.org"), shop) == Role.PLANNER


def test_without_access_toml_everybody_may_everything(market):
    (market / "members.toml").write_text('[members]\n"anna@x.org" = "viewer"\n')
    assert role_of(identity.local_person(), market) == Role.ADMIN
    assert save_plan(market, record(name="Spring"))


def _writes(project):
    """Everything a planner may and a viewer may not."""
    yield lambda: save_plan(project, record(name="Spring"))
    yield lambda: mark_plan(project, None)
    yield lambda: new_run(project)
    yield lambda: replace_data(project, table())
    changed = load_project(project)
    yield lambda: save_project(project, changed)


@pytest.mark.parametrize("name", ["vera@x.org", "eve@x.org", ""])
def test_a_viewer_writes_nothing_and_the_log_says_so(shop, acts, name):
    acts(name)
    before = {path.name for path in shop.rglob("*")}
    attempts = list(_writes(shop))
    for attempt in attempts:
        with pytest.raises(AccessError) as caught:
            attempt()
        assert caught.value.hint
    assert {path.name for path in shop.rglob("*")} == before
    refused = [e for e in audit.entries(shop) if e.outcome == "refused"]
    assert len(refused) == len(attempts)
    assert {e.who for e in refused} == {name}
    assert {e.why for e in refused} == {"needs planner"}


def test_a_planner_plans_and_fits_and_deletes_nothing(shop, acts):
    acts("paul@x.org")
    for write in _writes(shop):
        write()
    run = new_run(shop)
    write_state(run, "cancelled")
    for attempt in (
        lambda: delete_run(shop, run.name),
        lambda: delete_project("Market"),
        lambda: rename_project("Market", "Mine"),
        lambda: change_members(shop, {"paul@x.org": Role.ADMIN}),
    ):
        with pytest.raises(AccessError, match="planner of Market; this needs an admin"):
            attempt()
    assert shop.is_dir() and run.is_dir()
    acts("anna@x.org")
    delete_run(shop, run.name)
    assert not run.exists()


def test_runs_and_plans_name_who_is_signed_in(shop, acts):
    acts("paul@x.org")
    plan_id = save_plan(shop, record(name="Spring", by="the board")).plan_id
    assert load_plan(shop, plan_id).by == "paul@x.org"
    assert '"by": "paul@x.org"' in (new_run(shop) / "run.json").read_text()
    assert len(list_plans(shop)) == 1


def test_whoever_creates_a_project_is_its_admin(shop, acts, home):
    project = simple()
    (home / "access.toml").write_text('sign_in = "oidc"\ndefault = "planner"\n')
    acts("paul@x.org")
    mine = create_project("Mine", table(), project.mapping, spec=project.spec)
    copy = duplicate_project("Mine", "Copy")
    for folder in (mine, copy):
        assert role_of(person("paul@x.org"), folder) == Role.ADMIN
        assert role_of(person("eve@x.org"), folder) == Role.PLANNER


def test_who_has_no_role_in_the_workspace_creates_nothing(shop, acts):
    project = simple()
    acts("paul@x.org")
    with pytest.raises(AccessError):
        create_project("Mine", table(), project.mapping, spec=project.spec)
    with pytest.raises(AccessError):
        duplicate_project("Market", "Copy")
    assert [card.name for card in projects()] == ["Market"]
    acts("eve@x.org")
    assert projects() == []


def test_the_demo_is_made_whoever_opens_the_app(shop, acts):
    acts("vera@x.org")
    assert store.ensure_demo().is_dir()
    assert [e.who for e in audit.entries(project_folder("Demo market"))] == [
        "mixwright"
    ]


# --- members.toml with mistakes ---------------------------------------------------

MISTAKES = {
    "no TOML": '[members\n"eve@x.org" = "admin"\n',
    "no text": b"\xff\xfe\x00",
    "brackets": "[" * 5000,
    "empty": "",
    "a role that is none": '[members]\n"vera@x.org" = "admn"\n',
    "a role that is a list": '[members]\n"vera@x.org" = ["admin"]\n',
    "a role with capitals": '[members]\n"vera@x.org" = "Viewer "\n',
    "a table that is none": 'members = "eve@x.org"\n',
    "a key too much": 'defualt = "none"\n[members]\n"anna@x.org" = "admin"\n',
    "a default that is none": 'default = "all"\n',
    "named twice": '[members]\n"VERA@x.org" = "none"\n"vera@x.org" = "admin"\n',
    "doubled": '[members]\n"vera@x.org" = "none"\n"vera@x.org" = "admin"\n',
}


@pytest.mark.parametrize("text", MISTAKES.values(), ids=MISTAKES)
def test_a_typo_lets_nobody_in_and_locks_no_admin_out(shop, acts, home, text):
    (home / "access.toml").write_text(
        'sign_in = "oidc"\nadmins = ["boss@x.org"]\ndefault = "planner"\n'
        if text
        else 'sign_in = "oidc"\nadmins = ["boss@x.org"]\n'
    )
    path = shop / "members.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert role_of(person("boss@x.org"), shop) == Role.ADMIN
    assert role_of(person("vera@x.org"), shop) == Role.NONE
    assert role_of(person("eve@x.org"), shop) == Role.NONE
    assert bool(members_of(shop).problems) == bool(text)
    acts("boss@x.org")
    change_members(shop, {"vera@x.org": Role.VIEWER})
    assert role_of(person("vera@x.org"), shop) == Role.VIEWER


def test_roles_in_a_damaged_file_are_kept_beside_the_new_one(shop, acts):
    path = shop / "members.toml"
    for old in (b'[members]\n"eve@x.org" = "admin\n', b"# caf\xe9\n[members]\n"):
        path.write_bytes(old)
        acts("boss@x.org")
        change_members(shop, {"vera@x.org": Role.VIEWER})
        kept = [file.read_bytes() for file in shop.glob("members damaged *.toml")]
        assert old in kept


def test_a_link_is_no_members_file(shop, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "members.toml"
    elsewhere.write_text('[members]\n"eve@x.org" = "admin"\n')
    (shop / "members.toml").unlink()
    (shop / "members.toml").symlink_to(elsewhere)
    assert role_of(person("eve@x.org"), shop) == Role.NONE


def test_comments_of_the_members_file_are_kept(shop, acts):
    path = shop / "members.toml"
    path.write_text(f"# who pays\n{path.read_text()}")
    acts("anna@x.org")
    members = change_members(shop, {"eve@x.org": Role.PLANNER, "vera@x.org": None})
    assert path.read_text().startswith("# who pays\n")
    assert members.roles["eve@x.org"] == Role.PLANNER
    assert "vera@x.org" not in members.roles
    assert audit.entries(shop)[-1].subject == "eve@x.org planner, vera@x.org forgotten"


def test_the_last_admin_stays_unless_the_workspace_has_another(shop, acts, home):
    acts("anna@x.org")
    with pytest.raises(AccessError, match="would have no admin"):
        change_members(shop, {"anna@x.org": Role.VIEWER})
    acts("boss@x.org")
    change_members(shop, {"anna@x.org": Role.VIEWER})
    assert role_of(person("anna@x.org"), shop) == Role.VIEWER


def test_a_default_of_the_project_wins_over_the_workspace(shop):
    assert parse_members('default = "viewer"').default == Role.VIEWER
    with open(shop / "members.toml", "r+") as file:
        text = file.read()
        file.seek(0)
        file.write(f'default = "viewer"\n{text}')
    assert role_of(person("eve@x.org"), shop) == Role.VIEWER
    assert role_of(identity.NOBODY, shop) == Role.NONE


# --- access.toml with mistakes ----------------------------------------------------

CLOSED = [
    "sign_in = ",
    'sing_in = "oidc"',
    'sign_in = "OIDC"',
    "sign_in = true",
    'admins = "boss@x.org"',
    "[" * 5000,
]


@pytest.mark.parametrize("text", CLOSED)
def test_where_it_cannot_be_seen_how_people_sign_in_nobody_can(shop, acts, home, text):
    (home / "access.toml").write_text(text)
    settings = settings_of(shop)
    assert settings.sign_in == "closed" and settings.problems
    assert set(roles(shop).values()) <= {"none", "admin", "planner", "viewer"}
    assert role_of(person("eve@x.org"), shop) == Role.NONE
    identity.set_sign_in(None)
    assert role_of(identity.system_person(), shop) == Role.ADMIN


@pytest.mark.parametrize(
    "text",
    [
        'sign_in = "oidc"\ndefualt = "admin"',
        'sign_in = "oidc"\ndefault = "Admin"',
        'sign_in = "oidc"\ndefault = "planner"\nadmins = [1]',
        'sign_in = "oidc"\ndefault = "planner"\n[quota]\nruns = "2"',
        'sign_in = "oidc"\ndefault = "planner"\n[quota]\nruns = -1',
        'sign_in = "oidc"\ndefault = "planner"\n[quota]\nruns = nan',
        'sign_in = "proxy"\ndefault = "planner"\n[proxy]\nheader = "X-User"',
        'sign_in = "proxy"\ndefault = "planner"\n[proxy]\naddresses = ["all"]',
        'sign_in = "proxy"\n[proxy]\nheader = "X-User"\naddresses = ["0.0.0.0/0"]',
        'sign_in = "proxy"\n[proxy]\nheader = "X-User"\naddresses = ["::/0"]',
        'sign_in = "oidc"\ndefault = "planner"\n[odic]\nclaim = "sub"',
    ],
)
def test_a_mistake_in_access_toml_gives_no_role_by_default(text):
    settings = parse_settings(text)
    assert settings.problems
    assert settings.default == Role.NONE
    assert settings.sign_in in ("oidc", "proxy")


def test_quotas_alone_leave_the_workspace_open():
    assert parse_settings("[quota]\nruns = 2\ndisk_gb = 0.5").sign_in == "off"
    assert parse_settings("[quota]\ndisk_gb = 0.5").disk_bytes == 512 * 1024**2


def test_a_link_to_nothing_is_no_open_door(shop, home):
    (home / "access.toml").unlink()
    (home / "access.toml").symlink_to(home / "nothing")
    assert settings_of(shop).sign_in == "closed"


# --- the command line of a shared host --------------------------------------------


@pytest.fixture
def stranger(shop, monkeypatch):
    """Another account of the host, which does not own access.toml."""
    identity.set_sign_in(None)
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    return identity.system_person()


def test_an_account_has_the_role_of_its_name(shop, stranger, home):
    assert role_of(stranger, shop) == Role.NONE
    with pytest.raises(AccessError):
        save_plan(shop, record(name="Spring"))
    with open(shop / "members.toml", "a") as file:
        file.write(f'"{stranger.name}" = "planner"\n')
    assert save_plan(shop, record(name="Spring"))


def test_a_stranger_cannot_call_themselves_boss(shop, stranger, monkeypatch):
    monkeypatch.setenv(identity.VARIABLE, "boss@x.org")
    with pytest.raises(AccessError):
        delete_project("Market")
    assert audit.entries(shop)[-1].who == stranger.name


def test_another_home_does_not_change_whose_rules_hold(
    shop, stranger, monkeypatch, tmp_path_factory
):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path_factory.mktemp("mine")))
    link = tmp_path_factory.mktemp("links") / "Market"
    link.symlink_to(shop)
    for folder in (shop, link):
        assert not may(folder, Role.VIEWER)
        with pytest.raises(AccessError):
            save_plan(folder, record(name="Spring"))
    assert len([e for e in audit.entries(shop) if e.outcome == "refused"]) == 2


def test_the_keeper_may_act_for_somebody_with_their_role(shop, acts, monkeypatch):
    identity.set_sign_in(None)
    monkeypatch.setenv(identity.VARIABLE, "vera@x.org")
    assert acting(shop).name == "vera@x.org"
    with pytest.raises(AccessError):
        save_plan(shop, record(name="Spring"))


def test_a_log_that_cannot_be_written_stops_whoever_has_a_role(shop, acts, home):
    acts("paul@x.org")
    (home / audit.FILE).unlink()
    (home / audit.FILE).mkdir()
    with pytest.raises(Exception, match="audit"):
        save_plan(shop, record(name="Spring"))
