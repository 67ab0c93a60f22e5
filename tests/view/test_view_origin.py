"""What a newer fit changed of a plan, in sentences."""

import msgspec

from core.project.refresh.record import ScoredPlan
from core.text import Units
from core.view.origin import changed


def moved(name: str, by: float) -> dict:
    """A channel whose response moved so much."""
    return {
        "name": name,
        "before": 2e5,
        "after": 2e5 + by,
        "response": by,
        "spend": 0.0,
    }


def test_what_moved_the_other_way_is_not_called_most_of_it():
    number = {"median": 6e5, "sd": 1e5, "lo": 4e5, "hi": 8e5}
    again = {
        "plan_id": "p",
        "name": "Spring",
        "start": "2024-12-30",
        "end": "2025-01-27",
        "was": "keep",
        "advice": "change",
        "is_changed": True,
        "reasons": [],
        "cause": "data",
        "before": number | {"mean": 6e5},
        "after": number | {"mean": 6.1e5},
        "periods": 5,
        "gain": number | {"mean": 1e5, "probability_positive": 0.99},
        "channels": [moved("TV", -3e4), moved("Print", 2e4), moved("Radio", 1.9e4)],
    }
    scored = msgspec.convert(again, ScoredPlan)
    said = changed(scored, Units("revenue", "EUR")).replace("\u00a0", " ")
    assert "most of it Print's response (+20.0 k €)" in said
