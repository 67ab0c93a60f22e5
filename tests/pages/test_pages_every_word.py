"""Every word of every screen comes out of a catalogue."""

import json
import os

import pytest

from core.analysis.record.fit_record import as_record
from core.project.settings.project_data import replace_data
from core.text.languages import language as spoken
from core.text.languages.locale import months
from pages.channels import returns_table
from pages.channels import screen as channel_views
from pages.shell import dialogs
from pages.start import screen as start
from pages.ui import navigation
from pages.ui.reader import tongue
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.brackets import Bracketed, outside, said
from tests.pages.said import is_sound, unfolded
from tests.pages.test_pages_plan_weeks import flight_result
from tools import languages

#: What screens show that is nobody's language.
NAMES = frozenset(
    {
        *synthetic.NAMES,
        *"Mixwright North South CSV XLSX PPTX PDF TOML KPI ROI".split(),
        *"English Brackets R² MAPE wMAPE hat knot values roi sigma ec alpha".split(),
        *"Deutsch Français Español Mio mil float alpha lam ec eta theta slope".split(),
        *"LogNormal HalfNormal Beta TruncatedNormal Gamma Normal ESS".split(),
        # Of the table: its columns, and words that their names hold
        *"TV Orders Revenue week spend impressions opens temperature".split(),
        *"revenue promotion".split(),
    }
)


@pytest.fixture
def brackets(monkeypatch, source_messages):
    """A language of the screens that puts every message in brackets."""
    real = spoken.catalogue
    monkeypatch.setattr(
        spoken,
        "catalogue",
        lambda name: Bracketed() if name == "brackets" else real(name),
    )
    monkeypatch.setattr(spoken, "ON_SCREENS", ("en", "brackets"))
    monkeypatch.setitem(spoken.LANGUAGES, "brackets", "Brackets")
    known = tuple(
        text if isinstance(text, tuple) else (text, "")
        for _, text in languages.messages()
    )
    monkeypatch.setattr(spoken, "messages", lambda: known)


def strays(at) -> dict[str, list[str]]:
    found = {}
    for kind, text in said(at):
        if "MIXWRIGHT_DATA" in text or worlds.MARKET in text or "SELECT" in text:
            continue
        words = outside(text, NAMES)
        if words:
            found.setdefault(f"{kind}: {text}"[:160], words)
    return found


#: Views of screens, by the control that chooses them.
VIEWS = [
    *(("channels", "channels.view", each) for each in channel_views._VIEWS),
    ("model", "model.view", "Options"),
    ("plan", "plan.over", "By hand"),
    ("plan", "plan.over", "Weeks"),
    ("compare", "compare.view", "Specifications"),
    ("compare", "compare.view", "Fits"),
    ("forecast", "forecast.view", "Backtest"),
]


@pytest.mark.parametrize(
    "name", [each.name for each in navigation.SCREENS if each.name != "help"]
)
def test_no_word_of_a_screen_stands_outside(screen, fitted, brackets, name):
    at = spoken_screen(screen, name)
    assert strays(at) == {}


@pytest.mark.parametrize(("name", "key", "view"), VIEWS)
def test_no_word_of_a_view_stands_outside(screen, fitted, brackets, name, key, view):
    at = spoken_screen(screen, name, **{key: view})
    assert strays(at) == {}


#: Views that have more to say of two fits, tests and a backtest.
FULL = [
    ("compare", "compare.view", "Specifications"),
    ("compare", "compare.view", "Fits"),
    ("forecast", "forecast.view", "Backtest"),
    ("experiments", "experiments.view", "Results"),
    ("fit", "fit.check", "true"),
    ("plan", "plan.over", "Weeks"),
]


@pytest.mark.parametrize(("name", "key", "view"), FULL)
def test_no_word_of_a_full_view_stands_outside(
    screen, fitted, brackets, name, key, view
):
    run = worlds.fit(
        fitted, better=0.5, missed=True, experiments=synthetic.experiments()
    )
    flight_result(run)
    worlds.backtest(fitted)
    at = spoken_screen(screen, name, **{key: view})
    assert strays(at) == {}


def test_no_word_of_suggested_priors_stands_outside(screen, fitted, brackets):
    worlds.fit(worlds.project("Orders"))  # a copy, which does not count
    with pytest.MonkeyPatch.context() as patch:
        weeks = synthetic.weeks
        patch.setattr(synthetic, "weeks", lambda **about: weeks(**about, seed=2))
        other = worlds.project("Revenue")
        replace_data(other, worlds.table(seed=2))
        worlds.fit(other)
    at = spoken_screen(screen, "model")
    assert any("Priors from" in each.label for each in at.expander)
    assert strays(at) == {}


@pytest.mark.parametrize("dialog", ["new", "rename", "duplicate", "delete", "members"])
def test_no_word_of_a_dialog_stands_outside(screen, fitted, brackets, dialog, home):
    at = screen("start", project=worlds.MARKET, run=False)
    at.session_state["app.language"] = "brackets"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            start, "_open_demo", lambda _: dialogs.open_dialog(dialog, worlds.MARKET)
        )
        at.run()
    assert not at.exception
    assert strays(at) == {}


def spoken_screen(screen, name, **query):
    at = screen(name, project=worlds.MARKET, run=False, **query)
    at.session_state["app.language"] = "brackets"
    at.run()
    if name == "plan":
        unfolded(at)
    assert not at.exception
    report = os.environ.get("STRAYS")  # lists them all, for whoever mends them
    if report:
        with open(report, "a") as file:
            file.writelines(f"{name}| {each!r}\n" for each in strays(at).items())
    return at


def readings():
    """Every screen in one language after another; in the others, slow.

    What a catalogue says of a message is checked by tests/text/test_text_languages.py.
    """
    for place, each in enumerate(navigation.SCREENS):
        for at, language in enumerate(("de", "fr", "es")):
            marks = () if at == place % 3 else pytest.mark.slow
            yield pytest.param(each.name, language, marks=marks)


@pytest.mark.parametrize(("name", "language"), readings())
def test_every_screen_can_be_read_in_every_language(screen, fitted, name, language):
    at = screen(name, project=worlds.MARKET, run=False)
    at.session_state["app.language"] = language
    at.run()
    assert is_sound(at)
    title = {each.name: each.title for each in navigation.SCREENS}[name]
    with spoken.spoken_in(language):
        assert at.title[0].value == spoken.say(title)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_a_style_puts_words_in_place_of_streamlits(monkeypatch, language):
    """As a style reads them: letters, no escapes of JSON."""
    styles = []
    monkeypatch.setattr(tongue.st, "html", styles.append)
    with spoken.spoken_in(language):
        tongue.own_words()
        word = spoken.say("Choose files")
    assert (f'content: "{word}"' in "".join(styles)) is (language != "en")


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_months_of_a_chart_are_the_readers(screen, fitted, language):
    at = screen("channels", project=worlds.MARKET, run=False)
    at.session_state["app.language"] = language
    at.run()
    assert is_sound(at)
    with spoken.spoken_in(language):
        names = list(months())
    charts = at.get("plotly_chart")
    for chart in charts:
        config = json.loads(chart.proto.config)
        assert config["locale"] == language
        assert config["locales"][language]["format"]["shortMonths"] == names
    assert charts


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_a_column_keeps_its_name_in_every_language(screen, fitted, language):
    at = screen("data", project=worlds.MARKET, run=False)
    at.session_state["app.language"] = language
    at.run()
    assert is_sound(at)
    (about,) = (each.value for each in at.caption if '"revenue"' in each.value)
    assert " revenue " in about


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_every_part_of_a_reason_is_the_readers(language):
    """One part that begins with a share must not take those before it for a place."""
    parts = (
        "TV's effect per week is about 11\u00a0% of ordinary noise from week to week, "
        "so the data say little about it",
        "30\u00a0% of its return is below the least it ever spent",
        "the data fit about as well if it did nothing",
    )
    for number in (1, 2, 3):
        reason = "; ".join(parts[-number:])
        evidence = {**worlds.EVIDENCE["TV"], "reason": reason, "worth": 0.0}
        summary = synthetic.summary()
        for row in summary["channels"]:
            about = evidence | {"label": "mostly assumed"}
            row["evidence"] = about if row["name"] == "TV" else None
        fit = as_record(summary)
        with spoken.spoken_in(language):
            said = returns_table.advice(fit)
        assert not any(part[-30:] in said for part in parts), said
