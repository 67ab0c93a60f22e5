"""Navigation: the screens in the order of work, and how to get from one to another."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from core.text.languages.language import marked, say
from pages.ui import state


@dataclass(frozen=True)
class Screen:
    """One screen.

    Attributes:
        name: Its folder in pages/ and its address.
        title: Its name on screen.
        question: What it answers.
        icon: Its icon.
        step: Its place in the order of work; None for what is no step.
    """

    name: str
    title: str
    question: str
    icon: str
    step: int | None = None


START = Screen(
    "start", marked("Projects"), marked("Which project?"), ":material/folder_open:"
)
DATA = Screen(
    "data",
    marked("Data"),
    marked("Is this data good enough?"),
    ":material/table_chart:",
    1,
)
MODEL = Screen(
    "model", marked("Model"), marked("What do we assume?"), ":material/tune:", 2
)
EXPERIMENTS = Screen(
    "experiments",
    marked("Experiments"),
    marked("What do tests say?"),
    ":material/science:",
)
FIT = Screen(
    "fit",
    marked("Fit"),
    marked("Can the result be trusted, and when is it ready?"),
    ":material/function:",
    3,
)
CHANNELS = Screen(
    "channels",
    marked("Channels"),
    marked("What did each channel return, and how sure are we?"),
    ":material/bar_chart:",
    4,
)
PLAN = Screen(
    "plan",
    marked("Plan"),
    marked("How should the next budget be spent, and is it worth changing?"),
    ":material/savings:",
    5,
)
FORECAST = Screen(
    "forecast",
    marked("Forecast"),
    marked("What comes next under the plan, and will it reach the goal?"),
    ":material/trending_up:",
)
COMPARE = Screen(
    "compare",
    marked("Compare"),
    marked("Which plan is better, and do two fits give the same answer?"),
    ":material/compare_arrows:",
)
REPORT = Screen(
    "report", marked("Report"), marked("What do I send?"), ":material/description:"
)
HISTORY = Screen(
    "history",
    marked("History"),
    marked("What is new, what did it change, and who did what?"),
    ":material/history:",
)

HELP = Screen(
    "help",
    marked("Help"),
    marked("How do I do this, and what does that mean?"),
    ":material/help:",
)

SCREENS = (START, DATA, MODEL, EXPERIMENTS, FIT, CHANNELS, PLAN)
#: What comes after the steps.
AFTER = (FORECAST, COMPARE, REPORT, HISTORY, HELP)
SCREENS += AFTER
#: What the side bar shows with its state: the steps, and tests, which are optional.
WORK = tuple(
    screen for screen in SCREENS if screen not in AFTER and screen is not START
)


def page(screen: Screen) -> st.Page:
    """The screen as Streamlit's navigation wants it."""
    render = importlib.import_module(f"pages.{screen.name}.screen").render
    return st.Page(
        render,
        title=say(screen.title),
        icon=screen.icon,
        url_path=screen.name,
        default=screen is START,
    )


def pages() -> list[st.Page]:
    """Every screen."""
    return [page(screen) for screen in SCREENS]


def address(screen: Screen) -> dict[str, str]:
    """What the address of a screen of the open project carries.

    Args:
        screen: The screen that it leads to.

    Returns:
        Project, fit, what is typed and not saved yet, and the views of that screen as
        they were last chosen; views of other screens would say nothing there.
    """
    parameters = {key: value for key, value in st.query_params.items() if key in _KEPT}
    own = {key: state.draft(_CHOICE + key) for key in _of(screen.name, _CHOICES)}
    for key in _of(screen.name, _VIEWS):  # what is chosen in this run is not kept yet
        own[key] = state.widget(key, None) or own[key]
    return parameters | {
        key: choice for key, choice in own.items() if choice is not None
    }


def _of(name: str, keys: Sequence[str]) -> list[str]:
    """Those of the keys that are of a screen."""
    return [key for key in keys if key.startswith(f"{name}.")]


#: The page of Help that explains terms.
_GLOSSARY = "glossary"
#: The draft that holds which screen is drawn.
_SCREEN = "screen"
#: Controls of `view`, whose choice is in the address of their screen.
_VIEWS = ("plan.over", "channels.view", "model.view", "compare.view", "forecast.view")
_VIEWS += ("history.view", "experiments.view")
#: How drafts begin that hold which view the address said when it was last drawn.
_VIEW = "address.view."
#: What the address of every screen carries.
_KEPT = ("project", "run", "embed", "embed_options")
#: What was typed into a plan or a test and is not saved: F5 anywhere keeps it.
_KEPT += ("draft", "hand", "geos", "test")
#: Views and periods that the address of their screen holds (`bind`, `remember`).
_CHOICES = (*_VIEWS, "channels.period", "plan.view", "model.mode")
_CHOICES += ("forecast.periods", "forecast.of")
#: How drafts begin that hold them while another screen is open.
_CHOICE = "address.choice."


def asked(name: str) -> str | None:
    """What the address has for a choice of a screen; None where it has nothing."""
    return st.query_params.get(name)


def remember(name: str, choice: str | None) -> None:
    """Have the address hold a choice of a screen; None for the usual one."""
    state.keep(_CHOICE + name, choice)
    if choice is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != choice:
        st.query_params[name] = choice


def view(
    label: str, views: Sequence[str], *, key: str, usual: str | None = None
) -> str:
    """A screen's views to choose from; the address holds the one that is chosen.

    So F5, a copied link and the browser's back and forward keep it. Streamlit's own
    binding drops it from the address of the screen that is left.

    Args:
        label: What is chosen, for who cannot see it.
        views: The views.
        key: Of the control, and of the parameter of the address.
        usual: The view that opens; None for the first.
    """
    usual, last = usual or views[0], state.draft(f"{_VIEW}{key}")
    inside = asked(key) or usual
    if inside in views and last is not None and inside != last:
        state.put(key, inside)  # back, forward, or a link
    elif state.widget(key, None) not in views:
        state.put(key, inside if inside in views else usual)
    chosen = st.segmented_control(
        label,
        views,
        format_func=say,
        required=True,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
        wrap=True,
    )
    state.keep(f"{_VIEW}{key}", chosen)
    if chosen != inside:
        remember(key, chosen)
    return chosen


def linked_plan() -> str | None:
    """The saved plan that the address asks for; None once the form has it."""
    plan_id = st.query_params.get("plan")
    return None if plan_id == state.draft("linked") else plan_id


def link_plan(plan_id: str) -> None:
    """Let the address open the saved plan that the form has by now."""
    st.query_params["plan"] = plan_id
    state.keep("linked", plan_id)


def link_to_plan(plan_id: str) -> str:
    """The address that opens a saved plan of the open project."""
    here = (st.context.url or f"/{PLAN.name}").partition("?")[0]
    query = {"project": state.project_name() or "", "plan": plan_id}
    return f"{here}?{urlencode(query)}"


def help_on(screen: Screen) -> str:
    """The address, from any screen, of what Help says about one."""
    return f"{HELP.name}?{urlencode(address(HELP) | {'about': screen.name})}"


def columns_explained(screen: Screen | None = None) -> None:
    """A line below a table: the way to what its columns mean.

    The tooltip of a column's head closes before a link in it can be reached.

    Args:
        screen: Whose part of Help explains them; None for the glossary.
    """
    place = {"read": _GLOSSARY} if screen is None else {"about": screen.name}
    where = f"{HELP.name}?{urlencode(address(HELP) | place)}"
    # No caption: a link in its grey is too pale to read.
    st.markdown(f":small[[{say('What each column says')}]({where})]", width="content")


def arrive(name: str) -> None:
    """Note which screen is drawn, and what its address says.

    Its tooltips lead to what Help says about it; links back to it keep its views.

    Args:
        name: The screen's address.
    """
    state.keep_of_app(_SCREEN, name)
    for key in _of(name, _CHOICES):
        state.keep(_CHOICE + key, asked(key))


def explained(text: str, screen: Screen | None = None) -> str:
    """A tooltip that ends with the way to what Help says about its screen.

    Args:
        text: What the thing is.
        screen: The screen that it is on; None for the one that is drawn.
    """
    name = state.draft_of_app(_SCREEN)
    place = screen or next((each for each in SCREENS if each.name == name), None)
    return text if place is None else f"{text} [{say('Help')}]({help_on(place)})"


def tip(text: str, /, **places: object) -> str:
    """`explained`, of a message that is said here.

    Args:
        text: The message, as `say` has it.
        places: What stands in its places.
    """
    return explained(say(text, **places))


def go(screen: Screen) -> None:
    """Switch to a screen now."""
    st.switch_page(page(screen), query_params=address(screen))


def go_button(
    screen: Screen, label: str, *, primary: bool = True, why: str = ""
) -> None:
    """A button that leads to a screen.

    Args:
        screen: Where it leads.
        label: What it says.
        primary: Whether it is what comes next.
        why: A word for its key, where another button may lead to the same screen.
    """
    kind, key = "primary" if primary else "secondary", f"go.{screen.name}"
    key = f"{key}.{why}" if why else key
    if st.button(label, key=key, type=kind, icon=screen.icon):
        go(screen)


def open_project(name: str, screen: Screen = DATA) -> None:
    """Open a project and go to a screen of it."""
    state.open_project(name)
    go(screen)
