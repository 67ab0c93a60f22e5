"""The Compare screen: fits, and plans."""

import io
import json
from types import SimpleNamespace

import pandas as pd
import pytest

from core import text as fmt
from core.plan.record.plan_record import with_details
from core.view.what_happened import notes
from pages.compare.side_by_side import named
from pages.ui import tables
from tests.cli.test_cli_compare import add, change
from tests.pages import worlds
from tests.pages.said import is_sound, texts


@pytest.fixture
def two(fitted):
    """A project with two fits."""
    worlds.fit(fitted)
    return fitted


def test_without_a_project_and_before_a_fit(screen, home):
    assert "No project is open" in texts(screen("compare"))
    worlds.project()
    at = screen("compare", worlds.MARKET)
    assert is_sound(at) and "Not fitted yet" in texts(at)


def test_one_fit(screen, fitted):
    at = screen("compare", worlds.MARKET)
    assert is_sound(at)
    assert "No plan is saved" in texts(at)
    at.segmented_control(key="compare.view").set_value("Fits").run()
    assert is_sound(at)
    assert "One fit so far" in texts(at)
    assert at.button(key="go.fit")


def test_two_fits(screen, two):
    at = screen("compare", worlds.MARKET)
    assert is_sound(at)
    assert "exactly the same numbers" in texts(at)
    assert at.selectbox(key="compare.a").value != at.selectbox(key="compare.b").value
    assert len(at.get("plotly_chart")) == 1


@pytest.mark.parametrize("view", ["ROI", "Marginal ROI", "Contribution", "Best split"])
def test_every_view(screen, two, view):
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.measure").set_value(view).run()
    assert is_sound(at)
    columns = json.loads(at.dataframe[0].proto.columns)
    assert columns["Channel"]["width"] >= tables.width(["Channel"])
    table = at.dataframe[0].value
    ends = "" if view == "Best split" else ", 90 %"
    assert [*table] == ["Channel", f"Fit A{ends}", f"Fit B{ends}", "B − A"]


def test_fits_that_differ(screen, two):
    for run in (two / "runs").iterdir():
        change(run, add("roi", 40))
        break
    at = screen("compare", worlds.MARKET)
    assert is_sound(at)
    assert "the ROI of TV is" in texts(at)


def test_the_same_fit_twice(screen, two):
    at = screen("compare", worlds.MARKET)
    at.selectbox(key="compare.a").set_value(at.selectbox(key="compare.b").value).run()
    assert is_sound(at)
    assert "Choose two" in texts(at)


def test_a_damaged_fit(screen, two):
    for run in (two / "runs").iterdir():
        worlds.damage(run, "summary.json")
        break
    at = screen("compare", worlds.MARKET)
    assert not at.exception
    assert "damaged" in texts(at)


def test_plans_side_by_side_and_scored_anew(screen, fitted):
    from core.project.plans.plans import save_plan
    from core.service.ask import PlanAsk
    from core.service.places import finished_fit
    from core.service.plans import plan as planned

    old = finished_fit(str(next((fitted / "runs").iterdir())))
    for name, request in (("Now", {}), ("Less", {"budget": 5e6})):
        save_plan(fitted, with_details(planned(old, PlanAsk(**request)), name=name))
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    table = at.table[0].value  # of the page: a grid scrolls sideways on a phone
    assert list(table.columns) == ["", "Less", "Now"]
    assert "★" not in "".join(table["Now"])  # another budget is no better plan
    assert "The budgets differ" in texts(at)
    said = texts(at).replace("\u00a0", " ")
    assert "Now gains most profit over the same weeks last year: " in said
    assert "Advice on it: " in said
    assert "Less" in said.partition("Advice on it: ")[2].partition(", by ")[0]
    assert at.multiselect(key="compare.plans").options == ["Less", "Now"]
    assert table[""].tolist()[0] in ("Advice", "Budget")
    against = table.set_index("")["Less"].str.replace("\u00a0", " ")
    assert " to " in against["ROI, last year to plan"]
    gains = [name for name in against.index if "over the same weeks last year" in name]
    assert gains == ["Profit over the same weeks last year"]  # told once
    more = at.table[1].value.set_index("")["Less"].str.replace("\u00a0", " ")
    assert more["Spend over the same weeks last year"].startswith("−667")
    assert more["Revenue over the same weeks last year"].startswith("−")
    assert "Gain over its comparison" in more.index
    assert len(at.get("plotly_chart")) == 2
    assert "The same in all: Plan for: " in texts(at)
    newest = "Odds of a gain by the newest fit"
    assert not {"Plan for", "Over", newest} & {*table[""]}
    worlds.fit(fitted)
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    said = texts(at).replace("\u00a0", " ")
    assert any("by the newer fit" in each.label for each in at.expander)
    assert "from response (simulation error)" in said
    assert "beats the same weeks last year with a probability of" in said
    assert "by it, this plan gains" in said and "Compare shows why" not in said


def test_plans_of_other_periods_are_compared_per_period(screen, fitted):
    from core.plan.scenario.horizon import HorizonRequest
    from core.project.plans.plans import save_plan
    from core.service.ask import PlanAsk
    from core.service.places import finished_fit
    from core.service.plans import plan as planned

    fit = finished_fit(str(next((fitted / "runs").iterdir())))
    save_plan(
        fitted,
        with_details(
            planned(fit, PlanAsk(horizon=HorizonRequest(as_fitted=True))), name="Own"
        ),
    )
    save_plan(fitted, with_details(planned(fit), name="Year"))
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    assert "The periods differ" in texts(at)
    table = at.table[0].value.set_index("")
    assert "★" not in "".join(table["Year"])
    assert table.loc["Plan for", "Own"].startswith("the data's own 156 weeks")
    shared = f"Budget per period: {fmt.money(17e6 / 156, 'EUR')}".replace("\u00a0", " ")
    assert shared in texts(at).replace("\u00a0", " ")


def plan_of(folder, name):
    from core.service.places import finished_fit
    from core.service.plans import plan as planned

    old = finished_fit(str(next((folder / "runs").iterdir())))
    return with_details(planned(old), name=name)


def specifications(screen):
    at = screen("compare", worlds.MARKET)
    return at.segmented_control(key="compare.view").set_value("Specifications").run()


def test_every_plan_has_a_name_of_its_own():
    titles = ["Base", "Base (1)", "Base (4)", "Base", "Summer"]
    saved = [SimpleNamespace(plan_id=str(i), title=t) for i, t in enumerate(titles)]
    names = named(saved, "4")
    assert len(set(names.values())) == len(titles)
    assert names["0"] == "Base (5)" and names["4"] == "Summer (of record)"
    again = named([SimpleNamespace(plan_id=t, title=t) for t in ("A", "B")], None)
    assert list(again.values()) == ["A", "B"]
    early = [SimpleNamespace(plan_id=str(i), title=t) for i, t in enumerate("AAB")]
    early[2].title = "A (2)"
    assert len(set(named(early, None).values())) == 3


def test_specifications_side_by_side(screen, fitted):
    worlds.backtest(fitted)
    path = fitted / "project.toml"
    path.write_text(path.read_text().replace("[model]", "[model]\nknots = 30"))
    worlds.fit(fitted, better=0.5, missed=True)
    at = specifications(screen)
    assert is_sound(at)
    said = texts(at)
    assert "Fits worse but forecasts best (error 80\u00a0% smaller than with" in said
    assert "Fits best but cannot forecast: a baseline of knots ends" in said
    assert "not how well it forecasts" in said
    table = at.dataframe[0].value
    assert list(table[""]) == ["A", "B"]
    assert "1 missed" in set(table["Model check"])
    assert "80\u00a0% smaller" in set(table["Against last year's values"])
    assert "60\u00a0% smaller" in set(table["Against Meridian's baseline"])


def test_specifications_need_two(screen, two):
    at = specifications(screen)
    assert is_sound(at)
    assert "forecasts untested" in texts(at)
    chosen = at.multiselect(key="compare.specifications").value
    at.multiselect(key="compare.specifications").set_value(chosen[:1]).run()
    assert "Choose two fits or more" in texts(at)


def test_no_plans_yet(screen, fitted):
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    assert "No plan is saved" in texts(at)


def test_a_plan_against_actuals(screen, fitted):
    from core.project.plans.plan_actuals import actuals_template, variance
    from core.project.plans.plans import list_plans, save_plan
    from core.service.places import finished_fit
    from core.service.plans import plan as planned

    run = finished_fit(str(next((fitted / "runs").iterdir())))
    save_plan(fitted, with_details(planned(run), name="Spring"))
    at = screen("history", worlds.MARKET, **{"history.view": "Plan against actuals"})
    head, *rows = actuals_template(run.folder).strip().splitlines()
    assert head == "week,revenue,TV_spend,Search_spend,Social_spend,Print_spend"
    filled = [f"{row.split(',')[0]},9e5,60000,20000,15000,8000" for row in rows]
    table = "\n".join([head, *filled]).encode()
    at.get("file_uploader")[0].set_value(("actuals.csv", table, "text/csv")).run()
    assert is_sound(at)
    said = " ".join(texts(at).split())
    assert "of 13 weeks" in said and "against the plan" in said
    happened = pd.read_csv(io.BytesIO(table))
    plan = list_plans(fitted)[0]
    for note in notes(variance(run.folder, plan, happened)):
        assert " ".join(note.split()) in said
    names = ["Channel", "Planned", "Spent", "By spend", "By response"]
    assert names in [list(each.value.columns) for each in at.dataframe]
    gap = "\n".join([head, *filled[1:]]).encode()
    at.get("file_uploader")[0].set_value(("gap.csv", gap, "text/csv")).run()
    assert "has no row for 1 Jan 2024" in texts(at) and not at.exception


def test_the_best_of_plans_with_one_budget_is_marked(screen, fitted):
    from core.project.plans.plans import save_plan
    from core.service.ask import PlanAsk
    from core.service.places import finished_fit
    from core.service.plans import plan as planned

    run = finished_fit(str(next((fitted / "runs").iterdir())))
    for name, bounds in (("Wide", (0.5, 2.0)), ("Narrow", (0.95, 1.05))):
        save_plan(fitted, with_details(planned(run, PlanAsk(bounds=bounds)), name=name))
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    assert "★" in "".join(at.table[0].value["Wide"])
    assert "The budgets differ" not in texts(at)


def test_two_plans_that_are_the_same_have_no_empty_table(screen, fitted):
    from core.project.plans.plans import save_plan
    from core.service.ask import PlanAsk
    from core.service.places import finished_fit
    from core.service.plans import plan as planned

    run = finished_fit(str(next((fitted / "runs").iterdir())))
    plan = planned(run, PlanAsk())
    for name in ("One", "Another"):
        save_plan(fitted, with_details(plan, name=name))
    at = screen("compare", worlds.MARKET)
    at.segmented_control(key="compare.view").set_value("Plans").run()
    assert is_sound(at)
    assert all(len(each.value) for each in at.table)
    assert "No difference: these plans say the same." in texts(at)
    assert "The same in all: " in texts(at)
