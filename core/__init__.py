"""Mixwright's core: from a table of media and sales to a budget plan.

    table -> data -> model -> fit -> analysis -> plan -> charts, report

Each stage is a package; a stage imports earlier stages only. NumPy and pandas come
in, labelled xarray goes out, JAX lives between. Nothing here imports streamlit.
"""

from pathlib import Path

__version__ = "0.2.0"

#: What a user types before a command: the wheel brings a program, a clone does not.
PROGRAM = (
    "mixwright"
    if (Path(__file__).parents[1] / "__main__.py").is_file()
    else "python -m core"
)
