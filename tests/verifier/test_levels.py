"""Three levels of a verdict: what each shows, what it believes, and the closed list of what a file may contain."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.files import read_arrays
from hannan.forms.boxes import boxed
from hannan.rules.box import Box, SimulatorError, View
from hannan.rules.hidden import HiddenChance
from hannan.runs import certification
from hannan.verifier.rebuild import seed_of
from tests.certificates.boxes import Bandit, Lottery, Tree
from tests.verifier.test_verifier import forged

OLD = Path(__file__).with_name("files") / "0.1.0"


class Failing(Bandit):
    """Every fifth seed gives no answer after the first question."""

    name = "failing bandit"

    def reset(self, seed: int) -> View:
        self.bad = seed % 5 == 0
        return super().reset(seed)

    def step(self, moves: tuple[Any, ...]) -> View:
        if self.bad:
            raise SimulatorError("out of paper")
        return super().step(moves)


def failing() -> Failing:
    return Failing(sure=(0.5,), risky=(0.4, 0.7))


FILES: dict[str, Callable[[], Box]] = {
    "cfr": lambda: boxed("kuhn_poker").box,
    "lp-first": lambda: boxed("kuhn_poker", groups="history", bounds="exact").box,
    "mccfr-known": lambda: boxed("kuhn_poker", groups="known").box,
    "cce": lambda: boxed("kuhn_poker(players=3)").box,
    "online-groups": lambda: boxed("goofspiel(cards=3)", groups="rules", bounds=(-6.0, 6.0)).box,
    "induction-children": lambda: boxed(Tree(3, 2, depth=3), children=True).box,
    "open-group": lambda: Lottery(grouped=True),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_version_0_1_reach_the_level_of_counts(name: str) -> None:
    path = OLD / f"{name}.certificate"
    assert hn.verify(path).level == "arithmetic"
    verdict = hn.verify(path, FILES[name]())
    assert verdict.valid, verdict.reason
    assert verdict.level == "counts"
    assert any("the actions were not chosen" in sentence for sentence in verdict.believed)
    again = hn.verify(path, FILES[name](), reproduce=True)
    assert not again.valid
    assert "does not state the options" in again.reason


def test_a_file_of_version_0_1_with_failures_is_rejected_by_a_replay() -> None:
    """0.1 left out a failure at a known node at which no play had failed before: the counts are not what was played."""
    path = OLD / "hidden-failures.certificate"
    assert hn.verify(path).valid
    verdict = hn.verify(path, HiddenChance(failing(), 2))
    assert not verdict.valid
    assert "playing again gives" in verdict.reason or "played again" in verdict.reason


def test_a_box_of_version_0_1_that_is_not_reproducible_is_not_replayed() -> None:
    verdict = hn.verify(OLD / "unseeded.certificate", Lottery(seeded=False))
    assert (verdict.valid, verdict.level) == (False, "arithmetic")
    assert verdict.reason.startswith("not replayed")


def test_failures_are_counted_and_replayed(tmp_path: Path) -> None:
    """A fifth of the plays fails at the first step: the root's draws are all counted, failures among them."""
    path = tmp_path / "failing.certificate"
    certificate = hn.certify(failing(), playthroughs=200, hidden=2, bounds=(0.0, 1.0))
    certificate.save(path)
    seeds = [seed_of(0, t) for t in range(1, 201)]
    assert certificate.failures == sum(seed % 5 == 0 for seed in seeds) > 20
    verdict = hn.verify(path, HiddenChance(failing(), 2))
    assert verdict.valid, verdict.reason
    assert verdict.failures == certificate.failures
    assert f"In {certificate.failures} of 200 playthroughs the simulator gave no answer" in str(verdict)
    never = HiddenChance(Bandit(sure=(0.5,), risky=(0.4, 0.7)), 2)
    assert "the simulator failed, but it answers" in hn.verify(path, never).reason


REPRODUCED: dict[str, tuple[Any, dict[str, Any]]] = {
    "auto": ("kuhn_poker", {}),
    "lp, first, paper": ("kuhn_poker", {"method": "lp", "groups": "history", "expansion": "first", "radius": "paper"}),
    "compiled mccfr": ("kuhn_poker", {"method": "mccfr", "groups": "rules"}),
    "correlated": ("kuhn_poker(players=3)", {"iterates": 3}),
    "learning, a range": ("goofspiel(cards=3)", {"method": "online-pcfr+", "bounds": (-6.123456789, 6.0)}),
    "induction": (Tree(3, 2, depth=3), {"children": True, "method": "induction"}),
    "stopped by its gap": (Bandit((0.5,), (0.4,)), {"gap": 0.9}),
}


@pytest.mark.parametrize("case", REPRODUCED)
def test_a_certification_is_reproduced(case: str, tmp_path: Path) -> None:
    game, options = REPRODUCED[case]
    path = tmp_path / "some.certificate"
    hn.certify(game, playthroughs=250, seed=3, **options).save(path)
    verdict = hn.verify(path, None if isinstance(game, str) else game, reproduce=True)
    assert verdict.valid, verdict.reason
    assert verdict.level == "reproduced"
    assert not any("the actions were not chosen" in sentence for sentence in verdict.believed)


def test_a_change_of_method_on_the_way_is_reproduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds decide when `auto` changes to mccfr; the file says after which playthrough it did."""
    monkeypatch.setattr(certification, "judged", lambda *_: (True, "the test says so"))
    path = tmp_path / "some.certificate"
    certificate = hn.certify("kuhn_poker", playthroughs=700)
    assert certificate.method == "mccfr"
    certificate.save(path)
    monkeypatch.undo()
    assert hn.verify(path, reproduce=True).level == "reproduced"


def test_a_run_that_was_stopped_and_resumed_is_reproduced(tmp_path: Path) -> None:
    path, checkpoint = tmp_path / "some.certificate", tmp_path / "some.checkpoint"
    hn.certify("kuhn_poker", playthroughs=130, checkpoint=checkpoint)
    hn.certify(resume=checkpoint, playthroughs=310).save(path)
    assert hn.verify(path, reproduce=True).level == "reproduced"


def test_a_given_strategy_is_needed_once_more(tmp_path: Path) -> None:
    path, given = tmp_path / "some.certificate", hn.uniform("kuhn_poker")
    hn.certify("kuhn_poker", strategy=given, playthroughs=200).save(path)
    assert "give it here too" in hn.verify(path, reproduce=True).reason
    assert hn.verify(path, reproduce=True, strategy=given).level == "reproduced"
    other = hn.verify(path, reproduce=True, strategy=hn.random_profile("kuhn_poker", seed=1))
    assert other.reason.startswith("not reproduced")
    assert (other.valid, other.level) == (False, "counts")


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("certificates") / "kuhn.certificate"
    hn.certify("kuhn_poker", playthroughs=300).save(path)
    return path


def test_other_options_than_those_of_the_run_are_not_reproduced(kuhn: Path, tmp_path: Path) -> None:
    out = tmp_path / "forged.certificate"
    forged(kuhn, out, lambda arrays, facts: facts["options"].update(solve_every=7))
    assert hn.verify(out, replay=True).valid
    assert hn.verify(out, reproduce=True).reason.startswith("not reproduced: certifying again gives")


def test_the_verdict_names_the_game_that_was_played(kuhn: Path, tmp_path: Path) -> None:
    out = tmp_path / "forged.certificate"
    forged(kuhn, out, lambda arrays, facts: facts.update(game="leduc_poker"))
    verdict = hn.verify(out, boxed("kuhn_poker").box)
    assert (verdict.game, verdict.replayed_game) == ("leduc_poker", "kuhn_poker")
    assert "The Nash gap in kuhn_poker" in str(verdict)
    assert "The file names another game: leduc_poker" in str(verdict)
    assert not hn.verify(out, replay=True).valid


def test_the_box_says_whether_it_can_be_replayed_and_what_is_hidden(kuhn: Path, tmp_path: Path) -> None:
    out = tmp_path / "forged.certificate"
    forged(kuhn, out, lambda arrays, facts: facts.update(seeded=False))
    assert "the box says that it is" in hn.verify(out, replay=True).reason
    forged(kuhn, out, lambda arrays, facts: facts.update(hidden=3))
    assert "hidden=None" in hn.verify(out, replay=True).reason


def retyped(name: str, kind: Any) -> Callable[[dict[str, np.ndarray], dict[str, Any]], None]:
    return lambda arrays, facts: arrays.update({name: arrays[name].astype(kind)})


CLOSED: dict[str, tuple[Callable[[dict[str, np.ndarray], dict[str, Any]], Any], str]] = {
    "one more column": (lambda arrays, facts: arrays.update(node_bonus=np.zeros(3)), "which no certificate has"),
    "a column less": (lambda arrays, facts: arrays.pop("node_sequence1"), "it lacks node_sequence1"),
    "one more fact": (lambda arrays, facts: facts.update(bonus=1), "which no certificate does"),
    "a fact less": (lambda arrays, facts: facts.pop("expansion"), "does not state expansion"),
    "moves as floats": (retyped("node_move", np.float64), "node_move is of type float64"),
    "counts of fewer bits": (retyped("slot_count", np.int32), "slot_count is of type int32"),
    "a truth as a number": (lambda arrays, facts: facts.update(seeded=1), "its seeded is 1"),
    "names that are alike": (lambda arrays, facts: facts["names"].update(actions=["0", "0"]), "its names"),
    "an unused name": (lambda arrays, facts: facts["names"]["observations"].append("x"), "are not used"),
    "one failure more": (lambda arrays, facts: facts.update(failures=1), "the failures are not as many"),
    "another size": (lambda arrays, facts: facts.update(trunk=1), "another size"),
}


@pytest.mark.parametrize("change", CLOSED)
def test_a_file_holds_what_a_certificate_has_and_nothing_else(change: str, kuhn: Path, tmp_path: Path) -> None:
    out = tmp_path / "forged.certificate"
    altered, reason = CLOSED[change]
    forged(kuhn, out, altered)
    verdict = hn.verify(out)
    assert (verdict.valid, verdict.level) == (False, None)
    assert reason in verdict.reason


def rewritten(data: bytes, change: Callable[[str], str]) -> bytes:
    """Return a file with another header."""
    size = int.from_bytes(data[:8], "little")
    header = change(data[8 : 8 + size].decode()).encode()
    return len(header).to_bytes(8, "little") + header + data[8 + size :]


def test_a_header_says_everything_once(kuhn: Path, tmp_path: Path) -> None:
    out, data = tmp_path / "forged.certificate", kuhn.read_bytes()
    arrays, _ = read_arrays(kuhn, "certificate")
    assert hn.verify(kuhn).valid
    assert len(arrays) > 30

    def twice(header: str) -> str:
        entry = json.dumps(json.loads(header)["node_low"])
        return header.rstrip()[:-1] + f',"node_low":{entry}}}'

    def elsewhere(header: str) -> str:
        record = json.loads(header)
        record["node_low"]["data_offsets"] = record["node_high"]["data_offsets"]
        return json.dumps(record)

    for forgery, words in (
        (rewritten(data, twice), "a key appears twice"),
        (rewritten(data, elsewhere), "does not lie where the array before it ends"),
        (data + b"more", "bytes follow the last array"),
    ):
        out.write_bytes(forgery)
        with pytest.raises(hn.errors.FileError, match=words):
            hn.verify(out)


def test_the_command_line_reproduces(hannan: Any, kuhn: Path) -> None:
    ran = hannan("verify", str(kuhn), "--reproduce", "--json")
    assert ran.code == 0
    assert (ran.record["level"], ran.record["replayed_game"]) == ("reproduced", "kuhn_poker")
    said = hannan("verify", str(kuhn), "--replay")
    assert "Believed:" in said.out
    assert hannan("verify", str(kuhn), "--hidden", "3").code == 2
