"""What one player gains by another strategy: responses that were computed, learnt or given, measured in fresh plays."""
