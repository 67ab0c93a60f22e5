"""The Experiments screen: empty, typing, files, faults, and what each test did."""

import io
import json
from datetime import date

import msgspec
import pandas as pd
import pytest

from core.data.experiments.entry import Entry
from core.experiments.kept import as_kept
from core.project.lift_tests.lift_tests import keep_lift_test
from core.project.settings.project import load_project
from pages.experiments import draft
from pages.ui.fields import gated
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.said import edition, is_sound, texts

TEST = {
    "channel": "TV",
    "start": "2021-03-01",
    "end": "2021-03-28",
    "incremental_outcome": 120_000.0,
    "standard_error": 40_000.0,
}
FILE = (
    "Kanal,von,bis,lift,se\n"
    "TV,2021-03-01,2021-03-28,120000,40000\n"
    "Search,2021-05-03,2021-05-30,-500,300\n"
)


def type_in(at, *, edited=None, added=(), deleted=()):
    at.session_state[f"experiments.table.{edition(at, 'experiments')}"] = {
        "edited_rows": edited or {},
        "added_rows": list(added),
        "deleted_rows": list(deleted),
    }
    return at.run()


def upload(at, content: str | bytes, name: str = "tests.csv"):
    content = content.encode() if isinstance(content, str) else content
    at.get("file_uploader")[0].set_value((name, content, "text/csv"))
    return at.run()


def with_tests(folder, *tests):
    lines = []
    for test in tests:
        lines.append("\n[[experiment]]")
        for key, value in test.items():
            shown = value if isinstance(value, float | list) else f'"{value}"'
            lines.append(f"{key} = {shown}")
    path = folder / "project.toml"
    path.write_text(path.read_text() + "\n".join(lines) + "\n")


def saved(folder):
    return list(load_project(folder).experiments)


def test_without_project_or_data_it_says_where_to_go(screen, home):
    assert "No project is open" in texts(screen("experiments"))
    folder = worlds.project()
    (folder / "data.parquet").unlink()
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    assert at.button(key="go.data")


def test_empty_says_what_a_lift_test_is(screen, home):
    worlds.project()
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    assert "No lift tests yet" in said
    assert "A lift test switches a channel off or on" in said
    assert not at.get("arrow_data_frame")


def fill(at, **cells):
    """Fill fields of the form for one test."""
    number = edition(at, "experiments.form")
    for name, value in cells.items():
        at.session_state[f"experiments.form.{name}.{number}"] = value
    return at.run()


def test_a_form_saves_a_test_once_it_is_complete(screen, home):
    folder = worlds.project()
    at = screen("experiments", worlds.MARKET)
    at.button(key="experiments.add").click().run()
    assert is_sound(at)
    assert at.button(key="experiments.form.save").disabled
    days = {key: date.fromisoformat(TEST[key]) for key in ("start", "end")}
    fill(at, channel="TV", **days, incremental_outcome=120_000.0)
    assert at.button(key="experiments.form.save").disabled
    assert "1 Mar 2021 to 28 Mar 2021" in texts(at)
    fill(at, low=54_206.0, high=185_794.0)
    at.button(key="experiments.form.save").click().run()
    assert is_sound(at)
    (entry,) = (each.as_table() for each in saved(folder))
    assert entry["standard_error"] == pytest.approx(40_000, rel=1e-3)
    assert {key: entry[key] for key in TEST if key != "standard_error"} == {
        key: value for key, value in TEST.items() if key != "standard_error"
    }
    assert "Fit the model to see" in texts(at)
    assert "test" not in at.query_params


def test_a_draft_survives_a_reload(screen, home):
    folder = worlds.project()
    at = screen("experiments", worlds.MARKET)
    at.button(key="experiments.add").click().run()
    fill(at, channel="Search", start=date(2021, 5, 3), incremental_outcome=-500.0)
    typed = at.query_params["test"]
    later = screen("experiments", worlds.MARKET, test=typed)
    assert is_sound(later)
    number = edition(later, "experiments.form")
    assert later.selectbox(key=f"experiments.form.channel.{number}").value == "Search"
    first = later.date_input(key=f"experiments.form.start.{number}")
    assert first.value == date(2021, 5, 3) and first.proto.format == "DD/MM/YYYY"
    outcome = later.number_input(key=f"experiments.form.incremental_outcome.{number}")
    assert outcome.value == -500.0
    later.button(key="experiments.form.cancel").click().run()
    assert "test" not in later.query_params and saved(folder) == []


@pytest.mark.parametrize("typed", ["[]", '{"row": 7}', '{"row": -1, "start": 3}', "{"])
def test_an_address_that_somebody_typed_breaks_nothing(screen, home, typed):
    worlds.project()
    at = screen("experiments", worlds.MARKET, test=typed)
    assert is_sound(at)


def test_one_test_is_edited_in_the_form(screen, home):
    folder = worlds.project()
    with_tests(folder, TEST, TEST | {"channel": "Search"})
    at = screen("experiments", worlds.MARKET)
    content = {"row": 1} | TEST | {"channel": "Search"}
    at = screen("experiments", worlds.MARKET, test=json.dumps(content))
    fill(at, half_life=26.0)
    at.button(key="experiments.form.save").click().run()
    assert is_sound(at)
    first, second = (each.as_table() for each in saved(folder))
    assert first == TEST
    assert second == TEST | {"channel": "Search", "half_life": 26.0}


def test_what_is_typed_survives_another_screen(screen, home):
    folder = worlds.project()
    with_tests(folder, TEST)
    at = screen("experiments", worlds.MARKET)
    type_in(at, added=[{"channel": "Search"}])
    rows = at.session_state["draft.experiments.now"]
    assert [row.channel for row in rows] == ["TV", "Search"]
    del at.session_state[f"experiments.table.{edition(at, 'experiments')}"]
    at.run()
    assert "Test 2 (Search) still needs" in texts(at)
    assert saved(folder) == [msgspec.convert(TEST, Entry)]


def test_a_test_can_be_deleted(screen, home):
    folder = worlds.project()
    with_tests(folder, TEST, TEST | {"channel": "Search"})
    at = screen("experiments", worlds.MARKET)
    type_in(at, deleted=[0])
    assert is_sound(at)
    assert [test.channel for test in saved(folder)] == ["Search"]


def test_negative_results_are_fine(screen, home):
    folder = worlds.project()
    with_tests(folder, TEST)
    at = screen("experiments", worlds.MARKET)
    type_in(at, edited={0: {"incremental_outcome": -7000.0}})
    assert saved(folder)[0].incremental_outcome == -7000.0
    assert "Test 1" not in texts(at)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"channel": "Telly"}, "not a channel of this project"),
        ({"channel": "Promotion"}, "non-media treatment"),
        ({"standard_error": 0.0}, "must be above zero"),
        ({"end": "2021-02-01"}, "before it starts"),
        ({"start": "2031-01-06", "end": "2031-02-02"}, "the data from 4 Jan 2021"),
        ({"geos": ["Mars"]}, "leave geos out"),
    ],
)
def test_faults_of_a_file_edited_by_hand_are_named_and_nothing_is_lost(
    screen, home, change, said
):
    folder = worlds.project()
    with_tests(folder, TEST, TEST | change)
    before = (folder / "project.toml").read_text()
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    assert said in texts(at)
    assert "Test 2" in texts(at)
    assert (folder / "project.toml").read_text() == before
    labels = [str(link.proto.label) for link in at.get("page_link")]
    assert any("Experiments" in label and "blocks a fit" in label for label in labels)


def test_tests_come_from_a_file_and_go_back_to_one(screen, home):
    folder = worlds.project()
    at = screen("experiments", worlds.MARKET)
    upload(at, FILE)
    assert is_sound(at)
    assert [test.channel for test in saved(folder)] == ["TV", "Search"]
    assert saved(folder)[1].incremental_outcome == -500
    rows = at.session_state["draft.experiments.now"]
    text = draft.as_csv(rows, has_geos=False)
    upload(at, text, "again.csv")
    assert len(saved(folder)) == 2
    assert "2 tests of again.csv were in the table already" in texts(at)
    at.button(key="experiments.dismiss").click().run()
    assert "again.csv" not in texts(at)


def test_a_workbook_with_intervals_says_what_was_worked_out(screen, home):
    folder = worlds.project()
    book = io.BytesIO()
    cells = {"channel": ["TV"], "start": ["2021-03-01"], "end": ["2021-03-28"]}
    cells |= {"low": [0.0], "high": [329.0], "mass": [0.9]}
    pd.DataFrame(cells).to_excel(book, index=False)
    at = screen("experiments", worlds.MARKET)
    upload(at, book.getvalue(), "tests.xlsx")
    assert is_sound(at)
    assert saved(folder)[0].standard_error == pytest.approx(100, rel=1e-3)
    assert "worked out from the 90 % interval" in texts(at)


def test_a_bad_file_changes_nothing(screen, home):
    folder = worlds.project()
    with_tests(folder, TEST)
    at = screen("experiments", worlds.MARKET)
    upload(at, "channel,lift\nTV,300\n")
    assert is_sound(at)
    assert "no column for its first day" in at.error[0].value.replace("\\", "")
    assert saved(folder) == [msgspec.convert(TEST, Entry)]
    upload(at, FILE.replace("2021-05-30", "later").replace("TV", "Radio"), "b.csv")
    assert is_sound(at)
    said = texts(at)
    assert "b.csv, row 3: later in column bis is not a date" in said
    assert "Test 3 (Search) still needs its last day" in said
    assert [test.channel for test in saved(folder)] == ["TV", "Radio"]
    assert "Test 2 (Radio) tests Radio, which is not a channel" in said


def test_what_each_test_did(screen, home):
    folder = worlds.project()
    with_tests(folder, TEST)
    worlds.fit(folder, experiments=synthetic.experiments())
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    assert not at.error
    assert "What each test did" in texts(at)
    assert len(at.get("plotly_chart")) == 1
    kinds = [node.type for node in at.main if node.type in ("markdown", "plotly_chart")]
    found = [node.value for node in at.main if node.type == "markdown"]
    place = next(i for i, text in enumerate(found) if "The test found" in text)
    assert kinds.index("plotly_chart") > place  # what each did comes before its chart
    assert any("about=experiments" in each.value for each in at.markdown)
    frame = at.dataframe[-1].value
    assert list(frame["Verdict"]) == ["agrees", "in tension"]
    columns = json.loads(at.dataframe[-1].proto.columns)
    numbers = [name for name in frame if name not in ("Lift test", "Dates", "Verdict")]
    assert {columns[name]["alignment"] for name in numbers} == {"right"}
    assert frame["ROI without it"][1] == "–"
    more = {"Apart, SE", "Narrower, %"}
    assert not more & {*frame.columns}
    at.toggle(key="experiments.every").set_value(True).run()
    assert is_sound(at)
    assert more < {*at.dataframe[-1].value.columns}


def test_a_fit_without_tests_asks_for_another(screen, fitted):
    with_tests(fitted, TEST)
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    assert "The last fit had no tests" in texts(at)
    assert at.button(key="go.fit")


def test_geos_are_chosen_where_there_are_several():
    row = Entry(channel="TV", geos=("North", "South"))
    frame = draft.frame_of([row])
    assert draft.rows_of(frame)[0].geos == ("North", "South")
    text = draft.as_csv([row], has_geos=True)
    assert "North; South" in text.decode("utf-8-sig")


def test_a_project_changed_elsewhere_is_shown_as_it_is(screen, home):
    folder = worlds.project()
    with_tests(folder, TEST)
    at = screen("experiments", worlds.MARKET)
    with_tests(folder, TEST | {"channel": "Search"})
    at.run()
    assert is_sound(at)
    rows = at.session_state["draft.experiments.now"]
    assert [row.channel for row in rows] == ["TV", "Search"]
    assert len(saved(folder)) == 2


def test_optional_columns_show_where_they_are_used(screen, home, monkeypatch):
    drawn, original = [], gated.data_editor

    def data_editor(*args, **options):
        drawn.append(options)
        return original(*args, **options)

    monkeypatch.setattr(gated, "data_editor", data_editor)
    folder = worlds.project()
    with_tests(folder, TEST)
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    shown = drawn[-1]["column_order"]
    assert "standard_error" in shown and "half_life" not in shown
    days = drawn[-1]["column_config"]["start"]["type_config"]
    assert days["format"] == "D MMM YYYY"
    with_tests(folder, TEST | {"half_life": 26.0})
    screen("experiments", worlds.MARKET)
    shown = drawn[-1]["column_order"]
    assert "half_life" in shown and "skewness" not in shown


def test_a_test_that_is_over_says_so_and_no_box_denies_it(screen, home):
    folder = worlds.project()
    planned = {"name": "TV off", "channels": ["TV"], "geos": ["A", "B", "C", "D"]}
    dates = {"start": "2021-03-01", "end": "2021-03-28"}
    keep_lift_test(folder, as_kept(planned | dates))
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    (row,) = at.dataframe[0].value.to_dict("records")
    assert row["State"] == "over" and "It is over" in row["What is next"]
    assert [*row][:3] == ["Test", "State", "What is next"]  # a phone shows these
    assert row["Dates"] == "1 Mar 2021 to 28 Mar 2021"
    assert row["Geos"] == "A, B and 2 more"
    assert "No lift tests yet" not in texts(at)
    assert "No result is in the model yet" in texts(at)
