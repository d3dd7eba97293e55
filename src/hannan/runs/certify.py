"""Certifying a game: from a black box to a strategy with a proof of how exploitable it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hannan import arguments
from hannan.arguments import check_trust
from hannan.certificates.certificate import Certificate
from hannan.certificates.certification import Certification
from hannan.certificates.choice import AUTO, Equilibrium, certification
from hannan.certificates.exploration import Explorer
from hannan.certificates.files import options_in
from hannan.certificates.merger import Expansion
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.radii import Radius
from hannan.certificates.solution import Method
from hannan.certificates.strategies import fixed
from hannan.errors import MismatchError, ParameterError
from hannan.exclusion import alone
from hannan.forms.boxes import Boxed, Given, boxed
from hannan.forms.game import Game, PlayedGame
from hannan.forms.loader import Loadable
from hannan.forms.trust import Trust, named_game
from hannan.measures.players import playing
from hannan.rules.rulesbox import Groups
from hannan.runs.certification import Certifying, Solves
from hannan.runs.progress import Limits, limits
from hannan.runs.run import EVERY, PathTo, Run, finishing
from hannan.runs.status_line import Watcher
from hannan.strategies.given import Given as GivenStrategy
from hannan.strategies.given import strategy_of
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy, no_table

DEFAULT = Limits(iterations=10_000)
"""Where a certification stops that was given no limit."""

DEFAULTS: dict[str, Any] = {
    "method": AUTO, "equilibrium": "auto", "radius": "anytime", "confidence": None, "bounds": "auto", "groups": "none",
    "children": False, "hidden": None, "solve_every": None, "expansion": "path", "explore": None, "iterates": None,
    "seed": 0,
}  # fmt: skip
"""What holds where neither the caller nor a checkpoint says anything else."""


@finishing("this certification", ("checkpoint", "resume"))
def certify(
    game: Loadable | None = None,
    *,
    playthroughs: int | None = None,
    seconds: float | None = None,
    gap: float | None = None,
    method: str | Method | None = None,
    equilibrium: Equilibrium | None = None,
    radius: Radius | None = None,
    confidence: float | None = None,
    bounds: Given | None = None,
    groups: Groups | None = None,
    children: bool | None = None,
    hidden: int | None = None,
    strategy: GivenStrategy | None = None,
    solve_every: int | None = None,
    expansion: Expansion | None = None,
    explore: str | Explorer | None = None,
    iterates: int | None = None,
    seed: int | None = None,
    processes: int | None = None,
    timeout: float | None = None,
    check: bool = False,
    checkpoint: PathTo | None = None,
    every: float = EVERY,
    resume: PathTo | None = None,
    log: PathTo | None = None,
    progress: bool | Watcher | None = None,
    trust: Trust = False,
) -> Run[Certificate]:
    """Play a black box and return a strategy with a proof of how exploitable it is.

    `game` is a `Box`, or any game whose rules are then withheld but for what `bounds`, `groups` and `children` tell.
    Stops at the first limit that is reached (10,000 playthroughs where there is none); the gap is compared after every
    solve, and there is one after `solve_every` so many playthroughs (100). With the radius `anytime` everything ever
    stated is true together with probability `confidence` (0.999), stopping when one likes included; `paper` states
    1 − 2/t² and takes no confidence. `strategy`, or its file, is certified instead of finding one. `check` measures the
    true gap where the game can be expanded.

    `method` auto, cfr, lp and induction solve the pseudogame again and again (Algorithm 6.1); mccfr, online-cfr,
    online-cfr+ and online-pcfr+ make one iteration of regret minimisers a playthrough (Algorithm 7.2), measured at
    moments that grow apart unless `solve_every` says otherwise; auto changes to mccfr where solving would take too
    long. `equilibrium` is nash (two players, zero-sum, or one) or cce: correlated play of any game, kept as `iterates`
    profiles, with a gap for each player; auto takes it for three players and more. `hidden` says that the box never
    shows its chance nodes, and how many different answers can follow one history at most. `processes` and `timeout`
    are for `command:` addresses.

    `checkpoint` is written about `every` so many seconds, with a journal of all playthroughs since, so that `resume`
    loses only the playthrough that was under way; resuming, all options come from the file, and so does a game that is
    built in or OpenSpiel's. Give any other game again, or agree with `trust=True` to run the one that the file names
    (docs/trust.md). `log` gets a line for each gap that is proven. A box that breaks a promise ends the run: the
    certificate of the moment before is returned, with the `failure`. Ctrl-C ends it with the certificate so far.
    """
    given = {
        "method": method, "equilibrium": equilibrium, "radius": radius, "confidence": confidence, "bounds": bounds,
        "groups": groups, "children": children, "hidden": hidden, "solve_every": solve_every, "expansion": expansion,
        "explore": explore, "iterates": iterates, "seed": seed,
    }  # fmt: skip
    checkpoint = resume if checkpoint is None else checkpoint
    saved = {} if resume is None else options_in(resume)
    chosen = _options(given, saved, resume)
    check_trust(trust)
    if game is None and resume is not None and "game" in saved:
        game = named_game(resume, saved["game"], trust)
    if game is None:
        raise ParameterError("say which game to certify, or from which checkpoint to go on")
    told = boxed(
        game, bounds=_pair(chosen["bounds"]), groups=chosen["groups"], children=chosen["children"],
        hidden=chosen["hidden"], processes=processes, timeout=timeout,
    )  # fmt: skip
    if playthroughs is not None:
        arguments.count("playthroughs", playthroughs)
    limited = any(limit is not None for limit in (gap, playthroughs, seconds))
    until = limits(gap, playthroughs, seconds) if limited else DEFAULT
    arguments.truth("check", check)
    if saved.get("fixed") and strategy is None:
        raise ParameterError(f"{resume} certifies a given strategy: give it again")
    known = given_policy(strategy, told.game, told.game.address if isinstance(game, str) else game, trust)
    work = begun(told, {**chosen, "method": _resolved(chosen["method"], saved)}, known)
    options = {**_kept(chosen), "game": told.game.address, "fixed": known is not None}
    if saved.get("switched") is not None:
        options["switched"] = arguments.count("switched", saved["switched"])
    certifying = Certifying(told, work, checkpoint, check, options, until, str(saved.get("why", "")), known)
    past = None if resume is None else certifying.resume(resume)
    run = Run(
        certifying,
        until,
        past=past,
        schedule=Solves(certifying=certifying),
        checkpoint=checkpoint,
        every=every,
        log=log,
        progress=progress,
    )
    run.hold.callback(certifying.close)
    run.hold.enter_context(alone(told.box))
    return run


def begun(told: Boxed, chosen: Mapping[str, Any], known: Policy | None) -> Certification:
    """Return a certification that has not played yet. `chosen` has a value for every name in `DEFAULTS`."""
    wanted, looking = chosen["solve_every"], chosen["explore"]
    if known is not None and looking is None and told.box.players <= 2 and chosen["equilibrium"] != "cce":
        looking = "responses"
    return certification(
        told.box,
        method=chosen["method"],
        equilibrium=chosen["equilibrium"],
        confidence=_confidence(chosen["radius"], chosen["confidence"]),
        bounds=told.range,
        every=None if wanted is None else arguments.whole("solve_every", wanted),
        expansion=arguments.choice("expansion", chosen["expansion"], ("path", "first")),
        explore=looking,
        fixed=None if known is None else fixed(known),
        iterates=None if chosen["iterates"] is None else arguments.whole("iterates", chosen["iterates"]),
        seed=arguments.seed(chosen["seed"]),
    )


def _resolved(method: Any, saved: Mapping[str, Any]) -> Any:
    """Return the method that a checkpoint went on with, if the choice was left to hannan."""
    return saved.get("resolved", method) if isinstance(method, str) and method == AUTO else method


def _options(given: Mapping[str, Any], saved: Mapping[str, Any], path: PathTo | None) -> dict[str, Any]:
    """Return what holds: what the caller says, else what the checkpoint says, else the default."""
    chosen = {}
    for name, default in DEFAULTS.items():
        value = given[name]
        if value is None:
            value = saved.get(name, default)
        elif name in saved and not _agree(name, value, saved):
            raise MismatchError(
                f"{path} is of a certification with {name}={arguments.shown(saved[name])} (here "
                f"{arguments.shown(value)})"
            )
        chosen[name] = value
    return chosen


def _agree(name: str, value: Any, saved: Mapping[str, Any]) -> bool:
    """Say whether what the caller says is what the checkpoint says."""
    return _written(value) == saved[name] or (name == "method" and value == saved.get("resolved"))


def _written(value: Any) -> Any:
    """Return an option as a file holds it; things that are neither words nor numbers by their names."""
    if isinstance(value, tuple | list):
        return [float(part) if isinstance(part, int | float) else _written(part) for part in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return getattr(value, "name", None) or getattr(value, "__name__", type(value).__name__)


def _kept(chosen: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _written(value) for name, value in chosen.items()}


def _pair(bounds: Any) -> Any:
    return tuple(bounds) if isinstance(bounds, list) else bounds


def given_policy(strategy: Strategy | PathTo | None, game: Game, address: Loadable, trust: Trust) -> Policy | None:
    """Return the strategy that is to be certified as a table of information sets; refuse one of another game."""
    if strategy is None:
        return None
    strategy = strategy_of(strategy, address, trust=trust)
    if not strategy.is_table:
        raise no_table(strategy, "a certificate")
    if strategy.game.players != game.players:
        raise MismatchError(
            f"the strategy is for the {strategy.game.players} players of {strategy.game.address}, and {game.address} "
            f"has {game.players}"
        )
    if isinstance(game, PlayedGame) and isinstance(strategy.game, PlayedGame):
        return playing(game, "what should be certified", strategy).table
    return strategy.policy()


def _confidence(radius: Radius, confidence: float | None) -> Confidence:
    arguments.choice("radius", radius, ("anytime", "paper"))
    if radius == "paper":
        if confidence is not None:
            raise ParameterError(
                "the radius `paper` states its own confidence, 1 - 2/t² after t playthroughs; to choose one, take the "
                "radius `anytime`"
            )
        return Confidence("paper")
    return Confidence() if confidence is None else Confidence("anytime", arguments.between("confidence", confidence))
