"""Full-width methods: `engine.py` for all of them, and one file per CFR variant.

To add a variant, subclass `FullWidth` and write its `step`. `hannan.layouts.backend` decides where the loops run.
"""
