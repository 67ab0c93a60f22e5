"""Units of one project in words: of its outcome, its spend, and one per the other."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from msgspec import Struct

from core.text.currency import currency_symbol
from core.text.languages.language import SOURCE, language, say
from core.text.numbers import amount, estimate

#: What stands where a unit is missing: `Revenue by source,  per week`.
_NO_UNIT = re.compile(r",\s+(?=per )|(?<=,) (?=,)")
#: What stands in brackets at the end of a name, and its parts.
_BRACKETS = re.compile(r"[(\[](?P<unit>[^()\[\]]{1,12})[)\]]\s*$")
_PART = re.compile(r"[^\W\d_]+|[€£$¥₹]|\d+|[^\s\w.']")
_MONEY = frozenset("€ £ $ ¥ ₹ EUR USD GBP CHF SEK NOK DKK PLN CZK JPY INR".split())
_MONEY |= {"AUD", "CAD", "BRL", "MXN", "TEUR", "KEUR"}
_SCALES = frozenset("IN K M MN MIO T TSD S 000 THOUSAND THOUSANDS MILLION".split())
_SCALES |= frozenset("LAKH LAKHS CRORE CRORES CR CRS".split())
_MONEY |= {"RS"}
_ANY_MONEY = r"rs\.|" + "|".join(map(re.escape, sorted(_MONEY, key=len, reverse=True)))
_IN_WORDS = (
    r"lakhs?|lacs|crores?|tsd\.?|thousands?|mio\.?|mln\.?|millions?|mrd\.?|bn|billions?"
    r"|[tk]eur|[tkm]kr|(?<=[(\[])'?000s?"
)
_TAX = r"(?:net|netto|gross|brutto|ht|ttc)"
#: Words behind a name that say in what its column was counted: `TV_lakh`, `TV in TEUR`,
#: `TV (Mio. EUR) net`, `Revenue k€`.
_COUNTED_IN = re.compile(
    rf"[\s_]+[(\[]?(?:in[\s_]+)?(?:(?:(?:{_ANY_MONEY})[\s_]?)?(?:{_IN_WORDS})"
    rf"(?:[\s_]?(?:{_ANY_MONEY}))?|[tkm]\s?(?:{_ANY_MONEY})"
    rf"|(?:{_ANY_MONEY})[\s_]?(?:[tkm]|mm|mn)|(?<=[(\[])(?:{_ANY_MONEY}))"
    rf"(?:,?[\s_]{_TAX})?[)\]]?(?:[\s_]+{_TAX})?\s*$",
    re.IGNORECASE,
)
#: A letter behind the name of money: `Revenue_k`, `Umsatz in m`.
_LETTER = re.compile(r"[\s_]*(?:[\s_]|[(\[])(?:k|in[\s_][km])[)\]]?\s*$", re.IGNORECASE)
#: A currency behind the name of money: `revenue_eur`, `Umsatz €`, `Sales in USD`.
_CODES = "|".join(sorted(code for code in _MONEY if code.isalpha() and code != "RS"))
_CURRENCY = re.compile(
    rf"(?:[\s_]+in)?[\s_,;:/-]*(?:[€£$¥₹]|[\s_,;:/-](?:{_CODES}))\s*$", re.IGNORECASE
)
#: German nouns keep their capital in an English sentence.
_GERMAN = re.compile(
    r"umsatz|umsätze|erl(?:ö|oe)s|einnahme|ertrag|erträge|betrag|beträge|absatz|"
    r"(?:ver|ein|an)?k(?:ä|a)uf|(?:neu)?kund|bestell|buchung|auftr(?:a|ä)g|antr(?:a|ä)g|abschl|anmeld|"
    r"vertr(?:a|ä)g|bewerb|besuch|anfrage|stück",
    re.IGNORECASE,
)
#: What the name of a column of money says, in part of a word.
NAMES_MONEY = re.compile(
    r"spend|spent|cost|kosten|koszt|kostnad|n[aá]klad|harcama|maliyet|ausgaben|budget|"
    r"invest|invers|revenue|umsatz|erl(?:ö|oe)s|sales|turnover|gmv|d[eé]pense|co[uû]t|"
    r"gasto|spesa|uitgave|wydat|utgift|custo|ingresos|ricavi|fatturato|income|amount|"
    r"betrag|value|wert|price|preis|verkauf|ventes|ventas|vendite|omzet|receita|przych|"
    r"oms[aä]ttning|f[oö]rs[aä]ljning|tr[zž]by|ciro|gelir|media_?plan|werbung|"
    r"費用|売上|広告",
    re.IGNORECASE,
)
#: A number per so many does not count so many.
_RATIO = re.compile(r"cpm|(?<![^\W_])(?:per|pro|par|por|je)$", re.IGNORECASE)


@dataclass(frozen=True)
class Units:
    """Words for the units of one project.

    Attributes:
        outcome_unit: `revenue` where the outcome is money, else `kpi`.
        currency: Currency code of spend, and of revenue; empty where nobody has said.
        kpi_name: What the KPI counts.
        has_value: Whether the outcome is the KPI times the value of its units.
    """

    outcome_unit: Literal["revenue", "kpi"] = "revenue"
    currency: str = ""
    kpi_name: str = "KPI"
    has_value: bool = True

    @property
    def symbol(self) -> str:
        """Sign of the currency; empty where nobody has said which it is."""
        return currency_symbol(self.currency)

    @property
    def is_money(self) -> bool:
        """Whether the outcome is money."""
        return self.outcome_unit == "revenue"

    @property
    def outcome(self) -> str:
        """Unit of the outcome: the currency sign, or the KPI's name."""
        return self.symbol if self.is_money else self.kpi_name

    @property
    def outcome_name(self) -> str:
        """Name of the outcome: the KPI's name, or `Revenue` where its units have value.

        A name in lower case begins with a capital, as at the head of a card.
        """
        if self.is_money and self.has_value:
            return say("Revenue")
        name = self.kpi_name
        return name.capitalize() if len(name) > 2 and name.islower() else name

    @property
    def outcome_in_text(self) -> str:
        """The name within a sentence: in English in lower case, `revenue`."""
        if self.is_money and self.has_value:
            return say("revenue")
        if language() != SOURCE:
            return self.outcome_name
        return " ".join(map(_within, self.outcome_name.split()))

    @property
    def kpi_in_text(self) -> str:
        """The same, but what is counted is called as its data call it."""
        return self.outcome_in_text if self.is_money else self.kpi_name

    @property
    def per_unit(self) -> str:
        """Unit of a margin: money per unit of the outcome."""
        if not self.symbol:
            return say("per {unit}", unit=self.outcome)
        return say("{symbol} per {unit}", symbol=self.symbol, unit=self.outcome)

    @property
    def roi(self) -> str:
        """Unit of ROI and marginal ROI; in words while no currency is known."""
        named = say("revenue") if self.is_money and self.has_value else self.kpi_name
        brought = self.outcome or named
        if not self.symbol:
            return say("{outcome} per unit of spend", outcome=brought)
        return say("{outcome} per {money}", outcome=brought, money=self.symbol)

    @property
    def cost_name(self) -> str:
        """What the next unit of the KPI costs, as a heading.

        The KPI's name is that of its column, of which nobody knows the singular.
        """
        return say("Cost per incremental unit of {kpi}", kpi=self.kpi_name)

    @property
    def measure(self) -> tuple[Literal["money", "number"], str]:
        """Kind and unit of an outcome whose name stands in a heading."""
        return ("money", self.currency) if self.is_money else ("number", "")

    def show(self, outcome: Real | None, *, signed: bool = False) -> str:
        """An outcome with its unit."""
        return amount(outcome, self.outcome, signed=signed)

    def named(self, outcome: Real) -> str:
        """An outcome with what it is: `1.20 M € of revenue`, `148 New customers`."""
        quantity = self.show(outcome)
        if not self.is_money:
            return quantity
        return say(
            "{amount} of {outcome}", amount=quantity, outcome=self.outcome_in_text
        )

    def estimate(
        self,
        outcome: Mapping[str, Any] | None,
        *,
        signed: bool = False,
        bare: bool = False,
    ) -> str:
        """An outcome's estimate with its interval and unit.

        Args:
            outcome: An estimate with `mean`, `lo` and `hi`; a dash where there is none.
            signed: Show a plus sign.
            bare: Leave the KPI's name out, where a heading has it.
        """
        if self.is_money:
            return estimate(outcome, "money", self.currency, signed=signed)
        unit = "" if bare else self.outcome
        return estimate(outcome, "number", unit, signed=signed)


def units(attrs: Mapping[str, object]) -> Units:
    """Units of a view model from its attributes or its summary."""
    kind = "revenue" if attrs.get("outcome_unit", "revenue") == "revenue" else "kpi"
    currency = str(attrs.get("currency") or "")
    name = spoken(str(attrs.get("kpi_name") or "KPI"))
    return Units(kind, currency, name, bool(attrs.get("has_value", True)))


class Measured(Struct, frozen=True, kw_only=True):
    """A record that says what the units of its numbers are called.

    Attributes:
        outcome_unit: `revenue` or `kpi`.
        currency: Of money; empty where unknown.
        kpi_name: Of the KPI.
        has_value: 1 where the KPI has a value in money, else 0.
    """

    outcome_unit: str = "revenue"
    currency: str = ""
    kpi_name: str = ""
    has_value: int = 1

    @property
    def unit_names(self) -> dict[str, Any]:
        """What its units are called, as JSON of a face has it."""
        return {name: getattr(self, name) for name in Measured.__struct_fields__}

    @property
    def units(self) -> Units:
        """Words for its units."""
        return units(self.unit_names)


def spoken(column: str) -> str:
    """A column's name as a person says it: `Sales_units` is "Sales units".

    A unit at its end, `Umsatz (k€)`, `Revenue_k` or `revenue_eur`, is said beside every
    number.
    """
    name = column[: unit_at_end(column)].strip() or column
    coin = _CURRENCY.search(name)
    if coin and NAMES_MONEY.search(name[: coin.start()]) and not _is_rate(name, coin):
        name = name[: coin.start()]
    return " ".join(name.replace("_", " ").split())


def _is_rate(name: str, coin: re.Match[str]) -> bool:
    """Whether a currency is what something is counted per: `revenue_per_eur`."""
    return _RATIO.search(name[: coin.start()]) is not None


def _within(word: str) -> str:
    """A word of a KPI's name in an English sentence: `revenue`, `GMV`, `Umsatz`."""
    keeps = len(word) > 1 and word.isupper()
    return word if keeps or _GERMAN.search(word) else word.lower()


def unit_at_end(column: str) -> int:
    """Where the unit begins that ends a name: `TV (k€)`, `TV_lakh`; else its end."""
    counted = _COUNTED_IN.search(column)
    before = column[: counted.start()] if counted else ""
    if before and not _RATIO.search(before) and before.count("(") == before.count(")"):
        return len(before)
    letter = _LETTER.search(column)
    if letter and NAMES_MONEY.search(column[: letter.start()]):
        return letter.start()
    match = _BRACKETS.search(column)
    if match is None:
        return len(column)
    parts = {part.upper() for part in _PART.findall(match["unit"])}
    is_money = bool(parts & _MONEY) and parts <= _MONEY | _SCALES
    return match.start() if is_money else len(column)


def titled(name: str, unit: str) -> str:
    """A name with its unit: `Budget, €`; the name alone where there is no unit."""
    return f"{name}, {unit}" if unit else name


def tidy(title: str) -> str:
    """A title without what is left of a unit that nobody has said."""
    text = _NO_UNIT.sub(" ", title)
    return re.sub(r"[,\s]+$", "", text).lstrip()
