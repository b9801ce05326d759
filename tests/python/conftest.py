# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: fallbacks are counted, not announced."""

import os

os.environ.setdefault("SKALD_FALLBACK", "quiet")
