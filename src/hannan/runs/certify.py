"""Certifying a game: from a black box to a strategy with a proof of how exploitable it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, TypedDict, Unpack

from hannan.arguments import SEED, Option, between, count, declared, fraction, settled, shown, whole
from hannan.certificates.certificate import Certificate
from hannan.certificates.certification import Certification
from hannan.certificates.choice import AUTO, Equilibrium, certification
from hannan.certificates.exploration import Explorer
from hannan.certificates.files import options_in
from hannan.certificates.merger import Expansion
from hannan.certificates.minimizers import Averaging, Sampling
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
from hannan.options import declaring
from hannan.rules.rulesbox import Groups
from hannan.runs.certification import Certifying, Solves
from hannan.runs.options import LoggedOptions
from hannan.runs.progress import Limits, limits
from hannan.runs.run import PathTo, Run, finishing
from hannan.strategies.given import Given as GivenStrategy
from hannan.strategies.given import strategy_of
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy, no_table

DEFAULT = Limits(iterations=10_000)
"""Where a certification stops that was given no limit."""


class Ends(TypedDict, total=False):
    """When a certification stops."""

    playthroughs: Annotated[
        int | None,
        Option("Stop after this many playthroughs. Default: 10,000, if no other limit has a value.", check=count),
    ]
    seconds: Annotated[float | None, Option("Stop after this many seconds.")]
    gap: Annotated[float | None, Option("Stop when the proven gap is at most this. It is compared after each solve.")]


class Proof(TypedDict, total=False):
    """What is proven, and by which algorithm."""

    method: Annotated[
        str | Method | None,
        Option(
            "Algorithm 6.1, which solves the pseudogame again and again: lp (HiGHS), cfr (our own full-width method), "
            "induction (perfect information). Algorithm 7.2, one iteration of regret minimisers per playthrough: "
            "mccfr, online-cfr, online-cfr+, online-pcfr+. auto begins with the first algorithm, and changes to mccfr "
            "if solving would take far longer than playing.",
            AUTO,
            kept=True,
        ),
    ]
    equilibrium: Annotated[
        Equilibrium | None,
        Option(
            "nash (one player, or two players and zero-sum), or cce: correlated play of any game, with a gap for each "
            "player. auto takes cce for three players and more.",
            "auto",
            kept=True,
        ),
    ]
    radius: Annotated[
        Radius | None,
        Option(
            "anytime: everything ever stated is true together, whenever the run is stopped. paper: equation 5.2, for "
            "one moment, which states its own confidence, 1 - 2/t².",
            "anytime",
            kept=True,
        ),
    ]
    confidence: Annotated[
        float | None,
        Option(
            "The probability with which everything stated is true. Default: 0.999.",
            takers="the radius anytime",
            check=between,
            kept=True,
        ),
    ]
    strategy: Annotated[
        GivenStrategy | PathTo | None, Option("Certify this strategy, or its file, instead of finding one.")
    ]
    solve_every: Annotated[
        int | None,
        Option(
            "Solve (Algorithm 7.2: measure) after this many playthroughs. Default: 100; for Algorithm 7.2, at moments "
            "that grow apart.",
            check=whole,
            kept=True,
        ),
    ]
    expansion: Annotated[
        Expansion | None,
        Option("path: expand all nodes on the path of play. first: expand the first new one only.", "path", kept=True),
    ]
    explore: Annotated[
        str | Explorer | None,
        Option(
            "Which strategies playthroughs follow: optimistic, pessimistic, uniform or responses. Default: optimistic; "
            "responses for a given strategy.",
            takers="Algorithm 6.1",
            kept=True,
        ),
    ]
    iterates: Annotated[
        int | None,
        Option(
            "How many profiles of correlated play are kept at least. Default: 32.",
            takers="the equilibrium cce",
            check=whole,
            kept=True,
        ),
    ]
    averaging: Annotated[
        Averaging | None,
        Option(
            "The weight of iteration t in averages: linear (t), or uniform (1, as in the paper). Default: linear.",
            takers="the method mccfr",
            kept=True,
        ),
    ]
    baselines: Annotated[
        bool | None,
        Option(
            "Reduce the variance of sampled values by baselines. The paper has none. Default: True.",
            takers="the method mccfr",
            kept=True,
        ),
    ]
    epsilon: Annotated[
        float | None,
        Option(
            "The probability with which a walker explores: above 0, and at most 1. Default: 0.5.",
            takers="the method mccfr",
            check=fraction,
            kept=True,
        ),
    ]
    sampling: Annotated[
        Sampling | None,
        Option(
            "How a walker explores: uniform (at each information set, every action equally likely), or balanced (for a "
            "whole walk, every end of its own play about equally likely, as Corollary 7.6 needs). Default: uniform.",
            takers="the method mccfr",
            kept=True,
        ),
    ]
    seed: Annotated[int | None, replace(SEED, kept=True)]
    check: Annotated[bool, Option("Compare with the true gap, if the game can be expanded.", False)]


class Told(TypedDict, total=False):
    """What is believed of the box, and how it is played."""

    bounds: Annotated[
        Given | None,
        Option(
            "What is told of gains: rules (what the rules write), exact (an expanded game's), or LOW,HIGH for the "
            "whole game: of player 0, and of every player if gains are not zero-sum. auto: what the box or the rules "
            "tell, else the exact ones.",
            "auto",
            kept=True,
        ),
    ]
    groups: Annotated[
        Groups | None,
        Option(
            "What is told of chance: none; history (players do not influence it); rules (the groups of the rules); "
            "known (the odds).",
            "none",
            kept=True,
        ),
    ]
    children: Annotated[
        bool | None, Option("Tell gains and bounds of children before they are visited.", False, kept=True)
    ]
    hidden: Annotated[
        int | None,
        Option(
            "The box never shows its chance nodes: how many different answers can follow one history at most.",
            kept=True,
        ),
    ]
    processes: Annotated[
        int | None,
        Option("How many processes run at once; the bits are the same. Default: 1.", takers="`command:` addresses"),
    ]
    timeout: Annotated[float | None, Option("Seconds for one answer. Default: 60.", takers="`command:` addresses")]


class CertifyOptions(Ends, Proof, Told, LoggedOptions, total=False):
    """The options of `certify`."""


DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {name: option.default for name, option in declared(CertifyOptions).items() if option.kept}
)
"""The options that a checkpoint keeps, with their defaults."""


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

    The run stops at the first limit that is reached: playthroughs, seconds or gap. `bounds`, `groups` and `children`
    say what of the rules of a game is not withheld. Ctrl-C ends the run with the certificate so far. A box that breaks
    a promise ends it too: the certificate of the moment before is returned, with the `failure`.

    A checkpoint has a journal of all playthroughs since it was written, so that `resume` loses only the playthrough
    that was under way, and goes on with the same checkpoint if no other is named. `log` gets a line for each gap that
    is proven. If the checkpoint names a game that is neither built in nor one of OpenSpiel's, give it again, or agree
    with `trust` to run it (docs/trust.md).
    """
    asked = settled("certify", CertifyOptions, options)
    resume, trust, strategy = asked["resume"], asked["trust"], asked["strategy"]
    checkpoint = resume if asked["checkpoint"] is None else asked["checkpoint"]
    saved = {} if resume is None else options_in(resume)
    chosen = _options(options, asked, saved, resume)
    if game is None and resume is not None and "game" in saved:
        game = named_game(resume, saved["game"], trust)
    if game is None:
        raise ParameterError("say which game to certify, or from which checkpoint to go on")
    told = boxed(
        game, bounds=_pair(chosen["bounds"]), groups=chosen["groups"], children=chosen["children"],
        hidden=chosen["hidden"], processes=asked["processes"], timeout=asked["timeout"],
    )  # fmt: skip
    ends = asked["gap"], asked["playthroughs"], asked["seconds"]
    until = DEFAULT if all(end is None for end in ends) else limits(*ends)
    if saved.get("fixed") and strategy is None:
        raise ParameterError(f"{resume} certifies a given strategy: give it again")
    known = given_policy(strategy, told.game, told.game.address if isinstance(game, str) else game, trust)
    switched = saved.get("switched") is not None
    work = begun(told, {**chosen, "method": _resolved(chosen["method"], saved)}, known, not switched)
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
    return run


MANNER = ("averaging", "baselines", "epsilon", "sampling")
"""The options that say how outcome sampling walks."""


def begun(told: Boxed, chosen: Mapping[str, Any], known: Policy | None, rounds: bool = True) -> Certification:
    """Return a certification that has not played yet. `chosen` has the options in `DEFAULTS`, perhaps from a file.

    Without `rounds` nothing is concluded from sums over rounds: Algorithm 7.2 goes on where Algorithm 6.1 has begun.
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
        expansion=options["expansion"],
        explore=looking,
        fixed=None if known is None else fixed(known),
        iterates=options["iterates"],
        manner={name: options[name] for name in MANNER if options[name] is not None},
        rounds=rounds,
        seed=options["seed"],
    )


def _resolved(method: Any, saved: Mapping[str, Any]) -> Any:
    """Return the method that a checkpoint went on with, if the choice was left to hannan."""
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
    if radius == "paper":
        if confidence is not None:
            raise ParameterError(
                "the radius `paper` states its own confidence, 1 - 2/t² after t playthroughs; to choose one, take the "
                "radius `anytime`"
            )
        return Confidence("paper")
    return Confidence() if confidence is None else Confidence("anytime", confidence)
