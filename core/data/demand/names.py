"""Names: what a channel's name says about who buys first, the customer or the planner.

In English, German, French, Spanish and Italian. A name is a hint, never the verdict.
"""

from core.data.recognition.words import words


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: People ask first, and the channel answers: it is billed by clicks or sales.
_DEMAND = _set(
    "search sem sea ppc adwords brand branded brandsearch marke markensuche suche "
    "suchmaschine suchmaschinen recherche moteur busqueda buscador ricerca motore "
    "shopping pla plas pmax retargeting remarketing reciblage retargeted criteo "
    "affiliate affiliates affiliation affiliazione afiliados afiliacion partnership "
    "partnerprogramm directory directories branchenbuch annuaire directorio elenco "
    "gelbe pages yellow comparison preisvergleich comparateur comparador idealo "
    "kelkoo coupon coupons voucher vouchers gutschein gutscheine cashback"
)
#: Search for a need, not for the brand: it follows demand less.
_GENERIC = _set(
    "generic generics nonbrand nobrand unbranded generisch generique generico "
    "horsmarque"
)
_NOT = _set("non no not nicht hors sans sin senza ohne")
_BRAND = _set("brand branded marke marque marca")
#: Booked weeks ahead.
_PLANNED = _set(
    "tv television fernsehen tele radio ooh dooh outdoor plakat plakate affichage "
    "billboard billboards cinema kino cine print press presse prensa stampa "
    "newspaper newspapers zeitung zeitungen magazine magazines podcast podcasts "
    "sponsoring sponsorship influencer influencers audio"
)

#: What a name adds to the logit of following demand.
_WEIGHT_DEMAND, _WEIGHT_GENERIC, _WEIGHT_PLANNED = 1.0, 0.5, -0.7


def name_weight(channel: str) -> float:
    """What the channel's name adds to the logit that its spend follows demand."""
    texts = [word.text for word in words(channel)]
    known = set(texts)
    is_generic = bool(known & _GENERIC) or any(
        first in _NOT and second in _BRAND
        for first, second in zip(texts, texts[1:], strict=False)
    )
    if known & _DEMAND:
        return _WEIGHT_GENERIC if is_generic else _WEIGHT_DEMAND
    if known & _PLANNED:
        return _WEIGHT_PLANNED
    return 0.0
