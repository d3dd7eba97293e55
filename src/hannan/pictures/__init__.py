"""Drawing curves and trees."""
