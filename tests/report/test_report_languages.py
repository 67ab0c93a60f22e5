"""Reports in other languages: nothing English is left, whatever the file is."""

import gettext
import io
import json
import re
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import openpyxl
import pypdf
import pytest
from msgspec import structs
from pptx import Presentation
from test_report_grid import plan_of_geos, plan_of_weeks
from test_report_html import Page, run_folder

from core import text as fmt
from core.analysis.record.fit_record import as_record
from core.cli.main import main
from core.errors import WorkspaceError
from core.experiments.kept import as_kept
from core.experiments.life import SpendOfTest
from core.plan.advice.parts import Recommendation
from core.plan.advice.rule import advise
from core.plan.plan import plan
from core.plan.record.plan_record import PlanRecord, with_details
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.project.fits.runs import open_run
from core.project.settings.project import language_of, load_project, save_project
from core.report import content as told
from core.report.books.report_book import report_workbook
from core.report.deck.slides import slides
from core.report.html import render
from core.report.paper.pdf import pdf
from core.report.test_brief import brief
from core.service import reports
from core.text.languages import language as spoken
from core.text.languages.language import LANGUAGES, missing_messages, say
from tests.charts import synthetic
from tests.plan.teaching_record import teaching

pytestmark = pytest.mark.usefixtures("blank_pictures")

OTHERS = tuple(name for name in LANGUAGES if name != "en")
RUN = "20240102-030405-0a1b2c3d"
#: What a report says that is nobody's language: names of the market, of distributions.
NAMES = {
    *synthetic.NAMES,
    *"Demo market Spring Booked in May orders North South East West".split(),
    *"Mixwright mixwright LogNormal Beta UTC float abababababab AR Monte Carlo".split(),
}
REASONS = [
    "Run 700 draws instead of 500: TV · effect has R-hat 1.013 (3 parameters are above "
    "1.01); TV · carryover has only 362 effective bulk draws (at least 400 are "
    "needed).",
    "The lift test of TV and Search (6 Feb 2023 to 19 Mar 2023) and the model "
    "disagree: the test found 1.20\u00a0M (0.80 – 1.60), and the model without it says "
    "3.00\u00a0M (2.00 – 4.00). Check "
    "dates, geos and amounts of the test on the Experiments screen, then the prior and "
    "the carryover of its channel.",
]
NOTES = [
    "61 % of TV's return is below the least it ever spent, where the curve is assumed, "
    "not seen. Weeks at low spend or a lift test would show it.",
    "The KPI still goes with media of TV and Search that ran before the longest "
    "carryover, 8 weeks: raise max_lag, or choose another carryover on the Model "
    "screen.",
]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A run with everything that a report may show: tests, frequencies, reasons."""
    project = tmp_path_factory.mktemp("market")
    (project / "runs").mkdir()
    tests = synthetic.experiments()
    more = {"has_frequency": True, "has_forecast": True, "experiments": tests}
    run = run_folder(project / "runs" / RUN, **more)
    path = run / "result" / "summary.json"
    if not path.is_file():
        path = next(run.rglob("summary.json"))
    summary = json.loads(path.read_text())
    summary["diagnostics"] |= {"reasons": REASONS, "notes": NOTES}
    follows = "TV follows demand: its return rests on carryover and prior; a lift test "
    summary["follows_demand"] = {
        "channels": [],
        "untested": [],
        "sentence": f"{follows}would settle it.",
    }
    return run, summary


def content_of(fitted, language) -> told.Content:
    run, summary = fitted
    return replace(told.read(run, language), fit=as_record(summary))


@pytest.fixture(scope="module")
def plans() -> dict[str, PlanRecord]:
    curves = response_curves(synthetic.curves())
    of_channels = plan(curves, scenario(curves))
    details = {"name": "Spring", "notes": "Booked in May.", "run_id": RUN}
    pays = advise(np.full(50, 2e5), 0.05, 4e6, over="the same weeks last year")
    on_split = Recommendation(pays.advice, pays.reasons)
    return {
        "channels": with_details(of_channels, **details),
        "weeks": with_details(
            structs.replace(
                plan_of_weeks(),
                reasons=pays.reasons,
                on_split=on_split,
                teaching=teaching(),
            ),
            **details,
        ),
        "geos": plan_of_geos(),
    }


class Files(NamedTuple):
    """The reports of a plan in one language, and what had no translation."""

    html: str
    book: list[str]
    deck: list[str]
    paper: pypdf.PdfReader | None
    missing: frozenset[str]


@pytest.fixture(scope="module")
def files(fitted, plans):
    """Makes them once for all that is asked of them; a PDF of channels alone."""

    @cache
    def of(language: str, over: str) -> Files:
        content = content_of(fitted, language)
        with missing_messages() as missing:
            html = render(content, plans[over])
            book = of_book(report_workbook(content, plans[over]))
            deck = of_deck(slides(content, plans[over]))
            paper = None
            if over == "channels":
                paper = pypdf.PdfReader(io.BytesIO(pdf(content, plans[over])))
        return Files(html, book, deck, paper, frozenset(missing))

    return of


class Bracketed(gettext.NullTranslations):
    """A language in which every message stands in brackets, but what fills it."""

    def gettext(self, message):
        return f"⟦{message.replace('{', '⟧{').replace('}', '}⟦')}⟧"

    def ngettext(self, one, several, number):
        return self.gettext(one if number == 1 else several)


@pytest.fixture
def brackets(monkeypatch):
    real = spoken.catalogue
    chosen = lambda name: Bracketed() if name == "brackets" else real(name)  # noqa: E731
    monkeypatch.setattr(spoken, "catalogue", chosen)


def bare(text: str) -> list[str]:
    """Words outside of brackets that are no names."""
    text = re.sub(r"⟦[^⟦⟧]*⟧?", " ", text.replace("<br>", " "))
    text = re.sub(r"<[^>]*>|\d{8}-\d{6}-\w+", " ", text)
    return [word for word in re.findall(r"[^\W\d_]{2,}", text) if word not in NAMES]


def of_figures(html: str) -> list[str]:
    """What the figures of a page say: titles, axes, notes, labels, hover texts."""
    said: list[str] = []

    def walk(value, key=""):
        if isinstance(value, str):
            if key in ("text", "ticktext", "customdata", "hovertext"):
                said.append(value)
        elif isinstance(value, list):
            for each in value:
                walk(each, key)
        elif isinstance(value, dict):
            for name, each in value.items():
                if name != "template":
                    walk(each, name)

    decoder = json.JSONDecoder()
    for found in re.finditer(r'Plotly\.newPlot\(\s*"[^"]+",\s*', html):
        traces, end = decoder.raw_decode(html, found.end())
        layout, _ = decoder.raw_decode(html, html.index("{", end))
        walk(traces)
        walk(layout)
    return said


def of_book(content: bytes) -> list[str]:
    book = openpyxl.load_workbook(io.BytesIO(content))
    return [
        *book.sheetnames,
        *(
            cell.value
            for sheet in book.worksheets
            for row in sheet.iter_rows()
            for cell in row
            if isinstance(cell.value, str) and not cell.value.startswith("=")
        ),
    ]


def of_deck(content: bytes) -> list[str]:
    said = []
    for shape in (s for slide in Presentation(io.BytesIO(content)).slides
                  for s in slide.shapes):  # fmt: skip
        if shape.has_text_frame:
            said.append(shape.text_frame.text)
        if shape.has_table:
            said += [cell.text for row in shape.table.rows for cell in row.cells]
        if shape.has_chart:
            chart = shape.chart
            said.append(chart.chart_title.text_frame.text)
            said += [series.name for plot in chart.plots for series in plot.series]
            said += [str(name) for plot in chart.plots for name in plot.categories]
    return said


@pytest.mark.parametrize("over", ["channels", "weeks", "geos"])
def test_every_word_comes_out_of_a_catalogue(fitted, plans, brackets, over):
    """What stands outside of the brackets was never looked up."""
    content = content_of(fitted, "brackets")
    html = render(content, plans[over])
    said = {
        "html": [Page(html).said(), *of_figures(html)],
        "xlsx": of_book(report_workbook(content, plans[over])),
        "pptx": of_deck(slides(content, plans[over])),
    }
    assert min(map(len, said.values())) > 100
    strayed = {
        (kind, *words)
        for kind, texts in said.items()
        for text in texts
        if (words := bare(text))
    }
    assert strayed == set()


@pytest.mark.parametrize("over", ["channels", "weeks", "geos"])
@pytest.mark.parametrize("language", OTHERS)
def test_every_message_of_a_report_is_translated(files, language, over):
    reports = files(language, over)
    assert reports.missing == set()
    assert f'<html lang="{language}">' in reports.html
    assert 'Plotly.register({"moduleType": "locale"' in reports.html
    head = {"de": "Woher er stammt", "fr": "D'où il vient", "es": "De dónde viene"}
    assert head[language] in "\n".join(reports.deck) or over != "channels"
    if reports.paper:
        assert reports.paper.trailer["/Root"]["/Lang"] == language
        text = " ".join(page.extract_text() for page in reports.paper.pages)
        contents = {"de": "Inhalt", "fr": "Sommaire", "es": "Índice"}
        assert contents[language] in text
    assert say("Budget") == "Budget"  # the language ends with the report


def test_the_numbers_are_the_same_in_every_language(fitted, plans):
    numbers = {}
    for language in LANGUAGES:
        content = replace(content_of(fitted, language), locale="en")
        page = Page(render(content, plans["channels"])).said()
        numbers[language] = sorted(
            re.findall(r"[\d.,]*\d [kM] €|\([\d.]+ – [\d.]+\)", page)
        )
    assert len(numbers["en"]) > 60
    assert all(each == numbers["en"] for each in numbers.values())


@pytest.mark.parametrize("language", OTHERS)
def test_a_report_writes_numbers_as_its_language_does(files, language):
    """Whatever the project writes: a German deck has no 0.1 %."""
    reports = files(language, "channels")
    said = {
        "html": [Page(reports.html).said(), *of_figures(reports.html)],
        "pdf": [page.extract_text() for page in reports.paper.pages],
        "pptx": reports.deck,
        "xlsx": reports.book,
    }
    english = re.compile(r"\d\.\d{1,2}(?=[\s\u00a0\u202f]*(?:%|€|[kM][\s\u00a0]€|–))")
    for kind, texts in said.items():
        text = " ".join(texts)
        assert re.search(r"\d,\d+[\s\u00a0]*(%|Mio|M|mil|k)", text), kind
        assert english.findall(text) == [], kind
    assert '"separators":",' in reports.html


def test_numbers_in_kept_sentences_are_written_anew(fitted):
    content = content_of(fitted, "de")
    with fmt.written_in(content.locale), spoken.spoken_in("de"):
        reasons = " ".join(told.verdict(content).reasons)
    assert "1,20\u00a0Mio. (0,80 – 1,60)" in reasons, reasons
    assert "(6. Feb. 2023 bis 19. März 2023)" in reasons, reasons


def test_the_language_is_the_one_asked_for_else_the_projects(fitted, tmp_path, capsys):
    run = fitted[0]
    project = run.parents[1]
    out = tmp_path / "report.html"
    (run / "state.json").write_text('{"state": "done", "since": "2024-01-02T03:04:05"}')
    about = json.loads((run / "run.json").read_text())
    about |= {"kind": "fit", "project": "p"}
    (run / "run.json").write_text(json.dumps(about))
    assert main(["report", str(run), "--language", "fr", "--out", str(out)]) == 0
    assert "Ce que chaque canal a rapporté" in out.read_text("utf-8")
    assert language_of(run) == "en"
    save_project(project, replace(load_project(run), language="de"))
    assert '[report]\nlanguage = "de"' in (project / "project.toml").read_text()
    assert language_of(run) == "de"
    assert main(["report", str(run), "--out", str(out)]) == 0
    assert "Was jeder Kanal zurückbrachte" in out.read_text("utf-8")
    assert main(["report", str(run), "--language", "en", "--out", str(out)]) == 0
    assert "What each channel returned" in out.read_text("utf-8")
    (project / "project.toml").unlink()


def test_a_language_that_nobody_speaks_is_refused(fitted, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["report", str(fitted[0]), "--language", "tlh", "--out", "r.html"])
    assert stopped.value.code == 2
    assert "invalid choice: 'tlh'" in capsys.readouterr().err
    with pytest.raises(WorkspaceError, match="Reports do not speak 'tlh'"):
        reports.report_file(open_run(fitted[0]), ".html", None, "tlh")


def test_the_brief_of_a_test_speaks_the_projects_language(fitted, brackets):
    net = synthetic.estimate(1e4, 5e3) | {"probability_positive": 0.7}
    cost = synthetic.estimate(12345.5, 1e3)
    design = {"mde": 0.08, "power": 0.8, "value": 5e4}
    test = as_kept(
        {
            "name": "TV",
            "kind": "dark",
            "channels": ["TV"],
            "geos": ["North"],
            "start": "2026-03-02",
            "end": "2026-03-29",
            "design": design | {"net": net, "cost": cost},
        }
    )
    spend = [
        SpendOfTest(geo, "2026-03-02", "TV", arm, 1234.0, 0.0)
        for arm, geo in (("treatment", "North"), ("control", "South"))
    ]
    project, units = load_project(fitted[0]), told.read(fitted[0]).units
    page = brief(test, spend, units, replace(project, language="brackets"))
    assert bare(Page(page).said()) == []
    with missing_messages() as missing:
        german = brief(test, spend, units, replace(project, language="de"))
    assert missing == set() and '<html lang="de">' in german
    assert "TV vom 2. März 2026 bis 29. März 2026 abschalten" in german
    assert "1.234" in german
    assert "Switch off TV in North from 2 Mar 2026" in brief(
        test, spend, units, project
    )
