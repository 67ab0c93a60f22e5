"""A small market of one's own: two years of weekly sales and three channels."""

import io

import numpy as np
import pandas as pd

CHANNELS = {"TV": (9000.0, 2.0), "Search": (5000.0, 3.0), "Social": (3000.0, 1.0)}


def market(n_weeks: int = 104, seed: int = 7) -> pd.DataFrame:
    """A table as someone would bring it: the columns are to be recognised."""
    rng = np.random.default_rng(seed)
    week = np.arange(n_weeks)
    temperature = 10 - 9 * np.cos(2 * np.pi * week / 52) + rng.normal(0, 1, n_weeks)
    sales = 120_000 + 800 * temperature + rng.normal(0, 3_000, n_weeks)
    media = {}
    for name, (weekly, roi) in CHANNELS.items():
        spend = weekly * rng.gamma(2.0, 0.5, n_weeks) * (rng.random(n_weeks) > 0.2)
        media[f"{name}_impressions"] = spend * 40 * rng.uniform(0.9, 1.1, n_weeks)
        media[f"{name}_spend"] = spend
        carried = np.convolve(spend, 0.5 ** np.arange(5), mode="full")[:n_weeks] / 1.9
        sales = sales + 1.7 * roi * weekly * carried / (carried + weekly)
    table = pd.DataFrame({"revenue": sales, **media, "temperature": temperature})
    weeks = pd.date_range("2023-01-02", periods=n_weeks, freq="7D")
    table = table.round(2)
    table.insert(0, "week", weeks.strftime("%Y-%m-%d"))
    return table


def as_csv(table: pd.DataFrame, name: str = "My sales.csv") -> dict:
    """The table as a file that a browser can be given."""
    text = io.StringIO()
    table.to_csv(text, index=False)
    return file(name, text.getvalue().encode())


def file(name: str, content: bytes) -> dict:
    """Any bytes as a file that a browser can be given."""
    return {"name": name, "mimeType": "text/csv", "buffer": content}
