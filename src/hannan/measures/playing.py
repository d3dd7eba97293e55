"""Playing a game between any players: by plain steps, or all plays of a batch in one compiled loop.

Both give the same bits. Chance draws from one stream of random numbers, the players from another, and every play has
its own two, so that plays can share chance (duplicate play) and still be independent in what players draw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.errors import HannanError, PlayerError, RulesError
from hannan.forms.game import PlayedGame
from hannan.kernels.play import Room, Tables, player
from hannan.kernels.sampling.draws import draw
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN, SET_ROW, bucket_count, rehash
from hannan.measures.players import Answer, AskedTaken, Player, TablePlayer
from hannan.rules.compiled import CompiledRules
from hannan.rules.paths import node_text
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules, movers
from hannan.rules.promises import wrong_chance, wrong_gains, wrong_turn
from hannan.rules.questions import ask

SPARE = 1024
"""Places after the last code and probability, for rules that write more than they announced before it shows."""


class Worth(NamedTuple):
    """What histories are guessed to be worth to each player, numbered as in a `GameTree`."""

    children: Ints  # [histories + 1]
    value: Floats  # [histories, players]  with what is gained on reaching the history


@dataclass(frozen=True)
class Play:
    """One play, from the start to the end."""

    earned: Floats  # [seats]
    corrected: Floats  # [seats]  less what the guesses make of luck; what was earned where there are none
    moves: tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """Whole rows of plays, the k-th of each row with the k-th seating."""

    earned: Floats  # [rows, plays a row, seats]
    corrected: Floats  # [rows, plays a row, seats]
    moves: list[list[tuple[str, ...]]]  # [rows][plays a row]  empty where they were not wanted
    failure: HannanError | None = None
    """Why the next row could not be played to the end, where it could not."""


class Table:
    """A game, its players, and the seatings that they play in turn."""

    def __init__(
        self, game: PlayedGame, players: Sequence[Player], seatings: Longs, worth: Worth | None = None
    ) -> None:
        """seatings: which player sits in each seat, [plays a row, seats]."""
        self.game, self.players, self.seatings, self.worth = game, tuple(players), seatings, worth
        self.fast = game.compiled and all(isinstance(one, TablePlayer) for one in self.players)
        """Whether plays are made in one compiled loop."""
        self._compiled = _Compiled(self) if self.fast else None

    def batch(self, chances: Any, draws: Any, enough: Callable[[], bool], telling: bool = False) -> Batch:
        """Make plays whose random numbers begin here, [rows, plays a row] each; `telling` keeps their moves.

        Between two rows of plain steps `enough` may end the batch; so does an error.
        """
        shape = (*chances.shape, self.game.players)
        earned, corrected, moves, rows = np.zeros(shape), np.zeros(shape), [], len(chances)
        failure: HannanError | None = None
        if self._compiled is not None and not telling:
            rows = self._compiled.plays(chances, draws, earned, corrected)
            chances, draws = chances[rows : rows + 1], draws[rows : rows + 1]  # plain steps tell what is wrong there
        done = 0 if telling or self._compiled is None else rows
        try:
            for row in range(len(chances)):
                if row and enough():
                    break
                plays = [self.play(k, int(chances[row, k]), int(draws[row, k])) for k in range(chances.shape[1])]
                earned[done], corrected[done] = [play.earned for play in plays], [play.corrected for play in plays]
                if telling:
                    moves.append([play.moves for play in plays])
                done += 1
        except HannanError as error:
            failure = error
        return Batch(earned[:done], corrected[:done], moves, failure)

    def play(self, seating: int, chance: int, drawn: int) -> Play:
        """Make one play by plain steps; an error names the path of play."""
        return _Steps(self, self.seatings[seating].tolist(), chance, drawn).play()


class _Steps:
    """One play in the making."""

    def __init__(self, table: Table, seated: Sequence[int], chance: int, drawn: int) -> None:
        self.rules, self.worth = table.game.rules, table.worth
        self.seated = [table.players[k] for k in seated]
        self.luck, self.will = np.array([chance], np.uint64), np.array([drawn], np.uint64)
        self.seats = [one.sit(seat, drawn * self.rules.players + seat) for seat, one in enumerate(self.seated)]
        self.path: list[int] = []
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
                corrected = [more + total for more, total in zip(self.corrections, self.earned, strict=True)]
                return Play(np.array(self.earned), np.array(corrected), tuple(self.moves))
            move = self._chance(state) if turn == CHANCE else self._players(state, turn)
            state = ask(rules, self.path[:-1], "after", partial(rules.after, state, move))
        raise RulesError(f"{self._here}: play has not ended after {MOST_MOVES} moves")

    @property
    def _here(self) -> str:
        return node_text(self.rules, self.path)

    def _refuse(self, sentence: str | None) -> None:
        if sentence is not None:
            raise RulesError(f"{self._here}: {sentence}")

    def _chance(self, state: Any) -> Any:
        outcomes = ask(self.rules, self.path, "chance", partial(_listed, self.rules.chance, state))
        self._refuse(wrong_chance(outcomes))
        weights = np.array([float(weight) for _, weight in outcomes])
        k = int(draw(self.luck, weights, 0, len(outcomes)))
        self._moved([Answer(weights, True)], [k], [self.rules.action_text(CHANCE, outcomes[k][0])])
        return outcomes[k][0]

    def _players(self, state: Any, turn: int | tuple[int, ...]) -> Any:
        who, rules = movers(turn), self.rules
        menus, answers = [], []
        for seat in who:
            menu = ask(rules, self.path, "actions", partial(_listed, rules.actions, state, seat))
            if not menu:
                raise RulesError(f"{self._here}: a player is to move and has no action")
            seen = ask(rules, self.path, "observe", partial(rules.observe, state, seat))
            menus.append(menu)
            if isinstance(one := self.seats[seat], AskedTaken) and one.reads:
                one.know(ask(rules, self.path, "features", partial(rules.features, state, seat)))
            answers.append(self._answer(seat, seen, menu))
        taken = [int(draw(self.will, one.weights, 0, len(menu))) for one, menu in zip(answers, menus, strict=True)]
        for seat, k in zip(who, taken, strict=True):
            self.seats[seat].took(k)
        chosen = [menu[k] for menu, k in zip(menus, taken, strict=True)]
        self._moved(answers, taken, [rules.action_text(seat, one) for seat, one in zip(who, chosen, strict=True)])
        return tuple(chosen) if isinstance(turn, tuple) else chosen[0]

    def _answer(self, seat: int, seen: Any, menu: list[Any]) -> Answer:
        try:
            return self.seats[seat].choose(seen, menu)
        except HannanError as error:
            raise PlayerError(f"{self._here}: {self.seated[seat].name} in seat {seat}: {error}") from error

    def _moved(self, answers: Sequence[Answer], taken: Sequence[int], names: Sequence[str]) -> None:
        """Note the move, and correct for it by what it was expected to be worth less what it is worth."""
        sizes = [len(answer.weights) for answer in answers]
        number = 0
        for size, k in zip(sizes, taken, strict=True):
            number = number * size + k
        self.path.append(number)
        self.moves.append(names[0] if len(names) == 1 else f"({','.join(names)})")
        if self.worth is None:
            return
        begin, weights = int(self.worth.children[self.history]), _joint(answers, sizes, taken)
        for p in range(self.rules.players):
            mean = 0.0
            for child, weight in enumerate(weights):
                mean += weight * float(self.worth.value[begin + child, p])
            self.corrections[p] += mean - float(self.worth.value[begin + number, p])
        self.history = begin + number


def _joint(answers: Sequence[Answer], sizes: Sequence[int], taken: Sequence[int]) -> list[float]:
    """Return the probability of each joint move, given what movers do whose probabilities are not known."""
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


class _Compiled:
    """The tables of all players as one, and the loop over them."""

    def __init__(self, table: Table) -> None:
        rules: Rules = table.game.rules
        assert isinstance(rules, CompiledRules)
        players = rules.players
        policies = [one.policy for one in table.players if isinstance(one, TablePlayer)]
        begins = np.cumsum([0, *(len(policy.probability) for policy in policies)])
        row = np.empty((sum(policy.sets for policy in policies), SET_ROW), np.int64)
        end = 0
        for policy, begin in zip(policies, begins[:-1].tolist(), strict=True):
            mine = row[end : end + policy.sets]
            mine[:, S_PARENT], mine[:, S_SEEN] = policy.parent + begin, policy.observation
            mine[:, S_FIRST], mine[:, S_COUNT] = policy.base + begin, policy.size
            end += policy.sets
        buckets = np.empty(bucket_count(len(row)), np.int32)
        rehash(len(row), row, buckets)
        worth = table.worth or Worth(np.zeros(0, np.int32), np.zeros((0, players)))
        self.tables = Tables(
            row, buckets, np.concatenate([policy.probability for policy in policies]),
            np.array(worth.children, np.int32), np.array(worth.value, np.float64),
        )  # fmt: skip
        self.empty = np.ascontiguousarray(begins[table.seatings] + np.arange(players))
        forgetting = np.array([[p in policy.forgets for p in range(players)] for policy in policies], np.int64)
        self.forgets = np.ascontiguousarray(forgetting[table.seatings, np.arange(players)])
        cells = players * rules.width + SPARE
        first, size, taken, who, last, forgets, choice = (np.zeros(players, np.int64) for _ in range(7))
        self.room = Room(
            np.zeros(rules.state_size, np.int64), np.zeros(cells, np.int64), np.zeros(cells), first, size, taken, who,
            last, forgets, choice, np.zeros(players),
        )  # fmt: skip
        self.luck, self.will = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
        self._source = (*rules.compiled(), rules.table, rules.width, MOST_MOVES)
        self._play = player()

    def plays(self, chances: Any, draws: Any, earned: Floats, corrected: Floats) -> int:
        """Fill rows of plays; return how many are whole."""
        _, done = self._play(
            *self._source, self.tables, self.room, self.empty, self.forgets, chances, draws, self.luck, self.will,
            earned, corrected,
        )  # fmt: skip
        return int(done) // int(chances.shape[1])
