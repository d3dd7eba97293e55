"""The gap of a certificate

What plays prove about Kuhn poker as a black box, and how good the strategies really are. The range of payoffs
is a labelled line: above it a bound says nothing.
"""

import matplotlib.pyplot as plt

import hannan as hn

certificate = hn.certify("kuhn_poker", playthroughs=20_000, groups="rules", confidence=0.95, check=True)
figure, axes = plt.subplots(figsize=(7, 4))
axes.loglog([bound.playthroughs for bound in certificate.curve], [bound.gap for bound in certificate.curve])
axes.annotate(
    "proven gap", (certificate.playthroughs, certificate.gap), (-8, 14), textcoords="offset points", ha="right"
)
for height, name in ((certificate.true_gap, "true gap at the end"), (4.0, "range of payoffs")):
    axes.axhline(height, color="0.5", linewidth=0.8)
    axes.annotate(name, (certificate.curve[0].playthroughs, height), (0, 3), textcoords="offset points", color="0.3")
axes.set(xlabel="playthroughs", ylabel="Nash gap", title="Kuhn poker, confidence 95 %")
figure.savefig("certificate_gap.svg")
