"""Tooltips: for whoever uses the screen, who has no command line."""

import ast
import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "pages"
#: A command, an option of one, a variable of the environment, a file of the project.
COMMAND = re.compile(
    r"python -m|\bmixwright\b|\bcore [a-z]+\b|(?<!\w)--[a-z]|MIXWRIGHT_|\.toml\b|`"
)


def tooltips() -> dict[str, str]:
    """Every text of a `help=`, by file and line."""
    found = {}
    for file in PAGES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.keyword) and node.arg == "help":
                where = f"{file.relative_to(PAGES)}:{node.value.lineno}"
                found[where] = " ".join(
                    part.value
                    for part in ast.walk(node.value)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )
    return found


#: What a person fills in or reads off, whose question mark leads to Help. Not those of
#: columns: Streamlit closes them before a link could be reached.
FIELDS = (
    *("number_input", "text_input", "text_area", "selectbox", "multiselect", "toggle"),
    *("checkbox", "segmented_control", "metric", "amount_field"),
)
#: What writes a tooltip with its way to Help.
LEADS = ("explained", "tip")


def test_question_marks_of_fields_lead_to_help():
    dead = []
    for file in PAGES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            if called.startswith("gated.") or called.split(".")[-1] not in FIELDS:
                continue
            for each in node.keywords:
                if each.arg != "help" or not isinstance(each.value, ast.Call):
                    continue
                if ast.unparse(each.value.func).split(".")[-1] not in LEADS:
                    dead.append(f"{file.relative_to(PAGES)}:{each.value.lineno}")
    assert dead == []


def test_no_tooltip_has_a_command_line():
    texts = tooltips()
    assert len(texts) > 100
    assert {at: text for at, text in texts.items() if COMMAND.search(text)} == {}
    assert COMMAND.search("Run python -m core fit, or set MIXWRIGHT_HOME.")
