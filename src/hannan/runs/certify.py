"""Certifying a game: from a black box to a strategy with a proof of how exploitable it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Unpack

from hannan.arguments import Option, count, declared, settled, shown
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certificate import Certificate
from hannan.certificates.certification import Certification
from hannan.certificates.choice import AUTO, certification
from hannan.certificates.files import options_in
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.radii import Radius
from hannan.certificates.spread import Spread
from hannan.certificates.strategies import fixed
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.exclusion import alone
from hannan.forms.boxes import Boxed, boxed
from hannan.forms.game import Game, PlayedGame
from hannan.forms.loader import Loadable
from hannan.forms.trust import Trust, named_game
from hannan.forms.workers import open_workers
from hannan.measures.players import playing
from hannan.options import declaring
from hannan.runs.certification import Certifying, Solves
from hannan.runs.certify_options import DEFAULTS, CertifyOptions, Failures
from hannan.runs.progress import Limits, limits
from hannan.runs.run import PathTo, Run, finishing
from hannan.strategies.given import strategy_of
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy, no_table

LOST = (
    "The box cannot repeat a seed, and another playthrough in its place could bias the counts. If failures of workers "
    "do not depend on play, declare it from the start with failures='independent'"
)

DEFAULT = Limits(iterations=10_000)
"""The playthroughs after which a certification without a limit stops."""


@finishing("this certification", ("checkpoint", "resume"))
@declaring(CertifyOptions)
def certify(
    game: Annotated[
        Loadable | None,
        Option(
            'A simulator as "command:./sim --flag", a black box or its address module:place:factory, or any game; of '
            "its rules, only what bounds, groups and children tell is used. A resumed certification needs it if "
            "it is neither built in nor one of OpenSpiel's."
        ),
    ] = None,
    **options: Unpack[CertifyOptions],
) -> Run[Certificate]:
    """Play a black box and return a strategy with a proof of how exploitable it is.

    The run stops at the first limit that is reached: playthroughs, seconds or gap. `bounds`, `groups`, `children` and
    `similar` say which parts of a game's rules the run may know. Ctrl-C ends the run with the certificate so far. If
    the box breaks a promise, the run ends with the certificate of the moment before, which has the `failure`.

    A checkpoint has a journal of all playthroughs since it was written. `resume` therefore loses only the playthrough
    that was under way. It continues with the same checkpoint if no other is named. `log` gets a line for each gap that
    is proven. If the checkpoint names a game that is neither built in nor one of OpenSpiel's, give it again, or agree
    with `trust` to run it (docs/howto/trust.md). The command `hannan certify` has the same options
    (docs/reference/options.md).

    Returns
    -------
    Certificate
        The strategy, and the gap that holds with probability `confidence`. `save` writes it; `verify` checks the file.

    Raises
    ------
    ParameterError
        If an option has a wrong type or value.
    UnsuitableError
        If an option or the method does not apply to the game.
    BoxError
        If the box breaks a promise before anything is proven.

    Examples
    --------
    >>> import hannan as hn
    >>> certificate = hn.certify("matching_pennies", playthroughs=2000, seed=1)
    >>> certificate.playthroughs, certificate.confidence
    (2000, 0.999)
    """
    asked = settled("certify", CertifyOptions, options)
    resume, trust, strategy = asked["resume"], asked["trust"], asked["strategy"]
    checkpoint = resume if asked["checkpoint"] is None else asked["checkpoint"]
    saved = {} if resume is None else options_in(resume)
    chosen, where = _options(options, asked, saved, resume), _where(options, asked)
    if game is None and resume is not None and "game" in saved:
        game = named_game(resume, saved["game"], trust)
    if game is None:
        raise ParameterError("name the game to certify, or the checkpoint to continue from")
    told = boxed(
        game, bounds=_pair(chosen["bounds"]), groups=chosen["groups"], children=chosen["children"],
        similar=chosen["similar"], hidden=chosen["hidden"], timeout=asked["timeout"],
    )  # fmt: skip
    ends = asked["gap"], asked["playthroughs"], asked["seconds"]
    until = DEFAULT if all(end is None for end in ends) else limits(*ends)
    if saved.get("fixed") and strategy is None:
        raise ParameterError(f"{resume} certifies a given strategy: give it again")
    known = given_policy(strategy, told.game, told.game.address if isinstance(game, str) else game, trust)
    switched = saved.get("switched") is not None
    work = begun(told, {**chosen, "method": _resolved(chosen["method"], saved)}, known, not switched)
    check_spread(work, where["on"], chosen["failures"])
    keeping = {**_kept(chosen), "game": told.game.address, "fixed": known is not None}
    if switched:
        keeping["switched"] = count("switched", saved["switched"])
    certifying = Certifying(told, work, checkpoint, asked["check"], keeping, until, str(saved.get("why", "")), known)
    past = None if resume is None else certifying.resume(resume)
    run = Run(
        certifying, until, past=past, schedule=Solves(certifying=certifying), checkpoint=checkpoint,
        every=asked["every"], log=asked["log"], progress=asked["progress"],
    )  # fmt: skip
    run.hold.callback(certifying.close)
    run.hold.enter_context(alone(told.box))
    if where["on"] != "serial":
        workers = run.hold.enter_context(open_workers(where))
        address = told.game.address if isinstance(game, str) else None
        again = told.box.seeded or chosen["failures"] == "independent"
        work.spread = Spread(workers, told.box, address=address, hidden=told.hidden, lost="" if again else LOST)
    return run


def _where(given: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options `on` and `workers`, of which `processes` is another name."""
    if asked["processes"] is None:
        return {"on": asked["on"], "workers": asked["workers"]}
    if given.get("on") not in (None, "processes") or given.get("workers") is not None:
        raise ParameterError("processes=N is another name of on='processes' with workers=N: give one of the two")
    return {"on": "processes", "workers": asked["processes"]}


def check_spread(work: Certification, on: str, failures: Failures) -> None:
    """Refuse workers if playthroughs cannot be made at the same time, or only with a bias."""
    if failures == "independent" and work.box.seeded:
        raise ParameterError(
            "failures='independent' is about boxes that cannot repeat a seed; this one makes a lost playthrough again "
            "as it was: leave failures out"
        )
    if on == "serial":
        return
    if isinstance(work, Regretting) and not work.splits:
        raise UnsuitableError(
            "Algorithm 7.2 learns after every playthrough here, so playthroughs cannot be split among workers: give a "
            "batch, such as batch=64 (it is part of the result), or leave on out"
        )
    if on != "processes" and not work.box.seeded and failures != "independent":
        raise UnsuitableError(
            f"{work.box.name or 'the box'} cannot repeat a seed, and Ray may lose a playthrough: to draw another one "
            "in its place is sound only if what is lost does not depend on play. Declare that with "
            "failures='independent' (the certificate says so), or use on='processes'"
        )


MANNER = ("averaging", "baselines", "epsilon", "sampling")
"""The options of the walks of outcome sampling."""


def begun(told: Boxed, chosen: Mapping[str, Any], known: Policy | None, rounds: bool = True) -> Certification:
    """Return a new certification, without playthroughs. `chosen` has the options in `DEFAULTS`, perhaps from a file.

    Without `rounds`, sums over rounds give no bound, because Algorithm 7.2 continues a run that Algorithm 6.1 began.
    """
    options = {name: option.settled(chosen) for name, option in declared(CertifyOptions).items() if option.kept}
    looking = options["explore"]
    if known is not None and looking is None and told.box.players <= 2 and options["equilibrium"] != "cce":
        looking = "responses"
    return certification(
        told.box,
        method=options["method"],
        equilibrium=options["equilibrium"],
        confidence=_confidence(options["radius"], options["confidence"]),
        bounds=told.range,
        every=options["solve_every"],
        tolerance=options["tolerance"],
        expansion=options["expansion"],
        explore=looking,
        fixed=None if known is None else fixed(known),
        iterates=options["iterates"],
        manner={name: options[name] for name in MANNER if options[name] is not None},
        rounds=rounds,
        batch=options["batch"],
        seed=options["seed"],
    )


def _resolved(method: Any, saved: Mapping[str, Any]) -> Any:
    """Return the method with which a checkpoint continues, if the method was `auto`."""
    return saved.get("resolved", method) if isinstance(method, str) and method == AUTO else method


def _options(
    given: Mapping[str, Any], asked: Mapping[str, Any], saved: Mapping[str, Any], path: PathTo | None
) -> dict[str, Any]:
    """Return the options that a checkpoint keeps: as given, else as the checkpoint says, else the default."""
    chosen = {}
    for name, default in DEFAULTS.items():
        value = asked[name]
        if given.get(name) is None:
            value = saved.get(name, default)
        elif name in saved and not _agree(name, value, saved):
            raise MismatchError(f"{path} is of a certification with {name}={shown(saved[name])} (here {shown(value)})")
        chosen[name] = value
    return chosen


def _agree(name: str, value: Any, saved: Mapping[str, Any]) -> bool:
    """Return whether an option of the caller agrees with that of the checkpoint."""
    return _written(value) == saved[name] or (name == "method" and value == saved.get("resolved"))


def _written(value: Any) -> Any:
    """Return an option as a file holds it; other objects than texts and numbers are written by name."""
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
    if radius == "paper":
        if confidence is not None:
            raise ParameterError(
                "the radius `paper` states its own confidence, 1 - 2/t² after t playthroughs; to choose one, take the "
                "radius `anytime`"
            )
        return Confidence("paper")
    return Confidence() if confidence is None else Confidence("anytime", confidence)
