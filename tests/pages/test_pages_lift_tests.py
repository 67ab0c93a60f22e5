"""The Experiments screen: a test is read, given to the model, ranked and planned."""

from datetime import date

import pytest

from core.experiments.kept import as_kept
from core.project.lift_tests.lift_tests import keep_lift_test, lift_tests
from core.project.settings.project import load_project
from pages.ui import reading
from tests.experiments.geo_world import END, START, TREATED, project_of_geos
from tests.pages import worlds
from tests.pages.said import is_sound, texts

NAME = "Four geos"


def view(at, name):
    at.segmented_control(key="experiments.view").set_value(name).run()
    assert is_sound(at)
    return at


def read(at, treated=(TREATED,), channels=("TV",), start=START, end=END):
    at.multiselect(key="experiments.treated").set_value(list(treated))
    at.multiselect(key="experiments.tested").set_value(list(channels))
    at.date_input(key="experiments.read.start").set_value(date.fromisoformat(start))
    at.date_input(key="experiments.read.end").set_value(date.fromisoformat(end))
    at.button(key="experiments.read.go").click().run()
    assert is_sound(at)
    return at


def test_a_national_project_without_a_fit_has_results_only(screen, home):
    worlds.project()
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    assert not at.get("button_group")


def test_a_test_is_read_and_given_to_the_model_with_one_click(screen, home):
    folder = project_of_geos()
    at = read(view(screen("experiments", NAME), "Read a test"))
    lift = {metric.label: metric.value for metric in at.metric}["Lift"]
    assert -13 < float(lift.removesuffix(" %").replace("−", "-")) < -7
    assert len(at.get("plotly_chart")) == 2
    assert "Spend changed" in texts(at)
    at.button(key="experiments.to_model").click().run()
    assert "not given to the model" in texts(at)
    assert load_project(folder).experiments == () and lift_tests(folder) == []
    at.checkbox(key="experiments.despite_warnings").check()
    at.button(key="experiments.to_model").click().run()
    assert is_sound(at)
    (entry,) = load_project(folder).experiments
    assert (entry.channel, entry.geos) == ("TV", (TREATED,))
    assert entry.incremental_outcome > 0 and entry.amount > 0
    (kept,) = lift_tests(folder)
    assert kept.in_model
    assert "Tests" in [title.value for title in at.header]


def test_a_test_that_cannot_be_read_is_refused_and_the_form_stays(screen, home):
    project_of_geos()
    at = view(screen("experiments", NAME), "Read a test")
    read(at, start=END, end=START)
    assert "before it starts" in texts(at)
    assert at.multiselect(key="experiments.treated").value == [TREATED]
    read(at, channels=())
    at.button(key="experiments.to_model").click().run()
    assert "does not say which channel" in texts(at)


def test_with_a_fit_the_model_says_what_it_expects(screen, home):
    worlds.fit(project_of_geos(), has_geo_curves=True)
    at = read(view(screen("experiments", NAME), "Read a test"))
    labels = [metric.label for metric in at.metric]
    assert "The model expects" in labels and "iROAS" in labels


def test_the_address_keeps_the_view(screen, home):
    project_of_geos()
    at = screen("experiments", NAME, **{"experiments.view": "Read a test"})
    assert at.segmented_control(key="experiments.view").value == "Read a test"
    view(at, "Next test")
    assert at.query_params["experiments.view"] == "Next test"


def test_tests_are_ranked_and_one_is_planned(screen, home):
    folder = project_of_geos()
    worlds.fit(folder, has_geo_curves=True)
    at = view(screen("experiments", NAME), "Next test")
    assert "what it costs" in texts(at)
    at.multiselect(key="experiments.next.channels").set_value(["TV"])
    at.button(key="experiments.rank").click().run()
    assert is_sound(at)
    frame = at.dataframe[0].value
    assert set(frame["Channel"]) == {"TV"}
    assert {"Lift", "Power", "Pays", "Net, €"} <= set(frame.columns)
    said = texts(at)
    assert ("Run this:" in said) != ("None is worth its cost:" in said)
    assert lift_tests(folder) == []


def test_treated_geos_are_edited_scored_at_once_and_planned(screen, home, monkeypatch):
    from pages.experiments import assignment
    from pages.experiments import screen as experiments_screen

    folder = project_of_geos()
    worlds.fit(folder, has_geo_curves=True)
    at = view(screen("experiments", NAME), "Next test")
    at.multiselect(key="experiments.next.channels").set_value(["TV"])
    at.button(key="experiments.rank").click().run()
    best = at.session_state["draft.experiments.designs"][0]
    original = experiments_screen._designs_table

    def chosen(here, about, run, designs):
        original(here, about, run, designs)
        assignment.show(here, about, run, designs[0])

    monkeypatch.setattr(experiments_screen, "_designs_table", chosen)
    at.run()
    assert is_sound(at)
    geos = next(box for box in at.multiselect if box.label == "Treated geos")
    assert geos.value == list(best.geos)
    before = {metric.label: metric.value for metric in at.metric}
    assert {"Placebo error", "Balance", "A/A check"} <= before.keys()
    other = next(geo for geo in ("West", "East") if geo not in best.geos)
    geos.set_value([other]).run()
    assert is_sound(at)
    after = {metric.label: metric.value for metric in at.metric}
    assert after["At risk"] != before["At risk"]
    assert "to compare them with" in texts(at)
    at.button(key="experiments.plan").click().run()
    assert is_sound(at)
    (kept,) = lift_tests(folder)
    assert (kept.geos, kept.channels) == ((other,), ("TV",))
    at.multiselect[-1].set_value([]).run()
    assert "0 treated geos" in texts(at)


def test_the_board_says_what_is_next(screen, home):
    folder = worlds.project()
    about = {"channels": ["TV"], "geos": [], "start": "2999-01-04", "end": "2999-02-01"}
    keep_lift_test(folder, as_kept({"name": "Far", **about}))
    keep_lift_test(folder, as_kept({"name": "Thought"}))
    at = screen("experiments", worlds.MARKET)
    assert is_sound(at)
    frame = at.dataframe[0].value
    assert list(frame["State"]) == ["idea", "planned"]
    assert "starts on 4 Jan 2999" in frame["What is next"][1]


def test_a_report_goes_into_the_table_and_the_model(screen, home):
    folder = worlds.project()
    at = screen("experiments", worlds.MARKET)
    text = (
        "platform,start date,end date,iROAS,lower,upper\n"
        "TV,2021-03-01,2021-03-28,2.5,1.5,3.5\n"
    )
    report = at.get("file_uploader")[0]
    report.set_value(("lift.csv", text.encode(), "text/csv"))
    at.run()
    assert is_sound(at)
    (entry,) = load_project(folder).experiments
    frame = worlds.table()
    money = frame.loc[frame["week"].between("2021-03-01", "2021-03-28"), "TV_spend"]
    assert entry.incremental_outcome == pytest.approx(2.5 * money.sum())


def test_a_report_that_leaves_out_the_channel_says_so(screen, home):
    folder = worlds.project()
    at = screen("experiments", worlds.MARKET)
    text = "start,end,iROAS,se\n2021-03-01,2021-03-28,2.5,0.5\n"
    at.get("file_uploader")[0].set_value(("lift.csv", text.encode(), "text/csv"))
    at.run()
    assert "has no channel" in texts(at)
    assert load_project(folder).experiments == ()


def test_a_chosen_test_has_its_papers_and_a_way_to_be_read(screen, home, monkeypatch):
    from pages.experiments import chosen
    from pages.experiments import screen as board

    folder = project_of_geos()
    about = {"channels": ["TV"], "geos": [TREATED], "kind": "dark", "multiple": 0.0}
    keep_lift_test(
        folder, as_kept({"name": "TV off", "start": START, "end": END} | about)
    )
    original = board._warn

    def warn(here, tests):
        original(here, tests)
        chosen.actions(here, reading.market(here), tests)

    monkeypatch.setattr(board, "_warn", warn)
    at = screen("experiments", NAME)
    assert is_sound(at)
    labels = [button.label for button in at.get("download_button")]
    assert {"Brief", "Spend by geo and week", "GeoX design"} <= {*labels}
    at.button(key="experiments.board.read").click().run()
    assert is_sound(at)
    assert at.multiselect(key="experiments.treated").value == [TREATED]
    at.button(key="experiments.read.go").click().run()
    at.checkbox(key="experiments.despite_warnings").check()
    at.button(key="experiments.to_model").click().run()
    assert is_sound(at)
    (kept,) = lift_tests(folder)
    assert kept.name == "TV off" and kept.in_model and kept.entry
    at.button(key="experiments.board.delete").click().run()
    assert lift_tests(folder) == []


def test_tests_are_worked_out_before_there_is_a_fit(screen, home):
    project_of_geos()
    at = view(screen("experiments", NAME), "Next test")
    at.button(key="experiments.precision").click().run()
    assert is_sound(at)
    assert "Without a fit" in texts(at)
    shown = at.dataframe[0].value
    assert {"Smallest lift", "Power at 5 %"} <= {*shown.columns} and len(shown) >= 4
