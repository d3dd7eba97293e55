"""Families of groups of chance nodes, whose distributions differ by at most δ; outcomes are matched by place.

The draws of a family are counted together. Its frequencies p̂ are within ρ of the mean of the distributions that were
drawn from, and a group from which a share f of the draws came is within (1 − f)·δ of that mean. So p̂ is within
ρ + (1 − f)·δ of the distribution of that group. Each group takes its own frequencies, or those of its family, whichever
have the smaller radius (docs/howto/certificates.md derives this).
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from typing import Final, NamedTuple

import numpy as np

from hannan.arrays import Floats, Ints
from hannan.certificates.names import Names
from hannan.rules.box import Similar

NONE: Final = -1

SHARE = 0.5
"""The share of the failure probability for groups if there are families; families have the rest."""


class Families:
    """The families of a trunk in the order of their discovery, and the family of each group."""

    def __init__(self) -> None:
        self.keys = Names()
        self.apart: list[float] = []
        """δ of each family."""
        self.size: list[int] = []
        """The number of outcomes of each group of a family."""
        self._of = array("i")

    def __len__(self) -> int:
        return len(self.apart)

    def of(self, group: int) -> int:
        """Return the family of a group, or NONE."""
        return self._of[group] if group < len(self._of) else NONE

    def find(self, key: Hashable) -> int:
        """Return the family of this name, or NONE."""
        code = self.keys.known(key)
        return NONE if code is None else code

    def told(self, group: int, similar: Similar | None) -> bool:
        """Return whether a node of a known group names the family of the group."""
        family = self.of(group)
        if similar is None or family == NONE:
            return similar is None and family == NONE
        return self.find(similar[0]) == family and self.apart[family] == similar[1]

    def enter(self, group: int, similar: Similar | None, size: int) -> None:
        """Note the family of a new group."""
        self._of.extend([NONE] * (group - len(self._of)))
        family = NONE
        if similar is not None:
            family = self.keys.code(similar[0])
            if family == len(self.apart):
                self.apart.append(float(similar[1]))
                self.size.append(size)
        self._of.append(family)

    def column(self, groups: int) -> Ints:
        """Return the family of each group, [groups]."""
        family = np.full(groups, NONE, np.int32)
        family[: len(self._of)] = self._of
        return family

    def arrays(self, groups: int) -> dict[str, np.ndarray]:
        """Return the arrays for a file, without names."""
        return {"group_family": self.column(groups), "family_apart": np.array(self.apart, np.float64)}

    @classmethod
    def restored(cls, arrays: dict[str, np.ndarray], texts: list[str]) -> Families:
        """Return the families that a file holds; refuse columns that do not fit together."""
        family, apart, size = arrays["group_family"], arrays["family_apart"], arrays["group_size"]
        sound = family.dtype == np.int32 and apart.dtype == np.float64 and family.shape == size.shape
        sound = sound and apart.shape == (len(texts),) and bool(((apart >= 0) & (apart <= 1)).all())
        if not sound or not bool(((family >= NONE) & (family < len(texts))).all()):
            raise ValueError("its families of chance nodes are of another kind")
        families = cls()
        families.keys, families.apart, families._of = Names(texts), apart.tolist(), array("i", family.tolist())
        for number in range(len(texts)):
            sizes = np.unique(size[family == number])
            if len(sizes) != 1 or bool(arrays["group_open"][family == number].any()):
                raise ValueError("a family of chance nodes has no outcomes that can be matched")
            families.size.append(int(sizes[0]))
        return families


class Estimates(NamedTuple):
    """Estimates of chance at one moment."""

    rho: Floats  # [groups]  bounds on the total variation distance of a group's frequencies from the truth
    shares: Floats  # [slots]  the frequencies, the group's own or its family's; the odds if they are known
