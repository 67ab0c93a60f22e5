"""The Report screen: the files speak the language that is chosen there."""

import base64
from dataclasses import replace

import pytest

from core.project.plans.plans import save_plan
from core.project.settings.project import load_project, save_project
from core.text.languages.locale import locale_in
from pages.report import screen as report_screen
from tests.pages import worlds
from tests.pages.said import is_sound
from tests.plan.records import record


@pytest.fixture
def written(monkeypatch):
    """What the buttons would write: kind and language of each."""
    asked = []

    def file(run, kind, plan, language):
        asked.append((kind, language))
        return lambda: b""

    monkeypatch.setattr(report_screen, "_file", file)
    return asked


def test_a_report_speaks_the_projects_language_until_another_is_chosen(
    screen, fitted, written
):
    at = screen("report", worlds.MARKET)
    assert is_sound(at)
    choice = at.selectbox(key="report.language")
    assert choice.options == ["English", "Deutsch", "Français", "Español"]
    kinds = {".html", ".pdf", ".pptx", ".xlsx"}
    assert {*written} == {(kind, "en") for kind in kinds}
    written.clear()
    choice.set_value("fr").run()
    assert is_sound(at) and {*written} == {(kind, "fr") for kind in kinds}
    written.clear()
    save_project(fitted, replace(load_project(fitted), language="es"))
    assert is_sound(screen("report", worlds.MARKET))
    assert {*written} == {(kind, "es") for kind in kinds}


def test_the_help_of_the_language_says_whose_numbers_a_report_has(
    screen, fitted, written
):
    about = screen("report", worlds.MARKET).selectbox(key="report.language").help
    of_language, of_project = about.split("; ")
    for code, name in {"de": "German", "fr": "French", "es": "Spanish"}.items():
        assert locale_in(code, "en-US") == code and name in of_language
    assert locale_in("en", "de") == "de"
    assert "in English, as the project does" in of_project


def test_where_a_pdf_cannot_be_set_its_button_says_what_to_install(
    screen, fitted, written, monkeypatch
):
    def button():
        at = screen("report", worlds.MARKET)
        assert is_sound(at)
        return at.get("download_button")[0].proto

    there = button()
    assert there.label == "PDF" and not there.disabled and not there.help
    monkeypatch.setattr("core.service.reports.find_spec", lambda name: None)
    missing = button()
    assert missing.label == "PDF" and missing.disabled
    assert "pip install -r requirements-pdf.txt" in missing.help


def test_plans_are_listed_in_the_language_of_the_reader(screen, fitted, written):
    (run,) = (fitted / "runs").iterdir()
    save_plan(fitted, record(name="Spring", run_id=run.name, over="weeks"))
    at = screen("report", worlds.MARKET)
    assert at.selectbox(key="report.plan").options == ["Spring (weeks)", "none"]
    at.session_state["app.language"] = "de"
    at.run()
    assert is_sound(at)
    assert at.selectbox(key="report.plan").options == ["Spring (Wochen)", "keine"]


def test_the_whole_report_is_shown_before_it_is_downloaded(
    screen, fitted, written, monkeypatch
):
    asked, texts = [], ["<h1>Bücher</h1>"]

    def page(run, kind, plan, language):
        asked.append((kind, plan and plan.name, language))
        return texts[-1].encode()

    monkeypatch.setattr("core.service.reports.report_file", page)
    (run,) = (fitted / "runs").iterdir()
    save_plan(fitted, record(name="Spring", run_id=run.name))
    at = screen("report", worlds.MARKET)
    assert not at.get("iframe") and not asked
    at.segmented_control(key="report.view").set_value("The whole report").run()
    assert is_sound(at) and asked == [(".html", "Spring", "en")]
    (frame,) = at.get("iframe")
    address = frame.proto.src
    assert address.startswith("data:text/html")  # of another origin than the app
    shown = base64.b64decode(address.partition("base64,")[2]).decode()
    assert shown == "<h1>Bücher</h1>"
    texts.append("<h1>Bücher</h1><p>TV strike</p>")  # somebody notes what happened
    (frame,) = at.run().get("iframe")
    assert base64.b64encode(texts[-1].encode()).decode() in frame.proto.src
