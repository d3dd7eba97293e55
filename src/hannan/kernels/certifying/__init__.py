"""Regret minimisation on a trunk that grows, and playthroughs of compiled rules that make it grow."""
