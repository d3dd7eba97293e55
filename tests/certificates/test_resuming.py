"""Checkpoints and journals: a run that was stopped, however rudely, goes on to the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.certificates.files import counted
from hannan.certificates.journal import journal_of
from hannan.certificates.strategies import fixed
from hannan.forms.boxes import boxed
from hannan.holds import held
from tests.certificates.boxes import Bandit, Lottery
from tests.forge.games import Small

GAMES: dict[str, tuple[object, dict[str, object]]] = {
    "kuhn": ("kuhn_poker", {}),
    "kuhn, lp": ("kuhn_poker", {"method": "lp"}),
    "goofspiel, groups": ("goofspiel(cards=3)", {"groups": "rules", "expansion": "first"}),
    "similar chance nodes": ("leduc_poker(merge_suits=true)", {"groups": "history", "similar": True}),
    "children told": ("kuhn_poker", {"children": True}),
    "open outcomes": (Lottery(grouped=True), {}),
    "a bandit": (Bandit(sure=(0.5,), risky=(0.4, 0.6)), {}),
}


def same(one: hn.Certificate, other: hn.Certificate) -> None:
    assert one.work is not None
    assert other.work is not None
    assert (one.gap, one.guarantees, one.playthroughs, one.trunk) == (
        other.gap,
        other.guarantees,
        other.playthroughs,
        other.trunk,
    )
    mine, theirs = counted(one.work), counted(other.work)
    assert set(mine) == set(theirs)
    for name in mine:
        assert np.array_equal(mine[name], theirs[name], equal_nan=mine[name].dtype.kind == "f"), name


@pytest.mark.parametrize("case", GAMES)
def test_a_stopped_run_goes_on_to_the_same_bits(case: str, tmp_path: Path) -> None:
    game, options = GAMES[case]
    path = tmp_path / "some.checkpoint"
    whole = hn.certify(game, playthroughs=450, solve_every=100, **options)  # type: ignore[arg-type]
    hn.certify(game, playthroughs=230, solve_every=100, checkpoint=path, **options)  # type: ignore[arg-type]
    again = hn.certify(game, playthroughs=450, solve_every=100, resume=path, **options)  # type: ignore[arg-type]
    same(whole, again)
    again.save(tmp_path / "some.certificate")
    told = {key: options[key] for key in ("groups", "children", "similar") if key in options}
    assert hn.verify(tmp_path / "some.certificate", boxed(game, **told).box).valid  # type: ignore[arg-type]


@pytest.mark.parametrize("case", GAMES)
def test_the_journal_alone_brings_back_every_playthrough(case: str, tmp_path: Path) -> None:
    """The checkpoint is the one of the beginning; the last line of the journal is cut in two."""
    game, options = GAMES[case]
    path, first = tmp_path / "some.checkpoint", tmp_path / "first.checkpoint"
    hn.certify(game, playthroughs=0, solve_every=100, checkpoint=first, **options)  # type: ignore[arg-type]

    from hannan.certificates import journal
    from hannan.runs.certification import Certifying

    begun = Certifying.save
    saves: list[object] = []

    def once(self: Certifying, checkpoint: str, facts: dict[str, object]) -> None:
        if not saves:
            begun(self, checkpoint, facts)
        saves.append(checkpoint)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Certifying, "save", once)
        hn.certify(game, playthroughs=230, solve_every=100, checkpoint=path, **options)  # type: ignore[arg-type]
    text = journal_of(path).read_text()
    assert len(text.splitlines()) == 230
    journal_of(path).write_text(text[:-20])
    whole = hn.certify(game, playthroughs=450, solve_every=100, **options)  # type: ignore[arg-type]
    again = hn.certify(game, playthroughs=450, solve_every=100, resume=path, **options)  # type: ignore[arg-type]
    assert journal.journal_of(path).is_file()
    same(whole, again)


def test_kill_minus_nine_loses_only_the_playthrough_under_way(tmp_path: Path) -> None:
    path = tmp_path / "some.checkpoint"
    code = f"import hannan as hn; hn.certify('kuhn_poker', seconds=600, solve_every=50, checkpoint={str(path)!r})"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if journal_of(path).is_file() and journal_of(path).read_text().count("\n") >= 300:
                break
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
    lines = journal_of(path).read_text().count("\n")
    assert lines >= 300
    resumed = hn.certify("kuhn_poker", playthroughs=0, solve_every=50, resume=path)
    assert resumed.playthroughs == lines
    same(resumed, hn.certify("kuhn_poker", playthroughs=lines, solve_every=50))


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.checkpoint"
    hn.certify("kuhn_poker", playthroughs=10, checkpoint=path)
    with pytest.raises(hn.errors.MismatchError, match="seed=0"):
        hn.certify("kuhn_poker", playthroughs=20, resume=path, seed=1)
    with pytest.raises(hn.errors.MismatchError, match="box"):
        hn.certify("leduc_poker", playthroughs=20, resume=path)
    path.write_bytes(b"nothing")
    with pytest.raises(hn.errors.FileError):
        hn.certify("kuhn_poker", playthroughs=20, resume=path)


def test_two_runs_cannot_write_one_checkpoint(tmp_path: Path) -> None:
    """The second is refused before it touches the checkpoint; once the first has ended, it may."""
    hn.certify("kuhn_poker", playthroughs=5, checkpoint=tmp_path / "x")
    before = (tmp_path / "x").read_bytes()
    with held(tmp_path / "x"):
        for words in ({"checkpoint": tmp_path / "x"}, {"resume": tmp_path / "x"}):
            with pytest.raises(hn.errors.FileError, match="is being written by a run that is under way"):
                hn.certify("kuhn_poker", playthroughs=5, **words)  # type: ignore[arg-type]
    assert (tmp_path / "x").read_bytes() == before
    hn.certify("kuhn_poker", playthroughs=9, resume=tmp_path / "x")


def test_a_given_strategy_of_plain_rules_stays_what_it_is_after_a_resume(tmp_path: Path) -> None:
    """A checkpoint names observations by their texts, and the strategy must be found by them."""
    rules, checkpoint = Small(162141, 2, zero_sum=True), tmp_path / "some.checkpoint"
    given = hn.random_profile(rules, seed=3)
    whole = hn.certify(rules, strategy=given, playthroughs=60, solve_every=1, method="cfr").work
    hn.certify(rules, strategy=given, playthroughs=30, solve_every=1, method="cfr", checkpoint=checkpoint)
    resumed = hn.certify(rules, strategy=given, resume=checkpoint, playthroughs=30).work
    again = hn.certify(rules, strategy=given, resume=checkpoint, playthroughs=60).work
    assert whole is not None
    assert resumed is not None
    assert again is not None
    policy = hn.Policy.of_profile(given)
    for player, strategy in enumerate(fixed(policy)(resumed.trunk)):
        assert np.array_equal(strategy, resumed.kept[player])
        assert len(strategy) == 1 or not np.allclose(strategy[1:], 0.5)
    assert list(whole.actions) == list(again.actions)
    for player in (0, 1):
        assert np.array_equal(whole.kept[player], again.kept[player])
        assert np.array_equal(whole.kept[player][: len(resumed.kept[player])], resumed.kept[player])
