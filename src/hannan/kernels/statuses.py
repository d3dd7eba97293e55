"""How a walk ends: one table for every walker, on a tree or on rules, that counts, records, samples or searches."""

from __future__ import annotations

DONE = 0

# A table is full. The caller enlarges the named one and calls again.
MORE_SETS = 1  # for information sets, or for their sequences or cells
MORE_HISTORIES = 2  # for histories that are numbered or recorded
MORE_DEPTH = 3  # for frames of the stack
MORE_WIDTH = 4  # for children of one frame
MORE_VISITS = 5  # for what one walk notes
MORE_GAINS = 14  # for what is gained
MORE_NODES = 16  # for nodes of a tree that grows
MORE_TRUNK = 17  # for what a playthrough adds to a trunk

# There are more histories than the caller wants.
TOO_MANY = 6

# The rules break a promise at the node where the walk stands; `hannan.rules.promises` has the sentences.
TOO_DEEP = 7
TOO_WIDE = 8
BROKEN = 9  # what they say there tells which; see `kernels.visit`
TOO_LARGE = 10  # what a play gains, or what a walk estimates from it
CHANGED = 11  # since the run was saved

# The next history lies at the depth that is not entered.
FRONTIER = 15

# A search asks: for a node, a choice, the value of a leaf; to be called again; to be believed that nothing is hidden.
EXPAND = 20
CHOOSE = 21
EVALUATE = 22
PAUSE = 23
HIDDEN = 24

# A search cannot go on; `hannan.treesearch` has the sentences.
NO_BOUNDS = 30
EMPTY_BOUNDS = 31
OUTSIDE_BOUNDS = 32
NOT_CONSTANT_SUM = 33
ADVICE_FAILED = 34

# Something is wrong in the next playthrough: Python plays it, and says what.
ODD = 40

# A player has other actions than at another history of the same information set: this, plus the player.
ACTIONS_DIFFER = 64
