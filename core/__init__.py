"""Mixwright's core: from a table of media and sales to a budget plan.

    table -> data -> model -> fit -> analysis -> plan -> charts, report

Each stage is a package; a stage imports earlier stages only. NumPy and pandas come
in, labelled xarray goes out, JAX lives between. Nothing here imports streamlit.
"""
