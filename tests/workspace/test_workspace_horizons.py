"""Where the response curves of a plan's periods are kept."""

import pytest

from core.errors import WorkspaceError
from core.plan.response.periods import Horizon
from core.project.fits.derived import asked, request_of
from core.project.fits.horizons import (
    AHEAD,
    OWN,
    horizon_curves,
    new_horizon,
    own_curves,
    pending_horizon,
    plan_curves,
)
from core.store.atomic import write_json
from core.store.results import write_result
from tests.charts import synthetic
from tests.pages import worlds


@pytest.fixture
def fit(tmp_path, monkeypatch):
    """A finished fit with curves of its own periods and of the year after them."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    return worlds.fit(worlds.project(), has_geo_curves=True)


def test_a_fit_has_its_own_periods_and_the_year_after_them(fit):
    own = own_curves(fit)
    assert (own.run, own.channels, own.geos) == (fit, *OWN)
    ahead = horizon_curves(fit, "2024-01-01", 52)
    assert (ahead.run, ahead.channels, ahead.geos) == (fit, *AHEAD)
    assert plan_curves(fit, Horizon(**synthetic.AHEAD, as_fitted=False)) == ahead
    assert plan_curves(fit, Horizon(as_fitted=True)) == own


def test_other_periods_are_found_once_they_are_worked_out(fit):
    assert horizon_curves(fit, "2024-01-01", 13) is None
    assert pending_horizon(fit, "2024-01-01", 13) is None
    run = new_horizon(fit, "2024-01-01", 13)
    assert asked(run) == (fit, {"start": "2024-01-01", "periods": 13})
    assert pending_horizon(fit, "2024-01-01", 13).folder == run
    assert horizon_curves(fit, "2024-01-01", 13) is None
    with write_result(run) as result:
        curves = synthetic.horizon_curves()
        curves.to_netcdf(result / f"{AHEAD[0]}.nc", engine="h5netcdf")
    found = horizon_curves(fit, "2024-01-01", 13)
    assert (found.run, found.geos) == (run, None)


@pytest.mark.parametrize("damage", [[], "x", {"fit": 5}, {"request": 7}])
def test_a_damaged_request_is_no_horizon_of_this_fit(fit, damage):
    run = new_horizon(fit, "2024-01-01", 13)
    content = {"fit": fit.name} | damage if isinstance(damage, dict) else damage
    write_json(run / "asked.json", content)
    assert request_of(run) == {}
    with pytest.raises(WorkspaceError, match="is gone"):  # never no request
        asked(run)
    assert pending_horizon(fit, "2024-01-01", 13) is None
    assert horizon_curves(fit, "2024-01-01", 52) is not None


def test_the_fit_has_to_be_there(fit):
    run = new_horizon(fit, "2024-01-01", 13)
    write_json(run / "asked.json", {"fit": "gone", "request": {}})
    with pytest.raises(WorkspaceError, match="response of other periods .* is gone"):
        asked(run)
