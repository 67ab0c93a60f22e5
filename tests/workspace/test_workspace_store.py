import json

import pytest
from workspace_market import simple, table

from core.data.mapping import ChannelColumns, ColumnMapping
from core.errors import WorkspaceError
from core.model.spec import ChannelSpec
from core.project.fits.run_inputs import new_run
from core.project.settings.defaults import aligned, default_knots, default_spec
from core.project.settings.project import load_project
from core.project.settings.project_data import replace_data
from core.project.shelf import lifecycle, store
from core.project.shelf.cards import projects
from core.project.shelf.lifecycle import (
    create_project,
    delete_project,
    duplicate_project,
    rename_project,
)
from core.store.atomic import make_folder
from core.store.results import write_result
from core.store.run_state import write_state


def names():
    return [card.name for card in projects()]


def test_empty_workspace_has_no_projects(home):
    assert projects() == []


def test_create_makes_channels_with_defaults(home):
    mapping = simple().mapping
    folder = create_project("New", table(52), mapping, truth={"channels": {}})
    project = load_project(folder)
    assert project.mapping == mapping
    assert project.spec.channels == (ChannelSpec("TV"),)
    assert project.spec.is_structural
    assert lifecycle.truth(folder) == {"channels": {}}
    assert sorted(path.name for path in folder.iterdir()) == [
        "data.parquet",
        "project.toml",
        "truth.json",
    ]
    assert names() == ["New"]


@pytest.mark.parametrize(
    ("n_times", "freq", "knots"),
    [
        (156, "7D", 26),
        (1, "7D", 1),
        (3, "7D", 1),
        (365, "D", 12),
        (36, "MS", 12),
        (12, "QS", 6),
    ],
)
def test_default_knots(n_times, freq, knots):
    assert default_knots(table(n_times, freq), ColumnMapping("week", "sales")) == knots


@pytest.mark.parametrize(
    ("n_times", "freq", "max_lag"),
    [(365, "D", 56), (2, "D", 56), (1, "D", 8), (156, "7D", 8), (36, "MS", 8)],
)
def test_carryover_of_daily_data_is_as_long_as_that_of_weeks(n_times, freq, max_lag):
    mapping, frame = ColumnMapping("week", "sales"), table(n_times, freq)
    assert default_spec(mapping, frame).max_lag == max_lag
    assert default_spec(ColumnMapping("when", "sales"), frame).max_lag == 8


def test_new_project_of_days_says_how_long_media_carry_over(home):
    folder = create_project("Days", table(60, "D"), simple().mapping)
    assert "max_lag = 56" in (folder / "project.toml").read_text()
    weekly = create_project("Weeks", table(60), simple().mapping)
    assert "max_lag" not in (weekly / "project.toml").read_text()


def test_default_knots_without_a_time_column():
    assert default_knots(table(), ColumnMapping("when", "sales")) is None


def test_name_that_is_taken(market):
    with pytest.raises(WorkspaceError, match="something called Market already"):
        create_project("Market", table(), simple().mapping)
    assert load_project(market).spec.knots == 4


def test_two_that_create_one_project(home, monkeypatch):
    """The second finds the name taken when its own is ready."""
    created = lifecycle.found
    others = [lambda: create_project("New", table(), simple().mapping)]

    def after_another(folder):
        for other in (others.pop() for _ in list(others)):
            other()
        created(folder)

    monkeypatch.setattr(lifecycle, "found", after_another)
    with pytest.raises(WorkspaceError, match="something called New already"):
        create_project("New", table(), simple().mapping)
    assert [path.name for path in (home / "projects").iterdir()] == ["New"]
    assert load_project(home / "projects" / "New").name == "New"


def test_failure_leaves_nothing_behind(home, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("core.data.files.parquet.write_table", fail)
    with pytest.raises(WorkspaceError, match="disk is full"):
        create_project("New", table(), simple().mapping)
    assert list((home / "projects").iterdir()) == []


def test_workspace_that_is_a_file(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "file"))
    assert projects() == []
    with pytest.raises(WorkspaceError, match="/file is not a folder"):
        create_project("New", table(), simple().mapping)
    with pytest.raises(WorkspaceError, match="/file is not a folder"):
        make_folder(tmp_path / "file")


def test_cards_tell_the_state(market):
    def card():
        (found,) = projects()
        return found.state, found.message

    assert card() == ("ready", "")
    run = new_run(market)
    assert card() == ("running", "")
    with write_result(run) as folder:
        (folder / "fit.json").write_text("{}")
    write_state(run, "done")
    assert card() == ("fitted", "")
    replace_data(market, table(30))
    assert card() == ("out_of_date", "the data changed")
    (market / "data.parquet").unlink()
    assert card()[0] == "empty"
    (market / "project.toml").write_text("[data")
    assert card()[0] == "damaged"


def test_rename(market):
    folder = rename_project("Market", "Brand A")
    assert load_project(folder).name == "Brand A"
    assert names() == ["Brand A"]
    with pytest.raises(WorkspaceError, match="There is no project Market"):
        rename_project("Market", "Other")
    with pytest.raises(WorkspaceError, match="cannot name"):
        rename_project("Brand A", "../Market")


def test_a_project_that_cannot_be_renamed_keeps_its_name(market, monkeypatch):
    def full(*_):
        raise WorkspaceError("The disk is full.")

    monkeypatch.setattr(lifecycle, "save_project", full)
    with pytest.raises(WorkspaceError, match="full"):
        rename_project("Market", "Brand A")
    assert names() == ["Market"]
    assert load_project(market).name == "Market"


def test_duplicate_takes_the_data_but_not_the_runs(market):
    new_run(market)
    copy = duplicate_project("Market", "Copy")
    assert load_project(copy).spec == load_project(market).spec
    assert not (copy / "runs").exists()
    assert sorted(names()) == ["Copy", "Market"]
    with pytest.raises(WorkspaceError, match="already"):
        duplicate_project("Market", "Copy")


def test_delete_moves_to_the_trash(market, home):
    run = new_run(market)
    for action in (delete_project, lambda n: rename_project(n, "B")):
        with pytest.raises(WorkspaceError, match="a run that is not finished"):
            action("Market")
    write_state(run, "cancelled")
    where = delete_project("Market")
    assert where.parent == home / "trash"
    assert (where / "project.toml").exists()
    assert names() == []
    for name in ("Market", ".."):
        with pytest.raises(WorkspaceError):
            delete_project(name)


def test_links_and_odd_names_are_not_listed(market, home):
    (home / "projects" / "Link").symlink_to(market)
    (home / "projects" / ".hidden").mkdir()
    (home / "projects" / "file").touch()
    assert names() == ["Market"]


def test_channels_follow_the_mapping():
    project = simple()
    radio = ChannelColumns("Radio", "organic_media", media="radio")
    television = project.spec.channels[0]
    mapping = project.mapping.__class__(
        "week", "sales", channels=(radio, *project.mapping.channels)
    )
    spec = aligned(project.spec, mapping)
    assert spec.channels == (ChannelSpec("Radio", "organic_media"), television)
    assert spec.knots == project.spec.knots


def test_the_demo_comes_first_and_is_made_once(market, tmp_path, monkeypatch):
    examples = tmp_path / "examples"
    examples.mkdir()
    columns = {"week": "time", "tv": "TV_impression", "tv_cost": "TV_spend"}
    demo = table(52).rename(columns=columns | {"sales": "conversions"})
    demo.to_csv(examples / "demo_national.csv", index=False)
    truth = {"channels": {"TV": {"roi": 2.0, "alpha": 0.5, "ec": 1.0, "slope": 1.0}}}
    (examples / "demo_national.truth.json").write_text(json.dumps(truth))
    monkeypatch.setattr(store, "_EXAMPLES", examples)
    folder = store.ensure_demo()
    assert folder.name == "Demo market"
    assert names() == ["Demo market", "Market"]
    assert lifecycle.truth(folder) == truth
    assert load_project(folder).mapping.time == "time"
    before = (folder / "project.toml").stat().st_mtime_ns
    store.ensure_demo()
    assert (folder / "project.toml").stat().st_mtime_ns == before
