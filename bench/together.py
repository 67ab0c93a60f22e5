"""How often a plan is told that its spends were never seen together.

Run: python -m bench.together        some seconds; no fit

Forty markets of each national family of bench/markets.py, seeds from 400. False alarms:
the last year as it was bought, judged by the years before; the last year with all
channels up or down alike, and with each between 70 and 130 %, judged by all years.
Alarms that are meant: of two channels whose spends were the same but for 5 or 15 %, one
goes up by 25 % and the other down by 20 %.
"""

import numpy as np

from bench.markets import market
from core.plan.response.together import WORTH_A_WORD, never_together

FAMILIES = (
    "steady",
    "redrawn",
    "following_strong",
    "following_hidden",
    "pulsing",
    "always_on",
    "mixed",
)
_SEEDS = range(400, 440)
_YEAR = 52
_ALIKE = (0.8, 0.9, 1.1, 1.2)
_N_RANDOM = 10
#: How far the spends of the pair are apart, standard deviation of logarithms.
_PAIR = (0.05, 0.15)


def is_said(history: np.ndarray, planned: np.ndarray) -> bool:
    """Whether the plan of these periods gets the sentence."""
    return bool(never_together(history, planned).mean() >= WORTH_A_WORD)


def rates(seed: int, family: str, rng: np.random.Generator) -> list[float]:
    """Of one market, in the order of the printed columns."""
    spend = market(family, seed).data.media.spend[0]
    last = spend[-_YEAR:]
    found = [
        is_said(spend[:-_YEAR], last),
        np.mean([is_said(spend, last * multiple) for multiple in _ALIKE]),
        np.mean(
            [is_said(spend, last * rng.uniform(0.7, 1.3, 5)) for _ in range(_N_RANDOM)]
        ),
    ]
    torn = np.array([1.0, 1.0, 1.25, 0.8, 1.0])
    for apart in _PAIR:
        pair = spend.copy()
        pair[:, 3] = pair[:, 2] * np.exp(apart * rng.standard_normal(len(pair)))
        found.append(is_said(pair, pair[-_YEAR:] * torn))
    return found


def main() -> None:
    """A row a family."""
    print("family, as bought, all alike, each by itself, pair of 5 %, pair of 15 %")
    rng = np.random.default_rng(5)
    for family in FAMILIES:
        of_seeds = [rates(seed, family, rng) for seed in _SEEDS]
        row = ", ".join(f"{100 * rate:.1f} %" for rate in np.mean(of_seeds, axis=0))
        print(f"{family}, {row}", flush=True)


if __name__ == "__main__":
    main()
