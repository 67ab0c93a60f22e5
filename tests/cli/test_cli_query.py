"""init, check and update with a query: kept in project.toml, and run again."""

import itertools
import sqlite3
from dataclasses import replace
from importlib.util import find_spec

import pytest

from core.data.query import run
from core.project.settings.project import load_project, updated_text
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
def market(say, tmp_path, monkeypatch):
    """A project made by a query in the current folder, which its own may read."""
    monkeypatch.setenv("MIXWRIGHT_DATA", str(tmp_path))
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


#: What a saved query may try, with the secret outside of its folders for SECRET.
ESCAPES = (
    "SELECT * FROM 'SECRET'",
    "SELECT *, 1 AS sales FROM read_text('SECRET')",
    "SELECT content AS week, 1 AS TV_spend, 2 AS sales FROM read_blob('SECRET')",
    "FROM query(CASE WHEN current_setting('enable_external_access') "
    "THEN 'FROM read_text(''SECRET'')' ELSE 'SELECT 1 AS week' END)",
    "WITH a AS (FROM main.Query('FROM ''SECRET'' ')) SELECT * FROM a",
    "SELECT 1 AS week WHERE 1 IN (SELECT count(*) FROM query_table('SECRET'))",
    "SELECT path FROM duckdb_databases()",
    "SELECT path FROM duckdb_databases",
    "FROM json_execute_serialized_sql(json_serialize_sql('FROM ''SECRET'' '))",
    "FROM postgres_query('shop', 'SELECT 1')",
    "FROM strings",
)


def test_a_saved_query_keeps_its_walls(say, market, tmp_path, monkeypatch):
    walls = tmp_path / "walls"
    walls.mkdir()
    write(walls, 110)
    monkeypatch.setenv("MIXWRIGHT_DATA", str(walls))
    secret = tmp_path / "secret.csv"
    secret.write_text("week,TV_spend,sales\nhunter2,1,2\nhunter3,3,4\n")
    project = load_project(market)
    files = {path: path.read_bytes() for path in market.iterdir() if path.is_file()}
    for verb, sql in zip(itertools.cycle(("update", "refresh")), ESCAPES, strict=False):
        query = replace(project.query, sql=sql.replace("SECRET", str(secret)))
        text = updated_text(
            files[market / "project.toml"].decode(), replace(project, query=query)
        )
        (market / "project.toml").write_text(text)
        said = say(verb, market, "--json")
        assert said.code == 1, (sql, said)
        assert "The query" in said.err, (sql, said)
        assert "hunter" not in said.out + said.err, sql
        data = [path for path in files if path.suffix == ".parquet"]
        assert all(path.read_bytes() == files[path] for path in data), sql


def test_a_typed_query_has_the_rights_of_its_user(say, tmp_path, monkeypatch):
    write(tmp_path, 110)
    monkeypatch.setenv("MIXWRIGHT_DATA", str(tmp_path / "elsewhere"))
    said = say("check", "--query", "SELECT * FROM 'sales.csv'", "--json")
    assert "The query failed" not in str(said.data)
    said = say("check", "--query", "FROM query('SELECT 1 AS a')", "--json")
    assert "calls query" in said.data["findings"][0]["message"]


def test_a_query_leaves_the_other_cores_alone():
    with run._connection() as connection:
        asked = "SELECT current_setting('threads')"
        assert connection.execute(asked).fetchone() == (1,)
