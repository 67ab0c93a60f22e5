#!/usr/bin/env bash
# Makes the virtual environment: bash tools/setup.sh .venv
#
# Installs with uv where it is there or can be had from the package index, else with
# pip. Where Python comes without venv and pip (Debian's bare python3), it gets them
# with apt as root. The index settings of pip in the environment hold for uv too.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE

VENV=$1
UV_PIN=0.13.8
REQUIREMENTS=${2:-requirements-dev.txt}
# Someone who watches sees progress; a log does not.
QUIET=-q
if [ -t 2 ]; then QUIET=; fi

say() { echo "setup: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

# --- a Python that is new enough ----------------------------------------------------
is_new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
    if [ -n "$candidate" ] && is_new_enough "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  fail "Python 3.11 or newer was not found. Install it, or name it: make PYTHON=/path"
}

# --- installers ---------------------------------------------------------------------
# uv does not read pip's settings; hand them over where uv has none of its own.
share_index_settings() {
  local index=${PIP_INDEX_URL:-} extra=${PIP_EXTRA_INDEX_URL:-}
  [ -n "$index" ] || index=$("$1" -m pip config get global.index-url 2>/dev/null || true)
  [ -z "$index" ] || export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index}
  [ -z "$extra" ] || export UV_INDEX=${UV_INDEX:-$extra}
  [ -z "${PIP_CERT:-}" ] || export SSL_CERT_FILE=${SSL_CERT_FILE:-$PIP_CERT}
}

apt_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "installing $* with apt"
  DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends "$@" >&2
}

# Makes .venv with Python's own venv, which Debian packs apart from Python.
make_venv() {
  is_new_enough "$VENV/bin/python" && return
  "$1" -c 'import ensurepip, venv' 2>/dev/null ||
    apt_install "$(basename "$(readlink -f "$1")")-venv" ||
    fail "Python at $1 has no venv. Install it, for example:" \
      "apt-get install python3-venv"
  "$1" -m venv --clear "$VENV"
}

# Prints the path of uv: the machine's, or one in a folder of its own beside .venv.
find_uv() {
  local python=$1 private=$VENV.uv
  if command -v uv >/dev/null && uv --version >/dev/null 2>&1; then
    command -v uv
    return
  fi
  if [ ! -x "$private/bin/uv" ]; then
    if ! "$python" -m pip --version >/dev/null 2>&1; then
      make_venv "$python" >&2
      python=$VENV/bin/python
    fi
    "$python" -m pip install -q --disable-pip-version-check --no-deps \
      --target "$private" "uv==$UV_PIN" >&2 || return
  fi
  echo "$private/bin/uv"
}

install_with_uv() {
  local uv=$1 python=$2
  export UV_PYTHON_DOWNLOADS=never UV_HTTP_TIMEOUT=${UV_HTTP_TIMEOUT:-180}
  is_new_enough "$VENV/bin/python" ||
    "$uv" venv -q --clear --no-project --python "$python" "$VENV" || return
  "$uv" pip install $QUIET --compile-bytecode --python "$VENV/bin/python" \
    -r "$REQUIREMENTS"
}

install_with_pip() {
  make_venv "$1"
  "$VENV/bin/python" -m pip --version >/dev/null 2>&1 ||
    "$VENV/bin/python" -m ensurepip >/dev/null
  "$VENV/bin/python" -m pip install $QUIET --disable-pip-version-check -r "$REQUIREMENTS"
}

# --- the work -----------------------------------------------------------------------
python=$(find_python)
share_index_settings "$python"
uv=$(find_uv "$python") || uv=
if [ -n "$uv" ]; then
  say "installing packages into $VENV with $uv"
  install_with_uv "$uv" "$python" && exit 0
  say "uv did not succeed; trying pip"
fi
say "installing packages into $VENV with pip"
install_with_pip "$python" || fail "the packages could not be installed; see above"
