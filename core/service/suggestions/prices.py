"""The price of media: which channels get dearer with volume, by a fit's own data."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.data.price import Price, prices
from core.errors import PlanError
from core.plan.money.elsewhere import bought_of, paying
from core.plan.response.price import (
    gammas_of,
    price_factors,
    price_rows,
    prices_by_period,
)
from core.project.fits.runs import Run
from core.project.lift_tests.tested_fits import data_of_run


def prices_of(fit: Run) -> tuple[Price, ...]:
    """How the price of each channel depends on its volume, in the data of a fit.

    Args:
        fit: A finished fit.

    Raises:
        DataError: Its table has errors.
    """
    return prices(data_of_run(fit))


def check(fit: Run, scenario: Mapping[str, Any]) -> None:
    """Refuse a price that rises with volume where the model was fitted on money.

    Args:
        fit: The fit to plan with.
        scenario: Its table.

    Raises:
        PlanError: A channel's media is its spend: the curve bends for that already.
    """
    gammas = gammas_of(scenario)
    if gammas:
        refuse_money(prices_of(fit), gammas)


def refuse_money(estimates: Iterable[Price], gammas: Mapping[str, float]) -> None:
    """The same, with the prices at hand.

    Raises:
        PlanError: A channel's media is its spend: the curve bends for that already.
    """
    for each in estimates:
        if each.is_money and each.channel in gammas:
            raise PlanError(
                f"The model was fitted on the money of {each.channel}: its curve has "
                "what gets dearer with volume already, and gamma would bend it twice.",
                hint=f"Leave gamma of {each.channel} out, or fit it on what was bought "
                "(impressions, clicks).",
                where=f"channel.{each.channel}",
            )
