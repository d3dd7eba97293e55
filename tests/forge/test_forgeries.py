"""Forgeries that were once accepted, claiming far less than the truth: each is rejected where that is possible."""

from __future__ import annotations

from pathlib import Path

import pytest

import hannan as hn
from hannan.certificates.strategies import read_correlated
from hannan.forms.boxes import boxed
from tests.forge.bases import BASES, Base
from tests.forge.forgeries import UNTRUE, Betting, Forgery, chosen_actions, fewer_answers
from tests.forge.kit import LOOSE, Forged, lowered, opened
from tests.forge.truth import tables, true_gap
from tests.reference import grow


def _loose(forgery: Forgery, folder: Path) -> Path:
    """Write a forgery that claims next to nothing: where it is rejected, it is so whatever it claims."""
    forgery.forged.claim(-LOOSE, LOOSE)
    return forgery.forged.write(folder / "forged.certificate")


@pytest.mark.parametrize("name", UNTRUE)
def test_what_the_box_contradicts_is_rejected_with_it(name: str, tmp_path: Path) -> None:
    forgery = UNTRUE[name](tmp_path)
    assert true_gap(grow(forgery.rules), forgery.forged) > 0.4
    for rational in (False, True):
        verdict = hn.verify(_loose(forgery, tmp_path), forgery.box, rational=rational)
        assert not verdict.valid, verdict
        assert verdict.level is None
        assert verdict.reason


@pytest.mark.parametrize("name", ["an outcome that never came", "half a move", "swapped slots"])
def test_what_contradicts_itself_is_rejected_without_a_box(name: str, tmp_path: Path) -> None:
    assert not hn.verify(_loose(UNTRUE[name](tmp_path), tmp_path)).valid


@pytest.mark.slow
@pytest.mark.parametrize("name", ["permuted names", "said to fail", "said to be unseeded"])
def test_what_only_a_box_contradicts_says_what_is_believed(name: str, tmp_path: Path) -> None:
    """Counts, bounds, groups and names are believed without a box, and the verdict says so."""
    forgery = UNTRUE[name](tmp_path)
    verdict = hn.verify(_lowest(forgery.forged, tmp_path))
    assert verdict.level == "arithmetic"
    for word in ("counts", "bounds", "groups", "names"):
        assert word in str(verdict.believed)


def _lowest(forged: Forged, folder: Path) -> Path:
    """Write a forgery with the least claim that is accepted."""
    path = folder / "forged.certificate"

    def gap(changed: Forged) -> float | None:
        verdict = hn.verify(changed.write(path))
        return verdict.gap if verdict.valid else None

    least = lowered(forged, gap)
    assert least is not None, "rejected, whatever it claims"
    return least.write(path)


def test_actions_that_were_chosen_after_a_look_at_the_seeds_replay(tmp_path: Path) -> None:
    """No replay can tell: the verdict says whose choice the actions were. Only a reproduction rejects it."""
    forgery = chosen_actions(tmp_path)
    path = _lowest(forgery.forged, tmp_path)
    verdict = hn.verify(path, forgery.box)
    assert verdict.level == "counts"
    assert verdict.gap is not None
    assert verdict.gap < 0.2 < 0.5 == pytest.approx(true_gap(grow(forgery.rules), forgery.forged))
    assert "the actions were not chosen" in str(verdict.believed)
    again = hn.verify(path, forgery.box, reproduce=True)
    assert not again.valid
    assert "not reproduced" in again.reason


def _rests_on_rounds(folder: Path) -> tuple[Base, Forged]:
    """An honest file whose gap rests on sums over rounds."""
    base = BASES["rounds prove more than counts"](folder / "honest.certificate")
    assert base.forged.facts["rounds"]["of"] == [1]
    return base, base.forged


def test_a_gap_that_rests_on_rounds_is_believed_alone_refused_with_the_box_and_reproduced(tmp_path: Path) -> None:
    """Without the box the verdict names the sums. A replay cannot show them. Reproducing does, and believes no more."""
    base, forged = _rests_on_rounds(tmp_path)
    path = forged.write(tmp_path / "some.certificate")
    for rational in (False, True):
        alone = hn.verify(path, rational=rational)
        assert alone.level == "arithmetic"
        assert alone.gap == pytest.approx(forged.facts["gap"], abs=1e-7)
        assert any("sums over the rounds" in sentence for sentence in alone.believed)
    replayed = hn.verify(path, base.box)
    assert (replayed.valid, replayed.level) == (False, "arithmetic")
    assert "reproduce" in replayed.reason
    again = hn.verify(path, base.game, reproduce=True)
    assert (again.valid, again.level) == (True, "reproduced")
    assert not any("sums over the rounds" in sentence for sentence in again.believed)


@pytest.mark.parametrize("player", [0, 1])
def test_forged_sums_over_rounds_pass_no_replay_and_no_reproduction(player: int, tmp_path: Path) -> None:
    """Low sums claim a gap far below the truth. Alone they are believed by name; with the box nothing rests on them."""
    base, honest = _rests_on_rounds(tmp_path)
    forged = honest.copy()
    forged.arrays[f"rounds{player}"][:] = -1e9 * forged.facts["rounds"]["count"] ** 3
    forged.facts["rounds"]["of"] = [0, 1]
    lower, upper = forged.facts["value_bounds"]
    forged.claim(*((lower, lower + 0.01) if player == 0 else (upper - 0.01, upper)))
    forged.facts["rounds_gap"] = LOOSE
    path = forged.write(tmp_path / "forged.certificate")
    true = true_gap(base.tree, forged)
    assert true > 1.0
    assert any("sums over the rounds" in sentence for sentence in hn.verify(path).believed)
    replayed = hn.verify(path, base.box)
    assert not replayed.valid
    again = hn.verify(path, base.game, reproduce=True)
    assert not again.valid
    assert "not reproduced" in again.reason
    forged.claim(-LOOSE, LOOSE)  # the counts alone: what a replay shows is true
    shown = hn.verify(forged.write(tmp_path / "loose.certificate"), base.box)
    assert shown.level == "counts"
    assert shown.gap is not None
    assert shown.gap >= true


def test_another_game_than_the_replayed_one_is_named(tmp_path: Path) -> None:
    base = BASES["guess"](tmp_path / "honest.certificate")
    forged = base.forged.copy()
    forged.facts["game"] = "chess"
    verdict = hn.verify(forged.write(tmp_path / "forged.certificate"), base.box)
    assert (verdict.game, verdict.replayed_game) == ("chess", base.box.name)
    assert f"in {base.box.name} is at most" in str(verdict)
    assert "The file names another game: chess." in str(verdict)


def test_fewer_hidden_answers_than_the_box_has_are_rejected(tmp_path: Path) -> None:
    forgery = fewer_answers(tmp_path)
    assert not hn.verify(forgery.forged.write(tmp_path / "forged.certificate"), forgery.box).valid


@pytest.mark.slow
@pytest.mark.parametrize("name", BASES)
def test_the_kit_reads_and_writes_what_the_library_does(name: str, tmp_path: Path) -> None:
    """A file that nobody changed is accepted; its names give the strategies that the library reads."""
    base = BASES[name](tmp_path / "honest.certificate")
    again = opened(base.forged.write(tmp_path / "again.certificate"))
    assert again.facts == base.forged.facts
    rests = name == "rounds prove more than counts"
    verdict = hn.verify(tmp_path / "again.certificate", base.game if rests else base.box, reproduce=rests)
    assert verdict.valid, verdict.reason
    assert verdict.level == ("reproduced" if rests else "counts")
    assert float(verdict.gap or 0.0) >= true_gap(base.tree, base.forged)
    if base.game is not None:
        profiles = read_correlated(tmp_path / "again.certificate", base.game)
        assert len(tables(again)) == len(profiles)
        read = [each for each in profiles if isinstance(each, hn.Profile)]
        known = (
            max(hn.evaluate(hn.CorrelatedPlay(read)).gains)
            if again.correlated
            else hn.evaluate(read[0].game, read[0]).nash_conv
        )
        assert true_gap(base.tree, base.forged) == pytest.approx(known, abs=1e-9)


def test_a_seed_tells_the_forger_what_will_come() -> None:
    """The box of the last forgeries: a quarter of its seeds is good, and it keeps its promises."""
    box = Betting()
    good = 0
    for seed in range(4000):
        box.reset(seed * 2654435761 % 2**64)
        good += box.good
    assert good == 1000
    assert boxed(box).box is box
