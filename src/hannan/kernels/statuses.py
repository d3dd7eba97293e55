"""How a walk ends: one table for every walker, on a tree or on rules, that counts, records or samples."""

from __future__ import annotations

DONE = 0

# There is no room. Whoever called makes some of this kind and calls again.
MORE_SETS = 1  # for information sets, or for their sequences or cells
MORE_HISTORIES = 2  # for histories that are numbered or recorded
MORE_DEPTH = 3  # for frames of the stack
MORE_WIDTH = 4  # for children of one frame
MORE_VISITS = 5  # for what one walk notes
MORE_GAINS = 14  # for what is gained

# There are more histories than whoever called wants.
TOO_MANY = 6

# The rules break a promise; `hannan.forms.complaints` has the sentences.
TOO_DEEP = 7
TOO_WIDE = 8
NO_MOVES = 9
ACTIONS_DIFFER = 10
NOT_A_DISTRIBUTION = 11
NOT_FINITE = 12
CHANGED = 13  # since the run was saved
WRONG_TURN = 16
TOO_LARGE = 17  # a gain
LISTED_TWICE = 18  # an action
TOO_MANY_JOINT = 19
WRONG_POSITION = 20  # of another length than can be
TOO_LARGE_IN_ALL = 21  # what a walk estimates from gains

# The next history lies at the depth that is not entered.
FRONTIER = 15
