"""What `kernels/{stamps,inlining,borrow,pointers}` rely on inside numba: a new version that lacks it is named here."""

from __future__ import annotations

import re
from importlib import import_module, metadata
from pathlib import Path

import numba
import pytest

INSIDE = {
    "numba.core.caching.FunctionCache": ("load_overload", "save_overload"),
    "numba.core.caching.IndexDataCacheFile": ("load", "_load_index"),
    "numba.core.registry.CPUDispatcher": ("add_overload",),
    "numba.core.cgutils": ("get_null_value",),
    "numba.core.types.misc": ("unliteral",),
    "numba.extending": ("intrinsic",),
    "numba.np.arrayobj": ("make_array",),
}
"""Classes and modules, and what of them is called or replaced."""


@pytest.mark.parametrize("place", INSIDE)
def test_numba_has_what_kernels_touch(place: str) -> None:
    try:
        thing = import_module(place)
    except ModuleNotFoundError:
        module, _, name = place.rpartition(".")
        thing = getattr(import_module(module), name)
    for name in INSIDE[place]:
        assert hasattr(thing, name), f"numba {numba.__version__}: {place}.{name}"


def test_a_kept_kernel_has_the_parts_that_stamps_replace() -> None:
    @numba.njit(cache=True)  # type: ignore[untyped-decorator]  # numba has no types
    def one() -> int:
        return 1

    cache, overloads = one._cache, one.overloads
    assert not overloads
    assert hasattr(cache._cache_file, "_source_stamp")
    assert hasattr(cache._impl, "filename_base")
    assert Path(cache._cache_path).name


def test_the_upper_limit_lets_in_the_version_that_is_tested() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    limit = re.search(r'"numba>=[\d.]+,<(\d+)\.(\d+)"', text)
    assert limit is not None
    here = metadata.version("numba").split(".")
    assert (int(here[0]), int(here[1])) < (int(limit[1]), int(limit[2]))
