"""One plan in every face: one advice with its reason, and one number for one thing."""

import io
import json
import re
from dataclasses import replace

import msgspec
import numpy as np
import openpyxl
import pypdf
import pytest
from pptx import Presentation
from streamlit.testing.v1 import AppTest
from test_report_grid import plan_of_geos, plan_of_weeks
from test_report_html import Page, run_folder

from core import text as fmt
from core.cli.plans.planning import plan_text
from core.estimate import Estimate, estimate, gain_of
from core.mcp.answers import NoVerdictError
from core.mcp.planning import of_record
from core.plan.advice.parts import Turn
from core.plan.advice.rule import Advice, Budgeted, Profit, settled
from core.plan.plan import plan
from core.plan.record.parts import BreakEven, Goal
from core.plan.record.plan_record import as_dict, as_record
from core.plan.response.curves import response_curves
from core.plan.response.periods import Horizon
from core.plan.scenario.scenario import scenario
from core.project.refresh.record import ScoredPlan
from core.project.refresh.standing import Standing, standing
from core.report import content as told
from core.report.books.report_book import report_workbook
from core.report.deck.slides import slides
from core.report.html import render
from core.report.paper.pdf import pdf
from core.view.advice import advices, compared_with
from core.view.origin import origin_lines
from core.view.plan_claim import plan_claim
from core.view.sections import of_plan
from core.view.weeks.teaching_words import with_reasons
from pages.compare import side_by_side
from tests.charts import synthetic
from tests.plan.records import AHEAD

pytestmark = pytest.mark.usefixtures("blank_pictures")

OVER = ("channels", "geos", "weeks")
LAST_YEAR = "the same weeks last year"
#: What the fit, hidden demand and profit say, and the advice on split and budget.
SITUATIONS = {
    "sound": ({"verdict": "trustworthy"}, "change", None),
    "pays": ({"verdict": "trustworthy", "profit": 0.9}, "change", "change"),
    "loses": ({"verdict": "trustworthy", "profit": 0.14}, "change", "keep"),
    "split pays, budget loses": (
        {"verdict": "trustworthy", "profit": 0.97, "alone": 0.1},
        "change",
        "keep",
    ),
    "fragile": ({"verdict": "trustworthy", "share": 0.02}, "keep", None),
    "frail budget": ({"profit": 0.9, "budget_share": 0.02}, "change", "keep"),
    "doubtful": ({"verdict": "doubtful"}, "keep", None),
    "doubtful and pays": ({"verdict": "doubtful", "profit": 0.97}, "keep", "keep"),
    "doubtful and loses": ({"verdict": "doubtful", "profit": 0.14}, "keep", "keep"),
    "fragile and pays": (
        {"verdict": "trustworthy", "share": 0.02, "profit": 0.9},
        "keep",
        "change",
    ),
    "fragile and loses": (
        {"verdict": "trustworthy", "share": 0.02, "profit": 0.14},
        "keep",
        "keep",
    ),
    "all of it at once": (
        {"verdict": "doubtful", "share": 0.02, "profit": 0.9, "budget_share": 0.02},
        "keep",
        "keep",
    ),
    "failed": ({"verdict": "failed", "profit": 0.97}, "keep", "keep"),
}
#: Words for a comparison that has a name of its own, and words that nobody reads.
OUT = re.compile(
    r"current split|current budget|today|a year earlier|\bnow\b|objective mean|"
    r"best possible|standard deviations|\bheavy-up\b",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").replace("\\", "").split())


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A finished fit, made up to the letter of the contract."""
    return told.read(
        run_folder(tmp_path_factory.mktemp("p") / "20240102-030405-0a1b2c3d")
    )


@pytest.fixture(scope="module")
def searched():
    """A plan over channels, geos and weeks, before its advice is settled."""
    curves = response_curves(synthetic.horizon_curves())
    made = plan(curves, scenario(curves))
    plans = {"channels": made, "geos": plan_of_geos(), "weeks": plan_of_weeks()}
    return {
        over: msgspec.structs.replace(each, horizon=AHEAD, name="", notes="")
        for over, each in plans.items()
    }


def growth(odds) -> Estimate:
    """Of profit."""
    mean = 1e5 if odds and odds > 0.5 else -1e5
    return Estimate(
        mean=mean, median=0.0, sd=1.0, lo=-3e5, hi=4e5, probability_positive=odds
    )


def in_situation(searched, situation):
    """The plan with the advice that the rule gives it in a situation."""
    about = SITUATIONS[situation][0]
    odds = about.get("profit")
    change = searched.against_today
    gain, turns = growth(odds), (Turn("Social", about.get("budget_share", 0.5)),)
    budgeted = None
    if odds:
        ran, alone = searched.horizon.as_it_ran, growth(about.get("alone", 0.99))
        last = searched.horizon.budget_that_ran
        budgeted = Budgeted(Profit(gain, ran, turns), Profit(alone, last), None)
        part = msgspec.structs.replace(searched.today, spend=0.8 * searched.budget)
        known = plan_of_weeks().against_today if change.profit is None else change
        money = known.profit or _profit(gain)
        money = msgspec.structs.replace(money, gain=gain)
        spend = searched.budget - part.spend
        change = msgspec.structs.replace(change, profit=money, spend=spend)
        searched = msgspec.structs.replace(
            searched, today=part, against_today=change, current_scaled=True
        )
    turns = (Turn("Search", about.get("share", 0.4)),)
    over = searched.horizon.compared(is_scaled=searched.current_scaled)
    first = Advice("change", (f"It beats {over} with a probability of 97\u00a0%.",))
    last = settled(first, verdict=about.get("verdict"), turns=turns, budgeted=budgeted)
    return msgspec.structs.replace(
        searched,
        advice=last.advice,
        reasons=last.reasons,
        on_split=last.split,
        on_budget=last.budget,
        robustness=turns,
        verdict=about.get("verdict", ""),
        test=None,
        supported=None,
        best=None,
    )


def _profit(gain):
    from core.plan.record.parts import Profit as Part

    return Part(margin=1.0, planned=gain, gain=gain)


def _screen(content, record):
    """What the screen of a plan says of it."""

    def script(text):
        import json as js

        import streamlit as st

        from core.plan.record.plan_record import as_record as read
        from pages.plan import view
        from pages.plan.geos import view as geos
        from pages.plan.weeks import view as weeks

        plan = read(js.loads(text))
        units = plan.units
        view.claim(st.container(), plan, units)
        if plan.over == "weeks":
            weeks.tiles(plan, units)
            view.trust(plan)
            view.of_budget(plan, plan)
            return
        view.tiles(st.columns(3), plan, units)
        if plan.over == "geos":
            geos.said(plan, units)
        view.of_budget(plan, plan)

    args = (json.dumps(as_dict(record)),)
    at = AppTest.from_function(script, args=args, default_timeout=60).run()
    assert not at.exception
    said = [*at.markdown, *at.caption, *at.metric]
    return " ".join(f"{getattr(x, 'label', '') or ''} {x.value}" for x in said)


def _deck(content, record):
    shown = []
    for slide in Presentation(io.BytesIO(slides(content, record))).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                shown.append(shape.text_frame.text)
            if shape.has_table:
                shown += [c.text for row in shape.table.rows for c in row.cells]
    return " ".join(shown)


def _workbook(content, record):
    return openpyxl.load_workbook(io.BytesIO(report_workbook(content, record)))


def _book(content, record):
    return _words(_workbook(content, record))


def _words(book):
    cells = [c.value for sheet in book for row in sheet for c in row]
    return " ".join(str(cell) for cell in cells if isinstance(cell, str))


def _same_in_cells(book, made):
    """Whatever sheet has the gain or its odds has the record's number of it."""
    about = {
        f"Gain over {compared_with(made)}": made.gain.mean,
        "Odds of a gain": made.gain.probability_positive,
    }
    for label, number in about.items():
        beside = [
            row[1].value
            for sheet in book.worksheets
            for row in sheet.iter_rows()
            if plain(str(row[0].value)) == plain(label)
        ]
        assert len(beside) >= 2, label  # in front, and where the odds are
        assert beside == pytest.approx([number] * len(beside)), label


def _text(content, record):
    return plan_text(record)


def _page(content, record):
    return Page(render(content, record)).said()


FACES = {"text": _text, "html": _page, "xlsx": _book, "pptx": _deck, "screen": _screen}


@pytest.mark.parametrize("face", ("text", "html", "xlsx"))
@pytest.mark.parametrize("over", OVER)
def test_what_is_to_be_known_is_the_same_wherever_it_is_said(
    content, searched, over, face
):
    """Slides have the same sentences, below heads."""
    roi = estimate(np.array([1.9, 2.0, 2.1]))
    goal = Goal(kind="roi", target=2.0, roi=roi)
    made = msgspec.structs.replace(searched[over], goal=goal)
    said = plain(FACES[face](content, made))
    known = of_plan.answer(made) + of_plan.notes(made)
    assert sum("is the largest budget with an ROI of 2: 2.00" in x for x in known) == 1
    assert any(line.startswith("Against the same weeks last year") for line in known)
    for line in known:
        assert said.count(plain(line)) >= 1, line


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("over", ("geos", "weeks"))
def test_every_face_names_the_budget_above_which_spend_no_longer_pays(
    content, searched, over, face
):
    at = BreakEven(budget=59e6, lo=57e6, hi=62e6, least=30e6, most=90e6, margin=1.0)
    made = msgspec.structs.replace(searched[over], break_even=at)
    said = plain(FACES[face](content, made))
    money = plain(fmt.money(59e6, made.currency))
    assert f"spend above {money}" in said
    assert "stay" in said.partition("makes less than it costs.")[2][:60]


def situations():
    """Every situation over one kind of plan, and what differs most over all of them.

    The rest takes a minute and is slow: sentences are those of `advices` whatever a
    plan is over, and the next test asks for every situation of one kind on paper.
    """
    for place, situation in enumerate(SITUATIONS):
        for at, over in enumerate(OVER):
            is_first = at == place % len(OVER) or situation in ("pays", "loses")
            marks = () if is_first else pytest.mark.slow
            yield pytest.param(over, situation, marks=marks, id=f"{situation}-{over}")


@pytest.mark.parametrize(("over", "situation"), situations())
def test_every_face_gives_one_advice_with_its_reason(
    content, searched, over, situation
):
    made = in_situation(searched[over], situation)
    assert as_record(as_dict(made)) == made  # what --json, the file and Python have
    _, split, budget = SITUATIONS[situation]
    assert made.on_split.advice == split
    assert (made.on_budget and made.on_budget.advice) == budget
    assert made.advice == ("change" if {split, budget} <= {"change", None} else "keep")
    wanted = {
        ("change", "split"): "Recommended: change the split as shown",
        (
            "keep",
            "split",
        ): f"Keep last year's {'weeks' if over == 'weeks' else 'split'}",
        ("change", "budget"): "Recommended: raise the budget by",
        ("keep", "budget"): "Keep last year's budget of",
    }
    book = _workbook(content, made)
    _same_in_cells(book, made)
    for name, face in FACES.items():
        said = plain(_words(book) if name == "xlsx" else face(content, made))
        if name == "pptx":  # a slide of what moves says whether it should
            later = " yet" if made.verdict in ("doubtful", "failed") else ""
            assert (f"Not recommended{later}: " in said) == (split == "keep")
        for about, advice in (("split", split), ("budget", budget)):
            other = {"change": "keep", "keep": "change"}.get(advice)
            if advice is not None:
                assert wanted[advice, about] in said, (name, about)
                assert wanted[other, about] not in said, (name, about)
        for each in advices(made):
            parts = [each.text, each.why] if name == "screen" else [each.sentence]
            for part in parts:
                assert plain(part) in said, (name, each.about)
        if name in ("text", "screen"):  # reports show the fit's own words, too
            assert not OUT.search(said), (name, OUT.search(said))
        if name != "xlsx":  # there it is a number, see `_same_in_cells`
            assert plain(made.units.show(made.gain.mean, signed=True)) in said, name
    _same_in_programs(made, split, budget)
    (cell,) = side_by_side.rows([made], made.units)["Advice"]
    if over != "geos" and budget in (None, split):
        assert cell == {"change": "Recommended", "keep": "Keep"}[made.advice]
    elif over != "geos":  # each of two advices only where they differ
        assert cell == f"Split: {split}, budget: {budget}"


@pytest.mark.parametrize(("over", "situation"), situations())
def test_a_sentence_of_the_advice_has_one_colon(searched, over, situation):
    for each in advices(in_situation(searched[over], situation)):
        assert all(part.count(": ") < 2 for part in each.sentence.split(". "))


def _same_in_programs(made, split, budget):
    """`--json`, the scenario's file and an agent's answer have the same of a plan."""
    printed = json.loads(json.dumps(with_reasons(made)))
    assert printed["advice"] == made.advice
    assert printed["on_split"]["advice"] == split
    assert printed["on_split"]["reasons"] == list(made.on_split.reasons)
    assert (printed.get("on_budget") or {}).get("advice") == budget
    assert printed["gain"]["mean"] == made.gain.mean
    if not made.verdict:
        with pytest.raises(NoVerdictError):
            of_record(made, [])
        return
    answer = of_record(made, [])
    assert all(each.sentence in answer["advice"] for each in advices(made))
    assert answer["verdict"]["fit"] == made.verdict
    assert answer["result"]["advice"] == made.advice
    assert answer["result"]["gain"]["mean"] == made.gain.mean


@pytest.mark.parametrize(("place", "situation"), enumerate(SITUATIONS))
def test_paper_gives_the_same_advice(content, searched, place, situation):
    made = in_situation(searched[OVER[place % len(OVER)]], situation)
    said = _paper(content, made)
    for each in advices(made):
        assert plain(each.sentence).replace("-", "") in said.replace("-", "")


def _paper(content, record):
    paper = pypdf.PdfReader(io.BytesIO(pdf(content, record)))
    return plain(" ".join(sheet.extract_text() for sheet in paper.pages))


@pytest.mark.parametrize("over", OVER)
def test_a_number_has_one_name_and_one_value(content, searched, over):
    """Every cell and tile that begins with `Gain over` says over what, and the same."""
    made = in_situation(searched[over], "loses")
    paper = _paper(content, made)
    for each in advices(made):
        assert plain(each.sentence).replace("-", "") in paper.replace("-", "")
    said = plain(_page(content, made)) + plain(_deck(content, made)) + paper
    named = set(re.findall(r"Gain over ([a-z' ]+?)(?= Chance| \(|,|\.|$)", said))
    assert "the same split at the new budget" in said
    assert not {name for name in named if "current" in name or "today" in name}
    assert "Odds of a gain" in said
    assert (
        fmt.probability(made.gain.probability_positive).replace("\u00a0", " ") in said
    )


def _fit(project, run_id):
    """A finished fit of a project."""
    (project / "runs").mkdir(exist_ok=True)
    run = run_folder(project / "runs" / run_id)
    (run / "state.json").write_text('{"state": "done", "since": "2024-01-02T03:04:05"}')
    about = (run / "run.json").read_text()
    (run / "run.json").write_text(about[:-1] + ', "kind": "fit", "project": "p"}')
    return run


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("20240102-030405-ffffffff", "20240102-030405-0a1b2c3d"),  # the same second
        ("20240302-030405-0a1b2c3d", "20240102-030405-0a1b2c3d"),  # a clock set back
    ],
)
def test_fits_stand_in_the_order_of_the_shelf(tmp_path, searched, first, second):
    made = in_situation(searched["channels"], "sound")
    for number, run_id in enumerate((first, second), start=1):
        about = _fit(tmp_path, run_id) / "run.json"
        about.write_text(about.read_text()[:-1] + f', "number": {number}}}')
    stood = standing(tmp_path, msgspec.structs.replace(made, run_id=first))
    assert stood.newest == second
    of_newest = msgspec.structs.replace(made, run_id=second)
    assert not standing(tmp_path, of_newest).is_older
    deleted = msgspec.structs.replace(made, run_id="20230102-030405-0a1b2c3d")
    assert standing(tmp_path, deleted).newest == second


def test_a_plan_of_an_older_fit_says_so_everywhere(tmp_path, searched):
    old, new = "20240102-030405-0a1b2c3d", "20240302-030405-0a1b2c3d"
    made = in_situation(searched["channels"], "sound")
    curves = response_curves(synthetic.horizon_curves())
    day = {"created": "2024-01-05T10:00:00", "run_id": old, "horizon": curves.horizon}
    made = msgspec.structs.replace(made, **day)
    _fit(tmp_path, old)
    stood = standing(tmp_path, made)
    assert not stood.is_older and stood.gain is None
    own = told.read(tmp_path / "runs" / old)
    newest = told.read(_fit(tmp_path, new))
    stood = standing(tmp_path, made)
    assert stood.newest == new
    money = np.array([made.money[name] for name in curves.names])
    same = curves.spend * money.sum() / curves.spend.sum()
    gained = (curves.outcome(money) - curves.outcome(same)).sum(axis=1)
    assert stood.gain.mean == pytest.approx(gained.mean(), rel=1e-6)
    odds = fmt.probability(float((gained > 0).mean()))
    lines = origin_lines(made, stood, made.units)
    assert lines[0] == "Planned 5 Jan 2024 with the fit of 2 Jan 2024."
    assert "newer fit, of 2 Mar 2024" in lines[1] and odds in lines[1]
    for content in (own, newest):  # whichever fit the report is of
        for name in ("html", "pptx", "xlsx"):
            said = plain(FACES[name](content, made))
            assert all(plain(line) in said for line in lines), name
    assert lines[0] in plan_text(made)
    row = side_by_side.rows([made], made.units, [stood])
    row |= side_by_side.more_rows([made], made.units, [stood])
    assert row["Fit"] == ["2 Jan 2024, older"]
    assert row["Odds of a gain by the newest fit"] == [odds]
    elsewhere = Horizon("2030-01-07", "2030-12-30", 52, as_fitted=False)
    unknown = msgspec.structs.replace(made, horizon=elsewhere)
    stood = standing(tmp_path, unknown)
    assert stood.is_older and stood.gain is None
    assert "score the plan on Compare" in origin_lines(unknown, stood, made.units)[1]
    there = origin_lines(unknown, stood, made.units, is_compared=True)[1]
    assert "Compare" not in there and "of the older one" in there
    over = replace(stood, data_end="2030-12-30")
    said = origin_lines(unknown, over, made.units)[1]
    assert "History shows what came of it" in said and "again" not in said


@pytest.mark.parametrize("over", ["geos", "weeks"])
def test_plans_of_geos_and_weeks_say_their_older_fit(tmp_path, searched, over):
    old, new = "20240102-030405-0a1b2c3d", "20240302-030405-0a1b2c3d"
    made = in_situation(searched[over], "sound")
    day = {"created": "2024-01-05T10:00:00", "run_id": old}
    made = msgspec.structs.replace(made, **day)
    own = told.read(_fit(tmp_path, old))
    _fit(tmp_path, new)
    lines = origin_lines(made, standing(tmp_path, made), made.units)
    assert lines[0] == "Planned 5 Jan 2024 with the fit of 2 Jan 2024."
    assert "newer fit, of 2 Mar 2024" in lines[1]
    for name in ("html", "pptx", "xlsx"):
        said = plain(FACES[name](own, made))
        assert all(plain(line) in said for line in lines), name
    paper = _paper(own, made).replace("-", "")
    assert all(plain(line).replace("-", "") in paper for line in lines)
    assert lines[0] in _text(own, made)


@pytest.mark.parametrize("left", [None, ("2024-03-04", "2024-12-30")])
@pytest.mark.parametrize("over", ["channels", "geos", "weeks"])
def test_a_newer_fit_says_what_of_a_plan_it_scores(searched, over, left):
    made = in_situation(searched[over], "sound")
    gain = gain_of(np.array([1e6, 2e6, 3e6]))
    day = "20240302-030405-0a1b2c3d"
    stood = Standing("20240102-030405-0a1b2c3d", day, "2024-02-26", gain, left)
    said = origin_lines(made, stood, made.units)[-1]
    assert ("totals by channel, in the timing that ran" in said) == (over == "weeks")
    assert ("weeks that are left" in said) == (left is not None)
    ran = made.horizon.compared(is_scaled=made.current_scaled)
    assert f"over {ran}, with a probability of" in said
    assert ("Compare shows why" in said) == (over != "weeks")
    there = origin_lines(made, stood, made.units, is_compared=True)[-1]
    assert "Compare" not in there


@pytest.mark.parametrize("face", ["html", "pptx", "xlsx"])
@pytest.mark.parametrize("over", OVER)
def test_no_report_recommends_what_the_newest_fit_does_not(
    content, searched, monkeypatch, over, face
):
    made = in_situation(searched[over], "sound")
    told_of_it = "the newest fit does not recommend this plan"
    assert told_of_it not in plain(FACES[face](content, made))
    number = {"median": 6e5, "sd": 1e5, "lo": 4e5, "hi": 8e5, "mean": 6e5}
    again = {
        "plan_id": made.plan_id,
        "name": made.title,
        "start": "2024-12-30",
        "end": "2025-01-27",
        "was": "change",
        "advice": "keep",
        "is_changed": True,
        "reasons": [
            "The fit is doubtful: resolve its warnings before you move budget."
        ],
        "cause": "data",
        "before": number,
        "after": number,
        "periods": 5,
        "gain": number | {"probability_positive": 0.99},
        "channels": [],
    }
    scored = msgspec.convert(again, ScoredPlan)
    stood = Standing(
        "20240102-030405-0a1b2c3d",
        "20240302-030405-0a1b2c3d",
        "2024-12-23",
        gain_of(np.array([1e6, 2e6, 3e6])),
        again=scored,
    )
    monkeypatch.setattr("core.report.plan_section.standing", lambda *_: stood)
    said = plain(FACES[face](content, made))
    assert said.count(told_of_it) >= 2  # on top, and where the plan begins
    assert plain(plan_claim(made, made.units)) not in said
    assert "What to do:" not in said and ("its own fit advised" in said) == (
        face == "pptx"
    )
    if face == "pptx":  # its other titles hold of the older fit alone
        assert "Not recommended by the newest fit: " in said
        assert "these are the risks before it" in said
