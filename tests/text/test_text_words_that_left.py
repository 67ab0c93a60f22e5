"""Words that left the product do not come back; guides to style say why."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEFT = (
    "Added after the end",
    "All ±",
    "Beats it",
    "Flighting screen",
    "Give 1.0 for as",
    "Make large",
    "Made large",
    "May be off",
    "The next money",
    "a gift to every other",
    "farther off than noise",
    "is no multiple",
    "no money, give",
    "of the KPI anew",
    "second look",
    "the plan is worth it",
    "the wish is at fault",
    "} gone",
)
SHOWN = [
    *sorted((ROOT / "core").rglob("*.py")),
    *sorted((ROOT / "pages").rglob("*.py")),
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@pytest.mark.parametrize("words", LEFT)
def test_words_that_left(words):
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SHOWN
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if re.search(re.escape(words), line)
    ]
    assert not found
