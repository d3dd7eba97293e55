"""Every game of the installed OpenSpiel that has at most 200,000 histories, beside OpenSpiel's own NashConv.

By hand: python -m tests.interop.openspiel_all. The tests take the small ones.
"""

from __future__ import annotations

import time

import hannan as hn
from hannan.cli.openspiel import addresses, looked_up
from hannan.forms.game import ExpandedGame
from hannan.libraries import library


def compared(address: str, most: int) -> str:
    """Load and solve a game, and compare the NashConv of a random profile; return what was done in a line."""
    row, rules, tree = looked_up(address, most)
    if rules is None or tree is None or tree.nodes > most:
        return f"{row.loads}: {row.histories or row.reason}"
    game = ExpandedGame(rules)
    game.__dict__["tree"] = tree
    assert row.histories == len(tree.parent)
    hn.solve(game, "cfr", iterations=3)
    if row.loads != "expanded":
        return f"{row.loads}: solved as the refinement, {row.reason}"
    profile = hn.random_profile(game, seed=1)
    ours = hn.evaluate(game, profile).nash_conv
    pyspiel, theirs = library("pyspiel"), rules.theirs
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        theirs = pyspiel.convert_to_turn_based(theirs)
    exploitability = library("open_spiel.python.algorithms.exploitability")
    if game.players > 1:
        nash_conv = exploitability.nash_conv(theirs, hn.interop.to_openspiel(profile), use_cpp_br=False)
        assert abs(ours - nash_conv) < 1e-9, (address, ours, nash_conv)
    again = hn.interop.from_openspiel(game, hn.interop.to_openspiel(profile))
    assert all((one == other).all() for one, other in zip(profile.strategies, again.strategies, strict=True))
    return f"{tree.nodes:,} histories, NashConv {ours:.9g} as OpenSpiel's"


if __name__ == "__main__":
    for name in addresses():
        begun = time.perf_counter()
        print(f"{name}: {compared(name, 200_000)} ({time.perf_counter() - begun:.1f} s)", flush=True)
