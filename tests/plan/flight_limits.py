"""Limits of four weeks of two channels, and why they are refused."""

import numpy as np
import pytest

from core.errors import PlanError
from core.plan.limits.cells import Cells
from core.plan.limits.change import Change
from core.plan.scenario.week_limits import cells_of
from core.plan.scenario.weeks import week_request

WEEKS = np.datetime64("2025-01-06") + 7 * np.arange(4)
USUAL = np.array([[100.0] * 4, [50.0] * 4])


def cells(table, usual=USUAL) -> Cells:
    request = week_request({**table, "horizon": {"periods": 4}})
    return cells_of(
        request, ("TV", "Radio"), WEEKS, usual, np.array([150.0, 80.0]), "EUR"
    )


def refused(table) -> PlanError:
    with pytest.raises(PlanError) as caught:
        cells(table)
    return caught.value


def excess(change: Change, spend: np.ndarray) -> np.ndarray:
    """Money by which changes are too large, channel pair; at most zero if not."""
    before, now = spend[:, :-1], spend[:, 1:]
    up, down = now - change.rise * before, change.fall * before - now
    return np.maximum(up, down) - change.room
