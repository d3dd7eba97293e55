"""Proving from playthroughs alone how exploitable a strategy is: trunks, confidence, Algorithm 6.1, certificate files.

B. H. Zhang, T. Sandholm (2021), Finding and certifying (near-)optimal strategies in black-box extensive-form games.
Definitions, equations and algorithms are numbered as there.
"""
