"""Names of files and markets that spent nothing: said, and never run."""

import csv

from core.cli.plans.portfolio import projects_text
from core.cli.tests.lift_test_life import _as_csv
from core.experiments.life import SpendOfTest
from core.plan.record.parts import Pair, Project
from tests.plan.records import about, record


def test_names_in_the_csv_of_a_brief_never_run():
    geo = '=HYPERLINK("http://x.example")'
    row = SpendOfTest(geo, "2024-01-01", "@TV", "treatment", -1.5, 0.0)
    _, cells = csv.reader(_as_csv([row]).splitlines())
    assert cells == [f"'{geo}", "2024-01-01", "'@TV", "treatment", "-1.5", "0.0"]


def test_a_market_that_spent_nothing_is_in_a_portfolio():
    new = Project(
        name="North",
        current=0.0,
        comparison=0.0,
        planned=50.0,
        outcome=Pair(about(0.0), about(80.0)),
        gain=about(80.0),
        spend={"TV": 50.0},
    )
    (line,) = projects_text(record(projects=(new,))).splitlines()[2:]
    assert line.split()[:4] == ["North", "0", "50", "–"]
