"""Parts on their own: a gradient, first draws of a process, plans.

python -m bench.parts       writes bench/PARTS.md, minutes
"""

import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
PARTS = {
    "bench.gradient": "A gradient of the log density",
    "bench.first_draw": "First draws of a process, national_media in float32",
    "bench.planner": "A plan on the channel level",
    "bench.flighting": "A plan of weeks",
}


def main() -> None:
    """Run each, print what it says, and write it."""
    sections = [
        "# Parts\n\nWritten by `python -m bench.parts`, which `make bench` runs last. "
        f"{date.today()}, {os.cpu_count()} CPU cores ({platform.machine()}), Python "
        f"{platform.python_version()}, jax {version('jax')}."
    ]
    for module, title in PARTS.items():
        done = subprocess.run(
            [sys.executable, "-m", module],
            cwd=HERE.parent,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        sections.append(f"## {title}\n\n{done.stdout.strip()}")
        print(sections[-1], "\n", flush=True)
    text = "\n\n".join(sections)
    text = text.replace("\n\n\n", "\n\n")
    (HERE / "PARTS.md").write_text(text + "\n")


if __name__ == "__main__":
    main()
