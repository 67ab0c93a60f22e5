"""Merging: two edits of one project, made from the same state of it.

Whoever saves second is told what the first one changed, and may add their own change
to it. Settings are compared one by one; where both changed one, it is named, and the
second edit's value is what a merge takes.
"""

from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from core.data.experiments.entry import Entry
from core.errors import MMMError
from core.model.priors.prior import Prior
from core.project.fits.run_differences import ABSENT, settings_of, that_differ
from core.project.settings.defaults import aligned
from core.project.settings.definition import Project
from core.team import audit

_SAVES = ("project saved", "data saved", "project restored", "data refreshed")


@dataclass(frozen=True)
class Difference:
    """A setting that two states of a project do not share, its values as texts."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Conflict:
    """Two edits of one state of a project.

    Attributes:
        base: The project that both began from.
        theirs: What was saved first, and is on disk.
        mine: What the second edit would save.
        who: Who saved first; empty if unknown.
        when: When, ISO UTC; empty if unknown.
    """

    base: Project
    theirs: Project
    mine: Project
    who: str = ""
    when: str = ""

    @property
    def their_changes(self) -> tuple[Difference, ...]:
        """What the first edit changed."""
        return differences(self.base, self.theirs)

    @property
    def my_changes(self) -> tuple[Difference, ...]:
        """What the second edit changed."""
        return differences(self.base, self.mine)

    @property
    def contested(self) -> tuple[str, ...]:
        """Settings that both changed, and not to the same."""
        theirs = {change.name: change.after for change in self.their_changes}
        return tuple(
            change.name
            for change in self.my_changes
            if theirs.get(change.name, change.after) != change.after
        )

    def merged(self) -> Project | None:
        """Theirs with my change added; None where the two make no project together."""
        try:
            both = _merged(self.base, self.theirs, self.mine)
            return replace(both, spec=aligned(both.spec, both.mapping))
        except MMMError:
            return None


def differences(before: Project, after: Project) -> tuple[Difference, ...]:
    """Each setting that differs between two states of a project."""
    rows = that_differ([_settings(before), _settings(after)])
    return tuple(Difference(name, old, new) for name, (old, new) in rows)


def _settings(project: Project) -> dict[str, str]:
    own = {"table": project.file, "currency": project.currency or ABSENT}
    own |= {"locale": project.locale, "language of reports": project.language}
    tests = {
        f"lift test {number} {key}": str(value)
        for number, test in enumerate(project.experiments, 1)
        for key, value in test.as_table().items()
    }
    others = settings_of(replace(project, experiments=()))
    sampler = {name: str(value) for name, value in asdict(project.sampler).items()}
    layout = {"layout of the files": str(project.layout), "query": str(project.query)}
    return own | others | tests | sampler | layout


def last_save(folder: Path) -> tuple[str, str]:
    """Who saved a project last, and when (ISO UTC), by the audit log; empty if unknown.

    A name that is that of the server's own account says nothing and is left out.
    """
    try:
        listed = audit.entries(folder)
    except MMMError:
        return "", ""  # without its log a project can still be saved
    for entry in reversed(listed):
        if entry.action in _SAVES and entry.outcome == "done":
            is_person = entry.source in ("sign-in", "proxy", "variable")
            return entry.who if is_person else "", entry.time
    return "", ""


def _merged(base: Any, theirs: Any, mine: Any) -> Any:
    """Theirs, with what mine changed: setting by setting."""
    if mine == base:
        return theirs
    if theirs in (base, mine):
        return mine
    if isinstance(mine, Prior):  # its numbers mean something together only
        return mine
    if is_dataclass(base) and type(base) is type(theirs) is type(mine):
        changed = {
            field.name: _merged(
                getattr(base, field.name),
                getattr(theirs, field.name),
                getattr(mine, field.name),
            )
            for field in fields(base)
            if field.init
        }
        return replace(theirs, **changed)
    if all(isinstance(value, Entry) for value in (base, theirs, mine)):
        before, changed = structs.asdict(base), structs.asdict(mine)
        own = {key: each for key, each in changed.items() if each != before[key]}
        return structs.replace(theirs, **own)
    if all(isinstance(value, tuple) for value in (base, theirs, mine)):
        return _merged_entries(base, theirs, mine)
    return mine


def _merged_entries(base: tuple, theirs: tuple, mine: tuple) -> tuple:
    """Entries by name (channels, priors, events) or by value; numbers as a whole."""
    old, new, own = (_by_name(entries) for entries in (base, theirs, mine))
    if old is None or new is None or own is None:
        return mine
    new, own = _renamed(old, new), _renamed(old, own)
    merged = []
    for name in dict.fromkeys([*new, *own]):
        if name not in new:
            if name not in old or own[name] != old[name]:  # mine is new or changed
                merged.append(own[name])
        elif name not in own:
            if name not in old or new[name] != old[name]:  # theirs is new or changed
                merged.append(new[name])
        else:
            merged.append(_merged(old.get(name), new[name], own[name]))
    return tuple(merged)


def _renamed(old: dict[str, Any], later: dict[str, Any]) -> dict[str, Any]:
    """Later entries by their old names: a test whose dates were changed is the same."""
    if len(old) != len(later):
        return later
    return {
        was if was not in later and name not in old else name: entry
        for was, (name, entry) in zip(old, later.items(), strict=True)
    }


def _by_name(entries: tuple) -> dict[str, Any] | None:
    """Entries by what tells them apart; None where nothing does."""
    named = {_name(entry): entry for entry in entries}
    return named if len(named) == len(entries) and "" not in named else None


def _name(entry: Any) -> str:
    if is_dataclass(entry):
        return str(getattr(entry, "name", ""))
    if isinstance(entry, Entry):
        return f"{entry.channel} {entry.start} {entry.end}"
    if isinstance(entry, tuple) and len(entry) == 2 and is_dataclass(entry[1]):
        return str(entry[0])  # a parameter and its prior
    is_text = isinstance(entry, str) or (
        isinstance(entry, tuple) and all(isinstance(part, str) for part in entry)
    )
    return repr(entry) if is_text else ""
