"""A person's plays of a game against other players: what the seat sees, what each choice costs, and the score.

The terminal (`hannan play`) and the explorer show the same sitting. They differ in how a person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.errors import ParameterError, SizeError
from hannan.forms.game import ExpandedGame, PlayedGame, is_box
from hannan.forms.trust import Trust
from hannan.measures.players import Player, table_of
from hannan.measures.plays import Play, PlayTable
from hannan.measures.poker.survey import Survey
from hannan.measures.tables import Measured, measured
from hannan.runs.match_pieces import game_streams
from hannan.runs.players import Given, player, seated
from hannan.runs.result import Result
from hannan.runs.solve import solve
from hannan.strategies.index import UNKNOWN
from hannan.strategies.public import PublicSeat
from hannan.strategies.seats import Answer, Looking, Seat, TableSeat

SECONDS = 10.0
"""The most seconds of solving if no opponent is given."""
GAP, LARGE = 1e-4, "mccfr-os"
"""The gap at which that solve stops, and the method for games too large to expand."""


@dataclass(frozen=True)
class Situation:
    """The facts that a person sees before a choice."""

    seat: int
    seen: str
    """The person's observations and actions so far: the name of the information set."""
    board: str
    """The board, as the rules show it to this seat; empty if they show none."""
    actions: tuple[str, ...]
    helps: tuple[str, ...]
    """The meaning of each action; empty if its name is enough."""
    advice: Floats  # [actions]
    """The probabilities of the opponents' strategy."""


@dataclass(frozen=True)
class Choice:
    """One choice of a play, judged afterwards."""

    seen: str
    action: str
    cost: float | None
    """What the best action gains over this one, if the person then plays on as the strategy would."""
    best: str | None


@dataclass(frozen=True)
class Played:
    """One play of the person."""

    seat: int
    earned: float
    moves: tuple[str, ...]
    choices: tuple[Choice, ...]

    def record(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        costs = [{"seen": one.seen, "action": one.action, "cost": one.cost, "best": one.best} for one in self.choices]
        return {"seat": self.seat, "earned": self.earned, "moves": list(self.moves), "choices": costs}


@dataclass(frozen=True)
class Score:
    """The score over several plays."""

    plays: int
    total: float
    mean: float | None
    """Earned per play; None before the first."""
    cost: float | None
    """The cost of all choices together; None if no cost is known."""

    def record(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {"total": self.total, "mean": self.mean, "cost": self.cost}


Decide = Callable[[Situation], int]
"""A function that returns the place of the action that a person takes."""


@dataclass(frozen=True)
class Opponents:
    """The players in the other seats."""

    players: tuple[Player, ...]
    """The players; the first one gives advice."""
    measured: Measured | None
    """The numbers of their profile, if all play one profile of an expanded game: they give the costs of choices."""


class Sitting:
    """Plays of one person at one table. A play depends only on the seed, its number and the choices."""

    def __init__(
        self, game: PlayedGame, opponents: Opponents, decide: Decide, *, seat: int | None = None, seed: int = 0
    ) -> None:
        """seat: the person's seat; None: each one in turn."""
        if game.players == 0:
            raise ParameterError(f"{game.address} has no seat for a person")
        if seat is not None:
            game.check_player(seat)
        self.game, self.opponents, self.seat, self.seed = game, opponents, seat, seed
        self.person = Person(game, decide, opponents)
        others = opponents.players
        self._table = PlayTable(game, [self.person, *others], _seatings(game.players, len(others)))
        self.plays: list[Played] = []
        self._skipped = 0

    def skip(self) -> None:
        """Skip the next play; another one takes its place."""
        self._skipped += 1

    @property
    def next_seat(self) -> int:
        """The seat of the person in the next play."""
        return len(self.plays) % self.game.players if self.seat is None else self.seat

    def play(self) -> Played:
        """Make the next play, and count it once it is over. A play that `decide` breaks off does not count."""
        mine = self.next_seat
        chance, drawn = game_streams(self.seed, len(self.plays) + self._skipped, 1, 1, False)
        done: Play = self._table.play(mine, int(chance[0, 0]), int(drawn[0, 0]))
        self.plays.append(Played(mine, float(done.earned[mine]), done.moves, tuple(self.person.choices)))
        return self.plays[-1]

    @property
    def score(self) -> Score:
        """The score over the plays so far."""
        costs = [one.cost for each in self.plays for one in each.choices if one.cost is not None]
        earned = [one.earned for one in self.plays]
        return Score(len(earned), sum(earned), fmean(earned) if earned else None, sum(costs) if costs else None)


def opponents(
    game: PlayedGame,
    given: Sequence[Given],
    *,
    trust: Trust = False,
    solving: Callable[[float], None] | None = None,
) -> Opponents:
    """Return the other players: the given ones, one for all seats or one for each; else a strategy from a short solve.

    Parameters
    ----------
    game
        The game to play.
    given
        What `hannan.match` takes as players. Empty: the game is solved for SECONDS at most.
    trust
        Consent to run code that a file of strategies names.
    solving
        Called with the most seconds of the solve before it begins; progress is shown then.
    """
    seats = max(game.players - 1, 1)  # in a game of one player, the strategy still gives advice
    if not given and is_box(game):
        raise ParameterError(
            f"{game.address} is a black box, which is not solved in passing: name an opponent, such as the file of a "
            "certificate, or uniform"
        )
    if not given:
        if solving is not None:
            solving(SECONDS)
        result = _solved(game, solving is not None)
        others = [player(game, result.strategy, f"{result.method} after {result.iterations:,} iterations")] * seats
    elif len(given) not in (1, seats):
        many = "1 seat" if seats == 1 else f"{seats} seats"
        raise ParameterError(f"{len(given)} opponents for {many}: give one, or one for each")
    else:
        others = seated(game, given, trust=trust) * (seats if len(given) == 1 else 1)
    first = others[0]
    alike = all(one is first for one in others)  # the cost of a choice depends on all other players
    policy = table_of(first)
    if alike and policy is not None and isinstance(policy.game, ExpandedGame):
        profile = policy.profile()
        return Opponents((player(game, profile, first.name), *others[1:]), measured(profile.game, profile))
    return Opponents(tuple(others), None)


def _solved(game: PlayedGame, shown: bool) -> Result:
    try:
        return solve(game, gap=GAP, seconds=SECONDS, progress=shown)
    except SizeError:  # too large for methods that need the whole game: sample
        return solve(game, LARGE, seconds=SECONDS, progress=shown)


def _seatings(players: int, others: int) -> np.ndarray:
    """Return the seatings in which the person, player 0 of the table, takes each seat in turn; [seats, seats]."""
    around = np.arange(1, others + 1)
    rows = [np.insert(around[: players - 1], mine, 0) for mine in range(players)]
    return np.array(rows, np.int64).reshape(players, players)


class Person:
    """A person as a player, who sees only the observations and actions of the seat."""

    name = "you"

    def __init__(self, game: PlayedGame, decide: Decide, opponents: Opponents) -> None:
        self.game, self.decide, self.opponents = game, decide, opponents
        self.choices: list[Choice] = []
        """The choices of the play that is under way, or of the last one."""
        self.survey: Survey | None = None
        """Measures the adviser's strategy, from the first choice against a strategy on a public tree."""

    def sit(self, seat: int, luck: int) -> Seat:
        self.choices = []
        return _PersonSeat(self, seat, self.opponents.players[0].sit(seat, luck))


class _PersonSeat:
    def __init__(self, person: Person, seat: int, advice: Seat) -> None:
        self.person, self.seat, self.advice = person, seat, advice
        self.story = self.board = ""
        self.names: tuple[str, ...] = ()

    def look(self, state: Any) -> None:
        """Keep only the board that the rules show to this seat, and nothing else of the state."""
        self.board = self.person.game.rules.board_text(state, self.seat)
        if isinstance(self.advice, Looking):
            self.advice.look(state)

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        rules = self.person.game.rules
        self.names = tuple(rules.action_text(self.seat, action) for action in actions)
        helps = tuple(rules.action_help(self.seat, action) for action in actions)
        self.story = f"{self.story} {rules.observation_text(self.seat, observation)}".strip()
        weights = self.advice.choose(observation, actions).weights
        place = self.person.decide(Situation(self.seat, self.story, self.board, self.names, helps, weights))
        return Answer(np.eye(len(actions))[place], False)

    def took(self, k: int) -> None:
        person, cost, best = self.person, None, None
        known = person.opponents.measured
        if known is not None and isinstance(self.advice, TableSeat) and self.advice.place != UNKNOWN:
            plays = known.row(self.advice.place).actions
            regrets = [plays[place].regret for place in self.advice.places]
            gains = [gain for gain in regrets if gain is not None]  # none if the others never lead here
            if len(gains) == len(regrets):
                cost, best = max(gains) - gains[k], self.names[gains.index(max(gains))]
        elif isinstance(self.advice, PublicSeat):
            cost, best = self._public_cost(self.advice, k)
        person.choices.append(Choice(self.story, self.names[k], cost, best))
        self.story = f"{self.story} {self.names[k]}"
        self.advice.took(k)

    def _public_cost(self, advice: PublicSeat, k: int) -> tuple[float | None, str | None]:
        """Return the cost of a choice against a strategy on a public tree, and the best action; None: never reached."""
        strategy, cursor, kind = advice.standing
        if self.person.survey is None or self.person.survey.strategy is not strategy:
            self.person.survey = Survey(strategy)
        standing = self.person.survey.at(cursor)[self.seat]
        if standing.utilities is None:
            return None, None
        gains = standing.utilities[:, int(np.flatnonzero(standing.types == kind)[0])]
        if np.isnan(gains).any():
            return None, None
        return float(gains.max() - gains[k]), self.names[int(gains.argmax())]
