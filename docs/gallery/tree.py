"""A game tree with its equilibrium

Kuhn poker: circles are players, squares are chance. A dashed line joins the nodes of an information set, and
a probable move is thick.
"""

import hannan as hn

hn.draw(hn.solve("kuhn_poker", "lp").profile, "tree.svg", title="Kuhn poker and an equilibrium")
