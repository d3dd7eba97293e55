"""Beliefs: what may have happened since a player's last choice, given what it sees now.

Every particle is followed through the moves of chance and the others up to the player's next choice. All moves are
taken while the particle's share of the budget lasts, so that weights are exact in small games; then moves are drawn. Of
what the player would see otherwise nothing is kept.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types

from hannan.kernels import inlined, signed
from hannan.kernels.addresses import address
from hannan.kernels.belief import records as rec
from hannan.kernels.belief.records import Aim, Cloud, Pending
from hannan.kernels.lent import borrowed
from hannan.kernels.sampling.draws import draw, uniform
from hannan.kernels.signatures import FUNCTIONS, TABLE, Book
from hannan.kernels.statuses import DONE, TOO_DEEP
from hannan.kernels.step import (
    ROOM,
    TABLES,
    UNKNOWN,
    StepScratch,
    Tables,
    ask_players,
    list_odds,
)
from hannan.kernels.visit import ask_actions, ask_chance, ask_observation, ask_turn
from hannan.turns import END, NO_MOVERS


def _follow(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any,
    aim: Aim, tables: Tables, room: StepScratch, now: Cloud, then: Cloud, stack: Pending, k: int, seen: int, size: int,
    budget: int, random: Any,
) -> int:  # fmt: skip
    """Let the player take its k-th action (none: -1) in every particle, and keep those in which it then sees `seen`.

    size: how many actions it has then. `now` gets the new belief, with weights that sum to 1; `then` is room for it.
    """
    rules = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    tables, room, now, then, stack = (
        borrowed(tables), borrowed(room), borrowed(now), borrowed(then), borrowed(stack),
    )  # fmt: skip
    then.many[0] = 0
    for i in range(now.many[0]):
        for s in range(room.state.size):
            stack.state[0, s] = now.state[i, s]
        for p in range(room.last.size):
            stack.last[0, p] = now.last[i, p]
        stack.weight[0], stack.share[0] = now.weight[i], max(1.0, budget * now.weight[i])
        stack.moves[0] = 0
        top, pending = 1, k
        while top > 0:
            top -= 1
            for s in range(room.state.size):
                room.state[s] = stack.state[top, s]
            for p in range(room.last.size):
                room.last[p] = stack.last[top, p]
            status, top = _go_on(aim, pending, seen, size, rules, tables, room, then, stack, top, random)
            if status != DONE:
                return status
            pending = -1
    _keep(now, then, random)
    return DONE


@inlined
def _go_on(
    aim: Aim, k: int, seen: int, size: int, rules: Book, tables: Tables, room: StepScratch, then: Cloud, stack: Pending,
    top: int, random: Any,
) -> tuple[int, int]:  # fmt: skip
    """Push what may follow the history in `room`, or keep it where the player is to choose again."""
    here, weight, share, moves = address(room.state, 0), stack.weight[top], stack.share[top], stack.moves[top]
    if moves == aim.most_moves:
        return TOO_DEEP, top
    status, turned = ask_turn(rules, here, room.last.size)
    if turned == END or status != DONE:
        return status, top
    by_chance = turned == NO_MOVERS
    movers, many, mine = 1, 1, -1
    if by_chance:
        status, many, _ = ask_chance(rules, here, aim.width, address(room.codes, 0), address(room.odds, 0))
        room.size[0] = many
    elif (turned >> aim.seat) & 1 == 1 and k < 0:
        status, many = ask_actions(rules, here, aim.seat, aim.width, address(room.codes, 0))
        if status == DONE and many == size:
            status, sees = ask_observation(rules, here, aim.seat)
            if sees == seen:
                _emit(weight, room, then)
        return status, top
    else:
        status, movers = ask_players(turned, aim.width, here, rules, tables, room)
        if status == DONE:
            list_odds(movers, aim.width, tables, room)
            for m in range(movers):
                if room.who[m] == aim.seat:
                    mine = m
                else:
                    many *= room.size[m]
    if status != DONE:
        return status, top
    every = many <= share and top + many <= stack.weight.size
    times = many if every else min(max(int(share), 1), stack.weight.size - top)
    for c in range(times):
        left, likely = c, 1.0
        for m in range(movers - 1, -1, -1):
            if m == mine:
                room.taken[m] = k
            elif every:
                room.taken[m] = left % room.size[m]
                left //= room.size[m]
                likely *= room.odds[m * aim.width + room.taken[m]]
            else:
                room.taken[m] = draw(random, room.odds, m * aim.width, room.size[m])
        if likely > 0.0:
            _push(by_chance, movers, aim.width, rules, room, stack, top)
            stack.weight[top] = weight * likely if every else weight / times
            stack.share[top], stack.moves[top] = share / times, moves + 1
            top += 1
    return DONE, top


@inlined
def _push(by_chance: bool, movers: int, width: int, rules: Book, room: StepScratch, stack: Pending, top: int) -> None:
    """Make the move that was taken, in a new place of the stack."""
    for s in range(room.state.size):
        stack.state[top, s] = room.state[s]
    for p in range(room.last.size):
        stack.last[top, p] = room.last[p]
    for m in range(movers):
        room.choice[m] = room.codes[m * width + room.taken[m]]
        if not by_chance:
            first = room.first[m]
            stack.last[top, room.who[m]] = UNKNOWN if first == UNKNOWN else first + room.taken[m]
    rules.move(rules.table, address(stack.state, top * stack.state.shape[1]), address(room.choice, 0))


@inlined
def _emit(weight: float, room: StepScratch, then: Cloud) -> None:
    """Keep a history; drop it if the room is full."""
    i = then.many[0]
    if i == then.weight.size:
        return
    for s in range(room.state.size):
        then.state[i, s] = room.state[s]
    for p in range(room.last.size):
        then.last[i, p] = room.last[p]
    then.weight[i] = weight
    then.many[0] = i + 1


@inlined
def _keep(now: Cloud, then: Cloud, random: Any) -> None:
    """Write the new belief: all of it, or where there are too many particles, drawn by weight at equal distances."""
    count, most, whole = then.many[0], now.weight.size, 0.0
    for i in range(count):
        whole += then.weight[i]
    if count <= most:
        for i in range(count):
            _copy(i, i, now, then)
            now.weight[i] = then.weight[i] / whole
        now.many[0] = count
        return
    i, reached, first = 0, then.weight[0], uniform(random)
    for j in range(most):
        while reached < (j + first) * whole / most and i < count - 1:
            i += 1
            reached += then.weight[i]
        _copy(j, i, now, then)
        now.weight[j] = 1.0 / most
    now.many[0] = most


@inlined
def _copy(j: int, i: int, now: Cloud, then: Cloud) -> None:
    for s in range(now.state.shape[1]):
        now.state[j, s] = then.state[i, s]
    for p in range(now.last.shape[1]):
        now.last[j, p] = then.last[i, p]


@cache
def follower() -> Any:
    """Return the compiled function; compiled (or loaded from the cache) on first use."""
    words = types.Array(types.uint64, 1, "C")
    source = (*FUNCTIONS, TABLE, rec.AIM, TABLES, ROOM, rec.CLOUD, rec.CLOUD, rec.STACK)
    return signed(_follow, (*source, types.int64, types.int64, types.int64, types.int64, words))
