"""Catalogues: complete, unbroken, with the house's words; kept sentences reworded."""

import ast
import contextvars
import csv
import itertools
import re
import threading

import pytest

from core import errors
from core import text as fmt
from core.text.languages import language as spoken
from core.text.languages.language import (
    CATALOGUES,
    LANGUAGES,
    SOURCE,
    missing_messages,
    say,
    say_count,
    spoken_in,
)
from core.text.languages.reworded import reworded
from tools import languages

pytestmark = pytest.mark.usefixtures("source_messages")

OTHERS = tuple(name for name in LANGUAGES if name != SOURCE)
REFUSALS = {name for name, kind in vars(errors).items() if isinstance(kind, type)} - {
    "Finding"
}
ANSWERS = {"newest", "all", "apart", "places", "left_out", "counted", "first", "last"}
PLACE = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("name", OTHERS)
def test_a_catalogue_has_every_message_of_the_source_and_no_other(name):
    catalogue = languages.updated(name)
    assert languages.problems(name, catalogue) == []
    po = (CATALOGUES / f"{name}.po").read_bytes()
    assert po == languages.po_bytes(catalogue), "run tools/languages.py"
    assert (CATALOGUES / f"{name}.mo").read_bytes() == languages.mo_bytes(po, name)


def test_no_message_makes_a_plural_from_a_place():
    """An s after a place is no plural in German, French or Spanish."""
    texts = [message for _, message in languages.messages() if isinstance(message, str)]
    assert [text for text in texts if re.search(r"\{\w+\}s\b", text)] == []


#: What commands name: their paths and runs. No screen asks for one.
OF_COMMANDS = ("core/cli", "core/mcp", "core/notebook", "core/service/places.py")


def test_whatever_core_refuses_can_be_said_in_every_language():
    known = {
        form
        for _, message in languages.messages()
        for form in ((message,) if isinstance(message, str) else message)
    }
    missing = {}
    for path in sorted((languages.ROOT / "core").rglob("*.py")):
        where = path.relative_to(languages.ROOT).as_posix()
        if where.startswith(OF_COMMANDS):
            continue
        raised = languages.refusals(ast.parse(path.read_text(encoding="utf-8")))
        for call in [node.exc for node in raised.body]:
            named = getattr(getattr(call, "func", None), "id", "")
            if named in REFUSALS:
                said = ast.Module(body=[ast.Expr(call)], type_ignores=[])
                texts = {text for text in languages.kept(said) if "{}" not in text}
                missing |= {text: where for text in texts - known}
    assert missing == {}


def test_a_message_without_translation_or_with_other_places_is_a_problem():
    catalogue = languages.updated("de")
    catalogue.get("Budget").string = ""
    catalogue.get("Gain over {over}").string = "Zugewinn gegenüber {etwas}"
    assert sorted(languages.problems("de", catalogue)) == [
        "de: not translated: Budget",
        "de: places differ: Gain over {over}",
    ]


@pytest.mark.parametrize("name", OTHERS)
def test_terms_have_one_translation_each(name):
    with open(CATALOGUES / "glossary.csv", encoding="utf-8", newline="") as file:
        terms = list(csv.DictReader(file))
    assert len(terms) >= 20
    strayed = []
    for message in languages.updated(name):
        both = isinstance(message.id, tuple)
        forms = message.id if both else (message.id,)
        for form, said in zip(
            forms, message.string if both else (message.string,), strict=True
        ):
            own = re.sub(r'\{\w+\}|"[^"]*"', "", form)
            plain = said.replace("\u00a0", " ").lower()
            strayed += [
                (term["term"], form, said)
                for term in terms
                if re.search(rf"\b{re.escape(term['term'])}\b", own, re.IGNORECASE)
                and not any(w.lower() in plain for w in term[name].split("/"))
            ]
    assert strayed == []


def test_a_message_is_english_until_a_report_says_otherwise():
    text = "Gain over {over}"
    assert say(text, over="this") == "Gain over this"
    with spoken_in("de"):
        assert say(text, over="Vorjahresperiode") == (
            "Zugewinn gegenüber der Vorjahresperiode"
        )
        assert fmt.date("2026-03-08") == "8 März 2026"
        assert fmt.count(1, "week") == "1 Woche"
        assert fmt.count(1200, "week") == "1,200 Wochen"
    assert say(text, over="this") == "Gain over this"
    assert fmt.count(2, "week") == "2 weeks"


def test_plurals_are_those_of_the_language():
    forms = ("{number} day", "{number} days")
    with spoken_in("fr"):
        assert say_count(0, *forms, number=0) == "0 jour"
    with spoken_in("es"):
        assert say_count(0, *forms, number=0) == "0 días"


def test_two_readers_at_once_do_not_share_a_language():
    """Each in a thread of its own, as sessions of the web process are."""
    barrier, said = threading.Barrier(2, timeout=300), {}

    def read(name):
        with spoken_in(name):
            barrier.wait()
            said[name] = say("Channel")
            barrier.wait()

    threads = [
        threading.Thread(target=contextvars.Context().run, args=(read, name))
        for name in ("de", "fr")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {"de": "Kanal", "fr": "Canal"}
    assert say("Channel") == "Channel"


def test_what_is_in_no_catalogue_is_noted():
    with spoken_in("es"), missing_messages() as missing:
        assert say("No such message, {name}.", name="TV") == "No such message, TV."
        assert reworded("Nobody wrote this.") == "Nobody wrote this."
        assert say("Budget") == "Presupuesto"
    assert missing == {"No such message, {name}.", "Nobody wrote this."}


@pytest.mark.parametrize("name", OTHERS)
def test_every_message_with_words_is_known_again(name):
    """As a worker keeps it: filled, in English."""
    unknown = []
    known = {PLACE.sub("", one).strip(".") for one, _ in spoken.messages()}
    for one, _ in spoken.messages():
        places = {place: f"<{n}>" for n, place in enumerate(PLACE.findall(one))}
        places |= {"number": "1"} if "number" in places else {}
        words = re.sub(r"[\W\d_]", "", PLACE.sub("", one))
        if len(words) < 12:  # what else could it be
            continue
        kept = one.format(**places) if places else one
        with spoken_in(name):
            wanted = say(one, **places)
            sentence = PLACE.sub("", f"{one[0].upper()}{one[1:]}")
            if one[0].islower() and places and sentence not in known:  # a part
                kept, wanted = (f"{x[0].upper()}{x[1:]}." for x in (kept, wanted))
            with missing_messages() as missing:
                if reworded(kept) != wanted or missing:
                    unknown.append((kept, reworded(kept), wanted))
    assert unknown == []


def test_kept_sentences_are_reworded_with_what_stands_in_them():
    kept = (
        "It beats the same weeks last year with a probability of 61 % only, less than "
        "75 %. Its intervals are too narrow."
    )
    assert reworded(kept) == kept
    with spoken_in("de"):
        assert reworded(kept) == (
            "Der Plan schlägt die Vorjahresperiode mit einer Wahrscheinlichkeit von "
            "nur 61 %, weniger als 75 %. Seine Intervalle sind zu schmal."
        )


def test_what_a_limit_is_of_is_reworded_and_its_name_is_not():
    with spoken_in("de"):
        of_geo = reworded("The minimum of geo Bayern is above its maximum.")
        assert of_geo == "Das Minimum von Region Bayern liegt über dem Maximum."
        booked = "Project West 1.5 has 10 € booked, and its maximum is 5 €."
        assert reworded(booked).startswith("Für Projekt West 1.5 sind 10 € gebucht")


@pytest.mark.parametrize("name", OTHERS)
def test_labels_of_spans_hold_the_span_in_one_piece(name):
    """What counts something counts it by a number, not by words before one."""
    labels = {"Last {span}", "The {span} before", "The same periods of {span}"}
    for label, period in itertools.product(labels, ("week", "month", "day")):
        with spoken_in(name):
            wanted = say(label, span=fmt.count(52, period))
        kept = label.format(span=fmt.count(52, period))
        with spoken_in(name):
            assert reworded(kept) == wanted


#: Names, numbers and refusals in English, before what they are of.
BY_HAND = {"pages/model/prior_text.py", "pages/forecast/backtest.py"}
BY_HAND |= {"pages/experiments/editor.py"}


def test_no_label_is_joined_to_its_value_by_hand():
    """French has a space before the colon: `fmt.named` knows."""
    rooms = ("pages", "core/charts", "core/view/sections")
    files = [path for room in rooms for path in (languages.ROOT / room).rglob("*.py")]
    joined = {
        f"{name}:{number}"
        for path in files
        if (name := str(path.relative_to(languages.ROOT))) not in BY_HAND
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"\}: \{", line) and "say(" not in line and 'f"' in line
    }
    assert len(files) > 100 and joined == set()


def test_r_hat_has_the_decimal_sign_of_its_reader():
    kept = "TV · effect has R-hat 1.033 (31 parameters are above 1.01)."
    with spoken_in("de"), fmt.written_in("de"):
        assert "R-hat 1,033 " in reworded(kept) and "1,01" in reworded(kept)


def test_reasons_in_a_row_are_reworded_one_by_one():
    kept = "it pauses in 46 % of the periods"
    said = (
        "TV follows demand with a probability of 3 % before the fit: its name says "
        f"booked ahead (8 %); {kept}."
    )
    with spoken_in("de"), missing_messages() as missing:
        text = reworded(said, ["TV"])
        assert "im Voraus gebucht (8 %); " in text and reworded(kept) in text
    assert not missing


def test_every_reading_that_a_screen_offers_is_in_the_catalogues():
    """Two texts side by side in the layout are an answer and what it means."""
    messages = {form for _, text in languages.messages() for form in _forms_of(text)}
    offered = set()
    for path in (languages.ROOT / "core/data/layout").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
                continue
            answer, meaning = node.elts
            if isinstance(meaning, ast.Call) and meaning.args:
                meaning = meaning.args[0]
            texts = [getattr(each, "value", None) for each in (answer, meaning)]
            if texts[0] in ANSWERS and " " in str(texts[1]):
                offered.add(str(texts[1]))
    assert len(offered) > 12
    assert offered <= messages


def _forms_of(message):
    return (message,) if isinstance(message, str) else message
