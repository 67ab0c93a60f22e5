"""Every option of the model can be set on the Model screen, and comes back as typed."""

import re

import pandas as pd
import pytest

from core.data.mapping import ChannelColumns, ColumnMapping
from core.model.holdout import Holdout
from core.model.inputs.events import Event
from core.model.priors.prior import Written
from core.model.spec import DEFAULT_PRIORS
from core.project.settings.project import load_project
from core.project.shelf.lifecycle import create_project
from pages.model import options as model_options
from pages.model import prior_text
from tests.pages import worlds
from tests.pages.said import edition, is_sound, texts
from tests.pages.test_pages_model import tv, type_in

GEO = "Geo market"


def geo_project():
    """A market of two geos with a treatment, a control and organic media."""
    one = worlds.table()
    frame = pd.concat([one.assign(region="North"), one.assign(region="South")])
    mapping = worlds.mapping()
    given = {"geo": "region", "population": "people"}
    frame["people"] = frame["region"].map({"North": 2e6, "South": 1e6})
    made = ColumnMapping(**(vars(mapping) | given))
    return create_project(GEO, frame.reset_index(drop=True), made)


def key(at, name, editor="options"):
    prefix = "model.option" if editor == "options" else "model.closely"
    return f"{prefix}.{name}.{edition(at, editor)}"


def opened(screen, project=worlds.MARKET, view="Channels", mode="Analyst"):
    return screen("model", project, **{"model.mode": mode, "model.view": view})


def test_typed_range_is_there_after_a_reload(screen, home):
    folder = worlds.project()
    type_in(screen("model", worlds.MARKET), 0, low=0.5, high=3.0)
    text = (folder / "project.toml").read_text()
    assert "low = 0.5\nhigh = 3.0\nmass = 0.9\n" in text
    at = screen("model", worlds.MARKET)
    row = at.dataframe[0].value.iloc[0] if at.get("dataframe") else None
    if row is not None:
        assert (row["low"], row["high"]) == (0.5, 3.0)
    assert tv(folder).prior.written.low == 0.5


def test_knots_at_periods_and_dates(screen, home):
    folder = worlds.project()
    at = opened(screen, view="Options")
    at.selectbox(key=key(at, "baseline")).set_value(False).run()
    at.selectbox(key=key(at, "knots_are")).set_value("at periods").run()
    assert is_sound(at)
    assert len(load_project(folder).spec.knots) == 26
    at.text_area(key=key(at, "positions")).set_value("0, 2021-03-01, 155").run()
    assert is_sound(at)
    assert load_project(folder).spec.knots == (0, 8, 155)
    assert "3 knots, the first at 4 Jan 2021" in texts(at)
    for wrong, said in (("0, 400", "beyond the last"), ("soon", "not a period")):
        at.text_area(key=key(at, "positions")).set_value(wrong).run()
        assert said in texts(at)
    assert load_project(folder).spec.knots == (0, 8, 155)


def test_holdout_begins_with_the_last_periods_and_takes_a_rule(screen, home):
    folder = geo_project()
    at = opened(screen, GEO, "Options", "Marketer")
    at.toggle(key=key(at, "holdout_on")).set_value(True).run()
    assert is_sound(at)
    made = load_project(folder).spec.holdout
    assert made == Holdout(dates=(("2023-09-11", "2023-12-25"),))
    at.multiselect(key=key(at, "holdout_geos")).set_value(["South"]).run()
    at.number_input(key=key(at, "holdout_random")).set_value(25.0).run()
    at.number_input(key=key(at, "holdout_seed")).set_value(7).run()
    assert is_sound(at)
    made = load_project(folder).spec.holdout
    assert (made.geos, made.random, made.seed) == (("South",), 0.25, 7)
    said = "25 % of periods at random, 11 Sep 2023 to 25 Dec 2023, in South"
    assert said in texts(at)
    at.toggle(key=key(at, "holdout_on")).set_value(False).run()
    assert load_project(folder).spec.holdout == ()


def test_listed_cells_become_a_rule(screen, home):
    folder = worlds.project()
    text = (folder / "project.toml").read_text()
    cells = 'holdout = [["national", "2021-01-11"]]'
    (folder / "project.toml").write_text(text.replace("[model]", f"[model]\n{cells}"))
    at = opened(screen, view="Options")
    assert "1 cell listed in project.toml" in texts(at)
    at.button(key=key(at, "holdout_rule")).click().run()
    assert is_sound(at)
    assert load_project(folder).spec.holdout == Holdout(random=0.1)


def test_noise_that_goes_on_is_a_choice_whatever_the_baseline(screen, home):
    folder = worlds.project()
    at = opened(screen, view="Options", mode="Marketer")
    assert at.toggle(key=key(at, "autocorrelation")).value is True
    at.toggle(key=key(at, "autocorrelation")).set_value(False).run()
    assert is_sound(at)
    assert load_project(folder).spec.autocorrelation is False
    at.selectbox(key=key(at, "baseline")).set_value(False).run()
    at.toggle(key=key(at, "autocorrelation")).set_value(True).run()
    assert is_sound(at)
    spec = load_project(folder).spec
    assert (spec.is_structural, spec.autocorrelation) == (False, True)
    at.toggle(key=key(at, "autocorrelation")).set_value(False).run()
    assert load_project(folder).spec.autocorrelation is None


def test_population_divides_controls_and_treatments(screen, home):
    folder = geo_project()
    at = opened(screen, GEO, "Options")
    at.multiselect(key=key(at, "controls")).set_value(["temperature"]).run()
    at.multiselect(key=key(at, "non_media")).set_value(["Promotion"]).run()
    assert is_sound(at)
    spec = load_project(folder).spec
    assert spec.population_scaled_controls == ("temperature",)
    assert spec.population_scaled_non_media == ("Promotion",)


def test_priors_of_every_parameter_that_belongs_to_no_channel(screen, home):
    folder = geo_project()
    path = folder / "project.toml"
    extra = "[model]\nrecurring = true\nweekday = true\n"
    extra += 'effectiveness = "drifting"\n'
    extra += 'varies_by_geo = ["trend", "season", "smooth"]\n'
    extra += 'events = [["Fair", "2021-05-03", "2021-05-09"]]\nholidays = "DE"\n'
    path.write_text(path.read_text().replace("[model]\n", extra))
    at = opened(screen, GEO, "Options")
    # gamma_n is of a treatment whose prior is on its coefficient
    names = [name for name in model_options.PARAMETERS if name != "gamma_n"]
    for some in (names[n : n + 4] for n in range(0, len(names), 4)):
        for name in some:
            text = "Normal(0, 2)" if name in ("knot_values", "gamma_c") else "0.5 to 3"
            text = "Uniform(0, 0.9)" if name == "rho" else text
            at.text_input(key=key(at, f"prior.{name}")).set_value(text)
        at.run()
        assert is_sound(at)
        assert not at.error
    priors = dict(load_project(folder).spec.priors)
    assert set(priors) == set(model_options.PARAMETERS) - {"gamma_n"}
    assert priors["xi_fourier"].written == Written(low=0.5, high=3.0, mass=0.9)
    at = opened(screen, GEO, "Options")
    assert at.text_input(key=key(at, "prior.sigma")).value == "0.5 to 3"
    at.text_input(key=key(at, "prior.sigma")).set_value("").run()
    assert "sigma" not in dict(load_project(folder).spec.priors)
    assert at.text_input(key=key(at, "prior.sigma")).value == "HalfNormal(5)"


def test_the_screen_knows_every_parameter_of_the_whole_model():
    suffixes = ("_m", "_rf", "_om", "_orf")
    common = {name for name in DEFAULT_PRIORS if not name.endswith(suffixes)}
    assert common - {"contribution_n"} <= set(model_options.PARAMETERS)


@pytest.mark.parametrize(
    ("way", "family", "numbers", "said"),
    [
        ("Range", "LogNormal", {"low": 0.5, "high": 3.0, "mass": 80.0}, "0.5 to 3"),
        ("Range", "Gamma", {"low": 1.0}, "Gamma"),
        ("Mean and sd", "LogNormal", {"mean": 1.5, "sd": 0.75}, "mean 1.5"),
        ("Parameters", "Gamma", {"concentration": 2.0, "rate": 1.0}, "Gamma(2, 1)"),
        ("Parameters", "HalfNormal", {"scale": 2.0}, "HalfNormal(2)"),
        ("Parameters", "Uniform", {"low": 0.0, "high": 3.0}, "Uniform(0, 3)"),
        ("Parameters", "Deterministic", {"loc": 2.0}, "Deterministic(2)"),
        (
            "Parameters",
            "TruncatedNormal",
            {"loc": 1.0, "scale": 1.0, "low": 0.0, "high": 5.0},
            "TruncatedNormal(1, 1, 0, 5)",
        ),
    ],
)
def test_a_prior_is_given_in_every_way(screen, home, way, family, numbers, said):
    folder = worlds.project()
    at = opened(screen)
    form = "model.closely.TV.returns.treatment.0"
    at.segmented_control(key=f"{form}.way").set_value(way).run()
    at.selectbox(key=f"{form}.family.{way}").set_value(family).run()
    for name, value in numbers.items():
        at.number_input(key=f"{form}.{way}.{family}.{name}").set_value(value).run()
        assert is_sound(at)
        assert not at.error
    made = tv(folder).prior
    assert made.family == family
    written = made.written.numbers() if made.written else made.parameters()
    for name, value in numbers.items():
        assert written[name] == pytest.approx(value / 100 if name == "mass" else value)
    assert prior_text.shown(made).startswith(said)
    again = opened(screen)
    shown = again.number_input(key=f"{form}.{way}.{family}.{next(iter(numbers))}")
    assert shown.value == next(iter(numbers.values()))


def test_impossible_numbers_of_a_form_are_explained_in_its_card(screen, home):
    folder = worlds.project()
    at = opened(screen)
    form = "model.closely.TV.carryover.alpha.0"
    at.segmented_control(key=f"{form}.way").set_value("Range").run()
    at.number_input(key=f"{form}.Range.Uniform.low").set_value(2.0).run()
    assert is_sound(at)
    assert "is empty" in texts(at)
    assert tv(folder).priors == ()
    assert len(at.get("plotly_chart")) >= 3


def test_slope_is_fixed_or_estimated(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.mode").set_value("Analyst").run()
    slope = "model.closely.TV.slope.{}.{}"
    at.segmented_control(key=slope.format("estimated", 0)).set_value("fixed at 1").run()
    assert is_sound(at)
    given = dict(tv(folder).priors)["slope"]
    assert (given.family, given.values) == ("Deterministic", (1.0,))
    now = slope.format("fixed at 1", edition(at, "closely"))
    at.segmented_control(key=now).set_value("estimated").run()
    assert is_sound(at)
    assert tv(folder).priors == ()


def test_calibration_windows(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.segmented_control(key="model.mode").set_value("Analyst").run()
    at.session_state["model.closely.TV.calibration.0"] = {
        "edited_rows": {},
        "added_rows": [{"from": "2021-08-23", "to": "2022-03-21"}],
        "deleted_rows": [],
    }
    at.run()
    assert is_sound(at)
    assert tv(folder).calibration == (("2021-08-23", "2022-03-21"),)


def type_event(at, **cells):
    """A row more in the table of events."""
    table = f"{key(at, 'events')}.{edition(at, 'events')}"
    typed = {"edited_rows": {}, "added_rows": [cells], "deleted_rows": []}
    at.session_state[table] = typed
    return at.run()


def test_events_are_typed_and_come_back(screen, home):
    """One that is half typed is not lost, and one that ends too early is refused."""
    folder = worlds.project()
    at = opened(screen, view="Options", mode="Marketer")
    type_event(at, name="Fair", start="2021-05-03")
    assert is_sound(at) and load_project(folder).spec.events == ()
    type_event(at, name="Fair", start="2021-05-03", end="2021-05-02")
    assert "ends before it starts" in texts(at)
    assert load_project(folder).spec.events == ()
    fair = {"name": "Fair", "start": "2021-05-03", "end": "2021-05-09"}
    type_event(at, **fair)
    assert is_sound(at) and load_project(folder).spec.events == (Event(**fair),)
    closed = {"name": "Closed", "start": "2021-08-02", "end": "2021-08-02"}
    type_event(at, **closed)
    assert load_project(folder).spec.events == (Event(**fair), Event(**closed))
    at = opened(screen, view="Options", mode="Marketer")
    (table,) = [each.value for each in at.dataframe if "start" in each.value]
    assert list(table["name"]) == ["Fair", "Closed"]


def test_baseline_of_a_treatment(screen, home):
    folder = worlds.project()
    at = screen("model", worlds.MARKET)
    at.selectbox(key="model.channel").set_value("Promotion").run()
    at.selectbox(key="model.closely.Promotion.baseline.0").set_value("max").run()
    assert load_project(folder).spec.channel("Promotion").baseline == "max"
    at.selectbox(key="model.closely.Promotion.baseline.0").set_value("").run()
    value = "model.closely.Promotion.baseline_value.0"
    at.number_input(key=value).set_value(0.05).run()
    assert is_sound(at)
    assert load_project(folder).spec.channel("Promotion").baseline == 0.05


def test_pictures_follow_the_priors_at_once(screen, home):
    worlds.project()
    at = screen("model", worlds.MARKET)
    before = texts(at)
    assert "Half of the effect comes within 1.0 (0.5 – 4.0) weeks" in before
    assert re.search(r"Typical exposure gets 57\s% \(\d+ – \d+\) of", before)
    at = opened(screen)
    type_in(at, 0, "analyst", alpha="Deterministic(0.8)")
    assert "Half of the effect comes within" in texts(at)
    assert "comes within 1.0 (0.5" not in texts(at)
    type_in(at, 0, "analyst", saturation="none")
    assert "No saturation" in texts(at)


def test_frequency_saturates_where_there_is_reach(screen, home):
    frame = worlds.table()
    frame["TV_reach"], frame["TV_frequency"] = frame["TV_impressions"] / 2, 2.0
    first = ChannelColumns(
        "TV",
        "reach_frequency",
        reach="TV_reach",
        frequency="TV_frequency",
        spend="TV_spend",
    )
    given = vars(worlds.mapping())
    channels = (first, *given["channels"][1:])
    create_project(GEO, frame, ColumnMapping(**(given | {"channels": channels})))
    at = screen("model", GEO)
    assert is_sound(at)
    assert "Typical frequency gets" in texts(at)


def test_without_a_value_per_unit_roi_has_the_total_contribution_prior(screen, home):
    given = vars(worlds.mapping()) | {"kpi_type": "non_revenue"}
    folder = create_project(GEO, worlds.table(), ColumnMapping(**given))
    at = screen("model", GEO)
    assert is_sound(at)
    shares = next(t for t in texts(at).splitlines() if t.startswith("90"))
    assert "of revenue" in shares  # the KPI's name
    assert load_project(folder).spec.channel("TV").prior is None
