import pytest


@pytest.fixture(scope="module", autouse=True)
def _compiles_quickly(hardly_optimised):
    """Every module here compiles much and computes little."""
