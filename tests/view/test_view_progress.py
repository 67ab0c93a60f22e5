"""What is said of a run at work."""

import pytest

from core.project.fits.previews import Preview
from core.view.progress import no_first_answer


@pytest.mark.parametrize(
    ("k_hat", "said"),
    [
        (0.85, "Pareto's k-hat is too high, 0.85, above 0.70"),
        (0.51, "too few of them fit the new rows"),
        (None, "too few of them fit the new rows"),
    ],
)
def test_no_first_answer_gives_the_reason_that_holds(k_hat, said):
    preview = Preview(channels=(), k_hat=k_hat, highest_k=0.7)
    assert f"({said})" in no_first_answer(preview)
