"""Numbers of a training for TensorBoard, where somebody wants them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from hannan.errors import UnsuitableError


class Scalars:
    """Writes numbers by iteration into a folder that TensorBoard reads; without a folder, nowhere."""

    def __init__(self, folder: str | None) -> None:
        if folder is not None and (find_spec("tensorboard") is None or find_spec("torch") is None):
            raise UnsuitableError(
                "tensorboard=FOLDER writes with torch and tensorboard: pip install 'hannan[neural]' tensorboard"
            )
        self._folder = folder
        self._writer: Any = None

    def write(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Write numbers by name."""
        if self._folder is None:
            return
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(self._folder)
        for name, number in numbers.items():
            self._writer.add_scalar(name, number, iteration)
        self._writer.flush()
