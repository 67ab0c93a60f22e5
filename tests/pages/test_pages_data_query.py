"""The Data screen with a query: run, kept in the project, and run again."""

from importlib.util import find_spec

import pytest

from core.project.settings.project import load_project
from tests.pages.said import is_sound, texts

pytestmark = pytest.mark.skipif(
    find_spec("duckdb") is None, reason="DuckDB is optional: requirements-duckdb.txt"
)

SQL = "SELECT day AS week, TV_spend, sales FROM 'market/*.csv' ORDER BY day"
_READING = 150


def keyed(elements, end):
    return next(one for one in elements if str(one.key).endswith(end))


def run_query(at, sql):
    keyed(at.text_area, ".query.sql").set_value(sql).run()
    keyed(at.button, ".query.run").click().run(timeout=_READING)
    return at


@pytest.fixture
def folder(home):
    """Two months of a market where queries of the app may read."""
    place = home / "data" / "market"
    place.mkdir(parents=True)
    for month, days in ((1, range(1, 32)), (2, range(1, 29))):
        lines = [f"2026-0{month}-{day:02},{day % 5 * 10.5},{900 + day}" for day in days]
        text = "\n".join(["day,TV_spend,sales", *lines])
        (place / f"{month}.csv").write_text(text)
    return place


def test_a_query_becomes_a_project_and_runs_again(screen, home, folder):
    at = run_query(screen("data"), SQL)
    assert is_sound(at)
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    project = load_project(home / "projects" / "Query")
    assert project.query.sql == SQL
    assert (project.mapping.time, project.mapping.kpi) == ("week", "sales")
    assert keyed(at.text_area, ".query.sql").value == SQL
    run_query(at, SQL + " LIMIT 40")
    assert is_sound(at)
    at.button(key="data.accept").click().run()
    assert load_project(home / "projects" / "Query").query.sql.endswith("LIMIT 40")


def test_a_query_that_fails_changes_nothing(screen, home, folder):
    at = run_query(screen("data"), "SELECT * FROM 'market/3.csv'")
    assert is_sound(at)
    assert "The query failed" in texts(at) + at.error[0].value.replace("\\", "")
    run_query(at, "SELECT * FROM read_csv('/etc/passwd')")
    assert is_sound(at)
    assert "MIXWRIGHT_DATA" in at.error[0].value.replace("\\", "")
    assert not (home / "projects").exists()
