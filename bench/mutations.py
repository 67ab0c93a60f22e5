"""Faults seeded into the code, and the share of them that the tests catch.

    python -m bench.mutations --faults 60 --seed 1 --reach REACHED [FOLDER …]
    python -m bench.mutations --faults 60 --seed 1 --reached REACHED [--part 2/6]
    python -m bench.mutations --faults 60 --seed 1 [--only plan] --list

Every fault is one change of one expression (a comparison, a sign, a number, a
condition), drawn with a seed from the functions of six rooms. It is made in a copy of
the tree, and the nearest test files are run there until one fails. Which are near is
found by the first call: a mark stands at every expression while the tests (of some
folders below tests/) run once, and notes which files work it out, in a process that
they start as well. Without that, or where no file does, they are those that are called
like the module or import it, or else a module that does, and so on: what none of them
catches another may, so that their share is a lower bound. A fault without any counts as
missed. The same seed on the same modules makes the same
faults, so that two states of the tests are compared on them: give `--tests` the tests
of the other. A fault whose tests take longer than `--seconds` counts as missed. One
tree and one folder of compiled functions serve all faults of a call; `--part` does a
share of them, so that a whole sample is run in pieces.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("model", "fit", "analysis", "plan", "data", "project")
#: Test files run for a fault, the nearest first.
MOST_FILES = 3
SECONDS = 150

_COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}


@dataclass(frozen=True)
class Fault:
    """One changed expression.

    Attributes:
        path: The module's file.
        line: Of the expression.
        before: The expression.
        after: What it becomes.
        start: Where it begins in its file, characters.
        end: Where it ends.
    """

    path: str
    line: int
    before: str
    after: str
    start: int
    end: int

    @contextmanager
    def inside(self, tree: Path) -> Iterator[None]:
        """Write the fault into a copy of the tree, and take it out again."""
        path = tree / self.path
        text = path.read_text()
        path.write_text(self._instead(text, self.after))
        try:
            yield
        finally:
            path.write_text(text)

    def mark(self, tree: Path, number: int) -> None:
        """Have the expression in a copy of the tree note who works it out.

        A number that a `case` compares with cannot be marked, and is left alone.
        """
        path = tree / self.path
        met = "__import__('bench.mutations', fromlist=['met']).met"
        text = self._instead(path.read_text(), f"({met}({number}), ({self.before}))[1]")
        with suppress(SyntaxError):
            ast.parse(text)
            path.write_text(text)

    def _instead(self, text: str, expression: str) -> str:
        assert text[self.start : self.end] == self.before
        return text[: self.start] + expression + text[self.end :]


def faults_of(path: Path) -> Iterator[Fault]:
    """Every fault that one module could have."""
    text = path.read_text()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in (inner for part in function.body for inner in _outside_texts(part)):
            changed = _changed(node)
            # Positions are bytes; a line with other signs than ASCII is left alone.
            if changed is None or not text.splitlines()[node.lineno - 1].isascii():
                continue
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            before, after = text[start:end], f"({ast.unparse(changed)})"
            yield Fault(
                str(path.relative_to(ROOT)), node.lineno, before, after, start, end
            )


def _outside_texts(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, but for what f-strings hold: it has no place there."""
    if isinstance(node, ast.JoinedStr):
        return
    yield node
    for inner in ast.iter_child_nodes(node):
        yield from _outside_texts(inner)


def _changed(node: ast.AST) -> ast.AST | None:
    """The expression with one thing wrong; None where nothing is changed."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = _COMPARISONS.get(type(node.ops[0]))
        return other and ast.Compare(node.left, [other()], node.comparators)
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return ast.BinOp(node.left, _SIGNS[type(node.op)](), node.right)
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return ast.BoolOp(other, node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return node.operand
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return ast.Constant(node.value + 1)
    return None


def sample(n: int, seed: int, only: str = "") -> list[Fault]:
    """As many faults of every room, one a module while there are enough."""
    rng = random.Random(seed)
    rooms = [only] if only else list(ROOMS)
    chosen = []
    for place, room in enumerate(rooms):
        modules = sorted((ROOT / "core" / room).rglob("*.py"))
        rng.shuffle(modules)
        share = n // len(rooms) + (place < n % len(rooms))
        for module in modules:
            possible = list(faults_of(module))
            if possible and share:
                chosen.append(rng.choice(possible))
                share -= 1
    return chosen


#: Where marks note who met them; processes that a test starts inherit it.
_NOTES = "MIXWRIGHT_MUTATIONS_MET"
_noted: set[tuple[int, str]] = set()


def met(number: int) -> None:
    """Note the test file that works out a marked expression, once a process."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    if not test or (number, test) in _noted:
        return
    _noted.add((number, test))
    with suppress(OSError, KeyError), open(os.environ[_NOTES], "a") as notes:
        notes.write(f"{number} {test}\n")


def reach(faults: list[Fault], tree: Path, folders: list[str]) -> dict[str, list[str]]:
    """The test files that work out each fault's expression.

    Args:
        faults: The sample.
        tree: A copy of the tree; the marks stay in it.
        folders: Below tests/; all of them if there are none. Long files are left out.

    Returns:
        By path and line of the fault, file names below the tree.
    """
    for number, fault in enumerate(faults):
        fault.mark(tree, number)
    notes = tree.parent / "met"
    notes.touch()
    names = _short_files(tree / "tests", folders)
    command = [*_PYTEST, "-n", "0", *names]
    environment = _environment(tree) | {_NOTES: str(notes)}
    subprocess.run(command, cwd=tree, env=environment, check=False)
    reached: dict[str, set[str]] = {}
    for row in notes.read_text().splitlines():
        number, test = row.split(" ", 1)
        reached.setdefault(_key(faults[int(number)]), set()).add(test)
    return {key: sorted(tests) for key, tests in sorted(reached.items())}


def _short_files(tests: Path, folders: list[str]) -> list[str]:
    """Test files that are run for a fault: neither slow by nature nor long."""
    rows = (tests / "durations.txt").read_text().splitlines()
    others = {row.split(maxsplit=1)[1] for row in rows}
    places = [tests / folder for folder in folders] or [tests]
    slow = [tests / name for name in _slow_tests(tests)]
    return [
        str(path.relative_to(tests.parent))
        for place in places
        for path in sorted(place.rglob("test_*.py"))
        if path.relative_to(tests).as_posix() not in others
        and not any(path.is_relative_to(each) for each in slow)
    ]


def _key(fault: Fault) -> str:
    return f"{fault.path}:{fault.line}"


def tests_of(
    fault: Fault, tests: Path, reached: dict[str, list[str]]
) -> tuple[list[Path], bool]:
    """The nearest test files, and whether they are known to meet the fault."""
    module = ROOT / fault.path
    files = [tests.parent / name for name in reached.get(_key(fault), ())]
    is_met = bool(files)
    slow = [tests / name for name in _slow_tests(tests)]
    nearest = sorted(
        set(files) if is_met else _by_imports(module, tests),
        key=lambda path: (
            not path.stem.endswith(f"_{module.stem}"),
            any(path.is_relative_to(place) for place in slow),
            module.stem not in path.read_text(),
            path.stat().st_size,
        ),
    )
    return nearest[:MOST_FILES], is_met


def _by_imports(module: Path, tests: Path) -> set[Path]:
    """The test files that are called like a module or import it, or a caller's."""
    files = [path for path in tests.rglob("test_*.py") if "e2e" not in path.parts]
    core = sorted((ROOT / "core").rglob("*.py"))
    near = {path for path in files if path.stem.endswith(f"_{module.stem}")}
    callers, seen = [module], {module}
    while callers:
        naming = {path for each in callers for path in _importing(each, files)}
        if naming:
            return near | naming
        above = {path for each in callers for path in _importing(each, core)}
        callers = sorted(above - seen)
        seen |= above
    return near


def _slow_tests(tests: Path) -> tuple[str, ...]:
    """What tests/order.py lists as slow by nature, read without running it."""
    for node in ast.parse((tests / "order.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SLOW":
            return ast.literal_eval(node.value)
    return ()


def _importing(module: Path, files: list[Path]) -> list[Path]:
    """Those files that import a module."""
    name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
    package, _, last = name.rpartition(".")
    imported = re.compile(
        rf"\b{re.escape(name)}\b|from {re.escape(package)} import [^\n]*\b{last}\b"
    )
    return [path for path in files if imported.search(path.read_text())]


@contextmanager
def copy_of_the_tree(tests: Path) -> Iterator[Path]:
    """A copy to make faults in, with the tests of this state or of another."""
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        tree = Path(folder) / "tree"
        out = {".git", ".venv", "out", "tests"}
        shutil.copytree(
            ROOT,
            tree,
            ignore=lambda place, names: (
                (out if Path(place) == ROOT else set()) | {"__pycache__"}
            ),
        )
        shutil.copytree(tests, tree / "tests")
        yield tree


_PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


def _environment(tree: Path) -> dict[str, str]:
    """Of tests in a copy; compiled functions are filed under what they compute."""
    cache = tree.parent / "compiled"
    if not cache.exists():
        cache.mkdir()
        kept = os.environ.get("JAX_COMPILATION_CACHE_DIR")
        if kept:
            (cache / "jax").symlink_to(Path(kept).resolve())
    return os.environ | {
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": str(cache / "jax"),
        "PYTHONPATH": str(tree),
    }


def outcome_of(
    fault: Fault, tree: Path, seconds: float, reached: dict[str, list[str]]
) -> dict[str, object]:
    """Whether a test fails, which, and after how many seconds."""
    environment = _environment(tree)
    near, is_met = tests_of(fault, tree / "tests", reached)
    names = [str(path.relative_to(tree)) for path in near]
    started = time.monotonic()
    output, ended = "", False
    if not names:
        return asdict(fault) | {"tests": [], "met": False, "caught": False, "by": ""}
    with fault.inside(tree):
        try:
            done = subprocess.run(
                [*_PYTEST, "-x", *names],
                cwd=tree,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=seconds,
                check=False,
            )
            output, ended = done.stdout, True
        except subprocess.TimeoutExpired:
            pass
    # What a fault computed must not serve the next.
    for kept in (tree.parent / "compiled").glob("*"):
        if kept.name != "jax":
            shutil.rmtree(kept, ignore_errors=True)
    failed = re.findall(r"^(?:FAILED|ERROR) (.*)$", output, re.MULTILINE)
    return asdict(fault) | {
        "tests": names,
        "met": is_met,
        "ended": ended,
        "caught": ended and done.returncode in (1, 2),
        "by": failed[0][:200] if failed else output[-300:] if ended else "",
        "seconds": round(time.monotonic() - started, 1),
    }


def main(arguments: list[str] | None = None) -> None:
    """Seed faults, run the tests, and print what was caught."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", choices=("", *ROOMS))
    parser.add_argument("--part", default="1/1", help="K/N: the Kth of N pieces")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    parser.add_argument("--list", action="store_true", help="only say which faults")
    parser.add_argument("--reach", type=Path, help="file to write: who meets a fault")
    parser.add_argument("--reached", type=Path, help="file that --reach wrote")
    parser.add_argument("folders", nargs="*", help="of tests, for --reach")
    options = parser.parse_args(arguments)
    part, parts = map(int, options.part.split("/"))
    faults = sample(options.faults, options.seed, options.only)[part - 1 :: parts]
    if options.list:
        for fault in faults:
            print(f"{fault.path}:{fault.line}  {fault.before}  ->  {fault.after}")
        return
    reached = json.loads(options.reached.read_text()) if options.reached else {}
    caught = 0
    with copy_of_the_tree(options.tests.resolve()) as tree:
        if options.reach:
            files = reach(faults, tree, options.folders)
            options.reach.write_text(json.dumps(files, indent=1))
            print(f"{len(files)} of {len(faults)} faults are met by a test")
            return
        for fault in faults:
            outcome = outcome_of(fault, tree, options.seconds, reached)
            caught += bool(outcome["caught"])
            print(json.dumps(outcome), flush=True)
    print(f"{caught} of {len(faults)} faults were caught")


if __name__ == "__main__":
    main()
