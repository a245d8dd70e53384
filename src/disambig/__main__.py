"""The command line as a module: ``python -m disambig``."""

import sys

from disambig.cli import main

if __name__ == "__main__":
    sys.exit(main())
