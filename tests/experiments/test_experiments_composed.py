"""Tables of tests as people write them: composed cells, other languages, own spend."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from core.data.experiments.experiment_table import read_experiments
from core.data.experiments.periods_apart import days_of
from core.data.files.load import load_table
from core.errors import SchemaError, SpecError
from core.experiments.results.reports import Context
from core.experiments.results.stated import Stated, as_entry
from core.experiments.results.table import read_table
from tests.data.data_tables import of
from tests.small_market import market

START, END = "2024-03-04", "2024-04-14"


def result(head, *rows):
    """The results of a table with semicolons between its cells."""
    text = "\n".join([head, *rows]) + "\n"
    frame = load_table(text.encode(), "t.csv")
    return read_table(frame, "t.csv", Context(channels=("tv",)), 4)


def outcome(head, *rows):
    text = "\n".join([head, *rows]) + "\n"
    return read_experiments(load_table(text.encode(), "t.csv"), "t.csv")


#: The same six weeks, as one cell says them.
PERIODS = (
    "2024-03-04 – 2024-04-14",
    "2024-03-04 - 2024-04-14",
    "2024-03-04/2024-04-14",
    "2024-03-04 to 2024-04-14",
    "2024-03-04 - 04-14",
    "20240304-20240414",
    "KW 10–15 2024",
    "KW 10 - KW 15 2024",
    "KW10-15/2024",
    "KW 10/2024 bis KW 15/2024",
    "Week 10 to Week 15 2024",
    "2024-W10 – 2024-W15",
    "2024-W10–W15",
    "S10-S15 2024",
    "semaine 10 à 15 2024",
    "04.03. – 14.04.2024",
    "04.03.2024–14.04.2024",
    "vom 04.03.2024 bis 14.04.2024",
    "4. März bis 14. April 2024",
    "du 4 mars au 14 avril 2024",
    "del 4 de marzo al 14 de abril de 2024",
    "4 March – 14 April 2024",
    "Mar 4 – Apr 14, 2024",
    "March 4th to April 14th 2024",
    "3/4/2024 - 4/14/2024",
)
HEADS = ("Zeitraum", "Test dates", "Période", "Laufzeit", "Start")


@pytest.mark.parametrize(
    ("head", "cell"),
    [("Period", cell) for cell in PERIODS] + [(head, PERIODS[0]) for head in HEADS],
)
def test_a_period_in_one_cell_is_read_as_its_two_days(head, cell):
    row = f'tv;"{cell}";1,5;0,2'
    (stated,) = result(f"Channel;{head};iROAS;SE", row)
    assert (stated.start, stated.end) == (START, END)
    told = outcome(f"Channel;{head};Incremental revenue;SE", f'tv;"{cell}";1500;200')
    assert (told.rows[0].start, told.rows[0].end) == (START, END)
    assert not told.findings


@pytest.mark.parametrize(
    ("cell", "start", "end"),
    [
        ("15.12. – 14.01.2024", "2023-12-15", "2024-01-14"),
        ("KW 50 – KW 3 2024", "2023-12-11", "2024-01-21"),
        ("Nov 2023 – Feb 2024", "2023-11-01", "2024-02-29"),
        ("March – May 2024", "2024-03-01", "2024-05-31"),
        ("Q1–Q2 2024", "2024-01-01", "2024-06-30"),
        ("March 2024", "2024-03-01", "2024-03-31"),
        ("KW 10 2024", "2024-03-04", "2024-03-10"),
    ],
)
def test_periods_over_the_turn_of_a_year_and_long_ones(cell, start, end):
    (stated,) = result("Channel;Period;iROAS;SE", f"tv;{cell};1,5;0,2")
    assert (stated.start, stated.end) == (start, end)


@pytest.mark.parametrize(
    "cell",
    ["Mar 10 – Apr 14", "50000 - 60000", "12 - 15", "Campaign 1-2", "soon", "1-2-3-4"],
)
def test_what_is_no_period_is_none(cell):
    assert days_of(cell) is None
    with pytest.raises(SchemaError):
        result("Channel;Period;iROAS;SE", f"tv;{cell};1,5;0,2")


@pytest.mark.parametrize("seed", range(3))
def test_any_two_days_are_cut_apart(seed):
    """However two days are written, and whatever stands between them."""
    random = np.random.default_rng(seed)
    first = np.datetime64("2022-01-01") + int(random.integers(0, 900))
    last = first + int(random.integers(13, 200))
    while last.astype(object).day <= 12:  # 01.05.2022 alone could be two days
        last += 1
    days = [day.astype(object) for day in (first, last)]
    ways = ("%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%d %b %Y", "%b %d, %Y", "%B %d %Y")
    between = (" – ", "–", " - ", " to ", " bis ", " au ", "…")
    for way, mark in product(ways, between):
        days_apart = days_of(mark.join(day.strftime(way) for day in days))
        assert days_apart is not None, (way, mark)
        head = "Channel;Period;iROAS;SE"
        cell = mark.join(day.strftime(way) for day in days)
        (stated,) = result(head, f'tv;"{cell}";1,5;0,2')
        assert (stated.start, stated.end) == (str(first), str(last)), cell


@pytest.mark.parametrize(
    ("head", "cell"),
    [
        ("Duration", "6 weeks"),
        ("Dauer", "6 Wochen"),
        ("Durée", "6 semaines"),
        ("Duración", "42 días"),
        ("Duration (weeks)", "6"),
        ("Dauer (Tage)", "42"),
        ("Weeks", "6"),
        ("Laufzeit in Wochen", "6"),
    ],
)
def test_a_start_and_a_duration_give_the_end(head, cell):
    (stated,) = result(f"Channel;Start;{head};iROAS;SE", f"tv;{START};{cell};1,5;0,2")
    assert stated.end == END
    told = outcome(f"Channel;Start;{head};Lift;SE", f"tv;{START};{cell};1500;200")
    assert told.rows[0].end == END


def test_a_duration_without_a_unit_is_a_question():
    with pytest.raises(SchemaError, match="can be days or weeks") as caught:
        result("Channel;Start;Duration;iROAS;SE", f"tv;{START};6;1,5;0,2")
    assert "Duration (weeks)" in caught.value.hint
    told = outcome("Channel;Start;Duration;Lift;SE", f"tv;{START};6;1500;200")
    assert "can be days or weeks" in of(told.findings, "error")[0]
    assert told.rows[0].end is None


INTERVALS = (
    "50000 (35000 – 65000)",
    "50000 [35000; 65000]",
    "50,000.00 (35,000.00 to 65,000.00)",
    "50.000,00 € (35.000,00 € – 65.000,00 €)",
    "€50,000.00 (€35,000.00-€65,000.00)",
    "50k (35k–65k)",
    "50k (35–65k)",
    "50 000 (35 000 à 65 000)",
)
SAID = ("{} 95% CI [{}]", "{} (95 % CI {})", "{} (95%-KI: {})", "{} (IC à 95 % : {})")


@pytest.mark.parametrize("cell", INTERVALS)
@pytest.mark.parametrize("head", ["Incremental revenue", "Inkrementeller Umsatz"])
def test_an_interval_behind_its_result(head, cell):
    rows = f'tv;{START};{END};"{cell}"', f'tv;{END};2024-05-05;"{cell}"'
    first, _ = result(f"Channel;Start;End;{head}", *rows)
    assert (first.value, first.interval, first.level) == (50e3, (35e3, 65e3), 0.9)
    told = outcome(f"Channel;Start;End;{head}", *rows)
    assert told.rows[0].incremental_outcome == 50e3
    assert told.rows[0].standard_error == pytest.approx(15e3 / 1.645, rel=1e-3)
    (stated, _) = result(f"Channel;Start;End;{head} (80 % CI)", *rows)
    assert stated.level == 0.8


@pytest.mark.parametrize("said", SAID)
def test_a_level_beside_the_interval_is_its_mass(said):
    cell = said.format("1,8", "1,2 – 2,4")
    (stated,) = result("Channel;Start;End;iROAS", f'tv;{START};{END};"{cell}"')
    assert (stated.value, stated.interval, stated.level) == (1.8, (1.2, 2.4), 0.95)


@pytest.mark.parametrize(
    "cell", ["[1,2; 2,4]", "1,2 – 2,4", "(1,2 bis 2,4)", "1,2-2,4"]
)
@pytest.mark.parametrize("head", ["95% CI", "Konfidenzintervall 95 %", "IC 95 %"])
def test_an_interval_in_a_column_of_its_own(head, cell):
    row = f'tv;{START};{END};1,8;"{cell}"'
    (stated,) = result(f"Channel;Start;End;iROAS;{head}", row)
    assert (stated.value, stated.interval, stated.level) == (1.8, (1.2, 2.4), 0.95)


@pytest.mark.parametrize("mark", ["±", "+/-", "+-", " ± "])
@pytest.mark.parametrize(
    ("head", "error"),
    [
        ("iROAS (± SE)", 0.3),
        ("iROAS ± Standardfehler", 0.3),
        ("iROAS (± 95 %)", 0.3 / 1.96),
        ("iROAS ± 90 % KI", 0.3 / 1.645),
    ],
)
def test_what_stands_behind_plus_minus_is_what_the_head_says(mark, head, error):
    (stated,) = result(f"Channel;Start;End;{head}", f"tv;{START};{END};1,8{mark}0,3")
    assert stated.value == 1.8
    assert stated.standard_error == pytest.approx(error, rel=1e-3)
    cell = f"1,8{mark}0,3 (95 %)"
    (stated,) = result("Channel;Start;End;iROAS", f"tv;{START};{END};{cell}")
    assert stated.standard_error == pytest.approx(0.3 / 1.96, rel=1e-3)


def test_plus_minus_that_nobody_explains_is_a_question():
    with pytest.raises(SchemaError, match="standard error or half of an interval") as c:
        result("Channel;Start;End;iROAS", f"tv;{START};{END};1,8 ± 0,3")
    assert "± standard error" in c.value.hint and "± 95 %" in c.value.hint
    told = outcome("Channel;Start;End;Lift", f"tv;{START};{END};50000 ± 15000")
    assert "half of an interval" in of(told.findings, "error")[0]


def test_shares_keep_their_percent():
    for cell in ("12 % (8 % – 16 %)", "12% (8-16%)"):
        (stated,) = result("Channel;Start;End;Lift", f"tv;{START};{END};{cell}")
        assert stated.value == pytest.approx(0.12)
        assert stated.interval == pytest.approx((0.08, 0.16))
    (stated,) = result("Channel;Start;End;Lift ± SE", f"tv;{START};{END};12 % ± 4 %")
    assert stated.standard_error == pytest.approx(0.04)


#: Heads of one table, by language: channel, start, end, results and ends.
LANGUAGES = {
    "German": (
        "Kanal;Beginn;Ende;{};Untergrenze;Obergrenze;Konfidenzniveau",
        "Kanal;Startdatum;Enddatum;{};untere Grenze;obere Grenze;Konfidenz",
        "Plattform;von;bis;{};Min;Max;Niveau",
    ),
    "French": (
        "Canal;Début;Fin;{};Borne inférieure;Borne supérieure;Niveau de confiance",
        "Plateforme;Date de début;Date de fin;{};Borne inf.;Borne sup.;Confiance",
    ),
    "Spanish": (
        "Canal;Inicio;Fin;{};Límite inferior;Límite superior;Nivel de confianza",
        "Plataforma;Fecha de inicio;Fecha de fin;{};Mínimo;Máximo;Confianza",
    ),
    "Italian": ("Canale;Inizio;Fine;{};Limite inferiore;Limite superiore;Fiducia",),
}
RESULTS = {
    "incremental_outcome": {
        "German": "Inkrementeller Umsatz",
        "French": "Ventes incrémentales",
        "Spanish": "Ventas incrementales",
        "Italian": "Vendite incrementali",
    },
    "iroas": {
        "German": "Inkrementeller ROAS",
        "French": "ROAS incrémental",
        "Spanish": "ROAS incremental",
        "Italian": "ROAS incrementale",
    },
    "cost_per_incremental": {
        "German": "Kosten pro inkrementelle Conversion",
        "French": "Coût par conversion incrémentale",
        "Spanish": "Coste por conversión incremental",
        "Italian": "Costo per conversione incrementale",
    },
}


@pytest.mark.parametrize("measure", RESULTS)
@pytest.mark.parametrize(
    ("language", "head"),
    [(each, head) for each, heads in LANGUAGES.items() for head in heads],
)
def test_heads_of_other_languages(language, head, measure):
    head = head.format(RESULTS[measure][language])
    (stated,) = result(head, "tv;04.03.2024;14.04.2024;12,5;10,5;14,5;95 %")
    assert stated.measure == measure
    assert (stated.start, stated.end, stated.channels) == (START, END, ("tv",))
    assert (stated.value, stated.interval, stated.level) == (12.5, (10.5, 14.5), 0.95)


@pytest.mark.parametrize(
    "head", ["Standardfehler", "Erreur type", "Error estándar", "Std. deviation", "SE"]
)
def test_standard_errors_of_other_languages(head):
    (stated,) = result(f"Canal;Début;Fin;iROAS;{head}", f"tv;{START};{END};1,5;0,2")
    assert stated.standard_error == 0.2


SPEND = ("Spend", "Kosten", "Ausgaben", "Dépenses", "Gasto", "Test spend (EUR)")


@pytest.mark.parametrize("head", SPEND)
def test_an_iroas_is_of_its_own_spend(head):
    row = f"tv;{START};{END};1,5;0,2;5000"
    (stated,) = result(f"Channel;Start;End;iROAS;SE;{head}", row)
    assert (stated.spend, stated.spend_between_arms) == (5000.0, None)
    (stated,) = result(f"Channel;Start;End;iROAS;SE;Incremental {head}", row)
    assert (stated.spend, stated.spend_between_arms) == (None, 5000.0)


@pytest.mark.parametrize("multiple", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("factor", [0.6, 0.97, 1.0, 1.8])
def test_a_ratio_times_the_spend_of_its_report(factor, multiple):
    data = market(every_kind=True)
    start, end = "2024-02-05", "2024-03-03"
    inside = (data.times >= np.datetime64(start)) & (data.times <= np.datetime64(end))
    ours = data.media.spend[:, inside, 0].sum()
    stated = Stated(("tv",), start, end, "iroas", 2.0, 0.5, multiple=multiple)
    own = replace(stated, spend=ours * factor)
    entry = as_entry(own, data, "sales")
    money = ours * factor * abs(1 - multiple)
    assert entry.incremental_outcome == pytest.approx(2 * money)
    assert entry.standard_error == pytest.approx(0.5 * money)
    between = replace(stated, spend_between_arms=money)
    assert as_entry(between, data, "sales") == entry
    cost = replace(own, measure="cost_per_incremental", value=4.0, standard_error=0.5)
    assert as_entry(cost, data, "sales").incremental_outcome == pytest.approx(money / 4)


@pytest.mark.parametrize("factor", [0.1, 3.0, 1000.0])
def test_spend_that_is_not_the_data_s_is_refused(factor):
    """The report is about other geos, dates or thousands than the data's cells."""
    data = market(every_kind=True)
    start, end = "2024-02-05", "2024-03-03"
    inside = (data.times >= np.datetime64(start)) & (data.times <= np.datetime64(end))
    ours = data.media.spend[:, inside, 0].sum()
    stated = Stated(("tv",), start, end, "iroas", 2.0, 0.5, spend=ours * factor)
    with pytest.raises(SpecError, match="was spent on the test, and") as caught:
        as_entry(stated, data, "sales")
    assert "geos, the dates" in caught.value.hint
