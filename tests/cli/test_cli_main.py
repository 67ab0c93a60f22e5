import argparse
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli import main as main_module
from core.cli.answer import Answer, clean, side_by_side, table
from core.cli.main import PLAIN, main, parser
from core.cli.tables import data

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "wrong",
    [
        (),
        ("nonsense",),
        ("fit",),
        ("fit", "x", "--draws", "many"),
        ("fit", "x", "--precision", "float16"),
        ("summary", "x", "--loud"),
        ("plan", "x", "--budget", "much"),
        ("plan", "x", "--bounds", "0.7"),
        ("plan", "x", "--limit", "0.7:1.3"),
        ("plan", "x", "--limit-money", "TV=low:high"),
        ("report", "x"),
        ("init", "x.csv"),
        ("plan", "x", "--bud", "1"),
    ],
)
def test_wrong_usage_is_two_and_silent_on_standard_output(say, wrong):
    said = say(*wrong)
    assert said.code == 2
    assert said.out == ""
    assert "usage:" in said.err
    assert len(said.err.splitlines()) == 2


@pytest.mark.parametrize(
    ("typed", "wrong", "nearest"),
    [
        (("plan", "--priods", "13", "x"), "--priods", "--periods"),
        (("plan", "x", "--marign=0.4"), "--marign", "--margin"),
        (("tests", "design", "x", "--chanel", "TV"), "--chanel", "--channel"),
        (("fit", "x", "--drawes", "10"), "--drawes", "--draws"),
    ],
)
def test_a_mistyped_option_is_named_with_the_nearest(say, typed, wrong, nearest):
    said = say(*typed)
    assert said.code == 2
    command = " ".join(word for word in typed[:2] if word.isalpha() and word != "x")
    assert f"core {command}: there is no option {wrong} here" in said.err
    assert f"the nearest is {nearest}" in said.err


def test_help_names_every_command(say):
    said = say("--help")
    assert said.code == 0
    for command in ("check", "init", "fit", "summary", "plan", "report", "demo"):
        assert f"\n    {command} " in said.out


def test_a_bug_is_one_sentence_and_all_the_detail(say, monkeypatch):
    def broken(options):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(data, "check", broken)
    said = say("check", "x.csv", "--json")
    assert said.code == 70
    assert said.out == ""
    assert "Traceback" in said.err
    assert said.err.splitlines()[-1] == (
        "Mixwright made a mistake: ZeroDivisionError: by zero"
    )


def test_what_libraries_print_does_not_reach_the_answer(say, monkeypatch):
    def talkative(options):
        print("hello")
        return Answer({"findings": []}, "text")

    monkeypatch.setattr(data, "check", talkative)
    said = say("check", "x.csv", "--json")
    assert said.data == {"findings": []}
    assert "hello" in said.err


def process(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "core", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        timeout=120,
    )


def test_as_a_process_in_a_poor_terminal(fit):
    done = process("summary", str(fit), PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert b"ROI" in done.stdout and b" - " in done.stdout
    assert b"?" not in done.stdout


def test_a_poor_terminal_keeps_signs_of_numbers():
    text = "−2.690 – 5 M € · ▲ größer\u00a0× 3, 日"
    assert text.encode("ascii", PLAIN) == b"-2.690 - 5 M EUR - ^^ grosser x 3, ?"
    assert "−1 €".encode("cp1252", PLAIN) == "-1 €".encode("cp1252")


def test_a_reader_that_has_seen_enough_is_no_error(fit):
    command = f"{sys.executable} -m core summary '{fit}' --json | head -c 5"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=ROOT,
        capture_output=True,
        timeout=120,
    )
    assert done.stdout == b'{\n "c'
    assert done.stderr == b""


def test_commands_load_only_what_they_need(fit):
    # Where Dask is installed, for a cluster, xarray loads it, and it loads SciPy.
    code = f"""
import sys
sys.modules["dask"] = None
from core.cli.main import main
assert main(["plan", {str(fit)!r}, "--json"]) == 0
loaded = {{name.split(".")[0] for name in sys.modules}}
assert not loaded & {{"jax", "streamlit", "plotly", "scipy"}}, loaded
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_tables_line_up_and_terminals_are_not_steered():
    shown = table(("Channel", "ROI"), [("TV", "1.25"), ("中文\x1b[31m", "10.00")])
    lines = shown.splitlines()
    assert lines[2] == "TV          1.25"
    assert lines[3] == "中文 [31m  10.00"
    assert "\x1b" not in shown
    assert clean("a\tb\nc\x07") == "a b\nc "


def test_a_table_wider_than_a_terminal_goes_on_below():
    titles = ("ROI by fit", *(f"channel {n}" for n in range(10)))
    rows = [(f"data to {year}", *["1.23 (0.45 – 2.34)"] * 10) for year in (2024, 2025)]
    text = side_by_side(titles, rows)
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("ROI by fit") == text.count("data to 2025") == 3
    assert all(f"channel {n}" in text for n in range(10))
    texts = side_by_side(titles, [[*row[:-1], "ok"] for row in rows], texts=11)
    assert texts.splitlines()[-1].endswith("  ok")  # below its head, to the left
    assert side_by_side(titles[:3], [row[:3] for row in rows]) == table(
        titles[:3], [row[:3] for row in rows]
    )


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["plan", "RUN", "--budget", "75M"], "budget", 75e6),
        (["plan", "RUN", "--budget", "75,000"], "budget", 75e3),
        (["plan", "RUN", "--lock", "TV=1.5M"], "lock", [("TV", 1.5e6)]),
        (["forecast", "RUN", "--goal", "75 Mio"], "goal", 75e6),
        (["forecast", "RUN", "--goal", "8e7"], "goal", 8e7),
    ],
)
def test_amounts_as_people_type_them(words, name, value):
    assert getattr(parser().parse_args(words), name) == value


def test_an_amount_that_could_be_two_is_wrong_usage(say):
    refused = say("plan", "RUN", "--budget", "75.000")
    assert refused.code == 2
    assert "75.000 can be 75,000 or 75" in refused.err


LONG = "a" * 300
#: Names that no file can have, each with the ending that a command expects.
IMPOSSIBLE = (LONG, f"{LONG}/b", "b/" * 2500 + "b", "file.csv/b", "ring/b", "ring")
TAKES_PATHS = (
    ("init", "file.csv", "--out", "PATH"),
    ("init", "PATH.csv", "--out", "m"),
    ("check", "PATH.csv"),
    ("check", "PATH"),
    ("fit", "PATH"),
    ("summary", "PATH"),
    ("update", "PATH", "file.csv"),
    ("refresh", "PATH"),
    ("report", "PATH", "--out", "x.html"),
    ("report", "m", "--out", "PATH.html"),
    ("report", "m", "--out", "PATH.xlsx"),
    ("plan", "m", "--out", "PATH.json"),
    ("plan", "m", "--scenario", "PATH.toml"),
    ("plan", "m", "--scenario", "PATH.xlsx"),
    ("forecast", "m", "--out", "PATH.csv"),
    ("backtest", "m", "--out", "PATH.html"),
    ("actuals", "PATH.json", "PATH.csv"),
    ("backup", "PATH.zip"),
    ("restore", "PATH.zip"),
    ("status", "--metrics", "PATH.prom"),
    ("history", "PATH"),
)


@pytest.mark.parametrize("command", TAKES_PATHS, ids=" ".join)
def test_a_path_that_cannot_be_is_the_inputs_fault(say, tmp_path, monkeypatch, command):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "home"))
    (tmp_path / "file.csv").write_text("week,sales\n2024-01-01,3\n")
    (tmp_path / "ring").symlink_to("ring")
    for path in IMPOSSIBLE:
        said = say(*(word.replace("PATH", path) for word in command))
        could = command[0] == "status" and path == "ring"  # ring.prom is another file
        assert said.code in ((0,) if could else (1, 2)), (path[:20], said.err[-900:])
        assert "Traceback" not in said.err, (path[:20], said.err[-2000:])


@pytest.mark.parametrize(
    "words",
    [
        ("backtest", "project", "--out", "NAME.json"),
        ("forecast", "project", "--out", "NAME.csv"),
        ("init", "data.csv", "--out", "NAME"),
        ("plan", "project", "--out", "NAME.toml"),
        ("portfolio", "init", "project", "--out", "NAME.toml"),
        ("report", "project", "--out", "NAME.html"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("length", [240, 300])
def test_a_name_that_no_file_can_have_is_refused_at_once(
    words, length, tmp_path, monkeypatch, capfd
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(main_module, "_command", None)  # nothing is computed first
    assert main([word.replace("NAME", "a" * length) for word in words]) == 1
    assert "File name too long. Name another path." in capfd.readouterr().err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_that_a_library_meets_is_no_mistake_of_the_program(
    number, tmp_path, monkeypatch, capfd
):
    def fails(_):
        try:
            raise OSError(number, os.strerror(number), "elsewhere/file")
        except OSError as error:
            raise RuntimeError("library") from error

    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    monkeypatch.setattr(main_module, "_command", lambda _: fails)
    assert main(["status"]) == 1
    said = capfd.readouterr().err
    assert "The disk is full." in said
    assert "Traceback" not in said


def _arguments(command, words=()):
    """Every argument of a command and of its parts."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, part in action.choices.items():
                yield from _arguments(part, (*words, name))
        else:
            yield (*words, *(action.option_strings or [action.metavar])), action.help


def test_help_says_what_every_argument_of_every_command_is():
    listed = list(_arguments(parser()))
    assert len(listed) > 250
    silent = [words for words, about in listed if not (about or "").split("(")[0]]
    assert not silent
