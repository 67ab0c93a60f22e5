"""Every public reference case agrees with Meridian to 1e-6 in float64."""

import pytest

from tests.parity.__main__ import TOLERANCE, check, line, main
from tests.reference import REFERENCE, needs_reference

CASES = REFERENCE / "cases"
FOLDERS = sorted(path.parent for path in CASES.glob("*/case.json"))


@needs_reference
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_case_agrees_with_meridian(folder):
    result = check(folder, REFERENCE / "data", "float64")
    assert result["passed"], line(folder.name, result, TOLERANCE["float64"])


def test_an_unknown_option_is_a_failure(tmp_path, capsys):
    """Never a skip: a case that cannot be read counts against us."""
    folder = tmp_path / "cases" / "broken"
    folder.mkdir(parents=True)
    (folder / "case.json").write_text("{}")
    assert main([str(tmp_path / "cases")]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_no_cases_is_a_failure(tmp_path):
    assert main([str(tmp_path)]) == 1
