"""Settings for the whole suite: drawn examples are the same in every run, and none fails for being slow."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("hannan", derandomize=True, deadline=None, max_examples=25, print_blob=True)
settings.load_profile("hannan")
