"""prices: which channels get dearer with volume, by the data of a fit."""

import argparse

from core.cli.answer import Answer, clean, table
from core.service.places import finished_fit
from core.service.suggestions import prices
from core.view.suggestions import price_words


def prices_command(options: argparse.Namespace) -> Answer:
    """What a plan may take as the gamma of each channel, with its error."""
    estimates = prices.prices_of(finished_fit(options.run))
    rows = [(each.channel, *price_words.cells(each)) for each in estimates]
    titles = ["Channel", "gamma", "90 % interval", "Twice the units cost", ""]
    content = [price_words.as_dict(each) for each in estimates]
    return Answer(
        {"channels": content}, clean(f"{table(titles, rows)}\n\n{price_words.NOTE}")
    )
