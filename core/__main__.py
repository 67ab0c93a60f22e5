"""`python -m core`: the command line."""

from core.process import collect_little, hide_dask, interruptible, leave

if __name__ == "__main__":
    collect_little()
    hide_dask()
    with interruptible():
        from core.cli.main import main

        leave(main())
