"""The skill for agents with a shell: its form; its commands are understood."""

import re
import shlex
from pathlib import Path

from core.cli.main import parser

SKILL = Path(__file__).resolve().parents[1] / "assets/skills/mixwright/SKILL.md"
TEXT = SKILL.read_text()


def test_it_has_the_form_of_a_skill():
    head, body = TEXT.removeprefix("---\n").split("\n---\n", 1)
    about = dict(line.split(": ", 1) for line in head.splitlines())
    assert about["name"] == SKILL.parent.name and about["license"] == "Apache-2.0"
    assert re.fullmatch(r"[a-z0-9-]{1,64}", about["name"])
    assert 50 < len(about["description"]) <= 1024 and "Use when" in about["description"]
    assert len(body.splitlines()) < 500


def test_its_commands_are_understood():
    blocks = re.findall(r"^    mixwright (.+)$", TEXT, flags=re.M)
    spoken = re.findall(r"`mixwright ([a-z].+?)`", TEXT)
    assert len(blocks) >= 10 and len(spoken) >= 3
    for command in [*blocks, *spoken]:
        parser().parse_args(shlex.split(command))
    options = set(re.findall(r"`(--[a-z-]+)`", TEXT)) - {"--json", "--yes"}
    text = parser().format_help()
    for action in parser()._subparsers._group_actions:
        for each in action.choices.values():
            text += each.format_help()
    assert {option for option in options if option not in text} == set()


def test_it_says_when_to_stop_and_ask():
    assert TEXT.count("**Stop") + TEXT.count("**stop") >= 2
    assert TEXT.lower().count("ask") >= 6
    for word in ("trustworthy", "doubtful", "failed", "change", "test", "keep"):
        assert f"`{word}`" in TEXT
