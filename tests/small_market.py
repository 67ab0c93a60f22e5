"""A small market with every kind of channel, and options that fit it."""

import numpy as np

from core.data.experiments.entry import Entry
from core.data.input_data import InputData, Treatments
from core.model.spec import ChannelSpec, ModelSpec


def market(
    n_geos: int = 3, n_times: int = 20, seed: int = 0, every_kind: bool = False
) -> InputData:
    rng = np.random.default_rng(seed)
    shape = (n_geos, n_times)

    def treatments(*names, frequency=False, spend=True):
        units = rng.gamma(2.0, 100.0, (*shape, len(names)))
        return Treatments(
            names=names,
            units=units,
            frequency=1 + rng.gamma(1.0, 1.0, units.shape) if frequency else None,
            spend=units * 0.02 if spend else None,
        )

    times = np.datetime64("2024-01-01") + 7 * np.arange(n_times)
    is_national = n_geos == 1
    others = {}
    if every_kind:  # compiling these takes seconds, so only where they matter
        others["reach_frequency"] = treatments("video", frequency=True)
        others["organic_media"] = treatments("blog", spend=False)
    return InputData(
        geos=tuple(f"g{i}" for i in range(n_geos)),
        times=times,
        media_times=times,
        kpi=rng.gamma(9.0, 100.0, shape),
        kpi_type="non_revenue",
        revenue_per_kpi=rng.uniform(1.0, 2.0, shape),
        population=np.ones(1) if is_national else rng.uniform(1e3, 5e3, n_geos),
        controls=rng.normal(size=(*shape, 2)),
        control_names=("c0", "c1"),
        media=treatments("tv", "search") if every_kind else treatments("tv"),
        **others,
        non_media=Treatments(("price",), rng.uniform(5, 9, (*shape, 1))),
    )


def spec(every_kind: bool = False, **options) -> ModelSpec:
    channels = options.pop("channels", {})
    kinds = {
        "tv": "media",
        "search": "media",
        "video": "reach_frequency",
        "blog": "organic_media",
        "price": "non_media",
    }
    knots = {} if options.get("baseline") == "structural" else {"knots": 5}
    return ModelSpec(
        channels=tuple(
            ChannelSpec(name, kind, **channels.get(name, {}))
            for name, kind in kinds.items()
            if every_kind or name in ("tv", "price")
        ),
        **{"preset": "meridian", "max_lag": 3, **knots, **options},
    )


def lift_test(channel, start, end, outcome, error, geos=(), together=(), **more):
    """A lift test, as the model takes it."""
    return Entry(
        channel=channel,
        start=start,
        end=end,
        incremental_outcome=outcome,
        standard_error=error,
        geos=geos,
        together_with=together,
        **more,
    )
