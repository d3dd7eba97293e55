"""Export to OpenSpiel: strategies as policies, and rules as games."""
