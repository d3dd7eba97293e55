"""Plays of a game between any players: by plain steps, or a whole batch in one compiled loop.

Both give the same bits. Chance draws from one stream of random numbers and the players from another. Every play has its
own two streams, so that plays can share chance (duplicate play) while the draws of the players stay independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import ChanceError, HannanError, PlayerError, RulesError
from hannan.forms.game import PlayedGame
from hannan.kernels.lanes import GUARD, LANE_ROW, MOVER_ROW, Fast, Lanes, add_up
from hannan.kernels.play import Guesses, player
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN, SET_ROW, bucket_count, rehash
from hannan.kernels.statuses import DONE
from hannan.kernels.step import StepScratch, Tables
from hannan.measures.players import Player, table_of
from hannan.rules.boxplay import BoxPlay
from hannan.rules.doors import source_of
from hannan.rules.paths import node_text
from hannan.rules.plain import CHANCE, END, MOST_MOVES, movers
from hannan.rules.promises import ENDLESS, wrong_chance, wrong_gains, wrong_menu, wrong_turn
from hannan.rules.questions import ask
from hannan.rules.source import fenced
from hannan.splitmix import Uniforms
from hannan.strategies.policy import Policy
from hannan.strategies.seats import Answer, inform

ABREAST = 32
"""Plays that the compiled loop makes at the same time: while one waits for memory, the others go on."""


class Worth(NamedTuple):
    """The estimated value of histories for each player; the children of one history stand next to one another."""

    child: Longs  # [histories]  the first child; 0 if no child has a number
    many: Longs  # [histories]  the number of children that have one
    value: Floats  # [histories, players]  all children of one history may be off by the same amount
    whole: bool = False
    """Whether all histories are numbered, as in the tree."""


@dataclass(frozen=True)
class Play:
    """One play, from the start to the end."""

    earned: Floats  # [seats]
    corrected: Floats  # [seats]  earnings minus the estimated luck; the earnings if there are no estimates
    moves: tuple[str, ...]
    path: tuple[tuple[int, int], ...]
    """The number of each move, and the number of moves that it was chosen from."""


@dataclass(frozen=True)
class Batch:
    """Whole rows of plays; the k-th play of each row has the k-th seating."""

    earned: Floats  # [rows, plays per row, seats]
    corrected: Floats  # [rows, plays per row, seats]
    moves: list[list[tuple[str, ...]]]  # [rows][plays per row]  empty if the caller did not ask for them
    trail: Longs  # [rows, plays per row, moves, 2]  number and count of the first moves, as many as the caller wanted
    failure: HannanError | None = None
    """Why the next row could not be played to the end; None if it was."""


def joined(batches: Sequence[Batch]) -> Batch:
    """Return several batches of the same table as one."""
    earned, corrected, trail = (
        np.concatenate([getattr(batch, name) for batch in batches]) for name in ("earned", "corrected", "trail")
    )
    return Batch(earned, corrected, [row for batch in batches for row in batch.moves], trail, batches[-1].failure)


class PlayTable:
    """A game, its players, and the seatings that they play in turn."""

    def __init__(
        self,
        game: PlayedGame,
        players: Sequence[Player],
        seatings: Longs,
        worth: Worth | None = None,
        imagined: Sequence[Floats | None] = (),
    ) -> None:
        """seatings: the player in each seat, [plays per row, seats]; imagined: see `measures.imagined`, per seating."""
        self.game, self.players, self.seatings, self.worth = game, tuple(players), seatings, worth
        self.imagined = tuple(imagined) or (None,) * len(seatings)
        self.fast = game.compiled and all(table_of(one) is not None for one in self.players)
        """Whether one compiled loop makes the plays."""
        self._compiled = _Compiled(self) if self.fast else None

    def __reduce__(self) -> tuple[Any, ...]:
        return PlayTable, (self.game, self.players, self.seatings, self.worth, self.imagined)

    def batch(self, chances: Any, draws: Any, telling: bool = False, tracing: int = 0) -> Batch:
        """Make plays whose random numbers start at `chances` and `draws`, [rows, plays per row] each.

        An error ends the batch. `telling`: keep the names of the moves. `tracing`: keep the numbers of that many moves.
        """
        shape = (*chances.shape, self.game.players)
        earned, corrected, moves, rows = np.zeros(shape), np.zeros(shape), [], len(chances)
        trail = np.zeros((*chances.shape, tracing, 2), np.int64)
        failure: HannanError | None = None
        if self._compiled is not None and not telling:
            rows = self._compiled.plays(chances, draws, earned, corrected, trail)
            chances, draws = chances[rows : rows + 1], draws[rows : rows + 1]  # plain steps find the error in this row
        done = 0 if telling or self._compiled is None else rows
        try:
            for row in range(len(chances)):
                plays = [self.play(k, int(chances[row, k]), int(draws[row, k])) for k in range(chances.shape[1])]
                earned[done], corrected[done] = [play.earned for play in plays], [play.corrected for play in plays]
                for k, play in enumerate(plays if tracing else ()):
                    trail[done, k, : len(play.path)] = play.path[:tracing]
                if telling:
                    moves.append([play.moves for play in plays])
                done += 1
        except HannanError as error:
            failure = error
        return Batch(earned[:done], corrected[:done], moves, trail[:done], failure)

    def play(self, seating: int, chance: int, drawn: int) -> Play:
        """Make one play by plain steps; an error names the path of play."""
        seated, imagined = self.seatings[seating].tolist(), self.imagined[seating]
        if isinstance(rules := self.game.rules, BoxPlay):
            rules.seed = chance  # a box draws its own random numbers
        return _Steps(self, seated, imagined, chance, drawn).play()


class Draws(Uniforms):
    """A stream of random numbers and its draws, equal to the bit to `kernels.sampling.draws` and `kernels.step`."""

    def draw(self, weights: Sequence[float], even: bool) -> int:
        """Return the place of one of the weights, which sum to 1; `even` if all are known to be equal."""
        if len(weights) == 1:
            return 0
        u = self.next()
        if even:
            return int(u * len(weights))
        k, reached = 0, weights[0]
        while u >= reached and k < len(weights) - 1:
            k += 1
            reached += weights[k]
        while k > 0 and weights[k] == 0.0:
            k -= 1  # rounding led to a last move with probability 0
        return k


class _Steps:
    """One play in progress."""

    def __init__(
        self, table: PlayTable, seated: Sequence[int], imagined: Floats | None, chance: int, drawn: int
    ) -> None:
        self.rules, self.worth, self.imagined = table.game.rules, table.worth, imagined
        self.seated = [table.players[k] for k in seated]
        self.luck, self.will = Draws(chance), Draws(drawn)
        self.seats = [one.sit(seat, drawn * self.rules.players + seat) for seat, one in enumerate(self.seated)]
        self.path: list[int] = []
        self.sizes: list[int] = []
        self.moves: list[str] = []
        self.earned = [0.0] * self.rules.players
        self.corrections = [0.0] * self.rules.players
        self.history = 0 if table.worth is not None else -1

    def play(self) -> Play:
        rules = self.rules
        state = ask(rules, self.path, "start", rules.start)
        for _ in range(MOST_MOVES):
            gains = ask(rules, self.path, "gains", partial(rules.gains, state))
            self._refuse(wrong_gains(gains, rules.players))
            self.earned = [total + float(gain) for total, gain in zip(self.earned, gains, strict=True)]
            turn = ask(rules, self.path, "turn", partial(rules.turn, state))
            self._refuse(wrong_turn(turn, rules.players))
            if turn == END:
                counted = self.earned if self.imagined is None else self.imagined[self.history].tolist()
                corrected = [more + total for more, total in zip(self.corrections, counted, strict=True)]
                path = tuple(zip(self.path, self.sizes, strict=True))
                return Play(np.array(self.earned), np.array(corrected), tuple(self.moves), path)
            move = self._chance(state) if turn == CHANCE else self._players(state, turn)
            state = ask(rules, self.path[:-1], "after", partial(rules.after, state, move))
        raise RulesError(f"{self._here}: {ENDLESS}")

    @property
    def _here(self) -> str:
        return node_text(self.rules, self.path)

    def _refuse(self, sentence: str | None, kind: type[RulesError] = RulesError) -> None:
        if sentence is not None:
            raise kind(f"{self._here}: {sentence}")

    def _chance(self, state: Any) -> Any:
        outcomes = ask(self.rules, self.path, "chance", partial(_listed, self.rules.chance, state))
        self._refuse(wrong_chance(outcomes), ChanceError)
        weights = [float(weight) for _, weight in outcomes]
        k = self.luck.draw(weights, weights.count(weights[0]) == len(weights))
        self._moved([Answer(np.array(weights), True)], [k], [self.rules.action_text(CHANCE, outcomes[k][0])], [True])
        return outcomes[k][0]

    def _players(self, state: Any, turn: int | tuple[int, ...]) -> Any:
        who, rules = movers(turn), self.rules
        menus, answers = [], []
        for seat in who:
            menu = ask(rules, self.path, "actions", partial(_listed, rules.actions, state, seat))
            self._refuse(ask(rules, self.path, "actions", partial(wrong_menu, seat, menu)))
            seen = ask(rules, self.path, "observe", partial(rules.observe, state, seat))
            menus.append(menu)
            ask(rules, self.path, "features", partial(inform, self.seats[seat], rules, state, seat))
            answers.append(self._answer(seat, seen, menu))
        taken = [self.will.draw(one.weights.tolist(), one.even) for one in answers]
        for seat, k in zip(who, taken, strict=True):
            self.seats[seat].took(k)
        chosen = [menu[k] for menu, k in zip(menus, taken, strict=True)]
        names = [rules.action_text(seat, one) for seat, one in zip(who, chosen, strict=True)]
        tables = [table_of(self.seated[seat]) is not None for seat in who]
        self._moved(answers, taken, names, tables)
        return tuple(chosen) if isinstance(turn, tuple) else chosen[0]

    def _answer(self, seat: int, seen: Any, menu: list[Any]) -> Answer:
        try:
            return self.seats[seat].choose(seen, menu)
        except HannanError as error:
            raise PlayerError(f"{self._here}: {self.seated[seat].name} in seat {seat}: {error}") from error

    def _moved(
        self, answers: Sequence[Answer], taken: Sequence[int], names: Sequence[str], tables: Sequence[bool]
    ) -> None:
        """Note the move; correct for it: add its expected value and subtract its value.

        tables: which movers are chance or tables. If ends of play are imagined, the moves of these movers are corrected
        for there, and this method corrects only for the moves of the others whose probabilities are known.
        """
        sizes = [len(answer.weights) for answer in answers]
        number = 0
        for size, k in zip(sizes, taken, strict=True):
            number = number * size + k
        self.path.append(number)
        self.sizes.append(prod(sizes))
        self.moves.append(names[0] if len(names) == 1 else f"({','.join(names)})")
        begin = 0 if self.worth is None or self.history < 0 else int(self.worth.child[self.history])
        if self.worth is None or begin <= 0:
            self.history = -1
            return
        weights, less = _joint(answers, sizes, taken), None
        if self.imagined is not None:
            silent = [one if mine else one._replace(known=False) for one, mine in zip(answers, tables, strict=True)]
            less = _joint(silent, sizes, taken)
        for p in range(self.rules.players):
            worth = self.worth.value[begin : begin + len(weights), p].tolist()
            self.corrections[p] += _mean(weights, worth) - (worth[number] if less is None else _mean(less, worth))
        self.history = begin + number


def _mean(weights: Sequence[float], values: Sequence[float]) -> float:
    mean = 0.0
    for weight, value in zip(weights, values, strict=True):
        mean += weight * value
    return mean


def _joint(answers: Sequence[Answer], sizes: Sequence[int], taken: Sequence[int]) -> list[float]:
    """Return the probability of each joint move, given the actions of movers whose probabilities are not known."""
    weights = []
    for child in range(prod(sizes)):
        weight = 1.0
        for answer, size, k in zip(reversed(answers), reversed(sizes), reversed(taken), strict=True):
            child, mine = divmod(child, size)
            weight *= float(answer.weights[mine]) if answer.known else float(mine == k)
        weights.append(weight)
    return weights


def _listed(question: Any, *arguments: Any) -> list[Any]:
    return list(question(*arguments))


def room_for(players: int, width: int, size: int) -> StepScratch:
    """Return memory for one play of rules with `width` actions and a state of `size` numbers."""
    cells = players * width
    first, size_, taken, who, last, forgets = (np.zeros(players, np.int64) for _ in range(6))
    return StepScratch(
        fenced(size, np.int64), fenced(cells, np.int64), fenced(cells), first, size_, taken, who, last, forgets,
        fenced(players, np.int64), fenced(players),
    )  # fmt: skip


def written(room: StepScratch) -> tuple[Any, ...]:
    """Return the arrays that rules write into."""
    return room.state, room.codes, room.odds, room.choice, room.here


def one_table(*policies: Policy) -> Tables:
    """Return one table of all sets of policies; the sequences of each policy follow those of the policy before it."""
    begin, end = 0, 0
    row = np.empty((sum(policy.sets for policy in policies), SET_ROW), np.int64)
    for policy in policies:
        mine = row[end : end + policy.sets]
        mine[:, S_PARENT], mine[:, S_SEEN] = policy.parent + begin, policy.observation
        mine[:, S_FIRST], mine[:, S_COUNT] = policy.base + begin, policy.size
        end, begin = end + policy.sets, begin + len(policy.probability)
    buckets = np.empty(bucket_count(len(row)), np.int64)
    rehash(len(row), row, buckets)
    return Tables(row, buckets, np.concatenate([policy.probability for policy in policies]))


class _Compiled:
    """The tables of all players as one, and the loop over them."""

    def __init__(self, table: PlayTable) -> None:
        self._source = source = source_of(table.game.rules)
        players = source.rules.players
        seated = [one for one in map(table_of, table.players) if one is not None]
        policies = list({id(policy): policy for policy in seated}.values())  # once, even if several seats play it
        which = np.array([next(k for k, policy in enumerate(policies) if policy is one) for one in seated])
        seatings = which[table.seatings]
        begins = np.cumsum([0, *(len(policy.probability) for policy in policies)])
        nothing = np.zeros(0, np.int64)
        worth = table.worth or Worth(nothing, nothing, np.zeros((0, players)))
        self.tables = one_table(*policies)
        self.guesses = Guesses(np.array(worth.child, np.int64), np.array(worth.value, np.float64))
        self.empty = np.ascontiguousarray(begins[seatings] + np.arange(players))
        forgetting = np.array([[p in policy.forgets for p in range(players)] for policy in policies], np.int64)
        self.forgets = np.ascontiguousarray(forgetting[seatings, np.arange(players)])
        self.room = room_for(players, source.width, 0)
        self.lanes = _lanes(players, source.width, source.state_size)
        threshold = np.empty_like(self.tables.probability)
        add_up(self.tables.row, self.tables.probability, threshold)
        self.fast = Fast(self.tables.row, self.tables.buckets, threshold)
        self._terms = (*source.book, source.width, MOST_MOVES)
        self._play = player()

    def plays(self, chances: Any, draws: Any, earned: Floats, corrected: Floats, trail: Longs) -> int:
        """Fill rows of plays; return how many rows are complete."""
        made = 0
        begun = (np.ascontiguousarray(states).reshape(-1) for states in (chances, draws))
        told = (array.reshape(chances.size, *array.shape[2:]) for array in (earned, corrected, trail))
        terms = (self.tables, self.fast, self.guesses, self.room, self.lanes, self.empty, self.forgets, *begun, *told)
        for abreast in (ABREAST, 1):  # if a play fails, play one at a time: those before it count
            status, made = self._play(*self._terms, abreast, int(made), *terms)
            if status == DONE:
                break
        lanes = self.lanes
        spare = (lanes.state[:, -GUARD:], lanes.codes[:, -GUARD:])
        self._source.check(status, *written(self.room), lanes.state, lanes.codes, spare=spare)
        return int(made) // int(chances.shape[1])


def _lanes(players: int, width: int, size: int) -> Lanes:
    """Return memory for `ABREAST` plays at the same time."""
    last, forgets = (np.zeros((ABREAST, players), np.int64) for _ in range(2))
    mover, lane = np.zeros((ABREAST, players, MOVER_ROW), np.int64), np.zeros((ABREAST, LANE_ROW), np.int64)
    luck, will = np.zeros(ABREAST, np.uint64), np.zeros(ABREAST, np.uint64)
    state, codes = (fenced((ABREAST, cells + GUARD), np.int64) for cells in (size, players * width))
    return Lanes(state, codes, last, forgets, mover, lane, np.zeros(ABREAST, np.int64), luck, will)
