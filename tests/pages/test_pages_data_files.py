"""The Data screen with long tables and several files: choices, totals, next month."""

import datetime
import io

import pandas as pd

from core.project.settings.project import load_project
from pages.upload import file_reading
from tests.data import layout_files
from tests.pages.said import is_sound, texts

GOOGLE = ("google.csv", layout_files.google()[0], "text/csv")
SHOP = ("shop.csv", layout_files.revenue(), "text/csv")
NAME = "Google"
#: Every file is read in a process of its own, which a busy machine starts slowly.
_READING = 150


def drop(at, *files, key: str = "data.upload"):
    """Put several files into an uploader at once."""
    found = [f for f in at.get("file_uploader") if str(f.key).startswith(key)]
    found[0].set_value(list(files))
    return at.run(timeout=_READING)


def chosen(at, choice: str):
    return next(
        box
        for box in [*at.selectbox, *at.toggle]
        if str(box.key).startswith(f"data.layout.{choice}")
    )


def test_two_files_become_one_table_with_a_sentence_and_totals(screen, home):
    at = drop(screen("data"), GOOGLE, SHOP)
    assert is_sound(at)
    said = texts(at)
    assert "one channel per Campaign type" in said
    assert "summed to weeks that begin on Monday, joined by week" in said
    assert "Partial weeks at the ends are left out of google.csv" in said
    (sums,) = [t.value for t in at.dataframe if "Left out" in t.value.columns]
    difference = sums["In the file"] - sums["Left out"] - sums["In the table"]
    assert difference.abs().max() < 1e-6
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    project = load_project(home / "projects" / NAME)
    assert [source.kind for source in project.layout.sources] == ["campaigns", "table"]
    table = pd.read_parquet(home / "projects" / NAME / "data.parquet")
    assert len(table) == 35
    assert "Made from google.csv, shop.csv" in texts(at).replace("\\", "")


def test_another_choice_makes_another_table(screen, home):
    at = drop(screen("data"), GOOGLE, SHOP)
    chosen(at, "channel").set_value("Campaign").run()
    assert is_sound(at)
    assert "Google Brand and Google Shopping all" in texts(at)
    chosen(at, "week_begins").set_value("wednesday").run()
    assert is_sound(at)
    assert "weeks that begin on Wednesday" in texts(at)
    at.button(key="data.accept").click().run()
    layout = load_project(home / "projects" / NAME).layout
    assert layout.sources[0].channel == ("Campaign",)
    assert layout.week_begins == "wednesday"


def test_a_pattern_that_is_none_is_explained_and_changes_nothing(screen, home):
    at = drop(screen("data"), GOOGLE, SHOP)
    chosen(at, "channel").set_value("what a pattern matches").run()
    field = next(t for t in at.text_input if str(t.key).startswith("data.layout.pat"))
    field.set_value("(").run()
    assert is_sound(at)
    assert "cannot be read" in at.error[0].value.replace("\\", "")
    assert at.button(key="data.accept")


def test_currencies_are_asked_for(screen, home):
    meta = ("meta.csv", layout_files.meta()[0], "text/csv")
    orders = ("orders.csv", layout_files.orders()[0], "text/csv")
    at = drop(screen("data"), meta, orders)
    assert is_sound(at)
    assert "What is one USD worth in EUR?" in [n.label for n in at.number_input]
    rate = next(n for n in at.number_input if "USD" in n.label)
    rate.set_value(0.9).run()
    assert is_sound(at)
    assert "from USD at 0.9" in texts(at)


def test_a_file_without_a_kpi_says_so_and_another_can_be_added(screen, home):
    at = drop(screen("data"), GOOGLE)
    assert is_sound(at)
    assert "No column is mapped as the KPI" in texts(at)
    drop(at, SHOP, key="data.add")
    assert is_sound(at)
    assert "joined by week" in texts(at)
    assert not at.button(key="data.accept").disabled


def test_next_months_files_go_the_same_way_without_a_question(screen, home):
    at = drop(screen("data"), GOOGLE, SHOP)
    chosen(at, "channel").set_value("Campaign").run()
    at.button(key="data.accept").click().run()
    before = load_project(home / "projects" / NAME)
    newer = ("export_2.csv", layout_files.google(seed=9)[0], "text/csv")
    drop(at, newer, SHOP, key="data.replace")
    assert is_sound(at)
    assert not [b for b in at.selectbox if str(b.key).startswith("data.layout")]
    at.button(key="data.accept").click().run()
    after = load_project(home / "projects" / NAME)
    assert after.layout == before.layout
    assert after.mapping == before.mapping


def test_the_layout_of_a_saved_project_can_be_changed(screen, home):
    at = drop(screen("data"), GOOGLE, SHOP)
    at.button(key="data.accept").click().run()
    before = load_project(home / "projects" / NAME)
    drop(at, GOOGLE, SHOP, key="data.replace")
    chosen(at, "change").set_value(True).run()
    assert chosen(at, "channel").value == "Campaign type"
    chosen(at, "week_begins").set_value("sunday").run()
    assert is_sound(at)
    assert "weeks that begin on Sunday" in texts(at)
    at.button(key="data.accept").click().run()
    after = load_project(home / "projects" / NAME)
    assert after.layout.week_begins == "sunday"
    assert after.mapping == before.mapping  # the columns are the same
    drop(at, GOOGLE, SHOP, key="data.replace")
    chosen(at, "change").set_value(True).run()
    chosen(at, "channel").set_value("Campaign").run()
    at.button(key="data.accept").click().run()
    last = load_project(home / "projects" / NAME)
    assert last.layout.sources[0].channel == ("Campaign",)
    assert {c.name for c in last.mapping.channels} != {
        c.name for c in before.mapping.channels
    }


def test_files_that_do_not_fit_the_project_are_read_anew_and_it_is_said(screen, home):
    at = drop(screen("data"), GOOGLE, SHOP)
    at.button(key="data.accept").click().run()
    other = ("meta.csv", layout_files.meta()[0].replace(b"USD", b"EUR"), "text/csv")
    drop(at, other, SHOP, key="data.replace")
    assert is_sound(at)
    assert "not read by the project's layout" in texts(at).replace("\\", "")


def test_files_with_no_common_dates_are_explained(screen, home):
    late = b"date,revenue\n" + b"".join(b"2031-01-%02d,5\n" % d for d in range(1, 29))
    at = drop(screen("data"), GOOGLE, ("late.csv", late, "text/csv"))
    assert is_sound(at)
    assert "in common" in at.error[0].value.replace("\\", "")
    assert not (home / "projects").exists()


def test_a_workbook_of_two_tables_is_a_question(screen, home, tmp_path):
    path = tmp_path / "book.xlsx"
    dates = pd.date_range("2025-01-06", periods=30, freq="W-MON")
    with pd.ExcelWriter(path, engine="openpyxl") as writer:
        media = pd.DataFrame({"week": dates, "TV_spend": [1.0 + n for n in range(30)]})
        media.to_excel(writer, sheet_name="Media", index=False)
        sales = pd.DataFrame({"week": dates, "sales": [9.5 * n + 1 for n in range(30)]})
        sales.to_excel(writer, sheet_name="Sales", index=False)
    at = drop(screen("data"), ("book.xlsx", path.read_bytes(), "text/csv"))
    assert is_sound(at)
    question = at.multiselect[0]
    assert "holds 2 tables" in question.label
    assert question.value == ["Media", "Sales"]
    question.set_value(["Media"]).run(timeout=_READING)
    assert "joined by date" not in texts(at) and at.multiselect  # both can be chosen
    at.multiselect[0].set_value(["Media", "Sales"]).run(timeout=_READING)
    [use] = [button for button in at.button if str(button.key).endswith(".use")]
    use.click().run(timeout=_READING)
    assert is_sound(at)
    assert "joined by date" in texts(at)


def test_a_later_workbook_of_the_same_name_is_asked_about_anew(screen, home):
    at = screen("data", run=False)
    at.session_state["draft.data.upload.0.parts.book.xlsx.0"] = ["Media", "Sales"]
    content = io.BytesIO()
    with pd.ExcelWriter(content, engine="openpyxl") as writer:
        for name in ("Spend", "Revenue"):
            table = pd.DataFrame({"week": ["2025-01-06"], name: [1.0]})
            table.to_excel(writer, sheet_name=name, index=False)
    at = drop(at.run(), ("book.xlsx", content.getvalue(), "text/csv"))
    assert is_sound(at)
    assert at.multiselect[0].value == ["Spend", "Revenue"]


def test_arrays_without_dates_are_numbered_from_a_date_that_is_asked_for(screen, home):
    rows = [f"{n % 7 * 3.5},{n % 5 * 2.5},{900 + n % 13}" for n in range(60)]
    content = "\n".join(["channel_0,channel_1,target", *rows]).encode()
    at = drop(screen("data"), ("arrays.csv", content, "text/csv"))
    assert is_sound(at)
    assert "has no column of dates" in at.info[0].value.replace("\\", "")
    at.date_input[0].set_value(datetime.date(2024, 1, 1)).run(timeout=_READING)
    assert is_sound(at)
    assert "60 weeks are counted from 1 Jan 2024" in texts(at).replace("\\", "")
    at.button(key="data.accept").click().run()
    mapping = load_project(home / "projects" / "Arrays").mapping
    assert (mapping.time, mapping.kpi, len(mapping.channels)) == ("date", "target", 2)


def test_robyns_model_file_beside_its_table_gives_roles_and_priors(screen, home):
    from tests.workspace.elsewhere.test_workspace_elsewhere_robyn import content, table

    data = ("data.csv", table().to_csv(index=False).encode(), "text/csv")
    at = drop(screen("data"), data, ("model.json", content(), "application/json"))
    assert is_sound(at)
    assert "gammas have no counterpart" in texts(at)
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    project = load_project(home / "projects" / "Data")
    assert dict(project.spec.channels[0].priors)["alpha"].family == "Uniform"


def test_days_that_are_numbers_can_count_from_1904(screen, home):
    rows = pd.read_csv(io.BytesIO(layout_files.revenue()))
    name = rows.columns[0]
    days = pd.to_datetime(rows[name]) - pd.Timestamp("1904-01-01")
    rows[name] = days.dt.days
    shop = ("shop.csv", rows.to_csv(index=False).encode(), "text/csv")
    at = drop(screen("data"), GOOGLE, shop)
    assert "no whole week in common" in at.error[0].value
    asked = next(b for b in at.selectbox if str(b.key).endswith(".dates"))
    asked.set_value("1904").run(timeout=_READING)
    assert is_sound(at)
    assert chosen(at, "dates").value == "1904"
    at.button(key="data.accept").click().run()
    project = load_project(home / "projects" / NAME)
    assert [source.dates for source in project.layout.sources] == ["1904"] * 2
    table = pd.read_parquet(home / "projects" / NAME / "data.parquet")
    assert len(table) == 35


def test_places_in_columns_are_asked_about_and_kept(screen, home):
    days = pd.date_range("2022-01-03", periods=80, freq="7D").strftime("%Y-%m-%d")
    names = [f"{m}_{g}" for m in ("revenue", "tv_spend") for g in ("Bayern", "Hessen")]
    rows = pd.DataFrame({"week": days} | {n: 50.5 + at for at, n in enumerate(names)})
    for at, name in enumerate(names):
        rows[name] += [7 * row % (11 + at) for row in range(80)]
    market = ("market.csv", rows.to_csv(index=False).encode(), "text/csv")
    at = drop(screen("data"), market)
    asked = next(b for b in at.selectbox if str(b.key).endswith(".geo_columns"))
    assert "Bayern and Hessen" in at.info[0].value.replace("\\", "")
    asked.set_value("places").run(timeout=_READING)
    assert is_sound(at)
    at.button(key="data.accept").click().run()
    project = load_project(home / "projects" / "Market")
    assert project.layout.geo_columns == "places" and project.mapping.geo == "geo"
    assert [channel.name for channel in project.mapping.channels] == ["tv"]


def test_two_files_of_one_name_are_both_read(screen, home, monkeypatch):
    monkeypatch.setattr(file_reading, "_PATIENCE", -1.0)  # the button to stop is there
    table = pd.DataFrame(
        {
            "week": pd.date_range("2022-01-03", periods=60, freq="7D").astype(str),
            "TV spend": [1000.5 + 7 * (at % 9) for at in range(60)],
            "revenue": [9000.5 + 31 * (at % 11) for at in range(60)],
        }
    )
    first, second = table[:32].to_csv(index=False), table[30:].copy()
    ours = ("sales.csv", first.encode(), "text/csv")
    at = drop(screen("data"), ours, ours)
    assert is_sound(at)
    assert "sales.csv and sales.csv have the same content" in texts(at)
    theirs = ("sales.csv", second.to_csv(index=False).encode(), "text/csv")
    at = drop(screen("data"), ours, theirs)
    assert is_sound(at)
    assert "60 weeks" in texts(at)


def test_what_two_files_leave_open_is_said_above_the_question(screen, home):
    table = pd.DataFrame(
        {
            "week": pd.date_range("2022-01-03", periods=60, freq="7D").astype(str),
            "TV spend": [1000.5 + 7 * (at % 9) for at in range(60)],
            "revenue": [9000.5 + 31 * (at % 11) for at in range(60)],
        }
    )
    second = table[30:].assign(**{"TV spend": table["TV spend"][30:] * 2})
    files = [
        (name, part.to_csv(index=False).encode(), "text/csv")
        for name, part in (("old.csv", table[:34]), ("new.csv", second))
    ]
    at = drop(screen("data"), *files)
    assert is_sound(at)
    (said,) = [box.value.replace("\\", "") for box in at.info]
    assert "rows of the same 4 dates" in said and "different numbers" in said
    (box,) = [box for box in at.selectbox if str(box.key).endswith("overlap")]
    box.set_value("newest").run(timeout=_READING)
    assert is_sound(at)
    assert "60 weeks" in texts(at)
