"""The edited workbook of a plan, uploaded on the Plan screen."""

import io
import json

import openpyxl
import pytest

from core.jobs import executor
from core.plan.record.plan_record import as_record, with_details
from core.project.fits.derived import asked
from core.project.fits.runs import latest_fit
from core.project.plans.plans import list_plans
from core.report.books.report_book import plan_workbook
from tests.pages import worlds
from tests.pages.said import CONSTRAINED, is_sound, texts
from tests.pages.test_pages_plan_weeks import flight_result

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@pytest.fixture
def at(screen, fitted):
    """The Plan screen, with a plan of the data's own periods saved."""
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    at.selectbox(key="plan.horizon").set_value("own").run()
    at.selectbox(key="plan.objective").set_value("p10").run()
    at.button(key="plan.save").click().run()
    at.selectbox(key="plan.objective").set_value("mean").run()
    at.selectbox(key="plan.horizon").set_value("year").run()
    assert is_sound(at)
    return at


def uploaded(at, plan, changes):
    """The screen after the plan's workbook was edited and dropped."""
    book = openpyxl.load_workbook(io.BytesIO(plan_workbook(plan)))
    for cell, value in changes.items():
        book["Plan"][cell] = value
    file = io.BytesIO()
    book.save(file)
    at.get("file_uploader")[0].set_value(("plan.xlsx", file.getvalue(), _XLSX)).run()
    assert is_sound(at)
    return at


def test_edited_amounts_are_evaluated(at, fitted):
    (plan,) = list_plans(fitted)
    changes = {"C5": 9.9e6, "C6": 4e6, "C7": 2e6, "C8": 0.5e6, "C2": 16.4e6}
    uploaded(at, plan, changes)
    assert at.selectbox(key="plan.horizon").value == "own"
    assert at.selectbox(key="plan.objective").value == "p10"
    assert at.session_state["plan.budget"] == 16.4e6
    said = texts(at)
    assert "spends 16,400,000\u00a0€ exactly" in said
    assert "below the best plan" in said
    assert at.metric[1].label.startswith("Gain over")
    at.button(key="plan.save").click().run()
    saved = list_plans(fitted)[0]
    assert [line.planned for line in saved.channels] == [9.9e6, 4e6, 2e6, 0.5e6]
    assert saved.bound.gap < 1e-9


def test_edited_limits_become_the_limits(at, fitted):
    (plan,) = list_plans(fitted)
    uploaded(at, plan, {"G5": 9.3e6, "F6": 4.2e6})
    limits = at.session_state["draft.limits.now"]
    assert (limits["TV"].high, limits["Search"].low) == (9.3e6, 4.2e6)
    assert limits["Print"].low == pytest.approx(0.7 * 1.1e6)
    assert at.session_state["plan.budget"] == 17e6


def test_a_plan_of_the_year_ahead(at, fitted):
    at.button(key="plan.save").click().run()
    plan = list_plans(fitted)[0]
    assert not plan.horizon.as_fitted
    total = sum(line.planned for line in plan.channels[1:])
    uploaded(at, plan, {"C5": 3e6, "C2": 3e6 + total})
    assert at.selectbox(key="plan.horizon").value == "custom"
    at.button(key="plan.save").click().run()
    saved = list_plans(fitted)[0]
    assert saved.horizon == plan.horizon
    assert saved.channels[0].planned == 3e6
    assert saved.channels[1].planned == pytest.approx(plan.channels[1].planned)


def test_a_file_at_fault_changes_nothing(at, fitted):
    (plan,) = list_plans(fitted)
    at.text_input(key="plan.budget.typed").set_value("5000000").run()
    for changes, words in (
        ({"C5": "a lot"}, "plan.xlsx, sheet Plan, cell C5: the planned spend of TV"),
        ({"C5": -1.0}, "is negative"),
        ({"C5": 1.0}, "the amounts add up to"),
        ({"A5": "Radio"}, "There is no channel Radio"),
    ):
        uploaded(at, plan, changes)
        assert words in texts(at)
        assert at.session_state["plan.budget"] == 5e6
        assert at.selectbox(key="plan.horizon").value == "year"
    at.get("file_uploader")[0].set_value(("plan.xlsx", b"text", _XLSX)).run()
    assert is_sound(at)
    assert "is not an XLSX workbook" in texts(at)


@pytest.fixture
def by_geo(screen, home):
    """The Geos view of the data's own periods, with a plan saved; and its folder."""
    folder = worlds.project(truth=worlds.synthetic.truth())
    worlds.fit(folder, has_geo_curves=True)
    at = screen("plan", worlds.MARKET)
    at.selectbox(key="plan.horizon").set_value("own").run()
    at.segmented_control(key="plan.over").set_value("Geos").run()
    at.button(key="plan.save").click().run()
    at.segmented_control(key="plan.over").set_value("Channels").run()
    return at, folder


def test_an_edited_workbook_of_geos_is_evaluated(by_geo):
    at, folder = by_geo
    (plan,) = list_plans(folder)
    uploaded(at, plan, {"B5": 1e6, "C6": "much"})
    assert "cell C6: the spend of Search in South is 'much'" in texts(at)
    assert at.segmented_control(key="plan.over").value == "Channels"
    moved = plan.cells[0].planned - 1e6  # TV in North
    to = next(c for c in plan.cells if (c.channel, c.geo) == ("TV", "South"))
    uploaded(at, plan, {"B5": 1e6, "B6": to.planned + moved})
    assert at.segmented_control(key="plan.over").value == "Geos"
    said = texts(at)
    assert "Amounts of **plan.xlsx** are evaluated as they are" in said
    assert "as typed, not optimised" in said
    gain = at.metric[1].value
    assert gain.startswith("−")
    at.button(key="plan.save").click().run()
    saved = list_plans(folder)[0]
    spend = {(cell.geo, cell.channel): cell.planned for cell in saved.cells}
    assert spend["North", "TV"] == 1e6
    assert spend["South", "TV"] == pytest.approx(to.planned + moved, abs=0.01)
    assert saved.budget == plan.budget
    at.button(key="plan.geos.form").click().run()
    assert "evaluated as they are" not in texts(at)


def test_edited_limits_of_a_geo_apply(by_geo):
    at, folder = by_geo
    (plan,) = list_plans(folder)
    north = plan.geos[0]
    most = round((north.low + north.planned) / 2)
    uploaded(at, plan, {"J5": float(most)})
    assert "Limits of geos of **plan.xlsx** are those that apply" in texts(at)
    at.button(key="plan.save").click().run()
    saved = list_plans(folder)[0]
    assert saved.geos[0].planned <= most + 0.01 < north.planned
    assert saved.budget == plan.budget


def test_an_edited_workbook_of_weeks_is_evaluated(screen, fitted, monkeypatch):
    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    done = flight_result(latest_fit(fitted).folder)
    plan = as_record(json.loads((done / "result" / "flight.json").read_text()))
    plan = with_details(plan, run_id=latest_fit(fitted).run_id)
    at = screen("plan", worlds.MARKET)
    at.segmented_control(key="plan.over").set_value("Weeks").run()
    uploaded(at, plan, {"B5": 123.0, "C5": "much"})
    assert "cell C5: the spend of" in texts(at) and submitted == []
    uploaded(at, plan, {"B5": 123.0})
    (run,) = submitted
    _, table = asked(run)
    assert table["spend"][plan.channels[0].name][0] == 123.0
    assert table["horizon"] == {"start": plan.weeks[0], "periods": len(plan.weeks)}
    assert at.segmented_control(key="plan.over").value == "Weeks"
