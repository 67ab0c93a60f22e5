"""Mixwright in a browser: page, navigation, and the place where errors are shown.

`streamlit run app.py` finds `app` and imports this file before the first visitor comes;
for every visitor it then runs the file as a script.
"""

import sys
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from core.service import runs  # noqa: E402
from core.service.projects import version  # noqa: E402
from core.service.projects.access import set_sign_in  # noqa: E402
from core.text.languages.language import set_language, spoken_in  # noqa: E402
from core.text.languages.locale import set_locale, written_in  # noqa: E402
from pages.access import proxy, signed_in  # noqa: E402
from pages.shell import endpoints, garbage, meanwhile, sidebar, sign_in  # noqa: E402
from pages.ui import guard, layout, navigation, reading  # noqa: E402
from pages.ui.reader import tongue  # noqa: E402

set_sign_in(signed_in.person)
set_locale(reading.locale)
set_language(tongue.chosen)


def run() -> None:
    """Draw the screen that the address names."""
    garbage.spare_modules()
    garbage.give_back()
    st.set_page_config(
        page_title="Mixwright",
        page_icon=str(HERE / "assets" / "icon.png"),
        layout="wide",
        initial_sidebar_state="auto",  # closed where it would cover a phone
    )
    st.logo(
        str(HERE / "assets" / f"logo-{layout.theme()}.svg"),
        icon_image=str(HERE / "assets" / "icon.svg"),
    )
    st.html(HERE / "assets" / "style.css")
    with spoken_in(tongue.chosen()), guard.errors_shown() as drawing:
        tongue.own_words()
        backed_up = version.opened()
        screen = st.navigation(navigation.pages(), position="hidden")
        drawing.page = screen.url_path or navigation.START.name
        if not sign_in.is_open():
            return
        if backed_up:
            st.toast(backed_up, icon=":material/backup:", duration="infinite")
        with written_in(reading.chosen_locale()):
            follow = sidebar.show(screen)
            meanwhile.ask()
            screen.run()
            follow()
            layout.settle()


if __name__ == "__main__":
    run()
else:  # the server
    # Streamlit takes any folder called pages/ for its old multipage mode until a
    # session has run `st.navigation`: a link to /plan, opened first, would be answered
    # "Page not found".
    PagesManager.uses_pages_directory = False
    proxy.note_connections()
    runs.keep_warm()
    guarded = [Middleware(proxy.TrustedProxy)]
    app = App(__file__, routes=endpoints.routes(), middleware=guarded)
