"""Formulas of workbooks, worked out by a spreadsheet program: what the app says."""

import shutil
import subprocess

import openpyxl
import pytest
from test_report_grid import plan_of
from test_report_html import run_folder

from core.report import content as told
from core.report.books.report_book import plan_workbook, report_workbook
from tests.charts import synthetic

SOFFICE = shutil.which("soffice")
CALC = "xlsx:Calc MS Excel 2007 XML"


@pytest.fixture(scope="module")
def books(tmp_path_factory):
    """Folders of workbooks as they were written, and as LibreOffice works them out."""
    if SOFFICE is None:
        pytest.skip("no soffice was found; install LibreOffice Calc")
    folder = tmp_path_factory.mktemp("books")
    written, live, worked_out = (
        folder / name for name in ("written", "live", "worked out")
    )
    written.mkdir()
    live.mkdir()
    content = told.read(run_folder(folder / "20240102-030405-00000000"))
    for name, book in {
        "report": report_workbook(content, synthetic.plan()),
        "weeks": plan_workbook(plan_of("weeks")),
        "geos": plan_workbook(plan_of("geos")),
    }.items():
        (written / f"{name}.xlsx").write_bytes(book)
        formulas = openpyxl.load_workbook(written / f"{name}.xlsx")
        formulas.save(live / f"{name}.xlsx")  # without their values
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [SOFFICE, profile, "--headless", "--convert-to", CALC]
    command += ["--outdir", str(worked_out), *map(str, sorted(live.iterdir()))]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    return written, worked_out


@pytest.mark.parametrize(
    ("name", "least"), [("report", 70), ("weeks", 25), ("geos", 20)]
)
def test_every_formula_has_the_value_that_the_app_says(books, name, least):
    written, worked_out = (folder / f"{name}.xlsx" for folder in books)
    formulas = openpyxl.load_workbook(written)
    said = openpyxl.load_workbook(written, data_only=True)
    found = openpyxl.load_workbook(worked_out, data_only=True)
    compared = 0
    for sheet in formulas.worksheets:
        for row in sheet:
            for cell in row:
                if cell.data_type != "f":
                    continue
                ours = said[sheet.title][cell.coordinate].value
                theirs = found[sheet.title][cell.coordinate].value
                where = f"{sheet.title} {cell.coordinate} {cell.value}"
                if isinstance(ours, str) or ours is None:
                    assert (theirs or "") == (ours or ""), where
                else:
                    assert theirs == pytest.approx(ours, rel=1e-9, abs=0.01), where
                compared += 1
    assert compared >= least
