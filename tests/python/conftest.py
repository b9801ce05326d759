# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: fallbacks are counted, not announced."""

import os

os.environ.setdefault("SKALD_FALLBACK", "quiet")
# What the compiler makes is looked at, not what it made once.
os.environ.setdefault("SKALD_CACHE", "off")
