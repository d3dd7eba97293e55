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
    """Read the strategies in a file: one written by `save`, a checkpoint or a certificate.

    Parameters
    ----------
    path : str or Path
        The file. A checkpoint gives the average strategies so far, a certificate the strategies that it is about.
    game : whatever `load` takes, optional
        The game. It is needed if the game is not built in. Strategies for another game are refused.
    trust : bool or function, default: False
        Whether to run code that the file names: the game of a certificate, or the evaluation function of a checkpoint
        (docs/howto/trust.md). A given `game` needs no trust.

    Returns
    -------
    Strategy
        A `Profile`; for a game that was not expanded, a `Policy` or networks; for correlated strategies, a
        `CorrelatedPlay`, from which one strategy profile is drawn before each play.

    Raises
    ------
    FileError
        If the file cannot be read or holds no strategies.
    MismatchError
        If the strategies are for another game than `game`.
    TrustError
        If the file names code, and neither `game` nor `trust` allows it.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.save(hn.uniform("kuhn_poker"), "uniform.json")
    >>> hn.read("uniform.json").at(0, "J")
    {'p': 0.5, 'b': 0.5}
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
