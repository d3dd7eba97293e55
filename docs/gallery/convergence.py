"""Convergence of five methods

The gap of five methods on Leduc poker, by iterations and by seconds of solving. Both scales are logarithmic.
"""

import hannan as hn

methods = ("cfr", "cfr+", "dcfr", "pcfr+", "pdcfr+")
runs = {method: hn.solve("leduc_poker", method, iterations=500) for method in methods}
hn.plot(runs, "convergence.svg", title="Leduc poker", size=(9, 4.5))
