"""Check certificates and equilibria with NumPy and the standard library, sharing only error classes with the rest."""

from __future__ import annotations

from hannan.verifier.equilibria import is_equilibria as is_equilibria
from hannan.verifier.equilibria import read_equilibria as read_equilibria
from hannan.verifier.equilibria import verify_equilibria as verify_equilibria
from hannan.verifier.verdict import EquilibriaVerdict as EquilibriaVerdict
from hannan.verifier.verdict import Verdict as Verdict
from hannan.verifier.verification import verify as verify
