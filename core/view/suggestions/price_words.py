"""What is said of prices that rise with volume."""

from typing import Any

from core import text as fmt
from core.data.price import Price

NOTE = (
    "gamma: how much dearer a unit gets as more is bought at a time "
    "(units = spend^(1 - gamma)). Estimated from log price on log spend within a "
    "channel, beside level, trend and season. A plan uses it only where you say so: "
    "--gamma CHANNEL=X, or gamma = X in its [channel.NAME]."
)


def as_dict(price: Price) -> dict[str, Any]:
    """A price as --json prints it."""
    interval = price.interval
    return {
        "name": price.channel,
        "gamma": price.gamma,
        "standard_error": price.error,
        "interval": None if interval is None else list(interval),
        "suggestion": price.suggestion,
        "periods": price.periods,
        "is_money": price.is_money,
        "reason": price.reason,
    }


def estimated(price: Price) -> str:
    """Gamma with its interval: `0.21 (0.15 – 0.27)`."""
    gamma, interval, *_ = cells(price)
    return f"{gamma} ({interval})"


def cells(price: Price) -> tuple[str, str, str, str]:
    """gamma, its interval, what twice the units cost, and a remark."""
    if price.gamma is None or price.interval is None:
        return fmt.NONE, fmt.NONE, fmt.NONE, price.reason
    low, high = price.interval
    estimate = fmt.ratio(price.gamma), f"{fmt.ratio(low)} – {fmt.ratio(high)}"
    if price.suggestion is None:
        remark = "Units hardly rise with spend: are they what it bought?"
        return *estimate, fmt.NONE, remark
    dearer = 2 ** (1 / (1 - price.gamma))
    holds_zero = low <= 0 <= high
    remark = "One price is possible: the interval holds 0." if holds_zero else ""
    if high < 0:
        remark = "Cheaper with volume; a plan takes one price."
    return *estimate, f"{fmt.ratio(dearer, decimals=1)} times", remark
