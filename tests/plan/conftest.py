import pytest

from tests import order


@pytest.fixture(scope="module", autouse=True)
def _compiles_quickly(request):
    """What is not slow by nature compiles much here and computes little."""
    if not order.is_slow(request.path):
        request.getfixturevalue("hardly_optimised")
