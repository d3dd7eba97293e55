"""Proofs from playthroughs alone of how exploitable a strategy is: trunks, confidence, Algorithms 6.1 and 7.2, files.

B. H. Zhang, T. Sandholm (2021), Finding and certifying (near-)optimal strategies in black-box extensive-form games.
Definitions, equations and algorithms have the numbers of this paper.
"""
