"""What counts as a strategy, where any kind of one will do."""

from __future__ import annotations

from hannan.arguments import shown
from hannan.errors import ParameterError
from hannan.strategies.asked import Asked
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile


def check_is_strategy(strategy: object) -> None:
    """Refuse what is neither a profile nor a policy, be it a table or something that is asked."""
    if not isinstance(strategy, Profile | Policy | Asked):
        raise ParameterError(
            f"{shown(strategy)} is no strategy; `solve` and `read` return one, and `Policy.uniform(game)` is uniform "
            "play"
        )
