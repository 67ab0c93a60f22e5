"""Names: how likely a channel of this name is bought after demand, before any data.

In English, German, French, Spanish, Italian, Dutch and Portuguese. The table is
knowledge of how channels are bought; where each number comes from is in docs/model.md.
"""

from typing import NamedTuple

from core.data.reading.words import words
from core.text.languages.language import marked


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
_BRAND = _set(
    "brand branded brandsearch marke marken markensuche marque marca merk zoekmerk"
)
_SEARCH = _set(
    "search sem sea ppc adwords suche suchmaschine suchmaschinen suchanzeigen "
    "recherche moteur moteurs busqueda buscador buscadores ricerca motore zoeken "
    "zoekmachine pesquisa busca keyword keywords bing searchads gsearch"
)
#: Search for a need, not for the brand.
_GENERIC = _set(
    "generic generics nonbrand nobrand unbranded generisch generique generico "
    "generiek horsmarque nb nichtmarke"
)
_NOT = _set("non no not nicht hors sans sin senza ohne niet geen nao")

BRAND_SEARCH = Kind(marked("search for the brand"), 0.9, _BRAND)
GENERIC_SEARCH = Kind(marked("search for a need, not for the brand"), 0.6, _GENERIC)
SEARCH = Kind(marked("search of an unknown kind"), 0.8, _SEARCH)
OTHER = Kind(marked("a name that says nothing of how it is bought"), 0.4, frozenset())

#: Kinds other than search, which comes before them; a name that fits two is the first.
KINDS = (
    Kind(
        marked("booked ahead"),
        0.08,
        _set(
            "tv ctv television fernsehen tele televisie televisao televisione "
            "televisivo radio rundfunk ooh dooh outdoor plakat plakate affichage "
            "affissioni exterior billboard billboards cinema kino cine bioscoop print "
            "press presse prensa stampa imprensa newspaper newspapers zeitung "
            "zeitungen krant giornali periodicos magazine magazines zeitschriften "
            "riviste revistas tijdschriften podcast podcasts sponsoring sponsorship "
            "sponsorships influencer influencers audio catalog catalogue katalog "
            "catalogo mailing mailings postal beilage beilagen prospekt flyer flyers"
        ),
    ),
    Kind(
        marked("retargeting of visitors"),
        0.85,
        _set(
            "retargeting remarketing reciblage retargeted remarketed criteo rtg rtb "
            "rmkt dpa reorientacion adroll"
        ),
    ),
    Kind(
        marked("shopping ads"),
        0.85,
        _set("shopping pla plas pmax performancemax gshopping compras einkaufen"),
    ),
    Kind(
        marked("paid by sales"),
        0.85,
        _set(
            "affiliate affiliates affiliation affiliazione afiliados afiliacion "
            "afiliado partnership partnerprogramm awin directory directories "
            "branchenbuch annuaire directorio elenco gelbe yellow pages comparison "
            "preisvergleich comparateur comparador comparatore vergelijking idealo "
            "kelkoo trivago coupon coupons voucher vouchers gutschein gutscheine "
            "cupon cupones cashback marketplace marktplatz amazon"
        ),
    ),
    Kind(
        marked("bought by algorithm"),
        0.4,
        _set(
            "social facebook fb meta instagram ig tiktok snapchat snap pinterest "
            "linkedin twitter x soziale sociaux sociales sociale sociaal youtube yt "
            "display programmatic programmatique programatica banner banners gdn dv360 "
            "native discovery demandgen video videos olv"
        ),
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
    known = set(texts) | {first + second for first, second in pairs}
    is_generic = bool(known & _GENERIC) or any(
        first in _NOT and second in _BRAND
        for first, second in zip(texts, texts[1:], strict=False)
    )
    if known & _SEARCH:
        if is_generic:
            return GENERIC_SEARCH
        return BRAND_SEARCH if known & _BRAND else SEARCH
    for kind in KINDS:
        if known & kind.words:
            return kind  # a brand's television is television
    if is_generic:
        return GENERIC_SEARCH
    return BRAND_SEARCH if known & _BRAND else OTHER
