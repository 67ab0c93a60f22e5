"""Names: how likely a channel of this name is bought after demand, before any data.

In English, German, French, Spanish, Italian, Dutch and Portuguese. The table is
knowledge of how channels are bought; where each number comes from is in docs/model.md.
"""

from typing import NamedTuple

from core.data.cells.words import word_set, words
from core.text.languages.language import marked


class Kind(NamedTuple):
    """A kind of channel.

    Attributes:
        name: What it is, as the middle of a sentence.
        probability: That its spend follows demand.
        words: What names of such channels have in them.
    """

    name: str
    probability: float
    words: frozenset[str]


#: Who searches for the brand already wants it.
_BRAND = word_set("demand.brand")
_SEARCH = word_set("demand.search")
#: Search for a need, not for the brand.
_GENERIC = word_set("demand.generic")
_NOT = word_set("demand.not")

BRAND_SEARCH = Kind(marked("search for the brand"), 0.9, _BRAND)
GENERIC_SEARCH = Kind(marked("search for a need, not for the brand"), 0.6, _GENERIC)
SEARCH = Kind(marked("search of an unknown kind"), 0.8, _SEARCH)
OTHER = Kind(marked("a name that says nothing of how it is bought"), 0.4, frozenset())

#: Kinds other than search, which comes before them; a name that fits two is the first.
KINDS = (
    Kind(
        marked("booked ahead"),
        0.08,
        word_set("demand.booked_ahead"),
    ),
    Kind(
        marked("retargeting of visitors"),
        0.85,
        word_set("demand.retargeting"),
    ),
    Kind(
        marked("shopping ads"),
        0.85,
        word_set("demand.shopping"),
    ),
    Kind(
        marked("paid by sales"),
        0.85,
        word_set("demand.paid_by_sales"),
    ),
    Kind(
        marked("bought by algorithm"),
        0.4,
        word_set("demand.bought_by_algorithm"),
    ),
)


#: Every kind, by its name.
ALL = {
    kind.name: kind for kind in (BRAND_SEARCH, GENERIC_SEARCH, SEARCH, *KINDS, OTHER)
}


def kind_of(channel: str) -> Kind:
    """What kind of channel a name stands for."""
    texts = [word.text for word in words(channel)]
    # `PMax` is cut into two words: a pair of neighbours counts as one, too.
    pairs = zip(texts, texts[1:], strict=False)
    tokens = set(texts) | {first + second for first, second in pairs}
    is_generic = bool(tokens & _GENERIC) or any(
        first in _NOT and second in _BRAND
        for first, second in zip(texts, texts[1:], strict=False)
    )
    if tokens & _SEARCH:
        if is_generic:
            return GENERIC_SEARCH
        return BRAND_SEARCH if tokens & _BRAND else SEARCH
    for kind in KINDS:
        if tokens & kind.words:
            return kind  # a brand's television is television
    if is_generic:
        return GENERIC_SEARCH
    return BRAND_SEARCH if tokens & _BRAND else OTHER


def answers_demand(channel: str) -> bool:
    """Whether a channel of this name more likely than not is bought after demand.

    Clicks are bought one by one, the cheapest first: nothing of it needs a threshold.
    """
    return kind_of(channel).probability > 0.5
