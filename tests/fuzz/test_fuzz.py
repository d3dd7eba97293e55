"""A fixed number of cases of every subject, and the corpus: what was found once. `python -m tests.fuzz` makes more."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.files import ALL, KINDS, Files
from tests.fuzz.subjects import subject

CASES = {"files": 500, "addresses": 400, "commands": 200, "rules": 200}
"""How many cases of each subject are tried every time: some seconds of each."""

CORPUS = [json.loads(line) for line in (Path(__file__).parent / "corpus.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def files(folder: Path) -> Files:
    return Files(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_nothing_but_answers_and_sentences(name: str, folder: Path) -> None:
    attempt = subject(name, folder)
    ends = {attempt(number) for number in range(CASES[name])}
    assert len(ends) > 1, "all cases end alike: the fuzzer tries nothing"


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("kind", ALL)
def test_what_nobody_changed_is_used(kind: str, given: bool, files: Files) -> None:
    if ALL[kind].needs:
        pytest.importorskip(ALL[kind].needs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert files.use(kind, files.good(kind).read_bytes(), given=given) == "used"


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: f"{case['file']} {json.dumps(case['changes'])[:80]}")
def test_what_was_found_once(case: dict[str, Any], files: Files) -> None:
    """`refused`: such a file is nonsense; `either`: whoever made the digest anew may have meant it."""
    kind, changes, given = case["file"], case["changes"], case.get("given", False)
    if ALL[kind].needs:
        pytest.importorskip(ALL[kind].needs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = files.changed(kind, changes, sealed=case.get("sealed", True))
        ended = files.use(kind, data, given=given)
        assert ended == "refused" or case["ends"] == "either"
        if kind in KINDS:
            assert files.use(kind, files.changed(kind, changes, sealed=False), given=given) == "refused"
