"""Errors as they are raised, read in every language: no English is left over."""

from dataclasses import replace

import numpy as np
import pytest

from core.data.files.load import load_table
from core.errors import MMMError
from core.plan.limits.cell_faults import cell_faults
from core.plan.limits.cells import Cells
from core.plan.limits.channels import Money
from core.project.settings.project import load_project
from core.store.places import run_folder
from core.text.languages.language import LANGUAGES, SOURCE, missing_messages, spoken_in
from core.text.languages.reworded import reworded

OTHERS = tuple(name for name in LANGUAGES if name != SOURCE)
NAMES = ("TV", "Radio")


def limits(budget: float) -> Cells:
    """Two channels of 60 to 100 over two weeks."""
    low, high = np.full((2, 2), 30.0), np.full((2, 2), 50.0)
    ends = np.full(2, 60.0), np.full(2, 100.0)
    return Cells(NAMES, ("3 Aug", "10 Aug"), low, high, *ends, np.full(2, 1e3), budget)


CASES = (
    limits(90),
    limits(250),
    limits(-1),
    replace(limits(150), least=np.full(2, 120.0)),
    replace(limits(150), most=np.full(2, 50.0)),
    replace(limits(150), least=np.full(2, 110.0), most=np.full(2, 200.0)),
    replace(limits(150), column_most=np.full(2, 40.0)),
)


def check(message: str, hint: str) -> None:
    for name in OTHERS:
        with spoken_in(name), missing_messages() as missing:
            for text in filter(None, (message, hint)):
                said = reworded(text, NAMES)
                assert said != text, text
                words = {"the", "of", "and", "or", "is", "are", "has", "it", "week"}
                assert not words & set(said.lower().split()), said
        assert not missing


@pytest.mark.parametrize("cells", CASES)
def test_limits_that_contradict_each_other(cells):
    findings = cell_faults(cells, Money("€"))
    assert findings
    for each in findings:
        check(each.message, each.hint)


@pytest.mark.parametrize(
    "content", [b"", b"date\n2024-01-01\n", b"date,tv\n", b"\x89PNG\r\n\x1a\n\x00\x00"]
)
def test_files_that_are_no_table(tmp_path, content):
    path = tmp_path / "sales.csv"
    path.write_bytes(content)
    with pytest.raises(MMMError) as caught:
        load_table(path, "sales.csv")
    check(caught.value.message, caught.value.hint)


def test_projects_and_runs_that_are_not_there(tmp_path):
    with pytest.raises(MMMError) as caught:
        load_project(tmp_path)
    check(caught.value.message, "")
    with pytest.raises(MMMError) as caught:
        run_folder(tmp_path, "20250131-093000-0a1b2c3d")
    check(caught.value.message, caught.value.hint)
