"""``python -m expr_builder.markers``."""

import sys

from .cli import main

sys.exit(main())
