"""Places: countries, states, large cities and points of the compass, by name and code.

Not complete, and need not be: columns of places that are not here are recognised by
their pattern (`geo_columns`), and a place alone decides nothing without a question.
"""

import unicodedata

_COUNTRIES = """
germany deutschland allemagne alemania austria osterreich oesterreich autriche
switzerland schweiz suisse svizzera france frankreich italy italien italia spain spanien
espana portugal netherlands niederlande nederland belgium belgien belgique luxembourg
ireland irland england scotland wales britain greatbritain unitedkingdom
northernireland denmark danemark danmark sweden schweden sverige norway norwegen norge
finland finnland suomi iceland poland polen polska czechia tschechien hungary ungarn
romania rumanien bulgaria croatia slovenia slovakia serbia greece griechenland turkey
turkei turkiye russia ukraine unitedstates america canada kanada mexico mexiko brazil
brasil brasilien argentina chile colombia peru australia australien newzealand japan
china korea southkorea india indien indonesia thailand vietnam philippines malaysia
singapore uae saudiarabia israel southafrica egypt nigeria kenya taiwan hongkong dach
emea apac latam nordics benelux europe
"""
_STATES = """
badenwurttemberg badenwuerttemberg bayern bavaria berlin brandenburg bremen hamburg
hessen hesse mecklenburgvorpommern niedersachsen nordrheinwestfalen nrw rheinlandpfalz
saarland sachsen saxony sachsenanhalt schleswigholstein thuringen thueringen wien
tirol salzburg steiermark karnten kaernten burgenland vorarlberg niederosterreich
oberosterreich zurich bern genf geneve basel alabama alaska arizona arkansas california
colorado connecticut delaware florida georgia hawaii idaho illinois indiana iowa kansas
kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri
montana nebraska nevada newhampshire newjersey newmexico newyork northcarolina
northdakota ohio oklahoma oregon pennsylvania rhodeisland southcarolina southdakota
tennessee texas utah vermont virginia washington westvirginia wisconsin wyoming ontario
quebec britishcolumbia alberta manitoba saskatchewan novascotia newsouthwales victoria
queensland bretagne normandie occitanie iledefrance grandest hautsdefrance corse
paysdelaloire nouvelleaquitaine cataluna catalunya andalucia galicia lombardia toscana
lazio sicilia piemonte veneto campania
"""
_CITIES = """
munchen muenchen munich koln koeln cologne frankfurt stuttgart dusseldorf duesseldorf
leipzig dresden hannover nurnberg nuernberg dortmund essen london manchester birmingham
glasgow edinburgh leeds liverpool bristol paris lyon marseille toulouse lille bordeaux
nice nantes madrid barcelona sevilla bilbao lisboa lisbon porto rome roma milan milano
napoli torino amsterdam rotterdam brussels antwerp dublin copenhagen stockholm oslo
helsinki warsaw warszawa krakow prague praha vienna budapest bucharest athens istanbul
losangeles chicago houston dallas phoenix philadelphia sanantonio sandiego sanjose
austin boston seattle denver atlanta miami detroit portland toronto montreal vancouver
sydney melbourne brisbane perth auckland tokyo osaka seoul beijing shanghai mumbai delhi
bangalore jakarta bangkok manila dubai capetown johannesburg saopaulo riodejaneiro
buenosaires bogota lima santiago
"""
_COMPASS = """
north south east west northeast northwest southeast southwest midwest central nord sud
sued ost ouest est norte sur este oeste midlands
"""
_CODES = """
de at ch fr it es pt nl be lu uk gb ie dk se no fi is pl cz sk hu ro bg hr si rs gr tr
ru ua us usa ca mx br ar cl co pe au nz jp cn kr in id th vn ph my sg ae sa il za eg ng
ke al ak az ct ga hi il ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh
ok or pa ri sc sd tn tx ut vt va wa wv wi wy fl nsw qld vic bw by hb hh he mv ni nw rp
sl sn st sh
"""
_NAMES = frozenset(f"{_COUNTRIES} {_STATES} {_CITIES} {_COMPASS}".split())
_SHORT = frozenset(_CODES.split())


def is_place(text: str) -> bool:
    """Whether a text is the name of a place, or its code in capitals."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss"))
    letters = "".join(char for char in plain if char.isalpha())
    return letters in _NAMES or (text.isupper() and letters in _SHORT)
