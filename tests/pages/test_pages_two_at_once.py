"""Two windows on one project: who is there is seen, and no edit is lost in silence."""

from dataclasses import replace

import pytest
from msgspec import structs

from core.project.fits.runs import delete_run, list_runs
from core.project.settings.project import load_project, save_project
from tests.pages import worlds
from tests.pages.said import edition, is_sound, texts
from tests.pages.test_pages_experiments import TEST, type_in, with_tests


def theirs(folder, **options):
    """Somebody else saves the project with other model options."""
    project = load_project(folder)
    save_project(folder, replace(project, spec=replace(project.spec, **options)))


def draws(folder, number):
    project = load_project(folder)
    save_project(
        folder, replace(project, sampler=replace(project.sampler, draws=number))
    )


def type_max_lag(at, value):
    """An edit on Model, Options: saved at once."""
    key = f"model.option.max_lag.{edition(at, 'options')}"
    return at.number_input(key=key).set_value(value).run()


@pytest.fixture
def options(screen, home):
    """The options of the model, for analysts."""
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.view").set_value("Options").run()
    at.segmented_control(key="model.mode").set_value("Analyst").run()
    return folder, at


def test_the_later_save_says_what_changed_and_adds_itself(options):
    folder, at = options
    theirs(folder, seasonality=3)
    type_max_lag(at, 5)
    assert is_sound(at)
    said = texts(at)
    assert "changed this project while you were editing" in said
    table = next(t.value for t in at.dataframe if "Yours" in t.value.columns)
    assert list(table["Setting"]) == ["seasonality", "max_lag"]
    assert list(table["Yours"]) == ["", "5"]
    assert load_project(folder).spec.max_lag != 5
    at.button(key="meanwhile.mine").click().run()
    assert is_sound(at)
    spec = load_project(folder).spec
    assert (spec.seasonality, spec.max_lag) == (3, 5)
    assert "changed this project" not in texts(at)


def test_theirs_can_be_kept(options):
    folder, at = options
    theirs(folder, max_lag=3)
    type_max_lag(at, 5)
    assert "You both changed max_lag" in texts(at)
    assert load_project(folder).spec.max_lag == 3
    at.button(key="meanwhile.theirs").click().run()
    assert is_sound(at)
    assert load_project(folder).spec.max_lag == 3
    at.run()
    assert load_project(folder).spec.max_lag == 3
    assert "changed this project" not in texts(at)


def test_mine_stands_where_both_changed_one_setting(options):
    folder, at = options
    theirs(folder, max_lag=3)
    type_max_lag(at, 5)
    at.button(key="meanwhile.mine").click().run()
    assert load_project(folder).spec.max_lag == 5
    type_max_lag(at, 6)
    assert load_project(folder).spec.max_lag == 6


def test_changed_once_more_while_it_was_asked(options):
    folder, at = options
    theirs(folder, seasonality=3)
    type_max_lag(at, 5)
    draws(folder, 333)
    at.button(key="meanwhile.mine").click().run()
    assert is_sound(at)
    assert "changed this project while you were editing" in texts(at)
    at.button(key="meanwhile.mine").click().run()
    project = load_project(folder)
    assert project.sampler.draws == 333
    assert (project.spec.seasonality, project.spec.max_lag) == (3, 5)


def test_a_change_elsewhere_is_said_where_nothing_was_edited(options):
    folder, at = options
    theirs(folder, seasonality=3)
    at.run()
    assert is_sound(at)
    assert "Another window changed this project: seasonality." in texts(at)
    at.run()
    assert "changed this project" not in texts(at)


def test_a_comment_by_hand_disturbs_nobody(options):
    folder, at = options
    path = folder / "project.toml"
    path.write_text(f"# by hand\n{path.read_text()}")
    type_max_lag(at, 5)
    assert "changed this project" not in texts(at)
    assert load_project(folder).spec.max_lag == 5
    assert path.read_text().startswith("# by hand")


def test_one_result_of_a_test_that_two_change_is_asked_about(screen, home):
    folder = worlds.project()
    with_tests(folder, TEST)
    at = screen("experiments", worlds.MARKET)
    project = load_project(folder)
    (entry,) = project.experiments
    changed = structs.replace(entry, standard_error=20_000.0)
    save_project(folder, replace(project, experiments=(changed,)))
    type_in(at, edited={0: {"standard_error": 30_000.0}})
    assert is_sound(at)
    table = next(t.value for t in at.dataframe if "Yours" in t.value.columns)
    row = table.iloc[0].tolist()
    assert row == ["lift test 1 standard_error", "40000.0", "20000.0", "30000.0"]
    assert "You both changed lift test 1 standard_error" in texts(at)
    assert load_project(folder).experiments == (changed,)
    at.button(key="meanwhile.mine").click().run()
    assert is_sound(at)
    (entry,) = load_project(folder).experiments
    assert entry.standard_error == 30_000.0
    at.run()
    assert load_project(folder).experiments == (entry,)


@pytest.mark.parametrize("name", ["plan", "channels"])
def test_a_fit_that_another_deletes_is_missed_in_words(screen, fitted, name):
    at = screen(name, worlds.MARKET)
    (run,) = list_runs(fitted, "fit")
    delete_run(fitted, run.run_id)
    at.run()
    assert not at.exception
    assert "was deleted meanwhile" in texts(at)
    at.run()
    assert "was deleted meanwhile" not in texts(at)
