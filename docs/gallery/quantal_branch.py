"""The branch of quantal response equilibria

From choosing at random (λ = 0) to a Nash equilibrium, in a game in which one payoff is much larger than the
others.
"""

import hannan as hn

game = hn.matrix_game([[[9, 0], [0, 1]], [[0, 1], [1, 0]]], rows=["up", "down"], columns=["left", "right"])
hn.solutions.draw_branch("quantal_branch.svg", hn.qre(game))
