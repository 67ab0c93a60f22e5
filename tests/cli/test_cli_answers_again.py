"""update and refresh: what new files leave open is asked, answered and kept."""

import numpy as np
import pandas as pd
import pytest

from core.project.settings.project import load_project
from tests.data.test_data_layout_join import ads, daily

DAYS = pd.date_range("2024-01-01", periods=308)
OLD = DAYS[:280]


@pytest.fixture
def market(say, tmp_path):
    """A project of campaigns and sales; makes files, and says where it is."""

    def save(frame, name):
        frame.to_csv(tmp_path / name, index=False)
        return tmp_path / name

    files = save(ads(OLD), "ads.csv"), save(daily(days=OLD), "sales.csv")
    said = say("init", *files, "--out", tmp_path / "m")
    assert said.code == 0, said.err
    return tmp_path / "m", save


def table(folder):
    return pd.read_parquet(folder / load_project(folder).file)


def revised(later):
    """Two exports that share four weeks, the later one a tenth dearer there."""
    whole = ads(DAYS)
    day = pd.to_datetime(whole["day"])
    early, late = whole[day <= OLD[-1]], whole[day > OLD[-29]]
    return early, late.assign(spend=(late["spend"] * later).round(2))


@pytest.mark.parametrize("verb", ["update", "refresh"])
def test_an_overlap_is_asked_about(say, market, verb):
    folder, save = market
    early, late = revised(1.1)
    files = save(early, "a.csv"), save(late, "b.csv"), save(daily(days=DAYS), "s.csv")
    said = say(verb, folder, *files)
    assert said.code == 1
    assert "--overlap" in said.err and "28 dates" in said.err
    assert len(table(folder)) == 40


def test_the_answer_is_taken_and_kept(say, market):
    folder, save = market
    early, late = revised(1.1)
    files = save(early, "a.csv"), save(late, "b.csv"), save(daily(days=DAYS), "s.csv")
    said = say("update", folder, *files, "--overlap", "newest")
    assert said.code == 0, said.err
    day = pd.to_datetime(early["day"])
    spent = early[day <= OLD[-29]]["spend"].sum() + late["spend"].sum()
    read = table(folder)
    assert read[["A_spend", "B_spend"]].to_numpy().sum() == pytest.approx(spent)
    assert load_project(folder).layout.overlap == "newest"
    # The next month needs no answer.
    assert say("update", folder, *files).code == 0


def test_a_refresh_says_what_changes_before_it_fits(say, market):
    folder, save = market
    early, late = revised(1.1)
    files = save(early, "a.csv"), save(late, "b.csv"), save(daily(days=DAYS), "s.csv")
    said = say("refresh", folder, *files, "--overlap", "newest")
    assert said.code == 1
    assert "Accept these changes with --yes" in said.err
    assert "2024-09-09: A_spend was" in said.out


def test_dates_that_could_be_two_are_answered(say, market):
    folder, save = market
    frame = ads(DAYS)
    frame["day"] = pd.to_datetime(frame["day"]).dt.strftime("%d/%m/%Y")
    few = frame[pd.to_datetime(ads(DAYS)["day"]).dt.day <= 12]  # noqa: PLR2004
    files = save(few, "a.csv"), save(daily(days=DAYS), "s.csv")
    said = say("refresh", folder, *files)
    assert said.code == 1
    assert "--dates" in said.err


def test_files_in_another_currency_need_a_rate_or_are_refused(say, market, tmp_path):
    folder, save = market
    euros = save(ads(OLD, currency="EUR"), "e.csv"), save(daily(days=OLD), "s.csv")
    assert say("init", *euros, "--out", tmp_path / "eur").code == 0
    new = ads(DAYS, currency="EUR")
    new["currency"] = np.where(new["campaign"] == "A", "USD", "EUR")
    files = save(new, "n.csv"), save(daily(days=DAYS), "ns.csv")
    said = say("update", tmp_path / "eur", *files)
    assert said.code == 1 and "what one USD is worth" in said.err
    said = say("update", tmp_path / "eur", *files, "--rate", "USD=0.5")
    assert said.code == 0, said.err
    read = table(tmp_path / "eur")
    dollars = new[new["campaign"] == "A"]["spend"].sum()
    assert read["A_spend"].sum() == pytest.approx(dollars / 2)
    # A project whose currency nobody has said takes them, and says so.
    said = say("update", folder, *files)
    assert said.code == 0 and "nobody has said" in said.out


def test_a_level_that_changes_and_a_new_column_are_said(say, tmp_path):
    from tests.pages import worlds

    path = tmp_path / "sales.csv"
    worlds.table(110).to_csv(path, index=False)
    assert say("init", path, "--out", tmp_path / "m").code == 0
    frame = worlds.table(120)
    spend = next(c for c in frame if c.endswith("spend"))
    frame.loc[110:, spend] *= 1000
    frame.to_csv(path, index=False)
    said = say("update", tmp_path / "m", path)
    assert said.code == 0, said.err
    assert f"{spend} changes its level" in said.out


def test_columns_that_are_new_at_a_refresh_are_said(say, tmp_path):
    from tests.pages import worlds

    path = tmp_path / "sales.csv"
    frame = worlds.table(114)
    frame.iloc[:110].to_csv(path, index=False)
    assert say("init", path, "--out", tmp_path / "m").code == 0
    frame = frame.assign(podcast_clicks=500, mood=np.arange(114))
    frame.to_csv(path, index=False)
    said = say("refresh", tmp_path / "m", path)
    assert said.code == 1
    assert "podcast_clicks: media that the project does not read" in said.out
    assert "does not read: mood" in said.err
