"""What the verifier accepts of files of equilibria, and what it rejects."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.cli import main
from hannan.forms.loader import load_expanded
from hannan.solvers.general.point import finished
from hannan.solvers.general.polynomial import all_supports
from hannan.solvers.general.prooffiles import equilibria_record, payoffs_record, write_equilibria
from hannan.solvers.general.proofs import prove
from hannan.verifier.equilibria import seal, verify_equilibria
from tests.equilibrium_brute import cube
from tests.solvers.general.test_krawczyk import COORDINATION
from tests.solvers.general.test_polynomial import cyclic, form_of

Record = dict[str, Any]


def record_of(payoffs: Any) -> Record:
    form = form_of(payoffs)
    return equilibria_record(form, *finished(all_supports(form, complete=True)))


@pytest.fixture(scope="module")
def golden() -> Record:
    """The game whose one equilibrium is √7 - 2 for every player."""
    form = cyclic()
    return equilibria_record(form, *finished(all_supports(form, complete=True)))


@pytest.fixture(scope="module")
def sexes() -> Record:
    """Battle of the sexes: three equilibria in fractions."""
    return record_of(COORDINATION)


def verdict_of(record: Record, path: Path, *, sealed: bool = True, payoffs: Any = None) -> Any:
    if sealed and isinstance(record, dict):
        record = {**record, "digest": seal(record)}
    path.write_text(json.dumps(record))
    return verify_equilibria(path, payoffs)


def forged(record: Record, change: Callable[[Record], object]) -> Record:
    other = copy.deepcopy(record)
    change(other)
    return other


def test_honest_files_are_valid(golden: Record, sexes: Record, tmp_path: Path) -> None:
    write_equilibria(tmp_path / "golden", golden)
    verdict = hn.verify(tmp_path / "golden")
    assert verdict.valid
    assert verdict.level == "arithmetic"
    assert "exactly one true equilibrium lies within" in str(verdict)
    assert len(verdict.believed) == 2  # the payoffs, and that the list is complete
    verdict = hn.verify(tmp_path / "golden", cyclic().game)
    assert (verdict.valid, verdict.level, len(verdict.believed)) == (True, "game", 1)
    write_equilibria(tmp_path / "sexes", sexes)
    verdict = hn.verify(tmp_path / "sexes")
    assert isinstance(verdict, hn.verifier.EquilibriaVerdict)
    assert sorted(one["index"] for one in verdict.equilibria) == [-1, 1, 1]
    assert {one["proof"] for one in verdict.equilibria} == {"fractions"}


@pytest.mark.parametrize("seed", range(4))
def test_random_games(seed: int, tmp_path: Path) -> None:
    shape = [(3, 3, 3), (2, 2, 2, 2), (3, 4), (2, 3, 3)][seed]
    U = np.random.default_rng(seed).random((len(shape), *shape))
    verdict = verdict_of(record_of(U), tmp_path / "file", sealed=False)
    assert verdict.valid, verdict.reason
    assert sum(one["index"] for one in verdict.equilibria) == 1


def test_every_digit_matters(golden: Record, tmp_path: Path) -> None:
    """One digit is another: the digest does not match, or the file is not one of equilibria any more."""
    path = tmp_path / "file"
    write_equilibria(path, golden)
    text = path.read_text()
    places = [k for k, letter in enumerate(text) if letter.isdigit()]
    assert len(places) > 400
    for place in places:
        path.write_text(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :])
        with contextlib.suppress(hn.errors.FileError):
            assert not verify_equilibria(path).valid, text[place - 20 : place + 1]


@pytest.mark.slow
def test_every_digit_matters_although_the_digest_fits(golden: Record, tmp_path: Path) -> None:
    """What is accepted with another digit is still true of the game: wider bounds, another name or base.

    The box holds √7 - 2, by squares of fractions.
    """
    text = json.dumps(golden)
    payoffs = golden["payoffs"]
    for place in [k for k, letter in enumerate(text) if letter.isdigit()]:
        other = text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]
        try:
            record = json.loads(other)
        except ValueError:
            continue
        try:
            verdict = verdict_of(record, tmp_path / "file", payoffs=payoffs)
        except hn.errors.FileError:
            continue
        if verdict.valid:
            (one,) = record["equilibria"]
            assert {**record, "equilibria": 0, "names": 0, "digest": 0} == {
                **golden,
                "equilibria": 0,
                "names": 0,
                "digest": 0,
            }
            assert one["index"] == 1
            assert one["support"] == [[0, 1]] * 3
            for plans, base, centre, decimals in zip(
                one["support"], one["base"], one["centre"], one["decimals"], strict=True
            ):
                assert base in plans
                x, reach = Fraction(centre[0]), Fraction(one["radius"])
                assert (x - reach + 2) ** 2 < 7 < (x + reach + 2) ** 2
                assert decimals[0] == float(x)
            for low, high in one["payoffs"]:
                # against the two others the second plan pays 0, whatever they do
                assert Fraction(low) <= 0 <= Fraction(high)


FORGERIES: dict[str, tuple[str, Callable[[Record], object]]] = {
    "radius 0": ("radius", lambda r: r["equilibria"][0].update(radius="0")),
    "a radius beyond the simplex": ("positive", lambda r: r["equilibria"][0].update(radius="1/2")),
    "a radius that is too small": ("leads out", lambda r: r["equilibria"][0].update(radius=f"1/{10**40}")),
    "another support": ("fit", lambda r: r["equilibria"][0].update(support=[[0], [0, 1], [0, 1]])),
    "another base": ("box", lambda r: r["equilibria"][0].update(base=[2, 0, 0])),
    "another centre": (
        "leads out",
        lambda r: r["equilibria"][0].update(
            centre=[["1/2", "1/2"]] * 3, decimals=[[0.5, 0.5]] * 3, radius=f"1/{10**6}"
        ),
    ),
    "another index": ("index", lambda r: r["equilibria"][0].update(index=-1)),
    "an index that is true": ("index", lambda r: r["equilibria"][0].update(index=True)),
    "other decimals": ("decimals", lambda r: r["equilibria"][0]["decimals"][0].reverse()),
    "other payoffs of the equilibrium": ("payoffs", lambda r: r["equilibria"][0].update(payoffs=[["1", "2"]] * 3)),
    "a fraction that is not in lowest terms": ("lowest", lambda r: r["equilibria"][0].update(radius="2/4")),
    "a decimal for a fraction": ("not a fraction", lambda r: r["equilibria"][0].update(radius="0.001")),
    "an unknown proof": ("unknown", lambda r: r["equilibria"][0].update(proof="belief")),
    "fractions without them": ("other entries", lambda r: r["equilibria"][0].update(proof="fractions")),
    "one more entry": ("other entries", lambda r: r["equilibria"][0].update(note="trust me")),
    "one more fact": ("other entries", lambda r: r.update(note="trust me")),
    "a payoff too few": ("payoff", lambda r: r["payoffs"]["gains"][0].pop()),
    "names too few": ("name", lambda r: r["names"][0].pop()),
    "complete is a number": ("complete", lambda r: r.update(complete=1)),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_rejected(name: str, golden: Record, tmp_path: Path) -> None:
    words, change = FORGERIES[name]
    verdict = verdict_of(forged(golden, change), tmp_path / "file")
    assert not verdict.valid
    assert verdict.level is None
    if name != "another base":
        assert words in verdict.reason, verdict.reason


def test_fractions_are_substituted(sexes: Record, tmp_path: Path) -> None:
    mixed = next(k for k, one in enumerate(sexes["equilibria"]) if one["index"] == -1)

    def other(record: Record) -> None:
        record["equilibria"][mixed]["strategies"][0] = ["1/3", "2/3"]
        record["equilibria"][mixed]["decimals"][0] = [1 / 3, 2 / 3]

    assert "equilibrium" in verdict_of(forged(sexes, other), tmp_path / "file").reason
    for change in (
        lambda r: r["equilibria"][mixed].update(index=1),
        lambda r: r["equilibria"][mixed].update(index=0),
        lambda r: r["equilibria"][mixed].update(payoffs=["1", "1"]),
        lambda r: r["equilibria"][mixed].update(strategies=[["4/3", "-1/3"], ["1/3", "2/3"]]),
    ):
        assert not verdict_of(forged(sexes, change), tmp_path / "file").valid
    assert verdict_of(forged(sexes, lambda r: r["equilibria"][mixed].update(index=None)), tmp_path / "file").valid


def test_forged_payoffs_are_caught_with_the_game(sexes: Record, tmp_path: Path) -> None:
    """All payoffs times 2: the same equilibria of another game, which the file alone cannot show."""
    form = form_of(np.array(COORDINATION) * 2)
    double = equilibria_record(form, *finished(all_supports(form, complete=True)))
    double["game"] = sexes["game"]
    double["digest"] = seal(double)
    write_equilibria(tmp_path / "file", double)
    assert hn.verify(tmp_path / "file").valid
    game = hn.matrix_game(COORDINATION)
    verdict = hn.verify(tmp_path / "file", game)
    assert not verdict.valid
    assert "not those of" in verdict.reason
    assert hn.verify(tmp_path / "file", form.game).valid


def test_bounds_on_gains_are_recomputed(tmp_path: Path) -> None:
    form = form_of(COORDINATION)
    record = equilibria_record(form, [prove(form, [np.array([0.5, 0.5])] * 2)])
    (claim,) = record["equilibria"]
    assert claim["proof"] == "epsilon"
    assert claim["regret"] == "1/4"
    assert verdict_of(record, tmp_path / "file").valid
    claim["regret"] = str(Fraction(1, 4) - Fraction(1, 10**30))
    assert "can gain" in verdict_of(record, tmp_path / "file").reason


def test_trees(tmp_path: Path) -> None:
    """Three-player Kuhn poker, checked against the built-in game that the file names."""
    game = load_expanded("kuhn_poker(players=3)")
    even = [np.ones(plex.sequences) for plex in game.form.treeplexes]
    record = equilibria_record(game, [prove(game, even)])
    path = tmp_path / "kuhn"
    write_equilibria(path, record)
    verdict = hn.verify(path, replay=True)
    assert (verdict.valid, verdict.level, verdict.believed) == (True, "game", ())

    def flow(r: Record) -> None:
        r["equilibria"][0]["strategies"][0][1] = "1"

    def circle(r: Record) -> None:
        r["payoffs"]["parents"][0][0] = 5

    def lower(r: Record) -> None:
        r["equilibria"][0]["regret"] = "1/1000"

    for change in (flow, circle, lower):
        assert not verdict_of(forged(record, change), path).valid, change


@pytest.mark.parametrize(("pays", "valid"), [("-1", True), ("100", False)])
def test_plans_outside_of_the_support(pays: str, valid: bool, golden: Record, tmp_path: Path) -> None:
    """Player 0 gets a third plan that pays the same number always: 100 is more than the equilibrium pays, -1 less."""

    def change(record: Record) -> None:
        record["payoffs"]["shape"][0] = 3
        for player, row in enumerate(record["payoffs"]["gains"]):
            row += [pays if player == 0 else "0"] * 4
        record["names"][0].append("third")
        record["equilibria"][0]["decimals"][0].append(0.0)

    verdict = verdict_of(forged(golden, change), tmp_path / "file")
    assert verdict.valid == valid
    assert valid or "may pay as much" in verdict.reason


def test_a_box_around_two_roots_is_rejected(tmp_path: Path) -> None:
    """Everybody mixes in two equilibria of this game, found among random ones; one box around both is not accepted."""
    for seed in range(1000):
        U = np.random.default_rng(seed).normal(size=(3, 2, 2, 2))
        inner = [point for point in cube(U) if ((point > 0) & (point < 1)).all()]
        if len(inner) == 2:
            middle, far = (inner[0] + inner[1]) / 2, 0.51 * np.abs(inner[0] - inner[1]).max()
            if ((middle > far) & (middle + far < 1)).all():
                break
    record = record_of(U)
    exact = [Fraction(float(x)) for x in middle]
    claim = next(one for one in record["equilibria"] if one.get("support") == [[0, 1]] * 3)
    claim |= {"centre": [[str(x), str(1 - x)] for x in exact], "radius": str(Fraction(float(far)))}
    claim |= {"payoffs": [["-99", "99"]] * 3, "decimals": [[float(x), float(1 - x)] for x in exact]}
    for index in (1, -1):
        claim["index"] = index
        assert "Newton's map" in verdict_of(record, tmp_path / "file").reason


def test_singular_equations_are_rejected(tmp_path: Path) -> None:
    record = record_of(COORDINATION)
    record["payoffs"]["gains"] = [["0"] * 4] * 2
    half = [["1/2", "1/2"]] * 2
    claim = {
        "proof": "krawczyk", "decimals": [[0.5, 0.5]] * 2, "support": [[0, 1]] * 2, "base": [0, 0], "centre": half,
        "radius": "1/100", "payoffs": [["0", "0"]] * 2, "index": 1,
    }  # fmt: skip
    record["equilibria"] = [claim]
    assert "singular" in verdict_of(record, tmp_path / "file").reason


def changed(draw: random.Random, thing: Any) -> Any:
    """Return a record with something in it replaced, doubled or left out."""
    values: list[Any] = [None, True, -1, 0, 10**30, 1.5, "", "1/0", "-0", "x", [], {}, [[]], "1/3"]
    if isinstance(thing, dict) and thing and draw.random() < 0.9:
        key = draw.choice(sorted(thing))
        if draw.random() < 0.1:
            return {name: value for name, value in thing.items() if name != key}
        return {**thing, key: changed(draw, thing[key])}
    if isinstance(thing, list) and thing and draw.random() < 0.9:
        place = draw.randrange(len(thing))
        if draw.random() < 0.2:
            return thing[:place] + thing[place + draw.choice([0, 1]) :] + thing[:1]
        return [*thing[:place], changed(draw, thing[place]), *thing[place + 1 :]]
    return draw.choice(values)


def test_nonsense_is_a_sentence(golden: Record, sexes: Record, tmp_path: Path) -> None:
    """Any change of the record is accepted, rejected or unreadable, and never another error."""
    game = load_expanded("kuhn_poker")
    tree = equilibria_record(game, [prove(game, [np.ones(plex.sequences) for plex in game.form.treeplexes])])
    draw = random.Random(4)
    for record in (golden, sexes, tree):
        for _ in range(150):
            with contextlib.suppress(hn.errors.FileError):
                verdict_of(changed(draw, record), tmp_path / "file")
    for text in ("{", "{}", '{"format": 1}', "[]", '{"a": 1, "a": 2}', '{"a": NaN}', "{" * 100_000, "\ud800"):
        (tmp_path / "file").write_bytes(text.encode(errors="surrogatepass"))
        with pytest.raises(hn.errors.FileError):
            hn.verify(tmp_path / "file")


@pytest.mark.slow
def test_on_the_command_line(golden: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    write_equilibria(good, golden)
    write_equilibria(bad, forged(golden, lambda r: r.update(complete=False)))
    (tmp_path / "none").write_text("{}")
    for path, expected in ((good, 0), (bad, 1), (tmp_path / "none", 2)):
        with pytest.raises(SystemExit) as end:
            main(["verify", str(path), "--json"])
        assert (end.value.code or 0) == expected
        out = capsys.readouterr().out
        if expected < 2:
            record = json.loads(out)
            assert record["valid"] == (expected == 0)
            assert record.keys() >= {"file", "game", "replayed_game", "valid", "level", "gap", "believed", "reason"}
        code = f"import sys, hannan.verifier.__main__ as m; sys.exit(m.main([{str(path)!r}]))"
        if path == good:  # the verifier alone: neither solvers nor kernels
            code = (
                f"import sys, hannan.verifier.__main__ as m; code = m.main([{str(path)!r}]); "
                "sys.exit(code or 'hannan.kernels' in sys.modules)"
            )
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == expected


def test_options_of_certificates_are_refused(golden: Record, tmp_path: Path) -> None:
    write_equilibria(tmp_path / "file", golden)
    with pytest.raises(hn.errors.ParameterError, match="certificates"):
        hn.verify(tmp_path / "file", reproduce=True)


def test_points_of_another_space_are_refused() -> None:
    game = load_expanded("kuhn_poker")
    point = prove(game, [np.ones(plex.sequences) for plex in game.form.treeplexes])
    with pytest.raises(hn.errors.MismatchError, match="plans"):
        equilibria_record(hn.normal_form("matching_pennies"), [point])
    assert payoffs_record(game)["kind"] == "sequences"
