"""stub"""

import streamlit as st
from pages.ui import layout, navigation


def render() -> None:
    layout.header(navigation.PLAN)
