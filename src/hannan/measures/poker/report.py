"""Reports on a node of a poker strategy, in the terms of poker players: hands, groups and totals of both players.

Definitions, for a player with hand h at a node:

- *weight*: the weight of h in the player's range, times the probability of its own actions up to the node;
- *matchups*: that weight times the sum of the weights of the opponent's hands that have no card in common with h. It is
  proportional to the probability that the player holds h at the node; means over hands use it;
- *equity*: the share of the pot that h wins at a showdown against the opponent's hands at the node, over all cards
  that may still be dealt, a tie counting one half;
- *EV*: the chips that the player wins after the node, minus the chips that it puts in after the node. A fold is 0. The
  EVs of both players add up to the pot at the node, bets included, minus the rake;
- *EQR* (equity realization): EV / (equity * pot at the node).
"""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any, Final

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Bools, Floats
from hannan.errors import ParameterError, UnknownNameError
from hannan.files import write_text
from hannan.forms.cursor import Cursor
from hannan.games.holdem.betting import PLAYERS
from hannan.games.holdem.cards import COMBOS, HANDS, RANKS, Deck, group_of, hand_index
from hannan.games.holdem.chips import BettingRules
from hannan.games.holdem.dealt import DealtRules
from hannan.games.holdem.ranges import grid, groups, range_text
from hannan.kernels.public import records as rec
from hannan.measures.poker.survey import Standing, Survey
from hannan.rules.public import PublicRules
from hannan.strategies.public import PublicStrategy
from hannan.strategies.strategy import Strategy

CARD, NOBODY_ACTS = "card", "end"
DIGITS: Final = 4
"""Decimals of the weights in the text of a range."""
QUANTITIES: Final = ("strategy", "ev", "equity", "eqr", "weight")
"""The quantities that a grid can show."""


@dataclass(frozen=True)
class ReportRow:
    """A hand, a group of hands such as AKs, or all hands of a player at a node. None: not defined."""

    name: str
    group: str
    weight: float
    """For a group: the sum over its hands."""
    matchups: float
    equity: float | None
    ev: float | None
    eqr: float | None
    frequencies: tuple[float, ...] | None
    """The probability of each action; None unless the player acts and has a hand."""
    action_evs: tuple[float | None, ...] | None
    """EV after each action, counted from the node. For a group: the mean over its hands, by matchups only."""


@dataclass(frozen=True)
class PlayerReport:
    """One player at a node."""

    player: int
    name: str
    total: ReportRow
    groups: tuple[ReportRow, ...]
    hands: tuple[ReportRow, ...]


@dataclass(frozen=True)
class NodeReport:
    """A node of a public strategy."""

    game: str
    at: str
    board: str
    pot: float | None
    """The pot in chips, bets included; None if the game has no chips."""
    acts: str
    """The name of the player who acts, `card` or `end`."""
    actions: tuple[str, ...]
    players: tuple[PlayerReport, PlayerReport]
    ranges: dict[str, str]
    """The range of each player at the node, as a text that `solve` reads; empty unless hands are two cards."""
    action_ranges: dict[str, str]
    """For each action of the player who acts: the range after the action (weights times the action's probability)."""
    deck: Deck | None
    """The deck, if hands are two cards."""

    def record(self) -> dict[str, Any]:
        """Return the node as one object for JSON."""
        facts: dict[str, Any] = {
            "game": self.game,
            "at": self.at,
            "board": self.board,
            "pot": self.pot,
            "acts": self.acts,
        }
        facts |= {"actions": list(self.actions), "ranges": self.ranges, "action_ranges": self.action_ranges}
        return {**facts, "players": [asdict(player) for player in self.players]}

    @property
    def actor(self) -> int | None:
        """The player who acts; None if no player acts."""
        return next((one.player for one in self.players if one.name == self.acts), None)

    def csv(self) -> str:
        """Return a table with one line per hand of both players."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        none = (None,) * len(self.actions)
        header = ["player", "hand", "group", "weight", "matchups", "equity", "ev", "eqr"]
        writer.writerow([*header, *self.actions, *(f"ev {action}" for action in self.actions)])
        for one in self.players:
            for row in one.hands:
                first = [one.name, row.name, row.group, row.weight, row.matchups, row.equity, row.ev, row.eqr]
                writer.writerow([*first, *(row.frequencies or none), *(row.action_evs or none)])
        return text.getvalue()

    def write_csv(self, path: str | PathLike[str]) -> None:
        """Write the table to a file, under a temporary name first."""
        write_text(path, self.csv())

    def grid(self, what: str, player: int | None = None, action: int = 0) -> Floats:
        """Return the square grid of poker tools: aces first, suited hands above the diagonal; NaN without a hand.

        Parameters
        ----------
        what
            'strategy' (the probability of `action`), 'ev', 'equity', 'eqr' or 'weight' (the mean of a group's hands).
        player
            The player whose hands are shown. Default: the player who acts, otherwise player 0.
        action
            The place of the action.
        """
        deck = self.deck
        if deck is None:
            raise ParameterError(f"a grid shows hands of two cards, and {self.game} does not have such hands")
        if what not in QUANTITIES:
            raise UnknownNameError(f"a grid shows {', '.join(QUANTITIES)}, not {shown(what)}")
        one = self.players[(self.actor or 0) if player is None else player]
        if what == "strategy" and one.name != self.acts:
            raise ParameterError(f"{one.name} does not act here, so it has no strategy to show; choose {QUANTITIES[1]}")
        values, weights = np.zeros(HANDS), np.zeros(HANDS)
        for row in one.hands:
            place = _place(row.name)
            value = row.frequencies[action] if what == "strategy" and row.frequencies else getattr(row, what, None)
            if value is not None:
                values[place], weights[place] = value, row.weight if what == "weight" else row.matchups
        if what == "weight":
            weights = (weights > 0).astype(np.float64)
        return grid(values, weights, deck)


def report(strategy: Strategy, at: str = "") -> NodeReport:
    """Return the probabilities and values of a public strategy at a node.

    Parameters
    ----------
    strategy
        A strategy on a public tree, such as the one that `solve` returns for hold'em.
    at
        The play that leads to the node: actions and cards, as in 'x b120 c 5c'. Empty: the first node.
    """
    return NodeReader(strategy).report(at)


class NodeReader:
    """Makes reports of many nodes of one strategy."""

    def __init__(self, strategy: Strategy) -> None:
        if not isinstance(strategy, PublicStrategy):
            raise ParameterError(
                f"{shown(strategy)} is not a strategy on a public tree; solve holdem, for example, with a full-width "
                "method to get one"
            )
        self.strategy, self.rules = strategy, strategy.game.rules
        self._survey = Survey(strategy)

    def report(self, at: str = "") -> NodeReport:
        """Return the node at the end of a path of play."""
        if not isinstance(at, str):
            raise ParameterError(f"at={shown(at)} should be a text of actions and cards, such as 'x b120 5c'")
        return self.at(self.strategy.node(at), " ".join(at.replace(":", " ").split()))

    def at(self, cursor: Cursor, path: str) -> NodeReport:
        """Return the node of a cursor."""
        rules, line = self.rules, cursor.line
        standings = self._survey.at(cursor)
        pot, mine = None, (0.0, 0.0)
        if isinstance(rules, BettingRules):
            chips, start = line.chips, rules.betting.pot
            pot, mine = float(start + sum(chips)), (start / 2 + chips[0], start / 2 + chips[1])
        players = tuple(
            player_report(rules, player, standings[player], mine[player], pot, deck_of(rules)) for player in (0, 1)
        )
        acts = self._acts(cursor)
        actions = tuple(rules.option_text(action) for action in cursor.actions)
        ranges, shares = dict[str, str](), dict[str, str]()
        deck = deck_of(rules)
        if deck is not None:
            dead = _dead(rules, cursor)
            ranges = {one.name: _range(one, None, deck, dead) for one in players}
            acting = next((one for one in players if one.name == acts), None)
            if acting is not None:
                shares = {action: _range(acting, k, deck, dead) for k, action in enumerate(actions)}
        return NodeReport(
            game=self.strategy.game.address,
            at=path,
            board=board_text(rules, cursor),
            pot=pot,
            acts=acts,
            actions=actions,
            players=(players[0], players[1]),
            ranges=ranges,
            action_ranges=shares,
            deck=deck,
        )

    def _acts(self, cursor: Cursor) -> str:
        if cursor.kind < rec.LEAF:
            return player_name(self.rules, cursor.kind)
        return CARD if cursor.kind == rec.LEAF else NOBODY_ACTS


def player_name(rules: PublicRules, player: int) -> str:
    """Return 'oop' or 'ip' in a betting game, otherwise the number of the player."""
    return PLAYERS[player] if isinstance(rules, BettingRules) else str(player)


def board_text(rules: PublicRules, cursor: Cursor) -> str:
    """Return the cards on the table."""
    if isinstance(rules, BettingRules):
        return rules.table_text(cursor.board)
    return " ".join(map(rules.outcome_text, cursor.board))


def deck_of(rules: PublicRules) -> Deck | None:
    """Return the deck if the hands of both players are two cards."""
    if isinstance(rules, DealtRules) and all(hands.shape[1] == 2 for hands in rules.hands):
        return rules.deck
    return None


def player_report(
    rules: PublicRules, player: int, standing: Standing, mine: float, pot: float | None, deck: Deck | None
) -> PlayerReport:
    """Return the rows of a player; `mine` is the number of chips that it has put in, with half of the first pot."""
    names, cards = rules.types(player), rules.cards(player)
    order = np.argsort(standing.types)
    held = standing.types[order].tolist()
    table = _Table(
        weight=standing.reach[order],
        matchups=(standing.reach * standing.facing)[order],
        equity=None if standing.equity is None else standing.equity[order],
        ev=standing.utility[order] + mine,
        strategy=None if standing.strategy is None else standing.strategy[:, order],
        evs=None if standing.utilities is None else standing.utilities[:, order] + mine,
        pot=pot,
    )
    named = [group_of(*cards[kind]) if deck is not None else names[kind] for kind in held]
    members: dict[str, list[int]] = {}
    for place, group in enumerate(named):
        members.setdefault(group, []).append(place)
    ordered = sorted(members, key=_rank) if deck is not None else list(members)
    return PlayerReport(
        player=player,
        name=player_name(rules, player),
        total=table.row("all", "", list(range(len(held)))),
        groups=tuple(table.row(group, group, members[group]) for group in ordered),
        hands=tuple(
            table.row(names[kind], group, [k]) for k, (kind, group) in enumerate(zip(held, named, strict=True))
        ),
    )


@dataclass(frozen=True, eq=False)
class _Table:
    """The numbers of all hands of a player, [hands] or [actions, hands]; NaN if not defined."""

    weight: Floats
    matchups: Floats
    equity: Floats | None
    ev: Floats
    strategy: Floats | None
    evs: Floats | None
    pot: float | None

    def row(self, name: str, group: str, places: list[int]) -> ReportRow:
        """Return the row of one hand, or of the mean over several hands."""
        equity = None if self.equity is None else self._mean(self.equity, places)
        ev = self._mean(self.ev, places)
        share = None if equity is None or self.pot is None else equity * self.pot
        return ReportRow(
            name=name,
            group=group,
            weight=float(self.weight[places].sum()),
            matchups=float(self.matchups[places].sum()),
            equity=equity,
            ev=ev,
            eqr=None if ev is None or not share else ev / share,
            frequencies=tuple(self._played(row, places) for row in self.strategy)
            if self.strategy is not None and places
            else None,
            action_evs=tuple(self._mean(row, places) for row in self.evs) if self.evs is not None and places else None,
        )

    def _mean(self, values: Floats, places: list[int]) -> float | None:
        """Return the mean over hands with a value, weighted by matchups; None if no hand counts."""
        if len(places) == 1:
            value = float(values[places[0]])
            return None if np.isnan(value) else value
        known = np.array([place for place in places if not np.isnan(values[place])], np.int64)
        if not len(known):
            return None
        weights = self.matchups[known]
        return float(values[known] @ weights / weights.sum()) if weights.sum() > 0 else None

    def _played(self, row: Floats, places: list[int]) -> float:
        weights = self.matchups[places] if self.matchups[places].sum() > 0 else np.ones(len(places))
        return float(row[places] @ weights / weights.sum())


def _rank(group: str) -> tuple[int, int, int]:
    """Return the sort key of a group: its higher rank, then the lower one, suited hands first."""
    return -RANKS.index(group[0]), -RANKS.index(group[1]), int(group.endswith("o"))


def _place(hand: str) -> int:
    """Return the place of a hand such as 'AhKd' among the 1326 hands."""
    first, second = (RANKS.index(hand[k]) * 4 + "cdhs".index(hand[k + 1]) for k in (0, 2))
    return hand_index(first, second)


def _dead(rules: PublicRules, cursor: Cursor) -> Bools:
    """Return whether each of the 1326 hands holds a card of the table, [hands]."""
    board: tuple[Any, ...] = cursor.board
    table = rules.on_table(board) if isinstance(rules, DealtRules) else ()
    return np.asarray(np.isin(COMBOS, table).any(axis=1))


def _range(one: PlayerReport, action: int | None, deck: Deck, dead: Bools) -> str:
    """Return the weights of a player's hands, times the probability of an action, as the text of a range.

    If the possible hands of a group have equal weights, impossible hands (with a card of the table) get this weight
    too: 'KK' is shorter than three hands, and means the same on this table.
    """
    weights = np.zeros(HANDS)
    for row in one.hands:
        share = 1.0 if action is None or row.frequencies is None else row.frequencies[action]
        weights[_place(row.name)] = round(min(row.weight * share, 1.0), DIGITS)
    for places in groups(deck).values():
        live = weights[places[~dead[places]]]
        if len(live) and (live == live[0]).all():
            weights[places] = live[0]
    return range_text(weights, deck)
