"""Read tables of known truth and count what is read wrongly without a message.

    python -m tests.data.fuzz            2,000 files of fixed seeds
    python -m tests.data.fuzz 300 5000   300 files from seed 5000 on

A file passes if what is read is the truth, or if it is refused or asked about with an
error-level finding. Any other is a silent misreading.
"""

import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.data.checks.validate import check_table
from core.data.files.load import load_table
from core.data.observations import observe
from core.data.reading.findings import Finding, blocks
from core.data.recognition.recognise import guess_mapping
from core.errors import MMMError
from tests.data.known_tables import Known, known_table

FILES = 2000
SECONDS = 10.0
MEGABYTES = 1024


@dataclass(frozen=True)
class Outcome:
    """What became of one file.

    Attributes:
        known: The file.
        kind: `read`, `asked`, `refused`, `misread`, `crashed`, or `needless` for a
            clear file that was not read.
        said: What was said, or what was misread.
        seconds: Processor time that it took: other work beside it does not count.
    """

    known: Known
    kind: str
    said: str
    seconds: float


def outcome(seed: int) -> Outcome:
    """Read the file of one seed and compare it with the truth."""
    known = known_table(seed)
    start = time.process_time()
    try:
        kind, said = _read(known)
    except Exception as error:  # what the count is about
        kind, said = "crashed", f"{type(error).__name__}: {error}"
    if kind in ("asked", "refused") and known.is_clear:
        kind = "needless"
    return Outcome(known, kind, said, time.process_time() - start)


def _read(known: Known) -> tuple[str, str]:
    try:
        frame = load_table(known.data, known.name)
        mapping = guess_mapping(frame)
    except MMMError as error:
        return "refused", f"{error.message} {error.hint}"
    findings = check_table(frame, mapping)
    if blocks(findings):
        return "asked", _errors(findings)
    observed = observe(frame, mapping)
    wrong = []
    if len(frame) != len(known.days):
        wrong.append(f"{len(frame)} rows of {len(known.days)}")
    elif not np.array_equal(observed.dates.values, known.days):
        wrong.append(f"{observed.dates.values[:3]}, not {known.days[:3]}")
    used = dict(observed.numbers)
    for name, truth in known.truth.items():
        if name not in used:
            wrong.append(f"{name} is not used")
        elif len(truth) == len(frame):
            values = np.nan_to_num(used[name].values)
            off = ~np.isclose(values, truth, rtol=1e-9, atol=1e-9)
            if off.any():
                at = int(np.argmax(off))
                cell = f"{values[at]:.10g}, not {truth[at]:.10g}"
                wrong.append(f"{name}: {off.sum()} cells, row {at + 2} as {cell}")
    return ("misread", "; ".join(wrong)) if wrong else ("read", "")


def _errors(findings: list[Finding]) -> str:
    return " ".join(one.message for one in findings if one.severity == "error")


def main(arguments: list[str]) -> int:
    """Read the files and print what became of them."""
    n = int(arguments[0]) if arguments else FILES
    first = int(arguments[1]) if len(arguments) > 1 else 0
    counts: Counter[str] = Counter()
    slowest = 0.0
    for seed in range(first, first + n):
        one = outcome(seed)
        counts[one.kind] += 1
        slowest = max(slowest, one.seconds)
        if one.kind in ("misread", "crashed", "needless") or one.seconds > SECONDS:
            print(f"{one.kind} {seed}: {one.known.about}\n    {one.said[:300]}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{n} files: " + ", ".join(f"{v} {k}" for k, v in counts.most_common()))
    print(f"slowest {slowest:.1f} s, peak memory {peak:,.0f} MB")
    bad = counts["misread"] + counts["crashed"] + counts["needless"]
    return int(bad > 0 or slowest > SECONDS or peak > MEGABYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
