"""Mixwright in a browser: page, navigation, and the place where errors are shown."""

import sys
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from pages.ui import garbage, guard, layout, navigation, sidebar  # noqa: E402

garbage.spare_modules()
garbage.give_back()
st.set_page_config(
    page_title="Mixwright",
    page_icon=str(HERE / "assets" / "icon.png"),
    layout="wide",
    initial_sidebar_state="expanded",
)
st.logo(
    str(HERE / "assets" / f"logo-{layout.theme()}.svg"),
    icon_image=str(HERE / "assets" / "icon.svg"),
)
st.html(HERE / "assets" / "style.css")
with guard.errors_shown():
    screen = st.navigation(navigation.pages(), position="hidden")
    sidebar.show(screen.url_path)
    screen.run()
