"""actuals: compare a saved plan with what happened, and why it differs."""

import argparse

from msgspec import to_builtins

from core.cli.answer import Answer, clean
from core.cli.section_text import section_text
from core.service import plans
from core.service.planning import named_plans
from core.view import what_happened


def actuals_command(options: argparse.Namespace) -> Answer:
    """Split actual less planned outcome into spend, response and baseline."""
    difference = plans.actuals(*named_plans.found(options.plan), options.file)
    text = clean(section_text(what_happened.section(difference)))
    return Answer(to_builtins(difference), text)
