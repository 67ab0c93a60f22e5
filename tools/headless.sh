#!/usr/bin/env bash
# Prints true where no browser window can open, else false.
if [ "$(uname)" = Darwin ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo false
else
  echo true
fi
