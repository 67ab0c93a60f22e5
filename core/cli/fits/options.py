"""Options of the commands about fits: made, read, compared, looked ahead, deleted."""

from core.cli.parts import Add, parts_of, takes
from core.text.languages.language import LANGUAGES


def add_fit(add: Add) -> None:
    """Add the commands fit, fit-many and demo."""
    fit = add("fit", "fits.fit:fit", "fit a project's model")
    about = "continue a run that stopped; with --draws, add draws to a finished one"
    takes(fit, {"PROJECT": "", "--resume RUN": about})
    many = add("fit-many", "fits.many:fit_many", "fit many projects at once")
    many.add_argument("projects", metavar="PROJECT", nargs="+")
    many.add_argument(
        "--executor",
        choices=("local", "dask"),
        help="where: this machine, or the Dask cluster of MIXWRIGHT_DASK_SCHEDULER "
        "(dask if that is set)",
    )
    about = "then put them together: what channels of a kind return in one market "
    about += "counts in the others"
    takes(many, {"--together": about})
    demo = add("demo", "fits.demo:demo", "simulate, fit, plan and print, in one go")
    for command in (fit, many, demo):
        numbers = ("chains", "warmup", "draws", "seed")
        takes(command, {f"--{name} N": "" for name in numbers})
        command.add_argument("--precision", choices=("float32", "float64"))
        command.add_argument("--device", choices=("auto", "cpu", "gpu", "tpu"))


def add_results(add: Add) -> None:
    """Add the commands summary, compare and report."""
    about = "ROI, contribution and diagnostics"
    takes(add("summary", "fits.results:summary", about), {"RUN": ""})
    about = "compare fits by fit, forecast and ROI"
    compare = add("compare", "fits.compare:compare", about)
    compare.add_argument("runs", metavar="RUN", nargs=2)
    compare.add_argument("more", metavar="RUN", nargs="*")
    about = "write a report (.html, .pdf, .xlsx, .pptx) or draws (.nc)"
    report = add("report", "fits.results:report", about)
    takes(report, {"RUN": ""})
    report.add_argument(
        "--out",
        metavar="FILE",
        action="append",
        required=True,
        help="a file to write; repeat for several",
    )
    takes(report, {"--plan PLAN": "a saved plan to include (its name or id)"})
    report.add_argument(
        "--language",
        choices=tuple(LANGUAGES),
        help="what the report speaks; the project's [report] language otherwise",
    )


def add_prune(add: Add) -> None:
    """Add the command prune."""
    takes(
        add("prune", "fits.prune:prune_command", "delete old runs permanently"),
        {
            "PROJECT": "",
            "--keep N": "keep the newest N fits and prior checks",
            "--older-than AGE": "keep younger ones: 30d, 12h, 8w",
            "--dry-run": "list them, delete nothing",
        },
    )


def add_priors(add: Add) -> None:
    """Add the command `priors` with its part."""
    about = "priors that a team's other projects suggest"
    top = add("priors", "fits.priors:suggest", about)
    part = parts_of(top)("suggest", "fits.priors:suggest", about)
    takes(part, {"PROJECT": ""})
    part.add_argument(
        "--from",
        dest="others",
        action="append",
        default=[],
        metavar="PROJECT",
        help="ask this project; repeat for several (every one that you may see)",
    )
    takes(
        part,
        {
            "--channel NAME ...": "accept for this channel alone; repeat for several",
            "--kind CHANNEL=KIND ...": "what kind of channel it is, where its name "
            "says something else; kept in project.toml",
            "--accept": "write the suggestions to project.toml",
        },
    )


def add_outlook(add: Add) -> None:
    """Add the commands that look ahead: forecast and backtest."""
    takes(
        add(
            "forecast",
            "fits.forecast:forecast_command",
            "forecast the KPI of the next periods",
        ),
        {
            "RUN": "",
            "--periods N": "how many (26, or what the data allow)",
            "--media PLAN.csv": "media, spend and controls to come; the rest is as a "
            "year earlier",
            "--plan PLAN": "follow a saved plan (its name, id or file): how much of "
            "each channel's media runs, in its periods",
            "--multiply CHANNEL=X ...": "multiply a channel's media and spend",
            "--goal X": "report the odds of reaching X",
            "--out FILE.csv": "write the periods",
        },
    )
    about = "measure forecasts against the past"
    back = add("backtest", "fits.backtest:backtest_command", about)
    takes(
        back,
        {
            "PROJECT": "",
            "--folds N": "origins (4)",
            "--horizon N": "periods of a forecast (8)",
            "--chains N": "of each fit (2)",
            "--draws N": "of each chain (250)",
            "--seed N": "of all randomness (1)",
            "--no-knots": "leave out the comparison with knots",
            "--refresh": "also how far results move when the last 4, 8 and 12 periods "
            "are dropped",
            "--out FILE.json": "write the result",
        },
    )
    back.set_defaults(folds=4, horizon=8, chains=2, draws=250, seed=1)
