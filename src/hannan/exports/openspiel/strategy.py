"""An OpenSpiel policy as a strategy, queried state by state without a table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from typing import Any

from hannan.arguments import shown
from hannan.errors import STRAY, ParameterError, PlayerError, UnsuitableError
from hannan.exports.openspiel.policies import from_openspiel, probabilities
from hannan.forms.game import ExpandedGame, Game, PlayedGame
from hannan.forms.loader import load
from hannan.forms.objects import is_a
from hannan.interop.openspiel.rules import SpielRules
from hannan.rules.promises import told
from hannan.strategies.profile import Profile
from hannan.strategies.ruled import understood
from hannan.strategies.seats import Answer, Seat
from hannan.strategies.strategy import Strategy

POLICIES = ("open_spiel.Policy", "pyspiel.Policy")
"""The base classes of policies, in Python and in C++."""


class SpielPolicy(Strategy):
    """An OpenSpiel policy for an OpenSpiel game. If the game can be expanded, `profile()` returns it as a profile."""

    kind = "a policy of OpenSpiel's, which is asked while it plays"

    def __init__(self, game: PlayedGame, policy: Any) -> None:
        assert isinstance(game.rules, SpielRules)
        self.game, self.asked, self.theirs = game, policy, game.rules.theirs
        self.facts: Mapping[str, Any] = {"method": type(policy).__name__}

    def sit(self, seat: int, luck: int) -> Seat:
        self.game.check_player(seat)
        return _PolicySeat(self, seat)

    def profile(self) -> Profile:
        return from_openspiel(self.game, self.asked, self.theirs)

    @property
    def digest(self) -> str:
        raise UnsuitableError(f"{shown(self)} is {self.kind}: it has no digest to compare it with another strategy")

    def save(self, path: str | PathLike[str]) -> None:
        raise UnsuitableError(
            f"{shown(self)} is {self.kind}: save its `profile()` if the game can be expanded, or keep the policy"
        )

    def __repr__(self) -> str:
        return f"SpielPolicy({self.game.address}, {type(self.asked).__name__})"


class _PolicySeat:
    """A policy in one play. It receives OpenSpiel's state, as OpenSpiel policies do."""

    def __init__(self, strategy: SpielPolicy, seat: int) -> None:
        self._strategy, self._seat = strategy, seat
        self._state: Any = None

    def look(self, state: Any) -> None:
        self._state = state

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        if self._state is None:
            raise UnsuitableError(
                f"{shown(self._strategy)} needs OpenSpiel's state, which exists in a match and not here; if the game "
                "can be expanded, use its `profile()`"
            )
        try:
            plays: dict[Any, float] = probabilities(self._strategy.asked, self._state, self._seat)
        except STRAY as error:
            raise PlayerError(f"it raised {told(error)}") from error
        shares = {action: float(plays.get(action, 0.0)) for action in actions}
        return understood(shares, actions, list(map(str, actions)))

    def took(self, k: int) -> None:
        """Do nothing: the next state contains the action."""


def strategy_from(policy: Any, game: Game | None) -> Strategy | None:
    """Return an OpenSpiel policy as a strategy; None if `policy` is not an OpenSpiel policy.

    game: the game of the policy; not needed if the policy knows it. If it is a game of ours that OpenSpiel has too, the
    policy becomes a profile.
    """
    if not any(is_a(policy, name) for name in POLICIES):
        return None
    theirs: Any = getattr(policy, "game", None)
    if game is None and not is_a(theirs, "pyspiel.Game"):
        raise ParameterError(
            f"{type(policy).__name__} of OpenSpiel does not name its game: give the game before the policy, as in "
            "hn.evaluate(game, policy)"
        )
    loaded = load(theirs) if game is None else game
    if isinstance(loaded, PlayedGame) and isinstance(loaded.rules, SpielRules):
        return SpielPolicy(loaded, policy)
    if isinstance(loaded, ExpandedGame):
        return from_openspiel(loaded, policy)
    raise UnsuitableError(
        f"an OpenSpiel policy plays OpenSpiel games: load {loaded.address} as openspiel:NAME, or give the "
        "pyspiel.Game itself"
    )
