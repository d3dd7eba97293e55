"""A first walk that threads share comes to what one thread comes to: counts, sets, forms, errors."""

from __future__ import annotations

import gc
import weakref
from threading import Thread
from typing import Any, NoReturn

import numpy as np
import pytest

from hannan.arrays import Floats, Longs
from hannan.errors import RulesError, SizeError
from hannan.forms import folded, sharing, subtrees, walks
from hannan.forms.loader import load_expanded as load
from hannan.forms.sharing import share
from hannan.forms.subtrees import SharedWalk
from hannan.forms.survey import Survey
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END
from tests.forms.test_folded import check

EVERYTHING = 2**60

GAMES = [
    "battleship(shots=2)", "goofspiel(cards=3)", "goofspiel(cards=2,players=3)", "kuhn_poker(players=3)", "leduc_poker",
    "liars_dice(faces=3)", "liars_dice(faces=2,dice=2)", "oshi_zumo(coins=4)", "pursuit_evasion(moves=2)",
    "random_game(chance=2,hidden=true)", "sheriff(rounds=2)",
]  # fmt: skip


def sorted_sets(counted: Survey) -> list[tuple[Any, ...]]:
    """Describe every set by what does not depend on the order in which sets were met: its path to the root."""
    sets, players = counted.sets, counted.span.shape[1] - 1
    owner = {int(base) + k: (j, k) for j, base in enumerate(sets.base) for k in range(int(sets.size[j]))}
    shallow, paths, result = counted.shallow, dict[int, tuple[Any, ...]](), []
    for j in range(len(sets.player)):
        before = int(sets.parent[j])
        above = (before,) if before < players else (*paths[owner[before][0]], owner[before][1])
        paths[j] = (*above, int(sets.observation[j]))
        mine = slice(int(sets.base[j]), int(sets.base[j] + sets.size[j]))
        result.append((paths[j], int(sets.node[j]), sets.action[mine].tolist(), shallow[mine].tolist()))
    return sorted(result)


@pytest.mark.parametrize("threads", [2, 3, 5])
@pytest.mark.parametrize("address", GAMES)
def test_threads_meet_what_one_thread_meets(address: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SUBTREES", 2 * threads)
    rules = load(address).rules
    alone, together = SharedWalk(rules), SharedWalk(rules)
    alone.go(EVERYTHING)
    assert share(together, EVERYTHING, threads=threads)
    one, other = alone.survey(), together.survey()
    trimmed = [np.trim_zeros(survey.counts, "b", axis=1) for survey in (one, other)]
    np.testing.assert_array_equal(trimmed[0], trimmed[1])
    for name in ("kinds", "span"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    players = rules.players
    np.testing.assert_array_equal(one.shallow[:players], other.shallow[:players])
    assert sorted_sets(one) == sorted_sets(other)
    assert together.so_far("visited") == one.nodes == other.nodes


@pytest.mark.parametrize("address", GAMES)
def test_forms_are_those_of_the_tree(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SharedWalk, "quick", 30)
    monkeypatch.setattr(folded, "NOTED", 1)
    monkeypatch.setattr(walks, "LEAST", 0)
    for module in (sharing, subtrees):
        monkeypatch.setattr(module, "cores", lambda: 2)
        monkeypatch.setattr(module, "SUBTREES", 5)
    shared: list[bool] = []

    def noted(walked: SharedWalk, most: int, seen: Any) -> bool:
        shared.append(share(walked, most, seen))
        return shared[-1]

    monkeypatch.setattr(walks, "share", noted)
    check(address)
    assert shared
    assert all(shared)


def _start(table: Longs, state: Longs) -> None:
    return


def _turn(table: Longs, state: Longs) -> int:
    return CHANCE if state[0] < 3 else END if state[0] == 5 else 1 << (state[0] - 3)


def _chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    for k in range(6):
        out[k], probabilities[k] = k, 1.0 / 6.0
    return 6


def _actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List two actions; from a roll on, none for player 1 (`table[0]` is 1), or another one for player 0 (2)."""
    out[0] = 0
    out[1] = 1
    bad = state[1] >= table[1]
    if bad and table[0] == 2 and player == 0:
        out[1] = 2
    return 0 if bad and table[0] == 1 and player == 1 else 2


def _move(table: Longs, state: Longs, choice: Longs) -> None:
    if state[0] < 3:
        state[1] = 6 * state[1] + choice[0]
    state[0] += 1


def _observe(table: Longs, state: Longs, player: int) -> int:
    return 0


def _gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay 1; from a roll on, more than there is (3)."""
    if state[0] == 5:
        out[0] = 1e300 * 1e300 if table[0] == 3 and state[1] >= table[1] else 1.0
        out[1] = -1.0


def broken(kind: int, roll: int) -> CompiledRules:
    """Three dice are rolled, and two players who do not see them choose; a promise is broken from a roll on."""
    book = Rulebook(_start, _turn, _actions, _chance, _move, _observe, _gains)
    return CompiledRules("broken", 2, book, np.array([kind, roll]), state_size=2, width=6)


@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("roll", [1, 100, 215])
def test_a_broken_promise_is_found_where_one_thread_finds_it(kind: int, roll: int) -> None:
    alone, together = SharedWalk(broken(kind, roll)), SharedWalk(broken(kind, roll))
    with pytest.raises(RulesError) as expected:
        alone.go(EVERYTHING)
    assert not share(together, EVERYTHING, threads=3)
    with pytest.raises(RulesError) as found:
        together.go(EVERYTHING)
    assert str(found.value) == str(expected.value)
    assert share(SharedWalk(broken(0, roll)), EVERYTHING, threads=3)


def test_a_limit_is_kept() -> None:
    rules = load("leduc_poker").rules
    with pytest.raises(SizeError, match="leduc_poker has more than 9,456 histories"):
        share(SharedWalk(rules), 9456, threads=3)
    assert share(SharedWalk(rules), 9457, threads=3)


def test_without_memory_for_several_tables_one_thread_walks_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: sharing.Part, other: sharing.Part) -> NoReturn:
        raise SizeError("no memory")

    walked = SharedWalk(load("liars_dice(faces=4)").rules)
    monkeypatch.setattr(sharing.Part, "add", refuse)
    assert not share(walked, EVERYTHING, threads=2)
    walked.go(EVERYTHING)
    assert walked.survey().nodes == 8181


def test_after_an_error_in_a_thread_no_table_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ref[sharing.Part]] = []
    begin = sharing.Part.__init__

    def noted(self: sharing.Part, rules: CompiledRules, trunk: sharing.Part | None = None, threads: int = 1) -> None:
        begin(self, rules, trunk, threads)
        made.append(weakref.ref(self))

    def refuse(self: sharing.Part, *_: Any) -> NoReturn:
        raise SizeError("no memory")

    monkeypatch.setattr(sharing.Part, "__init__", noted)
    monkeypatch.setattr(sharing.Part, "walk", refuse)
    gc.disable()
    try:
        assert not share(SharedWalk(load("liars_dice(faces=4)").rules), EVERYTHING, threads=2)
        assert len(made) > 2
        assert not any(part() for part in made)
    finally:
        gc.enable()


def test_a_thread_that_cannot_be_started_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    walked = SharedWalk(load("liars_dice(faces=4)").rules)
    monkeypatch.setattr(Thread, "start", refuse)
    assert not share(walked, EVERYTHING, threads=2)
    walked.go(EVERYTHING)
    assert walked.survey().nodes == 8181


def test_gains_that_will_be_too_many_are_not_noted() -> None:
    rules = load("liars_dice(faces=4)").rules
    many, few = SharedWalk(rules, collecting=1000), SharedWalk(rules, collecting=100_000)
    for walked in (many, few):
        with pytest.raises(SizeError):
            walked.go(1000)
        assert walked.gained is not None
        walked.expect(8181)
    assert many.gained is None
    assert few.gained is not None
    few.go(EVERYTHING)
    whole = SharedWalk(rules, collecting=100_000)
    whole.go(EVERYTHING)
    for one, other in zip(few.gained, whole.gained or (), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_interrupt_ends_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports come from the thread that waits, and may raise; the other threads then end, and `walked` is whole."""
    monkeypatch.setattr(sharing, "EVERY", 1)

    def seen(histories: int) -> NoReturn:
        raise KeyboardInterrupt

    walked = SharedWalk(load("kuhn_poker").rules)
    with pytest.raises(KeyboardInterrupt):
        share(walked, EVERYTHING, seen, threads=2)
    walked.go(EVERYTHING)
    assert walked.survey().nodes == 58
