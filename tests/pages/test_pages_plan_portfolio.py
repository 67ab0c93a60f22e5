"""Plan over Portfolio: several projects share a budget, and keep their parts."""

from dataclasses import replace

import pytest

from core.plan.portfolio.portfolio import portfolio_of
from core.project.plans.plans import list_plans
from core.service.portfolio import members
from tests.pages import worlds
from tests.pages.said import is_sound, texts

OTHER = "South brands"


@pytest.fixture
def two(home):
    folders = [worlds.project(name) for name in (worlds.MARKET, OTHER)]
    for folder in folders:
        worlds.fit(folder)
    return folders


def opened(screen):
    at = screen("plan", worlds.MARKET)
    assert is_sound(at)
    at.segmented_control(key="plan.over").set_value("Portfolio")
    return at.run()


def table(at, title):
    return next(d.value for d in at.dataframe if title in d.value.columns)


def test_one_project_alone_has_no_portfolio(screen, home):
    worlds.fit(worlds.project())
    at = screen("plan", worlds.MARKET)
    assert "Portfolio" not in at.segmented_control(key="plan.over").options


def test_two_projects_share_a_budget(screen, two):
    at = opened(screen)
    assert is_sound(at)
    said = texts(at)
    assert "One budget over the newest fits" in said
    channels = table(at, "Channel")
    rows = list(zip(channels["Project"], channels["Channel"], strict=True))
    assert (worlds.MARKET, "TV") in rows and (OTHER, "TV") in rows
    assert "Budget" in [each.label for each in at.metric]
    assert "than it costs" in said  # from which budget on it does not pay
    projects = next(t.value for t in at.dataframe if t.value.columns[0] == "Project")
    assert projects["Project"].tolist() == [OTHER, worlds.MARKET]
    assert "Gain" in said and not at.error
    assert len(at.get("plotly_chart")) == 1


def test_the_form_of_projects_is_folded_once_two_are_in(screen, two):
    def box(at):
        return next(e for e in at.expander if e.label == "Projects and their limits")

    at = opened(screen)
    assert not box(at).proto.expanded
    at.text_input(key="portfolio.currency").set_value("USD")
    assert box(at.run()).proto.expanded


def test_a_simulated_market_shares_no_budget_unasked(screen, home):
    for name in (worlds.MARKET, OTHER):
        worlds.fit(worlds.project(name))
    worlds.fit(worlds.project("Demo", truth=worlds.synthetic.truth()))

    def shared(name):
        at = screen("plan", name, **{"plan.over": "Portfolio"})
        assert is_sound(at) and not at.error
        rows = next(d.value for d in at.dataframe if "in" in d.value.columns)
        return set(rows["project"][rows["in"]])

    assert shared(worlds.MARKET) == {worlds.MARKET, OTHER}
    assert shared("Demo") == {"Demo"}


def test_limits_of_a_project_are_kept(screen, two):
    at = opened(screen)
    at.text_area(key="portfolio.more").set_value(
        f'[kind."booked ahead"]\nmax = "75 %"\n[channel."{OTHER}: TV"]\nlock = true\n'
    )
    at = at.run()
    assert is_sound(at) and not at.error
    rows = table(at, "Channel").set_index(["Project", "Channel"])
    tv = rows.loc[OTHER, "TV (locked)"]
    ran, planned, _ = tv
    assert ran == planned


def test_what_does_not_go_together_is_a_sentence(screen, two):
    at = opened(screen)
    at.text_input(key="portfolio.currency").set_value("USD")
    at = at.run()
    assert is_sound(at)
    assert not at.error  # none is in dollars: that is a state, no fault of a file
    assert "Choose at least two projects" in texts(at)
    at.text_input(key="portfolio.currency").set_value("EUR")
    at.text_area(key="portfolio.more").set_value("[kind.nonsense]\nmax = 1\n")
    at = at.run()
    assert is_sound(at) and "nonsense is not a kind of channel" in texts(at)


def test_parts_are_saved_in_their_projects(screen, two):
    at = opened(screen)
    at.text_input(key="portfolio.name.1").set_value("2027")
    at.button(key="portfolio.save").click()
    at = at.run()
    assert is_sound(at) and not at.error
    for folder in two:
        [plan] = list_plans(folder)
        assert plan.name == "2027" and "Part of" in plan.notes


def downloads(at):
    return [each.proto.label for each in at.get("download_button")]


def test_files_are_those_that_can_be_made(screen, two, monkeypatch):
    monkeypatch.setattr("core.service.reports.missing_for_pdf", lambda: "")
    assert {"TOML", "HTML", "PDF", "XLSX"} <= set(downloads(opened(screen)))
    monkeypatch.setattr("core.service.reports.missing_for_pdf", lambda: "Install it.")
    at = opened(screen)
    labels = downloads(at)
    assert "HTML" in labels and "PDF" not in labels
    (box,) = [each for each in at.get("popover") if each.key == "portfolio.export"]
    inside = [each.proto.label for each in box.get("download_button")]
    assert {*labels} - {"XLSX", "CSV"} <= {*inside}  # one place for every file


def test_a_project_with_a_mediator_says_what_is_bought_of_it(screen, two, monkeypatch):
    assert "bought" not in table(opened(screen), "worth").columns
    found = members.candidates()
    with_clicks = [replace(each, mediators=("Clicks",)) for each in found]
    monkeypatch.setattr(members, "candidates", lambda: tuple(with_clicks))
    rows = table(opened(screen), "worth")
    assert rows["bought"].isna().all()
    text = members.file_of("EUR", {OTHER: {"bought": {"Clicks": 0.5}}, "B": {}}, {})
    assert portfolio_of(text).members[0].bought == {"Clicks": 0.5}
