"""Opening a file of any kind that holds strategies."""

from __future__ import annotations

from os import PathLike

from hannan.arguments import check_trust
from hannan.certificates.files import KIND as CERTIFICATE
from hannan.certificates.strategies import strategy_in
from hannan.files import kind_of
from hannan.forms.loader import Loadable
from hannan.forms.trust import Trust
from hannan.memory import ending_well
from hannan.neural.policy import NETWORKS, read_networks
from hannan.solvers.base import CHECKPOINT
from hannan.solvers.checkpoint import resume
from hannan.strategies.correlated import KIND as CORRELATED
from hannan.strategies.correlated import read_correlated_play
from hannan.strategies.files import read_strategy
from hannan.strategies.locks import Locked, unlocked
from hannan.strategies.strategy import Strategy


@ending_well("what the file holds")
def read(path: str | PathLike[str], game: Loadable | None = None, *, trust: Trust = False) -> Strategy:
    """Read the strategies in a file: a profile; of a game that was not expanded a policy, or networks.

    `save` writes them. Of a checkpoint, these are the average strategies so far; of a certificate, those it is about:
    a `CorrelatedPlay`, where one of several is drawn and played by everybody.
    `game` is needed for a game that is not built in; strategies for another game are refused. A certificate names its
    game, and some checkpoints name an evaluation function: what would run code is refused, unless `game` is given or
    `trust=True` agrees to it (docs/howto/trust.md).
    """
    check_trust(trust)
    kind = kind_of(path)
    if kind == CERTIFICATE:
        return strategy_in(path, game, trust=trust)
    if kind == CORRELATED:
        return read_correlated_play(path, game)
    if kind == NETWORKS:
        return read_networks(path, game)
    if kind != CHECKPOINT:
        return read_strategy(path, game)
    average = resume(path, game, trust=trust).average()
    return average if isinstance(game, Locked) else unlocked(average)
