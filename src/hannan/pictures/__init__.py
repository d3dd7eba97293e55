"""Drawing curves, trees, quantal response branches and portraits of learning."""
