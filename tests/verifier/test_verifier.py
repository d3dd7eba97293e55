"""What the verifier accepts, and what it rejects."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.files import read_arrays, write_arrays
from hannan.forms.boxes import boxed
from hannan.rules.box import Box, View
from hannan.verifier.reader import digest
from tests.certificates.boxes import Bandit, Lottery
from tests.plaingames import Coins


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("certificates") / "kuhn.certificate"
    hn.certify("kuhn_poker", playthroughs=600, solve_every=100).save(path)
    return path


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "one path at a time": ("kuhn_poker", {"expansion": "first"}),
    "groups of the rules": ("goofspiel(cards=3)", {"groups": "rules"}),
    "groups by history, exact bounds": ("kuhn_poker", {"groups": "history", "bounds": "exact"}),
    "known chance": ("kuhn_poker", {"groups": "known"}),
    "children told": ("kuhn_poker", {"children": True}),
    "two numbers": ("kuhn_poker", {"bounds": (-2.0, 3.0)}),
    "the radius of the paper": ("kuhn_poker", {"radius": "paper"}),
    "simultaneous moves": ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], {}),
    "a bandit": (Bandit(sure=(0.5,), risky=(0.4, 0.7)), {}),
    "open outcomes": (Lottery(), {}),
    "open outcomes in a group": (Lottery(grouped=True), {"expansion": "first"}),
}


@pytest.mark.parametrize("case", CASES)
def test_what_we_make_is_valid_by_floats_by_fractions_and_by_replay(case: str, tmp_path: Path) -> None:
    game, options = CASES[case]
    path = tmp_path / "some.certificate"
    certificate = hn.certify(game, playthroughs=300, solve_every=100, seed=5, **options)
    certificate.save(path)
    told = {key: options[key] for key in ("bounds", "groups", "children") if key in options}
    box = boxed(game, **told).box
    verdicts = [hn.verify(path), hn.verify(path, rational=True), hn.verify(path, box)]
    for verdict in verdicts:
        assert verdict.valid, verdict.reason
        assert verdict.gap is not None
        assert verdict.gap <= certificate.gap
        assert verdict.gap == pytest.approx(certificate.gap, abs=1e-8)
    assert [verdict.level for verdict in verdicts] == ["arithmetic", "arithmetic", "counts"]
    assert verdicts[2].replayed == 300
    assert verdicts[1].gap <= verdicts[0].gap  # type: ignore[operator]  # outward rounding only adds


def test_a_box_without_seeds_is_played_and_cannot_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "some.certificate"
    hn.certify(Lottery(seeded=False), playthroughs=100).save(path)
    assert hn.verify(path).valid
    verdict = hn.verify(path, Lottery(seeded=False))
    assert not verdict.valid
    assert verdict.level == "arithmetic"
    assert verdict.reason.startswith("not replayed")


def forged(path: Path, out: Path, change: Any) -> None:
    """Write a certificate with other contents and a digest that matches them."""
    arrays, facts = read_arrays(path, "certificate")
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(arrays, facts)
    facts["digest"] = digest(arrays, facts)
    write_arrays(out, "certificate", arrays, facts)


def set_at(name: str, place: Any, value: Any) -> Any:
    def change(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
        arrays[name][place] = value

    return change


def claim(name: str, value: Any) -> Any:
    def change(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
        facts[name] = value

    return change


def bump(name: str, place: Any, by: Any) -> Any:
    def change(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
        arrays[name][place] += by

    return change


def narrow_leaf(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    arrays["node_low"][:] = arrays["node_high"][:]


FORGERIES: dict[str, Any] = {
    "a smaller gap": claim("gap", 0.5),
    "a larger guarantee": claim("guarantees", [0.5, 0.5]),
    "a narrower value": claim("value_bounds", [-0.01, 0.01]),
    "more confidence": claim("confidence", 0.999999999),
    "a radius that there is not": claim("radius", "tiny"),
    "the radius of the paper": claim("radius", "paper"),
    "a count without its sum": bump("slot_count", 0, 10),
    "more samples": bump("group_samples", 0, 10),
    "an index": set_at("group_index", 1, 1),
    "a smaller group": set_at("group_size", 0, 2),
    "a child that is gone": set_at("node_parent", -1, 0),
    "a negative probability": set_at("strategy0", 1, -0.5),
    "no distribution": set_at("strategy1", slice(1, 3), 0.9),
    "another parent of a set": set_at("set0_parent", -1, 0),
    "two sets that nobody tells apart": set_at("set0_observation", slice(None), 0),
    "a node of another set": set_at("node_set0", slice(None), 0),
    "known odds": set_at("group_known", 0, True),
    "fewer playthroughs": claim("playthroughs", 599),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_with_a_matching_digest_is_rejected(forgery: str, kuhn: Path, tmp_path: Path) -> None:
    out = tmp_path / "forged.certificate"
    forged(kuhn, out, FORGERIES[forgery])
    verdict = hn.verify(out)
    assert not verdict.valid
    assert verdict.level is None


def double(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    """Twice as many samples of everything: all sums are right, and the radii are too small."""
    arrays["slot_count"] *= 2
    arrays["group_samples"] *= 2


REPLAYED: dict[str, Any] = {
    "twice the samples": double,
    "another action": lambda arrays, facts: arrays["actions"].__setitem__(0, 1 - arrays["actions"][0]),
    "another seed": claim("seed", 1),
    "narrower bounds": lambda arrays, facts: arrays["node_low"].__setitem__(slice(None), 0.0 * arrays["node_low"] - 1),
}


def ranged(width: float) -> Any:
    """Nobody gains or loses more than so much, in all, and from every node on."""

    def change(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
        facts |= {"range": [-width, width], "gap": 10.0}
        np.clip(arrays["node_low"], -width, width, out=arrays["node_low"])
        np.clip(arrays["node_high"], -width, width, out=arrays["node_high"])

    return change


@pytest.mark.parametrize("width", [1.5, 0.5, 0.01])
def test_gains_that_leave_the_stated_range_are_seen_without_a_replay(width: float, kuhn: Path, tmp_path: Path) -> None:
    out = tmp_path / "forged.certificate"
    forged(kuhn, out, ranged(width))
    assert "leaves its bounds" in hn.verify(out).reason
    assert not hn.verify(out).valid


def test_a_range_that_nothing_contradicts_is_said_to_be_believed(kuhn: Path) -> None:
    forged(kuhn, kuhn.parent / "ranged.certificate", ranged(3.0))
    verdict = hn.verify(kuhn.parent / "ranged.certificate", boxed("kuhn_poker").box)
    assert verdict.valid
    assert any("gains -3 to 3 in all" in sentence for sentence in verdict.believed)


class Tripled(Box):
    """Another player pays three times of what the first one loses, and as much as it wins: not zero-sum."""

    def __init__(self, box: Box) -> None:
        self.box, self.players, self.name = box, 2, "tripled"

    def _told(self, view: View) -> View:
        return view._replace(gains=[view.gains[0], view.gains[1] * (3 if view.gains[1] < 0 else 1)])

    def reset(self, seed: int) -> View:
        return self._told(self.box.reset(seed))

    def step(self, moves: tuple[Any, ...]) -> View:
        return self._told(self.box.step(moves))


def test_a_replay_with_a_box_that_is_not_zero_sum_is_rejected(kuhn: Path) -> None:
    verdict = hn.verify(kuhn, Tripled(boxed("kuhn_poker").box))
    assert not verdict.valid
    assert "not zero-sum" in verdict.reason


def test_a_replay_with_a_box_of_more_players_is_rejected(kuhn: Path) -> None:
    assert "has 3 players" in hn.verify(kuhn, boxed("kuhn_poker(players=3)").box).reason


def test_bounds_of_a_certificate_without_playthroughs_are_compared_with_the_box(tmp_path: Path) -> None:
    path, out = tmp_path / "none.certificate", tmp_path / "forged.certificate"
    hn.certify("kuhn_poker", playthroughs=0).save(path)
    box = boxed("kuhn_poker").box
    assert hn.verify(path, box).valid

    def narrow(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
        arrays["node_low"][:], arrays["node_high"][:] = -0.001, 0.001
        facts |= {"gap": 0.01, "guarantees": [-0.01, -0.01], "value_bounds": [-0.01, 0.01]}

    forged(path, out, narrow)
    assert "node_low of row 0 is -0.001 in the file, and -2.0 when" in hn.verify(out, box).reason
    assert not hn.verify(out, box).valid


def test_odds_of_outcomes_that_never_came_are_compared_with_the_box(tmp_path: Path) -> None:
    path, out = tmp_path / "odds.certificate", tmp_path / "forged.certificate"
    hn.certify("kuhn_poker", playthroughs=1, groups="known").save(path)

    def shift(arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
        first, second = np.flatnonzero((arrays["slot_count"] == 0) & (arrays["slot_group"] == 0))
        arrays["slot_odds"][first] += arrays["slot_odds"][second]
        arrays["slot_odds"][second] = 0.0

    forged(path, out, shift)
    box = boxed("kuhn_poker", groups="known").box
    assert hn.verify(path, box).valid
    assert hn.verify(out).valid  # the odds of a box that nobody plays are believed
    assert "slot_odds" in hn.verify(out, box).reason


class Passing(hn.Rules):
    """Player 0 passes, which is worth nothing, or bets on what player 1 answers, and loses in either case."""

    def start(self) -> str:
        return ""

    def turn(self, state: str) -> int:
        return 0 if not state else 1 if state == "b" else hn.END

    def actions(self, state: str, player: int) -> list[str]:
        return ["p", "b"] if player == 0 else ["l", "r"]

    def after(self, state: str, move: str) -> str:
        return state + move

    def observe(self, state: str, player: int) -> None:
        return None

    def gains(self, state: str) -> tuple[float, float]:
        loss = {"bl": 1.0, "br": 2.0}.get(state, 0.0)
        return -loss, loss


@pytest.mark.parametrize("playthroughs", [0, 50])
def test_play_in_which_nobody_gains_anything_is_accepted(playthroughs: int, tmp_path: Path) -> None:
    """Against a player who passes, and by bounds that end at 0, there is nothing to add up."""
    path = tmp_path / "passing.certificate"
    certificate = hn.certify(Passing(), playthroughs=playthroughs, solve_every=10)
    certificate.save(path)
    box = boxed(Passing()).box
    for verdict in (hn.verify(path), hn.verify(path, rational=True), hn.verify(path, box)):
        assert verdict.valid, verdict.reason
    assert playthroughs == 0 or certificate.gap < 1e-8


class Rich(Coins):
    """The same coins, and everybody leaves with a fortune: what is gained is far larger than what differs."""

    fortune = 1e6

    def gains(self, state: Any) -> Sequence[float]:
        return [gain + self.fortune * (self.turn(state) == hn.END) for gain in super().gains(state)]


@pytest.mark.parametrize("fortune", [1e6, 1e9])
def test_rounding_of_large_gains_is_no_reason_to_reject(fortune: float, tmp_path: Path) -> None:
    rules, path = Rich(), tmp_path / "rich.certificate"
    rules.fortune = fortune
    certificate = hn.certify(rules, equilibrium="cce", groups="known", playthroughs=60)
    certificate.save(path)
    assert certificate.gap < 1.0
    for verdict in (hn.verify(path), hn.verify(path, rational=True)):
        assert verdict.valid, verdict.reason


@pytest.mark.parametrize("forgery", REPLAYED)
def test_a_forgery_that_adds_up_is_caught_by_the_replay(forgery: str, kuhn: Path, tmp_path: Path) -> None:
    out = tmp_path / "forged.certificate"
    forged(kuhn, out, REPLAYED[forgery])
    assert not hn.verify(out, boxed("kuhn_poker").box).valid


def test_every_byte_matters(kuhn: Path, tmp_path: Path) -> None:
    """200 places of the file, one byte changed: rejected, or no certificate any more."""
    data, out = kuhn.read_bytes(), tmp_path / "altered.certificate"
    places = np.random.default_rng(0).choice(len(data), 200, replace=False)
    for place in places.tolist():
        altered = bytearray(data)
        altered[place] ^= 1 << int(place) % 7
        out.write_bytes(bytes(altered))
        with contextlib.suppress(hn.errors.FileError):
            assert not hn.verify(out).valid, place


def test_what_is_no_certificate_is_unreadable(kuhn: Path, tmp_path: Path) -> None:
    data = kuhn.read_bytes()
    for name, content in {"empty": b"", "short": data[: len(data) // 2], "text": b"hello, verifier"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(hn.errors.FileError):
            hn.verify(tmp_path / name)
    with pytest.raises(hn.errors.FileError):
        hn.verify(tmp_path / "nothing there")


def test_the_module_is_a_command(kuhn: Path, tmp_path: Path) -> None:
    """Exit codes 0, 1, 2, and JSON; nothing of certificates or solvers is imported on the way."""
    out = tmp_path / "forged.certificate"
    forged(kuhn, out, claim("gap", 0.5))
    code = (
        "import sys, hannan.verifier.__main__ as m; code = m.main(sys.argv[1:]); "
        "print([k for k in sys.modules if k.startswith('hannan.')], file=sys.stderr); sys.exit(code)"
    )
    for arguments, expected in (([str(kuhn), "--json"], 0), ([str(out)], 1), ([str(tmp_path)], 2)):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == expected, done.stderr
        modules = done.stderr.splitlines()[-1]
        for room in ("certificates", "solvers", "rules", "forms", "kernels", "runs"):
            assert f"hannan.{room}" not in modules
        if expected == 0:
            assert json.loads(done.stdout)["valid"] is True


NO_NUMBERS: list[Any] = [np.nan, np.inf, True, "x", []]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("gap", "confidence", "playthroughs") for value in NO_NUMBERS),
        ("radius", np.nan),
        ("players", 2.5),
        ("guarantees", []),
    ],
)
def test_claims_that_are_no_numbers_are_rejected(name: str, value: Any, kuhn: Path, hannan: Any) -> None:
    forged(kuhn, Path("x.certificate"), claim(name, value))
    ran = hannan("verify", "x.certificate", "--json")
    assert ran.code == 1, ran
    assert not ran.record["valid"]
    assert hannan("verify", "x.certificate").code == 1
