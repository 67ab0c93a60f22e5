"""The rules of ARCHITECTURE.md, read off the source and off running processes."""

import ast
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.odd_names import bound, is_odd
from tests.string_reads import reads_by_string

ROOT = Path(__file__).resolve().parents[1]

#: Order of the stages: each imports itself and those before it.
STAGES = (
    "process",
    "within",
    "errors",
    "disk",
    "dims",
    "estimate",
    "declared",
    "text",
    "data",
    "toml",
    "model",
    "fit",
    "analysis",
    "plan",
    "experiments",
    "charts",
    "store",
    "team",
    "project",
    "view",
    "report",
    "jobs",
    "service",
    "cli",
    "notebook",
    "mcp",
    "__main__",
)
#: The rooms that faces (the command line, notebooks, screens) are made of.
FACES = {
    "cli": ("core/cli",),
    "notebook": ("core/notebook", "mixwright.py"),
    "pages": ("pages", "app.py"),
    "mcp": ("core/mcp",),
}
FOR_FACES = (
    "service",
    "view",
    "charts",
    "report",
    "text",
    "estimate",
    "disk",
    "errors",
)
#: What faces still import from below the service. A line leaves this file for good.
BELOW = ROOT / "tests/below_the_service.txt"
#: Free of JAX whoever imports them; what the screens reach must be so too.
JAX_FREE = (
    "core.estimate",
    "core.text",
    "core.data",
    "core.analysis.record",
    "core.model.priors.prior",
    "core.model.spec",
    "core.model.priors.elicitation",
    "core.fit.settings",
    "core.experiments",
    "core.charts",
    "core.store",
    "core.team",
    "core.project",
    "core.view",
    "core.service",
)
HEAVY = ("jax", "jaxlib", "tensorflow_probability", "blackjax", "arviz_stats")


def sources(*folders: str) -> list[Path]:
    found = []
    for folder in folders:
        place = ROOT / folder
        found += [place] if place.suffix else place.rglob("*.py")
    return sorted(found)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


class Facts(NamedTuple):
    """What the rules ask of a file, which is parsed once for all of them.

    Attributes:
        imports: Modules that it imports, and whether only inside a function.
        long: Functions of more than 50 lines, with their lines.
        names: Names that it binds.
        odd: How many of them say nothing.
        reads: Values that it reads by a string.
        asked: Names that it asks other modules for.
        passed: Names that it imports and does not use.
    """

    imports: tuple[tuple[str, bool], ...]
    long: dict[str, int]
    names: int
    odd: int
    reads: int
    asked: frozenset[str]
    passed: frozenset[str]


@cache
def facts(path: Path) -> Facts:
    tree = ast.parse(path.read_text())
    nodes = list(ast.walk(tree))
    names = list(bound(nodes))
    return Facts(
        tuple(_imports(nodes)),
        {
            node.name: length(node)
            for node in nodes
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and length(node) > 50
        },
        len(names),
        sum(map(is_odd, names)),
        reads_by_string(tree),
        *_asked_and_passed(nodes),
    )


def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Modules that a file imports, and whether only inside a function."""
    return facts(path).imports


def _imports(nodes: list[ast.AST]) -> list[tuple[str, bool]]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    functions = [node for node in nodes if isinstance(node, kinds)]
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        is_lazy = any(f.lineno <= node.lineno <= f.end_lineno for f in functions)
        found += [(name, is_lazy) for name in names]
    return found


def _asked_and_passed(nodes: list[ast.AST]) -> tuple[frozenset[str], frozenset[str]]:
    names = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    of_modules = {
        f"{names[node.value.id]}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    }
    types = [
        getattr(node, part, None)
        for node in nodes
        for part in ("annotation", "returns")
    ]
    quoted = [str(each.value) for each in types if isinstance(each, ast.Constant)]
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    used.update(*(re.findall(r"\w+", text) for text in quoted))
    return frozenset(names.values()) | of_modules, frozenset(names) - used


def stage(name: str) -> str | None:
    parts = name.split(".")
    return parts[1] if parts[0] == "core" and len(parts) > 1 else None


#: Order of the folders of plan that a plan is made with, as of the stages.
PLAN = ("limits", "response", "money", "scenario", "solve")


def test_limits_and_solvers_of_plan_go_one_way():
    """And what a function imports hides no circle: it is a library's."""
    culprits = []
    for path in sources(*(f"core/plan/{part}" for part in PLAN)):
        own = PLAN.index(module_name(path).split(".")[2])
        culprits += [
            (module_name(path), name)
            for name, is_lazy in imports(path)
            if name.startswith("core.")
            and (
                is_lazy
                or name.startswith("core.plan.")
                and PLAN.index(name.split(".")[2]) > own
            )
        ]
    assert not culprits


def test_folders_of_a_room_do_not_import_each_other():
    files = {module_name(path): path for path in sources("core", "pages")}
    across = set()
    for path in files.values():
        own = path.relative_to(ROOT).parts[:-1]
        for name, _ in imports(path):
            module = name if name in files else name.rpartition(".")[0]
            if module not in files:
                continue
            other = files[module].relative_to(ROOT).parts[:-1]
            room = os.path.commonprefix([own, other])
            depth = len(room)
            if depth and len(own) > depth and len(other) > depth:
                across.add((".".join(room), own[depth], other[depth]))
    both = {
        (room, *sorted(pair)) for room, *pair in across if (room, *pair[::-1]) in across
    }
    # Stages have an order of their own.
    assert not {pair for pair in both if pair[0] != "core"}


def test_a_folder_takes_from_the_level_above_what_does_not_lead_back_to_it():
    """What a folder builds on lies below it, though it stands one level up."""
    files = {module_name(path): path for path in sources("core", "pages")}
    folder = {module: path.parent for module, path in files.items()}
    known = {
        module: {
            name if name in files else name.rpartition(".")[0]
            for name, _ in imports(path)
        }
        & files.keys()
        for module, path in files.items()
    }

    def reached(module: str) -> set[str]:
        """What a module of a level leads to, on that level and in its folders."""
        seen, open_ = set(), {module}
        while open_:
            seen |= open_
            open_ = {
                name
                for one in open_
                for name in known[one] - seen
                if folder[module] in (folder[name], *folder[name].parents)
            }
        return seen

    lead_back = {
        (str(folder[module].relative_to(ROOT)), above)
        for module in files
        for above in known[module]
        if folder[above] in folder[module].parents
        and folder[above] != ROOT / "core"
        and any(folder[name] == folder[module] for name in reached(above))
    }
    assert not lead_back


def test_every_part_of_core_has_its_place():
    parts = {stage(module_name(path)) for path in sources("core")} - {None}
    assert parts <= set(STAGES)


def test_a_stage_imports_earlier_stages_only():
    order = {name: position for position, name in enumerate(STAGES)}
    later = {
        (module_name(path), name)
        for path in sources("core")
        for name, _ in imports(path)
        if order.get(stage(name), -1) > order.get(stage(module_name(path)), -1)
    }
    assert not later


def test_faces_stand_on_the_service():
    """What is new goes through it; what does no more leaves the list."""
    modules = {module_name(path) for path in sources("core")}
    below = set()
    for face, places in FACES.items():
        for path in sources(*places):
            for name, _ in imports(path):
                module = name if name in modules else name.rpartition(".")[0]
                room = stage(module)
                if room in FACES or room in (None, *FOR_FACES):
                    continue
                below.add(f"{face} {module}")
    lines = BELOW.read_text().splitlines()
    listed = {line for line in lines if line and not line.startswith("#")}
    assert sorted(below - listed) == [], "ask core/service instead"
    assert sorted(listed - below) == [], "take these lines out of the list"


def test_names_are_passed_on_only_where_somebody_asks_for_them():
    """What the service and `core.text` import and do not use, which ruff lets pass."""
    every = sources("core", "pages", "app.py", "mixwright.py")
    asked = frozenset().union(*(facts(path).asked for path in every))
    culprits = {
        f"{module_name(path)}.{name}"
        for path in sources("core/service", "core/text/__init__.py")
        for name in facts(path).passed
    } - asked
    assert not culprits


def test_faces_do_not_import_each_other():
    rooms = {"cli": "core.cli", "notebook": "core.notebook", "pages": "pages"}
    rooms |= {"mcp": "core.mcp"}
    culprits = [
        (module_name(path), name)
        for face, places in FACES.items()
        for path in sources(*places)
        for name, _ in imports(path)
        for other, room in rooms.items()
        if other != face and f"{name}.".startswith(f"{room}.")
    ]
    assert not culprits


def test_core_knows_no_screen():
    screens = {"streamlit", "pages", "app", "tests"}
    assert not [
        (module_name(path), name)
        for path in sources("core")
        for name, _ in imports(path)
        if name.split(".")[0] in screens
    ]


def test_screens_and_commands_parse_no_file():
    """What was sent is parsed by core.data.files.reader, in a process of its own."""
    parsers = (
        "core.data.files.load",
        "core.data.files.spreadsheet",
        "core.data.files.delimited",
    )
    assert not [
        (module_name(path), name)
        for path in sources("core/cli", "pages")
        for name, _ in imports(path)
        if name.startswith(parsers)
    ]


def test_nothing_imports_relatively():
    files = sources("core", "pages", "tests")
    relative = re.compile(r"^\s*from\s*\.", re.MULTILINE)
    assert not [path for path in files if relative.search(path.read_text())]


def part(name: str) -> str:
    """The folder of pages/ that a module is in."""
    return name.split(".")[1] if name.count(".") else ""


#: Folders of pages/ that are no screen: each imports itself and those before it.
SHARED = ("access", "ui", "upload", "shell")


def test_screens_do_not_import_each_other():
    culprits = []
    for path in sources("pages"):
        own = part(module_name(path))
        if own == "shell":  # frames every screen
            continue
        allowed = {own, *(SHARED[: SHARED.index(own)] if own in SHARED else SHARED)}
        culprits += [
            (module_name(path), name)
            for name, _ in imports(path)
            if name.startswith("pages.") and part(name) not in allowed
        ]
    assert not culprits


def test_folders_of_core_hold_a_dozen_modules():
    folders = {path.parent for path in sources("core")}
    sizes = {
        str(folder.relative_to(ROOT)): len(list(folder.glob("[a-z]*.py")))
        for folder in folders
    }
    assert not {folder: size for folder, size in sizes.items() if size > 12}


def test_folders_of_pages_stay_small():
    folders = {path.parent for path in sources("pages")} - {ROOT / "pages"}
    sizes = {
        str(folder.relative_to(ROOT)): len(list(folder.glob("[a-z]*.py")))
        for folder in folders
    }
    assert not {folder: size for folder, size in sizes.items() if size > 15}
    assert not list((ROOT / "pages").glob("[a-z]*.py"))


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function):
        lines -= function.body[0].end_lineno - function.body[0].lineno + 1
    return lines


def test_fits_import_no_statistics_that_take_longer_than_what_they_compute():
    """SciPy's take half a second and 40 MB, whoever asks for one function of them."""
    slow = ("scipy.stats", "arviz_stats", "arviz_base")
    culprits = {
        module_name(path): name
        for path in sources("core/model", "core/fit", "core/analysis", "core/jobs")
        for name, _ in imports(path)
        if name.startswith(slow)
    }
    assert not culprits


def test_modules_and_functions_stay_short():
    long = {}
    for path in sources("core", "pages"):
        lines = len(path.read_text().splitlines())
        if lines > 450:
            long[module_name(path)] = lines
        for name, lines in facts(path).long.items():
            long[f"{module_name(path)}.{name}"] = lines
    assert not long


#: Share of names that say what was done to a thing and not what it is; it only shrinks.
MOST_ODD = 0.005


def test_names_say_what_they_hold():
    files = [facts(path) for path in sources("core", "pages")]
    odd = sum(file.odd for file in files)
    names = sum(file.names for file in files)
    assert odd <= MOST_ODD * names, "name it after what it holds"


#: Values that are read by a string in brackets or by `get`: a record has attributes
#: instead. `tests/string_reads.py` says what counts. The number only shrinks.
READ_BY_STRING = 488


def test_results_are_read_by_name():
    """What a fit or a plan says is a record; the fewer strings, the better."""
    files = sources("core", "pages")
    reads = sum(facts(path).reads for path in files)
    assert reads <= READ_BY_STRING, "give what is read a record with attributes"


def test_a_read_by_string_is_counted_unless_it_cannot_be_a_result():
    counted = ("fit['roi']", "fit.get('roi')", "fits[0]['roi']", "frame.attrs['unit']")
    counted += ("def f(rows: Mapping[str, Any]):\n    return rows['roi']",)
    counted += ("def f(view: xr.Dataset):\n    return view.attrs['unit']",)
    counted += ("def f(view: pd.DataFrame):\n    a = view.to_dict()\n    a['roi']",)
    counted += ("def f(a: xr.Dataset):\n    def g(a):\n        a['roi']",)
    others = ("Literal['a']", "os.environ.get('A')", "SIGNS['roi']", "fit[0]", "f.roi")
    others += ("def f(view: xr.Dataset):\n    return view['roi'], view.sizes['time']",)
    others += ("def f(run):\n    a = open_dataset(run, 'b')\n    a.sel(c=1)['roi']",)
    assert {reads_by_string(ast.parse(each)) for each in counted} == {1}
    assert {reads_by_string(ast.parse(each)) for each in others} == {0}


def loaded_by(*parts: str, **variables: str) -> list[set[str]]:
    """Top-level packages in sys.modules after each part of the code, in one process."""
    report = "import sys; print(*{name.split('.')[0] for name in sys.modules})"
    code = "\n".join(line for part in parts for line in (part, report))
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()[-len(parts) :]
    return [set(line.split()) for line in lines]


def reachable(start: set[str]) -> set[str]:
    """Modules of the project that some modules import, in functions too."""
    files = {module_name(path): path for path in sources("core", "pages")}
    files["app"] = ROOT / "app.py"
    seen, waiting = set(), set(start)
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for imported, _ in imports(files[name]):
            parts = imported.split(".")
            parents = {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
            waiting |= (parents & set(files)) - seen
    return seen


#: The app opened in a workspace without a project.
OPENED = """
from streamlit.testing.v1 import AppTest
opened = AppTest.from_file("app.py", default_timeout=300).run()
assert not opened.exception, opened.exception
"""


@cache
def loaded_by_screens() -> list[set[str]]:
    """What a process loads that opens the app, then every module of screens, then all
    that must be free of JAX.
    """
    screens = {module_name(path) for path in sources("pages")}
    free = {
        module_name(path)
        for path in sources("core")
        if any(f"{module_name(path)}.".startswith(f"{name}.") for name in JAX_FREE)
    }
    wanted = (reachable(screens | {"app"}) | free) - {"app"}
    assert {"pages.plan.screen", "core.project.shelf.store"} <= wanted
    rooms = (sorted(screens), sorted(wanted))
    imported = ("\n".join(f"import {name}" for name in names) for names in rooms)
    with tempfile.TemporaryDirectory() as home:
        return loaded_by(OPENED, *imported, MIXWRIGHT_HOME=home)


def test_the_web_process_never_loads_jax():
    assert not loaded_by_screens()[-1] & set(HEAVY)


def test_opening_the_app_loads_nothing_slow():
    loaded = loaded_by_screens()[0]
    assert "streamlit" in loaded
    assert not loaded & {"scipy", "matplotlib", "altair", "openpyxl", *HEAVY}


def test_pages_load_nothing_slow_when_imported():
    loaded = loaded_by_screens()[1]
    assert not loaded & {"scipy", "matplotlib", "altair", "openpyxl", *HEAVY}


def test_commands_load_what_they_need_and_no_more():
    """Half a second of imports is half a second of every `--help` and `summary`."""
    tables = {"pandas", "pyarrow", "xarray", "scipy", *HEAVY}
    line, results = loaded_by("import core.cli.main", "import core.cli.fits.results")
    assert not line & {"numpy", "jaxtyping", *tables}
    assert not results & tables
