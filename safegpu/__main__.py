"""`python -m safegpu` is `safegpu`."""

import sys

from safegpu.cli import main

sys.exit(main())
