"""Algorithm 7.2: the same bits by every way to play, bounds that are true, and files that go on and are checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certification import Bound, Certification
from hannan.certificates.choice import certification
from hannan.certificates.correlated import Correlating
from hannan.certificates.files import counted
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.strategies import strategy_of
from hannan.forms.boxes import boxed
from tests.certificates.boxes import Bandit, Lottery
from tests.certificates.test_resuming import same
from tests.certificates.test_soundness import game_is_false
from tests.games.plain import Kuhn

SLACK = 1e-9

ALIKE: dict[str, tuple[str, dict[str, Any], type[Regretting]]] = {
    "kuhn": ("kuhn_poker", {}, Regretting),
    "known odds": ("kuhn_poker", {"groups": "known"}, Regretting),
    "two numbers": ("kuhn_poker", {"bounds": (-2.0, 3.0)}, Regretting),
    "leduc, groups by history": ("leduc_poker", {"groups": "history"}, Regretting),
    "joint moves, groups of the rules": ("goofspiel(cards=3)", {"groups": "rules"}, Regretting),
    "three players": ("kuhn_poker(players=3)", {"groups": "history"}, Correlating),
    "general sum": ("sheriff", {}, Correlating),
}


@pytest.mark.parametrize("case", ALIKE)
def test_compiled_playthroughs_and_slow_ones_give_the_same_bits(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, options, kind = ALIKE[case]
    bounds = options.get("bounds")
    quick = kind(boxed(game, **options).box, seed=7, bounds=bounds)
    quick.advance(150)
    quick.advance(250)
    assert quick.quick is not None
    monkeypatch.setattr(Regretting, "_compiled", lambda _: None)
    slow = kind(boxed(game, **options).box, seed=7, bounds=bounds)
    slow.advance(400)
    assert quick.bound().gap == slow.bound().gap
    one, other = counted(quick), counted(slow)
    assert one.keys() == other.keys()
    for name in one:
        assert np.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f"), name
    assert quick.trunk.names() == slow.trunk.names()
    assert quick.uncertainty == slow.uncertainty


@pytest.mark.parametrize("equilibrium", ["nash", "cce"])
def test_compiled_rules_that_break_a_promise_are_named_as_ever(
    equilibrium: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds of 1 where 2 can be gained: the kernel stops before that playthrough, and Python says what is wrong."""
    options: dict[str, Any] = {"bounds": (-1, 1), "method": "mccfr", "playthroughs": 500, "equilibrium": equilibrium}
    quick = hn.certify("kuhn_poker", **options)
    monkeypatch.setattr(Regretting, "_compiled", lambda _: None)
    slow = hn.certify("kuhn_poker", **options)
    assert quick.stop == slow.stop == "failed"
    assert "leaves its bounds" in quick.failure
    assert (quick.failure, quick.playthroughs, quick.gap) == (slow.failure, slow.playthroughs, slow.gap)


def test_plain_rules_give_the_same_certificate_as_compiled_ones() -> None:
    one = hn.certify("kuhn_poker", playthroughs=300, bounds=(-2, 2), method="mccfr")
    other = hn.certify(Kuhn(), playthroughs=300, bounds=(-2, 2), method="mccfr")
    assert one.gap == other.gap
    assert isinstance(one.strategy, hn.Profile)
    assert isinstance(other.strategy, hn.Profile)
    for mine, theirs in zip(one.strategy.strategies, other.strategy.strategies, strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mccfr", "online-cfr", "online-cfr+", "online-pcfr+"])
def test_no_bound_is_false(method: str) -> None:
    """25 runs of 600 playthroughs at δ = 0.1 on Kuhn poker: 2.5 may fail; 10 would in 1 of 10,000 tests."""
    told = boxed("kuhn_poker")
    false = game_is_false(told.game)
    failures = 0
    for seed in range(25):
        work = Regretting(told.box, method=method, every=150, confidence=Confidence("anytime", 0.9), seed=seed)
        failures += _failed(work, 600, false)
    assert failures <= 9


def _failed(work: Certification, playthroughs: int, false: Callable[[Any, Bound], bool]) -> bool:
    while work.playthroughs < playthroughs:
        work.advance(150)
        if false(work, work.bound()):
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "groups"),
    [
        ("kuhn_poker(players=3)", "none"),
        ("kuhn_poker(players=3)", "known"),
        ("random_game(seed=3,chance=2,payoffs=general_sum)", "none"),
    ],
)
def test_no_gap_of_correlated_play_is_false(game: str, groups: Any) -> None:
    """20 runs at δ = 0.1, 3 players and general sum: 2 may fail; 9 would in 1 of 10,000 tests."""
    told = boxed(game, groups=groups)
    failures = 0
    for seed in range(20):
        work = Correlating(told.box, every=200, confidence=Confidence("anytime", 0.9), seed=seed)
        failures += _failed(work, 400, _joint_is_false(told.game))
    assert failures <= 8


def _joint_is_false(game: hn.Game) -> Callable[[Any, Bound], bool]:
    """Compare with the gains of the best deviations from the same correlated play in the true game."""

    def false(work: Correlating, bound: Bound) -> bool:
        assert bound.gaps is not None
        for joint, gaps in ((work.chosen, bound.gaps), (work.joint, work._gaps(work.sweep(), work.joint))):
            profiles = [strategy_of(game, work.trunk, work.trunk.extended(each), {}) for each in joint]
            true = hn.evaluate(hn.CorrelatedPlay(profiles)).gains
            if any(gain > gap + SLACK for gain, gap in zip(true, gaps, strict=True)):
                return True
        return False

    return false


@pytest.mark.slow
def test_half_of_the_radius_shows_on_a_bandit() -> None:
    """The tests above see a wrong radius: on a bandit at δ = 0.01 with half of ρ, more than 10 of 300 runs fail."""
    box = Bandit(risky=(0.6,))

    def failures(scale: float) -> int:
        count = 0
        for seed in range(300):
            work = Regretting(box, every=1, confidence=Confidence("anytime", 0.99), seed=seed, scale=scale)
            for _ in range(20):
                work.advance(1)
                bound = work.bound()
                if not bound.lower - SLACK <= 0.6 <= bound.upper + SLACK:
                    count += 1
                    break
        return count

    assert failures(1.0) <= 3
    assert failures(0.5) >= 10


def test_with_known_chance_the_gap_of_correlated_play_shrinks() -> None:
    """Three-player Kuhn poker, chance known: below 0.2 after 3,000 playthroughs, and true (range of payoffs: 6)."""
    certificate = hn.certify("kuhn_poker(players=3)", groups="known", playthroughs=3000, check=True)
    assert certificate.method == "mccfr"
    assert "Algorithm 7.2" in certificate.why
    assert certificate.gaps is not None
    assert certificate.true_gap is not None
    assert certificate.true_gap <= certificate.gap == max(certificate.gaps) <= 0.2


def test_a_pair_of_strategies_that_is_no_equilibrium_is_certified_as_such() -> None:
    """Given strategies of three players: the gaps are above the true gains, and not by much where chance is known."""
    profile = hn.uniform("kuhn_poker(players=3)")
    gains = hn.evaluate("kuhn_poker(players=3)", profile).gains
    certificate = hn.certify("kuhn_poker(players=3)", groups="known", strategy=profile, playthroughs=2000)
    assert certificate.gaps is not None
    for true, proven in zip(gains, certificate.gaps, strict=True):
        assert true <= proven <= true + 0.5


@pytest.mark.parametrize("method", ["mccfr", "online-cfr+"])
def test_the_uncertainty_is_below_its_bound(method: str) -> None:
    """Theorem 5.5, on a bandit and on Kuhn poker."""
    for box in (Bandit(sure=(0.5,), risky=(0.6, 0.4)), boxed("kuhn_poker").box):
        work = Regretting(box, method=method, every=500, confidence=Confidence("paper"), seed=1)
        work.advance(1000)
        assert 0.0 < work.uncertainty <= work.uncertainty_bound


FILES: dict[str, tuple[Any, dict[str, Any]]] = {
    "mccfr": ("kuhn_poker", {"method": "mccfr"}),
    "mccfr, groups": ("goofspiel(cards=3)", {"method": "mccfr", "groups": "rules"}),
    "mccfr, plain, children told": ("kuhn_poker", {"method": "mccfr", "children": True}),
    "mccfr, history": ("leduc_poker", {"method": "mccfr", "groups": "history", "radius": "paper"}),
    "mccfr, open outcomes": (Lottery(grouped=True), {"method": "mccfr"}),
    "cfr": ("kuhn_poker", {"method": "online-cfr"}),
    "pcfr+": ("kuhn_poker", {"method": "online-pcfr+", "expansion": "first"}),
    "three players": ("kuhn_poker(players=3)", {"groups": "known"}),
    "three players, full width": ("kuhn_poker(players=3)", {"method": "online-cfr+", "iterates": 4}),
    "general sum": ("matrix_game(payoffs=[[[2,2],[0,3]],[[3,0],[1,1]]])", {"equilibrium": "cce"}),
    "correlated, zero-sum": ("kuhn_poker", {"equilibrium": "cce"}),
}


@pytest.mark.parametrize("case", FILES)
def test_a_stopped_run_goes_on_to_the_same_bits_and_is_valid(case: str, tmp_path: Path) -> None:
    """Resuming takes the options from the file; floats, fractions and the replay agree with what is claimed."""
    game, options = FILES[case]
    path, out = tmp_path / "some.checkpoint", tmp_path / "some.certificate"
    whole = hn.certify(game, playthroughs=350, **options)
    hn.certify(game, playthroughs=130, checkpoint=path, **options)
    again = hn.certify(None if isinstance(game, str) else game, playthroughs=350, resume=path)
    same(whole, again)
    again.save(out)
    told = {key: options[key] for key in ("groups", "children") if key in options}
    for verdict in (hn.verify(out), hn.verify(out, rational=True), hn.verify(out, boxed(game, **told).box)):
        assert verdict.valid, verdict.reason
        assert verdict.gap is not None
        assert verdict.gap <= again.gap
        assert verdict.gap == pytest.approx(again.gap, abs=1e-8)


def test_looking_at_correlated_play_before_its_first_measurement_changes_nothing(tmp_path: Path) -> None:
    """Uniform play, which a look then shows, is no candidate later: stopped, resumed and made again it is the same."""
    game, path, out = "random_game(seed=5)", tmp_path / "some.checkpoint", tmp_path / "some.certificate"
    options: dict[str, Any] = {
        "equilibrium": "cce",
        "iterates": 3,
        "radius": "paper",
        "groups": "known",
        "bounds": "exact",
    }
    options["seed"] = 2**40
    whole = hn.certify(game, playthroughs=20, **options)
    hn.certify(game, playthroughs=7, checkpoint=path, **options)
    again = hn.certify(playthroughs=20, resume=path)
    same(whole, again)
    again.save(out)
    assert hn.verify(out, game, reproduce=True).level == "reproduced"


def test_correlated_play_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "some.certificate"
    certificate = hn.certify("kuhn_poker(players=3)", groups="known", playthroughs=500, check=True)
    certificate.save(path)
    read = hn.read(path)
    assert len(read.members()) == len(certificate.joint)
    assert max(hn.evaluate(read).gains) == certificate.true_gap


def test_options_that_differ_from_the_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.checkpoint"
    hn.certify("kuhn_poker", playthroughs=20, seed=3, groups="history", method="mccfr", checkpoint=path)
    assert hn.certify(resume=path, playthroughs=30).seed == 3
    for wrong in ({"groups": "none"}, {"seed": 1}, {"method": "lp"}, {"radius": "paper"}):
        with pytest.raises(hn.errors.MismatchError, match=next(iter(wrong))):
            hn.certify(resume=path, playthroughs=30, **wrong)
    with pytest.raises(hn.errors.ParameterError, match="name the game to certify"):
        hn.certify()


def test_refusals() -> None:
    kuhn = boxed("kuhn_poker").box
    with pytest.raises(hn.errors.UnsuitableError, match="Table 1"):
        certification(boxed("kuhn_poker(players=3)").box, method="lp")
    with pytest.raises(hn.errors.ParameterError, match="explores"):
        certification(kuhn, method="mccfr", explore="uniform")
    with pytest.raises(hn.errors.ParameterError, match="correlated"):
        certification(kuhn, iterates=3)
    with pytest.raises(hn.errors.ParameterError, match="equilibrium='eq'"):
        certification(kuhn, equilibrium="eq")  # type: ignore[arg-type]
    with pytest.raises(hn.errors.UnsuitableError, match="equilibrium='cce'"):
        hn.certify("matrix_game(payoffs=[[[2,2],[0,3]],[[3,0],[1,1]]])", playthroughs=5)


@pytest.mark.parametrize(
    ("method", "kind"), [("cfr", "nash"), ("lp", "nash"), ("mccfr", "nash"), ("mccfr", "cce"), ("online-cfr+", "nash")]
)
def test_a_rehearsal_changes_no_bit(method: str, kind: Any) -> None:
    """What compiles before the clock starts leaves nothing behind."""
    plain, rehearsed = (
        certification(boxed("kuhn_poker").box, method=method, equilibrium=kind, every=50, seed=2) for _ in range(2)
    )
    rehearsed.rehearse()
    for work in (plain, rehearsed):
        work.advance(120)
        work.finish()
    assert plain.bound() == rehearsed.bound()
    for one, other in ((counted(plain), counted(rehearsed)), (plain.state(), rehearsed.state())):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])
