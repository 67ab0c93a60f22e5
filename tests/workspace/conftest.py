import pytest
from workspace_market import simple, table

from core.project.shelf.lifecycle import create_project


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty workspace."""
    monkeypatch.setenv("MIXWRIGHT_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def market(home):
    """The folder of a project with data."""
    project = simple()
    return create_project("Market", table(), project.mapping, spec=project.spec)
