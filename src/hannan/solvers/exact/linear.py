"""Linear programs on HiGHS: arrays in, arrays out, and an end at any time.

Q. Huangfu and J. A. J. Hall (2018), Parallelizing the dual revised simplex method: the solver behind `highspy`.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats
from hannan.errors import HannanError

Algorithm = Literal["simplex", "ipm"]
Ending = Literal["optimal", "infeasible", "interrupted", "seconds"]

TOLERANCE = 1e-9
"""How far HiGHS may be from feasible, primal and dual. Its own default, 1e-7, would show in the eighth digit."""

DROWNED = 1e4
"""Payoffs this many times larger than their range drown it in tolerances."""


@dataclass(frozen=True)
class Solution:
    """The end of a linear program. The arrays are zeros if HiGHS has no solution."""

    ending: Ending
    columns: Floats  # [columns]
    duals: Floats  # [rows]  the gain of the objective per unit by which a row's bound is relaxed; 0 or more
    objective: float
    iterations: int  # simplex iterations; 0 if the given basis was optimal already


AT_LOWER, BASIC, AT_UPPER = range(3)
"""HiGHS's numbers for the state of a column or row: at its lower bound, in the basis, at its upper bound."""


@dataclass(frozen=True)
class Basis:
    """The state of each column and each row, by HiGHS's numbers."""

    columns: list[int]
    rows: list[int]


class LinearProgram:
    """Maximise cost·x subject to lower ≤ x ≤ upper and low_rows ≤ matrix·x ≤ 0. It can be changed and solved again."""

    def __init__(
        self,
        cost: Floats,
        matrix: Any,  # a SciPy sparse array, [rows, columns]
        lower: Floats,
        upper: Floats,
        low_rows: Floats,
        *,
        algorithm: Algorithm = "simplex",
    ) -> None:
        import highspy

        matrix = matrix.tocsc()
        rows, columns = matrix.shape
        self._columns, self._upper = np.arange(columns, dtype=np.int32), upper
        self._highs = highs = highspy.Highs()
        highs.silent()
        for name, setting in {
            "solver": algorithm,
            "parallel": "off",
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        }.items():
            highs.setOptionValue(name, setting)
        status = highs.passModel(
            columns, rows, matrix.nnz, int(highspy.MatrixFormat.kColwise), int(highspy.ObjSense.kMaximize), 0.0,
            cost, lower, upper, low_rows, np.zeros(rows), matrix.indptr.astype(np.int32),
            matrix.indices.astype(np.int32), matrix.data.astype(np.float64), np.zeros(columns, np.int32),
        )  # fmt: skip
        if status == highspy.HighsStatus.kError:
            raise HannanError("HiGHS refused the linear program: the payoffs may be too large or too far apart")
        self._cancelled = threading.Event()
        highs.cbSimplexInterrupt += self._asked
        highs.cbIpmInterrupt += self._asked

    def change(self, cost: Floats, lower: Floats) -> None:
        """Replace the costs and the lower bounds; the next solve starts from the last basis, by the simplex method."""
        count = len(self._columns)
        self._highs.changeColsCost(count, self._columns, cost)
        self._highs.changeColsBounds(count, self._columns, lower, self._upper)
        if self._highs.getBasis().valid:
            self._highs.setOptionValue("solver", "simplex")

    def basis(self) -> Basis | None:
        """Return the basis of the last solve; None if it has no valid basis."""
        basis = self._highs.getBasis()
        if not basis.valid:
            return None
        return Basis([int(status) for status in basis.col_status], [int(status) for status in basis.row_status])

    def begin(self, basis: Basis) -> None:
        """Let the next solve start from a basis, for example that of a smaller program that is a part of this one."""
        from highspy import HighsBasis, HighsBasisStatus

        begun = HighsBasis()
        begun.col_status = [HighsBasisStatus(status) for status in basis.columns]
        begun.row_status = [HighsBasisStatus(status) for status in basis.rows]
        begun.valid = True
        self._highs.setBasis(begun)

    def cancel(self) -> None:
        """End a `solve` that is under way in another thread."""
        self._cancelled.set()

    def solve(self, time_limit: float | None = None) -> Solution:
        """Run HiGHS in another thread. Ctrl-C ends the run, and then goes to the previous handler.

        `time_limit` is in seconds.
        """
        deadline = np.inf if time_limit is None else time.perf_counter() + time_limit
        late = False
        work = threading.Thread(target=self._highs.run, daemon=True)
        with _ctrl_c(self._cancelled):
            try:
                work.start()
                while work.is_alive():
                    work.join(0.1 if late else max(0.0, min(0.1, deadline - time.perf_counter())))
                    late = time.perf_counter() >= deadline
                    if late:
                        self._cancelled.set()
            finally:
                if work.is_alive():
                    self._cancelled.set()
                    work.join()
        solution = self._read()
        return replace(solution, ending="seconds") if late and solution.ending == "interrupted" else solution

    def _asked(self, event: Any) -> None:
        if self._cancelled.is_set():
            event.interrupt()

    def _read(self) -> Solution:
        from highspy import HighsModelStatus as Status

        endings: dict[Any, Ending] = {
            Status.kOptimal: "optimal",
            Status.kInfeasible: "infeasible",
            Status.kInterrupt: "interrupted",
        }
        status = self._highs.getModelStatus()
        if status not in endings:
            words = self._highs.modelStatusToString(status)
            raise HannanError(f"HiGHS ended without a solution ({words}); the payoffs may be too far apart in size")
        values = self._highs.getSolution()
        columns, duals = np.zeros(self._highs.getNumCol()), np.zeros(self._highs.getNumRow())
        if values.value_valid:
            columns[:] = values.col_value
        if values.dual_valid:
            duals[:] = values.row_dual
        info = self._highs.getInfo()
        objective = float(info.objective_function_value)
        return Solution(endings[status], columns, duals, objective, int(info.simplex_iteration_count))


@contextmanager
def _ctrl_c(cancelled: threading.Event) -> Iterator[None]:
    """Note a Ctrl-C, SIGTERM, SIGHUP or SIGXCPU in `cancelled`, and pass it on to the previous handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    named = (getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU"))
    heard = {one: signal.getsignal(one) for one in named if one is not None}
    before = {one: handler for one, handler in heard.items() if callable(handler)}  # SIG_DFL and SIG_IGN are not

    def note(number: int, frame: FrameType | None) -> None:
        cancelled.set()
        before[signal.Signals(number)](number, frame)

    for one in before:
        signal.signal(one, note)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
