"""A project and its table are one: whatever comes between, what is named is there."""

import pytest
from workspace_market import table

from core.errors import ConflictError
from core.project.settings import project_data
from core.project.settings.project import data_file, load_project, project_sha256
from core.project.settings.project_data import replace_table

NEXT = "data-20250101-000000-00000000.parquet"


def tables(folder):
    return {path.name for path in folder.glob("data*.parquet")}


def test_an_interruption_after_the_save_leaves_the_new_table(market, monkeypatch):
    save = project_data.save_project

    def interrupted(*arguments, **options):
        save(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(project_data, "save_project", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_table(
            market, table(30), load_project(market), base_sha=project_sha256(market)
        )
    assert data_file(market, load_project(market)).name != "data.parquet"


def test_a_table_that_another_window_saves_meanwhile_stays(market, monkeypatch):
    """The first window saves, and the second one before the first tidies up."""
    save = project_data.save_project

    def saved_twice(folder, project, **options):
        sha = save(folder, project, **options)
        project_data.replace_data(folder, table(40), NEXT)
        save(folder, project_data.replace(project, file=NEXT))
        return sha

    monkeypatch.setattr(project_data, "save_project", saved_twice)
    replace_table(
        market, table(30), load_project(market), base_sha=project_sha256(market)
    )
    assert data_file(market, load_project(market)).name == NEXT


def test_only_the_table_before_is_removed(market):
    waiting = market / NEXT  # written, and about to be named
    waiting.write_bytes(b"x")
    replace_table(
        market, table(30), load_project(market), base_sha=project_sha256(market)
    )
    assert tables(market) == {NEXT, load_project(market).file}
    with pytest.raises(ConflictError):
        replace_table(market, table(30), load_project(market), base_sha="another")
    assert tables(market) == {NEXT, load_project(market).file}
