"""``python -m accounts.markers``."""

import sys

from accounts.markers.cli import main

sys.exit(main())
