"""Lift tests of a project: planned, running and read; one file, written whole.

`lift_tests.json` holds a list of tests. A change reads it, changes one test and writes
it again under a lock, so that two browsers never lose each other's test; entries that
this version does not understand stay.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from core.errors import WorkspaceError
from core.experiments.kept import KeptTest, as_dict, as_kept
from core.store.atomic import write_json
from core.store.locks import hold
from core.store.places import new_id
from core.store.rewritten import object_before
from core.store.stored import read_object
from core.team.gate import gated
from core.team.roles import Role

_FILE, _LOCK = "lift_tests.json", ".lift_tests.lock"
#: Seconds to wait for another change.
_PATIENCE = 5.0


def lift_tests(project_folder: Path) -> list[KeptTest]:
    """Every test of a project, in the order in which they were kept.

    A damaged file or entry counts as none.
    """
    return _read(read_object(project_folder / _FILE))[0]


def _read(content: Mapping[str, Any]) -> tuple[list[KeptTest], list[Any]]:
    """The tests in what the file holds, and the entries that are none."""
    listed = content.get("tests")
    tests, others = [], []
    for each in listed if isinstance(listed, list) else []:
        test = None
        if isinstance(each, dict):
            with contextlib.suppress(WorkspaceError):
                test = as_kept(each)
        if test is not None and test.test_id:
            tests.append(test)
        else:
            others.append(each)
    return tests, others


def lift_test(project_folder: Path, name: str) -> KeptTest:
    """A test by its identifier or its name.

    Raises:
        WorkspaceError: There is none, or several have that name.
    """
    tests = lift_tests(project_folder)
    matches = [test for test in tests if test.test_id == name]
    matches = matches or [test for test in tests if test.name == name]
    if len(matches) == 1:
        return matches[0]
    known = ", ".join(test.name for test in tests[:8]) or "none"
    many = (
        f"{len(matches)} tests are called {name}." if matches else f"No test is {name}."
    )
    raise WorkspaceError(
        many, hint=f"This project has {known}; use an identifier.", where=name
    )


@gated("test saved", Role.PLANNER)
def keep_lift_test(project_folder: Path, test: KeptTest) -> str:
    """Add a test; returns its identifier.

    Raises:
        WorkspaceError: The disk is full or the folder read-only.
    """
    test_id = new_id()
    created = test.created or datetime.now(UTC).isoformat(timespec="seconds")
    record = replace(test, created=created, test_id=test_id)
    _change(project_folder, lambda tests: [*tests, record])
    return test_id


@gated("test changed", Role.PLANNER)
def change_lift_test(
    project_folder: Path, test_id: str, changes: Mapping[str, Any]
) -> None:
    """Change parts of a test; the others stay.

    Args:
        project_folder: The project.
        test_id: The test.
        changes: Attributes of `KeptTest`.

    Raises:
        WorkspaceError: It is gone, or the file cannot be written.
    """

    def changed(tests: list[KeptTest]) -> list[KeptTest]:
        if test_id not in [test.test_id for test in tests]:
            raise WorkspaceError(
                "This test was deleted meanwhile.",
                hint="Look at the list again.",
                where=test_id,
            )
        return [
            replace(test, **changes) if test.test_id == test_id else test
            for test in tests
        ]

    _change(project_folder, changed)


@gated("test deleted", Role.PLANNER)
def delete_lift_test(project_folder: Path, test_id: str) -> None:
    """Take a test out of the list; a result in project.toml stays."""
    _change(
        project_folder,
        lambda tests: [test for test in tests if test.test_id != test_id],
    )


def _change(folder: Path, change: Callable[[list[KeptTest]], list[KeptTest]]) -> None:
    with _locked(folder):
        tests, others = _read(object_before(folder / _FILE))
        listed = [*map(as_dict, change(tests)), *others]
        write_json(folder / _FILE, {"schema": 1, "tests": listed})


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = hold(folder / _LOCK, patience=_PATIENCE)
    if handle is None:
        raise WorkspaceError(
            "Another window is changing the tests.", hint="Try again.", where=_FILE
        )
    try:
        yield
    finally:
        os.close(handle)
