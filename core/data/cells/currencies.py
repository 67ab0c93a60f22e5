"""Currencies: the codes and signs that stand beside amounts, and whose they can be."""

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
_DOLLARS = "USD AUD CAD NZD SGD HKD TWD MXN ARS CLP COP UYU".split()

#: What a sign can stand for, in lower case.
SIGNS: dict[str, frozenset[str]] = {
    "€": frozenset({"EUR"}),
    "£": frozenset({"GBP"}),
    "¥": frozenset({"JPY", "CNY"}),
    "₹": frozenset({"INR"}),
    "₩": frozenset({"KRW"}),
    "₽": frozenset({"RUB"}),
    "₺": frozenset({"TRY"}),
    "฿": frozenset({"THB"}),
    "₫": frozenset({"VND"}),
    "₪": frozenset({"ILS"}),
    "₴": frozenset({"UAH"}),
    "₱": frozenset({"PHP"}),
    "₦": frozenset({"NGN"}),
    "₸": frozenset({"KZT"}),
    "$": frozenset(_DOLLARS),
    "us$": frozenset({"USD"}),
    "a$": frozenset({"AUD"}),
    "au$": frozenset({"AUD"}),
    "c$": frozenset({"CAD"}),
    "ca$": frozenset({"CAD"}),
    "nz$": frozenset({"NZD"}),
    "hk$": frozenset({"HKD"}),
    "s$": frozenset({"SGD"}),
    "mx$": frozenset({"MXN"}),
    "r$": frozenset({"BRL"}),
    "kr": frozenset({"SEK", "NOK", "DKK", "ISK"}),
    "zł": frozenset({"PLN"}),
    "kč": frozenset({"CZK"}),
    "ft": frozenset({"HUF"}),
    "fr": frozenset({"CHF"}),
    "sfr": frozenset({"CHF"}),
    "rs": frozenset({"INR", "PKR", "LKR", "NPR", "MUR"}),
    "euro": frozenset({"EUR"}),
    "euros": frozenset({"EUR"}),
}


def currency(text: str) -> frozenset[str]:
    """The codes that a word or sign beside an amount can stand for; empty for none."""
    if text in CODES or text.lower() in _LOWER:
        return frozenset({text.upper()})
    return SIGNS.get(text.lower().rstrip("."), frozenset())


def symbol(codes: frozenset[str]) -> str:
    """One code, or the sign that stands for several; empty where that is not one."""
    if len(codes) == 1:
        return next(iter(codes))
    return next((sign for sign, known in SIGNS.items() if known == codes), "")
