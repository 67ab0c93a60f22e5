"""The theme: whoever changes it gets charts of the new one at once.

Charts are drawn for one theme, and Streamlit itself repaints only its own parts.
"""

import streamlit as st

#: Runs when it is mounted, and again whenever the theme is another.
_SCRIPT = """
const grounds = new WeakMap();
export default function ({ parentElement, setTriggerValue }) {
  const style = getComputedStyle(parentElement);
  const ground = style.getPropertyValue("--st-background-color").trim();
  const before = grounds.get(parentElement);
  grounds.set(parentElement, ground);
  if (before && before !== ground) setTriggerValue("changed", true);
}
"""
_COMPONENT = st.components.v2.component("theme", js=_SCRIPT, isolate_styles=False)


def watch() -> None:
    """Draw the screen again when its theme is changed."""
    _COMPONENT(key="theme", height=0, on_changed_change=_heard)


def _heard() -> None:
    """A trigger draws the screen again only where something answers it."""
