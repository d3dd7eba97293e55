"""A fixed number of mutated and of honest files, and what was found once. `python -m tests.forge` makes more."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.forge import originals
from tests.forge.bases import BASES
from tests.forge.search import FINDINGS, Search

FILES, HONEST, PARTS = 1000, 100, 2
"""How many files are mutated, and made, every time; in how many parts, so that they can run side by side."""

CORPUS = [json.loads(line) for line in (Path(__file__).parent / "corpus.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Search:
    return Search(tmp_path_factory.mktemp("forge"))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_mutation_is_accepted_with_a_claim_below_the_truth(part: int, search: Search) -> None:
    ends: Counter[str] = Counter()
    for number in range(part, FILES, PARTS):
        end, why = search.attempt(number)
        ends[end] += 1
        assert end not in FINDINGS, f"{number}: {end}: {search.mutated(number)[1].said}: {why}"
    assert min(ends["rejected"], ends["arithmetic"], ends["counts"]) > 0, (
        "all files end alike: the search tries nothing"
    )


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_honest_file_is_accepted(part: int, tmp_path: Path) -> None:
    for number in range(part, HONEST, PARTS):
        end, why = originals.attempt(number, tmp_path)
        assert end == "accepted", f"{number}: {end}: {why}"


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: f"{case['base']}: {'; '.join(case['said'])}"[:80])
def test_what_was_found_once(case: dict[str, Any], search: Search) -> None:
    assert case["base"] in BASES
    end, why = search.judged(case["base"], search.recalled(case))
    assert end not in FINDINGS, why
