"""Words that left the product do not come back; guides to style say why."""

from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEFT = (
    "A fit is at work",
    "Added after the end",
    "(standard deviations), and",
    "Dot: spend now",
    'Share of draws."',
    "best possible one",
    "device, prior or option; and",
    "what made the outcome, response",
    "ROI, posterior mean",
    "is a count with a value:",
    "over time, {shown} per",
    "with 90\\u00a0%.",
    "in 100 draws",
    "joint draws with the noise",
    'posterior standard deviations "',
    "so its draws support",
    "step that the draws support",
    '"Share of draws in',
    "part that the draws support:",
    '% of draws."',
    "All ±",
    "Beats it",
    "Goal in all",
    "Only what the draws support",
    "What will make the",
    "Beats {over}",
    '"Moved, sd"',
    "Outcome and knowledge",
    "Skill v.",
    "of the ordinary noise",
    "Flighting screen",
    "Give 1.0 for as",
    "Go on with it",
    "Make large",
    "Made large",
    "May be off",
    "Mend it",
    "Nothing came",
    "So many fits",
    "The next money",
    "a gift to every other",
    "all the same,",
    "all the same.",
    "anew.",
    "as a year before",
    "best possible plan under",
    "beyond spend seen",
    "current budget",
    "current split",
    "dearer than",
    "dearest period",
    "farther off than noise",
    "gives way to the result",
    "handed down",
    "holds likely",
    "in a unit of its own",
    "iron out",
    "is at work already",
    "is found for the",
    "is no amount",
    "is no date",
    "is no interval",
    "is no multiple",
    "is no number",
    "is no range",
    "is no yearly",
    "make large:",
    "moves is",
    "nine of ten draws",
    "no money, give",
    "of the KPI anew",
    "of the noise of a",
    "one year before",
    "of no kind that",
    "second look",
    "stood in the table",
    "that no one plan",
    "today as it is",
    "today's split",
    "the plan is worth it",
    "the request is at fault",
    "} gone",
)
SHOWN = [
    *sorted((ROOT / "core").rglob("*.py")),
    *sorted((ROOT / "pages").rglob("*.py")),
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@cache
def read(path: Path) -> str:
    return path.read_text("utf-8")


@pytest.mark.parametrize("words", LEFT)
def test_words_that_left(words):
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SHOWN
        if words in read(path)
        for number, line in enumerate(read(path).splitlines(), start=1)
        if words in line
    ]
    assert not found
