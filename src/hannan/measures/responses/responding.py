"""The search for one response: try several, choose one, and measure its earnings in fresh plays."""

from __future__ import annotations

from time import perf_counter

from hannan.measures.bounds import Range, lower_bound
from hannan.measures.means import Mean, normal_half_width
from hannan.measures.piecework import Stop
from hannan.measures.players import Player, playing, rule_player
from hannan.measures.responses.field import Field
from hannan.measures.responses.learners import Learner
from hannan.measures.responses.ruled import SteppedPlays
from hannan.measures.responses.search import LOCAL, SEARCH, LookAhead, LookAheadPlayer
from hannan.measures.responses.trials import BEFORE, EARLY, LATE, Clock, Learnt, Trial, Trying
from hannan.measures.rollouts import PLAIN_PLAYS, Plays
from hannan.pieces.workers import Workers
from hannan.splitmix import first_random
from hannan.strategies.policy import Policy
from hannan.strategies.ruled import Rule
from hannan.strategies.strategy import Strategy

CHOICE_STREAM, OWN_STREAM = 3, 4
"""Numbers of the streams of random numbers: for choosing a response, and for a user's responder."""
CHANCE_STREAM, DRAWN_STREAM = 11, 12
"""Numbers of the streams of plays by plain steps: for chance, and for the players."""
SIMULATIONS, LEAST_SIMULATIONS, MOST_SIMULATIONS = 1000, 64, 16_384
"""Simulated plays from each choice: without a time limit, and the fewest and the most with a time limit."""
PROBES, WANTED_PLAYS = 3, 400
"""The number of plays that measure the time of one play, and the number of plays that should fit into the time."""
SEARCH_CHOOSING = 0.8
"""The share of the time after which `auto` has chosen between the learnt response and a search on top of it."""


def _promise(mean: Mean, confidence: float, ends: Range | None) -> float:
    """Return an estimate of the lower bound if the rest of the time goes into measuring this response."""
    if ends is None:
        return mean.value - normal_half_width(mean.standard_error, 2 * confidence - 1)
    return lower_bound(mean, ends, 1 - confidence)


class Responding:
    """The search for one response within a time limit."""

    before: Mean
    """The mean earnings of the player under the strategy itself."""

    def __init__(
        self,
        field: Field,
        others: Strategy,
        player: int,
        seed: int,
        clock: Clock,
        walks: int | None,
        plays: int,
        workers: Workers,
    ) -> None:
        """field: the policy to learn against; others: the strategy to measure gains against."""
        self.field, self.policy, self.others, self.player = field, field.policy, others, player
        self.seed, self.clock = seed, clock
        self.walks, self.plays, self.workers = walks, plays, workers
        self.tried: tuple[Trial, ...] = ()
        self.own_seed = first_random(seed, OWN_STREAM) >> 1

    def look(
        self, method: str, searches: bool, confidence: float, ends: Range | None
    ) -> tuple[str, Learner | Learnt | LookAheadPlayer]:
        """Return the name of a response, and the response. ends: the least and the most that the player can earn."""
        if method in ("search", "local"):
            search = self._search(self.policy, LOCAL if method == "local" else SEARCH, BEFORE, 1.0)
            return search.name, search
        shares = EARLY if searches else LATE
        trying = Trying(self.field, self.player, self.seed, self.clock, self.walks, self.before, shares, self.workers)
        learner, mean = trying.best(self.plays)
        self.tried, name = trying.tried, learner.recipe.name
        if not searches or self.clock.stopped is not None:
            return name, learner
        search = self._search(learner.response(), SEARCH, EARLY.choosing, SEARCH_CHOOSING)
        began = perf_counter()
        plays = self._stepped(search, CHOICE_STREAM)
        plays.make(self.plays, self.clock.over(SEARCH_CHOOSING), self.workers)
        other = plays.mean()
        assert other is not None
        simulations = search.search.simulations
        self.tried += (Trial(search.name, other.value - self.before.value, simulations, perf_counter() - began),)
        wins = _promise(other, confidence, ends) > _promise(mean, confidence, ends)
        return (f"search, then {name}", search) if wins else (name, learner)

    def _search(self, policy: Policy, ahead: int, start: float, end: float) -> LookAheadPlayer:
        """Return a player that searches; between the two shares of the time, WANTED_PLAYS of its plays should fit."""
        if self.clock.seconds is None:
            simulations = SIMULATIONS if self.walks is None else self.walks
        else:
            probe = LookAheadPlayer("", policy, LookAhead(ahead, LEAST_SIMULATIONS))
            began = perf_counter()
            SteppedPlays(policy, self.player, probe, 0, 0).make(PROBES, lambda: False)
            each = max(perf_counter() - began, 1e-6) / PROBES
            wanted = (end - start) * self.clock.seconds / (WANTED_PLAYS * each)
            simulations = min(max(int(LEAST_SIMULATIONS * wanted), LEAST_SIMULATIONS), MOST_SIMULATIONS)
        return LookAheadPlayer("local" if ahead == LOCAL else "search", policy, LookAhead(ahead, simulations))

    def _stepped(self, player: Player, stream: int) -> SteppedPlays:
        chance, drawn = (first_random(self.seed, number) for number in (CHANCE_STREAM, DRAWN_STREAM))
        return SteppedPlays(self.others, self.player, player, first_random(chance, stream), first_random(drawn, stream))

    def measure(self, response: Learner | Learnt | Strategy | Rule | Player, stream: int, over: Stop) -> Mean:
        """Return the mean earnings of a response in plays that were not used to find it.

        In this process, plays use the existing tables of a policy. Workers make their own tables.
        """
        random, here = first_random(self.seed, stream), self.workers.on == "serial"
        if here and isinstance(self.others, Policy) and response is self.policy:
            return self.field.earned(self.player, random, self.plays, over)
        if isinstance(response, Learner | Learnt):
            if here and isinstance(response, Learner) and isinstance(self.others, Policy):
                return response.earned(random, self.plays, over)
            response = response.response()
        if isinstance(response, Policy) and isinstance(self.others, Policy):
            made = Plays(response, self.player, random)
            made.make(self.plays, over, self.workers)
            return made.mean(self.player)
        plays = self._stepped(self._seated(response), stream)
        timed = self.clock.seconds is not None or not isinstance(response, LookAheadPlayer)
        plays.make(self.plays if timed else min(self.plays, PLAIN_PLAYS), over, self.workers)
        mean = plays.mean()
        assert mean is not None
        return mean

    def _seated(self, response: Strategy | Rule | Player) -> Player:
        game = self.policy.game.played()
        if isinstance(response, Strategy):
            return playing(game, "the response", response)
        if isinstance(response, Player):
            return response
        return rule_player(game, str(getattr(response, "__name__", type(response).__name__)), response)
