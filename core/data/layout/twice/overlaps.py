"""Files put below each other, and what would then count twice.

Two exports of the last 90 days share days; a month is pasted twice; two platforms
export the same columns with campaigns of one name. Equal rows count once, which is
said. Rows that differ are a question: nobody can tell a revision from a second
platform by its numbers.

Copies: rows that are in one file twice.

A month is pasted twice, or an export repeats some rows. Whole days with equal copies
count once, which is said; others are a question.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.data.layout.kinds.contents import columns_of
from core.data.layout.kinds.exports import Doubtful, File
from core.data.layout.recipe import Overlap
from core.data.layout.tables.orders import order_column, order_of, value_column
from core.data.layout.twice.rows_apart import Rows, are_untold, rows_of
from core.data.mapping import DateReading
from core.data.reading.doubts import Question
from core.data.reading.findings import Finding
from core.errors import SchemaError
from core.text.languages.language import marked
from core.text.sentences import count, listed, verb

#: Two amounts of one date are one that was revised if their logarithms differ by less.
_REVISED = 0.15
#: More pairs of names than this are not compared.
_PAIRS = 10_000
#: A file name's date and number: `meta_2024-01 (2)`.
_DATED = re.compile(r"[\W_]*\d[\d\W_]*")
_ALL = ("all", marked("all are added"))
_APART = ("apart", marked("a platform or country per file, with channels of its own"))


def together(
    files: Sequence[File],
    *,
    overlap: Overlap | None = None,
    dates: DateReading | None = None,
) -> list[File]:
    """Files with the same columns put below each other: January, February.

    Raises:
        SchemaError: Two files are the same.
        Doubtful: Rows of several files, or of one, could count twice.
    """
    groups: dict[tuple[object, ...], list[File]] = {}
    for file in _orders_alike(files):
        columns: tuple[object, ...] = tuple(sorted(map(str, file.frame.columns)))
        if overlap == "apart":
            columns = (*columns, stem(file))
        groups.setdefault(columns, []).append(file)
    return [appended(group, overlap=overlap, dates=dates) for group in groups.values()]


def _orders_alike(files: Sequence[File]) -> list[File]:
    """Files, those of orders with each other's columns where only some differ.

    An export that got a column more is of the same shop: its orders are further rows.
    """
    alike: dict[tuple[str | None, ...], list[File]] = {}
    for file in files:
        names = tuple(map(str, file.frame.columns))
        order, value = order_column(names), value_column(columns_of(file).numbers)
        if order and value:
            alike.setdefault((file.date, order, value), []).append(file)
    every = {
        id(file): list(dict.fromkeys(c for each in group for c in each.frame.columns))
        for group in alike.values()
        for file in group
    }
    return [
        file
        if len(every.get(id(file), [])) <= len(file.frame.columns)
        else replace(file, frame=file.frame.reindex(columns=every[id(file)]))
        for file in files
    ]


def stem(file: File) -> str:
    """What a file is about by its name, without type, dates and numbers."""
    name = file.part or file.name.rsplit(".", 1)[0]
    return _DATED.sub(" ", name).strip(" _-") or name


def appended(
    group: Sequence[File],
    *,
    overlap: Overlap | None = None,
    dates: DateReading | None = None,
) -> File:
    """One file of the rows of several, each row once.

    Raises:
        SchemaError: Two of them have the same content.
        Doubtful: They have rows in common that differ.
    """
    group = [without_copies(file, overlap, dates) for file in group]
    group = [_one_of_a_date(file, overlap, dates) for file in group]
    first = group[0]
    if len(group) == 1:
        return first
    refuse_equal(group)
    names = listed([file.called for file in group])
    message = f"{names} have the same columns, so their rows are put together."
    findings = [finding for file in group for finding in file.findings]
    findings.append(Finding("info", first.called, message))
    masks, text = _shared(group, overlap, dates)
    columns = list(first.frame.columns)
    frames = [
        file.frame[columns][keep] for file, keep in zip(group, masks, strict=True)
    ]
    frame = pd.concat(frames, ignore_index=True)
    return replace(first, frame=frame, findings=(*findings, *text))


def refuse_equal(group: Sequence[File]) -> None:
    """Refuse a file that is there twice.

    Raises:
        SchemaError: Two files have the same content.
    """
    for at, file in enumerate(group):
        for other in group[:at]:
            if file.frame.equals(other.frame):
                raise SchemaError(
                    f"{file.called} and {other.called} have the same content.",
                    hint="Leave one of them out.",
                    where=file.called,
                )


def _shared(
    group: Sequence[File], overlap: Overlap | None, dates: DateReading | None
) -> tuple[list[np.ndarray], list[Finding]]:
    """Which rows of every file count, where files have rows in common."""
    every = [np.ones(len(file.frame), dtype=bool) for file in group]
    rows = rows_of(group, dates)
    if rows is None or overlap == "all":
        return every, []
    age = _age(group, rows)
    tables = [one.table(file=age[at]) for at, one in enumerate(rows)]
    table = pd.concat(tables, ignore_index=True)
    sums = table.groupby(["key", "file"])["content"].sum().reset_index()
    by_key = sums.groupby("key")
    newest = by_key["file"].max()
    is_shared = by_key["file"].size() > 1
    differ = is_shared & (by_key["content"].nunique() > 1)
    shared = table["key"].map(is_shared).to_numpy()
    renamed = _renamed(table, shared) | _renamed_and_revised(table)
    if renamed.any() and overlap is None:
        raise _about_names(group, rows, table, renamed)
    if not (is_shared.any() or renamed.any()):
        return every, []
    old = shared & (table["file"] < table["key"].map(newest)).to_numpy()
    if overlap == "newest":
        old = old | renamed
    shared = shared | renamed
    days = np.unique(table["day"].to_numpy()[shared].astype("datetime64[D]"))
    last = group[int(np.argmax(age))]
    bounds = np.cumsum([len(one.days) for one in rows])[:-1]
    if differ.any() and overlap is None:
        parts = np.split(shared, bounds)
        share = 1 - float(differ.sum()) / float(is_shared.sum())
        raise _question(group, rows, parts, days, last.called, share)
    message = (
        f"{listed([file.called for file in group])} share "
        f"{count(len(days), 'date')}, {days[0]} to {days[-1]}: "
        f"{count(int(old.sum()), 'row')} that the newest file has too count once."
    )
    return np.split(~old, bounds), [Finding("info", group[0].called, message)]


def _renamed(table: pd.DataFrame, shared: np.ndarray) -> np.ndarray:
    """Older rows that a newer file has on the same date under another name."""
    mask = np.zeros(len(table), dtype=bool)
    lone = np.flatnonzero(~shared & table["is_live"].to_numpy())
    alike = table.iloc[lone].groupby(["day", "value"])["file"]
    again = (alike.transform("nunique") > 1) & (
        table["file"].iloc[lone] < alike.transform("max")
    )
    mask[lone[again.to_numpy()]] = True
    # A few equal amounts are chance.
    return mask if table["day"][mask].nunique() >= RUN else mask & False


def _renamed_and_revised(table: pd.DataFrame) -> np.ndarray:
    """Older rows of a name that a newer file lacks on dates that both have.

    On those dates it has another name instead that the older one lacks, with nearly
    the same amounts day by day.
    """
    mask = np.zeros(len(table), dtype=bool)
    live = table[table["is_live"] & (table["amount"] > 0)]
    by_file = {at: part for at, part in live.groupby("file")}
    for old, new in itertools.combinations(sorted(by_file), 2):
        common = np.intersect1d(by_file[old]["day"], by_file[new]["day"])
        if len(common) < RUN:
            continue
        before, after = (
            part[part["day"].isin(common)].pivot_table(
                index="day", columns="name", values="amount", aggfunc="sum"
            )
            for part in (by_file[old], by_file[new])
        )
        absent = before.columns.difference(after.columns)
        fresh = after.columns.difference(before.columns)
        if len(absent) * len(fresh) > _PAIRS:
            continue
        for name, other in itertools.product(absent, fresh):
            apart = np.abs(np.log(before[name] / after[other])).dropna()
            if len(apart) >= RUN and apart.median() < _REVISED:
                same = (table["file"] == old) & (table["name"] == name)
                mask |= (same & table["day"].isin(apart.index)).to_numpy()
    return mask


def _about_names(
    group: Sequence[File], rows: Sequence[Rows], table: pd.DataFrame, old: np.ndarray
) -> Doubtful:
    """Whether rows of equal dates and amounts under other names are the same rows."""
    days = np.unique(table["day"].to_numpy()[old].astype("datetime64[D]"))
    amount = table["amount"][old].sum()
    span = f"{count(len(days), 'date')}, {days[0]} to {days[-1]}"
    message = (
        f"{listed([file.called for file in group])} have nearly equal amounts of the "
        f"same {span} under different names, as if something was renamed: "
        f"{rows[0].about} of {amount:,.2f} counts twice if it was."
    )
    choices = (
        ("newest", marked("it was renamed: the newest export counts")),
        ("all", marked("these are different things, which are added")),
        _APART,
    )
    file = group[0]
    question = Question(str(file.date), span, len(days), choices)
    return Doubtful("overlap", question, file, message)


def _age(group: Sequence[File], rows: Sequence[Rows]) -> np.ndarray:
    """The place of every file from the oldest on: by last day, name and order."""
    last = [one.days.max() for one in rows]
    order = sorted(
        range(len(group)), key=lambda at: (last[at], _numbers(group[at].name), at)
    )
    age = np.empty(len(group), dtype=np.int64)
    age[order] = np.arange(len(group))
    return age


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(text) for text in re.findall(r"\d+", name))


def _question(
    group: Sequence[File],
    rows: Sequence[Rows],
    shared: Sequence[np.ndarray],
    days: np.ndarray,
    last: str,
    share: float,
) -> Doubtful:
    """What becomes of rows that several files have with other numbers."""
    about = rows[0].about
    sums = [
        f"{np.nansum(one.amount[part]):,.2f} in {file.called}"
        for file, one, part in zip(group, rows, shared, strict=True)
        if part.any()
    ]
    span = f"{count(len(days), 'date')}, {days[0]} to {days[-1]}"
    message = (
        f"{listed([file.called for file in group])} have rows of the same {span}, with "
        f"different numbers: {about} is {' and '.join(sums)}."
    )
    newest = ("newest", f"one account exported again, where {last} counts")
    ways = (newest, _APART) if share > 0.1 else (_APART, newest)
    if all(columns_of(file).geo is None for file in group):
        ways = (*ways, ("places", marked("a place per file, with rows of its own")))
    choices = (*ways, ("all", marked("parts of one account, which are added")))
    file = group[0]
    question = Question(str(file.date), span, len(days), choices)
    return Doubtful("overlap", question, file, message)


#: Dates in a row that are doubled are no chance.
RUN = 3
#: Share of rows whose numbers no other date has, where copies are no chance.
_RARE = 0.9


def without_copies(
    file: File, overlap: Overlap | None, dates: DateReading | None
) -> File:
    """A file without rows that were pasted into it twice.

    Raises:
        Doubtful: The copies differ.
    """
    if overlap == "all" or file.date is None or not file.frame.duplicated().any():
        return file
    results = rows_of([file], dates)
    if results is None:
        return file
    rows = results[0]
    table = rows.table()
    doubled, equal = _doubled_days(table, rows)
    if not len(doubled):
        return _without_single(file, overlap, dates)
    inside = np.isin(rows.days, doubled)
    revised = len(equal) < len(doubled)
    again = inside & table.duplicated("key", keep="last").to_numpy()
    if not revised:
        again = inside & table.duplicated("content").to_numpy()
    span = f"{count(len(doubled), 'date')}, {doubled[0]} to {doubled[-1]}"
    if revised and overlap is None:
        both = float(rows.amount[inside].sum())
        late = float(rows.amount[inside & ~again].sum())
        message = (
            f"{file.called} has the rows of {span} twice, with different numbers: "
            f"{rows.about} is {both:,.2f} with both and {late:,.2f} with the later."
        )
        ways = (
            ("newest", marked("only the later rows count")),
            _ALL,
        )
        question = Question(str(file.date), span, len(doubled), ways)
        raise Doubtful("overlap", question, file, message)
    message = (
        f"{file.called} has the rows of {span} twice: "
        f"{count(int(again.sum()), 'copy', 'copies')} left out."
    )
    frame = file.frame[~again]
    file = file.noted(message, str(file.date), frame=frame)
    return _without_single(file, overlap, dates)


def _without_single(
    file: File, overlap: Overlap | None, dates: DateReading | None
) -> File:
    """A file without single rows that are in it twice, cell by cell.

    Only where amounts tell rows apart: two clicks for the same cent are no copies.

    Raises:
        Doubtful: Nobody has said whether they count.
    """
    results = rows_of([file], dates)
    if results is None:
        return file
    rows = results[0]
    again = file.frame.duplicated().to_numpy() & rows.is_live
    values = pd.Series(rows.values)[rows.is_live]
    lone = pd.Series(rows.days)[rows.is_live].groupby(values).nunique().eq(1)
    is_rare = values.map(lone).mean() >= _RARE
    if not is_rare or len(np.unique(rows.days[again])) < RUN or _is_of_orders(file):
        return file
    copies = count(int(again.sum()), "row")
    both, once = rows.amount[rows.is_live].sum(), rows.amount[~again].sum()
    message = (
        f"{copies} of {file.called} {verb(int(again.sum()), 'are')} there twice, cell "
        f"by cell: {rows.about} is {both:,.2f} with the copies and {once:,.2f} without."
    )
    if overlap is None:
        ways = (
            ("newest", marked("each row counts once")),
            _ALL,
        )
        question = Question(str(file.date), copies, int(again.sum()), ways)
        raise Doubtful("overlap", question, file, message)
    return file.noted(f"{message} They are left out.", frame=file.frame[~again])


def _one_of_a_date(
    file: File, overlap: Overlap | None, dates: DateReading | None
) -> File:
    """A file of several channels side by side, of whose rows of a date one counts.

    Two such tables below each other are a revision, another place, or a plan.

    Raises:
        Doubtful: Nobody has said whether all of them count.
    """
    if overlap not in (None, "newest") or not are_untold(file):
        return file
    read = rows_of([file], dates)
    if read is None:
        return file
    rows = read[0]
    again = pd.Series(rows.days).duplicated(keep="last").to_numpy()
    both, late = rows.amount.sum(), rows.amount[~again].sum()
    message = (
        f"{file.called} has {count(len(rows.days), 'row')} for "
        f"{count(int((~again).sum()), 'date')}, and no column says what tells them "
        f"apart: {rows.about} is {both:,.2f} with all of them and {late:,.2f} with the "
        "last of each date."
    )
    if overlap is None:
        ways = (
            ("newest", marked("the last row of each date counts")),
            _ALL,
        )
        question = Question(str(file.date), "", int(again.sum()), ways)
        raise Doubtful("overlap", question, file, message)
    return file.noted(message, frame=file.frame[~again])


def _is_of_orders(file: File) -> bool:
    """Whether rows are orders, or lines of them, of which two may be alike."""
    numbers = columns_of(file).numbers
    return order_of(file, numbers, value_column(numbers)) is not None


def _doubled_days(table: pd.DataFrame, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Dates whose rows are all there twice, and those where the copies are equal."""
    live = table[rows.is_live]
    by_day = live.groupby("day")
    days = np.array(sorted(live["day"].unique()), dtype="datetime64[D]")
    sizes = by_day.size()
    equal = live.groupby(["day", "content"]).size().groupby("day").agg(["min", "max"])
    keys = live.groupby(["day", "key"]).size().groupby("day").agg(["min", "max"])
    elsewhere = live.groupby("value")["day"].nunique()
    rare = live["value"].map(elsewhere).eq(1).groupby(live["day"]).mean() >= 0.5
    is_equal = ((equal["min"] == equal["max"]) & (equal["min"] > 1) & rare).to_numpy()
    is_double = ((keys["min"] == keys["max"]) & (keys["min"] > 1) & rare).to_numpy()
    single = (keys["max"] == 1).to_numpy()
    others = ~is_double
    candidates = is_equal
    if not others.any() or single[others].mean() > 0.9:
        candidates = is_equal | is_double
    is_doubled = np.zeros(len(days), dtype=bool)
    partly = (equal > 1).any(axis=1).to_numpy()
    edges = np.flatnonzero(np.diff(np.r_[0, candidates.astype(int), 0]))
    for start, end in edges.reshape(-1, 2):
        many = (sizes.to_numpy()[start:end] >= 6).any()
        mostly = is_equal[start:end].mean() >= 0.5
        if (end - start >= RUN or many) and mostly:
            is_doubled[start:end] = True
    # A block that was cut within a day has some of the rows of that day.
    after, before = np.r_[is_doubled[1:], False], np.r_[False, is_doubled[:-1]]
    cut = partly & ~is_doubled & (after & before | (after | before) & rare.to_numpy())
    return days[is_doubled | cut], days[(is_doubled & is_equal) | cut]
