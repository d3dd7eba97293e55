"""Tests of what poker players read in a strategy."""
