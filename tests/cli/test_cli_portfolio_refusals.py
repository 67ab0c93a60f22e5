"""What a portfolio cannot be planned or saved over is said, and nothing is lost."""

import json
import shutil

import numpy as np
import pytest
import xarray as xr

from core.project.plans.plan_actuals import actuals_template
from core.project.plans.plans import list_plans
from core.store.atomic import sha256_of
from core.store.run_state import write_state
from core.team import audit
from tests.pages import worlds

NAMES = ("North Europe", "South brands")
FILE = "".join(
    ['currency = "EUR"\n', *(f'[project."{name}"]\n#{name}\n' for name in NAMES)]
)
ANNA, VERA, NOBODY = "anna@x.org", "vera@x.org", "mallory@x.org"


@pytest.fixture
def fits(home):
    """Two projects with a finished fit each."""
    return [worlds.fit(worlds.project(name)) for name in NAMES]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "portfolio.toml"
    path.write_text(FILE)
    return path


@pytest.fixture
def team(fits, home, monkeypatch):
    """Sign-in is on: Anna plans in both, Vera only reads the second."""
    (home / "access.toml").write_text('sign_in = "oidc"\nadmins = ["boss@x.org"]\n')
    for fit, of_vera in zip(fits, ("planner", "viewer"), strict=True):
        (fit.parents[1] / "members.toml").write_text(
            f'[members]\n"{ANNA}" = "planner"\n"{VERA}" = "{of_vera}"\n'
        )
    return lambda name: monkeypatch.setenv("MIXWRIGHT_USER", name)


def saved(fits):
    return [[plan.plan_id for plan in list_plans(fit.parents[1])] for fit in fits]


def state(fits):
    """What lies in the projects, by file."""
    return {
        path: path.read_bytes()
        for fit in fits
        for path in fit.parents[1].rglob("*")
        if path.is_file() and path.name != audit.FILE and "lock" not in path.name
    }


def test_who_may_not_see_a_project_sees_nothing_of_it(say, fits, file, team, tmp_path):
    (fits[1].parents[1] / "members.toml").write_text(
        f'[members]\n"{ANNA}" = "planner"\n'
    )
    before = state(fits)
    for who, lacks in ((VERA, NAMES[1]), (NOBODY, NAMES[0])):
        team(who)
        for command in (
            ("plan", file),
            ("plan", file, "--save", "2027"),
            ("init", *NAMES, "--out", tmp_path / f"{who}.toml"),
        ):
            said = say("portfolio", *command)
            assert said.code == 1 and not said.out
            assert f"{who} has no access to {lacks}" in said.err
            assert "Ask an admin" in said.err
    team(VERA)
    for other in ("Nowhere", fits[1].name):
        file.write_text(FILE.replace(NAMES[0], other))
        assert NAMES[1] not in say("portfolio", "plan", file).err.split("Ask an")[0]
    assert state(fits) == before


def test_who_may_only_read_a_project_plans_and_does_not_save(say, fits, file, team):
    team(VERA)
    plan = say("portfolio", "plan", file, "--json")
    assert plan.code == 0, plan.err
    before = state(fits)
    said = say("portfolio", "plan", file, "--save", "2027")
    assert said.code == 1
    assert f"{VERA} is a viewer of {NAMES[1]}; this needs a planner" in said.err
    assert saved(fits) == [[], []] and state(fits) == before
    team(ANNA)
    assert say("portfolio", "plan", file, "--json").out == plan.out
    assert say("portfolio", "plan", file, "--save", "2027").code == 0
    assert [len(plans) for plans in saved(fits)] == [1, 1]


def edited(fit, **files):
    """Files of the result as another fit would have written them."""
    manifest = fit / "result" / "manifest.json"
    hashes = json.loads(manifest.read_text())
    for name, change in files.items():
        path = next((fit / "result").glob(f"{name}.*"))
        if path.suffix == ".json":
            path.write_text(json.dumps(change(json.loads(path.read_text()))))
        else:
            content = change(xr.load_dataset(path, engine="h5netcdf"))
            path.unlink()
            content.to_netcdf(path, engine="h5netcdf")
        hashes["files"][path.name] = sha256_of(path)
    manifest.write_text(json.dumps(hashes))


def on_days(fit, *, days=7, shift=0):
    """The same fit on periods of another length, or that end earlier."""

    def moved(weeks):
        start = weeks["time"].values[0] - np.timedelta64(shift, "D")
        steps = np.arange(weeks.sizes["time"]) * np.timedelta64(days, "D")
        return weeks.assign_coords(time=start + steps)

    edited(fit, weeks=moved)


def without_value(fit):
    """The same fit of a KPI that has no value in money."""
    about = {"has_value": 0, "outcome_unit": "kpi", "kpi_name": "sign-ups"}
    kpi = {"outcome_unit": "kpi"}
    edited(
        fit,
        horizon_curves=lambda curves: curves.assign_attrs(kpi),
        summary=lambda summary: summary | about,
    )


def about_second(**about):
    """The file with more about the second project."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in about.items()]
    return FILE.replace(f"#{NAMES[1]}", "\n".join(lines)).replace("NaN", "nan")


def without_result(state):
    """A fit that is not finished, or did not get to its end."""

    def prepare(fit):
        shutil.rmtree(fit / "result")
        write_state(fit, state)

    return prepare


#: What is wrong with the second project, the file, and what has to be said.
CASES = (
    (without_result("running"), FILE, ["no finished fit", NAMES[1]]),
    (without_result("failed"), FILE, ["no finished fit", NAMES[1]]),
    (
        None,
        about_second(run="20200101-000000-0a1b2c3d"),
        ["20200101-000000-0a1b2c3d", NAMES[1]],
    ),
    (
        None,
        about_second(run=f"../../{NAMES[0]}/runs/20200101-000000-0a1b2c3d"),
        ["is not the name of a fit", NAMES[1]],
    ),
    (lambda fit: on_days(fit, days=1), FILE, ["differ", *NAMES, "daily", "one length"]),
    (lambda fit: on_days(fit, shift=1092), FILE, [NAMES[1], "2 years", "Refresh"]),
    (without_value, FILE, [NAMES[1], "sign-ups", "worth = "]),
    (None, FILE.replace(NAMES[1], f"HOME/projects/{NAMES[0]}"), ["named twice"]),
    (lambda fit: worlds.damage(fit, "horizon_curves.nc"), FILE, [NAMES[1], "damaged"]),
    (shutil.rmtree, FILE, [NAMES[1], "no finished fit"]),
    (None, about_second(min="90 %", max="10 %"), [NAMES[1], "10 %"]),
    (None, about_second(worth=True), ["worth", "Correct it in portfolio"]),
    (None, about_second(worth=1e300), ["worth of South brands is 1e+300, not from"]),
    (None, about_second(max="high"), ["max in [project.South brands]", "'high'"]),
    (None, about_second(max="5 m USD"), ["The max is in USD, and the portfolio is in"]),
    (
        None,
        FILE + '[kind."booked ahead"]\nmax = "high"\n',
        ["max in [kind.booked ahead]", "'high'"],
    ),
    (
        None,
        FILE + f'[shared."{NAMES[0]}: TV"]\nchannels = ["{NAMES[0]}: Search", '
        f'"{NAMES[1]}: Search"]\n',
        [f"Shared spend {NAMES[0]}: TV has the name of a channel"],
    ),
    (None, about_second(rate=float("nan")), ["rate"]),
    (None, FILE.replace("EUR", "USD"), [NAMES[0], "USD", "rate = "]),
    (None, FILE + "[horizon]\nstart = 2020-01-06\n", [NAMES[0], "2020-01-06"]),
)


def test_projects_that_do_not_go_together_are_named(say, fits, file, home):
    sound = state(fits)
    for prepare, text, messages in CASES:
        if prepare is not None:
            prepare(fits[1])
        file.write_text(text.replace("HOME", str(home)))
        before = state(fits)
        said = say("portfolio", "plan", file, "--save", "2027")
        assert said.code == 1 and not said.out
        for message in messages:
            assert message in said.err, (text, said.err)
        assert state(fits) == before
        for path, content in sound.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    file.write_text(FILE)
    assert say("portfolio", "plan", file).code == 0


def test_amounts_and_currencies_are_read_as_people_write_them(say, fits, file):
    """With what Windows puts before a text, the sign of the currency and Mio."""
    limit = 'max = "5 Mio EUR"'
    text = FILE.replace('"EUR"', '"€"').replace(f"#{NAMES[1]}", limit)
    file.write_text(f"\ufeff{text}", encoding="utf-8")
    plan = say("portfolio", "plan", file, "--json")
    assert plan.code == 0, plan.err
    assert plan.data["currency"] == "EUR"
    assert plan.data["scenario"]["group"][NAMES[1]]["max"] == 5_000_000
    assert plan.data["projects"][1]["planned"] <= 5_000_000


def test_kinds_are_as_people_said_and_of_what_is_behind_shared_spend(say, fits, file):
    """Social is not booked ahead by its name; TV is, whatever its spend is called."""
    for fit in fits:
        path = fit.parents[1] / "project.toml"
        path.write_text(path.read_text() + '\n[kinds]\nSocial = "booked ahead"\n')
    both = ", ".join(f'"{name}: TV"' for name in NAMES)
    file.write_text(
        FILE + f'[shared."Our films"]\nchannels = [{both}]\n'
        '[kind."booked ahead"]\nmax = "70 %"\n'
    )
    said = say("portfolio", "plan", file, "--json")
    assert said.code == 0, said.err
    group = said.data["scenario"]["group"]["booked ahead"]["channels"]
    assert "Our films" in group and f"{NAMES[0]}: Social" in group
    assert f"{NAMES[0]}: Search" not in group


def test_one_project_is_no_portfolio(say, fits, tmp_path):
    said = say("portfolio", "init", NAMES[0], "--out", tmp_path / "one.toml")
    assert said.code == 1 and "two projects or more" in said.err
    assert not (tmp_path / "one.toml").exists()


def test_a_draft_can_be_read_whatever_units_are_called(say, fits, tmp_path):
    without_value(fits[0])
    edited(fits[0], summary=lambda about: about | {"kpi_name": "sign-\nups\x07"})
    path = tmp_path / "p.toml"
    said = say("portfolio", "init", *NAMES, "--out", path, "--currency", "USD")
    assert said.code == 0, said.err
    assert "# what one unit of sign- ups is worth, USD" in path.read_text()
    assert "is not above 0" in say("portfolio", "plan", path).err


def test_a_part_is_approved_and_compared_as_any_plan(say, fits, file, team, tmp_path):
    team(ANNA)
    assert say("portfolio", "plan", file, "--save", "2027").code == 0
    ids = [plans[0] for plans in saved(fits)]
    assert say("approval", NAMES[0], ids[0], "--propose").code == 0
    assert say("approval", NAMES[0], ids[0], "--approve").code == 1  # one's own
    team("boss@x.org")
    assert say("approval", NAMES[0], ids[0], "--approve").code == 0
    happened = tmp_path / "happened.csv"
    head, *rows = actuals_template(fits[0]).strip().splitlines()
    rows = [f"{row.split(',')[0]},9e5,6e4,2e4,1e4,8e3" for row in rows]
    happened.write_text("\n".join([head, *rows]))
    said = say("actuals", ids[0], happened)
    assert said.code == 0, said.err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ("#North Europe", "min = 9_000_000\nmax = 8_000_000"),
            "The minimum of project North Europe is above its maximum.",
        ),
        (
            ("#South brands", '[kind."booked ahead"]\nmin = "30 %"\nmax = "20 %"'),
            "The minimum of kind booked ahead is above its maximum.",
        ),
        (
            ("#North Europe", "max = 100\n"),
            "project North Europe",
        ),
    ],
)
def test_limits_are_named_as_the_file_names_them(say, fits, file, change, said):
    file.write_text(FILE.replace(*change))
    told = say("portfolio", "plan", file)
    assert told.code == 1
    assert said in told.err and "group" not in told.err
