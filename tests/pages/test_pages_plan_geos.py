"""The Geos view of the Plan screen: for fits of geos, and for nothing else."""

import pytest

from core.errors import WorkspaceError
from core.plan.record.plan_record import with_details
from core.project.fits import runs
from core.project.fits.pruning import pruning
from core.project.plans.plan_actuals import actuals_template
from core.project.plans.plans import list_plans, mark_plan, save_plan
from pages.plan.geos.saved import form_of
from tests.pages import worlds
from tests.pages.said import CONSTRAINED, edition, is_sound, texts
from tests.pages.test_pages_plan import of_the_data
from tests.plan.records import record
from tests.saved_plans import plans_over


@pytest.fixture
def geo_fitted(home):
    """The folder of a project with a fit of four geos."""
    folder = worlds.project(truth=worlds.synthetic.truth())
    worlds.fit(folder, has_geo_curves=True)
    return folder


def opened(screen, **address):
    at = of_the_data(screen, **address)
    return at.segmented_control(key="plan.over").set_value("Geos").run()


def test_national_fits_have_no_geos(screen, fitted):
    at = of_the_data(screen)
    assert "Geos" not in at.segmented_control(key="plan.over").options


def by_geo(at):
    """The table of geos."""
    return next(t.value for t in at.dataframe if "Odds" in t.value)


def test_the_view_says_what_moving_money_adds(screen, geo_fitted):
    at = of_the_data(screen)
    assert "Moving money between geos" not in texts(at)
    at = opened(screen)
    assert is_sound(at)
    said = texts(at)
    assert "oving money between geos" in said
    assert "below the best plan" in said
    assert len(at.get("plotly_chart")) == 1
    rows = by_geo(at)
    assert set(rows.iloc[:, 0]) == {"North", "South", "East", "West"}


def test_limits_change_the_plan(screen, geo_fitted):
    at = opened(screen)
    before = by_geo(at)
    at.number_input(key="plan.geos.spread").set_value(0).run()
    assert is_sound(at)
    after = by_geo(at)
    assert list(before["Change"]) != list(after["Change"])
    assert all("+0" in text or "=" in text for text in after["Change"])


def test_geos_are_left_alone(screen, geo_fitted):
    at = opened(screen)
    at.multiselect[-1].set_value(["West"]).run()
    assert is_sound(at)
    assert "West (locked)" in set(by_geo(at).iloc[:, 0])


def test_a_cautious_objective_holds_for_geos_too(screen, geo_fitted):
    at = opened(screen, **CONSTRAINED)
    assert "draws exceed" not in texts(at)
    at.selectbox(key="plan.objective").set_value("p10").run()
    assert is_sound(at)
    assert "the revenue that is reached with a probability of 90" in texts(at)
    assert "The bound is loose for this objective" in texts(at)
    at.button(key="plan.save").click().run()
    assert plans_over(geo_fitted, "geos")[0].objective.name == "p10"


def saved(at, name, by=""):
    number = at.text_input[0].key.rpartition(".")[2]
    at.text_input(key=f"plan.name.{number}").set_value(name).run()
    at.text_area(key=f"plan.notes.{number}").set_value("Decided in May.").run()
    at.text_input(key="plans.by").set_value(by).run()
    at.button(key="plan.save").click().run()
    assert is_sound(at)
    return at


def test_a_plan_is_saved_and_its_run_stays(screen, geo_fitted):
    at = opened(screen)
    at = saved(at, "North first", "Ada")
    (kept,) = plans_over(geo_fitted, "geos")
    (run,) = (geo_fitted / "runs").iterdir()
    assert list_plans(geo_fitted) == [kept]
    assert (kept.name, kept.by, kept.notes) == (
        "North first",
        "Ada",
        "Decided in May.",
    )
    assert kept.run_id == run.name and kept.created
    assert len(kept.cells) == 16
    assert len(kept.draws["planned"]) == len(kept.draws["channels"])
    with pytest.raises(WorkspaceError, match="North first was planned with"):
        runs.delete_run(geo_fitted, run.name)
    worlds.fit(geo_fitted, has_geo_curves=True)
    found = pruning(geo_fitted)
    assert found.runs == ()
    assert (run.name, "a plan was made with it") in {
        (one.run_id, why) for one, why in found.exceptions
    }


def test_a_saved_plan_goes_back_to_the_form(screen, geo_fitted):
    at = opened(screen)
    at.text_input(key="plan.budget.typed").set_value(str(16e6)).run()
    at.number_input(key="plan.geos.times").set_value(3.0).run()
    at.number_input(key="plan.geos.spread").set_value(20).run()
    at.multiselect[-1].set_value(["West"]).run()
    saved(at, "Thrice")
    (kept,) = plans_over(geo_fitted, "geos")
    at = of_the_data(screen)
    chosen = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at.session_state[f"plan.saved.{edition(at, 'limits')}"] = chosen
    at.run()
    at.button(key="plan.load").click().run()
    assert is_sound(at)
    assert at.segmented_control(key="plan.over").value == "Geos"
    assert at.session_state["plan.budget"] == 16e6
    assert at.number_input(key="plan.geos.times").value == pytest.approx(3.0)
    assert at.number_input(key="plan.geos.spread").value == 20
    assert at.multiselect[-1].value == ["West"]
    at.button(key="plan.save").click().run()
    again = plans_over(geo_fitted, "geos")[0]
    for one, other in zip(again.cells, kept.cells, strict=True):
        assert one.planned == pytest.approx(other.planned, abs=20)


def test_finer_limits_than_the_form_has_apply_as_they_are(screen, geo_fitted):
    at = opened(screen)
    saved(at, "Any")
    (kept,) = plans_over(geo_fitted, "geos")
    finer = {"bounds": ["50 %", "200 %"], "geo": {"North": {"max": "80 %"}}}
    scenario = {**kept.scenario, "geos": finer}
    save_plan(geo_fitted, with_details(kept, name="Finer", scenario=scenario))
    chosen = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at = of_the_data(screen)
    at.session_state[f"plan.saved.{edition(at, 'limits')}"] = chosen
    at.run()
    at.button(key="plan.load").click().run()
    assert is_sound(at)
    assert "Limits of geos of **Finer** are those that apply" in texts(at)
    at.button(key="plan.save").click().run()
    north = plans_over(geo_fitted, "geos")[0].geos[0]
    assert north.planned <= 0.8 * north.current + 0.01
    at.button(key="plan.geos.form").click().run()
    assert at.number_input(key="plan.geos.times").value == 2.0


def test_what_the_form_says_of_limits():
    def form(geos, **more):
        return form_of(record(scenario={"geos": geos}, **more))

    assert form({}) == (2.0, 100, [])
    for geos in (
        {"bounds": ["60 %", "200 %"]},
        {"totals": ["90 %", "120 %"]},
        {"bounds": ["33.3333 %", "300 %"]},
        {"geo": {"North": {"max": "80 %"}}},
    ):
        assert form(geos) is None
    assert form({}, current_scaled=True) is None
    geos = {"bounds": ["33.3333 %", "300 %"], "totals": ["80 %", "120 %"]}
    assert form(geos)[:2] == (3.0, 20)


def test_plans_side_by_side(screen, geo_fitted):
    at = saved(opened(screen), "Half")
    at.number_input(key="plan.geos.spread").set_value(0).run()
    saved(at, "Still")
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    _, half = plans_over(geo_fitted, "geos")
    frame = at.table[0].value.set_index("")
    assert list(frame.columns) == ["Still", "Half"]
    assert "Over: channels and geos" in texts(at)
    more = at.table[1].value.set_index("")
    best = more.loc["Gain over its comparison"]
    assert best["Half"].startswith("★") and not best["Still"].startswith("★")
    assert len(at.get("plotly_chart")) == 2
    mark_plan(geo_fitted, half.plan_id)
    heads = "".join(at.run().table[0].value.columns).replace("\\", "")
    assert "(of record)" in heads


def test_a_plan_of_geos_against_actuals(screen, geo_fitted):
    saved(opened(screen), "Half")
    (run,) = (geo_fitted / "runs").iterdir()
    at = screen("history", worlds.MARKET, **{"history.view": "Plan against actuals"})
    head, *rows = actuals_template(run).strip().splitlines()
    n_numbers = head.count("_spend")
    starts = [row.rstrip(",") for row in rows]
    filled = [f"{one},9e5" + ",20000" * n_numbers for one in starts]
    table = "\n".join([head, *filled]).encode()
    at.get("file_uploader")[0].set_value(("actuals.csv", table, "text/csv")).run()
    assert is_sound(at)
    said = texts(at)
    assert "of 13 weeks" in said and "how much in which geo, not when" in said
