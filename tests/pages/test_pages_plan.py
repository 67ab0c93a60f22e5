"""The Plan and Report screens: limits, budgets, requests that cannot be met, saving."""

import json

import numpy as np
import pytest
import xarray as xr
from streamlit.testing.v1 import AppTest

from core import text as fmt
from core.plan.limits.buying import Buying
from core.plan.limits.channels import Group
from core.plan.response.curves import response_curves
from core.plan.response.periods import Horizon
from core.project.fits.runs import latest_fit
from core.project.plans.plans import list_plans, mark_plan, plan_of_record, save_plan
from core.store.results import open_dataset
from core.view.origin import fit_day
from pages.plan.more import More
from pages.ui import tables
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.said import CONSTRAINED, edition, is_sound, texts, unfold
from tests.plan.records import record


def limit(at, rows: dict):
    unfold(at, "plan.constraints")
    at.session_state[f"plan.limits.{edition(at, 'limits')}"] = {
        "edited_rows": rows,
        "added_rows": [],
        "deleted_rows": [],
    }
    return at.run()


def of_the_data(screen, **address):
    """The Plan screen for the data's own periods, whose numbers are round."""
    at = screen("plan", worlds.MARKET, **address)
    return at.selectbox(key="plan.horizon").set_value("own").run()


def test_without_a_fit(screen, home):
    for name in ("plan", "report"):
        assert "No project is open" in texts(screen(name))
    worlds.project()
    for name in ("plan", "report"):
        at = screen(name, worlds.MARKET)
        assert is_sound(at)
        assert "Not fitted yet" in texts(at)


def test_plan_of_the_current_budget(screen, fitted):
    at = of_the_data(screen)
    assert is_sound(at)
    said = texts(at)
    for word in (
        "Revenue from the planned spend",
        "Gain over these",
    ):
        assert word in said
    odds = fmt.probability(plan_of(at).gain["probability_positive"])
    shown = said.replace("\u00a0", " ")
    assert shown.count(odds.replace("\u00a0", " ")) == 1
    assert "seems to bring would have come anyway" in said
    assert "below the best plan" in said
    assert "spends 17,000,000\u00a0€ exactly" in said
    assert len(at.get("plotly_chart")) == 1
    at.session_state["plan.analysts"] = True
    at.segmented_control(key="plan.view").set_value("Distribution").run()
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 2


def test_a_price_that_rises_with_volume_is_suggested_and_paid(
    screen, home, monkeypatch
):
    plain = worlds.table

    def table(*about, **more):
        rows = plain(*about, **more)
        noise = np.exp(0.05 * np.random.default_rng(2).standard_normal(len(rows)))
        rows["TV_impressions"] = rows["TV_spend"] ** 0.7 * noise
        return rows

    monkeypatch.setattr(worlds, "table", table)
    worlds.fit(worlds.project())
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    unfold(at, "plan.rare")
    at.selectbox(key="plan.horizon").set_value("own").run()
    before = texts(at)
    assert "Dearer with volume, by the data: TV 0.3" in before
    key = f"plan.more.prices.{edition(at, 'more')}"
    at.button(key=key).click().run()
    assert is_sound(at)
    (bought,) = at.session_state["draft.more.now"].buying.items()
    assert bought[0] == "TV" and bought[1].gamma == pytest.approx(0.3, abs=0.05)
    assert not [each for each in at.button if "prices" in str(each.key)]
    assert texts(at) != before
    at.session_state["draft.more"] = at.session_state["draft.more.now"] = More(
        buying={"Social": Buying(gamma=0.2)}
    )
    at.run()
    assert is_sound(at) and "fitted on the money of Social" in texts(at)


def test_budget_is_spent_to_the_cent(screen, fitted):
    at = of_the_data(screen)
    at.text_input(key="plan.budget.typed").set_value(str(16_123_456.78)).run()
    assert is_sound(at)
    assert "spends 16,123,456.78\u00a0€ exactly" in texts(at)
    assert "the same split at the new budget" in str(at.metric[1].proto.help)


def test_last_years_money_in_millions_is_no_new_budget(screen, home, monkeypatch):
    of_a_year = synthetic.horizon_curves

    def horizon_curves(*about, **more):
        return of_a_year(*about, **more) * 1.234567e-6

    monkeypatch.setattr(synthetic, "horizon_curves", horizon_curves)
    with xr.set_options(keep_attrs=True):
        worlds.fit(worlds.project())
    at = screen("plan", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    assert "as last year" in said and "new budget" not in said
    assert "new budget" not in str(at.metric[1].proto.help)


def test_impossible_budget_is_refused_with_the_smallest_change(screen, fitted):
    at = of_the_data(screen)
    at.text_input(key="plan.budget.typed").set_value(str(1e9)).run()
    assert is_sound(at)
    assert "lower the budget to" in at.error[0].value.replace("\\", "")
    assert at.button(key="plan.save").disabled


def test_limits_that_cannot_be_met_are_marked_in_their_row(screen, fitted):
    at = of_the_data(screen)
    limit(at, {0: {"min": 120.0, "max": 90.0}})
    assert is_sound(at)
    [limits] = [t.value for t in at.dataframe if "wrong" in t.value.columns]
    marked = dict(limits[["channel", "wrong"]].to_numpy())
    assert marked["TV"] == "✕ limits"
    assert marked["Search"] == ""
    assert at.session_state["plan.constraints"]  # where they are mended is open


def test_limits_are_edited_in_place(screen, fitted):
    at = of_the_data(screen)
    limit(at, {0: {"max": 105}, 1: {"lock": True}})
    assert is_sound(at)
    at.button(key="plan.save").click().run()
    [plan] = list_plans(fitted)
    tv, search = plan.channels[:2]
    assert tv.planned <= 9.2e6 * 1.05 + 0.01
    assert search.locked and search.planned == pytest.approx(4.1e6)
    assert sum(line.planned for line in plan.channels) == pytest.approx(17e6, abs=1e-3)
    assert plan.run_id == next((fitted / "runs").iterdir()).name


def test_limits_in_money_keep_what_was_typed_in_percent(screen, fitted):
    at = of_the_data(screen)
    limit(at, {0: {"max": 110}})
    at.segmented_control(key="plan.unit").set_value("money").run()
    assert is_sound(at)
    assert at.session_state["draft.limits.now"]["TV"].high == pytest.approx(9.2e6 * 1.1)
    limit(at, {0: {"max": 9_500_000}})
    assert at.session_state["draft.limits.now"]["TV"].high == 9_500_000


def test_limits_survive_leaving_the_screen(screen, fitted):
    at = of_the_data(screen)
    limit(at, {0: {"max": 110}})
    from streamlit.util import calc_hash

    at._page_hash = calc_hash("channels")
    at.run()
    at._page_hash = calc_hash("plan")
    at.run()
    assert is_sound(at)
    assert at.session_state["draft.limits.now"]["TV"].high == pytest.approx(9.2e6 * 1.1)


def test_contradictory_limits_are_explained(screen, fitted):
    at = of_the_data(screen)
    limit(at, {0: {"min": 150, "max": 120}})
    assert is_sound(at)
    assert "TV" in at.error[0].value
    limit(at, {row: {"lock": True} for row in range(4)})
    assert is_sound(at)
    at.text_input(key="plan.budget.typed").set_value(str(18e6)).run()
    assert is_sound(at)
    assert at.error


def test_all_limits_at_once(screen, fitted):
    at = of_the_data(screen)
    at.number_input(key="plan.spread").set_value(10).run()
    assert is_sound(at)
    limits = at.session_state["draft.limits.now"]
    assert limits["TV"].high == pytest.approx(9.2e6 * 1.1)


def test_cautious_objective(screen, fitted):
    at = of_the_data(screen, **CONSTRAINED)
    at.selectbox(key="plan.objective").set_value("p10").run()
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 1


def plan_link(at):
    """The step of the side bar that leads here."""
    links = [link.proto for link in at.get("page_link")]
    return next(link for link in links if link.page == "plan")


def test_saved_plan_is_listed_and_marks_the_step(screen, fitted):
    at = of_the_data(screen)
    at.button(key="plan.save").click().run()
    assert is_sound(at)
    assert list_plans(fitted)[0].name == "Plan 1"
    assert plan_link(at).icon == ":material/check:"
    worlds.fit(fitted)
    at = of_the_data(screen)
    assert "out of date" in plan_link(at).label


def test_plan_can_be_downloaded(screen, fitted):
    at = of_the_data(screen)
    buttons = [button.proto for button in at.get("download_button")]
    assert [each.label for each in buttons] == ["XLSX", "CSV", "TOML"]
    assert [each.type for each in buttons] == ["secondary", "secondary", "tertiary"]


def test_more_limits(screen, fitted):
    at = of_the_data(screen)
    at.session_state["draft.more.now"] = More(
        groups=(Group("Screens", ("TV", "Social"), high_share=0.65, of="project"),),
        buying={"Print": Buying(step=100_000.0)},
    )
    at.session_state["draft.more"] = None
    at.run()
    assert is_sound(at)
    at.button(key="plan.save").click().run()
    rows = {line.name: line.planned for line in list_plans(fitted)[0].channels}
    assert rows["TV"] + rows["Social"] <= 0.65 * 17e6 + 0.01
    assert rows["Print"] % 100_000 == 0
    [saved] = list_plans(fitted)
    kept = saved.scenario["group"]["Screens"]
    assert (kept["max_share"], kept["of"]) == (0.65, "project")
    again = screen("plan", worlds.MARKET, plan=saved.plan_id)
    assert is_sound(again)
    [group] = again.session_state["draft.more.now"].groups
    assert (group.name, group.high_share, group.of) == ("Screens", 0.65, "project")


def test_a_budget_for_the_largest_profit_and_a_goal(screen, fitted):
    at = of_the_data(screen, **CONSTRAINED)
    key = f"plan.more.find.{edition(at, 'more')}"
    at.selectbox(key=key).set_value("profit").run()
    assert is_sound(at)
    said = texts(at)
    assert "brings the largest profit" in said
    assert "Gain in profit" in said
    found = next(one for one in at.metric if one.label == "Budget found")
    assert found.value != "17.0\u00a0M\u00a0€"  # not what was typed before
    assert all(one.key != "plan.budget.typed" for one in at.text_input)
    at.selectbox(key=key).set_value("outcome").run()
    goal = f"{key.replace('find', 'target.outcome')}.typed"
    at.text_input(key=goal).set_value("1e15").run()
    assert is_sound(at)
    assert "No budget within the limits brings" in texts(at)
    at.selectbox(key=key).set_value("fixed").run()
    at.text_input(key="plan.goal.typed").set_value("44M").run()
    assert is_sound(at)
    assert "from paid media" in texts(at)


def test_next_money_and_other_budgets(screen, fitted):
    at = of_the_data(screen)
    at.session_state["plan.analysts"] = True
    at.segmented_control(key="plan.view").set_value(
        "Where the next {symbol} goes"
    ).run()
    assert is_sound(at)
    assert "bring most in" in texts(at)
    assert "hurts least in" in texts(at)
    at.segmented_control(key="plan.view").set_value("Limits").run()
    assert is_sound(at)
    assert "costs most" in texts(at)
    at.segmented_control(key="plan.view").set_value("Budgets").run()
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 2


def test_a_plan_of_record_is_loaded_again(screen, fitted):
    at = of_the_data(screen)
    at.text_area(key="plan.notes.1").set_value("Decided in May.").run()
    at.button(key="plan.save").click().run()
    [plan] = list_plans(fitted)
    assert plan.notes == "Decided in May."
    mark_plan(fitted, plan.plan_id)
    assert plan_of_record(fitted) == plan.plan_id
    assert is_sound(of_the_data(screen))
    mark_plan(fitted, None)
    assert plan_of_record(fitted) is None


def test_damaged_plan_is_left_out(screen, fitted):
    name = save_plan(fitted, record(name="x")).plan_id
    (fitted / "plans" / f"{name}.json").write_text("{")
    assert is_sound(of_the_data(screen))


@pytest.mark.parametrize("name", ["plan", "report"])
def test_damaged_result(screen, cold, fitted, name):
    for file in ("curves.nc", "horizon_curves.nc"):
        worlds.damage(next((fitted / "runs").iterdir()), file)
    at = screen(name, worlds.MARKET)
    assert is_sound(at)
    assert "damaged" in texts(at)


def test_report_at_a_glance(screen, fitted):
    of_the_data(screen).button(key="plan.save").click().run()
    at = screen("report", worlds.MARKET)
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 1
    assert "Media spend" in texts(at)
    assert at.selectbox(key="report.plan")
    labels = [button.proto.label for button in at.get("download_button")]
    assert labels == ["PDF", "PPTX", "XLSX", "Download HTML"]


def test_plans_of_every_kind_can_be_reported(screen, fitted):
    (run,) = (fitted / "runs").iterdir()
    save_plan(fitted, record(name="Spring", run_id=run.name, over="weeks"))
    save_plan(fitted, record(name="North", run_id=run.name, over="geos"))
    save_plan(fitted, record(name="Old", run_id=run.name[:-1] + "x"))
    at = screen("report", worlds.MARKET)
    assert is_sound(at)
    assert at.selectbox(key="report.plan").options == [
        "North (geos)",
        "Spring (weeks)",
        f"Old (fit of {fit_day(run.name)})",
        "none",
    ]


def test_report_is_one_file(fitted):
    from core.project.fits.runs import latest_fit
    from core.service.reports import report_file

    content = report_file(latest_fit(fitted), ".html", None)
    assert content.lstrip().lower().startswith(b"<!doctype html")


def test_the_year_after_the_data_is_planned(screen, fitted):
    at = screen("plan", worlds.MARKET)
    assert is_sound(at)
    assert at.selectbox(key="plan.horizon").value == "year"
    assert at.session_state["plan.budget"] == pytest.approx(17e6 / 3, abs=0.01)
    at.button(key="plan.save").click().run()
    [plan] = list_plans(fitted)
    assert plan.horizon == Horizon("2024-01-01", "2024-12-23", 52, as_fitted=False)
    assert plan.today.spend == pytest.approx(17e6 / 3)


def test_limits_and_budget_follow_the_horizon(screen, fitted):
    at = screen("plan", worlds.MARKET)
    limit(at, {0: {"max": 110}})
    at.text_input(key="plan.budget.typed").set_value(str(5e6)).run()
    at.selectbox(key="plan.horizon").set_value("own").run()
    assert is_sound(at)
    assert at.session_state["plan.budget"] == pytest.approx(15e6, abs=0.02)
    assert at.session_state["draft.limits.now"]["TV"].high == pytest.approx(9.2e6 * 1.1)


def test_other_periods_are_worked_out_by_a_worker(screen, fitted, monkeypatch):
    from core.jobs import executor
    from core.project.fits.derived import asked

    submitted = []
    monkeypatch.setattr(executor, "submit", lambda run, **_: submitted.append(run))
    at = screen("plan", worlds.MARKET)
    at.selectbox(key="plan.horizon").set_value("quarter").run()
    assert is_sound(at)
    assert asked(submitted[0])[1] == {"start": "2024-01-01", "periods": 13}


@pytest.mark.parametrize(
    ("text", "budget"), [("75M", 75e6), ("75,000", 75e3), ("75 Mio", 75e6)]
)
def test_a_budget_is_read_as_it_is_typed(screen, fitted, text, budget):
    at = screen("plan", worlds.MARKET)
    at.text_input(key="plan.budget.typed").set_value(text).run()
    assert is_sound(at)
    assert at.session_state["plan.budget"] == budget
    assert at.text_input(key="plan.budget.typed").value == f"{budget:,.0f}"


def test_a_budget_that_could_be_two_is_asked_about(screen, fitted):
    at = screen("plan", worlds.MARKET)
    before = at.session_state["plan.budget"]
    at.text_input(key="plan.budget.typed").set_value("75.000").run()
    assert "75.000 can be 75,000 or 75" in texts(at)
    assert at.session_state["plan.budget"] == before
    at.text_input(key="plan.budget.typed").set_value("75000").run()
    assert "can be" not in texts(at)
    assert at.session_state["plan.budget"] == 75e3


def plan_of(at):
    """The plan on screen."""
    return at.session_state["draft.plan.working"]


def test_the_goal_that_is_typed_is_pursued(screen, fitted):
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    usual = plan_of(at)
    assert usual.objective.name == "mean"
    run = latest_fit(fitted)
    curves = response_curves(open_dataset(run.folder, "horizon_curves"))
    media = float(curves.total(curves.spend[None]).mean())
    total = float(open_dataset(run.folder, "forecast")["outcome"].mean("draw").sum())
    goal = round(total * 1.02)
    at.text_input(key="plan.goal.typed").set_value(str(goal)).run()
    assert is_sound(at)
    # what media must bring: what they bring, and what the goal has above the forecast
    kind, _, needed = plan_of(at).objective.name.partition(":")
    assert kind == "reach"
    assert float(needed) == pytest.approx(media + goal - total, abs=2)
    assert plan_of(at).objective.planned >= plan_of(at).objective.current
    assert [m.label for m in at.metric][-1] == "Odds of the goal"
    assert at.selectbox(key="plan.objective").disabled
    # every view pursues it, and a saved plan brings it back
    at.button(key="plan.save").click().run()
    [saved] = list_plans(fitted)
    again = screen("plan", worlds.MARKET, plan=saved.plan_id)
    assert is_sound(again)
    assert again.session_state["plan.goal"] == pytest.approx(goal, abs=2)
    again.text_input(key="plan.goal.typed").set_value("").run()
    assert plan_of(again).objective.name == "mean"
    assert plan_of(again).money == usual.money


@pytest.mark.parametrize("goal", ["1", "1e12"])
def test_a_goal_that_any_or_no_plan_reaches(screen, fitted, goal):
    at = screen("plan", worlds.MARKET)
    at.text_input(key="plan.goal.typed").set_value(goal).run()
    assert is_sound(at)
    odds = next(m.value for m in at.metric if m.label == "Odds of the goal")
    assert odds.replace("\u00a0", " ") == ("> 99 %" if goal == "1" else "< 1 %")


def test_the_life_of_a_plan_stands_beside_its_views(screen, fitted):
    at = screen("plan", worlds.MARKET)
    assert "**Draft** :gray[→] :gray[Saved]" in texts(at)
    at.button(key="plan.save").click().run()
    assert "Plan 1: :gray[Draft] :gray[→] **Saved**" in texts(at)
    budget = at.session_state["plan.budget"]
    at.text_input(key="plan.budget.typed").set_value(str(budget * 0.9)).run()
    assert "**Draft**" in texts(at)
    at.button(key="plan.undo").click().run()
    at.button(key="plan.life.record").click().run()
    assert is_sound(at)
    assert plan_of_record(fitted) == list_plans(fitted)[0].plan_id
    assert "**Of record**" in texts(at)


#: What a marketer needs: with Save, and the periods, these are all in the first layer.
BRIEF = {"plan.horizon", "plan.budget.typed", "plan.spread", "plan.goal.typed"}


def test_the_first_layer_has_the_brief_and_nothing_else_to_fill_in(screen, fitted):
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    unfold(at, "plan.rare")
    at.run()
    kinds = ("text_input", "number_input", "selectbox", "checkbox", "slider", "toggle")
    kinds += ("multiselect", "text_area")
    keys = {each.key for kind in kinds for each in at.main.get(kind)}
    boxes = [*at.get("expander"), *at.get("popover")]
    folded = {each.key for box in boxes for kind in kinds for each in box.get(kind)}
    assert keys - folded == BRIEF | {"plan.name.1"}
    assert "plan.objective" in folded


def test_what_is_typed_stays_while_its_box_is_folded_and_open_again(screen, fitted):
    at = screen("plan", worlds.MARKET, **CONSTRAINED)
    unfold(at, "plan.rare")
    limit(at, {0: {"max": 110}})
    at.selectbox(key="plan.objective").set_value("p10").run()
    at.checkbox(key=f"plan.more.within_seen.{edition(at, 'more')}").set_value(True)
    at.session_state[f"plan.more.channels.{edition(at, 'more')}"] = {
        "edited_rows": {1: {"step": 50_000.0}},
        "added_rows": [],
        "deleted_rows": [],
    }
    unfold(at, "plan.constraints", is_open=False)  # typed and folded at once
    at.run()
    saved = []
    # In the run that folds it is drawn once more, for what was typed just before.
    for is_open, is_drawn in ((0, 0), (0, 0), (1, 1), (1, 1), (0, 1), (0, 0)):
        unfold(at, "plan.constraints", is_open=bool(is_open))
        at.run()
        assert is_sound(at)
        assert ("plan.objective" in [each.key for each in at.selectbox]) == is_drawn
        limits, more = (at.session_state[f"draft.{x}.now"] for x in ("limits", "more"))
        assert limits["TV"].high == pytest.approx(1.1 * 9.2e6 / 3, abs=1)
        assert more == More(buying={"Search": Buying(step=50_000.0)}, within_seen=True)
        assert plan_of(at).objective.name == "p10"
        saved.append(plan_of(at).money)
        if is_drawn:
            assert at.session_state["plan.rare"]
            shown = [each.value for each in at.dataframe if "step" in each.value]
            assert shown[0]["step"].tolist()[1] == 50_000.0
    assert all(money == saved[0] for money in saved)


def test_undo_and_redo_go_through_what_was_typed(screen, fitted):
    at = of_the_data(screen)
    assert at.button(key="plan.undo").disabled and at.button(key="plan.redo").disabled
    at.session_state["plan.budget"] = 15e6
    at.run()
    limit(at, {0: {"lock": True}})
    assert not at.button(key="plan.undo").disabled
    locked = metric_of(at)
    at.button(key="plan.undo").click().run()
    assert is_sound(at)
    assert at.session_state["plan.budget"] == 15e6
    assert metric_of(at) != locked
    at.button(key="plan.undo").click().run()
    assert at.session_state["plan.budget"] == pytest.approx(17e6)
    assert at.button(key="plan.undo").disabled
    at.button(key="plan.redo").click().run()
    at.button(key="plan.redo").click().run()
    assert at.session_state["plan.budget"] == 15e6
    assert metric_of(at) == locked
    assert at.button(key="plan.redo").disabled


def metric_of(at) -> str:
    return str(at.metric[0].value) + str(at.metric[1].value)


def test_something_new_ends_what_could_be_redone(screen, fitted):
    at = of_the_data(screen)
    for budget in (15e6, 14e6):
        at.session_state["plan.budget"] = budget
        at.run()
    at.button(key="plan.undo").click().run()
    assert at.session_state["plan.budget"] == 15e6
    at.session_state["plan.budget"] = 16e6
    at.run()
    assert at.button(key="plan.redo").disabled


def test_names_of_channels_are_not_cut():
    """19 letters stand in the answer whole, whatever the headings beside them."""

    def script():
        import msgspec

        from core.view.sections import plan_tables
        from pages.plan import view
        from tests.plan.records import record

        plan = record()
        lines = [
            msgspec.structs.replace(each, name="YouTube Prospecting")
            for each in plan.channels
        ]
        long = msgspec.structs.replace(plan, channels=lines)
        view.answer(plan_tables.at_a_glance(long))

    at = AppTest.from_function(script).run()
    assert not at.exception
    columns = json.loads(at.dataframe[0].proto.columns)
    assert columns["Channel"]["width"] >= tables.width(["YouTube Prospecting"])


def test_a_doubtful_fit_is_said_once_in_plain_words(screen, home):
    worlds.fit(worlds.project(), "doubtful")
    said = texts(screen("plan", worlds.MARKET))
    assert said.count("The fit is doubtful: resolve its warnings") == 1
    assert "orange-badge" not in said
    said = texts(screen("channels", worlds.MARKET))
    assert "1 warning on Fit" in said and "knot_values" not in said
