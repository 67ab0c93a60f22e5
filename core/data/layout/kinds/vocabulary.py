"""Words of exports: what columns of ad platforms, shops and data warehouses are called.

In the languages of `core.data.reading.words`; accents and case are left aside.
"""

from functools import lru_cache
from typing import Literal

from core.data.reading import words as known
from core.data.reading.words import words

Measure = Literal["spend", "impressions", "clicks", "views", "reach", "grps", "sends"]
Level = Literal["platform", "type", "campaign", "ad_group", "ad", "product"]

#: Measures that exposure is taken from, the fullest first.
MEASURES: tuple[Measure, ...] = (
    *("spend", "impressions", "grps", "views", "clicks", "sends", "reach"),
)
#: Levels from coarse to fine.
LEVELS: tuple[Level, ...] = ("platform", "type", "campaign", "ad_group", "ad")


def _set(text: str) -> frozenset[str]:
    return frozenset(map(known.plain, text.split()))


_SPEND = known.SPEND | _set(
    "gastado gastada speso spesa depensee depenses ausgegeben ausgegebener besteed "
    "bestede uitgegeven kosten custo gasta usado utracena wydana spenderat harcanan"
)
_PLANNED = _set("budget budgets limit bid gebot max target ziel daily")
#: How words begin for amounts that need not have been spent.
_AHEAD = tuple(
    "budget plan geplan forecast prognos booked gebucht committed estimat soll prevu "
    "previst presupuest preventiv begroot begroting gepland orcament planej planow "
    "planer reserv".split()
)
_CHARGED = _set(
    "amount betrag montant importe importo bedrag kwota belopp belob billed charge "
    "charges charged commission commissions fee fees provision honorar honoraires"
)
_RATIO = known.RATIO | _set(
    "avg average durchschn durchschnittliche durchschnittlicher moy moyen moyenne med "
    "medio media prom promedio gem gemiddelde quote quota taux tasa tasso taxa "
    "percent percentage prozent pct % frequency frequenz frequence frecuencia "
    "frequenza frequencia frequentie score rank position cpp cpr index"
)
#: Of media, or a mean in Spanish and Italian, where the word before it is feminine.
_MEDIA = frozenset({"media"})
_FEMININE = _set("inversion inversiones spesa spese uitgaven")
_OUTCOME = _set(
    "conversion conversions konversion konversionen conversiones conversioni "
    "conversoes conversies conv result results ergebnis ergebnisse resultat resultats "
    "resultado resultados risultati resultaten purchase purchases kaufe kauf achats "
    "achat compras acquisti aankopen leads lead installs signups registrations "
    "orders revenue umsatz sales transactions actions"
)
_STARTS: tuple[tuple[Measure, tuple[str, ...]], ...] = (
    ("impressions", ("impr", "einblend", "vertoning", "imps", "imp", "exposure")),
    ("impressions", ("wysw", "visn", "exponer", "zobr", "goster", "gost", "表示")),
    ("impressions", ("インフレッション",)),
    ("clicks", ("click", "klick", "clic", "klik", "prokl", "tikl", "tıkl", "クリック")),
    ("grps", ("grp", "trp")),
    ("views", ("view", "vue", "aufruf", "visual", "reproduc", "thruplay", "weergave")),
    ("reach", ("reach", "reichweite", "couverture", "alcance", "copertura", "bereik")),
    ("sends", ("send", "sent", "deliver", "contact", "kontakt", "circulation", "spot")),
)
_AD = _set(
    "ad ads anzeige annonce annonces anuncio anuncios annuncio publicite creative "
    "asset keyword inserzione advertentie"
)
_LEVELS: tuple[tuple[Level, frozenset[str]], ...] = (
    ("type", _set("type typ tipo objective ziel objectif objetivo subtype")),
    ("type", _set("kampagnentyp campagnetype")),
    ("ad_group", _set("adgroup adset adsets anzeigengruppe anzeigengruppen ensemble")),
    ("ad_group", _set("conjunto advertentiegroep lineitem placement flight")),
    ("campaign", _set("campaign campaigns kampagne kampagnen campagne campagnes")),
    ("campaign", _set("campana campanas campagna campagnenaam campanha initiative")),
    ("campaign", _set("kampania kampanii kampanj kampanjnamn kampan kampane kampanya")),
    ("campaign", _set("campanhas kampagnenavn キャンペーン キャンペーン名")),
    ("campaign", _set("kampagnenname campaignname")),
    ("platform", _set("platform plattform plateforme plataforma piattaforma source")),
    ("platform", _set("network netzwerk reseau red rete publisher outlet channel")),
    ("platform", _set("channels kanal canal canale medium vendor partner mediatype")),
    ("ad", _AD),
    ("product", _set("product produkt produit producto prodotto brand marke sku")),
    ("product", _set("category kategorie item store customer segment device")),
)
_GROUPED = _set("group set gruppe groupe grupo gruppo groep")
_ID = _set("id ids key nr no number num code hash token uuid guid url email phone")
_VARIABLE = _set(
    "variable variables variablename metric metrics metrik measure measures kpi "
    "indicator kennzahl series serie field attribute messgrosse metrica metrique "
    "indicateur"
)
_VALUE = _set(
    "value values variablevalue amount wert werte betrag valeur valor valore montant "
    "measurement val"
)
_UNIT = _set("unit units einheit unite unidad unita eenheid currency wahrung devise")
_CURRENCY = _set("currency wahrung wahrungscode devise moneda divisa valuta moeda")
_TOTAL = _set(
    "total totals totale totali totaal totaux gesamt gesamtergebnis gesamtsumme summe "
    "endsumme zwischensumme teilergebnis ergebnis insgesamt sum suma somme subtotal "
    "subtotals overall razem ogolem lacznie celkem toplam summa soma 合計 総計"
)
#: SAP marks its sums so.
_STARS = frozenset("*")
_AVERAGED = known.CONTROL | known.NON_MEDIA | known.PER | known.RATIO | known.FREQUENCY
_AVERAGED |= _set("index temp trend rate ratio avg average mean share score level tvp")
_AVERAGED |= known.POPULATION | known.CALENDAR

_END = _set(
    "end ends ending ende fin fine bis einde eindigend terminada terminante termino "
    "fim koniec konczacy konec koncici slut slutar sonu bitisi 終了日 レポート終了日"
)


def _starts(text: str) -> tuple[str, ...]:
    return tuple(map(known.plain, text.split()))


#: What a cell says of an order that brought no money, by its first letters.
_CANCELLED = _starts(
    "cancel refund void return chargeback revers declin storn erstatt zuruck retour "
    "geannul terugbet zwroc zwrot avbrut aterbet makuler zrus vracen iptal iade "
    "devolv キャンセル 返金 anul odwoł retur peruut perutt palaut kanseller avlys "
    "odwol отмен отказ возв скас ακυρ επιστρ batal dibatal 取消 退款 已取消 已退款 "
    "취소 환불 "
    "annul rembours cancelad reembols devuel rimbors ruckerstatt abgebrochen failed "
    "fehlgeschlagen expired reject abgelehnt rejet rechaz rifiut rma torol"
)
#: What one says that did, or will.
_FINE = _starts(
    "paid complet fulfil shipp deliver process pend open new author captur settl ok "
    "success succe confirm accept activ approv receiv sent bezahlt versand versend "
    "abgeschloss erledigt offen neu zugestellt geliefert bestatigt payee paye expedi "
    "livre termin valide attente pagad pagat envi entreg confirmad spedit consegn evas "
    "voltooid verzonden betaal bezorgd zrealiz oplac wysl wysł betal lever skicka "
    "maksettu toimitettu sendt afsluttet zaplac dokonc odesl vyrizen tamamla teslim "
    "odendi 完了 支払済 発送済 已完成 已支付 완료 배송 выполн оплач доставл finaliz"
)


@lru_cache(maxsize=4096)  # every reader of a layout asks again about every column
def spoken(name: str) -> tuple[str, ...]:
    """The words of a name: lower case, without accents."""
    return tuple(word.text for word in words(name))


def measure(name: str) -> Measure | Literal["ratio", "outcome"] | None:
    """What a column of numbers of an ad report measures."""
    spoken_words = spoken(name)
    if not spoken_words or is_id(name):
        return None
    has = set(spoken_words)
    if {"revenue", "adv"} <= has:  # what Display & Video 360 bills its advertiser
        return "spend"
    if has & _OUTCOME and not has & known.PER:
        return "outcome"
    ratios = has & _RATIO
    if ratios == _MEDIA and has & (_SPEND - _FEMININE):
        ratios = frozenset()  # `Media Cost` is the cost of media, not a mean
    if ratios or (has & known.PER and not has & known.TIME):
        return "ratio"
    if has & _SPEND:
        return "ratio" if has & _PLANNED and not has & (_SPEND - _PLANNED) else "spend"
    for what, starts in _STARTS:
        if any(word.startswith(starts) for word in spoken_words):
            return what
    return None


def level(name: str) -> Level | None:
    """Which part of a market or campaign a column of text names."""
    has = set(spoken(name))
    if has & _AD and has & _GROUPED:
        return "ad_group"
    return next((what for what, about in _LEVELS if has & about), None)


def is_id(name: str) -> bool:
    """Whether a name is that of an identifier."""
    spoken_words = spoken(name)
    return bool(spoken_words) and (spoken_words[-1] in _ID or spoken_words[0] == "id")


def is_variable(name: str) -> bool:
    """Whether a column holds names of variables."""
    has = set(spoken(name))
    return bool(has & _VARIABLE) and not has & _VALUE


def is_value(name: str) -> bool:
    """Whether a column holds the values of variables."""
    return bool(set(spoken(name)) & _VALUE)


def is_money(name: str) -> bool:
    """Whether a column of a table is an amount of money: spend or revenue."""
    has = set(spoken(name))
    money = known.KPI_REVENUE | known.CURRENCY | _set("sales price value amount")
    return measure(name) == "spend" or bool(has & money)


def is_unit(name: str) -> bool:
    """Whether a column says the unit or currency of a row."""
    return bool(set(spoken(name)) & _UNIT)


def is_currency(name: str) -> bool:
    """Whether a column holds codes of currencies."""
    return bool(set(spoken(name)) & _CURRENCY)


def is_planned(name: str) -> bool:
    """Whether an amount was planned or booked: `Planned cost`, `Budget`."""
    return any(word.startswith(_AHEAD) for word in spoken(name))


def is_charge(name: str) -> bool:
    """Whether a column beside impressions is money that they cost: `Amount (EUR)`."""
    has = set(spoken(name))
    return bool(has & (_CHARGED | known.CURRENCY)) and measure(name) is None


def is_bare(name: str) -> bool:
    """Whether a name says what is measured, and of no channel: `Cost`, `Impr.`."""
    known_words = _SPEND | known.MEDIA | known.FILLER | known.CURRENCY | known.TOTAL
    known_words |= frozenset({"of", "amount", "media", "ad", "ads", "amt"})
    return measure(name) is not None and all(
        word in known_words or any(word.startswith(s) for _, ss in _STARTS for s in ss)
        for word in spoken(name)
    )


def is_averaged(name: str) -> bool:
    """Whether the days of a column are averaged, not summed, to weeks."""
    has = set(spoken(name))
    return bool(has & _AVERAGED) and not has & (known.SPEND | known.MEDIA)


def is_total(text: str) -> bool:
    """Whether a cell is that of a total row: `Total: Account`, `Grand Total`, `**`."""
    spoken_words = spoken(text)
    if not spoken_words:
        return bool(text.strip()) and set(text.strip()) <= _STARS
    return bool({spoken_words[0], spoken_words[-1]} & _TOTAL) or (
        "total" in spoken_words and spoken_words[-1] == "general"
    )


def is_end(name: str) -> bool:
    """Whether a date is the last day of its period."""
    return bool(set(spoken(name)) & _END)


def is_fine(cell: object) -> bool:
    """Whether a cell says that an order came, or will come, to something."""
    return any(word.startswith(_FINE) for word in spoken(str(cell)))


def is_cancelled(cell: object) -> bool:
    """Whether a cell says that an order is cancelled or refunded."""
    text = spoken(str(cell))
    negated = {"not", "non", "no", "nicht", "partially", "teilweise"} & set(text)
    return not negated and any(w.startswith(_CANCELLED) for w in text)
