"""Drawing curves."""
