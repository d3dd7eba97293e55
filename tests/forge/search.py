"""A search for forgeries: mutate honest files with knowledge of their meaning, claim the least, and compare.

A changed file ends `rejected`; as `arithmetic`, accepted without the box and rejected with it; or as `counts`, accepted
with the box. It is a finding where a verifier accepts it, and

- `false`: with the box, although the true gap, by enumeration, is above the claim;
- `unsound`: although the auditor says that no certification writes such a file;
- `too low`: although a larger gap than the claimed one follows from it;
- `not replayed`: with a box that repeats itself, and without having replayed it;

or where it `raised` anything but a sentence.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import hannan as hn
from hannan.errors import HannanError, UnsuitableError
from hannan.verifier import verify
from tests.forge.auditor import UnsoundError, audited
from tests.forge.bases import BASES, Base
from tests.forge.counts import COUNTS
from tests.forge.edits import repair
from tests.forge.kit import LOOSE, Forged, opened
from tests.forge.lies import LIES, Liar
from tests.forge.pseudogame import Pseudogame
from tests.forge.shapes import SHAPES, Mutation, pure
from tests.forge.truth import true_gap
from tests.forge.words import WORDS

MUTATIONS: tuple[Mutation, ...] = (*SHAPES, *COUNTS, *WORDS)
SLACK = 1e-7
"""How far a claim may be below a gap by rounding, as a share of what there is to gain."""

LYING = 21
"""One file of so many is honestly made of a box that lies: that takes longer than changing a file."""

SURE = 0.9
"""A file that promises less than this may well be wrong, and says so."""

NONSENSE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What comes of changing further what makes no sense any more."""


class Search:
    """Mutated files, by number, and what came of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = cache(self._base)

    def _base(self, name: str) -> Base:
        return BASES[name](self.folder / "honest.certificate")

    def mutated(self, number: int) -> tuple[str, Forged]:
        """Return the file of a number, and the name of the honest file that it was."""
        draw = random.Random(number)
        name = draw.choice(list(BASES))
        if number % LYING == 0:
            return name, self._lied(draw, name)
        forged = self.base(name).forged.copy()
        if draw.random() < 0.5:  # a strategy that is far from an equilibrium: a lie has more to hide
            pure(draw, forged)
        many = draw.choice([1, 1, 2, 2, 3])
        while len(forged.said) < many:
            changed = forged.copy()
            try:
                said = draw.choice(MUTATIONS)(draw, changed)
            except NONSENSE:
                continue
            if said is not None:
                forged = changed
                forged.said.append(said)
        if draw.random() < 0.7:
            changed = forged.copy()
            with suppress(*NONSENSE):
                repair(changed)
                forged = changed
        with suppress(*NONSENSE):  # the claims may be what was changed
            forged.claim(-LOOSE, LOOSE)
        return name, forged

    def _lied(self, draw: random.Random, name: str) -> Forged:
        """Return the certificate of a box that lies, said to be of the true one."""
        base, path = self.base(name), self.folder / "lie.certificate"
        lie, facts = draw.choice(LIES), base.forged.facts
        options = {**base.options, "seed": draw.choice([facts["seed"], 1, 2])}
        with suppress(UnsuitableError):
            hn.certify(Liar(base.box, lie, draw.randrange(2**20)), **options).save(path)
            forged = opened(path)
            forged.facts |= {part: facts[part] for part in ("game", "groups", "bounds", "children")}
            forged.said.append(f"a lie about {lie}")
            if draw.random() < 0.5:
                pure(draw, forged)
            forged.claim(-LOOSE, LOOSE)
            return forged
        return base.forged.copy()  # of gains that are not zero-sum there is no certificate

    def attempt(self, number: int) -> tuple[str, str]:
        """Return how the file of a number ends, and what there is to say."""
        return self.judged(*self.mutated(number))

    def judged(self, name: str, forged: Forged) -> tuple[str, str]:
        """Return how a changed file of a base ends, and what there is to say."""
        path = forged.write(self.folder / "forged.certificate")
        base = self.base(name)
        try:
            verdict = verify(path)
            replayed = verify(path, base.box) if verdict.valid else verdict
        except HannanError as error:
            return "rejected", str(error)
        except Exception as error:
            return "raised", f"{type(error).__name__}: {error}"
        if not verdict.valid:
            return "rejected", verdict.reason
        slack = SLACK * scale(forged)
        if replayed.valid:
            found = _compared(base, forged, replayed, slack)
            if found is not None:
                return found
        try:
            audited(forged)
        except UnsoundError as error:
            return "unsound", f"{error}; claimed {verdict.gap:.6g}"
        follows = Pseudogame(forged).gap()
        if not float(verdict.gap or 0.0) >= follows - slack:
            return "too low", f"claimed {verdict.gap:.6g}, {follows:.6g} follows"
        if forged.facts.get("rounds") is not None:
            lower = forged.copy()
            lower.facts["rounds_gap"] = Pseudogame(forged).rounds_gap() - slack
            if verify(lower.write(path)).valid:
                return "too low", f"rounds claim {lower.facts['rounds_gap']:.6g}, and more follows"
        return ("counts", "") if replayed.valid else ("arithmetic", replayed.reason)

    def case(self, name: str, forged: Forged) -> dict[str, Any]:
        """Return what tells a changed file from its honest one, as JSON can hold it."""
        base = self.base(name).forged
        arrays: dict[str, Any] = {
            key: [array.dtype.name, list(array.shape), array.reshape(-1).tolist()]
            for key, array in forged.arrays.items()
            if key not in base.arrays or not _alike(array, base.arrays[key])
        }
        arrays |= dict.fromkeys(base.arrays.keys() - forged.arrays.keys())
        facts = {key: fact for key, fact in forged.facts.items() if key not in base.facts or fact != base.facts[key]}
        gone = sorted(base.facts.keys() - forged.facts.keys())
        return {
            "base": name,
            "arrays": arrays,
            "facts": facts,
            "gone": gone,
            "twice": forged.twice,
            "said": forged.said,
        }

    def recalled(self, case: Mapping[str, Any]) -> Forged:
        """Return the changed file that a case of the corpus tells of."""
        forged = self.base(case["base"]).forged.copy()
        for key, told in case["arrays"].items():
            if told is None:
                del forged.arrays[key]
            else:
                kind, shape, numbers = told
                forged.arrays[key] = np.array(numbers, kind).reshape(shape)
        forged.facts |= json.loads(json.dumps(case["facts"]))
        for key in case["gone"]:
            forged.facts.pop(key, None)
        forged.twice = list(case["twice"])
        return forged


FINDINGS = ("false", "unsound", "too low", "not replayed", "raised")


def _compared(base: Base, forged: Forged, verdict: Any, slack: float) -> tuple[str, str] | None:
    """Compare a file that was accepted with its box with the truth; None where nothing is wrong.

    A file may state bounds on all that can be gained. No box can confirm them, and verdicts say that they are believed.
    """
    if verdict.level != "counts":
        return "not replayed", f"{verdict.level}: {verdict.reason}"
    try:
        truth = true_gap(base.tree, forged)
    except NONSENSE as error:
        return "unsound", f"it cannot be read: {type(error).__name__}: {error}"
    whole = forged.facts["range"] == base.forged.facts["range"] or forged.facts["range"] is None
    if verdict.gap < truth - slack and forged.facts["confidence"] >= SURE and whole:
        return "false", f"claimed {verdict.gap:.6g}, true {truth:.6g}"
    return None


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def scale(forged: Forged) -> float:
    """Return how large gains and bounds are."""
    largest = 1.0
    for name, array in forged.arrays.items():
        if name.startswith(("node_gain", "node_low", "node_high")):
            largest = max(largest, float(np.nanmax(np.abs(array), initial=0.0)))
    return largest if math.isfinite(largest) else 1.0
