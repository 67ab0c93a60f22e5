"""Funnels against the truth: totals by two paired fits, beside one fit of a table.

python -m bench.funnel SEEDS [--hidden SD] [--quoted] [--click-price TIMES]
    [--search-roi LOW:HIGH] [--only funnel] [--known] [--out FILE.json]

Per market of `bench.funnel_markets`: a fit of queries and one of sales with queries on
the way (`funnel`), one fit that leaves queries out (`naive`) and one that takes them as
a control (`control`). Of each channel the truth is its total. `--known` fits nothing:
it prints what data alone could say of search to whoever knew every shape.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.funnel_markets import KPI, MEDIATOR, PAID, UPPER, FunnelMarket, funnel_market
from core.analysis.draws import flat_draws
from core.analysis.returns import returns
from core.data.assemble import assemble
from core.data.mapping import ChannelColumns, ColumnMapping
from core.fit.fit import fit
from core.fit.paired import paired
from core.fit.settings import SamplerSettings
from core.model.build import Model, build
from core.model.mediation.mediators import prefix, with_mediators
from core.model.priors.elicitation import from_range
from core.model.priors.prior import Prior, prior
from core.model.spec import ChannelSpec, ModelSpec

SETTINGS = SamplerSettings(chains=2, warmup=250, draws=300, seed=1)
METHODS = ("funnel", "naive", "control")
#: As `core.project.settings.funnel_tables` gives a mediator.
SHARE = prior("Beta", concentration1=1.0, concentration0=3.0)


def model_of(
    market: FunnelMarket,
    kpi: str,
    names: Sequence[str],
    controls: tuple[str, ...] = (),
    mediator: str = "",
    search: Prior | None = None,
) -> Model:
    """A model of a table by the default preset, with a prior of search's ROI."""
    columns = tuple(
        ChannelColumns(
            name, "media", media=f"{name}_impressions", spend=f"{name}_spend"
        )
        for name in names
    )
    specs = tuple(
        ChannelSpec(name, prior=search if name == "Search" else None) for name in names
    )
    if mediator:
        columns += (ChannelColumns(mediator, "organic_media", media=mediator),)
        own = ChannelSpec(mediator, "organic_media", saturation="none")
        specs += (replace(own, prior_kind="contribution", prior=SHARE),)
    mapping = ColumnMapping(
        "week",
        kpi,
        geo="region",
        kpi_type="revenue" if kpi == KPI else "non_revenue",
        population="population",
        controls=controls,
        channels=columns,
    )
    data = assemble(market.table, mapping)
    return build(data, ModelSpec(channels=specs), precision=SETTINGS.precision)


def outcomes(model: Model, posterior) -> dict[str, np.ndarray]:
    """Draws of what each channel brought."""
    view = returns(model, flat_draws(posterior))["incremental_outcome"]
    return {name: view.sel(channel=name).values for name in PAID}


def by_method(
    market: FunnelMarket, only: Sequence[str] = METHODS, search: Prior | None = None
) -> dict[str, dict[str, np.ndarray]]:
    """Draws of every channel's outcome, by method."""
    queries = model_of(market, MEDIATOR, UPPER)
    sales = model_of(market, KPI, PAID, mediator=MEDIATOR, search=search)
    theirs, own = (fit(each, SETTINGS).posterior for each in (queries, sales))
    whole = with_mediators(sales, [(MEDIATOR, queries)])
    outcome = {"funnel": outcomes(whole, paired(own, theirs, prefix(0), 1))}
    for name, controls in (("naive", ()), ("control", (MEDIATOR,))):
        if name not in only:
            continue
        model = model_of(market, KPI, PAID, controls, search=search)
        outcome[name] = outcomes(model, fit(model, SETTINGS).posterior)
    return outcome


def scored(draws: np.ndarray, truth: float) -> dict[str, float | bool]:
    """Error of the mean, whether the 90 % interval holds, and its score, in truths."""
    low, high = np.quantile(draws, [0.05, 0.95])
    beyond = max(low - truth, 0.0) + max(truth - high, 0.0)
    return {
        "error": float(draws.mean() / truth - 1),
        "held": bool(low <= truth <= high),
        "score": float((high - low + 20 * beyond) / truth),
        "low": float(low / truth),
        "high": float(high / truth),
    }


def known(market: FunnelMarket) -> tuple[float, float]:
    """What search brings directly, over the truth, and its standard error.

    By least squares of the outcome on every part with its true shape, a level by
    region and two harmonics of the year: nobody's priors, and nothing left to learn
    but the sizes.
    """
    table = market.table
    level = table["population"].to_numpy(float)
    names = [*PAID, MEDIATOR]
    parts = [market.parts[name].ravel() / level for name in names]
    regions = table["region"].to_numpy()
    parts += [(regions == region).astype(float) for region in np.unique(regions)]
    angle = 2 * np.pi * table.groupby("region").cumcount().to_numpy() / 52
    parts += [wave(k * angle) for k in (1, 2) for wave in (np.sin, np.cos)]
    design, outcome = np.stack(parts, axis=1), table[KPI].to_numpy(float) / level
    found = np.linalg.lstsq(design, outcome, rcond=None)[0]
    left = outcome - design @ found
    variance = left @ left / (len(outcome) - design.shape[1])
    place = names.index("Search")
    error = np.sqrt(variance * np.linalg.inv(design.T @ design)[place, place])
    return float(found[place]), float(error)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("seeds", type=int)
    options.add_argument("--first", type=int, default=1)
    options.add_argument("--hidden", type=float, default=0.0)
    options.add_argument("--geos", type=int, default=4)
    options.add_argument("--quoted", action="store_true")
    options.add_argument("--click-price", type=float, default=1.0)
    options.add_argument("--search-roi", help="90 % range that somebody types, as 1:20")
    options.add_argument("--only", choices=METHODS, nargs="*", default=METHODS)
    options.add_argument("--known", action="store_true")
    options.add_argument("--out", default="")
    asked = options.parse_args()
    rows, search = [], None
    if asked.search_roi:
        search = from_range(*map(float, asked.search_roi.split(":")))
    for seed in range(asked.first, asked.first + asked.seeds):
        started = time.monotonic()
        market = funnel_market(
            seed, n_geos=asked.geos, hidden=asked.hidden, quoted=asked.quoted
        )
        market.table["Search_spend"] *= asked.click_price
        if asked.known:
            size, error = known(market)
            print(f"seed {seed}: search {size - 1:+.0%}, standard error {error:.0%}")
            continue
        for method, of_channels in by_method(market, asked.only, search).items():
            rows += [
                {"seed": seed, "method": method, "channel": name}
                | scored(draws, market.total[name])
                for name, draws in of_channels.items()
            ]
        if asked.out:
            Path(asked.out).write_text(json.dumps(rows, indent=1))
        print(f"seed {seed}: {time.monotonic() - started:.0f} s", flush=True)
        table(rows)


def table(rows: list[dict]) -> None:
    """What each method says of channels that work through queries, and of others."""
    for method in dict.fromkeys(row["method"] for row in rows):
        parts = []
        for label, names in (
            ("TV", ("TV",)),
            ("upper", UPPER),
            ("Search", ("Search",)),
            ("all", PAID),
        ):
            some = [
                row
                for row in rows
                if row["method"] == method and row["channel"] in names
            ]
            mean = {
                key: np.mean([row[key] for row in some])
                for key in ("error", "held", "score")
            }
            parts.append(
                f"{label}: error {mean['error']:+.0%}, held {mean['held']:.0%}, "
                f"score {mean['score']:.2f}"
            )
        print(f"  {method:8} {'; '.join(parts)}", flush=True)


if __name__ == "__main__":
    main()
