"""Currencies: the codes and signs that stand beside amounts, and whose they can be."""

import re

from core.data.cells.words import plain, word_sets

#: Codes of ISO 4217 in use.
CODES = frozenset(
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL "
    "BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP "
    "ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR "
    "IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL "
    "LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR "
    "NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD "
    "SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX "
    "USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL".split()
)
#: Codes that people write in small letters too.
_LOWER = ("eur", "usd", "gbp", "chf")
#: Words of a name of a currency, at most less one.
_PHRASE = 4
_DOLLARS = "USD AUD CAD NZD SGD HKD TWD MXN ARS CLP COP UYU".split()

#: What a sign can stand for, in lower case.
_SIGNS = (
    "€:EUR £:GBP ¥:JPY,CNY ₹:INR ₩:KRW ₽:RUB ₺:TRY ฿:THB ₫:VND ₪:ILS ₴:UAH ₱:PHP "
    "₦:NGN ₸:KZT us$:USD $us:USD a$:AUD au$:AUD c$:CAD ca$:CAD $ca:CAD nz$:NZD "
    "hk$:HKD s$:SGD mx$:MXN r$:BRL kr:SEK,NOK,DKK,ISK zł:PLN kč:CZK ft:HUF fr:CHF "
    "sfr:CHF "
    "руб:RUB грн:UAH 元:CNY 원:KRW 円:JPY lei:RON,MDL rs:INR,PKR,LKR,NPR,MUR "
    "euro:EUR euros:EUR"
)
SIGNS: dict[str, frozenset[str]] = {"$": frozenset(_DOLLARS)} | {
    sign: frozenset(codes.split(","))
    for sign, codes in (entry.split(":") for entry in _SIGNS.split())
}

#: Names of currencies, in lower case without accents, and what each can stand for.
NAMES: dict[str, frozenset[str]] = {
    word: SIGNS.get(sign, frozenset({sign}))
    for sign, words in word_sets("currencies").items()
    for word in words
}
#: What a name of two words says of the second: US dollars, Canadian dollars.
_WHOSE = {word: code for code, words in word_sets("nations").items() for word in words}


def currency(text: str) -> frozenset[str]:
    """The codes that a word or sign beside an amount can stand for; empty for none."""
    if text in CODES or text.lower() in _LOWER:
        return frozenset({text.upper()})
    return SIGNS.get(text.lower().rstrip("."), frozenset())


def named_currency(text: str) -> frozenset[str]:
    """The codes that a text names: `EUR`, `€`, `Euro`, `US Dollar`, `Swiss francs`."""
    known = currency(text.strip())
    if known:
        return known
    spoken = re.split(r"[\s-]+", plain(text.strip()))
    codes = NAMES.get(spoken[-1], NAMES.get(spoken[0], frozenset()))
    whose = {_WHOSE[word] for word in spoken if word in _WHOSE}
    return codes & whose or codes if len(spoken) < _PHRASE else frozenset()


def symbol(codes: frozenset[str]) -> str:
    """One code, or the sign that stands for several; empty where that is not one."""
    if len(codes) == 1:
        return next(iter(codes))
    return next((sign for sign, others in SIGNS.items() if others == codes), "")
