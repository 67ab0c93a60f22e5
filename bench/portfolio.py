"""A portfolio's times: five fits of ten channels and 1,000 draws, joined and planned.

    python -m bench.portfolio      prints a table, half a minute

Half of the channels of two projects are shared, one project is in another currency.
Every time is the median of five, everything that a plan says included (odds, bound,
advice, robustness, each project's part).
"""

import time
from dataclasses import replace
from statistics import median

from bench.planner import market
from core.plan.portfolio.joined import in_money, joined
from core.plan.portfolio.plan import portfolio_plan

PROJECTS, CHANNELS, DRAWS, REPEATS = 5, 10, 1000, 5
TABLES = {
    "expected revenue": {},
    "expected revenue, the best plan": {"supported": False},
    "tenth percentile": {"objective": "p10"},
}


def main() -> None:
    """Measure and print."""
    plain = market(CHANNELS, DRAWS)
    markets, rates = {}, {}
    for place in range(PROJECTS):
        rate = 1.08 if place == PROJECTS - 1 else 1.0
        order = [(place + i) % CHANNELS for i in range(CHANNELS)]
        own = replace(
            plain,
            spend=plain.spend[order],
            value=plain.value[:, order],
            slope=plain.slope[:, order],
            seen=plain.seen[order],
        )
        name = f"Brand {place + 1}"
        markets[name] = in_money(own, worth=rate, rate=rate, currency="EUR")
        rates[name] = rate

    def timed(work) -> tuple[float, object]:
        seconds, last = [], None
        for _ in range(REPEATS):
            start = time.perf_counter()
            last = work()
            seconds.append(time.perf_counter() - start)
        return median(seconds), last

    seconds, both = timed(lambda: joined(markets, rates, {}))
    print(f"| joined | {seconds:.2f} s | |")
    for name, table in TABLES.items():
        seconds, record = timed(
            lambda table=table: portfolio_plan(both, table, "trustworthy")
        )
        print(f"| {name} | {seconds:.2f} s | gap {record.bound.gap:.3%} |")


if __name__ == "__main__":
    main()
