"""Responses of one player to a strategy: computed, learnt, found by a search or given, and the gains they bring."""
