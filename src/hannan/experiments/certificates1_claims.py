"""What section 8 of the certificates paper says of figure 1, and what its sections 1 and 6 say of the experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hannan.experiments.claims import Claim, Line
from hannan.experiments.tails import rate

if TYPE_CHECKING:
    from hannan.experiments.certificates1 import Curve, Setting

NONTRIVIAL = 0.9999
"""A gap below this share of the reward range is nontrivial."""

SMALL = 0.25
"""The share of a game's nodes that counts as a small fraction."""

TOLERANCE = 0.03
"""How far above the gap of linear programs ours may be: each player's solve ends within 1 % of what the games are apart."""


class Programs(NamedTuple):
    """Gaps of Cert-LP at the same moments."""

    exact: Line
    """By linear programs."""
    close: Line
    """By our solves of the same pseudogames."""
    alone: Line
    """By our solves in a run of their own, which explores as they say."""


@dataclass(frozen=True)
class Part:
    """What was run on one game."""

    setting: Setting
    nodes: int
    """As our trees count them: joint moves are one node."""
    curves: dict[str, Curve]
    plain: Line
    """MCCFR."""
    programs: Programs | None


def judged(part: Part) -> list[Claim]:
    """Judge every sentence on one game."""
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
        rate(
            f"{name}: long-term convergence of roughly 1/√t", curve.provable, None if first is None else first.playthroughs
        ),
        Claim(
            f"{name}: the provable gap is above the true gap (Propositions 6.3 and 7.3)",
            "always",
            "always" if sound else "not",
            sound,
        ),
    ]  # fmt: skip
    if not curve.average:  # Corollary 6.6 is on Algorithm 6.1
        claims.append(
            Claim(
                f"{name}: in practice the gap is significantly smaller than its worst-case bound (section 6)",
                "significantly (held: a tenth at most)",
                f"{last.gap:.3g}, where Corollary 6.6 says {curve.worst:.3g}",
                10 * last.gap <= curve.worst,
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
    ]
