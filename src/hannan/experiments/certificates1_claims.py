"""Claims of section 8 of the certificates paper on figure 1, and of its sections 1 and 6 on the experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from hannan.certificates.certification import Bound
from hannan.experiments.claims import Claim, Line
from hannan.experiments.tails import rate
from hannan.rules.rulesbox import Groups

NONTRIVIAL = 0.9999
"""A gap below this share of the reward range is nontrivial."""

SMALL = 0.25
"""The share of a game's nodes that counts as a small fraction."""

TOLERANCE = 0.03
"""How far our gap may be above that of linear programs. Each of our two solves ends within 1 % of the gap."""


@dataclass(frozen=True)
class Setting:
    """One game of the figure."""

    title: str
    game: str
    groups: Groups
    """What Cert-LP knows of chance."""
    nodes: int
    """Nodes as the paper counts them: joint moves one after another."""
    range: float
    playthroughs: int
    every: int | None
    """Playthroughs between two solves. None: those between measurements of Algorithm 7.2, which grow by 10 to 20 %."""
    long: int = 0
    """Playthroughs of Cert-MCCFR, and iterations of MCCFR."""
    programs: int | None = None
    """Playthroughs between two solves by linear programs; None: no such run."""


@dataclass(frozen=True)
class Curve:
    """The proven and the true gaps of one run."""

    proven: list[Bound]
    true: list[tuple[float, float]]
    """True gaps of the certified strategies."""
    average: list[tuple[float, float]]
    """True gaps of the averages of Algorithm 7.2 then; older averages are certified if they guarantee more."""
    worst: float
    """Corollary 6.6's bound on the gap at the end."""

    def first(self, below: float) -> Bound | None:
        """Return the first bound whose gap is less than `below`."""
        return next((bound for bound in self.proven if bound.gap < below), None)

    @property
    def provable(self) -> list[tuple[float, float]]:
        """The proven gaps at the moments of the true ones."""
        gaps = {bound.playthroughs: bound.gap for bound in self.proven}
        return [(t, gaps[int(t)]) for t, _ in self.true]


class Programs(NamedTuple):
    """Gaps of Cert-LP at the same moments."""

    exact: Line
    """Gaps by linear programs."""
    close: Line
    """Gaps by our solves of the same pseudogames."""
    alone: Line
    """Gaps by our solves in a run of their own, which explores by their solutions."""


@dataclass(frozen=True)
class Part:
    """The runs on one game."""

    setting: Setting
    nodes: int
    """Nodes as our trees count them: a joint move is one node."""
    curves: dict[str, Curve]
    plain: Line
    """True gaps of MCCFR."""
    programs: Programs | None


def judged(part: Part) -> list[Claim]:
    """Judge every claim on one game."""
    title = part.setting.title
    claims = [claim for name, curve in part.curves.items() for claim in _curve(part, f"{title}, {name}", curve)]
    claims.append(
        rate(f"{title}, MCCFR: long-term convergence of roughly 1/√t (true gap)", part.plain, part.plain[0][0])
    )
    if part.programs is not None:
        claims += _programs(part.setting, part.programs)
    return claims


def _curve(part: Part, name: str, curve: Curve) -> list[Claim]:
    setting, last = part.setting, curve.proven[-1]
    first = curve.first(NONTRIVIAL * setting.range)
    sound = all(true <= proven for (_, true), (_, proven) in zip(curve.true, curve.provable, strict=True))
    reached = "never" if first is None else f"at {first.playthroughs:,}; {last.gap:.3g} at {last.playthroughs:,}"
    share = None if first is None else first.expanded / part.nodes
    claims = [
        Claim(
            f"{name}: nontrivial certificates with fewer samples than nodes",
            f"below {setting.range:g} before {setting.nodes:,}",
            reached,
            first is not None and first.playthroughs < setting.nodes,
        ),
        Claim(
            f"{name}: nontrivial while expanding only a small fraction of the game tree (abstract)",
            f"a small fraction (held: at most {SMALL:.0%})",
            "never" if share is None else f"{share:.0%} of the nodes were expanded then",
            share is not None and share <= SMALL,
        ),
        rate(f"{name}: long-term convergence of roughly 1/√t", curve.provable, first.playthroughs if first else None),
        Claim(
            f"{name}: the provable gap is above the true gap (Propositions 6.3 and 7.3)",
            "always",
            "always" if sound else "not",
            sound,
        ),
    ]  # fmt: skip
    if not curve.average:  # Corollary 6.6 is about Algorithm 6.1
        claims.append(
            Claim(
                f"{name}: in practice the gap is significantly smaller than its worst-case bound (section 6)",
                "significantly (held: at most half)",
                f"{last.gap:.3g}; Corollary 6.6 says {curve.worst:,.4g}, {curve.worst / last.gap:,.0f} times as much",
                2 * last.gap <= curve.worst,
            )
        )
    return claims


def _programs(setting: Setting, programs: Programs) -> list[Claim]:
    """Compare our solves with linear programs on the same pseudogames, and with a run of their own."""
    lines = zip(*programs, strict=True)
    low = [(t, gap, ours, alone) for (t, gap), (_, ours), (_, alone) in lines if gap < NONTRIVIAL * setting.range]
    worst = max(ours / gap for _, gap, ours, _ in low)
    apart = [alone / gap - 1 for _, gap, _, alone in low]
    name = f"{setting.title}, Cert-LP by linear programs every {setting.programs:,} playthroughs"
    return [
        Claim(
            f"{name}: our solves of the same {len(low)} pseudogames prove as much",
            f"exact solves (held: within {TOLERANCE:.0%})",
            f"gaps at most {worst - 1:.2%} larger; in a run of their own, which explores otherwise, "
            f"{min(apart):+.1%} to {max(apart):+.1%} (at the end {low[-1][3]:.4g}, linear programs {low[-1][1]:.4g})",
            worst <= 1 + TOLERANCE,
        ),
        rate(f"{name}: solving less often does not change the asymptotic performance", programs.exact, low[0][0]),
        rate(
            f"{setting.title}, Cert-LP by our solves every {setting.programs:,} playthroughs: the asymptotic "
            "performance does not change either",
            programs.alone,
            next(t for t, gap in programs.alone if gap < NONTRIVIAL * setting.range),
        ),
    ]
