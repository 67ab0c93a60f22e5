#!/usr/bin/env bash
# Sees to a browser for the tests: bash tools/browser.sh .venv
#
# Takes what is there (E2E_CHROMIUM, Playwright's own, the system's Chromium). Where
# nothing is: apt as root on Debian, else Playwright's download; of both the shell
# without windows, which takes less of the processor. Always exits 0; the tests
# themselves say when there is no browser.
set -uo pipefail
PYTHON=$1/bin/python

found() { "$PYTHON" tools/browser.py; }

found && exit 0
if [ "$(id -u)" = 0 ] && grep -qs '^ID=debian' /etc/os-release; then
  echo "browser: installing chromium-headless-shell and a font with apt" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  for package in chromium-headless-shell chromium; do
    apt-get install -y -qq --no-install-recommends $package fonts-dejavu-core >&2
    found && exit 0
  done
fi
echo "browser: trying Playwright's own" >&2
deps=$([ "$(id -u)" = 0 ] && echo --with-deps)
timeout 180 "$PYTHON" -m playwright install $deps --only-shell chromium >&2
found || echo "browser: none found; the browser tests cannot run" >&2
exit 0
