"""A strategy as a heat map

How often player 0 raises in the first round of Leduc poker with eight ranks: by its card, when it begins, and
when it passed and player 1 raised. Strong cards raise, and some weak cards bluff.
"""

import matplotlib.pyplot as plt

import hannan as hn

profile = hn.solve("leduc_poker(ranks=8,merge_suits=true)", gap=1e-3).profile
cards = [profile.game.set_text(0, number) for number in range(8)]
shares = [[profile.at(0, f"{card}{after}").get("r", 0.0) for card in cards] for after in ("", " c r")]
figure, axes = plt.subplots(figsize=(7, 2.2))
image = axes.imshow(shares, cmap="cividis", vmin=0, vmax=1, aspect="auto")
axes.set(xticks=range(8), xticklabels=cards, yticks=range(2), yticklabels=["to begin", "after a raise"], xlabel="card")
figure.colorbar(image, label="probability of a raise")
figure.savefig("heat_map.svg")
