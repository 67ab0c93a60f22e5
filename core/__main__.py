"""`python -m core`: the command line."""

from core.process import collect_little, leave

if __name__ == "__main__":
    collect_little()
    from core.cli.main import main

    leave(main())
