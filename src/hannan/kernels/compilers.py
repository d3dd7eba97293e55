"""How numba compiles kernels: without the work that they do not need.

Numba optimises each function by itself, and then everything together twice: first only to find references to arrays
that need no counting. Kernels count none. So their code is optimised once, together with the parts in it.
"""

from __future__ import annotations

from itertools import count
from typing import Any, ClassVar

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from hannan.kernels.lent import refuse_changed

SPARED = (InlineClosureLikes, InlineOverloads, NopythonRewrites)
"""Steps that only functions in functions, and arithmetic on whole arrays, need. Numba refuses kernels with these."""

_NUMBERS = count()
"""Numbers in the names of libraries, which have to differ."""


class Whole(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a kernel, which is optimised once, together with that of its parts."""

    def add_ir_module(self, module: Any) -> None:
        for function in module.functions:
            refuse_changed(function)
        super().add_ir_module(module)

    def _optimize_functions(self, module: Any) -> None:
        """Do nothing but what the step that follows relies on."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Optimise once."""
        steps, builder = self._codegen._module_pass_manager()
        with self._recorded_timings.record("Module passes", builder):
            steps.run(self._final_module, builder)


class _Nowhere:
    """The machine code of a part: there is none."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: `environment` is for Python, which cannot call a part."""


class Part(Whole):
    """The code of a kernel that is made part of its callers. They optimise it together with their own code."""

    codegen = _Nowhere()

    def _optimize_final_module(self) -> None:
        """Do nothing: this code is never called as it stands here."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: no function of a part has an address."""
        self._ensure_finalized()
        return 0


class KernelCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel without the steps in SPARED."""

    code: ClassVar[type[JITCodeLibrary]] = Whole

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        if library is None:
            library = self.code(target.codegen(), f"kernel{next(_NUMBERS)}")
            library.enable_object_caching()
        super().__init__(typing, target, library, *rest)

    def define_pipelines(self) -> list[Any]:
        steps = PassManager("kernel")
        for step, name in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if step not in SPARED:
                steps.add_pass(step, name)
        steps.finalize()
        return [steps]


class PartCompiler(KernelCompiler):
    """Compiles a kernel as far as its callers need: without any optimisation."""

    code = Part
