"""Slides for a board: claims as titles, our theme, charts in millions, 25 channels."""

import dataclasses
import io
import re
from functools import partial

import msgspec
import numpy as np
import pytest
from many_channels import names_of, plan_of_many, with_channels
from msgspec.structs import replace
from pptx import Presentation
from test_report_html import run_folder

from core import text as fmt
from core.analysis.record.sections import ModelCheck
from core.plan.advice.parts import LiftTest, Recommendation, Turn
from core.plan.frontier import Point
from core.plan.record.parts import Goal, Objective, Profit
from core.plan.record.plan_record import with_details
from core.report import content as told
from core.report.deck import claims, native_charts, slide_shapes, theme
from core.report.deck.slides import slides
from core.report.deck.theme import FONT, theme_colours
from core.view import plan_words
from core.view.plan_claim import MOST_LETTERS, plan_claim, spend_claim
from tests.charts import synthetic
from tests.plan.records import about, line, record
from tools import languages

EURO = fmt.Units("revenue", "EUR")
SURE = {"probability_positive": 0.995}


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def opened(content, plan=None):
    return Presentation(io.BytesIO(slides(content, plan)))


def titles(deck) -> list[str]:
    return [plain(slide.shapes.title.text) for slide in deck.slides]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    return told.read(run_folder(tmp_path_factory.mktemp("deck") / "run"))


@pytest.fixture(scope="module")
def many(content):
    return opened(with_channels(content, 25), plan_of_many(25))


def moved(**more):
    lines = (line("Search", 12e6, 20e6), line("Video", 38e6, 30e6))
    return record(*lines, gain=replace(about(13e6, 1e6), **SURE), **more)


def test_a_plan_that_moves_money_says_from_where_to_where():
    assert (
        plain(plan_claim(moved(), EURO))
        == "Move 8 M € from Search to Video: +13 M € revenue, > 99 % likely"
    )


def test_a_plan_that_keeps_or_tests_says_so():
    kept = plan_claim(moved(advice="keep", verdict="doubtful"), EURO)
    assert kept == "Keep last year's split: the fit is doubtful"
    test = LiftTest("Search", "undecided", 976e3, 0.03)
    asked = plan_claim(moved(advice="test", test=test), EURO)
    said = "Test Search before moving money: the answer is worth 976 k € in 52 weeks"
    assert plain(asked) == said


@pytest.mark.parametrize(
    ("odds", "share", "why"),
    [
        (0.6, None, "no change is sure enough"),
        (0.6, 0.02, "no change is sure enough"),
        (0.995, 0.02, "the gain may be hidden demand"),
        (0.995, 0.5, "a change would gain too little"),
        (0.995, None, "a change would gain too little"),
    ],
)
def test_a_plan_that_keeps_says_why_as_its_numbers_do(odds, share, why):
    gain = replace(about(13e6, 1e6), probability_positive=odds)
    lines = (line("Search", 12e6, 20e6), line("Video", 38e6, 30e6))
    turns = (Turn("Video", share),)
    plan = record(*lines, gain=gain, robustness=turns, advice="keep")
    assert plan_claim(plan, EURO) == f"Keep last year's split: {why}"
    assert spend_claim(plan, EURO).startswith("Not recommended: ")


def test_a_plan_of_another_budget_is_compared_with_today():
    pays = Recommendation("change", ("It pays.",))
    scaled = {"current_scaled": True, "on_budget": pays}
    plan = record(line("TV", 30e6, 20e6), **scaled)
    against = plan.against_today
    raised = plain(plan_claim(plan, EURO))
    assert raised.startswith(
        "Raise spend by 10 M €: +1.00 € revenue over the same weeks"
    )
    profit = Profit(margin=0.5, planned=about(9e6), gain=about(-2e6))
    against = type(against)(-4e6, against.outcome, against.roi, profit)
    cut = plain(plan_claim(with_details(plan, against_today=against), EURO))
    assert cut.startswith("Cut spend by 4 M €:") and "−2 M € profit" in cut


def test_a_budget_in_the_split_that_stays_brings_what_that_split_brings():
    """What the plan's own split gains is not part of it, nor are its odds."""
    pays, stays = (Recommendation(advice, ("So.",)) for advice in ("change", "keep"))
    plan = record(
        line("TV", 30e6, 20e6),
        advice="keep",
        on_split=stays,
        on_budget=pays,
        current_scaled=True,
        gain=about(1.5e6),
    )
    profit = Profit(margin=0.5, planned=about(9e6), gain=about(2e6))
    against = type(plan.against_today)(10e6, about(4e6), plan.against_today.roi, profit)
    said = plain(plan_claim(with_details(plan, against_today=against), EURO))
    assert said == (
        "Raise spend by 10 M € in last year's split: +2.50 M € revenue and +1.25 M € "
        "profit over the same weeks last year"
    )


def test_the_fit_claims_the_best_channel_with_its_interval(content):
    best, sure = told.best_channel(content)
    said = claims.returns_claim(content)
    assert said.startswith(f"{best.name} returned most: ROI ")
    assert fmt.estimate(best.roi, "ratio") in said and sure in said


@pytest.mark.parametrize(
    ("currency", "brings"), [("EUR", "€ brings 1.20 €"), ("USD", "$ brings $1.20")]
)
def test_other_budgets_claim_what_the_next_unit_brings(currency, brings):
    number = about(1.2, 0.1)
    points = [Point(1e6, number, number, number, number, (1e6,), (), is_plan=True)]
    said = claims.budgets_claim(points, fmt.Units("revenue", currency))
    assert plain(said) == f"At the plan's budget, the next {brings} (1.04 – 1.36)"


def test_the_advice_turns_with_the_weakest_channel(source_messages):
    plan = moved(robustness=(Turn("Video", 0.4), Turn("Search", None)))
    assert "40\u00a0% of what Video" in claims.risks_claim("trustworthy", plan)
    firm = moved(robustness=(Turn("Search", None),))
    said = claims.risks_claim("trustworthy", firm)
    assert said.startswith("No channel's hidden demand")
    assert "doubtful" in claims.risks_claim("doubtful", plan)
    failed = "The fit failed its checks: do not decide on it yet"
    assert claims.risks_claim("failed", plan) == failed
    assert failed in {text for _, text in languages.messages()}


def test_a_deck_does_not_claim_checks_that_the_model_missed(content):
    missed = msgspec.convert(synthetic.model_check(missed=True), ModelCheck)
    said = claims.risks_claim("trustworthy", None, missed)
    assert said == "Sampling converged; the model check missed 1 of 3"
    shown = dataclasses.replace(content, fit=replace(content.fit, model_check=missed))
    deck = opened(shown, None)
    texts = [
        s.text_frame.text
        for slide in deck.slides
        for s in slide.shapes
        if s.has_text_frame
    ]
    assert not any("passed its checks" in text for text in texts)


@pytest.mark.parametrize("share", [0.0, 0.004, 0.0149, 0.29, 0.925, 0.999])
def test_the_title_on_risks_says_what_its_slide_says(share):
    plan = moved(robustness=(Turn("Video", share),))
    title = claims.risks_claim("trustworthy", plan)
    said = plan_words.robustness(plan)
    assert re.findall(r"\d+\u00a0%", title) == re.findall(r"\d+\u00a0%", said)
    assert ("turns if more than" in title) == ("holds even if" in said)


def test_the_plan_is_a_point_on_the_curve_of_budgets(content):
    plan = moved()
    [shape] = [
        shape
        for slide in opened(content, plan).slides
        for shape in slide.shapes
        if shape.has_chart and shape.chart.plots[0].series[-1].name == "This plan"
    ]
    dot = shape.chart.plots[0].series[-1]
    assert list(dot.iter_values()) == [plan.outcome.planned.mean]
    [at] = dot._element.xpath("c:xVal//c:v")
    assert float(at.text) == plan.budget


@pytest.mark.parametrize("n", [2, 3, 40])
def test_titles_stay_within_two_lines(n):
    lines = (
        line(f"{i} {'A very long channel name ' * 4}", 1e6 * (1 + i % 2), 1.5e6)
        for i in range(n)
    )
    plan = record(
        *lines, gain=replace(about(13.3e6), **SURE), against_today=moved().against_today
    )
    claim = plan_claim(plan, EURO)
    assert len(claim) <= MOST_LETTERS
    assert plain(claim).endswith("% likely")  # names are shortened, never the odds


def test_odds_of_the_goal_are_a_card(content):
    plan = synthetic.plan()
    aims = (
        {"objective": Objective("reach:300000000", 0.71, 0.4)},
        {"objective": Objective("reach:€300 M", 0.71, 0.4)},
        {"goal": Goal(kind="outcome", target=3e8, probability=0.71)},
    )
    for aim in aims:
        deck = opened(content, with_details(plan, **aim))
        said = plain(" ".join(words(deck)))
        assert "Odds of at least 300 M €" in said and "71 %" in said
        assert ("objective" in aim) == ("(the same weeks last year: 40 %)" in said)


def words(deck) -> list[str]:
    shapes = [shape for slide in deck.slides for shape in slide.shapes]
    said = [shape.text_frame.text for shape in shapes if shape.has_text_frame]
    tables = [shape.table for shape in shapes if shape.has_table]
    return said + [c.text for table in tables for row in table.rows for c in row.cells]


def test_theme_footer_and_page_number_are_ours(content):
    deck = opened(content)
    master = deck.slide_master
    theme = next(
        rel.target_part.blob.decode()
        for rel in master.part.rels.values()
        if rel.reltype.endswith("/theme")
    )
    assert f'typeface="{FONT}"' in theme
    assert all(colour in theme for colour in theme_colours().values())
    assert len(deck.slide_layouts) == 1
    for slide in deck.slides:
        kinds = {
            shape.placeholder_format.type.name: shape for shape in slide.placeholders
        }
        assert "Demo <market> · fit of 2 Jan 2024" in kinds["FOOTER"].text_frame.text
        assert 'type="slidenum"' in kinds["SLIDE_NUMBER"]._element.xml
        ids = [shape.shape_id for shape in slide.shapes]
        assert len(ids) == len(set(ids))


def test_charts_are_in_millions_with_intervals_and_a_waterfall(content):
    deck = opened(content, synthetic.plan())
    charts = [s.chart for slide in deck.slides for s in slide.shapes if s.has_chart]
    by_title = {plain(c.chart_title.text_frame.text): c for c in charts}
    spend = next(
        chart for title, chart in by_title.items() if title.startswith("Planned spend")
    )
    assert spend.value_axis.tick_labels.number_format.endswith(",,")
    assert spend.value_axis.major_unit % 1e6 == 0
    roi = next(chart for title, chart in by_title.items() if title.startswith("ROI"))
    assert "<c:errBars" in roi.plots[0].series[0]._element.xml
    made = by_title["Revenue, expected, M €"].plots[0]
    below, step, _ = (np.array(series.values) for series in made.series)
    total = float(content.channels["expected_outcome"].mean())
    assert step[-1] == pytest.approx(total)
    assert (below + step)[:-1].max() >= total * (1 - 1e-9)
    falls = np.diff(below[:-1]) < 0
    assert falls.any()  # Promotion costs outcome


def test_axes_need_no_sign_of_decimals_or_thousands(content):
    """Those would be of whoever opens the deck: `1,200` on a slide in German."""
    deck = opened(content, synthetic.plan())
    charts = [s.chart for slide in deck.slides for s in slide.shapes if s.has_chart]
    axes = [chart.value_axis for chart in charts]
    axes += [c.category_axis for c in charts if "<c:scatterChart" in c._chartSpace.xml]
    formats = {axis.tick_labels.number_format for axis in axes}
    assert {"0,,"} <= formats <= {"General", "0", "0,", "0,,", "0,,,"}
    for axis in axes:
        shown = axis.tick_labels.number_format.count(",")
        assert axis.major_unit % 1000**shown == 0


def test_an_interval_in_a_title_is_not_broken_over_lines(content):
    titles = [slide.shapes.title.text_frame.text for slide in opened(content).slides]
    with_interval = [title for title in titles if "–" in title]
    assert with_interval
    assert not any(" –" in title or "– " in title for title in with_interval)


def test_a_waterfall_in_billions_still_tells_its_small_steps():
    """0.9, 0.1, 0.1 and 0.0 that make 1.1 are no sum that anybody can follow."""
    assert native_charts._decimals(np.array([0.885, 0.069, 0.048, 1.124])) == 3
    assert native_charts._decimals(np.array([58.2, 3.1, 0.05])) == 2
    assert native_charts._decimals(np.array([885.0, 69.0, -48.0])) == 0
    assert native_charts._decimals(np.zeros(3)) == 0


def test_channels_stand_in_the_order_of_what_a_slide_is_about(content):
    deck = opened(content, synthetic.plan())

    def order(head):
        tables = [s.table for slide in deck.slides for s in slide.shapes if s.has_table]
        by_heads = {tuple(cell.text for cell in t.rows[0].cells): t for t in tables}
        table = next(t for heads, t in by_heads.items() if head in heads)
        return [row.cells[0].text for row in list(table.rows)[1:]]

    channels = {each.name: each for each in content.fit.channels}
    returned = [channels[name].roi for name in order("Marginal ROI")]
    means = [each["mean"] for each in returned if each and each["mean"] is not None]
    assert means == sorted(means, reverse=True) and len(means) > 1
    shares = [channels[name].contribution["mean"] for name in order("Share of revenue")]
    assert shares == sorted(shares, reverse=True)


def test_marks_of_directions_are_explained_where_they_stand(content):
    deck = opened(content, synthetic.plan())
    texts = [
        [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
        for slide in deck.slides
        if any(
            cell.text[:2] in ("◇ ", "▲ ", "▼ ")
            for shape in slide.shapes
            if shape.has_table
            for row in shape.table.rows
            for cell in row.cells
        )
    ]
    assert texts
    assert all("◇ open" in plain(" ".join(said)) for said in texts)


def test_25_channels_fit_on_their_slides(many):
    high = many.slide_height - 0.45 * 914400  # where the footer begins
    shown = " ".join(words(many))
    for name in names_of(25):
        assert name in shown
    for slide in many.slides:
        assert len(slide.shapes.title.text) <= MOST_LETTERS
        for shape in slide.shapes:
            if shape.is_placeholder:
                continue
            assert shape.left >= 0 and shape.left + shape.width <= many.slide_width
            assert shape.top + shape.height <= high, slide.shapes.title.text
            if shape.has_chart:
                assert len(list(shape.chart.plots[0].categories)) <= 14
    moved = [title for title in titles(many) if "changes most" in title]
    assert len(moved) == 2
    assert moved[0].startswith("12 channels get more, 13 less; ")
    assert sum("made most revenue of all channels" in t for t in titles(many)) == 2
    assert not re.search("more, see the HTML", shown)


@pytest.mark.parametrize("sentences", [1, 9, 14, 40])
def test_sentences_go_on_over_slides_before_they_leave_one(sentences):
    """Arial's letters are half as wide as they are high, on average."""
    parts = [
        (
            f"Head {head}",
            [
                f"Sentence {head}.{n} " + "of words " * 16
                for n in range(sentences // 4 + 1)
            ],
        )
        for head in range(4)
    ]
    deck = theme.presentation("Risks")
    add = partial(theme.add_slide, deck)
    slide_shapes.headed_slides(add, "Claim", "Kicker", parts)
    drawn = []
    for slide in deck.slides:
        (frame,) = [
            shape.text_frame
            for shape in slide.shapes
            if shape.has_text_frame and shape.text_frame.text.startswith("Head")
        ]
        size = frame.paragraphs[0].font.size.pt
        assert size >= 12
        across = theme.ACROSS * 72 / (0.5 * size)
        lines = sum(-(-len(each.text) // across) for each in frame.paragraphs)
        assert lines * 1.2 * size / 72 < theme.BOTTOM - theme.TOP
        drawn += [each.text for each in frame.paragraphs]
    said = [text for _, texts in parts for text in texts]
    assert [text for text in drawn if text.startswith("Sentence")] == said


@pytest.mark.parametrize("letters", [40, 160, 400])
@pytest.mark.parametrize("sentences", [1, 4, 8, 20])
def test_what_stands_below_other_things_goes_on_before_it_runs_into_a_note(
    sentences, letters
):
    texts = [f"{n} ".ljust(letters, "x") for n in range(sentences)]
    parts = [("What we found", texts[:1]), ("Verdict on the fit", texts)]
    deck = theme.presentation("Fit")
    add = partial(theme.add_slide, deck)
    box = theme.Box(theme.LEFT, 3.2, theme.ACROSS, 3.2)
    slide_shapes.headed_on(add, add("Claim", "Kicker"), parts, box, ("More", "Kicker"))
    said = []
    for place, slide in enumerate(deck.slides):
        (frame,) = [
            shape.text_frame
            for shape in slide.shapes
            if shape.has_text_frame and len(shape.text_frame.paragraphs) > 1
        ]
        size = frame.paragraphs[0].font.size.pt
        across = theme.ACROSS * 72 / (0.5 * size)
        lines = sum(-(-len(each.text) // across) for each in frame.paragraphs)
        high = box.height if place == 0 else theme.BOTTOM - theme.TOP
        assert lines * 1.2 * size / 72 < high
        said += [each.text for each in frame.paragraphs if each.text.endswith("x")]
    assert said == [texts[0], *texts]


@pytest.mark.parametrize(
    "title",
    [
        "ROI, € par € : moyenne et intervalle à 90 %",
        "Vraiment ? Oui ; de « TV » à « Print » !",
        "2.52 (2.15 – 2.92), 90 % likely",
    ],
)
def test_a_title_ends_no_line_before_a_sign(title):
    shown = theme.unbroken(title)
    assert shown.replace("\u00a0", " ") == title
    assert not re.search(r" [:;?!»%–]|[«–] ", shown)
