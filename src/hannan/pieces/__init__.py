"""Work in numbered pieces, and the workers that compute them: this process, processes of this machine, or Ray."""

from hannan.pieces.choice import workers_of
from hannan.pieces.options import SpreadOptions
from hannan.pieces.run import run_pieces
from hannan.pieces.workers import Workers

__all__ = ["SpreadOptions", "Workers", "run_pieces", "workers_of"]
