# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: fallbacks are counted, not announced; a fixture for plans that are compiled at once."""

import os

import pytest

os.environ.setdefault("SKALD_FALLBACK", "quiet")
# What the compiler makes is looked at, not what it made once.
os.environ.setdefault("SKALD_CACHE", "off")
# Every pass that a plan goes through is checked.
os.environ.setdefault("SKALD_VERIFY_PLANS", "1")


@pytest.fixture
def compiled():
    """Every plan is compiled when it is met; skipped where there is no compiler."""
    import skald
    from skald import _core
    try:
        _core.set_option("evaluator", "compiled")
    except RuntimeError as problem:
        pytest.skip(str(problem))
    yield
    skald.flush()
    _core.set_option("evaluator", "auto")
    assert _core.compile_failures() == []
