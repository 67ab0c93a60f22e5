"""What somebody typed never runs as a formula, whatever table it is written to."""

import pytest

from core.text.escaping import inert, printable

HOSTILE = ["=1+1", "+49", "-cmd|x", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"]


@pytest.mark.parametrize("name", HOSTILE)
def test_formulas_become_text(name):
    assert inert(name) == f"'{name}"


@pytest.mark.parametrize("content", ["TV", "", "a=b", "−5 %", 5, -5.0, None, True])
def test_all_else_stays(content):
    assert inert(content) is content


def test_control_signs_go_and_hard_spaces_stay():
    assert printable("a\x00b\u00a0c") == "a b\u00a0c"
