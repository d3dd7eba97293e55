"""Strategy files: exact, refused with a sentence when anything is wrong, and never half written."""

from __future__ import annotations

import json
import os
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes

from hannan.errors import FileError, HannanError, MismatchError, ParameterError
from hannan.forms.loader import load_expanded as load
from hannan.games.matrix import matrix_game
from hannan.solvers.fullwidth.cfr import CFR
from hannan.strategies.files import read_profile as read
from hannan.strategies.files import save
from hannan.strategies.locks import lock
from hannan.strategies.profile import Profile, random_profile, uniform
from tests.plaingames import Coins

pytestmark = pytest.mark.filterwarnings("ignore::hannan.files.OldFileWarning")  # of files made by hand


def _same(one: Profile, other: Profile) -> bool:
    return all(a.dtype == b.dtype and (a == b).all() for a, b in zip(one.strategies, other.strategies, strict=True))


@pytest.mark.parametrize(
    "address",
    [
        "kuhn_poker(players=3)",
        "goofspiel(cards=3,order=descending)",
        "matrix_game(payoffs=[[1,-0.1],[0.25,3e-7]])",
        "random_game(seed=12345678901234567,hidden=true)",
    ],
)
def test_round_trip_is_exact(address: str, tmp_path: Path) -> None:
    drawn = random_profile(address, 7)
    save(drawn, tmp_path / "x.strategy")
    back = read(tmp_path / "x.strategy")
    assert _same(drawn, back)
    assert back.game.address == drawn.game.address
    assert back.game.form.hash == drawn.game.form.hash
    assert back.facts == {"method": "random", "seed": 7}
    assert _same(drawn, read(tmp_path / "x.strategy", load(address)))
    assert os.listdir(tmp_path) == ["x.strategy"]


def test_a_game_of_ones_own_is_needed_again(tmp_path: Path) -> None:
    path = tmp_path / "coins.strategy"
    drawn = random_profile(Coins(), 3)
    save(drawn, path)
    assert _same(drawn, read(path, Coins()))
    with pytest.raises(FileError, match=r"belongs to Coins, which is not built in: give the game too"):
        read(path)


def test_another_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.strategy"
    save(uniform("kuhn_poker"), path)
    with pytest.raises(MismatchError, match=r"kuhn\.strategy belongs to kuhn_poker.*not to leduc_poker"):
        read(path, "leduc_poker")
    with pytest.raises(MismatchError, match="kuhn_poker"):
        read(path, "kuhn_poker(players=3)")


def test_other_payoffs_are_refused(tmp_path: Path) -> None:
    """The treeplexes agree; only the hash of the payoffs tells the games apart."""
    save(uniform("biased_rps"), tmp_path / "x")
    with pytest.raises(MismatchError):
        read(tmp_path / "x", "rock_paper_scissors")


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.strategy"
    save(random_profile("kuhn_poker", 1), path)
    return path


def test_the_same_profile_gives_the_same_bytes(good: Path) -> None:
    again = good.with_name("again")
    save(random_profile("kuhn_poker", 1), again)
    assert again.read_bytes() == good.read_bytes()


def test_a_file_cut_short_is_refused(good: Path) -> None:
    data = good.read_bytes()
    for length in (0, 1, 7, 8, 9, 100, len(data) // 2, len(data) - 8, len(data) - 1):
        good.write_bytes(data[:length])
        with pytest.raises(FileError, match="not a hannan file, or is cut short"):
            read(good)


def test_bytes_appended_are_refused(good: Path) -> None:
    good.write_bytes(good.read_bytes() + b"more")
    with pytest.raises(FileError, match="not a hannan file"):
        read(good)


def test_random_bytes_are_refused(tmp_path: Path) -> None:
    draw = random.Random(0)
    for size in (1, 8, 16, 100, 10_000):
        (tmp_path / "x").write_bytes(draw.randbytes(size))
        with pytest.raises(FileError, match="not a hannan file"):
            read(tmp_path / "x")


def test_any_changed_byte_is_refused_or_harmless(good: Path) -> None:
    """No byte of a file can make reading fail without a sentence, nor give another strategy."""
    data, draw, original = good.read_bytes(), random.Random(1), read(good)
    outcomes = {"refused": 0, "the same": 0}
    for place in range(0, len(data), 3):
        good.write_bytes(data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :])
        try:
            found = read(good)
        except HannanError:
            outcomes["refused"] += 1
            continue
        outcomes["the same"] += 1
        assert _same(found, original), place
        assert found.facts == original.facts, place
    assert all(outcomes.values()), outcomes


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("ran",)


def test_reading_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.pickle").write_bytes(pickle.dumps(_Bomb()))
    np.save("x.npy", np.array([_Bomb()], object), allow_pickle=True)
    for name in ("x.pickle", "x.npy"):
        with pytest.raises(FileError, match="not a hannan file"):
            read(name)
    assert not Path("ran").exists()


def test_what_is_not_there(tmp_path: Path) -> None:
    for path, sentence in ((tmp_path / "none", "there is no file"), (tmp_path, "is a folder, and not a file")):
        with pytest.raises(FileError, match=sentence):
            read(path)


def _write(path: Path, metadata: dict[str, str], **arrays: np.ndarray) -> Path:
    path.write_bytes(safetensors_bytes(arrays, metadata=metadata))
    return path


FACTS = {"game": "matching_pennies", "parameters": {}, "hash": load("matching_pennies").form.hash}
HALF = np.array([1.0, 0.5, 0.5])


def _head(**changed: Any) -> dict[str, str]:
    """Return the metadata of a strategy file, as the format has it, with some entries of the record changed."""
    record = {"format": "hannan.strategy", "version": 1, "facts": FACTS, **changed}
    return {"hannan": json.dumps({name: entry for name, entry in record.items() if entry is not None})}


def test_the_hand_made_file_is_good(tmp_path: Path) -> None:
    assert _same(read(_write(tmp_path / "x", _head(), player0=HALF, player1=HALF)), uniform("matching_pennies"))


@pytest.mark.parametrize(
    ("metadata", "sentence"),
    [
        ({}, "is a safetensors file, but hannan did not write it"),
        ({"format": "pt"}, "is a safetensors file, but hannan did not write it"),
        (_head(format="hannan.checkpoint"), "holds a checkpoint, not a strategy"),
        (_head(format=7), "not a strategy|no readable record"),
        (_head(version=99), "has version 99; this hannan reads version 1"),
        (_head(version=None), "no readable record of its content"),
        (_head(facts=None), "no readable record of its content"),
        (_head(facts=3), "no readable record of its content"),
        (_head(facts="facts"), "no readable record of its content"),
        ({"hannan": "{"}, "no readable record of its content"),
        ({"hannan": "[]"}, "no readable record of its content"),
        ({"hannan": "3"}, "no readable record of its content"),
        (_head(facts={}), "does not say which game it belongs to"),
        (_head(facts=[]), "no readable record|does not say which game"),
        (_head(facts={**FACTS, "parameters": 3}), "does not say which game it belongs to"),
        (_head(facts={**FACTS, "game": ["x"]}), "does not say which game it belongs to"),
    ],
)
def test_foreign_heads_are_refused(metadata: dict[str, str], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=sentence):
        read(_write(tmp_path / "x", metadata, player0=HALF, player1=HALF))


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"player0": HALF}, "lacks the strategy of a player"),
        ({"player0": HALF, "player1": np.ones(4)}, "has 3 sequences, the strategy 4"),
        ({"player0": HALF, "player1": np.ones(3)}, "sums to 2, not 1"),
        ({"player0": HALF, "player1": HALF * np.nan}, "not a probability"),
    ],
)
def test_foreign_arrays_are_refused(arrays: dict[str, np.ndarray], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=sentence):
        read(_write(tmp_path / "x", _head(), **arrays))


def _foreign(path: Path, dtype: str, size: int, metadata: dict[str, str]) -> Path:
    """Write a file with one array of a type that NumPy does not have, byte by byte."""
    head = {"player0": {"dtype": dtype, "shape": [4], "data_offsets": [0, 4 * size]}, "__metadata__": metadata}
    text = json.dumps(head).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(4 * size))
    return path


@pytest.mark.parametrize(("dtype", "size"), [("BF16", 2), ("F8_E4M3", 1), ("F8_E5M2", 1)])
def test_foreign_types_are_refused(dtype: str, size: int, tmp_path: Path) -> None:
    """Files of models, as most files of this kind are; and one that says that it is ours."""
    with pytest.raises(FileError, match="is a safetensors file, but hannan did not write it"):
        read(_foreign(tmp_path / "model", dtype, size, {"format": "pt"}))
    with pytest.raises(FileError, match="is not a hannan file, or is cut short"):
        read(_foreign(tmp_path / "ours", dtype, size, _head()))


def test_complex_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds player0 as complex64, a type of number that no file of ours has"):
        read(_write(tmp_path / "x", _head(), player0=HALF.astype(np.complex64), player1=HALF.astype(np.complex64)))


def test_what_is_no_profile_is_not_saved(tmp_path: Path) -> None:
    thing: Any = 5
    with pytest.raises(ParameterError, match="5 is not a strategy"):
        save(thing, tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_single_precision_is_read_as_double(tmp_path: Path) -> None:
    """A file made elsewhere in 32 bits: either refused, or a profile like any other."""
    path = _write(tmp_path / "x", _head(), player0=HALF.astype(np.float32), player1=HALF.astype(np.float32))
    try:
        found = read(path)
    except FileError:
        return
    assert all(strategy.dtype == np.float64 for strategy in found.strategies)


def test_a_checkpoint_is_no_strategy(tmp_path: Path) -> None:
    CFR("kuhn_poker").save(tmp_path / "x")
    with pytest.raises(FileError, match="holds a checkpoint, not a strategy"):
        read(tmp_path / "x")


def test_a_missing_directory(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written: No such file or directory"):
        save(uniform("kuhn_poker"), tmp_path / "nowhere" / "x")


@pytest.mark.parametrize("failing", ["replace", "fsync", "chmod"])
def test_a_failed_write_leaves_the_old_file(failing: str, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = good.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        save(uniform("kuhn_poker"), good)
    assert good.read_bytes() == before
    assert os.listdir(good.parent) == [good.name]


def test_a_matrix_game_made_from_an_object_needs_its_game(tmp_path: Path) -> None:
    """Rules given as an object carry no parameters, so the file cannot name them: reading says what to do."""
    rules = matrix_game([[1.0, 0.0], [0.0, 1.0]])
    save(uniform(rules), tmp_path / "x")
    assert _same(uniform(rules), read(tmp_path / "x", rules))
    with pytest.raises(FileError, match="give the game too"):
        read(tmp_path / "x")


class Pennies(Coins):
    """Called like a built-in game that has no parameters."""

    name = "matching_pennies"


def test_a_game_that_is_called_like_a_built_in_one(tmp_path: Path) -> None:
    save(uniform(Pennies()), tmp_path / "x")
    assert _same(uniform(Pennies()), read(tmp_path / "x", Pennies()))
    with pytest.raises(FileError, match="belongs to matching_pennies, which is not built in: give the game too"):
        read(tmp_path / "x")
    with pytest.raises(MismatchError, match="belongs to matching_pennies, not to"):
        read(tmp_path / "x", "matching_pennies")


def test_a_profile_of_a_locked_game_comes_back_with_its_locks(tmp_path: Path) -> None:
    locked = lock("kuhn_poker", {1: {"Kb": {"b": 1}, "Jp": {"p": 0.25, "b": 0.75}}})
    drawn = random_profile(locked, seed=3)
    save(drawn, tmp_path / "x")
    for game in (None, "kuhn_poker", locked):
        back = read(tmp_path / "x", game)
        assert back.game.address == locked.address
        assert back.game.form.hash == locked.form.hash
        assert _same(drawn, back)
    with pytest.raises(MismatchError, match="belongs to kuhn_poker"):
        read(tmp_path / "x", lock("kuhn_poker", {1: {"Kb": {"b": 1}}}))
