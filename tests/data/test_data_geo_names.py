"""One place under several names is said to be one; places with gaps are not."""

import numpy as np
import pandas as pd
import pytest

from core.data.checks.validate import check_table
from core.data.mapping import ChannelColumns, ColumnMapping

PLACES = ("Berlin", "Hamburg", "München", "Köln", "Saint-Étienne", "New York")
MAPPING = ColumnMapping(
    "week",
    "units",
    geo="city",
    channels=(ChannelColumns("tv", "media", media="tv", spend="tv"),),
)


def slips(name, random):
    """Ways in which a hand writes a name."""
    umlauts = {"ü": "ue", "ö": "oe", "É": "E", "é": "e"}
    written = "".join(umlauts.get(letter, letter) for letter in name)
    at = int(random.integers(1, len(name) - 2))
    swapped = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    ways = [written, name.upper(), name.lower(), name.replace("-", " "), swapped]
    ways += [name[:at] + name[at + 1 :], f"{name}."]
    return [way for way in ways if way != name]


def table(random, written, n=60):
    weeks = pd.date_range("2022-01-03", periods=n, freq="7D").strftime("%Y-%m-%d")
    rows = []
    for place in PLACES:
        for at, week in enumerate(weeks):
            name = written(place, at)
            if name is not None:
                rows.append((week, name, *random.uniform(1, 9, 2)))
    return pd.DataFrame(rows, columns=["week", "city", "units", "tv"])


def said(frame):
    return [each for each in check_table(frame, MAPPING) if each.severity == "error"]


@pytest.mark.parametrize("seed", range(12))
def test_slips_in_some_weeks_are_one_place(seed):
    random = np.random.default_rng(seed)
    place = PLACES[seed % len(PLACES)]
    ways = slips(place, random)
    way = ways[int(random.integers(len(ways)))]
    weeks = {int(at) for at in random.choice(60, 9, replace=False)}
    frame = table(
        random, lambda name, at: way if name == place and at in weeks else name
    )
    (error,) = said(frame)
    assert "one place, written in 2 ways" in error.message, (place, way, error.message)
    assert place in error.message and way in error.message
    assert "one way in all of its rows" in error.hint


@pytest.mark.parametrize("at", [1, 30, 58])
def test_names_that_change_in_one_week_are_renamed(at):
    random = np.random.default_rng(at)
    codes = {"Berlin": "DE-BE", "Hamburg": "DE-HH"}
    frame = table(random, lambda name, t: codes.get(name, name) if t < at else name)
    messages = " ".join(error.message for error in said(frame))
    assert "The rows of DE-BE and DE-HH end" in messages
    assert "were geos renamed?" in messages


@pytest.mark.parametrize("names", [("Region 1", "Region 2"), ("DMA 501", "DMA 510")])
def test_places_that_are_two_stay_two(names):
    """Numbers tell places apart, and so does a common week."""
    random = np.random.default_rng(0)
    one, other = names
    called = {"Berlin": one, "Hamburg": other}

    def written(name, at):
        gap = (name == "Berlin" and 5 <= at < 9) or (name == "Hamburg" and at % 9 == 4)
        return None if gap else called.get(name, name)

    messages = [error.message for error in said(table(random, written))]
    assert not any("one place" in each or "renamed" in each for each in messages)
    assert sum("has no row for" in each for each in messages) == 2
