"""`python -m core`: the command line."""

from core.process import collect_little, interruptible, leave

if __name__ == "__main__":
    collect_little()
    with interruptible():
        from core.cli.main import main

        leave(main())
