"""Numbers of a training for TensorBoard, if the caller gives a folder."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from hannan.errors import UnsuitableError


class Scalars:
    """A writer of numbers by iteration into a TensorBoard folder; without a folder it writes nothing."""

    def __init__(self, folder: str | None) -> None:
        if folder is not None and (find_spec("tensorboard") is None or find_spec("torch") is None):
            raise UnsuitableError(
                "tensorboard=FOLDER needs torch and tensorboard: pip install 'hannan[neural]' tensorboard"
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
