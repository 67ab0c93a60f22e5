"""`python -m tests.parity DIR [--data DATA] [--precision float32] [--json]`.

Recomputes every reference case below DIR and prints one line per case with the
largest relative error of each group of quantities. Exit status 0 only where all are
below 1e-6 in float64 (1e-3 in float32).
"""

import argparse
import json
import os
import sys
from pathlib import Path

from tests.parity.relative_error import TOLERANCE


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.parity")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--data", type=Path, help="data sets; by default DIR/../data")
    parser.add_argument("--precision", choices=sorted(TOLERANCE), default="float64")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    os.environ["JAX_ENABLE_X64"] = "1" if given.precision == "float64" else "0"
    cases = sorted(path.parent for path in given.folder.rglob("case.json"))
    if not cases:
        print(f"There is no case.json below {given.folder}.", file=sys.stderr)
        return 1
    data = given.data or given.folder / ".." / "data"
    results = {}
    for folder in cases:
        results[folder.name] = result = check(folder, data, given.precision)
        if not given.json:
            print(line(folder.name, result, TOLERANCE[given.precision]), flush=True)
    passed = all(result["passed"] for result in results.values())
    if given.json:
        print(json.dumps({"passed": passed, "cases": results}))
    else:
        n_passed = sum(result["passed"] for result in results.values())
        print(f"{n_passed} passed, {len(results) - n_passed} failed")
    return 0 if passed else 1


def check(folder: Path, data: Path, precision: str) -> dict:
    """Errors of one case by group, and whether all are within tolerance."""
    # Imported here: the precision must be set before JAX is imported.
    from core.errors import MMMError
    from tests.parity.cases import UnknownOption, read_case
    from tests.parity.compare import Comparison

    try:
        errors = Comparison(read_case(folder, data), precision).errors()
    except (UnknownOption, MMMError, KeyError, ValueError, OSError) as error:
        said = f"{type(error).__name__}: {error}"
        return {"passed": False, "errors": {}, "failure": said}
    tolerance = TOLERANCE[precision]
    passed = all(error < tolerance for error in errors.values())
    return {"passed": passed, "errors": errors, "failure": None}


def line(name: str, result: dict, tolerance: float) -> str:
    """One line of the report."""
    word = "pass" if result["passed"] else "FAIL"
    if result["failure"]:
        return f"{word}  {name:32s} {result['failure']}"
    groups = (
        f"{group} {error:.0e}{'' if error < tolerance else ' (!)'}"
        for group, error in result["errors"].items()
    )
    return f"{word}  {name:32s} " + ", ".join(groups)


if __name__ == "__main__":
    sys.exit(main())
