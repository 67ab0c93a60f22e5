"""Why weeks are dark or packed: every reason is a number that its cause changes."""

import re

import numpy as np
import pytest
import xarray as xr

from core.text.languages.language import spoken_in
from core.view.weeks import week_reasons
from core.view.weeks.week_reasons import Timing, half_effect, why

N = 12


def shape(slope: float, kept: float = 0.0) -> xr.Dataset:
    """Shapes of a channel with a Hill slope whose effect fades geometrically."""
    grid = np.linspace(0, 4, 101)
    effect = grid**slope / (1 + grid**slope)
    return xr.Dataset(
        {
            "media_grid": ("point", grid),
            "saturation": ("point", effect),
            "media_now": ((), 1.0),
            "adstock": ("lag", kept ** np.arange(9.0)),
        }
    )


def timing(spend, **changed) -> Timing:
    usual = {
        "name": "TV",
        "spend": np.array(spend, dtype=float),
        "booked": np.zeros(N, bool),
        "highest": 1e9,
        "price": np.ones(N),
        "shape": None,
    }
    return Timing(**usual | changed)


BURSTS = [0, 0, 30] * 4


@pytest.mark.parametrize("slope", [0.5, 1.0, 2.0, 3.0])
def test_half_of_a_weeks_media_bring_less_than_half_of_an_s_shape(slope):
    half = half_effect(shape(slope))
    assert half == pytest.approx(2 * 0.5**slope / (1 + 0.5**slope), abs=0.01)
    said = why(timing(BURSTS, shape=shape(slope)))
    assert ("few strong weeks" in said) == (slope >= 2)
    assert "does not run in 8 of 12 weeks" in said


@pytest.mark.parametrize(
    ("spend", "changed", "words"),
    [
        ([10] * N, {}, "runs evenly"),
        ([10] * N, {"shape": shape(0.5)}, "so steady weeks bring most"),
        (BURSTS, {"shape": shape(1.0, kept=0.6)}, "of the effect comes in later weeks"),
        (BURSTS, {"price": np.array([2, 2, 1.0] * 4)}, "40 % less"),
        (BURSTS, {"price": np.full(N, np.nan)}, "does not run in 8 of 12 weeks."),
        (BURSTS, {"booked": np.arange(N) < 3}, "3 weeks booked"),
        (BURSTS, {"highest": 30.0}, "4 weeks at or above its highest spend so far"),
    ],
)
def test_each_cause_is_said(spend, changed, words):
    assert words in why(timing(spend, **changed)).replace("\u00a0", " ")


@pytest.mark.parametrize("spend", [[10] * N, BURSTS, [10, 20, 30] * 4])
@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_reasons_are_in_the_readers_language(spend, language):
    about = {"shape": shape(2.0, kept=0.6), "highest": 30.0}
    about |= {"price": np.array([2, 2, 1.0] * 4)}
    english = why(timing(spend, **about))
    with spoken_in(language):
        said = why(timing(spend, **about))
    words = set(re.findall(r"[^\W\d_]{3,}", english)) - {"media"}
    assert words & set(re.findall(r"[^\W\d_]{3,}", said)) == set()


def test_what_is_not_known_is_not_said():
    assert why(timing([0] * N)) == ""
    unknown = shape(1.0).assign(media_now=np.nan)
    assert week_reasons.half_effect(unknown) is None
