"""Certifying a game: from a black box to a strategy with a proof of how exploitable it is."""

from __future__ import annotations

from hannan import arguments
from hannan.certificates.certificate import Certificate
from hannan.certificates.certification import Certification
from hannan.certificates.exploring import Explorer
from hannan.certificates.merging import Expansion
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.radii import Radius
from hannan.certificates.solving import Method
from hannan.certificates.strategies import fixed
from hannan.errors import ParameterError
from hannan.forms.boxing import Given, boxed
from hannan.forms.loading import Loadable
from hannan.rules.rulesbox import Groups
from hannan.runs.certifying import Certifying, Solves
from hannan.runs.limits import Limits, limits
from hannan.runs.reading import read
from hannan.runs.run import EVERY, PathTo, Run
from hannan.runs.watching import Watcher
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

DEFAULT = Limits(iterations=10_000)
"""Where a certification stops that was given no limit."""


def certify(
    game: Loadable,
    *,
    playthroughs: int | None = None,
    seconds: float | None = None,
    gap: float | None = None,
    method: str | Method = "auto",
    radius: Radius = "anytime",
    confidence: float | None = None,
    bounds: Given = "auto",
    groups: Groups = "none",
    children: bool = False,
    strategy: Profile | Policy | PathTo | None = None,
    solve_every: int = 100,
    expansion: Expansion = "path",
    explore: str | Explorer | None = None,
    seed: int = 0,
    check: bool = False,
    checkpoint: PathTo | None = None,
    every: float = EVERY,
    resume: PathTo | None = None,
    progress: bool | Watcher | None = None,
) -> Certificate:
    """Play a black box and return a strategy with a proof of how exploitable it is (Algorithm 6.1).

    `game` is a `Box`, or any game whose rules are then withheld but for what `bounds`, `groups` and `children` tell.
    Stops at the first limit that is reached (10,000 playthroughs where there is none); the gap is compared after every
    solve, and there is one after `solve_every` so many playthroughs. With the radius `anytime` everything ever stated
    is true together with probability `confidence` (0.999), stopping when one likes included; `paper` states 1 − 2/t²
    and takes no confidence. `strategy`, or its file, is certified instead of finding one. `check` measures the true gap
    where the game can be expanded.

    `checkpoint` is written about `every` so many seconds, with a journal of all playthroughs since, so that `resume`
    loses only the playthrough that was under way. A box that breaks a promise ends the run: the certificate of the
    moment before is returned, with the `failure`. Ctrl-C ends it with the certificate so far.
    """
    told = boxed(game, bounds=bounds, groups=groups, children=children)
    if playthroughs is not None:
        arguments.count("playthroughs", playthroughs)
    until = limits(gap, playthroughs, seconds) if (gap, playthroughs, seconds) != (None, None, None) else DEFAULT
    arguments.choice("expansion", expansion, ("path", "first"))
    known = _policy(strategy, told.game.address if isinstance(game, str) else game)
    work = Certification(
        told.box,
        method=method,
        confidence=_confidence(radius, confidence),
        bounds=told.range,
        every=arguments.whole("solve_every", solve_every),
        expansion=expansion,
        explore=explore or ("optimistic" if known is None else "responses"),
        fixed=None if known is None else fixed(known),
        seed=arguments.seed(seed),
    )
    kept = checkpoint or resume
    certifying = Certifying(told, work, kept, check)
    past = None if resume is None else certifying.resume(resume)
    schedule = Solves(step=solve_every)
    run = Run(certifying, until, past=past, schedule=schedule, checkpoint=kept, every=every, progress=progress)
    certificate = run.finish()
    run.warn()
    return certificate


def _policy(strategy: Profile | Policy | PathTo | None, game: Loadable) -> Policy | None:
    """Return the strategy that is to be certified as a table of information sets."""
    if strategy is None or isinstance(strategy, Policy):
        return strategy
    if not isinstance(strategy, Profile):
        return _policy(read(strategy, game), game)
    return Policy.of_profile(strategy)


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
