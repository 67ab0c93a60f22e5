"""Every command that writes, stopped at its writes: the old state or the new, whole.

Killed, interrupted, or without room: what the next command reads is what was there
before or what was to come, every file is whole, no listing shows what is left, and the
same command works again and sweeps that away.
"""

import pytest

from tests.cli.cases import VERBS, Bench


@pytest.fixture
def bench(request, killable, template, tmp_path):
    """The cases of the verb that a test asks for."""
    return Bench(killable, template, tmp_path, request.param)


#: Those that take the least; the others write in the same ways.
CHEAP = ("update", "plan saved", "plan renamed", "plan of record", "prune", "brief")
CHEAP += ("members", "backup", "restore", "project copied", "note")


@pytest.mark.parametrize("bench", CHEAP, indirect=True)
def test_a_command_that_is_stopped_leaves_the_old_state_or_the_new(bench):
    faults, n = bench.faults(), len(bench.writes)
    after = [at for fault, at in faults if fault == "killed after"]
    bench.check("killed", 1 + 2 * n // 3)
    bench.check("killed after", after[len(after) // 3])
    if bench.verb in CHEAP[:4]:
        bench.check("interrupted", 1 + n // 2)
        bench.check("full", 1 + n // 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "bench", [verb for verb in VERBS if verb not in CHEAP], indirect=True
)
def test_every_other_command_is_stopped_at_some_of_its_writes(bench):
    faults = bench.faults()
    for fault, at in faults[len(faults) // 5 :: len(faults) // 3]:
        bench.check(fault, at)
