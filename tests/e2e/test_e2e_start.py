"""The app opens, on every screen, with nothing in it and with the demo."""

import pytest

SCREENS = ["start", "data", "model", "fit", "channels", "plan", "report"]


@pytest.mark.parametrize("screen", SCREENS)
def test_screen_opens_empty(app, screen):
    app.open("" if screen == "start" else screen)
    app.picture(f"{screen}-empty")
