"""``python -m expr_builder``: the command line, also where the wheel's command is not on the PATH."""

import sys

from .cli import main

sys.exit(main())
