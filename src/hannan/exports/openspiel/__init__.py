"""To OpenSpiel: strategies as its policies, and rules as its games."""
