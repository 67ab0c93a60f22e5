"""The list of projects, and what the side bar says about the open one."""

import pytest

from core.jobs import executor
from core.project.plans.plans import mark_plan, save_plan
from core.service.projects import shelf
from core.text.languages.language import say
from pages.start import screen
from pages.ui import words
from tests.pages import worlds
from tests.pages.said import is_sound, texts
from tests.plan.records import record

#: Files that once made the whole screen blank.
POISON = {
    "NUL": b"name = 'x'\0",
    "name": b'[data]\ntime = "a"\nkpi = "b"\nfile = "' + b"d" * 300 + b'"\n',
    "sigma": b'[data]\ntime = "a"\nkpi = "b"\n[model.priors]\n'
    b"sigma = {mean = 1, sd = 1e300}\n",
    "brackets": b"x = " + b"[" * 20_000,
}


def test_empty_workspace_says_what_to_do(screen):
    at = screen("start")
    assert is_sound(at)
    assert "No projects yet" in texts(at)
    assert len(at.get("file_uploader")) == 1


def test_demo_is_made_where_it_is_missing(screen, monkeypatch):
    monkeypatch.setattr(shelf, "ensure_demo", lambda: worlds.project("Demo market"))
    at = screen("start", run=False)
    del at.session_state["app.demo_tried"]
    at.run()
    assert at.button(key="start.open.Demo market")
    assert at.query_params["project"] == "Demo market"


@pytest.mark.parametrize("is_wanted", [True, False])
def test_the_demo_is_fitted_once_it_is_made(home, monkeypatch, is_wanted):
    submitted = []
    monkeypatch.setattr(executor, "submit", submitted.append)
    monkeypatch.setattr(shelf, "ensure_demo", lambda: made())
    monkeypatch.setenv(screen.SWITCH, str(int(is_wanted)))

    def made():
        if not shelf.project_folder("Demo market").exists():
            worlds.project("Demo market")

    screen.ensure()
    assert len(submitted) == is_wanted
    screen.ensure()
    assert len(submitted) == is_wanted


def test_cards_say_what_media_returned_and_what_was_decided(screen, fitted):
    run = next((fitted / "runs").iterdir())
    plan = save_plan(fitted, record(name="Spring", run_id=run.name))
    mark_plan(fitted, plan.plan_id)
    said = texts(screen("start"))
    assert "Mixwright tells you what your media spend returned" in said
    assert "ROI, € per €: 2.5" in said
    assert "trustworthy" in said
    assert "plan of record: Spring" in said


def test_projects_show_their_state(screen, fitted):
    worlds.project("New one")
    broken = worlds.project("Broken")
    (broken / "project.toml").write_text('schema = 1\nname = "Bro')
    at = screen("start")
    assert is_sound(at)
    said = texts(at)
    assert "Next: look at the findings on Data, then fit." in said.replace("\\", "")
    for word in ("fitted", "not fitted yet", "damaged", "cannot be read"):
        assert word in said
    assert at.button(key="start.open.Broken").disabled


def test_opening_a_project_goes_to_its_data_and_a_fitted_one_to_its_results(
    screen, fitted
):
    worlds.project("New one")
    at = screen("start")
    at.button(key="start.open.New one").click().run()
    assert at.query_params["project"] == "New one"
    assert at.title[0].value == "Data"
    at = screen("start")
    at.button(key=f"start.open.{worlds.MARKET}").click().run()
    assert at.query_params["project"] == worlds.MARKET
    assert at.title[0].value == "Channels"


def test_many_projects_can_be_searched(screen, home):
    for i in range(10):
        worlds.project(f"Market {i}")
    at = screen("start")
    at.text_input(key="start.filter").set_value("7").run()
    opened = [b.key for b in at.button if b.key.startswith("start.open.")]
    assert opened == ["start.open.Market 7"]


def test_side_bar_shows_the_steps_and_the_standing(screen, fitted):
    at = screen("model", worlds.MARKET)
    said = texts(at)
    assert "156 rows · 6 channels" in said
    assert "trustworthy" in said
    links = [link.proto.label for link in at.get("page_link")]
    assert [label.split()[-1] for label in links] == [
        "Data",
        "Model",
        "Experiments",
        "Fit",
        "Channels",
        "Plan",
        "Forecast",
        "Compare",
        "Report",
        "History",
        "Help",
    ]


@pytest.mark.parametrize(
    "name", ["../../etc", "nope", "a/b", "", "x" * 300, "<b>", "..", "CON\n"]
)
@pytest.mark.parametrize("page", ["start", "data", "plan"])
def test_hostile_project_names_are_refused(screen, home, name, page):
    at = screen(page, project=name or " ")
    assert is_sound(at)
    assert not (home / "projects").exists() or not list(home.glob("projects/*"))


def test_hostile_run_is_refused_and_the_newest_is_offered(screen, fitted):
    at = screen("channels", worlds.MARKET, run=False)
    at.query_params["run"] = "../../../etc/passwd"
    at.run()
    assert is_sound(at)
    assert "is not the name of a run" in texts(at)
    at.button(key="go.newest").click().run()
    assert "is not the name of a run" not in texts(at)
    assert at.get("plotly_chart")


@pytest.mark.parametrize("poison", POISON.values(), ids=list(POISON))
def test_a_poisoned_project_hides_no_other(screen, fitted, poison):
    bad = fitted.parent / "Bad"
    bad.mkdir()
    (bad / "project.toml").write_bytes(poison)
    at = screen("start")
    assert is_sound(at)
    assert at.button(key=f"start.open.{worlds.MARKET}")
    assert at.button(key="start.open.Bad").disabled
    assert is_sound(screen("data", "Bad"))


@pytest.mark.parametrize("text", ["[]", '{"state": []}', '{"state": {"a": 1}}'])
def test_a_state_of_another_type_hides_nothing(screen, fitted, text):
    run = worlds.run(fitted, "running")
    (run / "state.json").write_text(text)
    for name in ("start", "fit", "data"):
        assert is_sound(screen(name, worlds.MARKET))


@pytest.mark.parametrize("state", ["queued", "starting", "running", "cancelling"])
def test_a_card_says_of_a_fit_what_the_side_bar_says(screen, fitted, held, state):
    held(worlds.run(fitted, state))
    said = {"running": "fit running"}.get(state, say(words.STATES[state]))
    assert f"{said}]" in texts(screen("start"))
