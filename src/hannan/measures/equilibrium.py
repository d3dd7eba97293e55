"""One Nash equilibrium with all its known properties: payoffs, support, proof, and kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats
from hannan.errors import UnsuitableError
from hannan.forms.exactpayoffs import exact_payoffs
from hannan.forms.game import ExpandedGame
from hannan.measures.evaluation import values
from hannan.solvers.exact.normalform import NormalForm, taken
from hannan.solvers.general.cells import ExactCells, pays_of
from hannan.solvers.general.point import Fractions, Point
from hannan.solvers.general.refinements import refinements
from hannan.strategies.profile import Profile, normalised

Proof = Literal["fractions", "krawczyk", "epsilon"]
"""How an equilibrium is proven: by substitution in fractions; by an interval Newton step, which shows that a true
equilibrium lies in a box around it; or, as an ε-equilibrium, by a bound on what any player could gain."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A Nash equilibrium. A field is None if its value is not known."""

    profile: Profile
    """The behaviour of each player."""
    mixed: tuple[Floats, ...] | None  # a player: [plans]
    """The probabilities of plans, if a method that works on the normal form found it."""
    fractions: Fractions | None
    """The exact probabilities: of plans if `mixed` is known, of sequences otherwise."""
    payoffs: tuple[float, ...]
    exact_payoffs: tuple[Fraction, ...] | None
    regret: float
    """A proven bound on what any player could gain by deviating; 0 if the equilibrium is exact."""
    radius: float | None
    """A true equilibrium is proven to lie within this distance of every probability; 0 if it is exact."""
    support: tuple[tuple[int, ...], ...] | None
    """The plans of each player with a positive probability."""
    strict: bool | None
    """Whether every deviation loses: each player has one best response, its own plan."""
    quasi_strict: bool | None
    """Whether every best response of every player has a positive probability."""
    isolated: bool | None
    """Whether no other equilibrium is arbitrarily close."""
    component: int | None
    """The number of the connected component of equilibria that it belongs to."""
    index: int | None
    """The index of the equilibrium, or of its component. The indices of all components of a game add up to 1."""
    proof: Proof
    refinements: Mapping[str, bool | None] | None = None
    """Which refinements it satisfies; None for one that is not decided."""

    @property
    def game(self) -> ExpandedGame:
        """The game that it is an equilibrium of."""
        return self.profile.game

    @property
    def exact(self) -> bool:
        """Whether the probabilities are exact fractions."""
        return self.fractions is not None

    def __repr__(self) -> str:
        payoffs = [float(f"{payoff:.6g}") for payoff in self.payoffs]
        kind = "exact" if self.exact else f"within {self.radius:.1e}" if self.radius else f"regret {self.regret:.1e}"
        return f"Equilibrium({self.game.address}: payoffs {payoffs}, {kind})"

    def strategies(self) -> list[Any]:
        """Return probabilities: a list per player of a game of one joint move, else a map per player of sets."""
        game = self.game
        if self.mixed is not None and simultaneous(game):
            return [strategy.tolist() for strategy in self.mixed]
        return [
            {game.set_text(player, j): self.profile.at(player, j) for j in range(plex.sets)}
            for player, plex in enumerate(game.form.treeplexes)
        ]

    def record(self) -> dict[str, Any]:
        """Return the equilibrium as one object that JSON can hold; fractions are texts such as `1/3`."""
        exact = None if self.fractions is None else [[str(one) for one in own] for own in self.fractions]
        return {
            "payoffs": self.payoffs, "strategies": self.strategies(), "exact": self.exact, "fractions": exact,
            "regret": self.regret, "radius": self.radius, "support": self.support, "strict": self.strict,
            "quasi_strict": self.quasi_strict, "isolated": self.isolated, "component": self.component,
            "index": self.index, "refinements": None if self.refinements is None else dict(self.refinements),
            "proof": self.proof,
        }  # fmt: skip


def simultaneous(game: ExpandedGame) -> bool:
    """Return whether each player chooses once, so that its plans are its actions."""
    return all(plex.sets <= 1 for plex in game.form.treeplexes)


def of_plans(form: NormalForm, cells: ExactCells, point: Point, component: int | None = None) -> Equilibrium:
    """Describe a point of a normal form. It carries fractions, or a proven regret."""
    profile = form.profile([_probabilities(strategy) for strategy in point.strategies])
    support = tuple(tuple(np.flatnonzero(strategy).tolist()) for strategy in point.strategies)
    if point.fractions is None:
        payoffs, exact = values(profile), None
        strict = quasi = True if point.radius is not None else None  # the proof has strict bounds outside the support
        strict = strict and all(len(own) == 1 for own in support)
    else:
        _check_distributions(point.fractions, cells.shape)
        pays = pays_of(cells, point.fractions)
        exact = tuple(
            sum((weight * pay for weight, pay in zip(own, each, strict=True)), Fraction(0))
            for own, each in zip(point.fractions, pays, strict=True)
        )
        payoffs = tuple(map(float, exact))
        most = [max(each) for each in pays]
        if any(top > pay for top, pay in zip(most, exact, strict=True)):
            raise UnsuitableError(f"a method reported a point of {form.game.address} that is not an equilibrium")
        best = [{k for k, pay in enumerate(each) if pay == top} for each, top in zip(pays, most, strict=True)]
        quasi = all(set(own) == tied for own, tied in zip(support, best, strict=True))
        strict = quasi and all(len(own) == 1 for own in support)
    return Equilibrium(
        profile, point.strategies, point.fractions, payoffs, exact, _regret(point), _radius(point), support, strict,
        quasi, point.isolated, component, point.index, _proof(point),
    )  # fmt: skip


def with_refinements(form: NormalForm | None, point: Point, one: Equilibrium) -> Equilibrium:
    """Add which refinements an equilibrium satisfies; the decision uses its fractions if they are known."""
    exact = None if point.fractions is None else point.behaviour or _behaviour(one.game, form, point.fractions)
    found = refinements(one.profile) if exact is None else refinements(one.game, behaviour=exact)
    return replace(one, refinements={name: verdict.holds for name, verdict in vars(found).items()})


def _behaviour(game: ExpandedGame, form: NormalForm | None, fractions: Fractions) -> Fractions:
    """Return exact probabilities of plans, or of sequences, as behaviour; even at sets that the player avoids."""
    parts = []
    for player, plex in enumerate(game.form.treeplexes):
        reach = list(fractions[player])
        if form is not None:
            plays = taken(plex, form.plans[player])
            reach = [sum((reach[k] for k in np.flatnonzero(plays[:, s])), Fraction(0)) for s in range(plex.sequences)]
        part = [Fraction(1)]
        for j, size in enumerate(plex.sizes.tolist()):
            here, above = reach[int(plex.begin[j]) : int(plex.begin[j + 1])], reach[int(plex.parent[j])]
            part += [weight / above for weight in here] if above else [Fraction(1, size)] * size
        parts.append(tuple(part))
    return tuple(parts)


def _check_distributions(fractions: Fractions, shape: tuple[int, ...]) -> None:
    """Refuse strategies that are not one probability distribution over the plans of each player."""
    sizes = tuple(map(len, fractions))
    if sizes != shape or any(sum(own) != 1 or min(own) < 0 for own in fractions):
        raise UnsuitableError(f"a method reported strategies that are not distributions over {shape} plans")


def of_sequences(game: ExpandedGame, point: Point) -> Equilibrium:
    """Describe a point of a tree, whose strategies are probabilities of sequences.

    If the point has a behaviour, it is taken as it is: a refinement also fixes the play at sets that are not reached.
    """
    if point.behaviour is None:
        behaviour = tuple(normalised(game, player, reach) for player, reach in enumerate(point.strategies))
    else:
        behaviour = tuple(np.array(list(map(float, own))) for own in point.behaviour)
    profile = Profile(game, behaviour)
    exact = None if point.fractions is None else exact_payoffs(game).earned(point.fractions)
    payoffs = values(profile) if exact is None else tuple(map(float, exact))
    return Equilibrium(
        profile, None, point.fractions, payoffs, exact, _regret(point), _radius(point), None, None, None,
        point.isolated, None, point.index, _proof(point),
    )  # fmt: skip


def _probabilities(strategy: Floats) -> Floats:
    """Return floats that sum to 1 as nearly as floats can."""
    return strategy / strategy.sum()


def _regret(point: Point) -> float:
    if point.fractions is not None:
        return 0.0
    assert point.regret is not None, "a point without fractions has a proven regret"
    return point.regret


def _radius(point: Point) -> float | None:
    return 0.0 if point.fractions is not None else point.radius


def _proof(point: Point) -> Proof:
    return "fractions" if point.fractions is not None else "epsilon" if point.radius is None else "krawczyk"
