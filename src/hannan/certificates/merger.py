"""Adding playthroughs to the trunk: check all that a box has shown, then write it for the kernel to merge.

Nothing changes before everything is checked: if a box breaks a promise, the trunk is as it was before. If a Nash gap is
to be proven and gains are not zero-sum, no promise is broken, but nothing is proven of such a game.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Literal, NoReturn

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.certificates.bounds import meet, not_zero_sum, worth
from hannan.certificates.paths import New, PathWriter, Said, said
from hannan.certificates.playthrough import Playthrough, broken
from hannan.certificates.revisits import Revisits
from hannan.certificates.trunk import CHANCE, END, LEAF, NONE, ROOT, Trunk
from hannan.errors import UnsuitableError
from hannan.kernels.certifying import records as rec
from hannan.rules.bounds import slack, wrong_bounds
from hannan.rules.box import Box, ChanceMove, Similar, View
from hannan.rules.promises import other_actions, wrong_chance, wrong_gains, wrong_menu, wrong_similar

Expansion = Literal["path", "first"]
"""Whether a playthrough expands all nodes on its path, or only the first new one."""


class Merger:
    """Adds playthroughs of one box to one trunk."""

    def __init__(self, box: Box, trunk: Trunk, expansion: Expansion = "path") -> None:
        self.box, self.trunk, self.expansion = box, trunk, expansion
        self._record = Playthrough(0)
        self._depth = 0
        self._menus: dict[int, Sequence[Hashable]] = {}  # menus as the box shows them, by number: quicker to compare
        self._sizes: dict[Hashable, Said] = {}  # facts about groups that are new on the path
        self._kin: dict[Hashable, Similar | None] = {}  # the families that these groups named
        self._families: dict[Hashable, tuple[float, int]] = {}  # δ and the outcomes of families new on the path
        self._revisits = Revisits()
        self._writer = PathWriter(trunk)

    def add(self, record: Playthrough) -> int:
        """Check a playthrough and add it; return the depth of the first new node, or NONE."""
        self._record, self._depth = record, 0
        for new_ones in (self._sizes, self._kin, self._families):
            new_ones.clear()
        try:
            drawn, node, depth = self._survey(record)
            new = self._new(record, depth, node) if depth < len(record.views) else []
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            raise broken(self.box, record, f"the box showed what is not a view ({error})", self._depth) from error
        trunk = self.trunk
        counts, samples, owner = trunk.slots.count, trunk.groups.samples, trunk.slots.group
        for slot in drawn:
            counts[slot] += 1
            samples[owner[slot]] += 1
        missing = bool(trunk.nodes.kind[node] == CHANCE)  # chance drew this child for the first time
        if not new and not missing:
            return NONE
        above = record.views[depth - 1].draw if missing else None
        self._writer.merge(node, above, new if self.expansion == "path" else new[:1])
        if not record.recalled:
            self._remember(node, missing, new)
        return depth if new else NONE

    def _survey(self, record: Playthrough) -> tuple[list[int], int, int]:
        """Return the slots that chance drew at known nodes, the last known node, and the depth of the first new view.

        The last known node is a leaf, an end, or a chance node that drew an outcome for the first time.
        """
        trunk, nodes = self.trunk, self.trunk.nodes
        node = ROOT
        drawn: list[int] = []
        for depth, view in enumerate(record.views):
            kind = nodes.kind[node]
            if kind == LEAF:
                return drawn, node, depth
            self._depth = depth
            for player, before in enumerate(nodes.gain[node].tolist()):
                if before != view.gains[player]:
                    self._fail(f"player {player} gained {view.gains[player]:g} here, and {before:g} before")
            if not record.recalled and (sentence := self._revisits.note(node, view)) is not None:
                self._fail(f"{sentence}, at the same history: a box must depend on it alone")
            if kind == END:
                self._same(not view.movers and view.draw is None)
                break
            if kind == CHANCE:
                child = self._known_chance(node, view)
                if child == NONE:
                    return drawn, node, depth + 1
                drawn.append(int(nodes.slot[child]))
                node = child
            else:
                node = trunk.child(node, self._known_choice(node, view, record.choices[depth]))
        return drawn, node, len(record.views)

    def _remember(self, node: int, missing: bool, new: Sequence[New]) -> None:
        """Keep the views of the expanded nodes, to compare them with later visits."""
        nodes = self.trunk.nodes
        if missing:
            node = int(nodes.late[node])
        for view, move, *_ in new:
            if nodes.kind[node] != LEAF:
                self._revisits.note(node, view)
                node = int(nodes.late[node]) if nodes.first[node] == NONE else self.trunk.child(node, move)

    def _same(self, agrees: bool) -> None:
        if not agrees:
            self._fail("something else goes on here than before, at the same history: a box must depend on it alone")

    def _known_chance(self, node: int, view: View) -> int:
        """Return the child that chance drew, or NONE if it is new."""
        trunk, draw = self.trunk, view.draw
        self._same(draw is not None)
        assert draw is not None
        group = int(trunk.nodes.group[node])
        self._same(bool(trunk.groups.open[group]) == (draw.outcomes is None))
        if not self._record.recalled:
            self._same_group(node, draw)
        if draw.outcomes is None:
            child = trunk.outcome_child(node, draw.outcome)
            if child == NONE:
                self._room(group, draw)
            return child
        self._same(len(draw.outcomes) == trunk.groups.size[group])
        return trunk.child(node, self._outcome(draw))

    def _same_group(self, node: int, draw: ChanceMove) -> None:
        """Refuse another group or other odds than in the trunk, even if no earlier view of the node is kept."""
        group = int(self.trunk.nodes.group[node])
        named = self.trunk.find_group(draw.group)
        if named != (group if self.trunk.keyed(group) else NONE) or (draw.group is not None and named == NONE):
            self._fail(f"chance is of group {shown(draw.group)} here, and was of another one before")
        families = self.trunk.families
        if families is not None and not families.told(group, draw.similar):
            self._fail(f"chance is of family {shown(draw.similar)} here, and was of another one before")
        if self._said(group) != said(draw):
            self._fail("chance shows other odds, or another number of outcomes, than before at the same history")

    def _said(self, group: int) -> Said:
        """Return the outcomes of a group as the box has described them."""
        groups, slots = self.trunk.groups, self.trunk.slots
        size, first, odds = int(groups.size[group]), int(groups.first[group]), None
        if groups.known[group]:
            odds = tuple(slots.odds[first : first + size].tolist())
        return size, bool(groups.open[group]), odds

    def _room(self, group: int, draw: ChanceMove) -> None:
        """Refuse more outcomes than the box has promised."""
        most = int(self.trunk.groups.size[group])
        if self.trunk.open_slot(group, draw.outcome) == NONE and self.trunk.came(group) >= most:
            self._fail(f"chance drew {shown(draw.outcome)} after {most} others, and the box named only those {most}")

    def _outcome(self, draw: ChanceMove) -> int:
        """Return the number of the drawn outcome in the list of outcomes."""
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

    def _new(self, record: Playthrough, depth: int, node: int) -> list[New]:
        """Check the views from a depth on. `node` is a leaf, or a chance node that drew a new outcome."""
        nodes = self.trunk.nodes
        low, high = nodes.low[node].tolist(), nodes.high[node].tolist()
        sequences: list[int] = nodes.sequence[node].tolist()
        unknown, nothing = [math.nan] * self.trunk.utilities, [0.0] * self.trunk.utilities
        told = nodes.gain[node].tolist() if nodes.kind[node] == LEAF else unknown
        new = []
        for place in range(depth, len(record.views)):
            self._depth, view = place, record.views[place]
            gain, low, high = self._gained(view, low, high, told)
            move, sets, told, children = 0, list[int](), unknown, None
            if view.draw is not None:
                move = self._new_chance(view.draw)
            elif view.movers:
                choice = record.choices[place]
                move = self._joint(view, choice)
                sets = self._new_choice(view, choice, sequences)
            else:
                for player, (least, most) in enumerate(zip(low, high, strict=True)):
                    if not -slack(most) <= most or not least <= slack(least):
                        self._fail(
                            f"play is over, but by the bounds above player {player} still gains {least:g} to {most:g}"
                        )
            if view.children is not None:
                children = self._told(view, low, high)
            over = view.draw is None and not view.movers
            bounds = [nothing, nothing] if over else [low, high]
            new.append(New(view, move, [gain, *bounds], sets, children))
            if children is not None:
                told, low, high = children[move].tolist()
        return new

    def _gained(
        self, view: View, low: list[float], high: list[float], told: list[float]
    ) -> tuple[list[float], list[float], list[float]]:
        """Return the gains here, and the bounds on later gains; refuse gains outside the bounds."""
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

    def _new_chance(self, draw: ChanceMove) -> int:
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
            group, here = self.trunk.find_group(draw.group), said(draw)
            other = self._sizes.setdefault(draw.group, here) if group == NONE else self._said(group)
            if other[:2] != here[:2]:
                self._fail(
                    f"chance has {here[0]} outcomes here, and {other[0]} elsewhere in its group {shown(draw.group)}"
                )
            if other[2] != here[2]:
                self._fail(
                    f"chance has the odds {shown(here[2])} here, and {shown(other[2])} elsewhere in its group "
                    f"{shown(draw.group)}"
                )
            if is_open and group != NONE:
                self._room(group, draw)
        self._new_family(draw)
        return NONE if is_open else self._outcome(draw)

    def _new_family(self, draw: ChanceMove) -> None:
        """Refuse a family that a new node cannot belong to."""
        families, similar, group = self.trunk.families, draw.similar, self.trunk.find_group(draw.group)
        if families is None:
            if similar is not None:
                self._fail(
                    "the box tells a family of similar chance nodes, and says similar = False; set similar = True"
                )
            return
        known = families.told(group, similar) if group != NONE else True
        if draw.group is not None and group == NONE:
            known = self._kin.setdefault(draw.group, similar) == similar
        if not known:
            self._fail(f"chance is of family {shown(similar)} here, and of another one elsewhere in its group")
        if similar is None:
            return
        if (sentence := wrong_similar(similar)) is not None:
            self._fail(sentence)
        if draw.odds is not None or draw.outcomes is None:
            why = "its outcomes are not listed" if draw.outcomes is None else "its odds are told"
            self._fail(f"chance is of the family {shown(similar[0])}, and {why}: leave the family out")
        here = float(similar[1]), len(draw.outcomes or ())
        family = families.find(similar[0])
        there = self._families.setdefault(similar[0], here)
        if family != NONE:
            there = families.apart[family], families.size[family]
        if here != there:
            self._fail(
                f"chance has {here[1]} outcomes here and says {here[0]:g} of its family {shown(similar[0])}; another "
                f"node of the family has {there[1]} outcomes and says {there[0]:g}"
            )

    def _new_choice(self, view: View, choice: tuple[int, ...], sequences: list[int]) -> list[int]:
        """Check movers and menus, update the players' sequences (NONE from the first new set on); return the sets."""
        trunk, numbers = self.trunk, []
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
            numbers.append(number)
        return numbers

    def _told(self, view: View, low: list[float], high: list[float]) -> Floats:
        """Return the gain, least and most of each child, as the box tells them, [children, 3, utilities]."""
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
        return np.array(rows, np.float64).reshape(-1, utilities, rec.WORTH).swapaxes(1, 2)

    def _fail(self, sentence: str) -> NoReturn:
        raise broken(self.box, self._record, sentence, self._depth)


def _place(draw: ChanceMove) -> int:
    """Return the number of the drawn outcome in the list of outcomes, or NONE."""
    try:
        return list(draw.outcomes or ()).index(draw.outcome)
    except ValueError:
        return NONE
