"""Several servers on one workspace: never more runs at once than there are slots."""

import subprocess
import sys

from job_bench import PATIENCE, read

from core.jobs.executor import wait
from core.jobs.status import status

SERVER = """
import sys
from pathlib import Path
from core.jobs.executor import submit
for name in sys.argv[1:]:
    submit(Path(name))
"""


def test_two_servers_never_run_two_at_once(bench):
    bench.behave("span")
    runs = [bench.new() for _ in range(6)]
    servers = [
        subprocess.Popen([sys.executable, "-c", SERVER, *map(str, part)])
        for part in (runs[::2], runs[1::2])
    ]
    assert [server.wait(timeout=PATIENCE) for server in servers] == [0, 0]
    assert [wait(run, timeout=PATIENCE).state for run in runs] == ["done"] * 6
    spans = sorted(tuple(map(float, read(run / "span.txt").split())) for run in runs)
    for (_, end), (begin, _) in zip(spans, spans[1:], strict=False):
        assert end <= begin
    for part in (runs[::2], runs[1::2]):  # each server's runs kept their order
        begins = [float(read(run / "span.txt").split()[0]) for run in part]
        assert begins == sorted(begins)
    assert all(status(run).position is None for run in runs)
