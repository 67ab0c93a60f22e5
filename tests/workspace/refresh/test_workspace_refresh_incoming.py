"""New files as a project's next table: taken whole, asked about, or refused."""

import numpy as np
import pandas as pd
import pytest

from core.data.ahead.new_periods import ChangedCell
from core.data.layout.kinds.exports import tidied
from core.errors import DataError, WorkspaceError
from core.project.fits.runs import data_sha256
from core.project.refresh.incoming import changed_words, incoming, take
from core.project.settings.project import data_file, load_project, save_project
from core.project.settings.project import project_sha256 as sha_of
from tests.pages import worlds


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    return worlds.project()


def later(n: int = 4) -> pd.DataFrame:
    """The weeks after the project's own."""
    frame = worlds.table(156)[-n:].copy()
    days = pd.to_datetime(worlds.table(156)["week"]).iloc[-1]
    weeks = days + pd.to_timedelta(7 * np.arange(1, n + 1), unit="D")
    return frame.assign(week=weeks.strftime("%Y-%m-%d")).reset_index(drop=True)


def files(frame: pd.DataFrame):
    return [tidied("new.csv", frame)]


def test_new_weeks_become_part_of_the_table(folder):
    given = incoming(folder, files(later()))
    assert not given.questions
    assert given.summary.startswith("4 new periods")
    take(given)
    again = incoming(folder, files(later()))
    assert again.came.is_empty
    before = sha_of(folder)
    take(again)
    assert sha_of(folder) == before


def test_old_rows_with_other_values_are_questions(folder):
    frame = pd.concat([worlds.table(156)[-3:], later()])
    frame.iloc[0, frame.columns.get_loc("revenue")] = 1.5
    (line,) = incoming(folder, files(frame)).questions
    assert line.startswith("2023-12-11: revenue was ")
    assert line.endswith("is 1.5")


def test_files_may_come_in_any_order(folder):
    first, second = later()[:2], later()[2:]
    came = incoming(folder, [*files(second), *files(first)]).came
    assert came.periods == tuple(later()["week"])
    with pytest.raises(DataError, match="2024-01-01 is missing"):
        incoming(folder, files(second))


def spoilt(kind: str) -> pd.DataFrame:
    frame = later()
    name = "TV_spend"
    return {
        "a week is missing": frame.drop(index=1),
        "the first week is missing": frame.drop(index=0),
        "a column has another name": frame.rename(columns={name: "TV_cost"}),
        "another currency": frame.assign(currency="USD"),
        "other weekdays": frame.assign(
            week=(pd.to_datetime(frame["week"]) + pd.Timedelta(days=2)).astype(str)
        ),
        "a week twice": pd.concat([frame, frame[:1]]),
        "negative spend": frame.assign(**{name: -1.0}),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("a week is missing", "begins on 2024-01-08 is missing"),
        ("the first week is missing", "begins on 2024-01-01 is missing"),
        ("a column has another name", "TV_spend"),
        ("another currency", "in USD"),
        ("other weekdays", "is missing"),
        ("a week twice", "twice"),
        ("negative spend", "TV_spend"),
    ],
)
def test_spoilt_rows_leave_the_project_as_it_is(folder, kind, said):
    project = load_project(folder)
    before = sha_of(folder), data_sha256(data_file(folder, project))
    with pytest.raises(DataError) as caught:
        incoming(folder, files(spoilt(kind)))
    assert said in caught.value.message
    assert caught.value.hint
    assert before == (sha_of(folder), data_sha256(data_file(folder, project)))


def test_a_project_that_changed_meanwhile_is_not_overwritten(folder):
    given = incoming(folder, files(later()))
    project = load_project(folder)
    save_project(folder, type(project)(**vars(project) | {"currency": "CHF"}))
    with pytest.raises(WorkspaceError, match="changed meanwhile"):
        take(given)
    assert incoming(folder, files(later())).came.n_rows == 4


def test_changed_cells_are_lines():
    cells = (
        ChangedCell("2024-01-22", "", "TV", 5000.0, 9.5),
        ChangedCell("2024-02-05", "Bonn", "TV", 7.0, None),
    )
    assert changed_words(cells) == [
        "2024-01-22: TV was 5,000, is 9.5",
        "2024-02-05 Bonn: TV was 7, is empty",
    ]
    assert changed_words(cells, most=1)[1] == "1 more cell"


def as_texts(column: str, cell: str, at: int = 1) -> pd.DataFrame:
    """New rows as text, one cell of which is another."""
    frame = later().astype("str")
    frame.loc[at, column] = cell
    return frame


@pytest.mark.parametrize(
    ("column", "cell", "said", "hint"),
    [
        ("TV_spend", "#DIV/0!", "the error of a formula in TV_spend", "Mend the form"),
        ("revenue", "#NV", 'the error of a formula in revenue: "#NV" (row 3)', "Mend"),
        ("TV_spend", "tbd", '"tbd" (row 3) in TV_spend, which is not', "as 1234.56"),
        ("TV_spend", "1.234", "can be 1.234 or 1,234", "--decimal"),
        ("TV_spend", "10 %", "percent sign", "in the same way"),
        ("week", "2024-02-31", '"2024-02-31" (row 3) in week', "2025-03-31"),
        ("week", "", "no week in row 3", "Add the date"),
    ],
)
def test_a_cell_of_new_rows_is_named_with_its_remedy(folder, column, cell, said, hint):
    frame = as_texts(column, cell)
    if cell == "1.234":  # no other cell says which sign is the decimal one
        frame = frame.assign(TV_spend=["1.234", "2.345", "3.456", "4.567"])
    with pytest.raises(DataError) as caught:
        incoming(folder, files(frame))
    assert said in caught.value.message
    assert hint in caught.value.hint


def test_an_answer_settles_what_cells_of_one_file_can_be(folder):
    spent = ["1.234", "2.345", "3.456", "4.567"]
    frame = later().assign(TV_spend=spent)
    for sign, whole in ((",", 1234.0), (".", 1.234)):
        came = incoming(folder, files(frame), {"decimal": sign})
        assert came.table["TV_spend"].iloc[-4] == whole
    days = pd.to_datetime(later()["week"])[1:2]
    first = later()[:1]
    rest = later()[1:2].assign(week=days.dt.strftime("%d/%m/%Y"))
    came = incoming(folder, [*files(first), *files(rest)], {"dates": "day first"})
    assert came.came.periods == tuple(later()["week"][:2])


def test_media_that_new_rows_leave_empty_are_named(folder):
    came = incoming(folder, files(as_texts("TV_spend", "-")))
    (said,) = [f.message for f in came.findings if f.severity == "warning"]
    assert said == (
        f"TV_spend is empty in 1 new row ({later()['week'][1]}): an empty cell counts "
        "as 0."
    )
    assert not incoming(folder, files(later())).findings
