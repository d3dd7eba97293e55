"""Checks of a certificate at three levels: the file alone, replayed with its box, or certified again from scratch.

A file of equilibria has two levels: the file alone, or also its payoffs compared with the game.

The verifier (`hannan.verifier`) shares no code with `certify` and checks the first two levels. The third level runs
`certify` itself once more. It calls solvers, so it is in this folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from hannan import verifier
from hannan.arguments import check_trust
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certification import Certification
from hannan.certificates.files import KIND, counted
from hannan.certificates.minimizers import OutcomeSampling
from hannan.errors import HannanError, ParameterError
from hannan.files import read_arrays, understanding
from hannan.forms.boxes import Boxed, boxed
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.trust import Trust, named_game
from hannan.rules.box import Box
from hannan.runs.certify import begun, given_policy
from hannan.runs.certify_options import DEFAULTS
from hannan.solvers.exact.normalform import normal_form
from hannan.solvers.general.prooffiles import payoffs_record
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy
from hannan.verifier import EquilibriaVerdict, Verdict
from hannan.verifier.verification import CHOSEN, ROUNDS

READABLE = "a certificate that this hannan can read"


def verify(
    path: str | PathLike[str],
    box: Loadable | None = None,
    *,
    replay: bool = False,
    reproduce: bool = False,
    hidden: int | None = None,
    strategy: Strategy | str | PathLike[str] | None = None,
    rational: bool = False,
    trust: Trust = False,
) -> Verdict:
    """Check a certificate or a file of equilibria, and report the level at which it holds.

    Parameters
    ----------
    path : str or Path
        A certificate, as `Certificate.save` or `hannan certify --out` writes it, or a file of equilibria, as
        `hannan equilibria --out` writes it.
    box : whatever `load` takes, optional
        The game or black box that was certified. It is played again, and the level is `counts`. For equilibria: the
        game. Its payoffs are compared with those of the file, and the level is `game`.
    replay : bool, default: False
        Play the game that the file names again; for equilibria, compare its payoffs. Not needed if `box` is given.
    reproduce : bool, default: False
        Also run the certification again from its options and compare every number: the level is `reproduced`.
    hidden : int, optional
        For a box that never shows where chance moves: how many different answers can follow one history at most. This
        is knowledge of the caller. The file must state the same number.
    strategy : Strategy or path, optional
        The strategy that was certified, if it was given to `certify`: reproducing needs it.
    rational : bool, default: False
        Compute with fractions instead of rounding outward; slow.
    trust : bool or function, default: False
        Consent to play the box that the file names, if it is neither built in nor OpenSpiel's (docs/howto/trust.md).

    Returns
    -------
    Verdict
        `valid` is False if the file is rejected, and also if it could not be replayed or reproduced as asked.
        `believed` lists what the check took for granted.

    Raises
    ------
    FileError
        If the file cannot be read, or is neither a certificate nor a file of equilibria.
    ParameterError
        If an option does not apply to the file.
    TrustError
        If replaying needs code that the file names, and `trust` does not agree to it.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.certify("kuhn_poker", playthroughs=200, seed=1).save("kuhn.certificate")
    >>> verdict = hn.verify("kuhn.certificate", "kuhn_poker")
    >>> verdict.valid, verdict.level
    (True, 'counts')
    """
    check_trust(trust)
    if verifier.is_equilibria(path):
        if reproduce or hidden is not None or strategy is not None:
            raise ParameterError(
                "reproduce, hidden and strategy apply to certificates; a file of equilibria is checked alone, or with "
                "its game (replay=True, --replay)"
            )
        return _equilibria(path, box, replay, trust)
    if box is None and not replay and not reproduce:
        if hidden is not None:
            raise ParameterError("hidden applies to a box: give the box, or replay=True")
        return verifier.verify(path, rational=rational)
    if isinstance(box, Box) and hidden is None and not reproduce:
        return verifier.verify(path, box, rational=rational)
    told = _told(path, box, hidden, trust)
    known = given_policy(strategy, told.game, told.game, trust)
    verdict = verifier.verify(path, told.box, game=told.game.address, rational=rational, reproducing=reproduce)
    return _reproduced(verdict, path, told, known) if reproduce and verdict.valid else verdict


def _equilibria(path: str | PathLike[str], game: Loadable | None, replay: bool, trust: Trust) -> EquilibriaVerdict:
    """Check a file of equilibria, with a game also its payoffs."""
    if game is None and not replay:
        return verifier.verify_equilibria(path)
    facts = verifier.read_equilibria(path)
    expanded = load_expanded(named_game(path, str(facts.get("game")), trust) if game is None else game)
    with understanding(path, "a file of equilibria that this hannan can read"):
        tree = facts["payoffs"]["kind"] == "sequences"
    payoffs = payoffs_record(expanded if tree else normal_form(expanded))
    return verifier.verify_equilibria(path, payoffs, str(expanded.address))


def _told(path: str | PathLike[str], game: Loadable | None, hidden: int | None, trust: Trust) -> Boxed:
    """Return the box of a certificate, with the knowledge that the file says it gave."""
    _, facts = read_arrays(path, KIND)
    with understanding(path, READABLE):
        address, groups, children, bounds = (facts[name] for name in ("game", "groups", "children", "bounds"))
        if facts.get("range") is not None:
            bounds = tuple(float(bound) for bound in facts["range"])
        tells = groups == "box" or isinstance(game, Box)  # the box gives this knowledge itself
        if tells and facts.get("range") is None:
            bounds = "auto"
        told = {} if tells else {"groups": groups, "children": children, "similar": facts.get("similar", False)}
    wanted = named_game(path, str(address), trust) if game is None else game
    return boxed(wanted, bounds=bounds, hidden=hidden, **told)


def _reproduced(verdict: Verdict, path: str | PathLike[str], told: Boxed, known: Policy | None) -> Verdict:
    """Run a certification again and compare it with the file."""
    arrays, facts = read_arrays(path, KIND)
    options = facts.get("options")
    reason = ""
    if options is None:
        reason = "not reproduced: the file does not state the options of its certification (version 0.1 did not)"
    elif options.get("fixed") and known is None:
        reason = "not reproduced: the strategy was given to the certification; give it here too"
    else:
        try:
            with understanding(path, READABLE):
                work = _again(told, options, facts, known)
        except HannanError as error:
            reason = f"not reproduced: {error}"
        else:
            reason = _difference(work, arrays, facts)
    if reason:
        return replace(verdict, valid=False, reason=reason, believed=())
    believed = tuple(sentence for sentence in verdict.believed if sentence not in (CHOSEN, ROUNDS))
    return replace(verdict, level="reproduced", believed=believed)


def _again(told: Boxed, options: Mapping[str, Any], facts: Mapping[str, Any], known: Policy | None) -> Certification:
    """Certify once more, as many playthroughs as the file has."""
    chosen = {**DEFAULTS, **{name: options[name] for name in DEFAULTS if name in options}, "seed": facts["seed"]}
    work = begun(told, chosen, known, facts.get("rounds") is not None)
    many, switched = int(facts["playthroughs"]), options.get("switched")
    if switched is not None:
        _advance(work, min(int(switched), many))
        work = Regretting.after(work, OutcomeSampling.name, chosen["solve_every"])
    _advance(work, many - work.playthroughs)
    work.finish()
    return work


def _advance(work: Certification, playthroughs: int) -> None:
    def settled() -> None:
        work.bound()  # as `certify` does after every solve

    work.advance(playthroughs, settled=settled)


def _difference(work: Certification, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> str:
    """Return the first difference between a certification and a file; an empty text if they agree."""
    bound = work.bound()
    claims = {
        "method": work.method,
        "gap": bound.gap,
        "gaps": None if bound.gaps is None else list(bound.gaps),
        "guarantees": [bound.lower, -bound.upper][: work.trunk.players] if bound.gaps is None else None,
        "value_bounds": [bound.lower, bound.upper] if bound.gaps is None else None,
    }
    for name, claim in claims.items():
        if facts[name] != claim:
            return (
                f"not reproduced: certifying again gives {name}={claim!r:.80}, and the file states {facts[name]!r:.80}"
            )
    sums, rounds = work.proof()
    if facts.get("rounds") != rounds:
        return f"not reproduced: certifying again gives rounds={rounds!r:.160}, and the file states another"
    mine = counted(work) | sums
    for name in sorted(mine.keys() | arrays.keys()):
        one, other = mine.get(name), arrays.get(name)
        same = one is not None and other is not None and one.dtype == other.dtype
        if not same or not np.array_equal(one, other, equal_nan=one.dtype.kind == "f"):  # type: ignore[arg-type, union-attr]
            return f"not reproduced: certifying again gives other numbers in {name} than the file has"
    return ""
