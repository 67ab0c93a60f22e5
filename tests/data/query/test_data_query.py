"""Queries over files and databases: what comes back, and what is said if not."""

import sqlite3
from importlib.util import find_spec

import pandas as pd
import pytest

from core.data.query.ask import queried
from core.data.query.definition import Database, Query, database_of
from core.data.query.run import hidden, secret
from core.errors import SchemaError

pytestmark = pytest.mark.skipif(
    find_spec("duckdb") is None, reason="DuckDB is optional: requirements-duckdb.txt"
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of a shop: two files of media, orders in SQLite, costs in a workbook."""
    folder = tmp_path / "shop"
    (folder / "media").mkdir(parents=True)
    for month in (1, 2):
        frame = pd.DataFrame(
            {"day": [f"2024-0{month}-0{at}" for at in (1, 2)], "TV_spend": [10.5, 20]}
        )
        frame.to_csv(folder / "media" / f"{month}.csv", index=False)
    with sqlite3.connect(folder / "shop.sqlite") as shop:
        shop.execute("CREATE TABLE orders (day TEXT, amount REAL, note TEXT)")
        shop.execute("CREATE TABLE secrets (card TEXT)")
        days = ("2024-01-01", "2024-01-01", "2024-02-02")
        shop.executemany(
            "INSERT INTO orders VALUES (?, ?, ?)",
            [(day, 100.0 * at, None) for at, day in enumerate(days, 1)],
        )
    shop.close()
    costs = pd.DataFrame({"day": ["2024-01-01", "2024-02-02"], "Radio_spend": [5, 6]})
    costs.to_excel(folder / "costs.xlsx", sheet_name="Radio plan", index=False)
    monkeypatch.chdir(folder)
    return folder


#: What tells a statement how the server is set up, and so where its walls are.
HIDDEN = {
    "current_setting": "SELECT CASE WHEN current_setting('enable_external_access') "
    "THEN 1 ELSE 2 END AS n",
    "getvariable": "SELECT getvariable('x') AS n",
    "getenv": "SELECT getenv('HOME') AS home, 1 AS n",
    "duckdb_settings": "FROM duckdb_settings()",
    "pg_settings": "SELECT * FROM pg_catalog.pg_settings",
}


def asked(sql, *databases, **options):
    return queried(
        Query(sql, tuple(database_of(text) for text in databases)), **options
    )


def test_a_folder_of_files_and_a_database_become_one_table(place):
    sql = """SELECT m.day, sum(TV_spend) AS TV_spend, any_value(Radio_spend) AS Radio,
                    sum(amount)::DECIMAL(12, 2) AS revenue
             FROM 'media/*.csv' m JOIN shop.orders o ON m.day = o.day::DATE
             LEFT JOIN costs."Radio plan" c ON c.day::DATE = m.day
             GROUP BY m.day ORDER BY m.day"""
    file = asked(sql, "shop=sqlite:shop.sqlite", "costs=excel:costs.xlsx")
    assert file.date == "day"
    assert list(file.frame.columns) == ["day", "TV_spend", "Radio", "revenue"]
    assert file.frame["revenue"].tolist() == [300.0, 300.0]
    assert file.frame["Radio"].tolist() == [5, 6]


def test_parquet_is_read(place):
    pd.DataFrame({"day": ["2024-01-01"], "n": [3]}).to_parquet(place / "x.parquet")
    assert asked("SELECT * FROM 'x.parquet'").frame["n"].tolist() == [3]


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT * FROM 'media/1.csv' WHERE TV_spend > 1000", "returns no rows"),
        ("SELECT range AS i FROM range(10000000)", "limit is 1,000,000 rows"),
        (
            "SELECT {'amount': 3} AS price, 1 AS n",
            "Column price of the query holds JSON",
        ),
        (
            """SELECT '{"a": 1}'::JSON AS price""",
            "Column price of the query holds JSON",
        ),
        ("""SELECT '{"a": 1}' AS price, 1 AS n""", "price of the query holds JSON"),
        ("SELECT [1, 2] AS prices", "Column prices of the query holds JSON"),
        ("SELECT 1 AS a, 2 AS a", "appears 2 times"),
        ("SELECT spend FROM 'media/1.csv'", "The query failed: .*spend"),
        ("SELECT * FROM 'nothing/*.csv'", "The query failed: .*nothing"),
        ("SELCT 1", "The query failed: .*SELCT"),
        ("COPY (SELECT 1) TO 'out.csv'", "must be one SELECT"),
        ("SELECT 1; DROP TABLE x", "must be one SELECT"),
        ("", "must be one SELECT"),
    ],
)
def test_what_is_no_table_is_refused_with_its_reason(place, sql, text):
    with pytest.raises(SchemaError, match=text) as caught:
        asked(sql)
    assert caught.value.hint
    assert not (place / "out.csv").exists()


def test_ten_million_rows_of_a_database_are_summed_where_they_are(place):
    sql = "SELECT range % 7 AS d, count(*) AS n FROM range(10000000) GROUP BY d"
    assert asked(sql).frame["n"].sum() == 10_000_000


def test_only_files_of_the_folders_are_read_where_there_are_some(
    place, tmp_path, monkeypatch
):
    monkeypatch.chdir("/")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n3,4\n")
    (place / "link.csv").symlink_to(tmp_path / "other.csv")
    beside = place.with_name(f"{place.name}-more")  # a name that begins like the folder
    beside.mkdir()
    (beside / "other.csv").write_text("a,b\n1,2\n")
    folders = [str(place)]
    assert len(asked("SELECT * FROM 'media/[1]*.csv'", folders=folders).frame) == 2
    for sql in (
        f"SELECT * FROM read_csv('{tmp_path}/other.csv')",
        f"SELECT * FROM '{tmp_path}/other.csv'",
        "SELECT * FROM '../other.csv'",
        f"SELECT * FROM read_text('{tmp_path}/other.csv')",
        "SELECT * FROM 'link.csv'",
        f"SELECT * FROM glob('{tmp_path}/*')",
        f"SELECT * FROM 'file:{tmp_path}/other.csv'",
        f"SELECT * FROM '{beside}/other.csv'",
        f"SUMMARIZE '{tmp_path}/other.csv'",
    ):
        with pytest.raises(SchemaError, match="The query failed"):
            asked(sql, folders=folders)
    # A result came back for a file outside the walls.
    for sql in ("SELECT Prompt FROM", "SELECT count(*) AS n FROM", "SUMMARIZE FROM"):
        with pytest.raises(SchemaError, match="calls sniff_csv"):
            asked(f"{sql} sniff_csv('{tmp_path}/other.csv')", folders=folders)
    for name, sql in HIDDEN.items():
        with pytest.raises(SchemaError, match=f"reads {name}, which shows"):
            asked(sql, folders=folders)
    (tmp_path / "far.sqlite").write_bytes((place / "shop.sqlite").read_bytes())
    for name in (str(tmp_path / "far.sqlite"), "../far.sqlite"):
        with pytest.raises(SchemaError, match="Database shop cannot be reached"):
            asked("SELECT * FROM shop.orders", f"shop=sqlite:{name}", folders=folders)


def test_what_fails_after_the_first_rows_is_said_as_a_query_says_it(place):
    """DuckDB's error comes out of Arrow then, as an OSError of Python."""
    (place / "late.csv").write_text("a\n" + "1\n" * 30_000 + "x\n")
    sql = "SELECT a::INT AS a, 1 AS n FROM read_csv('late.csv', all_varchar = true)"
    with pytest.raises(SchemaError, match="The query failed: Conversion Error") as said:
        asked(sql)
    assert "Correct the query" in said.value.hint
    (place.parent / "far.txt").write_text("far")
    (place / "near.txt").symlink_to(place.parent / "far.txt")
    with pytest.raises(SchemaError, match="The query failed: .*near.txt") as said:
        asked("SELECT content, size FROM read_text('*.txt')", folders=[str(place)])
    assert "MIXWRIGHT_DATA" in said.value.hint


def test_a_database_that_is_not_there_says_which_and_why(place):
    with pytest.raises(SchemaError, match="Database shop cannot .*no file none.sqlite"):
        asked("SELECT * FROM shop.orders", "shop=sqlite:none.sqlite")
    (place / "broken.sqlite").write_text("no database at all, but long enough" * 40)
    with pytest.raises(
        SchemaError, match=r"Database shop \(sqlite\) cannot be reached"
    ):
        asked("SELECT * FROM shop.orders", "shop=sqlite:broken.sqlite")


def test_columns_of_sqlite_are_judged_by_all_their_cells(place):
    with sqlite3.connect(place / "shop.sqlite") as shop:
        shop.execute('CREATE TABLE many (place, late, "a ""b""")')
        rows = ((n, None if n < 119_999 else "text", 2**60) for n in range(120_000))
        shop.executemany("INSERT INTO many VALUES (?, ?, ?)", rows)
        shop.execute("CREATE TABLE hollow (day TEXT)")
    shop.close()
    sql = "SELECT count(*) AS n, max(late) AS late, sum(place) AS s FROM shop.many"
    frame = asked(sql, "shop=sqlite:shop.sqlite").frame
    assert frame.iloc[0].to_dict() == {"n": 120_000, "late": "text", "s": 7199940000}
    with pytest.raises(SchemaError, match="returns no rows"):
        asked("SELECT * FROM shop.hollow", "shop=sqlite:shop.sqlite")


def test_a_missing_secret_is_named(place):
    with pytest.raises(SchemaError, match="there is no secret SHOP_DATABASE"):
        asked("SELECT * FROM shop.orders", "shop=postgres:SHOP_DATABASE")


def test_a_server_that_does_not_answer_is_named_without_its_password(
    place, monkeypatch
):
    string = "host=127.0.0.1 port=1 user=me password=hunter2 dbname=shop"
    monkeypatch.setenv("SHOP_DATABASE", string)
    with pytest.raises(SchemaError, match=r"Database shop \(postgres\)") as caught:
        asked("SELECT * FROM shop.orders", "shop=postgres:SHOP_DATABASE")
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"


def test_secrets_come_from_the_environment_then_from_streamlit(place, monkeypatch):
    (place / ".streamlit").mkdir()
    (place / ".streamlit" / "secrets.toml").write_text(
        'SHOP = "from file"\n[connections.shop]\nurl = "nested"\n'
    )
    assert secret("SHOP", "shop") == "from file"
    assert secret("connections.shop.url", "shop") == "nested"
    monkeypatch.setenv("SHOP", "from environment")
    assert secret("SHOP", "shop") == "from environment"


@pytest.mark.parametrize(
    "string",
    [
        "host=db password=hunter2 user=me",
        "host=db password='hunter2'",
        "postgresql://me:hunter2@db/shop",
    ],
)
def test_no_message_carries_a_password(string):
    for message in (string, f"failed: {string}", "at hunter2", 'to "hunter2"'):
        assert "hunter2" not in hidden(message, [string])


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "a b", "kind": "sqlite", "file": "x"},
        {"name": "shop", "kind": "sqlite"},
        {"name": "shop", "kind": "postgres", "file": "x"},
        {"name": "shop", "kind": "postgres", "secret": "host=db password=hunter2"},
    ],
)
def test_a_database_that_cannot_be_is_refused(wrong):
    with pytest.raises(SchemaError) as caught:
        Database(**wrong)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("text", ["shop", "shop=x.sqlite", "shop=oracle:X", "=a:b"])
def test_a_text_that_describes_no_database_is_refused(text):
    with pytest.raises(SchemaError):
        database_of(text)


def test_two_databases_of_one_name_are_refused():
    shop = database_of("shop=sqlite:a.sqlite")
    with pytest.raises(SchemaError, match="Two databases"):
        Query("SELECT 1", (shop, database_of("Shop=sqlite:b.sqlite")))


def test_a_secret_that_is_no_connection_is_hidden_word_by_word():
    said = hidden(
        'missing "=" after "s3cret" in "s3cret of a cookie"', ["s3cret of a cookie"]
    )
    assert "s3cret" not in said
    assert "cookie" not in said
    said = hidden('missing "=" after "s3cret" in connection', ["s3cret of a cookie"])
    assert "s3cret" not in said
