"""The app itself: errors become messages, pages found alone, nothing heavy loaded."""

import ast
import importlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from core.project.shelf.lifecycle import rename_project
from core.store.atomic import write_text
from pages.ui import navigation
from tests.pages import worlds
from tests.pages.said import texts

ROOT = Path(__file__).parents[2]
NAMES = [screen.name for screen in navigation.SCREENS]


@pytest.mark.parametrize("name", NAMES)
def test_bug_becomes_one_plain_sentence(screen, home, monkeypatch, caplog, name):
    module = importlib.import_module(f"pages.{name}.screen")

    def broken(*args):
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(module.layout, "header", broken)
    at = screen(name)
    assert not at.exception
    assert "This should not have happened" in texts(at)
    assert "secret detail" not in texts(at)
    assert "secret detail" in caplog.text
    assert at.get("page_link")


@pytest.mark.parametrize("name", sorted({*NAMES} - {"start", "data", "help"}))
def test_a_project_that_is_gone_leads_to_the_list_of_all(screen, home, name):
    at = screen(name, "Gone")
    assert not at.exception
    assert "There is no project Gone" in texts(at)
    assert "go.start" in {button.key for button in at.button}


def test_a_project_that_was_renamed_leads_to_its_new_name_with_the_draft(screen, home):
    worlds.project("Old")
    rename_project("Old", "Newer")
    rename_project("Newer", "New")
    at = screen("plan", "Old", draft='{"spread":10}')
    assert "There is no project Old" in texts(at)
    at.button(key="go.renamed").click().run()
    assert not at.exception
    assert "There is no project" not in texts(at)
    assert at.query_params["project"] in ("New", ["New"])
    assert "spread" in str(at.query_params["draft"])


@pytest.fixture(scope="module")
def web_process(_fitted, tmp_path_factory) -> dict:
    """What a process says of itself that loads the app and then opens every screen."""
    home = tmp_path_factory.mktemp("web")
    shutil.copytree(_fitted / "projects", home / "projects")
    code = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
os.environ["MIXWRIGHT_HOME"] = {str(home)!r}
import app  # as a server does
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
own_list = PagesManager("app.py").uses_pages_directory
for name in {NAMES!r}:
    at = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout=300)
    at._page_hash = calc_hash(name)
    at.session_state["app.demo_tried"] = True
    at.query_params["project"] = {worlds.MARKET!r}
    at.run()
    assert not at.exception, name
heavy = ("jax", "tensorflow_probability", "blackjax", "arviz_stats", "plotly.express")
heavy = [name for name in heavy if name in sys.modules]
print(json.dumps({{"own_list": own_list, "heavy": heavy}}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_a_server_never_takes_pages_for_its_own_list_of_pages(web_process):
    """Streamlit would: whoever first opened a link to a screen saw "Page not found"."""
    assert web_process["own_list"] is False


def test_web_process_loads_no_jax(web_process):
    assert web_process["heavy"] == []


def test_every_screen_has_a_place_and_a_question():
    steps = [screen.step for screen in navigation.SCREENS if screen.step is not None]
    assert steps == [1, 2, 3, 4, 5]
    for screen in navigation.SCREENS:
        assert screen.question.endswith("?")
        assert callable(importlib.import_module(f"pages.{screen.name}.screen").render)


@pytest.mark.parametrize("writes", [True, False])
def test_a_bug_says_whether_anything_was_written(screen, home, monkeypatch, writes):
    """That nothing on disk was changed is said only where it is so."""
    folder = worlds.project()
    module = importlib.import_module("pages.model.screen")

    def broken(*args):
        if writes:
            write_text(folder / "notes", "x")
        raise ZeroDivisionError

    monkeypatch.setattr(module.layout, "header", broken)
    said = texts(screen("model", worlds.MARKET))
    assert ("Nothing on disk was changed" in said) is not writes
    assert ("Something was written before it happened" in said) is writes


def _keys(folder: Path) -> list[str]:
    """Keys that the elements of a screen have whatever they are about."""
    calls = [
        node
        for file in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    return [
        word.value.value
        for call in calls
        if ast.unparse(call.func.value) in ("st", "gated")
        for word in call.keywords
        if word.arg == "key" and isinstance(word.value, ast.Constant)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_no_two_elements_of_a_screen_have_one_key(name):
    keys = Counter(_keys(ROOT / "pages" / name))
    assert [key for key, n in keys.items() if n > 1] == []
