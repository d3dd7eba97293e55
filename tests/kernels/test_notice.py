"""What a user hears about compiling."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from hannan.kernels.notice import summary

WARM = "import hannan as hn; hn.solve('kuhn_poker', 'cfr', iterations=2)"


def test_the_files_that_took_longest_are_named_first() -> None:
    seconds = {"a": 0.5, "b": 2.0, "c": 1.0, "d": 0.25}
    assert summary(9, seconds) == "compiled 9 kernels in 3.8 s (b 2.0 s, c 1.0 s, a 0.5 s)"


def test_a_first_process_says_what_it_compiled_and_a_second_one_says_nothing(tmp_path: Path) -> None:
    def said() -> str:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", WARM], env=environment, capture_output=True, text=True, check=True)
        return done.stderr

    first, last = said().splitlines()
    assert first == "hannan: compiling, this once; the next start takes it from the cache"
    assert re.fullmatch(r"hannan: compiled \d+ kernels in [\d.]+ s \(.*expansion\.walk [\d.]+ s.*\)", last), last
    assert said() == ""
