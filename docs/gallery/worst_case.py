"""A worst case of tree search

The game that Lisý and others (2013) found worst for regret matching: two joint moves, 2 × 2 each time. The
shortfall comes down to a floor that constant exploration, γ = 0.05, causes, 0.0125 for play that is optimal but for
exploration, and no lower.
"""

import matplotlib.pyplot as plt

import hannan as hn

LEAVES = {
    (0, 0): [[0, 0], [0.5, 0.5]],
    (0, 1): [[0, 1], [1, 0]],
    (1, 0): [[0, 0], [0.5, 0.5]],
    (1, 1): [[1, 0], [1, 0]],
}


class WorstCase(hn.Rules):
    """The state holds the joint moves."""

    def start(self):
        return ()

    def turn(self, state):
        return hn.END if len(state) == 2 else (0, 1)

    def actions(self, state, player):
        return [0, 1]

    def after(self, state, move):
        return (*state, tuple(move))

    def observe(self, state, player):
        return state[-1] if state else None

    def gains(self, state):
        paid = LEAVES[state[0]][state[1][0]][state[1][1]] if len(state) == 2 else 0
        return (paid, -paid)


counts = [10 * 4**k for k in range(8)]
figure, axes = plt.subplots(figsize=(7, 4))
for rule, mark in (("rm", "o-"), ("rm-mean", "s--")):
    found = [hn.search(WorstCase(), rule, gamma=0.05, bounds=(0, 1), iterations=count, seed=3) for count in counts]
    axes.loglog(counts, [result.shortfalls[0] for result in found], mark, markersize=4, label=rule)
axes.axhline(0.0125, color="0.5", linewidth=0.8)
axes.annotate("optimal play plus exploration", (counts[0], 0.0125), (0, 3), textcoords="offset points", color="0.3")
axes.set(xlabel="iterations", ylabel="shortfall of player 0", title="A worst case of regret matching")
axes.legend()
figure.savefig("worst_case.svg")
