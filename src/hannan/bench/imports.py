"""Imported games: histories per second from OpenSpiel, and bytes per second and memory of a `.efg` file."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hannan.bench import peers
from hannan.bench.child import in_child, peak
from hannan.bench.rows import Figure, Say, Section, Target, alone, beside, some
from hannan.bench.stopwatch import LONG, QUICK, figure, interleaved, repeated
from hannan.forms.loader import load_expanded

GAMES = {"Leduc": "leduc_poker", "liar's dice-6": "liars_dice"}
LEAST = 1e5
"""Histories per second that should be reached, for games large enough to measure it."""

SIZE, QUICK_SIZE = 50_000_000, 1_000_000
"""The size of the file, in bytes."""
LEAST_BYTES, MOST_MEMORY = 50e6 / 30, 10.0
"""Bytes per second that should be reached, and the most memory as a multiple of the file's size."""


def run(quick: bool, say: Say) -> Section:
    """Measure OpenSpiel's games and one large file; with `quick`, Leduc and a small file."""
    rows = []
    pyspiel = peers.find("OpenSpiel")
    for name, address in some(GAMES, quick) if pyspiel is not None else ():
        say(f"imports: {name} from OpenSpiel")
        histories = load_expanded(f"openspiel:{address}").tree.nodes
        tasks = [repeated(partial(_load, address)), repeated(partial(_walk, address))]
        ours, theirs = interleaved(tasks, QUICK if quick else LONG)
        mine, walked = (
            figure(by, times, "histories/s", histories)
            for by, times in (("hannan", ours), (f"{peers.title('OpenSpiel')}, its states alone", theirs))
        )
        target = Target(LEAST, of="ours", unit="histories/s") if name != "Leduc" else None
        rows.append(beside(f"{name} from OpenSpiel, to the tree", mine, walked, target))
    size = QUICK_SIZE if quick else SIZE
    say(f"imports: a .efg file of {size / 1e6:.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.efg"
        path.write_text("".join(large(size)), encoding="utf-8")
        read = in_child("imports:parsed", path=str(path))
        speed = Figure("hannan", read["bytes"] / read["seconds"], "bytes/s")
        note = f"{read['bytes'] / 1e6:.0f} MB, {read['nodes']:,} nodes"
        rows.append(alone("reading .efg", speed, least=LEAST_BYTES, note=note))
        memory = Figure("hannan", read["memory"] / read["bytes"], "bytes/byte")
        rows.append(alone("memory of reading .efg", memory, most=None if quick else MOST_MEMORY))
    return Section("imports", tuple(rows), peers.absent("OpenSpiel"))


def parsed(path: str) -> dict[str, Any]:
    """Read a file, in a process of its own."""
    import time

    from hannan.interop.gambit.efg import read_efg

    before = peak()
    begun = time.perf_counter()
    game = read_efg(path)
    seconds = time.perf_counter() - begun
    return {
        "seconds": seconds,
        "nodes": len(game.player),
        "memory": peak() - before,
        "bytes": Path(path).stat().st_size,
    }


def large(size: int) -> Iterator[str]:
    """Yield the lines of a tree with about `size` bytes: three actions at each node, different payoffs at each end."""
    draw, depth = random.Random(1), 1
    while 54 * 3**depth < size:  # bytes of the terminal nodes and their parents
        depth += 1
    sets, outcomes = [0, 0], 0
    yield 'EFG 2 R "large" { "A" "B" }\n""\n\n'
    pending = [depth]
    while pending:
        left = pending.pop()
        if left == 0:
            outcomes += 1
            gain = draw.randrange(-(10**6), 10**6) / 1000
            yield f't "" {outcomes} "" {{ {gain}, {-gain} }}\n'
            continue
        player = left % 2
        sets[player] += 1
        yield f'p "" {player + 1} {sets[player]} "" {{ "l" "m" "r" }} 0\n'
        pending += [left - 1] * 3


def _load(address: str) -> int:
    return load_expanded(f"openspiel:{address}").tree.nodes


def _walk(address: str) -> int:
    """Visit every history with the fewest possible calls of OpenSpiel, and keep nothing."""
    pyspiel = peers.find("OpenSpiel")
    assert pyspiel is not None
    pending, count = [pyspiel.load_game(address).new_initial_state()], 0
    while pending:
        state = pending.pop()
        count += 1
        player = state.current_player()
        if player >= 0:
            state.information_state_string(player)
            pending += map(state.child, state.legal_actions())
        elif state.is_terminal():
            state.returns()
        else:
            pending += [state.child(outcome) for outcome, _ in state.chance_outcomes()]
    return count
