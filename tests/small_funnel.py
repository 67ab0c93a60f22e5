"""A small market with a step on the way: tv moves a blog, and the blog moves sales."""

from dataclasses import replace
from functools import partial

import jax
import numpy as np

from core.analysis.learning.prior_draws import prior_draws
from core.data.input_data import Treatments
from core.model.build import build
from core.model.mediation.mediators import with_mediators
from core.model.reconstruct import posterior_variables
from tests.small_market import market, spec

STRUCTURAL = {"baseline": "structural", "preset": "mixwright"}


def drawn(model, n, seed):
    variables = partial(posterior_variables, model.structure, model.arrays)
    found = jax.jit(jax.vmap(variables))(prior_draws(model, n, seed))
    return {name: np.asarray(value) for name, value in found.items()}


def spec_with_blog(saturation="none", by_reach=False):
    channels = {"blog": {"saturation": saturation}}
    options = spec(every_kind=True, channels=channels, **STRUCTURAL)
    kept = [
        replace(each, follows_demand=False) if each.kind == "media" else each
        for each in options.channels
        if by_reach or each.kind != "reach_frequency"
    ]
    return replace(options, channels=tuple(kept))


def small_funnel(by_reach=False):
    """Sales with tv, search and blog; blog is the KPI of a model with tv alone.

    Args:
        by_reach: Whether video is there, too, by reach and frequency in both models.

    Returns:
        The model of sales alone, that of the blog, that of sales which knows it, and
        joint draws.
    """
    data = market(every_kind=True)
    if not by_reach:
        data = replace(data, reach_frequency=Treatments((), _none(0)))
    sales = build(data, spec_with_blog(by_reach=by_reach))
    blog = replace(
        data,
        kpi=data.organic_media.units[:, :, 0],
        revenue_per_kpi=None,
        media=replace(
            data.media,
            names=("tv",),
            units=data.media.units[:, :, :1],
            spend=data.media.spend[:, :, :1],
        ),
        organic_media=Treatments((), _none(0)),
    )
    options = spec_with_blog(by_reach=by_reach)
    theirs = ("tv", "price", "video")
    kept = tuple(each for each in options.channels if each.name in theirs)
    other = build(blog, replace(options, channels=kept))
    own, theirs = drawn(sales, 4, 5), drawn(other, 4, 6)
    both = own | {f"through0_{name}": value for name, value in theirs.items()}
    return sales, other, with_mediators(sales, [("blog", other)]), both


def _none(n):
    return np.zeros((3, 20, n))
