"""Which files of tests a run reads, and in which order: the longest first.

    python -m tests.order [PATH …]      measures these files, or all, slow or not

Seconds are of processor time, of the tests and of the processes that they wait for, so
a machine that does other things beside measures the same. `durations.txt` has the files
above `SHORTEST`, the longest first; files that were not measured keep what they have.
"""

import os
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILE = HERE / "durations.txt"
#: Shorter files fill gaps at the end in whatever order.
SHORTEST = 5.0

#: Slow by nature, and so run by `make test-slow`: journeys in a browser, clusters,
#: processes that are killed, fits and densities that compile for themselves alone,
#: every public table, every screen tried by a person who may only read.
SLOW = (
    "e2e",
    "recovery",
    "parity",
    "notebook",
    "analysis/test_analysis_backtest.py",
    "cli/test_cli_many.py",
    "data/test_data_census.py",
    "data/test_data_counted.py",
    "data/test_data_isolated.py",
    "data/test_data_large.py",
    "plan/test_plan_flight_goals.py",
    "plan/test_plan_flight_target.py",
    "data/test_data_layout_public.py",
    "fit/test_fit_devices.py",
    "jobs/test_jobs_backtest_run.py",
    "jobs/test_jobs_cluster.py",
    "jobs/test_jobs_fault_suite.py",
    "jobs/test_jobs_faults.py",
    "jobs/test_jobs_fit_run.py",
    "jobs/test_jobs_flight_run.py",
    "jobs/test_jobs_funnel_run.py",
    "jobs/test_jobs_no_spend.py",
    "jobs/test_jobs_prices_run.py",
    "jobs/test_jobs_refresh_run.py",
    "jobs/test_jobs_standby.py",
    "jobs/test_jobs_teaching_life.py",
    "jobs/test_jobs_requests.py",
    "model/test_model_collapsed.py",
    "model/test_model_common_noise.py",
    "model/test_model_linear_block.py",
    "pages/test_pages_attempts.py",
    "pages/test_pages_viewer.py",
    "plan/test_plan_first.py",
    "test_privacy.py",
    "test_proxy.py",
)


@cache  # asked for every test of a file
def is_slow(path: Path) -> bool:
    """Whether a file is slow by nature."""
    return any(path.is_relative_to(HERE / each) for each in SLOW)


def is_left_out(path: Path, marks: list[str]) -> bool:
    """Whether no test of a file can have the marks, so that none need be imported.

    Of `make test` these are the slow files; of `make test-slow` those that neither are
    in `SLOW` nor mark a test themselves. From the others the marks choose as ever.

    Args:
        path: Of the file.
        marks: What pytest's option -m joins by "and".
    """
    if path.suffix != ".py":
        return False
    if "not slow" in marks:
        return is_slow(path)
    if "slow" not in marks or is_slow(path):
        return False
    return "mark.slow" not in path.read_text(encoding="utf-8")


def durations() -> dict[str, float]:
    """Seconds of each long file by its path below the folder of tests."""
    rows = (line.split(maxsplit=1) for line in FILE.read_text().splitlines())
    return {path: float(seconds) for seconds, path in rows}


def write(seconds: dict[str, float]) -> None:
    """Keep the files that take long, the longest first."""
    long = [(value, path) for path, value in seconds.items() if value >= SHORTEST]
    rows = sorted(long, key=lambda row: (-row[0], row[1]))
    FILE.write_text("".join(f"{value:.0f} {path}\n" for value, path in rows))


def name(path: Path) -> str:
    """Path below the folder of tests."""
    return path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else str(path)


def _processor() -> float:
    return sum(os.times()[:4])


class Recorder:
    """Adds up what the tests of each file take, their fixtures included."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """One test with its fixtures."""
        before = _processor()
        outcome = yield
        self.seconds[name(item.path)] += _processor() - before
        return outcome


def main(arguments: list[str]) -> int:
    """Run the tests in one process, and keep what they took."""
    recorder = Recorder()
    options = ["-q", "-n", "0", "-m", "not calibration"]
    code = pytest.main([*options, *arguments], plugins=[recorder])
    write(durations() | recorder.seconds)
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
