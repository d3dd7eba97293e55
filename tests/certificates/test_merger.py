"""Merging compiled playthroughs: the same trunk as the slow way, also where a path is odd, wide or the first of all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certification import Certification
from hannan.certificates.files import counted
from hannan.certificates.minimizers import Sweep
from hannan.certificates.pseudogame import Pseudogame
from hannan.forms.boxes import boxed
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END

# Chance draws twice, with table[0] outcomes and with table[1], both nodes of one group; then player 0 chooses one of
# table[2] actions, and play ends. The state is the number of moves.


def start(table: Longs, state: Longs) -> None:
    """Nothing has happened."""


def turn(table: Longs, state: Longs) -> int:
    return CHANCE if state[0] < 2 else 1 if state[0] == 2 else END


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    for k in range(table[2]):
        out[k] = k
    return int(table[2])


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    count = table[state[0]]
    for k in range(count):
        out[k] = k
        probabilities[k] = 1.0 / count
    return int(count)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1


def observe(table: Longs, state: Longs, player: int) -> int:
    return 0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Nobody gains anything."""


def chance_group(table: Longs, state: Longs) -> int:
    return 5


def draws(first: int, second: int, choices: int) -> CompiledRules:
    book = Rulebook(start, turn, actions, chance, move, observe, gains, chance_group=chance_group)
    table = np.array([first, second, choices], np.int64)
    return CompiledRules("draws", 2, book, table, state_size=1, width=max(first, second, choices))


def test_odds_that_differ_within_a_group_are_noticed_on_the_first_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both nodes of the group are new, so that nothing in the trunk says that they differ."""
    messages = []
    for _ in range(2):
        work = Regretting(boxed(draws(2, 3, 2), groups="rules", bounds=(-1, 1)).box, bounds=(-1.0, 1.0))
        with pytest.raises(hn.errors.UnsuitableError, match="another node of the same group") as error:
            work.advance(1)
        messages.append(str(error.value))
        assert work.trunk.nodes.used == 1
        assert work.playthroughs == len(work.trunk.observations) == len(work.trunk.grouped) == 0
        monkeypatch.setattr(Regretting, "_compiled", lambda _: None)
    assert messages[0] == messages[1]


def test_a_playthrough_may_need_more_room_than_there_ever_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 children of one node, where the tables have room for 8,192 more rows at first."""
    works: list[Certification] = []
    for _ in range(2):
        work = Regretting(boxed(draws(2, 2, 20_000), groups="rules", bounds=(-1, 1)).box, bounds=(-1.0, 1.0), seed=3)
        work.advance(5)
        works.append(work)
        monkeypatch.setattr(Regretting, "_compiled", lambda _: None)
    one, other = map(counted, works)
    assert len(one["node_parent"]) > 40_000
    for name in one:
        assert np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f"), name


@pytest.mark.parametrize(("kind", "owner", "name"), [(Regretting, Sweep, "respond"), (Resolving, Pseudogame, "best")])
def test_a_measurement_computes_each_bound_once(
    kind: type[Certification], owner: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old and new strategies of two players are four best responses, and all rounds of Algorithm 7.2 two more.

    Asking for the bound costs none.
    """
    method = "mccfr" if kind is Regretting else "lp"  # which computes no best responses itself
    work = kind(boxed("kuhn_poker").box, every=50, method=method)
    work.advance(49)
    calls, response = [], getattr(owner, name)

    def counting(*arguments: Any) -> Any:
        calls.append(name)
        return response(*arguments)

    monkeypatch.setattr(owner, name, counting)
    work.advance(1)
    kept = work.bound()
    assert work.bound() == kept
    assert len(calls) == (6 if kind is Regretting else 4)
    work.advance(1)
    assert work.bound() is work.bound()
    assert len(calls) == (10 if kind is Regretting else 6)


def test_a_playthrough_that_was_refused_leaves_nothing_behind() -> None:
    """The kernel forgets the groups that it met on that path: once mended, the rules play as honest ones do."""
    works = []
    for second in (3, 2):
        rules = draws(2, second, 2)
        work = Regretting(boxed(rules, groups="rules", bounds=(-1, 1)).box, bounds=(-1.0, 1.0), seed=2)
        if second == 3:
            with pytest.raises(hn.errors.UnsuitableError):
                work.advance(1)
            rules.table.setflags(write=True)
            rules.table[1] = 2
        work.advance(100)
        assert work.quick is not None
        works.append(work)
    one, other = map(counted, works)
    for name in one:
        assert np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f"), name
