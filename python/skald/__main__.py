# SPDX-License-Identifier: Apache-2.0
"""python -m skald [options] script.py [arguments]: runs a NumPy script on Skald."""

import sys

from .launcher import main

sys.exit(main(sys.argv[1:]))
