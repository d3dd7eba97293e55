"""The neural benchmarks: rows by name, and what is refused."""

from __future__ import annotations

import pytest

from hannan.bench import measure
from hannan.errors import HannanError, ParameterError, UnknownNameError


def told(_: str) -> None:
    pass


@pytest.mark.slow
@pytest.mark.parametrize("row", ["kuhn", "traversals"])
def test_a_row_runs(row: str) -> None:
    pytest.importorskip("torch")
    (section,) = measure("neural", True, told, {"row": row, "device": "cpu"})
    (line,) = section.rows
    assert line.ours.value > 0
    assert line.target is not None or line.peer is None


@pytest.mark.parametrize(
    ("group", "choices", "error", "sentence"),
    [
        ("neural", {"row": "kuh"}, UnknownNameError, "did you mean 'kuhn'"),
        ("neural", {"device": "tpu"}, ParameterError, "device='tpu' is not known"),
        ("lp", {"row": "kuhn"}, ParameterError, "the benchmark lp has no --row"),
    ],
)
def test_what_is_refused(group: str, choices: dict[str, str], error: type[HannanError], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        list(measure(group, True, told, choices))
