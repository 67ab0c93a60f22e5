"""The report on paper: contents, page numbers, tags, whole charts, any name."""

import io
import re
from dataclasses import replace

import pypdf
import pytest
from many_channels import names_of
from test_report_grid import plan_of_geos, plan_of_weeks
from test_report_html import run_folder

from core.errors import WorkspaceError
from core.report import content as told
from core.report import html
from core.report.document import text_block
from core.report.paper.pdf import document, pdf, set_in_type
from tests.charts import synthetic

#: Height of a page's picture over its width, at most.
LONGEST = 232 / 174
RESTS = "What this rests on"


def read(data: bytes) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(data))


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project") / "20240102-030405-0a1b2c3d"
    return told.read(
        run_folder(folder, has_frequency=True, experiments=synthetic.experiments())
    )


def test_contents_page_numbers_and_tags(content):
    file = read(pdf(content, synthetic.plan()))
    texts = [page.extract_text() for page in file.pages]
    assert len(texts) <= 12
    for i, text in enumerate(texts):
        assert f"{i + 1} / {len(texts)}" in text
    report, _ = document(content, synthetic.plan())
    titles = [section["title"] for section in report["sections"]]
    shown = [entry.title for entry in file.outline[0:] if not isinstance(entry, list)]
    nested = [e.title for part in file.outline if isinstance(part, list) for e in part]
    assert [title for title in [*shown, *nested] if title in titles] == titles
    assert all(title in texts[0] for title in titles)
    assert file.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert "pdfuaid" in file.xmp_metadata.stream.get_data().decode()


@pytest.mark.usefixtures("blank_pictures")
@pytest.mark.parametrize("build", [plan_of_weeks, plan_of_geos])
def test_a_plan_of_many_columns_keeps_every_cell(content, build):
    plan = build()
    report, _ = document(content, plan)
    said = re.sub(
        r"\s", "", "".join(p.extract_text() for p in read(pdf(content, plan)).pages)
    )
    tables = [
        block
        for section in report["sections"]
        for block in section["blocks"]
        if block["kind"] == "table"
    ]
    cells = {cell["text"] for table in tables for row in table["rows"] for cell in row}
    assert len(cells) > 50
    assert not [cell for cell in cells if re.sub(r"\s", "", cell) not in said]


@pytest.mark.usefixtures("blank_pictures")
def test_without_a_currency_the_table_says_what_its_contributions_are_of(content):
    bare = replace(content, units=replace(content.units, currency=""))
    text = " ".join(page.extract_text() for page in read(pdf(bare)).pages)
    assert "contribution in revenue;" in re.sub(r"\s+", " ", text)
    assert "contribution in revenue;" in html.render(bare)


def test_names_are_set_as_typed(tmp_path):
    names = ("#let x = 1", "*TV*", "@cite", "$x^2$", *synthetic.NAMES[4:])
    folder = run_folder(tmp_path / "20240102-030405-00000000", names)
    said = "".join(page.extract_text() for page in read(pdf(told.read(folder))).pages)
    assert all(name in said for name in names[:4])


@pytest.mark.parametrize("n", [25, 40])
def test_no_picture_is_taller_than_a_page(content, n):
    many = content.curves.isel(channel=[i % 4 for i in range(n)])
    wide = replace(content, curves=many.assign_coords(channel=names_of(n)))
    report, pictures = document(wide)
    (curves,) = (
        part["blocks"]
        for part in report["sections"]
        if part["title"] == "What more or less spend would bring"
    )
    assert len(curves) == -(-n // 15)
    for block in curves:
        _, _, width, height = re.search(
            rb'viewBox="([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)"', pictures[block["file"]]
        ).groups()
        assert float(height) / float(width) < LONGEST


@pytest.mark.usefixtures("blank_pictures")
def test_names_that_the_font_cannot_set_do_not_stop_a_report(tmp_path):
    names = ("📱 Reels", "Яндекс", "楽天 市場", "ערוץ 12", *synthetic.NAMES[4:])
    folder = run_folder(tmp_path / "20240102-030405-00000000", names)
    file = read(pdf(told.read(folder)))
    said = "".join(page.extract_text() for page in file.pages)
    assert "Reels" in said and len(file.pages) > 1
    assert file.trailer["/Root"]["/MarkInfo"]["/Marked"]


def test_without_typst_it_says_what_to_install(content, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    with pytest.raises(WorkspaceError, match="typst") as refused:
        pdf(content)
    assert "requirements-pdf.txt" in refused.value.hint


@pytest.mark.usefixtures("blank_pictures")
def test_a_heading_is_on_the_page_of_the_table_that_it_leads_to(content):
    """Wherever on a page it would come."""
    report, _ = document(content)
    (rests,) = (part for part in report["sections"] if part["title"] == RESTS)
    assert [block["kind"] for block in rests["blocks"]] == ["text", "table", "facts"]
    for lines in range(0, 45, 3):
        before = [text_block(f"Line {line}") for line in range(lines)]
        sections = [{"title": "Before", "blocks": before}, rests]
        file = read(set_in_type(report | {"sections": sections}, {}))
        texts = [page.extract_text() for page in file.pages]
        entry = rf"{RESTS}[\s.]*\d+\n"  # of the contents
        (headed,) = (
            i for i, text in enumerate(texts) if RESTS in re.sub(entry, "", text)
        )
        assert "The others differ" in texts[headed] and "Prior on" in texts[headed]
