"""Plans as every face saves them."""

from pathlib import Path

import pytest

from core.errors import PlanError
from core.service.plans import save_named
from tests.plan import records


@pytest.mark.parametrize("name", ["", "  \t"])
def test_a_plan_is_not_saved_without_a_name(tmp_path, name):
    with pytest.raises(PlanError, match="needs a name"):
        save_named(Path(tmp_path), records.record(name=name))
    assert list(tmp_path.iterdir()) == []
