"""Whether spend follows demand, as far as data say it before there is a fit."""

from core.data.demand.comparison import comparison
from core.data.demand.following import Following, followings
from core.data.input_data import InputData


def judged(data: InputData) -> dict[str, Following]:
    """What is known of each paid channel, by its name.

    Args:
        data: The market.
    """
    return {following.channel: following for following in followings(data)}
