"""What a person does in the browser, and what must never happen meanwhile."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from e2e_answers import Answers
from playwright.sync_api import BrowserContext, Locator, Page, Request, expect

SCREENSHOTS = Path(
    os.environ.get(
        "MIXWRIGHT_SCREENSHOT_DIR",
        Path(__file__).resolve().parents[2] / "docs/screenshots",
    )
)
#: Streamlit probes these under the address of a page, and is answered 404.
PROBES = ("/_stcore/health", "/_stcore/host-config")
PATIENCE = 60_000
VIEWPORT = {"width": 1440, "height": 900}
#: What a context is made with where a test says nothing else.
WINDOW = {"viewport": VIEWPORT, "locale": "en-GB", "color_scheme": "light"}
expect.set_options(timeout=PATIENCE)  # five seconds are few on a busy machine


@contextmanager
def watched() -> Iterator["list[Browser]"]:
    """A list for browsers: at the end they are closed, and nothing went wrong."""
    browsers: list[Browser] = []
    yield browsers
    problems = [problem for browser in browsers for problem in browser.problems]
    for browser in browsers:
        browser.context.close()
    assert problems == []


class Browser:
    """One tab of one person, with everything that went wrong in it."""

    def __init__(self, context: BrowserContext, url: str):
        self.url = url
        self.context = context
        self.problems: list[str] = []
        self.expects_outage = False
        context.set_default_timeout(PATIENCE)
        context.on("request", self._only_the_app)
        # Downloads of tables then come as downloads, not through a file dialog.
        context.add_init_script("window.showSaveFilePicker = undefined")
        self.page = self._watched(context.new_page())

    def _only_the_app(self, request: Request) -> None:
        """No name but the server's is looked up (`FLAGS`); here it is noted.

        Nothing is held up by a route, which would keep the browser from its cache.
        """
        given = urlsplit(request.url)
        is_inside = given.scheme in ("data", "blob")
        if not is_inside and given.netloc != urlsplit(self.url).netloc:
            self.problems.append(f"request outside the app: {request.url}")

    def _watched(self, page: Page) -> Page:
        self.answers = Answers(page)
        page.on("pageerror", lambda error: self._note(f"page error: {error}"))
        page.on("console", self._console)
        return page

    def _console(self, message) -> None:
        where = urlsplit(message.location.get("url", "")).path
        if message.type == "error" and not where.endswith(PROBES):
            self._note(f"console error: {message.text} ({where})")

    def _note(self, problem: str) -> None:
        if not self.expects_outage:
            self.problems.append(problem)

    def forget(self) -> None:
        """Be as new: nothing is known of what was done before."""
        if self.page.url.startswith(self.url):
            self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
            self.page.goto("about:blank")
        self.context.clear_cookies()
        self.problems.clear()

    # --- going about -------------------------------------------------------------

    def open(self, screen: str = "", project: str = "", **query: str) -> None:
        """Go to a screen by its address."""
        given = {"project": project, **query} if project else query
        words = "&".join(f"{key}={quote(value)}" for key, value in given.items())
        self.page.goto(f"{self.url}/{screen}?{words}")
        self.wait_idle()

    def turn(self, screen: str, project: str) -> None:
        """Go to a screen of a project, whatever its language and the window's width.

        By its link in the side bar, be it out of sight, where a screen of the project
        is open: loading the page anew takes twice the time.
        """
        here = urlsplit(self.page.url)
        if not self.page.url.startswith(self.url) or (
            project not in parse_qs(here.query).get("project", ())
        ):
            self.open(screen, project)
            return
        side = self.page.get_by_test_id("stSidebar")
        side.locator(f"a[href^='{screen}?']").dispatch_event("click")
        self.page.wait_for_url(f"{self.url}/{screen}?*")
        self.wait_idle()

    def go(self, title: str) -> None:
        """Go to a screen by the side bar."""
        link = self.page.get_by_test_id("stSidebar").get_by_test_id(
            "stPageLink-NavLink"
        )
        link.filter(has_text=re.compile(title)).first.click()
        expect(self.page.get_by_role("heading", name=title, exact=True)).to_be_visible()
        self.wait_idle()

    def wait_idle(self) -> None:
        """Wait until the script has run and everything is drawn."""
        app = "[data-testid='stApp'][data-test-connection-state='CONNECTED']"
        self.page.locator(app).wait_for(state="attached")
        self._await_answer()
        idle = "[data-testid='stApp'][data-test-script-state='notRunning']"
        self.page.locator(idle).wait_for(state="attached")
        expect(self.page.get_by_test_id("stSkeleton")).to_have_count(0)
        self.expect_no_exception()

    def _await_answer(self) -> None:
        give_up = time.monotonic() + PATIENCE / 1000
        self.page.wait_for_timeout(50)  # what was done becomes a message
        while self.answers.owed():
            assert time.monotonic() < give_up, "the script has not ended"
            self.page.wait_for_timeout(20)

    def press_cell(self, key: str, position: dict[str, int]) -> None:
        """Press a cell of a table that one types into; its box becomes an answer late.

        Args:
            key: Of the table.
            position: Of the cell in the table, CSS pixels.
        """
        before, give_up = self.answers.asked, time.monotonic() + PATIENCE / 1000
        self.by_key(key).locator(".dvn-scroller").click(position=position)
        while self.answers.asked == before:
            assert time.monotonic() < give_up, "the press asked for nothing"
            self.page.wait_for_timeout(20)
        self.wait_idle()

    def expect_no_exception(self) -> None:
        expect(self.page.get_by_test_id("stException")).to_have_count(0)
        bug = self.page.get_by_test_id("stAlert").filter(
            has_text="Something went wrong"
        )
        expect(bug).to_have_count(0)

    # --- hands and eyes ----------------------------------------------------------

    def by_key(self, key: str) -> Locator:
        """The element with a Streamlit key, or whose key begins so and a dot."""
        name = re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())
        return self.page.locator(f".st-key-{name}, [class*=' st-key-{name}-']").first

    def click(self, key: str) -> None:
        self.by_key(key).get_by_role("button").first.click()

    def fill_number(self, key: str, value: float) -> None:
        field = self.by_key(key).locator("input").first
        field.fill(str(value))
        field.press("Enter")
        self.wait_idle()

    def choose(self, key: str, label: str) -> None:
        """Choose a view of a segmented control, or an option of a list."""
        inside = self.by_key(key)
        option = inside.get_by_role("radio", name=label, exact=True)
        if option.count():
            option.first.click()
        else:
            inside.get_by_role("combobox").click()
            self.page.get_by_role("option", name=label, exact=True).click()
        self.wait_idle()

    def upload(self, key: str, file: Path | dict) -> None:
        self.by_key(key).locator("input[type=file]").set_input_files(file)

    def download(self, key: str) -> Path:
        """Press a download button; returns the file."""
        with self.page.expect_download() as waiting:
            self.click(key)
        given = waiting.value
        assert given.failure() is None
        path = Path(given.path())
        return path.rename(path.with_name(f"{path.name}-{given.suggested_filename}"))

    def plan_file(self, kind: str) -> Path:
        """A file of the plan on screen, from its exports."""
        self.click("plan.export")
        path = self.download(f"plan.{kind}")
        self.page.keyboard.press("Escape")
        return path

    def unfold(self, key: str) -> None:
        """Open a box that is folded."""
        self.by_key(key).locator("summary").first.click()
        self.wait_idle()

    def expect_text(self, text: str | re.Pattern, timeout: float = PATIENCE) -> None:
        # Cells of tables are in the page as hidden text, too.
        shown = self.page.get_by_test_id("stMain").get_by_text(text)
        expect(shown.filter(visible=True).first).to_be_visible(timeout=timeout)

    def expect_in_page(self, text: str) -> None:
        """The text is somewhere on the screen, be it in a chart or a table."""
        expect(self.page.get_by_test_id("stMain")).to_contain_text(text)

    def expect_gone(self, text: str | re.Pattern) -> None:
        expect(self.page.get_by_test_id("stMain").get_by_text(text)).to_have_count(0)

    def expect_charts(self, at_least: int) -> None:
        """As many charts are drawn, or more, with something in them."""
        last = self.page.locator(".js-plotly-plot").nth(at_least - 1)
        last.locator(".main-svg").first.wait_for()

    # --- pictures ----------------------------------------------------------------

    def picture(self, name: str, choose: str = "") -> None:
        """Keep a picture in docs/screenshots, light and dark, where that was asked.

        The page is loaded anew for each, because charts are drawn for one theme.

        Args:
            name: Of the file, without theme and ending.
            choose: A view to choose first, by the label of its button.
        """
        if os.environ.get("MIXWRIGHT_SCREENSHOTS") != "1":
            return
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for theme in ("dark", "light"):
            self.page.emulate_media(color_scheme=theme)
            self.page.reload()
            self.wait_idle()
            if choose:
                main = self.page.get_by_test_id("stMain")
                main.get_by_role("radio", name=choose, exact=True).first.click()
                self.wait_idle()
            self.page.wait_for_timeout(1500)  # charts are drawn without a sign
            self.page.screenshot(path=SCREENSHOTS / f"{name}-{theme}.png")
