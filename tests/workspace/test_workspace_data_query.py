"""Queries in project.toml: there and back, and what is wrong with them."""

from dataclasses import replace

import pytest

from core.data.query.definition import Database, Query
from core.errors import SpecError
from core.project.settings.definition import spec_sha256
from core.project.settings.project import render_project, updated_text
from core.project.settings.project_file import parse_project
from tests.workspace.workspace_market import FULL

DATABASES = (
    Database("shop", "postgres", secret="SHOP_DATABASE"),
    Database("costs", "sqlite", file="costs.sqlite"),
)
QUERIES = (
    Query("SELECT * FROM 'sales/*.csv'"),
    Query("SELECT day,\n  '\\d \"\"\" ''x''' AS y\nFROM shop.orders\n", DATABASES),
)


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_is_there_and_back(query):
    project = replace(FULL, query=query)
    assert parse_project(render_project(project)) == project
    assert spec_sha256(project) == spec_sha256(FULL)


@pytest.mark.parametrize("before", [*QUERIES, None])
@pytest.mark.parametrize("after", [*QUERIES, None])
def test_a_query_is_changed_in_place(before, after):
    text = "# mine\n" + render_project(replace(FULL, query=before))
    project = replace(FULL, query=after)
    changed = updated_text(text, project)
    assert parse_project(changed) == project
    assert changed.startswith("# mine")


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ('[[data.database]]\nname = "a"\nkind = "sqlite"\nfile = "x"', "no query"),
        ('[[data.database]]\nname = "a"\nkind = "oracle"', "kind"),
        ('[[data.database]]\nname = "a"', "lacks kind"),
        (
            '[[data.database]]\nname = "a"\nkind = "mysql"',
            "needs the name of its secret",
        ),
        (
            '[[data.database]]\nname = "a"\nkind = "mysql"\nsecret = "pass word"',
            "needs the name of its secret",
        ),
        ('[[data.database]]\nname = "a"\nkind = "sqlite"\nfile = "x"\npwd = 1', "pwd"),
    ],
)
def test_what_is_wrong_is_said(lines, text):
    query = "" if text == "no query" else 'query = "SELECT 1"\n'
    written = render_project(FULL).replace("[data]\n", f"[data]\n{query}")
    at = written.index("[[channel]]")
    with pytest.raises(SpecError, match=text):
        parse_project(f"{written[:at]}{lines}\n\n{written[at:]}")
