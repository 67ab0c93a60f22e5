"""Record: every promise of a project, and what came of it.

promises/<id>.json         a promise, written once, when it is made
promises/none/<id>.json    why there is none: what it would be about promises nothing
promises/scores/<id>.json  what came of it, written again as data arrive

The identifier follows from the kind and what the promise is about, so that two
processes that keep the same promise keep one.

A promise is a number with its intervals for periods that nobody had seen. Whoever makes
another kind of promise keeps it with `keep`, and adds how it is scored to
`core.project.promises.scoring`.
"""

import contextlib
import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar, get_args

import msgspec
import numpy as np
from jaxtyping import Float
from msgspec import Struct

from core import text as fmt
from core.errors import WorkspaceError
from core.estimate import Estimate
from core.store.atomic import json_text, make_subfolder, write_json, write_new
from core.store.places import confined, is_id
from core.store.stored import json_files, read_object

_Kept = TypeVar("_Kept", bound=Struct)

#: Levels of the intervals of a promise, per cent.
LEVELS = (20, 40, 60, 80, 90)
_FOLDER, _SCORES, _NONE = "promises", "scores", "none"
#: What a claim about all periods together is called.
TOTAL = "total"

#: `teaching` is what a plan of weeks says that its spend will teach.
Kind = Literal["forecast", "plan", "test", "teaching"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Where in a project files lie that the next look at promises writes again.
AGAIN = (f"{_FOLDER}/{_SCORES}/", f"{_FOLDER}/{_NONE}/")
#: What came: not to be scored yet, some or all of it scored, or never to be scored.
State = Literal["open", "partly", "scored", "impossible"]


class Claim(Struct, frozen=True, kw_only=True):
    """One number that is promised.

    Attributes:
        about: First day of its period; `total` for all of them together; of a plan
            that teaches, the channel whose interval is to narrow.
        mean: What is expected; of a channel's interval, by which share it narrows.
        intervals: Low and high end by level, per cent; empty where none is promised.
    """

    about: str
    mean: float
    intervals: dict[str, tuple[float, float]]


class Promise(Struct, frozen=True, kw_only=True):
    """What was promised.

    Attributes:
        kind: Of what: the forecast of a fit, a saved plan, a planned test, what a saved
            plan of weeks is to teach.
        name: What readers call it.
        start: First day of its first period.
        end: Last day of a test; else first day of the last period.
        claims: What is promised.
        unit: Of the numbers: `revenue`, or `kpi`.
        currency: Of money; empty where unknown.
        kpi_name: Of the fit's data.
        has_value: Whether the KPI has a value in money.
        run_id: The fit that says so.
        data_end: First day of the last period that this fit saw.
        subject: The plan or the test; empty for a forecast.
        spend: What it supposes to be spent by channel in its periods, currency.
        gain: Of a plan over the same split. It is never seen in sales alone.
        believed: Channels without history, of which it counts what is believed.
        draws: Of a test: the effect that the fit expects, in each draw.
        error: Of a test: standard error that its design expects; 0 where unknown.
        created: When it was made, ISO UTC.
        promise_id: Its identifier.
    """

    kind: Kind
    name: str
    start: str
    end: str
    claims: tuple[Claim, ...]
    unit: str
    currency: str = ""
    kpi_name: str = ""
    has_value: int = 1
    run_id: str = ""
    data_end: str = ""
    subject: str = ""
    spend: dict[str, float] = {}
    gain: Estimate | None = None
    believed: tuple[str, ...] = ()
    draws: tuple[float, ...] = ()
    error: float = 0.0
    created: str = ""
    promise_id: str = ""

    @property
    def units(self) -> fmt.Units:
        """Words for its units."""
        return fmt.units(
            {
                "outcome_unit": self.unit,
                "currency": self.currency,
                "kpi_name": self.kpi_name,
                "has_value": self.has_value,
            }
        )

    def claimed(self, about: str = TOTAL) -> Claim | None:
        """One of its claims; None where it does not say that.

        Args:
            about: First day of a period, or `total`.
        """
        return next((each for each in self.claims if each.about == about), None)


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of one claim.

    Attributes:
        about: As in the claim.
        actual: What came.
        mean: What was to be expected at the spend that there was.
        lo: Low end of its 90 % interval.
        hi: High end.
        below: Probability, as promised, of less than what came.
    """

    about: str
    actual: float
    mean: float
    lo: float
    hi: float
    below: float

    def is_held(self, level: float) -> bool:
        """Whether the central interval of a level held it.

        Args:
            level: Per cent.
        """
        return abs(2 * self.below - 1) <= level / 100


class Score(Struct, frozen=True, kw_only=True):
    """What came of a promise.

    Attributes:
        state: Whether it is scored.
        why: Why not, or when it can be; empty where there is nothing to say.
        until: Last period of the data that it was scored with.
        data: Which data these were, SHA-256.
        departure: Share of the money that was spent otherwise than supposed.
        is_followed: Whether that is within the tolerance; else what is scored is what
            the fit expects at the spend that there was.
        outcomes: By claim, in their order.
        counted: How many of the first outcomes count: those of a forecast until a newer
            fit had seen the periods.
        chances: By level, per cent: probability that 0, 1, ... of those counted are
            held if the promise is right. Periods of one draw move together.
        learned: Of a plan that teaches: by which share intervals narrowed, by channel.
    """

    state: State
    why: str = ""
    until: str = ""
    data: str = ""
    departure: float | None = None
    is_followed: bool = True
    outcomes: tuple[Outcome, ...] = ()
    counted: int = 0
    chances: dict[str, tuple[float, ...]] = {}
    learned: dict[str, float] = {}


def claim(about: str, draws: Float[np.ndarray, " draw"]) -> Claim:
    """A claim with the central intervals of draws.

    Args:
        about: First day of a period, or `total`.
        draws: Of what will be seen, noise included.
    """
    ends = {
        str(level): tuple(np.quantile(draws, [0.5 - level / 200, 0.5 + level / 200]))
        for level in LEVELS
    }
    intervals = {level: (float(lo), float(hi)) for level, (lo, hi) in ends.items()}
    return Claim(about=about, mean=float(draws.mean()), intervals=intervals)


def promise_id(kind: Kind, about: str) -> str:
    """The identifier of the promise of this kind about a plan, a test or a fit.

    Args:
        kind: Of promise.
        about: The identifier of the plan or the test; of the fit for a forecast.
    """
    digest = hashlib.sha256(f"{kind} {about}".encode()).hexdigest()[:8]
    return f"{about[:15] if is_id(about) else '00000000-000000'}-{digest}"


def promise_file(kind: Kind, about: str) -> str:
    """Where in a project a promise lies; see `promise_id`."""
    return f"{_FOLDER}/{promise_id(kind, about)}.json"


def settled_ids(project: Path) -> set[str]:
    """Identifiers of the promises that are kept, and of those that there will not be.

    Args:
        project: The project's folder.
    """
    folder = project / _FOLDER
    return {path.stem for each in (folder, folder / _NONE) for path in _files(each)}


def keep(project: Path, promise: Promise, *, created: str = "") -> Promise:
    """Keep a promise; it is never changed afterwards.

    Args:
        project: The project's folder.
        promise: Without identifier and time.
        created: When it was made, ISO; empty for now.

    Returns:
        The promise as it is kept, by this process or by another before.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    record = msgspec.structs.replace(
        promise,
        promise_id=promise_id(promise.kind, promise.subject or promise.run_id),
        created=_moment(created).isoformat(timespec="microseconds"),
    )
    path = _folder(project) / f"{record.promise_id}.json"
    try:
        write_new(path, json_text(msgspec.to_builtins(record)).encode())
    except WorkspaceError:
        if (before := _read(path, Promise)) is not None:
            return before
        raise
    return record


def keep_none(project: Path, kind: Kind, about: str, why: str) -> None:
    """Keep that something promises nothing, which is not worked out again then.

    Args:
        project: The project's folder.
        kind: Of promise.
        about: As in `promise_id`.
        why: For whoever looks at the file.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    folder = make_subfolder(_folder(project), _NONE)
    write_json(folder / f"{promise_id(kind, about)}.json", {"why": why})


def keep_score(project: Path, promise_id: str, score: Score) -> None:
    """Keep what came of a promise, in place of what was known before.

    Raises:
        WorkspaceError: The disk is full or read-only.
    """
    folder = make_subfolder(_folder(project), _SCORES)
    write_json(folder / f"{promise_id}.json", msgspec.to_builtins(score))


def promises(project: Path) -> list[Promise]:
    """Promises of a project, oldest first; a damaged file counts as none.

    Args:
        project: The project's folder.
    """
    contents = (_read(path, Promise) for path in _files(project / _FOLDER))
    sound = [promise for promise in contents if promise is not None]
    return sorted(sound, key=lambda each: (each.created, each.promise_id))


def scores(project: Path) -> dict[str, Score]:
    """What came of promises, by their identifiers; a damaged file counts as none."""
    results = {
        path.stem: _read(path, Score) for path in _files(project / _FOLDER / _SCORES)
    }
    return {name: score for name, score in results.items() if score is not None}


def _moment(created: str) -> datetime:
    """A time that is one, in UTC; now where it is none."""
    with contextlib.suppress(ValueError, OverflowError):
        when = datetime.fromisoformat(created)
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return when.astimezone(UTC)
    return datetime.now(UTC)


def _folder(project: Path) -> Path:
    """Where promises lie; a project that was deleted meanwhile is not made again."""
    confined(project / _FOLDER, project)
    return make_subfolder(project, _FOLDER)


def _files(folder: Path) -> list[Path]:
    return [path for path in json_files(folder) if is_id(path.stem)]


def _read(path: Path, kind: type[_Kept]) -> _Kept | None:
    try:
        return msgspec.convert(read_object(path), kind)
    except msgspec.ValidationError:
        return None  # the promises beside it are still kept
