"""Forged journals: their digests fit, since anyone can compute them, and what they say was never played."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.certificates.journal import Journal, journal_of
from hannan.files import chained
from hannan.forms.boxes import boxed
from tests.certificates.boxes import Lottery

Line = list[Any]
"""Number, seed, choices, moves, and what was shown at new nodes."""

OPEN = Lottery(grouped=True)


class Forge:
    """A checkpoint after two playthroughs, and the journal of the four that followed."""

    def __init__(self, game: Any, folder: Path) -> None:
        self.game, self.path, self.texts = game, folder / "x", list[str]()
        hn.certify(game, playthroughs=2, checkpoint=self.path)
        self.checkpoint = self.path.read_bytes()
        begin = Journal.begin

        def noting(journal: Journal) -> None:
            text = journal_of(self.path).read_text() if journal_of(self.path).exists() else ""
            self.texts.append(text)
            begin(journal)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Journal, "begin", noting)
            hn.certify(game, playthroughs=6, resume=self.path)
        assert [line[0] for line in self.lines()] == [3, 4, 5, 6]

    def lines(self) -> list[Line]:
        return [json.loads(line)[:5] for line in self.texts[-1].splitlines()]

    def resumed(self, lines: list[Line]) -> hn.Certificate:
        """Go on from a journal of these lines, with digests that fit."""
        self.path.write_bytes(self.checkpoint)
        before, text = "", ""
        for line in lines:
            before = chained(before, json.dumps(line))
            text += json.dumps([*line, before]) + "\n"
        journal_of(self.path).write_text(text)
        return hn.certify(self.game, playthroughs=6, resume=self.path)


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Forge:
    return Forge("kuhn_poker", tmp_path_factory.mktemp("kuhn"))


@pytest.fixture(scope="module")
def lottery(tmp_path_factory: pytest.TempPathFactory) -> Forge:
    return Forge(OPEN, tmp_path_factory.mktemp("lottery"))


def test_an_honest_journal_with_new_digests_is_read(kuhn: Forge, lottery: Forge) -> None:
    assert kuhn.resumed(kuhn.lines()).playthroughs == 6
    assert lottery.resumed(lottery.lines()).playthroughs == 6


def change(*path: int | str, to: Any) -> Callable[[Line], None]:
    """Return what replaces one part of a line."""

    def changing(line: Line) -> None:
        part: Any = line
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = to

    return changing


NO_PLAYTHROUGH, UNCOUNTED = "line 1 is not a playthrough of this game", "playthrough 3 cannot be counted"


@pytest.mark.parametrize(
    ("forge", "forgery", "words"),
    [
        ("kuhn", change(1, to=7), "playthrough 3 does not have the seed that the run gives it"),
        ("kuhn", change(1, to="7"), "line 1 is not a playthrough"),
        ("kuhn", change(0, to=2**70), "line 1 is playthrough 1180591620717411303424, where 3 should be"),
        ("kuhn", change(2, 2, to=[5]), rf"{NO_PLAYTHROUGH} \(ValueError: 5 at depth 2 is not one of 2 moves"),
        ("kuhn", change(2, 2, to=[-1]), "-1 at depth 2 is not one of 2 moves"),
        ("kuhn", change(2, 2, to=[True]), "True at depth 2 is not one of 2 moves"),
        ("kuhn", change(2, 2, to=[2**70]), "1180591620717411303424 at depth 2 is not one of 2 moves"),
        ("kuhn", change(2, 2, to=[0, 0]), "2 choices of 1 movers at depth 2"),
        ("kuhn", change(2, 0, to=[0]), "1 choices of 0 movers at depth 0"),
        ("kuhn", change(2, to=[]), "it shows more nodes than its path has|is not a playthrough"),
        ("kuhn", change(2, to="zero"), NO_PLAYTHROUGH),
        ("kuhn", change(3, 0, to=3), "3 at depth 0 is not one of 3 moves"),
        ("kuhn", change(3, 0, to=-1), "-1 at depth 0 is not one of 3 moves"),
        ("kuhn", change(3, 0, to="K"), "'K' at depth 0 is not one of 3 moves"),
        ("kuhn", change(3, to=[]), NO_PLAYTHROUGH),
        ("kuhn", change(3, 2, to=7), "at depth 2"),
        ("kuhn", change(4, to=[]), "what the box showed at depth . is missing"),
        ("kuhn", change(4, to={}), NO_PLAYTHROUGH),
        ("kuhn", change(4, 0, to=[[[[[[]]]]]]), NO_PLAYTHROUGH),
        ("kuhn", change(4, -1, "gains", to=[float("nan"), 0.0]), f"{UNCOUNTED}.*not a finite number"),
        ("kuhn", change(4, -1, "gains", to=[1e300, -1e300]), UNCOUNTED),
        ("kuhn", change(4, -1, "gains", to=[2**70, -(2**70)]), UNCOUNTED),
        ("kuhn", change(4, -1, "gains", to=["1", "-1"]), UNCOUNTED),
        ("kuhn", change(4, -1, "gains", to=[1.0, 1.0]), f"{UNCOUNTED}.*not zero-sum"),
        ("kuhn", change(4, -1, "gains", to=[5.0, -5.0]), f"{UNCOUNTED}.*a utility leaves its bounds"),
        ("kuhn", change(4, -1, "bounds", to=[[1, 2], [-2, -1]]), UNCOUNTED),
        ("kuhn", change(4, -1, "bounds", to=[[2, 1], [-1, -2]]), f"{UNCOUNTED}.*at least 2 and at most 1"),
        ("kuhn", change(4, -1, "movers", to=[0]), NO_PLAYTHROUGH),
        ("lottery", change(3, 0, to=1), "1 is not text"),
        ("lottery", change(3, 0, to="'never drawn'"), "what the box showed at depth 1 is missing|no playthrough"),
    ],
)
def test_a_journal_that_makes_no_sense_is_refused(
    forge: str, forgery: Callable[[Line], None], words: str, request: pytest.FixtureRequest
) -> None:
    forged: Forge = request.getfixturevalue(forge)
    lines = forged.lines()
    forgery(lines[0])
    with pytest.raises(hn.errors.FileError, match=words) as refusal:
        forged.resumed(lines)
    assert str(journal_of(forged.path)) in str(refusal.value)


def test_a_journal_of_plays_that_never_were_is_found_out_by_a_replay(kuhn: Forge, tmp_path: Path) -> None:
    """Nothing that such a journal says is impossible, so the run goes on from it; its counts are not the game's."""
    honest, found = kuhn.resumed(kuhn.lines()), 0
    honest.save(tmp_path / "honest")
    assert hn.verify(tmp_path / "honest", boxed("kuhn_poker").box).valid
    lines = kuhn.lines()
    for number, line in enumerate(lines):
        for other in lines:
            forged = [*lines[:number], [*line[:2], *other[2:]], *lines[number + 1 :]]  # what another seed has drawn
            if other[3] == line[3]:
                continue
            try:
                certificate = kuhn.resumed(forged)
            except hn.errors.FileError:  # nodes that the other playthrough found new are known or missing here
                continue
            certificate.save(tmp_path / "forged")
            assert hn.verify(tmp_path / "forged").valid  # it is consistent; only the game can tell
            verdict = hn.verify(tmp_path / "forged", boxed("kuhn_poker").box)
            assert not verdict.valid
            found += 1
    assert found >= 3
