"""Full-width methods: `engine.py` for all of them, and one CFR variant a file.

To add a variant, subclass `FullWidth` and write its `step`. Where the loops run is in `hannan.layouts.backend`.
"""
