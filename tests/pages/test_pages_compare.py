"""The Compare fits screen."""

import pytest

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
    table = at.dataframe[0].value
    assert list(table.columns) == ["name", "a", "b", "difference", "units"]


def test_fits_that_differ(screen, two):
    for run in (two / "runs").iterdir():
        change(run, add("roi", 40))
        break
    at = screen("compare", worlds.MARKET)
    assert is_sound(at)
    assert "different answers: ROI of TV" in texts(at)


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
