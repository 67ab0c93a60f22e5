"""Words: what people call their columns, in fourteen languages.

Names are cut into lower-case words without accents (`TVSpend_EUR` is tv, spend, eur).
"""

import re
import unicodedata
from dataclasses import dataclass

_DOLLARS = r"(?<![^\W_])(?:R|US|AU?|CA?|HK|NT|S|MX|NZ)\$"
_WORD = re.compile(rf"{_DOLLARS}|[€$£¥₹]|[^\W_]+")
#: `TVSpend` is cut before the S, `GRPs` nowhere: its small s is a plural.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])")


def plain(text: str) -> str:
    """Text in lower case, without accents."""
    folded = unicodedata.normalize("NFKD", text.replace("ß", "ss")).lower()
    return "".join(mark for mark in folded if not unicodedata.combining(mark))


def _set(text: str) -> frozenset[str]:
    return frozenset(map(plain, text.split()))


SPEND = _set(
    "spend spends spending spendings spent cost costs investment investments invest "
    "invested budget expenditure expenditures expense expenses adspend mdsp outlay "
    "kosten ausgaben werbekosten werbeausgaben mediakosten mediaspend aufwand "
    "aufwendungen werbebudget budgets depense depenses cout couts investissement "
    "investissements gasto gastos inversion inversiones coste costes spesa spese "
    "costo costi investimento investimenti uitgaven koszt koszty wydatki "
    "wydatek naklady kostnad kostnader utgifter udgifter omkostninger maliyet "
    "harcama harcamalar custo "
    "koltes koltesek koltseg koltsegek raforditas custos gastos despesa despesas "
    "utrata vydaje 費用 広告費 消化金額 ご利用金額"
)
MEDIA = _set(
    "impression impressions impr imps imp impressionen einblendungen impresiones "
    "impressioni view views viewable aufrufe vues visualizaciones click clicks "
    "klick klicks clic clics grp grps trp trps exposure exposures contacts kontakte "
    "opens sends sendouts deliveries delivered circulation auflage mdip plays spots "
    "insertions impressoes imprese wyswietlenia exponeringar visningar visninger "
    "zobrazeni gosterim gosterimler vertoningen weergaven klikken cliques klikniecia "
    "prokliky tiklamalar tıklamalar kontakter インプレッション 表示回数 "
    "クリック クリック数"
)
REACH = _set("reach reached reichweite couverture alcance cobertura copertura")
FREQUENCY = _set("frequency freq frequenz frequence frecuencia frequenza")
CURRENCY = _set(
    "€ $ £ ¥ ₹ r$ us$ a$ au$ c$ ca$ hk$ nt$ s$ mx$ nz$ zł kr eur euro euros usd "
    "gbp chf dollar dollars sek nok dkk pln jpy aud "
    "nzd inr brl mxn czk huf zar sgd hkd thb krw idr myr vnd ils aed sar rub uah bgn "
    "cny php clp pounds pfund francs yen kronor kroner zloty rupees руб грн 元 원 "
    "円 lei"
)
#: Words of no weight at either end of a name.
FILLER = _set(
    "avg average mean sum weekly daily monthly net netto gross brutto tsd teur keur "
    "in de des du d la le les for fur fuer von of on the media medien and nb num "
    "k mio thousand lakh lakhs crore crores number anzahl nombre numero per week day "
    "month amount betrag "
    "local currency incl excl inkl exkl including excluding with without con hors vat "
    "mwst ust iva tva ttc btw tax taxes fees"
)
#: Units of media that say more come first.
MEDIA_RANK = (
    ("impression", "impr", "imp", "einblend", "mdip", "grp", "trp", "exposure"),
    ("view", "vue", "aufruf", "visual", "kontakt", "contact", "reach"),
    ("click", "klick", "clic"),
)
#: One capital letter at the end, as in Robyn's example: `tv_S`, `facebook_I`.
LETTERS = {"S": "spend", "I": "media", "P": "media", "G": "media", "B": "control"}

CONTROL_MARK = _set("control controls ctrl covariate covariates kontrolle kontrollvar")
CONTROL = _set(
    "competitor competitors competition comp konkurrenz wettbewerb wettbewerber "
    "concurrence concurrent concurrents competencia concorrenza holiday holidays "
    "hldy feiertag feiertage ferien vacances ferie festivo festivos vacation "
    "weather wetter meteo temperature temp temperatur rain regen sun sonne snow "
    "precipitation gdp bip pib cpi inflation unemployment arbeitslosigkeit "
    "arbeitslosenquote chomage sentiment index confidence climate gqv query queries "
    "covid corona lockdown stringency event events dummy flag seasonality season "
    "seas saison macro economy interest distribution christmas easter blackfriday "
    "xmas weihnachten ostern mobility trends stock outofstock oos stores filialen"
)
NON_MEDIA = _set(
    "price prices preis preise prix precio precios prezzo promo promos promotion "
    "promotions promotional discount discounts rabatt rabatte remise remises "
    "descuento sconto aktion aktionen coupon coupons markdown mrkdn offer offers "
    "angebot rsp rrp msrp"
)
ORGANIC = _set(
    "organic organisch organische organique organico newsletter newsletters seo "
    "earned owned crm push blog pr"
)
MEDIA_NAME = _set(
    "tv television fernsehen radio newspaper newspapers zeitung zeitungen print "
    "presse press magazine magazines ooh dooh outdoor plakat plakate affichage "
    "billboard billboards cinema kino digital search sem sea ppc adwords google "
    "facebook fb meta instagram ig tiktok youtube yt snapchat snap pinterest "
    "twitter linkedin bing display banner programmatic video videos ctv ott olv vod "
    "social affiliate affiliates affiliation influencer influencers podcast "
    "podcasts audio spotify criteo retargeting remarketing email emails mail "
    "mailing mailings sms native shopping pmax dv360 gdn taboola outbrain reddit "
    "twitch ams amazon direct flyer flyers prospekt brochure channel channels media "
    "advertising werbung ads ad adverts"
)
KPI_REVENUE = _set(
    "revenue revenues umsatz umsaetze umsatze erlos erlose turnover gmv ingresos "
    "ricavi fatturato income gmb takings omsattning omsaettning omsetning omsaetning "
    "receita receitas faturamento omzet przychod przychody obrot affaires facturacion "
    "facturazione intakter intakt trzby obrat prijmy bevetel bevetelek ciro gelir "
    "hasilat 売上 売上高"
)
KPI_COUNT = _set(
    "conversion conversions konversionen konversion orders order bestellungen "
    "bestellung commandes units unit volume absatz stuck stueck subscriptions "
    "subscription signups signup installs install downloads leads lead transactions "
    "transaction purchases purchase bookings booking buchungen acquisitions "
    "acquisition registrations registration applications customers customer kunden "
    "abos policies contracts vertrage demos enrollments deposits kaufe achats "
    "pedidos subscribers abonnenten"
)
KPI_OPEN = _set(
    "kpi sales sale ventes ventas vendite verkaufe verkauf vendas verkoop forsaljning "
    "salg sprzedaz satis satislar satıs satıslar prodej 販売額"
)
KPI_GENERIC = _set("y target outcome response depvar dependent result")
COUNT_MARK = _set(
    "units unit volume qty quantity anzahl stuck stueck number count pieces"
)
VALUE_MARK = _set("value wert valeur valor amount betrag eur usd gbp € $ £ dollars")
PER = _set("per pro par je por")
VALUE_OF = _set(
    "revenue value umsatz erlos erlose wert price profit margin ltv clv turnover "
    "income deckungsbeitrag gewinn marge valeur valor"
)
VALUE_NAME = _set("aov clv ltv rpk arpu asp rpu")
RATIO = _set("cpm cpc cpa cpl cpv cpo ctr cvr roas roi cpp ecpm ecpc share sov rate")
POPULATION = _set(
    "population pop einwohner bevolkerung inhabitants inhabitant households "
    "haushalte habitants poblacion popolazione residents"
)
GEO = _set(
    "geo geos region regions regione dma dmas market markets state states country "
    "countries city cities zip zipcode plz postcode postal area areas bundesland "
    "land gebiet province provincia county territory district departement canton "
    "nuts store location filiale stadt ville ciudad pays markt geography metro "
    "provincie wojewodztwo lan kommun kraj estado estados bolge sehir 都道府県 地域"
)
NOT_GEO = _set(
    "channel channels kanal platform source medium campaign kampagne product "
    "produkt brand marke event events type category device publisher adset creative "
    "note notes comment comments kommentar ad ads adset adgroup keyword asset"
)
TIME = _set(
    "time date dates datum datetime timestamp ts epoch ds period day tag week weeks "
    "woche wk kw semaine semana settimana month monat mois mes mese quarter quartal "
    "year jahr annee jour fecha data giorno isoweek yearweek yearmonth weekstart "
    "weekcommencing weekof dt dte dag dia dzien tydzien miesiac vecka manad uge den "
    "tyden mesic tarih gun hafta 日付 日 週 年月日"
)
#: Numbers that only count time.
CALENDAR = _set(
    "t trend year yr jahr month monat quarter quartal week woche wk kw day tag weekday "
    "dayofyear dayofweek weekofyear monthofyear dow doy woy moy weeknum isoweek "
    "index id rownum row nr nbr qtr prd in of yearweek yearmonth"
)
TOTAL = _set("total totals all gesamt sum summe overall totale tout toutes")
#: Words of holidays, and of the season.
HOLIDAY = _set(
    "holiday holidays hldy feiertag feiertage ferie festivo festivos christmas easter "
    "xmas weihnachten ostern thanksgiving blackfriday"
)
SEASON = _set("season seasonality seas saison week wk month quarter qtr prd")
#: What media move on their way to the KPI; see docs/roles.md.
AWARENESS = _set(
    "awareness consideration recall familiarity favorability favourability "
    "bekanntheit notoriete notoriedad notorieta brandlift"
)
BRANDED = _set("brand branded brands marke marken marque marca")
SEARCHES = _set(
    "search searches query queries gqv suchanfragen suchen recherche recherches "
    "busquedas ricerche"
)
#: Words that name a record, not an amount.
IDENTIFIER = _set("id ids uuid guid gid sku ean asin isin identifier kennung")
#: Words of what a simulation or another model has worked out.
DERIVED = _set(
    "contribution contributions intercept latent hidden residual residuals predicted "
    "prediction predictions yhat fitted posterior saturated adstocked"
)
#: Words of no weight beside the word that names a channel.
ADVERTISING = _set(
    "advertising advertisement ad ads advert adverts marketing media campaign "
    "werbung werbe publicite publicidad pubblicita paid"
)
OUTCOME_LIKE = _set(
    "visits sessions traffic visitors users pageviews besuche sitzungen"
)

#: Ends of German and run-together words: Fernsehkosten, tvspend.
_ENDS = (
    *("ausgaben", "kosten", "spend", "budget", "impressionen", "index"),
    *("umsatz", "umsatze", "erlose", "omzet"),
)


@dataclass(frozen=True)
class Word:
    """One word of a name: lower case, without accents, and where it stands."""

    text: str
    start: int
    end: int


def words(name: str) -> list[Word]:
    """The words of a column's name."""
    parts = []
    for match in _WORD.finditer(name):
        start = match.start()
        for part in _parts(match.group()):
            parts.append(Word(plain(part), start, start + len(part)))
            start += len(part)
    return parts


def _parts(run: str) -> list[str]:
    """A run of letters cut at changes of case and before known ends."""
    parts = []
    for part in _CAMEL.split(run):
        low = plain(part)
        end = next((end for end in _ENDS if low.endswith(end)), "")
        if end and len(low) - len(end) >= 2 and len(low) == len(part):
            parts += [part[: -len(end)], part[-len(end) :]]
        else:
            parts.append(part)
    return [part for part in parts if part]
