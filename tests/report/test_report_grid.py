"""Plans of weeks and of geos in reports: HTML, workbook and slides say the same."""

import io
import re

import numpy as np
import openpyxl
import pytest
from msgspec.structs import replace
from pptx import Presentation
from test_report_html import Page, run_folder

from core import text as fmt
from core.cli.main import main
from core.estimate import estimate, gain_of
from core.plan.geo_plan import geo_plan
from core.plan.limits.stated import StatedRow
from core.plan.record.parts import Objective, Outcomes
from core.plan.record.plan_record import PlanRecord, as_draws, with_details
from core.plan.record.spend_grid import spend_grid
from core.plan.record.teaching import Share
from core.plan.scenario.geos import GeoRequest
from core.plan.scenario.scenario import scenario
from core.project.plans.plans import save_plan
from core.report import content as told
from core.report.books.report_book import plan_workbook
from core.report.deck import plan_slides
from core.view.sections import of_plan, plan_tables
from core.view.sections.plan_cards import cards
from tests.charts import synthetic
from tests.plan.geo_market import market, response
from tests.plan.records import line, record
from tests.plan.teaching_record import teaching

KINDS = ("weeks", "geos")
N = 17  # more than a table of a slide holds
RUN = "20240102-030405-0a1b2c3d"


def plain(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


def plan_of_geos(names=synthetic.PAID) -> PlanRecord:
    given = response((4, 4), n_draws=40)
    given = given.__class__(**{**vars(given), "channels": tuple(names)})
    asked = scenario(market(given), bounds=(0.7, 1.3), objective="p10")
    made = geo_plan(given, asked, GeoRequest(geos={"West": StatedRow(locked=True)}))
    about = {"name": "Spring", "notes": "Booked in May.", "run_id": RUN}
    return with_details(made.record(), **about)


def plan_of_weeks(names=synthetic.PAID) -> PlanRecord:
    rng = np.random.default_rng(1)
    spend = np.round(rng.uniform(1e4, 9e4, (len(names), N)), 2)
    draws = {
        name: rng.normal(mean, 2e5, 50)
        for name, mean in (("planned", 5.4e6), ("current", 5e6))
    }
    gain = draws["planned"] - draws["current"]
    days = np.datetime64("2025-01-06") + 7 * np.arange(N)
    gained = gain_of(gain)
    lines = (
        line(
            name,
            float(row.sum()),
            0.9 * float(row.sum()),
            weeks=tuple(row.tolist()),
            beyond_seen=True,
            weeks_beyond_seen=tuple((np.arange(N) == 2).tolist()),
            booked=(False,) * N,
        )
        for name, row in zip(names, spend, strict=True)
    )
    return record(
        *lines,
        over="weeks",
        weeks=tuple(str(day) for day in days),
        outcome=Outcomes(**{name: estimate(each) for name, each in draws.items()}),
        draws={name: as_draws(each) for name, each in draws.items()},
        gain=gained,
        gain_over_even=gained,
        gain_over_fixed=gained,
        inherited=estimate(rng.normal(3e5, 1e4, 50)),
        terminal=estimate(rng.normal(2e5, 1e4, 50)),
        objective=Objective("mean", 5.4e6),
        name="Spring",
        notes="Booked in May.",
        run_id=RUN,
    )


def plan_of(kind, names=synthetic.PAID):
    return plan_of_weeks(names) if kind == "weeks" else plan_of_geos(names)


@pytest.fixture(scope="module", params=KINDS)
def written(request, tmp_path_factory):
    """The run, a plan, and what `python -m core report` wrote of them."""
    project = tmp_path_factory.mktemp(f"project_{request.param}")
    (project / "runs").mkdir()
    run = run_folder(project / "runs" / RUN)
    (run / "state.json").write_text('{"state": "done", "since": "2024-01-02T03:04:05"}')
    about = (run / "run.json").read_text()
    (run / "run.json").write_text(about[:-1] + ', "kind": "fit", "project": "p"}')
    made = plan_of(request.param)
    plan_id = save_plan(project, made).plan_id
    names = {kind: str(project / f"report.{kind}") for kind in ("html", "xlsx", "pptx")}
    outs = [part for name in names.values() for part in ("--out", name)]
    assert main(["report", str(run), "--plan", plan_id, *outs]) == 0
    return run, made, names


@pytest.fixture(scope="module")
def said(written):
    """The text of the page, the slides and the workbook."""
    names = written[2]
    with open(names["html"], encoding="utf-8") as file:
        page = Page(file.read()).said()
    book = openpyxl.load_workbook(names["xlsx"])
    cells = [
        c.value for s in book for row in s for c in row if isinstance(c.value, str)
    ]
    texts = {"html": page, "xlsx": " ".join(cells), "pptx": " ".join(shown_in(names))}
    return {kind: plain(text) for kind, text in texts.items()}


def shown_in(names) -> list[str]:
    shown = []
    for slide in Presentation(names["pptx"]).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                shown.append(shape.text_frame.text)
            if shape.has_table:
                shown += [c.text for row in shape.table.rows for c in row.cells]
    return shown


@pytest.mark.parametrize("kind", ["html", "xlsx", "pptx"])
def test_each_has_headline_advice_and_notes(written, said, kind):
    made = written[1]
    for card in cards(made):
        texts = (card.label,) if kind == "xlsx" else (card.value, card.ci)
        for text in texts:  # numbers are numbers in the workbook
            assert plain(text) in said[kind], card
    for words in (made.title, *of_plan.answer(made), made.notes):
        assert words and plain(words) in said[kind]
    if kind != "pptx":  # slides have them under heads of their own
        for words in of_plan.notes(made):
            assert plain(words) in said[kind]
    gain = fmt.estimate(made.gain, "money", "EUR", signed=True)
    assert plain(gain) in " ".join(
        plain(f"{card.value} {card.ci}") for card in cards(made)
    )


def test_every_cell_and_total_is_the_same_in_all_three(written, said):
    _, made, names = written
    grid = spend_grid(made)
    sheet = openpyxl.load_workbook(names["xlsx"], data_only=True)["Plan"]
    heads = [cell.value for cell in sheet[4]]
    assert heads[1 : 2 + len(grid.channels)] == [*grid.channels, "All channels"]
    cells = np.array(
        [
            [float(sheet.cell(5 + i, 2 + j).value) for j in range(len(grid.channels))]
            for i in range(len(grid.rows))
        ]
    )
    np.testing.assert_allclose(cells, grid.planned, atol=1e-6)
    assert cells.sum() == pytest.approx(made.budget, abs=0.01)
    exact = [*cells.ravel(), *cells.sum(axis=0), *cells.sum(axis=1), cells.sum()]
    for amount in exact:
        for kind in ("html", "pptx"):
            assert fmt.exact(float(amount), decimals=0) in said[kind]


def test_sums_are_live_and_right(written):
    _, made, names = written
    grid = spend_grid(made)
    formulas = openpyxl.load_workbook(names["xlsx"])["Plan"]
    values = openpyxl.load_workbook(names["xlsx"], data_only=True)["Plan"]
    n, last = len(grid.channels), 4 + len(grid.rows)
    total = openpyxl.utils.get_column_letter(n + 2)
    end = openpyxl.utils.get_column_letter(n + 1)
    assert formulas[f"{total}5"].value == f"=SUM(B5:{end}5)"
    assert formulas[f"B{last + 1}"].value == f"=SUM(B5:B{last})"
    assert formulas[f"{total}{last + 1}"].value == f"=SUM({total}5:{total}{last})"
    assert formulas["B3"].value == f"=ROUND({total}{last + 1}-B2,2)"
    assert values[f"{total}{last + 1}"].value == pytest.approx(made.budget)
    for row, known in zip(range(5, last + 1), grid.row_totals, strict=True):
        assert values[f"{total}{row}"].value == pytest.approx(known)
    change = formulas[f"B{last + 3}"].value
    assert change == f'=IF(B{last + 2}=0,"",B{last + 1}/B{last + 2}-1)'
    known = made.channels[0].multiplier - 1
    assert values[f"B{last + 3}"].value == pytest.approx(known)


def test_charts_are_native_and_hold_every_cell(written):
    _, made, names = written
    grid = spend_grid(made)
    charts = [
        shape.chart
        for slide in Presentation(names["pptx"]).slides
        for shape in slide.shapes
        if shape.has_chart
    ]
    stacked = charts[0].plots[0]
    assert [series.name for series in stacked.series] == list(grid.channels)
    for place, series in enumerate(stacked.series):
        assert list(series.values) == pytest.approx(grid.planned[:, place].tolist())
    blob = charts[0].part.chart_workbook.xlsx_part.blob
    embedded = openpyxl.load_workbook(io.BytesIO(blob)).active
    assert embedded["B2"].value == pytest.approx(grid.planned[0, 0])
    book = openpyxl.load_workbook(names["xlsx"])
    assert {"Plan", "Chart", "Odds"} <= set(book.sheetnames)
    assert len(book["Chart"]._charts) == 1


def test_tables_of_slides_go_on(written):
    _, made, names = written
    grid = spend_grid(made)
    said = [
        text
        for text in shown_in(names)
        if f"spend by {grid.over} and channel" in text.split("\n")[0]
    ]
    titles = [slide.shapes.title.text for slide in Presentation(names["pptx"]).slides]
    claim = "Spend peaks in the week of" if grid.over == "week" else "gets most, "
    pages = [title for title in titles if claim in title]
    assert len(said) >= len(pages)
    assert len(pages) == (2 if grid.over == "week" else 1)
    assert "more, see the HTML" not in " ".join(shown_in(names))


def test_a_plan_of_weeks_has_its_quarters(written):
    _, made, names = written
    grid = spend_grid(made)
    said = shown_in(names)
    quarters = [text for text in said if re.fullmatch(r"Q\d \d{4}", text)]
    if grid.over != "week":
        assert not quarters
        return
    assert quarters == ["Q1 2025", "Q2 2025"]
    first = [row < "2025-04" for row in map(str, grid.rows)]
    for place in range(len(grid.channels)):
        for weeks in (first, np.invert(first)):
            total = float(grid.planned[weeks, place].sum())
            assert fmt.exact(total, decimals=0) in said


def test_the_page_has_an_interactive_map_and_is_offline(written):
    with open(written[2]["html"], encoding="utf-8") as file:
        text = file.read()
    assert '"type":"heatmap"' in text.replace(" ", "")
    assert "figure-plan-0" in text and "figure-plan-1" in text
    assert "connect-src" not in text and "default-src 'none'" in text


def called(part, key):
    """A geo with a name that looks like code."""
    return replace(part, **{key: f"=HYPERLINK({getattr(part, key)})"})


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_text_runs(kind):
    names = ("=1+1", "@cmd", "+A1", "-2")
    made = plan_of(kind, names)
    if kind == "geos":
        made = with_details(
            made,
            geos=tuple(called(geo, "name") for geo in made.geos),
            cells=tuple(called(cell, "geo") for cell in made.cells),
        )
    book = openpyxl.load_workbook(
        io.BytesIO(plan_workbook(with_details(made, name="=2+2")))
    )
    formulas = [c.value for s in book for row in s for c in row if c.data_type == "f"]
    ours = re.compile(r'=(SUM\([A-Z]+\d+:[A-Z]+\d+\)|ROUND\(|IF\([A-Z]+\d+=0,"")')
    assert formulas and all(ours.match(text) for text in formulas)
    texts = {c.value for row in book["Plan"] for c in row if c.data_type == "s"}
    assert {"=2+2", *names} <= texts


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_stay_names(kind, tmp_path):
    names = ("=1+1", "<script>alert(2)</script>", "a\x07b", "-2")
    run = run_folder(tmp_path / "run", (*names, *synthetic.NAMES[4:]))
    from core.report.deck.slides import slides
    from core.report.html import write_report

    text = write_report(run, tmp_path / "r.html", plan_of(kind, names)).read_text()
    assert "<script>alert(2)" not in text
    deck = Presentation(io.BytesIO(slides(told.read(run), plan_of(kind, names))))
    chart = next(s.chart for d in deck.slides for s in d.shapes if s.has_chart)
    series = [one.name for one in chart.plots[0].series]
    assert series[0] == "'=1+1" and series[3] == "'-2"


def test_a_plan_that_teaches_says_so_in_the_workbook_and_the_report(tmp_path):
    plan = with_details(plan_of_weeks(), teaching=teaching())
    book = openpyxl.load_workbook(io.BytesIO(plan_workbook(plan)))
    rows = list(book["Knowledge"].iter_rows(values_only=True))
    assert "Learning costs" in rows[0][0]
    by_name = {row[0]: row for row in rows if row[0]}
    assert by_name["Cost of learning"][1] == plan.teaching.cost.mean
    assert any("separates carryover from level" in str(row[6]) for row in rows)
    assert (
        "Knowledge"
        not in openpyxl.load_workbook(
            io.BytesIO(plan_workbook(plan_of_weeks()))
        ).sheetnames
    )
    told = {table.title: table for table in plan_tables.tables(plan)}
    table = told["What the plan teaches"]
    assert table.rows[0][0] == "Cost of learning"
    changes = told["Weeks that differ"].rows
    assert [row[0] for row in changes] == ["TV, 5 May – 12 May", "TV, 19 May"]
    assert all("separates carryover from level" in row[2] for row in changes)


@pytest.mark.parametrize("kind", ["terminal", "page", "slides"])
def test_every_medium_tells_the_price_the_promise_and_why_each_week(tmp_path, kind):
    from core.cli.plans.planning import plan_text
    from core.report.deck.slides import slides
    from core.report.html import write_report

    plan = with_details(plan_of_weeks(), teaching=teaching())
    run = run_folder(tmp_path / "run")
    if kind == "terminal":
        text = plan_text(plan)
    elif kind == "page":
        text = write_report(run, tmp_path / "r.html", plan).read_text()
    else:
        deck = Presentation(io.BytesIO(slides(told.read(run), plan)))
        text = "\n".join(
            shape.text_frame.text
            for slide in deck.slides
            for shape in slide.shapes
            if shape.has_text_frame
        )
    words = " ".join(text.replace("\u00a0", " ").split())
    for said in ("Cost of learning", "Expected later", "Weeks that differ"):
        assert said in words
    for said in ("TV, 5 May – 12 May", "TV, 19 May", "Is dark for 2 weeks from 5 May"):
        assert said in words


def test_a_plan_that_teaches_nothing_more_has_no_empty_table(tmp_path):
    from core.report.deck.slides import slides

    same = teaching(is_other=False, changes=())
    plan = with_details(plan_of_weeks(), teaching=same)
    sheet = openpyxl.load_workbook(io.BytesIO(plan_workbook(plan)))["Knowledge"]
    cells = {cell.value for row in sheet for cell in row}
    assert {"Value of certainty", "This plan"} <= cells
    for absent in ("Cost of learning", "Plan that only earns", "Weeks that differ"):
        assert absent not in cells
    deck = slides(told.read(run_folder(tmp_path / "run")), plan)
    titles = [x.shapes.title.text for x in Presentation(io.BytesIO(deck)).slides]
    assert titles.count("Interval of the return narrows by") == 1


def test_geos_that_differ_are_in_the_workbook_and_the_report(tmp_path):
    shares = (
        Share(channel="TV", geo="Harbour", usual=0.4, planned=0.48),
        Share(channel="TV", geo="Hill", usual=0.6, planned=0.52),
    )
    plan = with_details(plan_of_weeks(), teaching=teaching(spread=0.2), shares=shares)
    book = openpyxl.load_workbook(io.BytesIO(plan_workbook(plan)))
    cells = {cell.value for row in book["Spend by geo"] for cell in row}
    assert {"TV: Harbour", "TV: Hill"} <= cells
    shown = {table.title: table for table in plan_tables.tables(plan)}
    assert list(shown)[-1] == "Geos that differ"
    assert shown["Geos that differ"].rows[0][:2] == ["TV", "Harbour"]
    assert "instead of" in shown["What the plan teaches"].note


@pytest.mark.parametrize("columns", [4, 10, 11, 14, 20, 27])
def test_no_slide_has_a_table_of_one_column(columns):
    heads = ["Geo", *(f"c{at}" for at in range(columns - 1))]
    pieces = [head for head, _ in plan_slides._pages(heads, [heads])]
    widths = [len(piece) - 1 for piece in pieces]
    assert sum(widths) == columns - 1 and max(widths) <= 9
    assert max(widths) - min(widths) < len(widths)
    assert [name for piece in pieces for name in piece[1:]] == heads[1:]


def test_a_channel_that_stays_off_is_not_new():
    plan = plan_of_weeks()
    first, second, *others = plan.channels
    off = replace(first, planned=0.0, current=0.0, multiplier=None)
    begins = replace(second, planned=5e3, current=0.0, multiplier=None)
    plan = replace(plan, channels=(off, begins, *others))
    (table,) = (each for each in plan_tables.tables(plan) if each.title == "Channels")
    changes = [plain(row[table.heads.index("Change")]) for row in table.rows]
    assert changes[:3] == ["0 %", "new", "+11 %"]
