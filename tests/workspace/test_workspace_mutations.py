"""Whatever is in one project's folder, it is said there, and the others go on."""

import json
import os
import shutil

import pytest
from workspace_market import simple

from core.cli.main import main as command_line
from core.errors import MMMError, SpecError, WorkspaceError
from core.model.priors.moments import from_mean
from core.project.comparing.backtests import (
    backtest_of,
    list_backtests,
    read_backtest,
)
from core.project.fits import runs
from core.project.fits.run_inputs import new_run
from core.project.settings.project import load_project, render_project
from core.project.shelf.cards import projects
from core.project.shelf.lifecycle import duplicate_project
from core.store.run_state import read_status
from core.store.stored import DEEPEST, read_object, read_regular
from tests.workspace import mutations

#: By `python -m tests.workspace.mutations`: 10,000.
SEEDS = 80


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    home = tmp_path_factory.mktemp("mutations")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXWRIGHT_HOME", str(home))
        mutations.make(home)
        yield home


@pytest.mark.parametrize("tens", range(SEEDS // 10))
def test_spoilt_projects(world, tens):
    found = []
    for seed in range(10 * tens, 10 * tens + 10):
        found += mutations.faults_of(world, seed)
    assert not found


@pytest.mark.parametrize("key", ["study", "origin", "horizon", "drop", "folds"])
def test_a_backtest_whose_options_are_odd_hides_nothing_of_the_fit(
    world, tmp_path, key
):
    folder = tmp_path / mutations.SOUND
    shutil.copytree(world / "projects" / mutations.SOUND, folder)
    (part,) = runs.list_runs(folder, "backtest")
    path = part.folder / "run.json"
    about = json.loads(path.read_text())
    for odd in (*mutations.ODD, "gone"):
        options = about["options"] | {key: odd}
        if odd == "gone":
            options.pop(key)
        path.write_text(json.dumps(about | {"options": options}))
        for fit in runs.list_runs(folder, "fit"):
            backtest_of(folder, fit)
        for study in list_backtests(folder):
            read_backtest(study)


TEXT = render_project(simple())
POISON = {
    "a NUL": TEXT + "\0",
    "a NUL in a name": TEXT.replace('"data.parquet"', '"data\\u0000.parquet"'),
    "a name of 300 characters": TEXT.replace("data.parquet", "d" * 300),
    "a sigma beyond numbers": TEXT + "[model.priors]\nsigma = {mean = 1, sd = 1e300}\n",
    "20,000 brackets": "x = " + "[" * 20_000,
    "a key of 5,000 parts": "a" + ".a" * 5000 + " = 1\n",
    "20,000 unknown keys": TEXT + "".join(f"k{i} = 1\n" for i in range(20_000)),
    "a number of 5,000 digits": "schema = " + "9" * 5000,
    "bytes": b"\xff\xfe\0\0",
}


@pytest.mark.parametrize("poison", POISON.values(), ids=list(POISON))
def test_poison_is_a_card_that_says_so(market, poison, capsys):
    """A sound project beside it is listed as before; commands say what is wrong."""
    bad = market.parent / "Bad"
    bad.mkdir()
    content = poison if isinstance(poison, bytes) else poison.encode()
    (bad / "project.toml").write_bytes(content)
    cards = {card.name: card for card in projects()}
    assert cards["Market"].state == "ready"
    assert cards["Bad"].state in ("damaged", "empty")
    assert cards["Bad"].message
    assert "cannot be shown" not in cards["Bad"].message
    assert command_line(["check", "Bad"]) == 1
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert len(said.err) < 20_000


def test_a_mistake_in_one_card_is_said_on_that_card(market, monkeypatch):
    """The last line of defence: what nobody thought of hides no other project."""
    from core.project.shelf import cards

    def broken(folder, project):
        if folder.name == "Market":
            raise ZeroDivisionError
        return "ready", ""

    duplicate_project("Market", "Other")
    monkeypatch.setattr(cards, "_state", broken)
    shown = {card.name: card for card in projects()}
    assert shown["Other"].state == "ready"
    assert shown["Market"].state == "damaged"
    assert "ZeroDivisionError" in shown["Market"].message


@pytest.mark.parametrize(
    "text", ["[]", '"x"', "null", '{"state": []}', '{"state": {}}', '{"state": 1e999}']
)
def test_a_state_of_another_type(market, text):
    from core.project.fits import runs

    run = new_run(market)
    (run / "state.json").write_text(text)
    assert read_status(run).state in ("starting", "lost")
    assert [one.run_id for one in runs.list_runs(market)] == [run.name]
    assert projects()[0].name == "Market"


def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(1 << 40)
    for name in ("pipe", "loop", "zero", "folder", "huge", "gone", "a\0b", "n" * 300):
        with pytest.raises(OSError):
            read_regular(tmp_path / name)
        assert read_object(tmp_path / name) == {}


def test_objects_are_sound(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": 1e999, "b": NaN, "c": 9%s, "d": "\\ud800x\\u0000", "e": 1}'
                    % ("9" * 300))  # fmt: skip
    assert read_object(path) == {"a": None, "b": None, "c": None, "d": "?x", "e": 1}
    path.write_text('{"a": ' + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1) + "}")
    assert read_object(path) == {}


@pytest.mark.parametrize("family", ["LogNormal", "Gamma", "Beta", "Normal", "Uniform"])
@pytest.mark.parametrize("mean", [5e-324, 1e-300, 0.5, 1.0, 1e200, 1e308])
@pytest.mark.parametrize("sd", [5e-324, 1e-200, 0.1, 1e200, 1e300, 1e308])
def test_priors_beyond_numbers_are_messages(family, mean, sd):
    try:
        from_mean(mean, sd, family=family)
    except SpecError as error:
        assert error.message


def test_a_data_file_that_no_table_is(market):
    with open(market / "data.parquet", "r+b") as file:
        file.truncate(1 << 40)
    card = projects()[0]
    assert card.state == "empty"
    assert "larger than 200 MB" in card.message


def test_a_link_in_a_ring_is_a_message(market):
    (market / "project.toml").unlink()
    (market / "project.toml").symlink_to("project.toml")
    with pytest.raises(WorkspaceError, match="leads nowhere"):
        load_project(market)
    assert projects()[0].state == "damaged"


def test_times_that_no_calendar_has(market):
    os.utime(market / "project.toml", (0, 2**33))
    assert projects()[0].name == "Market"


def test_every_message_has_words():
    for text in POISON.values():
        if isinstance(text, str) and "\0" not in text:
            from core.project.settings.project_file import parse_project

            try:
                parse_project(text)
            except MMMError as error:
                assert error.message and len(str(error)) < 20_000
