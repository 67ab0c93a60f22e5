"""actuals and prices: a plan beside what happened; channels dearer with volume."""

import argparse

from msgspec import to_builtins

from core.cli.answer import Answer, clean, table
from core.cli.section_text import section_text
from core.service import plans
from core.service.places import finished_fit
from core.service.planning import named_plans
from core.service.suggestions import prices
from core.view import what_happened
from core.view.suggestions import price_words


def actuals_command(options: argparse.Namespace) -> Answer:
    """Split actual less planned outcome into spend, response and baseline."""
    difference = plans.actuals(*named_plans.found(options.plan), options.files)
    text = clean(section_text(what_happened.section(difference)))
    return Answer(to_builtins(difference), text)


def prices_command(options: argparse.Namespace) -> Answer:
    """What a plan may take as the gamma of each channel, with its error."""
    estimates = prices.prices_of(finished_fit(options.run))
    rows = [(each.channel, *price_words.cells(each)) for each in estimates]
    titles = ["Channel", "gamma", "90 % interval", "Twice the units cost", ""]
    content = [price_words.as_dict(each) for each in estimates]
    return Answer(
        {"channels": content}, clean(f"{table(titles, rows)}\n\n{price_words.NOTE}")
    )
