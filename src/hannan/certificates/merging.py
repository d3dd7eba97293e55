"""From a playthrough to the trunk: check all that a box has shown, then expand nodes and count draws.

Nothing is changed before everything is checked: where a box breaks a promise, the trunk is as it was before. Gains that
are not zero-sum where a Nash gap is to be proven are no broken promise: nothing is proven of such a game.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple, NoReturn

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.certificates.bounding import meet, not_zero_sum, worth
from hannan.certificates.playing import Playthrough, broken
from hannan.certificates.revisits import Revisits
from hannan.certificates.trunk import CHANCE, END, LEAF, NONE, ROOT, Trunk
from hannan.errors import UnsuitableError
from hannan.rules.bounds import slack, wrong_bounds
from hannan.rules.box import Box, Draw, View
from hannan.rules.promises import other_actions, wrong_chance, wrong_gains, wrong_menu

Expansion = Literal["path", "first"]
"""Whether a playthrough expands all nodes on its path, or the first new one only."""


_Said = tuple[int, bool, tuple[float, ...] | None]
"""What a box says of the outcomes of a group: how many there are, whether they are not listed, and their odds."""


class _New(NamedTuple):
    """A node that is to be expanded."""

    view: View
    move: int
    gain: list[float]
    low: list[float]
    high: list[float]


class Merger:
    """Adds playthroughs of one box to one trunk."""

    def __init__(self, box: Box, trunk: Trunk, expansion: Expansion = "path") -> None:
        self.box, self.trunk, self.expansion = box, trunk, expansion
        self._record = Playthrough(0)
        self._depth = 0
        self._menus: dict[int, Sequence[Hashable]] = {}  # as the box shows them, by number: quicker to compare
        self._sizes: dict[Hashable, _Said] = {}  # of groups that are new on the path
        self._revisits = Revisits()

    def add(self, record: Playthrough) -> int:
        """Check a playthrough and add it; return at which depth the first new node was, or NONE."""
        self._record, self._depth = record, 0
        self._sizes.clear()
        try:
            known, new = self._survey(record)
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            raise broken(self.box, record, f"the box showed what is not a view ({error})", self._depth) from error
        trunk = self.trunk
        for child in known:
            trunk.draw(child)
        if not new:
            if record.failed:  # where it has not come before, no answer is an outcome like any other
                self._reached(record, len(record.views))
            return NONE
        node = top = last = self._reached(record, len(record.views) - len(new))
        for view, move, gain, low, high in new if self.expansion == "path" else new[:1]:
            self._expand(node, view, gain, low, high)
            if not record.recalled:
                self._revisits.note(node, view)
            last = node
            if view.draw is not None:
                node = self._drawn(node, view.draw, move)
                trunk.draw(node)
            elif view.movers:
                node = trunk.child(node, move)
        trunk.lift(last, top)
        return len(record.views) - len(new)

    def _survey(self, record: Playthrough) -> tuple[list[int], list[_New]]:
        """Return the children of known chance nodes that were drawn, and what there is to expand."""
        trunk, nodes = self.trunk, self.trunk.nodes
        node = ROOT
        drawn: list[int] = []
        for depth, view in enumerate(record.views):
            if node == NONE or nodes.kind[node] == LEAF:
                return drawn, self._new(record, depth, node)
            self._depth = depth
            kind = nodes.kind[node]
            for player, before in enumerate(nodes.gain[node].tolist()):
                if before != view.gains[player]:
                    self._fail(f"player {player} gained {view.gains[player]:g} here, and {before:g} before")
            if not record.recalled and (sentence := self._revisits.note(node, view)) is not None:
                self._fail(f"{sentence}, at the same history: a box must depend on it alone")
            if kind == END:
                self._same(not view.movers and view.draw is None)
                return drawn, []
            if kind == CHANCE:
                node = self._known_chance(node, view)
                if node != NONE:
                    drawn.append(node)
            else:
                node = trunk.child(node, self._known_choice(node, view, record.choices[depth]))
        return drawn, []

    def _reached(self, record: Playthrough, depth: int) -> int:
        """Return the node at a depth of which all nodes above are known; new children of chance are made here."""
        trunk, node = self.trunk, ROOT
        for view, choice in zip(record.views[:depth], [*record.choices, ()], strict=False):
            if view.draw is None:
                node = trunk.child(node, self._joint(view, choice))
            else:
                before = trunk.nodes.used
                node = self._drawn(node, view.draw, _place(view.draw))
                if trunk.nodes.used > before:
                    trunk.draw(node)
        return node

    def _drawn(self, node: int, draw: Draw, move: int) -> int:
        if draw.outcomes is not None:
            return self.trunk.child(node, move)
        return self.trunk.outcome_child(node, draw.outcome)

    def _same(self, agrees: bool) -> None:
        if not agrees:
            self._fail("something else goes on here than before, at the same history: a box must depend on it alone")

    def _known_chance(self, node: int, view: View) -> int:
        """Return the child that chance drew, or NONE where it is new."""
        trunk, draw = self.trunk, view.draw
        self._same(draw is not None)
        assert draw is not None
        group = int(trunk.nodes.group[node])
        self._same(bool(trunk.groups.open[group]) == (draw.outcomes is None))
        if not self._record.recalled:
            self._same_group(node, draw)
        if draw.outcomes is None:
            child = trunk.known_outcome_child(node, draw.outcome)
            if child == NONE:
                self._room(group, draw)
            return child
        self._same(len(draw.outcomes) == trunk.groups.size[group])
        return trunk.child(node, self._outcome(draw))

    def _same_group(self, node: int, draw: Draw) -> None:
        """Refuse another group or other odds than the trunk has: also where nothing else is known from before."""
        group = int(self.trunk.nodes.group[node])
        named = self.trunk.find_group(draw.group)
        if named != (group if self.trunk.keyed(group) else NONE) or (draw.group is not None and named == NONE):
            self._fail(f"chance is of group {shown(draw.group)} here, and was of another one before")
        if self._said(group) != _said(draw):
            self._fail("chance shows other odds, or another number of outcomes, than before at the same history")

    def _said(self, group: int) -> _Said:
        """Return what the box has said of the outcomes of a group."""
        groups, slots = self.trunk.groups, self.trunk.slots
        size, first, odds = int(groups.size[group]), int(groups.first[group]), None
        if groups.known[group]:
            odds = tuple(slots.odds[first : first + size].tolist())
        return size, bool(groups.open[group]), odds

    def _room(self, group: int, draw: Draw) -> None:
        """Refuse more outcomes than a box promised there are."""
        most = int(self.trunk.groups.size[group])
        if not self.trunk.has_come(group, draw.outcome) and self.trunk.seen_outcomes(group) >= most:
            self._fail(
                f"chance drew {shown(draw.outcome)} after {most} others, and the box said there are no more than these"
            )

    def _outcome(self, draw: Draw) -> int:
        """Return the number of the outcome that was drawn among those that are listed."""
        place = _place(draw)
        if place == NONE:
            self._fail(
                f"chance drew {shown(draw.outcome)}, which is not among the outcomes {list(draw.outcomes or ())}"
            )
        return place

    def _known_choice(self, node: int, view: View, choice: tuple[int, ...]) -> int:
        trunk = self.trunk
        sets = trunk.nodes.set[node].tolist()
        move = 0
        self._same(len(view.movers) == len(sets) - sets.count(NONE))
        for player, menu, seen, k in zip(view.movers, view.actions, view.observations, choice, strict=True):
            number = sets[player]
            self._same(number != NONE)
            rows = trunk.sets[player].rows
            if trunk.observations.known(seen) != rows.observation[number]:
                self._same(False)
            self._menu(player, number, menu, seen)
            move = move * len(menu) + k
        return move

    def _menu(self, player: int, number: int, menu: Sequence[Hashable], seen: Hashable) -> None:
        """Refuse actions that are not those of the information set."""
        trunk = self.trunk
        known_as = int(trunk.sets[player].rows.menu[number])
        if menu == self._menus.get(known_as):
            return
        before = trunk.menus[known_as]
        if [trunk.actions.known(action) for action in menu] == before:
            self._menus[known_as] = list(menu)
        else:
            self._fail(other_actions(player, menu, self.box.observation_text(player, seen)))

    @staticmethod
    def _joint(view: View, choice: tuple[int, ...]) -> int:
        move = 0
        for menu, k in zip(view.actions, choice, strict=True):
            move = move * len(menu) + k
        return move

    def _new(self, record: Playthrough, depth: int, node: int) -> list[_New]:
        """Check the views from a leaf on; `node` is NONE where chance drew what it never did before."""
        nodes = self.trunk.nodes
        above = node if node != NONE else self._last(record, depth)
        low, high = nodes.low[above].tolist(), nodes.high[above].tolist()
        sequences: list[int] = nodes.sequence[above].tolist()
        unknown = [math.nan] * self.trunk.utilities
        told = nodes.gain[above].tolist() if node != NONE else unknown
        new = []
        for place in range(depth, len(record.views)):
            self._depth, view = place, record.views[place]
            gain, low, high = self._gained(view, low, high, told)
            move, told = 0, unknown
            if view.draw is not None:
                move = self._new_chance(view.draw)
            elif view.movers:
                choice = record.choices[place]
                move = self._joint(view, choice)
                self._new_choice(view, choice, sequences)
            else:
                for player, (least, most) in enumerate(zip(low, high, strict=True)):
                    if not -slack(most) <= most or not least <= slack(least):
                        self._fail(
                            f"play is over, but by the bounds above player {player} still gains {least:g} to {most:g}"
                        )
            new.append(_New(view, move, gain, low, high))
            if view.children is not None:
                gains, lows, highs = self._told(view, low, high)
                told, low, high = gains[move].tolist(), lows[move].tolist(), highs[move].tolist()
        return new

    def _last(self, record: Playthrough, depth: int) -> int:
        """Return the open chance node above the depth: its bounds hold for a child that is not there yet."""
        node = ROOT
        for view, choice in zip(record.views[: depth - 1], record.choices[: depth - 1], strict=True):
            if view.draw is None:
                node = self.trunk.child(node, self._joint(view, choice))
            elif view.draw.outcomes is None:
                node = self.trunk.known_outcome_child(node, view.draw.outcome)
            else:
                node = self.trunk.child(node, _place(view.draw))
        return node

    def _gained(
        self, view: View, low: list[float], high: list[float], told: list[float]
    ) -> tuple[list[float], list[float], list[float]]:
        """Return what was gained here, and the bounds on what is to come; refuse what leaves the bounds."""
        players, utilities = self.trunk.players, self.trunk.utilities
        if (sentence := wrong_gains(view.gains, players)) is not None:
            self._fail(sentence)
        shown = [(-math.inf, math.inf)] * utilities
        if view.bounds is None:
            if not view.movers and view.draw is None:
                shown = [(0.0, 0.0)] * utilities
        else:
            if (sentence := wrong_bounds(view.bounds, players)) is not None:
                self._fail(sentence)
            shown = worth(view.bounds, utilities)
        if utilities == 1 and (sentence := not_zero_sum(view.gains, view.bounds)) is not None:
            raise UnsuitableError(str(broken(self.box, self._record, sentence, self._depth)))
        gained, lows, highs = [], [], []
        for player, (least, most) in enumerate(shown):
            gain = float(view.gains[player])
            if not math.isnan(told[player]) and told[player] != gain:
                self._fail(f"player {player} gained {gain:g} here, and the box had told {told[player]:g}")
            left = (low[player] - gain, high[player] - gain)
            both = meet(*left, least, most)
            if both is None:
                self._fail(
                    f"player {player} gained {gain:g} here and gains {least:g} to {most:g} from here on, but by the "
                    f"bounds above it gains {left[0]:g} to {left[1]:g} after this; a utility leaves its bounds"
                )
            gained.append(gain)
            lows.append(both[0])
            highs.append(both[1])
        return gained, lows, highs

    def _new_chance(self, draw: Draw) -> int:
        if draw.outcomes is None:
            if not isinstance(draw.most, int) or draw.most < 1:
                self._fail(
                    f"the outcomes of chance are not listed, and the bound on their number is {shown(draw.most)}; it "
                    "should be a whole number, 1 or more"
                )
            if draw.odds is not None:
                self._fail("the probabilities of chance are told, but its outcomes are not listed")
            is_open = True
        else:
            weights = draw.odds if draw.odds is not None else [1 / len(draw.outcomes or (1,))] * len(draw.outcomes)
            if len(weights) != len(draw.outcomes):
                self._fail(f"chance has {len(draw.outcomes)} outcomes and {len(weights)} probabilities")
            if (sentence := wrong_chance(list(zip(draw.outcomes, weights, strict=True)))) is not None:
                self._fail(sentence)
            is_open = False
        if draw.group is not None:
            group, said = self.trunk.find_group(draw.group), _said(draw)
            other = self._sizes.setdefault(draw.group, said) if group == NONE else self._said(group)
            if other[:2] != said[:2]:
                self._fail(
                    f"chance has {said[0]} outcomes here, and {other[0]} elsewhere in its group {shown(draw.group)}"
                )
            if other[2] != said[2]:
                self._fail(
                    f"chance has the odds {shown(said[2])} here, and {shown(other[2])} elsewhere in its group "
                    f"{shown(draw.group)}"
                )
            if is_open and group != NONE:
                self._room(group, draw)
        return NONE if is_open else self._outcome(draw)

    def _new_choice(self, view: View, choice: tuple[int, ...], sequences: list[int]) -> None:
        """Check movers and menus; follow what each player does, NONE from its first new set on."""
        trunk = self.trunk
        players = [*view.movers]
        whole = all(isinstance(player, int | np.integer) and not isinstance(player, bool) for player in players)
        if not whole or players != sorted(set(players)) or not 0 <= players[0] <= players[-1] < trunk.players:
            self._fail(f"the movers are {players}; they should be different players below {trunk.players}, ascending")
        for player, menu, seen, k in zip(view.movers, view.actions, view.observations, choice, strict=True):
            try:
                if (sentence := wrong_menu(player, tuple(menu))) is not None:
                    self._fail(sentence)
                code = trunk.observations.known(seen)
            except TypeError:
                self._fail(f"an action or the observation {seen!r:.80} of player {player} cannot be hashed")
            number = NONE
            if code is not None and sequences[player] != NONE:
                number = trunk.sets[player].find(sequences[player], code)
            if number != NONE:
                self._menu(player, number, menu, seen)
                sequences[player] = int(trunk.sets[player].rows.first[number]) + k
            else:
                sequences[player] = NONE

    def _told(self, view: View, low: list[float], high: list[float]) -> tuple[Floats, Floats, Floats]:
        """Return gain, least and most of all that each child brings, as a box tells it before the visit."""
        assert view.children is not None
        players, utilities = self.trunk.players, self.trunk.utilities
        outcomes = view.draw.outcomes if view.draw is not None else None
        many = math.prod(map(len, view.actions)) if view.draw is None else len(outcomes or ())
        if len(view.children) != many:
            self._fail(f"the box tells of {len(view.children)} children, and there are {many}")
        rows: list[list[tuple[float, float, float]]] = []
        for gains, bounds in view.children:
            sentence = wrong_gains(gains, players) or wrong_bounds(bounds, players)
            if sentence is not None:
                self._fail(f"of a child: {sentence}")
            row = []
            for player, (least, most) in enumerate(worth(bounds, utilities)):
                both = meet(low[player], high[player], gains[player] + least, gains[player] + most)
                if both is None:
                    self._fail(
                        f"a child gains {gains[player]:g} and {least:g} to {most:g} after it, but by the bounds here "
                        f"all that is to come for player {player} is {low[player]:g} to {high[player]:g}"
                    )
                row.append((float(gains[player]), *both))
            rows.append(row)
        told = np.array(rows, np.float64).reshape(-1, utilities, 3)
        return told[:, :, 0], told[:, :, 1], told[:, :, 2]

    def _expand(self, node: int, view: View, gain: list[float], low: list[float], high: list[float]) -> None:
        trunk = self.trunk
        told = None if view.children is None else self._told(view, low, high)
        if view.draw is not None:
            trunk.expand_chance(node, gain, low, high, self._group(view.draw), told)
        elif not view.movers:
            trunk.expand_end(node, gain)
        else:
            numbers = [NONE] * trunk.seats
            for player, menu, seen in zip(view.movers, view.actions, view.observations, strict=True):
                sets, code = trunk.sets[player], trunk.observations.code(seen)
                sequence = int(trunk.nodes.sequence[node, player])
                number = sets.find(sequence, code)
                if number == NONE:
                    number = sets.add(sequence, code, trunk.menu(menu), len(menu))
                numbers[player] = number
            trunk.expand_choice(node, gain, low, high, numbers, told)

    def _group(self, draw: Draw) -> int:
        group = self.trunk.find_group(draw.group)
        if group != NONE:
            return group
        if draw.outcomes is None:
            return self.trunk.add_group(draw.group, int(draw.most or 0), True)
        return self.trunk.add_group(draw.group, len(draw.outcomes), False, draw.odds)

    def _fail(self, sentence: str) -> NoReturn:
        raise broken(self.box, self._record, sentence, self._depth)


def _said(draw: Draw) -> _Said:
    """Return what a box says of the outcomes of chance."""
    if draw.outcomes is None:
        return int(draw.most or 0), True, None
    return len(draw.outcomes), False, None if draw.odds is None else tuple(map(float, draw.odds))


def _place(draw: Draw) -> int:
    """Return the number of the drawn outcome among those that are listed, or NONE."""
    try:
        return list(draw.outcomes or ()).index(draw.outcome)
    except ValueError:
        return NONE
