"""Checking a certificate with NumPy and the standard library alone, sharing no code with what made it."""

from __future__ import annotations

from hannan.verifier.verdict import Verdict as Verdict
from hannan.verifier.verification import verify as verify
