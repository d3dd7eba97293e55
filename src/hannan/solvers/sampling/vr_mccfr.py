"""Monte Carlo CFR with baselines that reduce the variance of its estimates.

M. Schmid, N. Burch, M. Lanctot, M. Moravcik, R. Kadlec, M. Bowling (2019), Variance reduction in Monte Carlo
counterfactual regret minimization (VR-MCCFR) for extensive form games using baselines.
T. Davis, M. Schmid, M. Bowling (2020), Low-variance and zero-variance baselines for extensive-form games.
"""

from __future__ import annotations

from typing import Literal, Unpack, get_args

from hannan.arguments import choice, shown, whole
from hannan.errors import ParameterError
from hannan.forms.loader import Loadable
from hannan.forms.sizes import Sizes
from hannan.kernels.sampling import records as rec
from hannan.solvers.parameters import by_name
from hannan.solvers.sampling.guide import Given
from hannan.solvers.sampling.sampler import Common, Sampling
from hannan.solvers.sampling.ways import Walks

Baseline = Literal["learned", "predictive", "static", "oracle", "none"]
Key = Literal["history", "set"]
Sampler = Literal["outcome", "external", "robust"]

_BASELINES = {
    "learned": rec.LEARNED,
    "predictive": rec.PREDICTIVE,
    "static": rec.FIXED,
    "oracle": rec.ORACLE,
    "none": rec.NO_BASELINE,
}


class VRMCCFR(Sampling):
    """Each estimate is corrected by a guess at the value of every move, on the path and off it.

    With learner=rm+ it is VR-MCCFR+. On rules that are not expanded, the baselines `static` and `oracle` do not work,
    and the table of guesses grows with the visits.
    """

    method = "vr-mccfr"
    meanings = by_name(
        sampler="which moves a walk takes: one at each set, all of the traverser's, or k of them",
        baseline="the guess: learned moves towards what was sampled, predictive backs up along the path under the "
        "new strategies, static is the mean of uniform play, oracle knows the values of current play (slow: for tests)",
        key="a guess for each history and move, or (learned only) for each information set and action",
        rate="how far a learned guess moves towards what was sampled",
        epsilon="the probability with which the traverser's move is drawn uniformly instead of by its strategy",
        explore="whether the other players' moves are drawn so too",
        sampling_policy="a strategy, or the file of one, that takes the current strategies' place in these draws",
        k="sampler=robust: the number of its actions that the traverser takes",
    )
    allowed = by_name(averaging=("lazy", "weighted", "simple"))

    def __init__(
        self,
        game: Loadable,
        *,
        sampler: Sampler = "outcome",
        baseline: Baseline = "learned",
        key: Key = "history",
        rate: float = 0.5,
        epsilon: float = 0.6,
        explore: bool = False,
        sampling_policy: Given | None = None,
        k: int = 2,
        **common: Unpack[Common],
    ) -> None:
        for name, word, known in (
            ("sampler", sampler, get_args(Sampler)),
            ("baseline", baseline, get_args(Baseline)),
            ("key", key, get_args(Key)),
        ):
            choice(name, word, known)
        if key == "set" and baseline not in ("learned", "none"):
            raise ParameterError(f"baseline={shown(baseline)} is kept for histories; key='set' goes with 'learned'")
        averaging = common.get("averaging")
        if sampler == "outcome" and isinstance(averaging, str) and averaging == "simple":
            raise ParameterError("averaging='simple' does not go with outcome sampling, which explores at own sets")
        if sampler != "outcome" and sampling_policy is not None:
            raise ParameterError(f"sampling_policy is for sampler='outcome'; {sampler} sampling does not explore")
        self.sampler, self.baseline, self.key, self.k = sampler, baseline, key, whole("k", k)
        own = {"outcome": rec.ONE, "external": rec.ALL, "robust": self.k}[sampler]
        self.rate, self.epsilon, self.explore = rate, epsilon, explore
        walks = Walks(
            own,
            epsilon=epsilon,
            explore=explore,
            policy=sampling_policy,
            baseline=_BASELINES[baseline],
            key=rec.HISTORY if key == "history" else rec.INFORMATION_SET,
            rate=rate,
        )
        super().__init__(game, walks, **common)

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return super().memory(sizes) + 8 * sizes.players * sizes.histories
