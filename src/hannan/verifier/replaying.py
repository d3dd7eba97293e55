"""Playing every playthrough of a certificate again, and counting once more.

Seeds are a fixed function of the master seed and of t, so that whoever made the certificate could not choose them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from hashlib import blake2b
from typing import Any

from hannan.verifier.reader import Arrays
from hannan.verifier.structure import CHANCE, CHOICE, END, LEAF, NONE, Checked, need
from hannan.verifier.verdict import RejectedError

FAILED = "no answer"
"""The outcome of a chance step at which a simulator failed."""
SLACK = 1e-9
"""What sums of gains may be off by rounding, as a share of the largest of them."""


def seed_of(master: int, t: int) -> int:
    """Return the seed of playthrough t: eight bytes of BLAKE2b, little end first."""
    return int.from_bytes(blake2b(f"hannan:{master}:{t}".encode(), digest_size=8).digest(), "little")


def recount(trunk: Checked, arrays: Arrays, facts: dict[str, Any], box: Any) -> int:
    """Play all playthroughs again, compare what the box shows with the trunk, and the counts; return how many."""
    players = int(facts["players"])
    need(box.players == players, f"the box has {box.players} players, and the file is of {players}")
    replay = _Replay(trunk, facts["expansion"], players, facts["range"])
    actions, place = arrays["actions"].tolist(), 0
    failed = dict(arrays["failed"].tolist()) if "failed" in arrays else {}
    for t, length in enumerate(arrays["lengths"].tolist(), 1):
        replay.play(box, seed_of(int(facts["seed"]), t), actions[place : place + length], t, failed.get(t))
        place += length
    if not len(arrays["lengths"]):
        replay.look(box, seed_of(int(facts["seed"]), 1))
    lists = trunk.arrays
    need(replay.counts == lists["slot_count"], "a count is not what the replay counts")
    need(
        all(replay.expanded[node] == (kind != LEAF) for node, kind in enumerate(lists["node_kind"])),
        "a node is expanded that no playthrough came to, or is not that one did",
    )
    return len(arrays["lengths"])


def _told(error: BaseException) -> str:
    """Return an error's kind, and its words where it has any that can be had."""
    try:
        return f"{type(error).__name__}: {error}"
    except (Exception, SystemExit):
        return type(error).__name__


class _Same:
    """Things that are equal have one number, and things that are not have different ones."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, Any] = {}
        self._things: dict[Any, Hashable] = {}

    def agree(self, thing: Hashable, number: Any) -> bool:
        return self._numbers.setdefault(thing, number) == number and self._things.setdefault(number, thing) == thing


class _Replay:
    """One pass over the playthroughs of a certificate."""

    def __init__(self, trunk: Checked, expansion: str, players: int, given: list[float] | None) -> None:
        need(expansion in ("path", "first"), f"the expansion {expansion!r} is not known")
        self.trunk = trunk
        self.lists, self.first_only, self.players = trunk.arrays, expansion == "first", players
        self.counts = [0] * len(self.lists["slot_count"])
        self.expanded = [False] * len(self.lists["node_kind"])
        self._children: dict[tuple[int, int], int] = {}
        lists = self.lists
        for node in range(1, len(lists["node_parent"])):
            above = lists["node_parent"][node]
            late = lists["node_kind"][above] == CHANCE and lists["group_open"][lists["node_group"][above]]
            self._children[above, lists["node_slot" if late else "node_move"][node]] = node
        nothing = [(-math.inf, math.inf)] * trunk.utilities
        self._believed: list[list[tuple[float, float]]] = [nothing] * len(lists["node_parent"])
        """What the views above leave of all that each player can gain from each node on."""
        if given is not None:
            self._believed[0] = [(given[0], given[1])] * trunk.utilities
        self._observations, self._menus, self._keys = _Same(), _Same(), _Same()
        self._family: dict[int, list[tuple[tuple[int, int], int]]] = {n: [] for n in range(len(lists["node_parent"]))}
        for key, child in self._children.items():
            self._family[key[0]].append((key, child))
        self._met = [False] * len(lists["group_size"])
        self._codes: dict[Hashable, int] = {}
        pairs = zip(self.lists["slot_group"], self.lists["slot_outcome"], strict=True)
        self._slots = {pair: slot for slot, pair in enumerate(pairs)}

    def play(self, box: Any, seed: int, actions: list[int], t: int, failed: int | None) -> None:
        """Play once more with the actions that were taken.

        After `failed` steps the box is said to have given no answer. That is believed: it moves a count to an outcome
        that is worth the least that there can be.
        """
        where = f"playthrough {t}"
        try:
            view, node, used, new, depth = box.reset(seed), 0, 0, False, 0
            while True:
                if self.lists["node_kind"][node] == LEAF or (new and self.first_only):
                    return
                first_time = not self.expanded[node]
                new = new or first_time
                self.expanded[node] = True
                self._compare(node, view, first_time, where)
                if self.lists["node_kind"][node] == END:
                    need(used == len(actions), f"{where}: play ended, and more actions are written down")
                    return
                choice = actions[used : used + len(view.movers)]
                need(len(choice) == len(view.movers), f"{where}: play goes on, and no more actions are written down")
                used += len(choice)
                need(
                    all(0 <= k < len(menu) for k, menu in zip(choice, view.actions, strict=True)),
                    f"{where}: an action is written down that there is not",
                )
                if depth == failed:
                    need(view.draw is not None, f"{where}: no answer where chance does not move")
                    view = view._replace(draw=view.draw._replace(outcome=FAILED))
                node = self._next(node, view, choice, where)
                if depth == failed:
                    need(used == len(actions), f"{where}: there was no answer, and more actions are written down")
                    need(self.lists["node_kind"][node] == LEAF, f"{where}: no answer is worth something")
                    return
                depth += 1
                view = box.step(tuple(menu[k] for menu, k in zip(view.actions, choice, strict=True)))
        except RejectedError:
            raise
        except (Exception, SystemExit) as error:
            raise RejectedError(f"{where}: the box raised {_told(error)}") from error

    def look(self, box: Any, seed: int) -> None:
        """Refuse bounds of the root that are narrower than what the box tells, where nothing was played."""
        try:
            view = box.reset(seed)
            self._zero_sum(view, "the root")
            believed = self._believed[0]
            if view.bounds is not None:
                believed = [
                    self._meet(some, utility, float(view.gains[utility]), view.bounds)
                    for utility, some in enumerate(believed)
                ]
        except RejectedError:
            raise
        except (Exception, SystemExit) as error:
            raise RejectedError(f"the root: the box raised {_told(error)}") from error
        self._no_narrower(0, believed, "the root")

    def _zero_sum(self, view: Any, where: str) -> None:
        if self.players == 2 and self.trunk.utilities == 1:
            first, second = float(view.gains[0]), float(view.gains[1])
            rounding = SLACK * max(1.0, abs(first), abs(second))
            need(abs(first + second) <= rounding, f"{where}: gains are not zero-sum, and the file says that they are")

    def _compare(self, node: int, view: Any, new: bool, where: str) -> None:
        """Refuse a view that is not what the file says of the node."""
        lists, kind = self.lists, self.lists["node_kind"][node]
        self._zero_sum(view, where)
        shown = CHANCE if view.draw is not None else CHOICE if view.movers else END
        need(kind == shown, f"{where}: another kind of node than in the file")
        for utility in range(self.trunk.utilities):
            same = float(view.gains[utility]) == self.trunk.of("gain", utility)[node]
            need(same, f"{where}: another gain than in the file")
        if new:
            self._bounds(node, view, where)
            self._odds(node, view, where)
        movers = [player for player in range(self.trunk.seats) if lists[f"node_set{player}"][node] != NONE]
        need(movers == list(view.movers), f"{where}: other movers than in the file")
        for player, seen, menu in zip(view.movers, view.observations, view.actions, strict=True):
            number = lists[f"node_set{player}"][node]
            code, known = lists[f"set{player}_observation"][number], lists[f"set{player}_menu"][number]
            need(self._observations.agree(seen, code), f"{where}: another observation than in the file")
            need(
                len(menu) == lists[f"set{player}_size"][number] and self._menus.agree(tuple(menu), known),
                f"{where}: other actions than in the file",
            )

    def _odds(self, node: int, view: Any, where: str) -> None:
        """Refuse other odds than those that the box tells, of outcomes that never came too."""
        if view.draw is None or view.draw.odds is None:
            return
        for _, child in self._family[node]:
            weight = self.lists["slot_odds"][self.lists["node_slot"][child]]
            need(weight == view.draw.odds[self.lists["node_move"][child]], f"{where}: other odds than in the file")

    def _bounds(self, node: int, view: Any, where: str) -> None:
        """What the file believes of gains to come may be wider than what the box says, and no narrower."""
        left = []
        for utility, (low, high) in enumerate(self._believed[node]):
            gain = float(view.gains[utility])
            low, high = low - gain, high - gain
            if not view.movers and view.draw is None:
                low, high = max(low, 0.0), min(high, 0.0)
            if view.bounds is not None:
                low, high = self._meet((low, high), utility, 0.0, view.bounds)
            rounding = SLACK * max(1.0, abs(low), abs(high))
            need(low <= high + rounding, f"{where}: player {utility} gains {gain:g}, which leaves its bounds")
            left.append((low, high))
        self._no_narrower(node, left, where)
        for (above, move), child in self._family[node]:
            del above
            self._believed[child] = left
            if view.children is not None:
                gains, bounds = view.children[move]
                self._believed[child] = [
                    self._meet(some, utility, float(gains[utility]), bounds) for utility, some in enumerate(left)
                ]
            if self.lists["node_kind"][child] == LEAF:
                self._no_narrower(child, self._believed[child], where)

    def _meet(self, left: tuple[float, float], utility: int, gain: float, bounds: Any) -> tuple[float, float]:
        low, high = bounds[utility]
        if self.players == 2 and self.trunk.utilities == 1:
            low, high = max(low, -bounds[1][1]), min(high, -bounds[1][0])
        return max(left[0], gain + low), min(left[1], gain + high)

    def _no_narrower(self, node: int, believed: list[tuple[float, float]], where: str) -> None:
        for utility, (low, high) in enumerate(believed):
            least, most = self.trunk.of("low", utility)[node], self.trunk.of("high", utility)[node]
            slack = SLACK * max(1.0, abs(least), abs(most))
            need(least <= low + slack and most >= high - slack, f"{where}: narrower bounds than the box tells")

    def _next(self, node: int, view: Any, choice: list[int], where: str) -> int:
        lists = self.lists
        if view.draw is None:
            move = 0
            for menu, k in zip(view.actions, choice, strict=True):
                move = move * len(menu) + k
            return int(self._children[node, move])
        group = lists["node_group"][node]
        draw = view.draw
        key = ("node", node) if draw.group is None else ("group", draw.group)
        need(self._keys.agree(key, group), f"{where}: another group of chance than in the file")
        if not self._met[group]:
            need(group == sum(self._met), f"{where}: chance groups are not numbered in the order of their discovery")
            self._met[group] = True
        need(bool(lists["group_known"][group]) == (draw.odds is not None), f"{where}: other odds than in the file")
        if draw.outcomes is None:
            need(lists["group_open"][group] and draw.most == lists["group_size"][group], f"{where}: other outcomes")
            child = self._late(node, draw.outcome, where)
        else:
            need(len(draw.outcomes) == lists["group_size"][group], f"{where}: other outcomes than in the file")
            child = int(self._children[node, list(draw.outcomes).index(draw.outcome)])
            if draw.odds is not None:
                weight = lists["slot_odds"][lists["node_slot"][child]]
                need(weight == draw.odds[lists["node_move"][child]], f"{where}: other odds than in the file")
        self.counts[lists["node_slot"][child]] += 1
        return child

    def _late(self, node: int, outcome: Hashable, where: str) -> int:
        """Return the child of an open chance node for an outcome; outcomes are numbered as they come."""
        code = self._codes.setdefault(outcome, len(self._codes))
        slot = self._slots.get((self.lists["node_group"][node], code), NONE)
        need((node, slot) in self._children, f"{where}: chance drew what is not in the file")
        return int(self._children[node, slot])
