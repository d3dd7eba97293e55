"""What one player gains by another strategy: responses, computed, learnt, searched for or given, and measured."""
