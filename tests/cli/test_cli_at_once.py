"""Two commands at once: each does its work or says in a sentence why not."""

import shutil
import threading

import pytest

from tests.cli.cases import MARKET, Case
from tests.cli.killed import Killable

#: Pairs of verbs that want the same project, file or name.
PAIRS = [
    ("init", "init"),
    ("plan saved", "plan saved"),
    ("plan in files", "plan in files"),
    ("update", "backup"),
    ("update", "update"),
    ("prune", "workbook"),
    ("prune", "prune"),
    ("delete", "page"),
    ("delete", "plan saved"),
    ("project renamed", "update"),
    ("plan of record", "plan deleted"),
    ("restore", "plan saved"),
    ("backup", "backup"),
]
#: What can only be done once; a table that is replaced meanwhile may be refused.
ONCE, ONCE_OR_TWICE = ("init",), ("update",)


@pytest.fixture(scope="module")
def second():
    """Another process that commands are forked from."""
    with Killable() as one:
        yield one


def both(first, second, case, pair):
    """Two commands in one folder, begun at once."""
    ended = {}

    def one(number, killable, verb):
        words = [case.words_of(verb)]
        ended[number] = killable.run(words, case.folder)

    threads = [
        threading.Thread(target=one, args=(number, killable, verb))
        for number, (killable, verb) in enumerate(
            zip((first, second), pair, strict=True)
        )
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ended[0], ended[1]


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_two_commands_at_once(killable, second, template, tmp_path, pair):
    for number in range(2):
        case = Case(killable, template, tmp_path / str(number), pair[0])
        ended = both(killable, second, case, pair)
        for one, verb in zip(ended, pair, strict=True):
            assert one.code in (0, 1), (verb, one.err)
            assert "Traceback" not in one.err, (verb, one.err)
            said = one.err.count("Error: ")
            assert said == one.code, (verb, one.err)
        codes = [one.code for one in ended]
        assert 0 in codes
        if pair[0] == pair[1] and pair[0] not in ONCE_OR_TWICE:
            assert codes.count(0) == (1 if pair[0] in ONCE else 2), ended
        assert not case.broken() and not case.left()
        assert case.state()
        if pair == ("plan saved", "plan saved"):
            project = case.folder / "home" / "projects" / MARKET
            assert len(list(project.glob("plans/2*.json"))) == 4
        shutil.rmtree(case.folder)
