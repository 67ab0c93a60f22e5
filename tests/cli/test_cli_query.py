"""init, check and update with a query: kept in project.toml, and run again."""

import sqlite3
from importlib.util import find_spec

import pytest

from core.workspace.projects.project import load_project
from tests.data.data_tables import national

pytestmark = pytest.mark.skipif(
    find_spec("duckdb") is None, reason="DuckDB is optional: requirements-duckdb.txt"
)

SQL = "SELECT o.*, sales FROM shop.media o JOIN 'sales.csv' USING (week) ORDER BY week"
DATABASE = "shop=sqlite:shop.sqlite"


def write(folder, n):
    frame = national(n)
    frame[["week", "sales"]].to_csv(folder / "sales.csv", index=False)
    with sqlite3.connect(folder / "shop.sqlite") as shop:
        frame.drop(columns="sales").to_sql(
            "media", shop, index=False, if_exists="replace"
        )
    shop.close()


@pytest.fixture
def market(say, tmp_path):
    """A project made by a query in the current folder."""
    write(tmp_path, 110)
    said = say(
        *("init", "--query", SQL, "--database", DATABASE, "--kpi-is", "money"),
        *("--out", tmp_path / "m"),
    )
    assert said.code == 0, said.err
    return tmp_path / "m"


def test_a_query_is_kept_and_run_again(say, market, tmp_path):
    project = load_project(market)
    assert project.query.sql == SQL
    assert [channel.name for channel in project.mapping.channels] == ["TV", "Radio"]
    write(tmp_path, 120)
    said = say("update", market, "--json")
    assert (said.code, said.data["rows"]) == (0, 120), said.err
    assert load_project(market).query == project.query


def test_a_database_that_is_gone_leaves_the_project_as_it_was(say, market, tmp_path):
    files = {path: path.read_bytes() for path in market.iterdir() if path.is_file()}
    (tmp_path / "shop.sqlite").unlink()
    said = say("update", market)
    assert said.code == 1
    assert "Database shop cannot be reached" in said.err
    assert {p: p.read_bytes() for p in market.iterdir() if p.is_file()} == files


def test_check_takes_a_query(say, market):
    said = say("check", "--query", SQL, "--database", DATABASE, "--json")
    assert said.code == 0
    said = say("check", "--query", "SELECT 1 AS week, 2 AS TV_spend LIMIT 0", "--json")
    assert said.code == 1
    assert "returns no rows" in said.data["findings"][0]["message"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("init", "--out", "x"), "neither a file nor a query"),
        (("init", "--database", DATABASE, "--out", "x"), "a database but no query"),
        (
            ("init", "--query", "SELECT 1", "--database", "shop", "--out", "x"),
            "describe",
        ),
    ],
)
def test_what_is_missing_is_said(say, arguments, text):
    said = say(*arguments)
    assert said.code == 1
    assert text in said.err
