import pytest


@pytest.fixture(scope="module", autouse=True)
def _compiles_quickly(hardly_optimised):
    """Every module here that compiles at all compiles much and computes little."""
