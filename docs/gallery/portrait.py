"""Learning as a portrait

How two players learn in matching pennies, from a grid of starts. The replicator equation circles for ever,
and the average strategies of EINR and of regret matching come to the equilibrium, the ring.
"""

import hannan as hn

hn.solutions.portrait("matching_pennies", "portrait.svg", ["replicator", "einr", "rm"])
