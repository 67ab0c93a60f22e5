"""Text of DOS: a table of CP850 is read as what somebody typed, or as it always was."""

import pytest

from core.data.files.encoding import as_utf8
from core.errors import SchemaError

#: Names of columns in languages of western Europe; each has a letter that tells.
NAMES = (
    "Köln Straße", "Fernsehen Süd", "Getränke", "Größe", "Marché été", "Télévision",
    "Ventes à Nîmes, Forêt", "Campaña", "Televisión", "Día de España", "Försäljning",
    "Smørrebrød", "Così, perché", "Publicité", "Avança",
)  # fmt: skip
_ROWS = "2024-01-01;1200,50;34\n" * 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("encoding", ["cp850", "cp1252", "utf-8"])
def test_names_are_read_in_the_code_page_that_they_were_written_in(name, encoding):
    text = f"Woche;Umsatz;{name}\n{_ROWS}"
    assert as_utf8(text.encode(encoding), "a.csv").decode() == text


@pytest.mark.parametrize(
    "name",
    ["Dépenses\u00a0TV", "l’été", "Prix „brut“", "a – b", "A…b"]
    + ["Coût k£ / sem", "été…fin", "TV†", "Télévision", "élévation", "Écran géré"]
    + ["Kampagne „Größe“", "50 € Gutschein", "Brand™ Suche", "2 × 3", "§ 5 Süd"],
)
def test_signs_of_cp1252_do_not_make_a_text_one_of_dos(name):
    text = f"Woche;Umsatz;{name}\n{_ROWS}"
    assert as_utf8(text.encode("cp1252"), "a.csv").decode() == text


@pytest.mark.parametrize("rows", [_ROWS, "2024年1月1日;1,200円;34千円\n" * 30])
@pytest.mark.parametrize("name", ["広告費", "テレビ費用", "売上高 TV", "検索費"])
def test_japanese_stays_japanese(name, rows):
    text = f"週;売上;{name}\n{rows}"
    assert as_utf8(text.encode("cp932"), "a.csv").decode() == text


@pytest.mark.parametrize("name", [n for n in NAMES if n[0] != "F" and n[0] != "S"])
def test_text_of_old_macs_is_read_where_two_letters_or_one_in_a_word_tell(name):
    text = f"Woche;Umsatz für Köln;{name}\n{_ROWS}"
    if not {*"éèàîñáóêçì"} & {*name}:  # letters of one language
        assert as_utf8(text.encode("mac_roman"), "a.csv").decode() == text


@pytest.mark.parametrize("name", ["テレビ費用", "ラジオ 広告費", "検索のコスト"])
def test_japanese_of_unix_is_told_by_its_kana(name):
    text = f"週;売上;{name}\n{_ROWS}"
    assert as_utf8(text.encode("euc_jp"), "a.csv").decode() == text


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_r"])
@pytest.mark.parametrize(
    "name", ["Неделя", "ТВ расходы", "Выручка, тыс.", "Ёлка и мёд"]
)
def test_russian_is_read_in_both_of_its_code_pages(name, encoding):
    text = f"Дата;Продажи за неделю;{name}\n{_ROWS}"
    assert as_utf8(text.encode(encoding), "a.csv").decode() == text


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("电视花费", "gbk"), ("매출금액", "euc_kr"), ("電視花費", "big5")]
    + [("Έσοδα πωλήσεων", "cp1253"), ("הכנסות", "cp1255"), ("المبيعات", "cp1256")],
)
def test_the_words_of_columns_tell_the_page_of_their_letters(name, encoding):
    text = f"week;revenue;{name}\n{_ROWS}"
    assert as_utf8(text.encode(encoding), "a.csv").decode() == text


@pytest.mark.parametrize(("name", "encoding"), [("苹果香蕉", "gbk"), ("ผลไม้", "cp874")])
def test_letters_of_other_pages_are_no_letters_of_the_west(name, encoding):
    text = f"week;revenue;{name}\n{_ROWS}"
    with pytest.raises(SchemaError, match="an encoding that is not known"):
        as_utf8(text.encode(encoding), "a.csv")


@pytest.mark.parametrize("rows", [20, 20_000])
@pytest.mark.parametrize("zeros", [1, 400])
@pytest.mark.parametrize("where", [0.1, 0.5, 1.0])
def test_zero_bytes_in_a_text_are_named_with_their_line(rows, zeros, where):
    lines = ["week,sales", *(f"2024-01-01,{at}" for at in range(rows))]
    at = max(1, int(where * len(lines)))
    text = "\n".join(lines[:at]).encode() + b"\0" * zeros
    text += "\n".join(["", *lines[at:]]).encode()
    with pytest.raises(
        SchemaError, match=f"zero bytes .NUL., the first in line {at:,}"
    ):
        as_utf8(text, "a.csv")
