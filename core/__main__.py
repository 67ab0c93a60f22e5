"""`python -m core`: the command line."""

import os
import sys

try:
    from core.process import collect_little, hide_dask, interruptible, leave
except KeyboardInterrupt:  # before there is anything to say it with
    sys.stderr.write("Stopped.\n")
    os._exit(130)

if __name__ == "__main__":
    collect_little()
    hide_dask()
    with interruptible():
        from core.cli.main import main

        leave(main())
