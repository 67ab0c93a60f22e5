r"""Linear terms of the baseline, as data: design, prior mean, prior scale.

    shared:  mu_t  = level + sum_terms sum_j X_tj gamma_j,   gamma_j  = mean_j + s_j d_j
    by geo:  mu_gt = sum_terms sum_j X_tj gamma_gj,          gamma_gj = s_j d_gj
    by cell: mu_gt = sum_terms sum_j X_gtj gamma_j,          gamma_j  = mean_j + s_j d_j

with d ~ N(0, 1). A term called `x` has the scale `xi_x`, a latent with a prior of its
own: Deterministic where the scale is fixed, any other where it is learned. All
columns have it in common (s_j = xi), but those of a smooth term, whose columns carry
their spectral weight (`core.model.terms.smooth`). The deviations `gamma_x_dev` are
Normal, so they are integrated out with the linear block: given the scales, a shared
term is the columns s X with unit prior scale, which is stable at zero and needs no
new Gram matrices. Neither the density nor the sampler knows a term by name.

One term is noise: `common`, what all geos of a period have in common and nothing else
explains. Without it every geo would be taken as an independent witness of the season
and the smooth deviation, which would then follow shocks and carry them on.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.model.inputs.events import event_columns, holiday_columns, typical_step
from core.model.spec import ModelSpec
from core.model.terms.season import YEAR, season_pairs
from core.model.terms.smooth import basis, standard_time

#: Weeks of a year; the last one takes what is left of it.
_WEEKS = 52

#: Basis functions of the smooth deviation of a structural baseline.
_BASIS = 25

#: Basis functions of what each geo does of its own, per span of the data: swings of a
#: quarter of it and longer.
_BASIS_BY_GEO = 12


@dataclass(frozen=True)
class TermStructure:
    """What is compiled of a term.

    Attributes:
        name: Its name; see `linear_terms`.
        by_geo: Whether every geo has coefficients of its own.
        is_smooth: Whether its columns carry spectral weights.
        is_noise: Whether it is noise: no part of what is expected, drawn anew for
            later periods.
        by_cell: Whether its design differs between geos, which share coefficients.
    """

    name: str
    by_geo: bool = False
    is_smooth: bool = False
    is_noise: bool = False
    by_cell: bool = False


class LinearTerm(NamedTuple):
    """Numbers of one term.

    Attributes:
        design: X, time column; geo time column where it differs between geos.
        mean: Prior mean of each coefficient, column; scaled KPI.
        frequency: Of each column of a smooth term, column; else empty.
        log_odds: That the last columns, those that may be absent, are there, each row
            of them or none; row column, alike within a row. Empty where all are. Only
            the last term of all may have any.
    """

    design: np.ndarray
    mean: np.ndarray
    frequency: np.ndarray
    log_odds: np.ndarray = np.zeros((0, 1))


class TermDesign(NamedTuple):
    """A term before it is arrays: structure, numbers, and what its columns mean."""

    structure: TermStructure
    term: LinearTerm
    columns: tuple[str, ...]


def linear_terms(
    spec: ModelSpec, times: np.ndarray, *, n_geos: int, at: np.ndarray | None = None
) -> tuple[TermDesign, ...]:
    """The terms that the options ask for.

    Args:
        spec: The options.
        times: KPI periods of the data, which decide what a term is.
        n_geos: Number of geos.
        at: Periods to evaluate at; those of the data where not given. Later ones give
            the designs of a forecast.
    """
    at = times if at is None else at
    return (
        *_shared(spec, times, at),
        *_common(spec, times, at, n_geos),
        *_by_geo(spec, times, at, n_geos),
    )


def _shared(spec: ModelSpec, times: np.ndarray, at: np.ndarray):
    if spec.is_structural and len(times) > 1:
        yield _term("trend", standard_time(at, times)[:, None], ("trend",))
    if n_pairs := season_pairs(spec, times):
        yield _term("fourier", fourier(at, n_pairs), fourier_names(n_pairs))
    if has_weekdays(spec, times):
        yield _term("weekday", weekdays(at), _DAYS)
    if n_basis := basis_size(spec, times):
        yield _smooth("smooth", times, at, n_basis)
    if spec.recurring:
        names = tuple(f"week {w + 1}" for w in range(_WEEKS))
        yield _term("recurring", weeks_of_year(at), names)
    if spec.holidays:
        # Names and scale come from the data, so that a forecast has the same columns.
        names, design = holidays_at(spec, times, at)
        if names:
            yield _term("holidays", design, names)
    if spec.events:
        names, design = event_columns(spec.events, at)
        yield _term("events", design, names)


def _common(spec: ModelSpec, times: np.ndarray, at: np.ndarray, n_geos: int):
    if n_geos == 1 or not spec.is_structural or len(times) < 2:
        return
    # Only blocks of the data have a column: a later period has a shock of its own,
    # drawn with the noise.
    blocks, first = np.unique(noise_blocks(times, times), return_index=True)
    design = (noise_blocks(at, times)[:, None] == blocks).astype(float)
    yield _term("common", design, tuple(map(str, times[first])), is_noise=True)


def _by_geo(spec: ModelSpec, times: np.ndarray, at: np.ndarray, n_geos: int):
    if n_geos == 1:
        return
    varies = spec.varies_by_geo
    if varies is None:
        varies = ("trend", "season") if spec.is_structural else ()
    if "trend" in varies and len(times) > 1:
        design = standard_time(at, times)[:, None]
        yield _term("trend_g", design, ("trend",), by_geo=True)
    if "season" in varies and season_pairs(spec, times):
        yield _term("fourier_g", fourier(at, 1), fourier_names(1), by_geo=True)
    if "smooth" in varies and len(times) > 1:
        n_basis = min(_BASIS_BY_GEO, len(times))
        yield _smooth("smooth_g", times, at, n_basis, by_geo=True)


def _smooth(
    name: str, times: np.ndarray, at: np.ndarray, n_basis: int, *, by_geo: bool = False
) -> TermDesign:
    design, omega = basis(at, times, n_basis)
    names = tuple(f"basis {j + 1}" for j in range(len(omega)))
    return _term(name, design, names, frequency=omega, by_geo=by_geo)


def _term(
    name: str,
    design: np.ndarray,
    columns: tuple[str, ...],
    *,
    by_geo: bool = False,
    frequency: np.ndarray | None = None,
    is_noise: bool = False,
) -> TermDesign:
    is_smooth = frequency is not None
    numbers = LinearTerm(
        design,
        np.zeros(design.shape[1]),
        frequency if is_smooth else np.zeros(0),
    )
    structure = TermStructure(name, by_geo, is_smooth, is_noise)
    return TermDesign(structure, numbers, columns)


def has_weekdays(spec: ModelSpec, times: np.ndarray) -> bool:
    """Whether the days of the week differ."""
    if spec.weekday is not None:
        return spec.weekday
    return spec.is_structural and int(typical_step(times).astype(int)) == 1


def basis_size(spec: ModelSpec, times: np.ndarray) -> int:
    """Basis functions of the smooth deviation per span of the data; 0 for none."""
    if spec.smooth is not None:
        return spec.smooth
    return min(_BASIS, len(times)) if spec.is_structural and len(times) > 1 else 0


def fourier(times: np.ndarray, n_pairs: int) -> np.ndarray:
    r"""Sines, then cosines, of the year: $\sin 2\pi jt$, $\cos 2\pi jt$, $j = 1..J$.

    Args:
        times: Dates, datetime64[D]; t is counted in years from 1970-01-01.
        n_pairs: J, the number of pairs.

    Returns:
        time column, 2J columns.

    References:
        Harvey and Shephard (1993), Structural Time Series Models; Taylor and Letham
        (2018), Forecasting at Scale.
    """
    years = times.astype("datetime64[D]").astype(np.int64) / YEAR
    angle = 2 * np.pi * years[:, None] * np.arange(1, n_pairs + 1)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def fourier_names(n_pairs: int) -> tuple[str, ...]:
    """What the columns of `fourier` are."""
    pairs = range(1, n_pairs + 1)
    return tuple(f"{wave} {j}" for wave in ("sin", "cos") for j in pairs)


def noise_blocks(at: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Which deviation of the common noise each period has: its own, or its week's.

    Days of a week share one: it is the slow part of the noise that the season and the
    smooth deviation would follow, and a column per day would cost too much.

    Args:
        at: Dates, datetime64[D].
        times: Periods of the data, which decide.

    Returns:
        Labels that grow with time, int.
    """
    days = at.astype("datetime64[D]").astype(np.int64)
    if int(typical_step(times).astype(int)) > 1:
        return days
    return (days + 3) // 7  # 1970-01-01 was a Thursday


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def weekdays(times: np.ndarray) -> np.ndarray:
    """One column per day of the week, Monday first; time column."""
    days = times.astype("datetime64[D]").astype(np.int64)
    return np.eye(7)[(days + 3) % 7]  # 1970-01-01 was a Thursday


def weeks_of_year(times: np.ndarray) -> np.ndarray:
    """One column per week of the year; time column.

    A period that begins between two weeks belongs to both, by the days it shares
    with each, so that an event of fixed date stays in place over the years.
    """
    days = times.astype("datetime64[D]")
    of_year = (days - days.astype("datetime64[Y]")).astype(np.int64)
    # Week 53 is the next year's first: the 365th and 366th day go there whole.
    place = np.minimum(of_year / 7, _WEEKS)
    first = np.floor(place).astype(int)
    share = place - first
    columns = np.eye(_WEEKS)
    return (1 - share[:, None]) * columns[first % _WEEKS] + share[:, None] * columns[
        (first + 1) % _WEEKS
    ]


def holidays_at(
    spec: ModelSpec, times: np.ndarray, at: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray]:
    """Columns of the holidays that the data have, at other periods."""
    names, design = holiday_columns(spec.holidays, spec.holiday_window, times)
    if at is times:
        return names, design
    others, values = holiday_columns(spec.holidays, spec.holiday_window, at)
    place = {name: column for name, column in zip(others, values.T, strict=True)}
    empty = np.zeros(len(at))
    columns = [place.get(name, empty) for name in names]
    return names, np.stack(columns, 1) if columns else np.zeros((len(at), 0))


def deviations(name: str) -> str:
    """The latent of a term's deviations."""
    return f"gamma_{name}_dev"
