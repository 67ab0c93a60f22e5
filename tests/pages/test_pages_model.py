"""The Model screen: ranges, families, options, the prior check in every state."""

import pytest

from core.model.priors.prior import describe
from core.project.settings.project import load_project
from core.project.settings.project_data import replace_data
from core.service import runs
from core.text.languages.language import missing_messages, say, spoken_in
from pages.model.channel import table
from tests.pages import worlds
from tests.pages.said import edition, is_sound, texts

FROM_DATA = "where the outcome moves"


def type_in(at, row: int, mode: str = "marketer", **cells):
    if mode == "marketer":
        at.toggle(key="model.each").set_value(True).run()
    key = f"model.channels.{edition(at, 'channels')}.{mode}"
    at.session_state[key] = {
        "edited_rows": {row: cells},
        "added_rows": [],
        "deleted_rows": [],
    }
    return at.run()


def tv(folder):
    return load_project(folder).spec.channel("TV")


def columns(at) -> list[str]:
    """The columns of the table of channels that are shown."""
    at.toggle(key="model.each").set_value(True).run()
    (table,) = [each for each in at.dataframe if "likely" in each.value.columns]
    return list(table.proto.column_order)


def test_marketers_see_what_fits_on_a_phone_unless_channels_differ(screen, home):
    folder = worlds.project()
    few = ["channel", "low", "likely", "high", "about"]
    assert columns(screen("model", worlds.MARKET)) == few
    text = (folder / "project.toml").read_text()
    tv = text.index('name = "TV"')
    text = text[:tv] + 'effectiveness = "constant"\n' + text[tv:]
    (folder / "project.toml").write_text(text)
    assert columns(screen("model", worlds.MARKET)) == [*few, "effectiveness"]


def test_without_project_or_data_it_says_where_to_go(screen, home):
    at = screen("model")
    assert is_sound(at)
    assert "No project is open" in texts(at)
    folder = worlds.project()
    (folder / "data.parquet").unlink()
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    assert at.button(key="go.data")


def test_defaults_are_in_place(screen, home):
    worlds.project()
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 3
    assert at.button(key="model.reset").disabled
    assert "Defaults are in place" in texts(at)
    assert ": before the data speak, ROI is most likely" in texts(at)
    assert "of revenue" in texts(at)


def test_range_becomes_a_prior_and_stays_as_typed(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    type_in(at, 0, low=0.5, likely=1.5, high=4.0)
    assert is_sound(at)
    made = tv(folder).prior
    assert made.family == "LogNormal"
    again = at.run()
    assert tv(folder).prior == made
    assert "Not the default: priors;" in texts(again)
    assert again.selectbox(key="model.channel").value == "TV"
    frame = again.dataframe[0].value if again.get("dataframe") else None
    if frame is not None:
        assert list(frame.loc[0, ["low", "likely", "high"]]) == [0.5, 1.5, 4.0]


def test_contribution_range_is_in_percent(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    type_in(at, 4, low=2.0, high=14.0)
    assert is_sound(at)
    made = load_project(folder).spec.channel("Newsletter").prior
    assert made.family == "Beta"
    assert 0.02 < made.values[0] / sum(made.values) < 0.14


def test_impossible_range_is_explained_and_not_saved(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    type_in(at, 0, low=5.0, high=1.0)
    assert is_sound(at)
    assert "Channel TV" in at.error[0].value
    assert tv(folder).prior is None
    kinds = [element.type for element in at.main]
    assert kinds.index("error") < kinds.index("plotly_chart")  # right below the table


def test_prior_can_be_about_something_else(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    type_in(at, 0, about="Contribution, %")
    assert is_sound(at)
    assert tv(folder).effective_prior_kind == "contribution"
    type_in(at, 4, about="ROI")
    assert "has no spend" in at.error[0].value


def test_analyst_edits_family_and_parameters(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.mode").set_value("Analyst").run()
    type_in(at, 0, "analyst", prior="Gamma(2, 1)", alpha="Beta(2, 2)", max_lag=4)
    type_in(at, 0, "analyst", effectiveness="constant")
    assert is_sound(at)
    channel = tv(folder)
    assert describe(channel.prior) == "Gamma(2, 1)"
    assert describe(dict(channel.priors)["alpha"]) == "Beta(2, 2)"
    assert channel.max_lag == 4
    assert channel.effectiveness == "constant"
    type_in(at, 0, "analyst", prior="LogNorml(1, 2)")
    assert "Did you mean LogNormal" in texts(at)
    assert describe(tv(folder).prior) == "Gamma(2, 1)"


def test_adstock_and_saturation(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.mode").set_value("Analyst").run()
    type_in(at, 0, "analyst", adstock="binomial", saturation="none")
    assert is_sound(at)
    assert (tv(folder).adstock, tv(folder).saturation) == ("binomial", "none")


def test_parameters_follow_the_kind_of_carryover(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.mode").set_value("Analyst").run()
    type_in(at, 0, "analyst", adstock="delayed")
    type_in(at, 0, "analyst", theta="HalfNormal(2)")
    assert is_sound(at)
    assert describe(dict(tv(folder).priors)["theta"]) == "HalfNormal(2)"


def test_options_are_saved_and_can_be_reset(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.mode").set_value("Analyst").run()
    at.segmented_control(key="model.view").set_value("Options").run()
    assert is_sound(at)
    at.number_input(key="model.option.waves.0").set_value(2).run()
    assert load_project(folder).spec.seasonality == 2
    at.text_input(key="model.option.holidays.0").set_value("DE").run()
    assert load_project(folder).spec.holidays == "DE"
    at.selectbox(key="model.option.baseline.0").set_value(False).run()
    assert load_project(folder).spec.knots == 26
    at.number_input(key="model.option.knots.0").set_value(7).run()
    assert load_project(folder).spec.knots == 7
    at.number_input(key="model.option.max_lag.0").set_value(5).run()
    assert load_project(folder).spec.max_lag == 5
    at.button(key="model.reset").click().run()
    assert load_project(folder).spec.is_structural
    assert is_sound(at)


def test_knots_can_be_chosen_from_the_data(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.view").set_value("Options").run()
    at.selectbox(key="model.option.baseline.0").set_value(False).run()
    at.selectbox(key="model.option.knots_are.0").set_value(FROM_DATA).run()
    assert is_sound(at)
    assert load_project(folder).spec.knots == "auto"
    at.selectbox(key="model.option.knots_are.0").set_value("evenly").run()
    assert is_sound(at)
    assert load_project(folder).spec.knots == 26


def test_analyst_sees_priors_of_the_whole_model(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.mode").set_value("Analyst").run()
    at.segmented_control(key="model.view").set_value("Options").run()
    at.text_input(key="model.option.prior.sigma.0").set_value("HalfNormal(2)").run()
    assert is_sound(at)
    assert describe(load_project(folder).spec.parameter_prior("sigma")) == (
        "HalfNormal(2)"
    )


def test_prior_check_is_started(screen, home, monkeypatch):
    folder = worlds.project()
    started = []
    monkeypatch.setattr(runs.executor, "submit", started.append)
    at = screen("model", worlds.MARKET)
    at.button(key="model.check").click().run()
    assert is_sound(at)
    assert [run.parent.parent for run in started] == [folder]


def test_prior_check_at_work(screen, home, held):
    run = worlds.run(worlds.project(), "running", "prior")
    held(run)
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    assert at.button(key="model.check").disabled
    assert at.get("progress")


def test_prior_check_done_and_out_of_date(screen, home):
    worlds.prior_check(worlds.project())
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 5
    assert "Out of date" not in texts(at)
    type_in(at, 0, low=0.5, high=4.0)
    assert "Out of date: priors changed" in texts(at)


@pytest.mark.parametrize("state", ["failed", "killed", "cancelled", "lost"])
def test_prior_check_that_stopped_says_why(screen, home, state):
    worlds.run(worlds.project(), state, "prior", message="It broke.", hint="Mend it.")
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    assert "It broke." in texts(at)


def test_damaged_prior_check(screen, home):
    worlds.damage(worlds.prior_check(worlds.project()), "prior.json")
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    assert "damaged" in texts(at)


def test_project_of_a_file_without_channels(screen, home):
    frame = worlds.table()[["week", "revenue", "temperature"]]
    mapping = worlds.ColumnMapping(time="week", kpi="revenue", kpi_type="revenue")
    worlds.create_project(worlds.MARKET, frame, mapping)
    for name in ("data", "model", "fit", "channels"):
        assert is_sound(screen(name, worlds.MARKET))


@pytest.mark.parametrize("is_damaged", [False, True])
def test_what_the_newest_fit_says_of_demand_stands_beside_what_was_assumed(
    screen, home, is_damaged
):
    folder = worlds.project()
    assert "The newest fit" not in texts(screen("model", worlds.MARKET))
    fit = worlds.fit(folder, follows=("TV",))
    if is_damaged:
        (fit / "result" / "summary.json").write_text("{")
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    says = f"The newest fit: {worlds.DEMAND}"
    assert (says in texts(at)) is not is_damaged


def test_how_a_channel_is_bought_can_be_chosen(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    before = at.segmented_control(key=f"model.demand.TV.auto.{edition(at, 'closely')}")
    assert before.value == "auto"
    assert "TV follows demand with a probability of" in texts(at)
    before.set_value("demand").run()
    assert is_sound(at)
    assert tv(folder).follows_demand is True
    after = at.segmented_control(key=f"model.demand.TV.demand.{edition(at, 'closely')}")
    after.set_value("plan").run()
    assert tv(folder).follows_demand is False
    assert "follows_demand = false" in (folder / "project.toml").read_text()
    key = f"model.demand.TV.plan.{edition(at, 'closely')}"
    at.segmented_control(key=key).set_value("perhaps").run()
    assert is_sound(at)
    assert 0.01 <= tv(folder).follows_demand < 0.3
    percent = at.number_input(key=f"model.demand.percent.TV.{edition(at, 'closely')}")
    percent.set_value(70).run()
    assert is_sound(at)
    assert tv(folder).follows_demand == 0.7


@pytest.fixture
def sisters(home, monkeypatch):
    """Two projects with fits of two markets."""
    weeks = worlds.synthetic.weeks
    folders = []
    for seed, name in enumerate((worlds.MARKET, "Sister brand"), 1):
        monkeypatch.setattr(
            worlds.synthetic, "weeks", lambda seed=seed, **m: weeks(**m, seed=seed)
        )
        folder = worlds.project(name)
        replace_data(folder, worlds.table(seed=seed))
        worlds.fit(folder)
        folders.append(folder)
    return folders


def test_alone_nobody_suggests_priors(screen, home):
    worlds.fit(worlds.project())
    at = screen("model", worlds.MARKET)
    assert is_sound(at) and not at.expander


def test_priors_of_other_projects_are_accepted_by_a_click(screen, sisters):
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    [card] = at.expander
    assert card.label == "Priors from your other projects (4)"
    assert "Sister brand: TV" in texts(at) and "This project is left out" in texts(at)
    at.button(key="model.suggested.accept.TV").click()
    at = at.run()
    assert is_sound(at)
    channel = tv(sisters[0])
    assert channel.prior_kind == "roi" and channel.prior.written.mass == 0.9
    assert at.expander[0].label == "Priors from your other projects (3)"
    assert at.button(key="model.suggested.accept.TV").disabled
    at.button(key="model.suggested.all").click()
    at = at.run()
    assert is_sound(at)
    assert all(
        load_project(sisters[0]).spec.channel(name).prior is not None
        for name in worlds.synthetic.PAID
    )


def test_the_kind_of_a_channel_can_be_changed_on_the_card(screen, sisters):
    at = screen("model", worlds.MARKET)
    kind = at.selectbox(key="model.suggested.kind.Print.booked ahead")
    kind.set_value("paid by sales")
    at = at.run()
    assert is_sound(at)
    assert load_project(sisters[0]).kinds == (("Print", "paid by sales"),)
    assert "No other project has learnt anything" in texts(at)


def test_what_a_prior_can_be_about_is_said_in_every_language():
    with spoken_in("de"), missing_messages() as missing:
        assert say("Contribution, %") == "Beitrag, %"
        assert [say(name) for name in table.ABOUT]
    assert missing == set()
