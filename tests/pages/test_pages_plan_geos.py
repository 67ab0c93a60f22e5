"""The Geos view of the Plan screen: for fits of geos, and for nothing else."""

import pytest

from tests.pages import worlds
from tests.pages.said import is_sound, texts


@pytest.fixture
def geo_fitted(home):
    """The folder of a project with a fit of four geos."""
    folder = worlds.project(truth=worlds.synthetic.truth())
    worlds.fit(folder, has_geo_curves=True)
    return folder


def opened(screen):
    at = screen("plan", worlds.MARKET)
    return at.segmented_control(key="plan.view").set_value("Geos").run()


def test_national_fits_have_no_geos(screen, fitted):
    at = screen("plan", worlds.MARKET)
    assert "Geos" not in at.segmented_control(key="plan.view").options


def test_the_view_says_what_moving_money_adds(screen, geo_fitted):
    at = screen("plan", worlds.MARKET)
    assert "Moving money between geos" not in texts(at)
    at = opened(screen)
    assert is_sound(at)
    said = texts(at)
    assert "Moving money between geos adds" in said
    assert "of the best possible" in said
    assert len(at.get("plotly_chart")) == 1
    rows = at.dataframe[-1].value
    assert set(rows["geo"]) == {"North", "South", "East", "West"}


def test_limits_change_the_plan(screen, geo_fitted):
    at = opened(screen)
    before = at.dataframe[-1].value
    at.number_input(key="plan.geos.spread").set_value(0).run()
    assert is_sound(at)
    after = at.dataframe[-1].value
    assert list(before["change"]) != list(after["change"])
    assert all("+0" in text or "=" in text for text in after["change"])


def test_geos_are_left_alone(screen, geo_fitted):
    at = opened(screen)
    at.multiselect[-1].set_value(["West"]).run()
    assert is_sound(at)
    assert "West (left alone)" in set(at.dataframe[-1].value["geo"])


def test_another_objective_is_said(screen, geo_fitted):
    at = opened(screen)
    at.selectbox(key="plan.objective").set_value("p10").run()
    assert is_sound(at)
    assert "for the expected outcome" in texts(at)


def test_a_fit_without_geo_curves_says_what_to_do(screen, home):
    folder = worlds.project()
    made = worlds.fit(folder, has_geo_curves=True)
    with worlds.runs.write_result(made) as result:
        for path in (made / "result").iterdir():
            if path.name not in ("manifest.json", "geo_curves.nc"):
                (result / path.name).write_bytes(path.read_bytes())
    at = opened(screen)
    assert is_sound(at)
    assert "Fit again" in texts(at)
