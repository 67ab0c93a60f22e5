"""What the tests of a fit did, from the files of the fits and of the tests."""

import msgspec
import pytest
from msgspec import to_builtins

from core import text as fmt
from core.data.experiments.entry import Entry
from core.experiments.design.record import Design
from core.experiments.kept import KeptTest
from core.experiments.movement import ChannelMoved, PlanMoved
from core.project.fits.runs import open_run
from core.project.lift_tests.lift_tests import keep_lift_test
from core.project.lift_tests.tested_fits import LiftTestEffect, what_tests_did
from core.text.lift_tests import what_it_did, what_they_did
from tests.charts import synthetic
from tests.experiments.geo_world import END, START, TREATED, project_of_geos
from tests.pages import worlds
from tests.plan.records import about

EUR = fmt.units({"outcome_unit": "revenue", "currency": "EUR"})
SEEN = synthetic.experiments()[0] | {
    "channel": "TV",
    "geos": [TREATED],
    "start": START,
    "end": END,
    "amount": 2e5,
    "multiple": 0.0,
}


@pytest.fixture
def folder(home):
    return project_of_geos()


def seen(folder, **options):
    fit = worlds.fit(folder, has_geo_curves=True, experiments=(SEEN,), **options)
    return open_run(fit)


def test_a_fit_without_tests_did_nothing(folder):
    assert what_tests_did(open_run(worlds.fit(folder, has_geo_curves=True))) == []


def test_the_last_fit_that_has_not_seen_the_test_is_the_one_before(folder):
    worlds.fit(folder, has_geo_curves=True)
    seen(folder)
    design = Design(value=12_345.0)
    keep_lift_test(
        folder,
        KeptTest(name="TV off", entry=msgspec.convert(SEEN, Entry), design=design),
    )
    (did,) = what_tests_did(seen(folder))
    assert did.name == "TV off" and did.expected == 12_345.0
    assert did.fit_before == 1
    assert did.before.mean > 0 and to_builtins(did.now) == SEEN["posterior"]
    assert did.plan.worth.mean >= 0 and did.plan.channels
    said = what_it_did(did, EUR)
    assert "The test found" in said and "without it" in said
    assert "best plan" in said


def test_without_an_earlier_fit_that_is_said(folder):
    (did,) = what_tests_did(seen(folder))
    assert did.fit_before is did.before is did.plan is None
    assert "earlier fit" not in what_it_did(did, EUR)
    pairs = what_they_did([did, msgspec.structs.replace(did, name="second")], EUR)
    names = f"{did.name} and second"
    assert pairs[0] == (did.name, what_it_did(did, EUR))
    assert pairs[1][1].endswith(f"there is no earlier fit without {names}.")


def test_a_damaged_earlier_fit_is_passed_over_for_numbers(folder):
    old = worlds.fit(folder, has_geo_curves=True)
    run = seen(folder)
    (old / "result" / "curves.nc").write_bytes(b"no file")
    (did,) = what_tests_did(run)
    assert did.fit_before == 1 and did.plan is None


def test_the_words_say_what_moved_and_what_was_expected():
    worth = about(9e4, 2e4)
    channels = ChannelMoved("TV", 6e6, 5e6), ChannelMoved("Search", 2e6, 3e6)
    did = LiftTestEffect(
        test_id=None,
        name="TV off",
        channel="TV",
        start="2024-01-01",
        end="2024-01-28",
        geos=(),
        result=about(3e5, 5e4),
        without=None,
        before=about(6e5, 2e5),
        now=about(3.4e5, 5e4),
        agrees=False,
        standard_errors_apart=None,
        fit_before=3,
        plan=PlanMoved(
            weeks=52,
            budget=8e6,
            moved=1e6,
            share=0.125,
            channels=channels,
            worth=worth,
        ),
        expected=7e4,
    )
    said = what_it_did(did, EUR).replace("\u00a0", " ")
    for words in (
        "The test found 300 k €",
        "the fit without it said 600 k €",
        "Test and model disagree",
        "Against the last fit without the test, the best plan of 52 weeks moves 1.00 M",
        "Search +1.00 M €",
        "worth 90.0 k €",
        "The design expected 70.0 k €",
    ):
        assert words in said, said
