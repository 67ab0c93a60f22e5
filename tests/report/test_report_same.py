"""HTML, PDF, workbook and slides of one report: the same numbers and words."""

import io
import re

import openpyxl
import pypdf
import pytest
from pptx import Presentation
from test_report_html import Page, run_folder

from core import text as fmt
from core.cli.main import main
from core.plan.plan import plan
from core.plan.record.plan_record import with_details
from core.plan.response.curves import response_curves
from core.plan.scenario.scenario import scenario
from core.project.plans.plans import save_plan
from core.report import content as told
from core.report.assumptions import assumptions
from core.report.books.report_book import plan_workbook, report_workbook
from core.report.deck.slides import slides
from core.report.html import render
from core.view import beside_words, plan_words
from core.view.sections.plan_cards import cards as cards_of
from tests.charts import synthetic

KINDS = ("html", "pdf", "xlsx", "pptx")


def plain(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The run, its plan, and what `python -m core report` wrote of them."""
    project = tmp_path_factory.mktemp("project")
    (project / "runs").mkdir()
    run = run_folder(project / "runs" / "20240102-030405-0a1b2c3d", has_forecast=True)
    (run / "state.json").write_text('{"state": "done", "since": "2024-01-02T03:04:05"}')
    about = (run / "run.json").read_text()
    (run / "run.json").write_text(about[:-1] + ', "kind": "fit", "project": "p"}')
    curves = response_curves(synthetic.curves())
    made = plan(curves, scenario(curves))
    made = with_details(made, name="Spring", run_id=run.name, notes="Booked in May.")
    plan_id = save_plan(project, made).plan_id
    names = [str(project / f"report.{kind}") for kind in KINDS]
    outs = [part for name in names for part in ("--out", name)]
    assert main(["report", str(run), "--plan", plan_id, *outs]) == 0
    return run, made, names


@pytest.fixture(scope="module")
def said(written):
    """The text of each file."""
    html, pdf, xlsx, pptx = written[2]
    with open(html, encoding="utf-8") as file:
        page = Page(file.read()).said()
    book = openpyxl.load_workbook(xlsx)
    cells = [
        c.value for s in book for row in s for c in row if isinstance(c.value, str)
    ]
    shown = []
    for slide in Presentation(pptx).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                shown.append(shape.text_frame.text)
            if shape.has_table:
                shown += [c.text for row in shape.table.rows for c in row.cells]
    sheets = " ".join(sheet.extract_text() for sheet in pypdf.PdfReader(pdf).pages)
    texts = {"html": page, "pdf": sheets}
    texts |= {"xlsx": " ".join(cells), "pptx": " ".join(shown)}
    return {kind: plain(text) for kind, text in texts.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_each_has_verdict_headline_plan_and_assumptions(written, said, kind):
    content, made = told.read(written[0]), written[1]
    units, verdict = content.units, told.verdict(content)
    wanted = [verdict.advice, *verdict.reasons, told.sentence(content)]
    cards = [*told.headline(content), *cards_of(made)]
    labels = [card.label for card in cards]
    planned = f"{units.outcome_name} from the planned spend"
    assert labels[4:6] == ["Budget", planned] and planned not in labels[:4]
    wanted += [card.label for card in cards]
    if kind != "xlsx":  # there they are numbers
        wanted += [text for card in cards for text in (card.value, card.ci)]
    wanted += ["Spring", "Booked in May."]
    wanted += [plan_words.robustness(made), beside_words.against_what_ran(made, units)]
    facts = assumptions(content)
    wanted += [row.prior for row in facts.priors]
    wanted += [
        text
        for part in (facts.data, facts.options, facts.fit)
        for name, named in part.items()
        for text in named
        if name != "Versions" or kind != "pptx"  # no slide is about software
    ]
    assert ("mixwright 0.1.0" in said[kind]) == (kind != "pptx")
    for words in wanted:
        assert plain(words) in said[kind], words


def test_cells_say_what_the_page_and_the_slides_say(written, said):
    content, (_, _, xlsx, _) = told.read(written[0]), written[2]
    book = openpyxl.load_workbook(xlsx, data_only=True)
    assert book.sheetnames == [
        "Report",
        "Plan",
        "Chart",
        "Odds",
        "Channels",
        "ROI",
        "Forecast",
        "Periods",
        "Channel details",
        "Assumptions",
    ]
    sheet = book["Channels"]
    heads = {cell.value: at for at, cell in enumerate(sheet[1])}
    for row, channel in zip(
        sheet.iter_rows(min_row=2), told.table(content), strict=False
    ):
        assert row[0].value == channel.name
        if row[heads["ROI"]].value is not None:
            ends = [
                row[heads[name]].value
                for name in ("ROI", "ROI, 5\u00a0%", "ROI, 95\u00a0%")
            ]
            shown = fmt.estimate(
                dict(zip(("mean", "lo", "hi"), ends, strict=True)), "ratio"
            )
            for kind in ("html", "pptx"):
                assert plain(shown) in said[kind]
    for row in book["Plan"].iter_rows(min_row=5, max_row=4 + len(written[1].channels)):
        shown = fmt.exact(row[2].value, decimals=0)
        for kind in ("html", "pptx"):
            assert plain(shown) in said[kind]


def test_nothing_that_is_text_runs(tmp_path):
    names = ("=1+1", "@cmd", "+A1", "-2", *synthetic.NAMES[4:])
    content = told.read(run_folder(tmp_path / "20240102-030405-00000000", names))
    made = with_details(synthetic.plan(names), name="=HYPERLINK(1)", notes="=2+2")
    book = openpyxl.load_workbook(io.BytesIO(report_workbook(content, made)))
    formulas = [c.value for s in book for row in s for c in row if c.data_type == "f"]
    ours = re.compile(
        r"=(SUM\(|SUMIF\(B|C\d+/B|IF\(B|ROUND\(C|C\d+-B|MAX\([FH]\d+-[FG]\d+,0\)$)"
    )
    assert formulas and all(ours.match(text) for text in formulas)
    assert any(c.value == "=2+2" for row in book["Report"] for c in row)
    assert len(book["ROI"]._charts) == 1


def test_headlines_of_the_workbook_are_the_numbers_of_the_page(written):
    content, made = told.read(written[0]), written[1]
    sheet = openpyxl.load_workbook(written[2][2])["Report"]
    cells = {row[0].value: row[1:4] for row in sheet if row[0].value}
    cards = [*told.headline(content), *cards_of(made)]
    for card in (cards[0], cards[2], cards[3]):  # the plan has a cards[1] of its own
        own = [cell.value for cell in cells[card.label] if cell.value is not None]
        assert own == pytest.approx([card.number, *(card.ends or ())])
    budget = cells["Budget"][0]
    assert budget.value == made.budget and budget.number_format == '#,##0 "€"'
    gain = cells[next(card.label for card in cards if card.label.startswith("Gain"))]
    assert [cell.value for cell in gain] == pytest.approx(
        [made.gain[end] for end in ("mean", "lo", "hi")]
    )


def test_the_total_of_channels_is_the_return_of_paid_media(written):
    content = told.read(written[0])
    sheet = openpyxl.load_workbook(written[2][2], data_only=True)["Channels"]
    total = next(row for row in sheet if row[0].value == "Paid media")
    cards = told.headline(content)
    assert total[1].value == pytest.approx(cards[0].number)
    assert total[5].value == pytest.approx(total[2].value / total[1].value)
    live = openpyxl.load_workbook(written[2][2])["Channels"]
    assert live.cell(total[0].row, 6).data_type == "f"
    assert [live.cell(1, at).value for at in (2, 3, 6)] == [
        "Spend",
        f"Incremental {content.units.outcome_in_text}",
        "ROI",
    ]


def test_without_a_plan(tmp_path):
    content = told.read(run_folder(tmp_path / "20240102-030405-00000000"))
    book = openpyxl.load_workbook(io.BytesIO(report_workbook(content)))
    assert book.sheetnames == [
        "Report",
        "Channels",
        "ROI",
        "Periods",
        "Channel details",
        "Assumptions",
    ]


def test_the_workbook_says_what_made_each_period_and_prints(written):
    content = told.read(written[0])
    live = openpyxl.load_workbook(written[2][2])
    sheet = live["Periods"]
    n_weeks = content.weeks.sizes["time"]
    assert sheet.max_row == n_weeks + 2 and sheet["A2"].is_date
    assert sheet.cell(n_weeks + 2, 3).value == f"=SUM(C2:C{n_weeks + 1})"
    assert [cell.value for cell in sheet[1]][3:] == ["Baseline", *synthetic.NAMES]
    assert sheet["C2"].value == "=SUM(D2:J2)"
    known = openpyxl.load_workbook(written[2][2], data_only=True)["Periods"]
    row = [cell.value for cell in known[2]]
    assert row[2] == pytest.approx(sum(row[3:]))
    for each in live:
        way = "portrait" if each.title == "Report" else "landscape"
        assert each.page_setup.orientation == way
        assert each.page_setup.fitToHeight == 0


def test_every_export_is_written_in_the_locale_of_the_project(tmp_path):
    (tmp_path / "runs").mkdir()
    run = run_folder(tmp_path / "runs" / "20240102-030405-0a1b2c3d")
    frozen = (run / "project.toml").read_text()
    (tmp_path / "project.toml").write_text(f'locale = "de"\n{frozen}')
    content, made = told.read(run), synthetic.plan()
    with fmt.written_in("de"):
        wanted = [card.value for card in told.headline(content)]
        money = fmt.money(made.budget, "EUR")
    assert "," in wanted[1] and "Mio." in money
    deck = Presentation(io.BytesIO(slides(content, made)))
    shapes = [shape for slide in deck.slides for shape in slide.shapes]
    on_slides = " ".join(s.text_frame.text for s in shapes if s.has_text_frame)
    page = Page(render(content, made)).said()
    for text in [*wanted, money]:
        assert plain(text) in plain(page) and plain(text) in plain(on_slides), text
    assert '"separators":",."' in render(content, made)
    book = openpyxl.load_workbook(io.BytesIO(report_workbook(content, made)))
    months = "[$-409]"  # in English, as the report is, whoever opens it
    assert book["Periods"]["A2"].number_format == f"{months}d. mmm yyyy"
    with fmt.written_in("en-US"):
        book = openpyxl.load_workbook(io.BytesIO(plan_workbook(made)))
    assert book["Plan"]["C2"].number_format == '"€"#,##0.00'
