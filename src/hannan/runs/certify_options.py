"""The options of `certify`: when it stops, what it proves, and what it takes for granted about the box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypedDict

from hannan.arguments import SEED, Option, between, count, declared, fraction, whole
from hannan.certificates.choice import AUTO, Equilibrium
from hannan.certificates.exploration import Explorer
from hannan.certificates.merger import Expansion
from hannan.certificates.minimizers import Averaging, Sampling
from hannan.certificates.radii import Radius
from hannan.certificates.solution import Method
from hannan.forms.boxes import Given
from hannan.pieces.choice import MOST_WORKERS
from hannan.pieces.options import SpreadOptions
from hannan.rules.rulesbox import Groups
from hannan.runs.options import LoggedOptions
from hannan.runs.run import PathTo
from hannan.strategies.given import Given as GivenStrategy

Failures = Literal["dependent", "independent"]
"""Whether failures of workers may depend on play."""


class Ends(TypedDict, total=False):
    """When a certification stops."""

    playthroughs: Annotated[
        int | None,
        Option("Stop after this many playthroughs. Default: 10,000, if no other limit has a value.", check=count),
    ]
    seconds: Annotated[float | None, Option("Stop after this many seconds.")]
    gap: Annotated[float | None, Option("Stop when the proven gap is at most this. It is compared after each solve.")]


class Proof(TypedDict, total=False):
    """The kind of proof, and its algorithm."""

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
    tolerance: Annotated[
        float | None,
        Option(
            "End a solve when best responses gain less than this share of the distance of the two games. A smaller "
            "share takes longer, and gives gaps nearer to those of lp. Default: 0.01.",
            takers="the method cfr, and auto while it takes cfr",
            check=fraction,
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
            "The fewest profiles of correlated play to keep. Default: 32.",
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
    batch: Annotated[
        int | None,
        Option(
            "The number of playthroughs that follow one profile before the regret minimisers learn; workers make these "
            "at the same time. Default: 64 for `command:` addresses, else 1.",
            takers="Algorithm 7.2",
            check=whole,
            kept=True,
        ),
    ]
    seed: Annotated[int | None, replace(SEED, kept=True)]
    check: Annotated[bool, Option("Compare with the true gap, if the game can be expanded.", False)]


class Told(TypedDict, total=False):
    """What is taken for granted about the box, and how it is played."""

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
    similar: Annotated[
        bool | None,
        Option(
            "Tell which chance nodes draw almost alike, and by how much they differ at most (the rules' method "
            "similar), so that their draws are counted together.",
            False,
            takers="Algorithm 6.1",
            kept=True,
        ),
    ]
    hidden: Annotated[
        int | None,
        Option(
            "For a box that never shows its chance nodes: the most different answers that can follow one history.",
            kept=True,
        ),
    ]
    processes: Annotated[
        int | None,
        Option(
            "Another name of on='processes' with this number of workers. It changes no number.",
            check=lambda name, value: whole(name, value, most=MOST_WORKERS),
        ),
    ]
    failures: Annotated[
        Failures | None,
        Option(
            "Whether failures of workers may depend on play: dependent (nothing is assumed), or independent (you "
            "declare it, and the certificate says so: a playthrough whose worker was lost is drawn anew).",
            "dependent",
            takers="boxes that cannot repeat a seed, on workers",
            kept=True,
        ),
    ]
    timeout: Annotated[float | None, Option("Seconds for one answer. Default: 60.", takers="`command:` addresses")]


class CertifyOptions(Ends, Proof, Told, SpreadOptions, LoggedOptions, total=False):
    """The options of `certify`."""


DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {name: option.default for name, option in declared(CertifyOptions).items() if option.kept}
)
"""The options that a checkpoint keeps, with their defaults."""
