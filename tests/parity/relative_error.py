"""Relative error of an array, and what rounding leaves of sums whose terms cancel."""

import numpy as np

from tests.parity.cases import Case

TOLERANCE = {"float64": 1e-6, "float32": 1e-3}
#: Units in the last place of its terms to which a sum is known.
_LAST_PLACES = 4


def relative_error(ours, theirs, floor=0.0) -> float:
    """Largest error relative to the size of each entry.

    Entries far below the array's largest one are compared with a billionth of it:
    they are differences of large numbers in the reference.

    Args:
        ours: Recomputed.
        theirs: The reference.
        floor: Size that an entry is compared with where it is smaller.
    """
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if ours.shape != theirs.shape:
        return float("inf")
    both_nan = np.isnan(ours) & np.isnan(theirs)
    same = both_nan | (ours == theirs)
    finite = np.abs(theirs[np.isfinite(theirs)])
    if finite.size:
        floor = np.maximum(floor, 1e-9 * finite.max())
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.abs(ours - theirs) / np.maximum(np.abs(theirs), floor)
    error = np.where(same, 0.0, error)
    return float(np.nan_to_num(error, nan=np.inf).max(initial=0.0))


def resolved(dtype: np.dtype, terms: np.ndarray) -> np.ndarray:
    """The smallest sum of terms so large that rounding leaves exact enough.

    A sum is known to a few units in the last place of its terms, whoever adds them
    up; where the terms cancel, that is what an error is compared with.
    """
    dtype = np.dtype(dtype)
    return _LAST_PLACES * np.finfo(dtype).eps / TOLERANCE[dtype.name] * terms


def baseline_terms(case: Case) -> np.ndarray:
    """Sizes of the terms of `y_pred` in the reference's draws, media left out."""
    draws, expected = case.draws, case.expected
    n = len(expected["y_pred"])
    terms = np.abs(draws["mu_t"][:n, None, :]) + np.abs(draws["tau_g"][:n, :, None])
    for name, scaled in (
        ("gamma_gc", "controls_scaled"),
        ("gamma_gn", "non_media_scaled"),
    ):
        if name in draws and scaled in expected:
            sizes = np.abs(draws[name][:n]), np.abs(expected[scaled])
            terms = terms + np.einsum("ngc,gtc->ngt", *sizes)
    return terms
