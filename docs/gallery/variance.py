"""What sampling costs

The gap of three samplers and of CFR+ on Leduc poker, by iterations. An iteration of CFR+ visits 9,457
histories, and one of outcome sampling about 16.
"""

import hannan as hn

runs = {"cfr+": hn.solve("leduc_poker", "cfr+", iterations=300)}
for method in ("mccfr-os", "mccfr-es", "vr-mccfr"):
    runs[method] = hn.solve("leduc_poker", method, iterations=100_000, seed=1)
hn.plot(runs, "variance.svg", title="Leduc poker, one seed", size=(9, 4.5))
