"""All cards that may be dealt at a node: the values of both players, and the first actions, after each card."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from hannan.errors import ParameterError
from hannan.files import write_text
from hannan.kernels.public import records as rec
from hannan.measures.poker.report import NodeReader, NodeReport
from hannan.strategies.strategy import Strategy


@dataclass(frozen=True)
class Runout:
    """One card, and the node after it."""

    card: str
    probability: float
    """The probability that it is dealt, given the ranges of the players at the node."""
    equity: tuple[float | None, float | None]
    ev: tuple[float | None, float | None]
    eqr: tuple[float | None, float | None]
    acts: str
    frequencies: tuple[float, ...]
    """The probabilities of the actions after the card; empty if no player acts, or the player has no hand left."""


@dataclass(frozen=True)
class Runouts:
    """All cards that may be dealt at a node."""

    game: str
    at: str
    board: str
    pot: float | None
    actions: tuple[str, ...]
    """The actions at the nodes after the cards: the same for all."""
    equity: tuple[float | None, float | None]
    """The mean over all cards, by their probabilities; `ev` likewise."""
    ev: tuple[float | None, float | None]
    runouts: tuple[Runout, ...]

    def record(self) -> dict[str, Any]:
        """Return the table as one object for JSON."""
        return asdict(self)

    def csv(self) -> str:
        """Return the table with one line per card."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        header = ["card", "probability", "equity oop", "equity ip", "ev oop", "ev ip", "eqr oop", "eqr ip", "acts"]
        writer.writerow([*header, *self.actions])
        for one in self.runouts:
            numbers = [*one.equity, *one.ev, *one.eqr]
            played = one.frequencies or (None,) * len(self.actions)
            writer.writerow([one.card, one.probability, *numbers, one.acts, *played])
        return text.getvalue()

    def write_csv(self, path: str | PathLike[str]) -> None:
        """Write the table to a file, under a temporary name first."""
        write_text(path, self.csv())


def runouts(strategy: Strategy, at: str = "") -> Runouts:
    """Return the values of both players after each card that may be dealt at a node.

    Parameters
    ----------
    strategy
        A strategy on a public tree, such as the one that `solve` returns for hold'em.
    at
        The play that ends a street: 'x x', or 'b120 c'.
    """
    reader = NodeReader(strategy)
    start, here = reader.strategy.node(at), reader.report(at)
    if start.kind != rec.LEAF:
        raise ParameterError(
            f"no card is dealt after {here.at!r}: {here.acts} acts there; give play that ends a street, such as 'x x'"
            if here.actor is not None
            else f"no card is dealt after {here.at!r}: play is over"
        )
    rules, nodes = reader.rules, list[tuple[str, NodeReport]]()
    for outcome in sorted(start.outcomes, key=_order):
        card = rules.outcome_text(outcome)
        nodes.append((card, reader.report(f"{at} {card}")))
    total = sum(node.players[0].total.matchups for _, node in nodes)
    found = tuple(_runout(card, node, total) for card, node in nodes)
    return Runouts(
        game=here.game,
        at=here.at,
        board=here.board,
        pot=here.pot,
        actions=nodes[0][1].actions,
        equity=(_mean(found, "equity", 0), _mean(found, "equity", 1)),
        ev=(_mean(found, "ev", 0), _mean(found, "ev", 1)),
        runouts=found,
    )


def _order(card: Any) -> str:
    """Return a key that sorts cards, and tuples of cards, by number."""
    return " ".join(f"{part:05d}" for part in (card if isinstance(card, tuple) else (card,)))


def _runout(card: str, node: NodeReport, total: float) -> Runout:
    first, second = (one.total for one in node.players)
    acting = next((one.total.frequencies for one in node.players if one.total.frequencies is not None), None)
    return Runout(
        card=card,
        probability=first.matchups / total if total else 0.0,
        equity=(first.equity, second.equity),
        ev=(first.ev, second.ev),
        eqr=(first.eqr, second.eqr),
        acts=node.acts,
        frequencies=acting or (),
    )


def _mean(found: tuple[Runout, ...], what: str, player: int) -> float | None:
    """Return the mean over cards of positive probability; None if a value is not defined for one of them."""
    values = [(one.probability, getattr(one, what)[player]) for one in found if one.probability > 0]
    if not values or any(value is None for _, value in values):
        return None
    return float(sum(probability * value for probability, value in values))
