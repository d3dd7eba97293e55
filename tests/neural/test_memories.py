"""Memories: a uniform choice of everything that was offered; merging changes no gradient."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hannan.neural.memories import Lessons, Reservoir
from hannan.neural.traversals import Samples


def samples(numbers: np.ndarray) -> Samples:
    known = np.stack((numbers, numbers % 7), axis=1).astype(np.float32)
    return Samples(known, numbers[:, None].astype(np.float64))


def test_every_sample_is_kept_with_the_same_probability() -> None:
    """Chi-square over 1,000 memories of 20 from 100 samples, offered in pieces of different sizes."""
    kept = np.zeros(100)
    for seed in range(1000):
        memory = Reservoir(20, 2, 1, seed, precise=True)
        for piece in np.split(np.arange(100), [7, 30, 31, 80]):
            memory.add(samples(piece), 1)
        assert (len(memory), memory.seen) == (20, 100)
        kept[memory.target[:, 0].astype(int)] += 1
    # kept without replacement: the variance of a count is that of a multinomial times (1 - 20/100)
    statistic = ((kept - 200) ** 2 / 200).sum() / (1 - 20 / 100)
    assert stats.chi2.sf(statistic, 99) > 0.001
    assert kept[-1] < 500  # a window that slides would keep the last ones always


def test_what_is_kept_does_not_depend_on_the_pieces_before_it_is_full() -> None:
    one, other = Reservoir(50, 2, 1, 3), Reservoir(50, 2, 1, 3)
    one.add(samples(np.arange(40)), 1)
    for piece in np.split(np.arange(40), [5, 6]):
        other.add(samples(piece), 1)
    np.testing.assert_array_equal(one.target[:40], other.target[:40])


def test_weights_are_powers_of_the_iteration_and_merging_takes_weighted_means() -> None:
    memory = Reservoir(10, 2, 2, 0, precise=True)
    row = np.array([[1.0, 2.0]], np.float32)
    memory.add(Samples(row, np.array([[3.0, np.nan]])), 1)
    memory.add(Samples(row, np.array([[6.0, np.nan]])), 2)
    memory.add(Samples(row + 1, np.array([[0.0, 5.0]])), 3)
    plain = memory.lessons()
    np.testing.assert_allclose(plain.weight, [0.5, 1.0, 1.5])  # 1, 2, 3 over their mean
    merged = memory.lessons(merge=2)
    order = np.argsort(merged.known[:, 0])
    np.testing.assert_allclose(merged.target[order], [[(3 + 2 * 6) / 3, np.nan], [0.0, 5.0]])
    np.testing.assert_allclose(merged.weight[order], [1.0, 1.0])  # 3 and 3
    assert len(memory.lessons(merge=1)) == 3  # more rows differ than that
    np.testing.assert_allclose(memory.lessons(2.0).weight, np.array([1.0, 4.0, 9.0]) * 3 / 14)


def test_gradients_and_weighting_of_a_hand_computed_example() -> None:
    """Two rows, two heads, one of them without its second action: loss = mean of weight · Σ (said - target)²."""
    torch = pytest.importorskip("torch")
    from hannan.neural.networks import loss_of

    said = torch.tensor([[1.0, 2.0], [0.5, 9.0]], requires_grad=True)
    target, weight = torch.tensor([[0.0, 4.0], [1.5, 0.0]]), torch.tensor([1.0, 3.0])
    there = torch.tensor([[True, True], [True, False]])
    loss = loss_of(said, target, weight, there, "squares")
    assert float(loss.detach()) == pytest.approx(((1 + 4) + 3 * 1) / 2)
    torch.autograd.backward(loss)
    np.testing.assert_allclose(said.grad, [[1.0, -2.0], [3 * -1.0, 0.0]])
    logits = torch.tensor([[0.0, 0.0], [1.0, 7.0]], requires_grad=True)
    share = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    entropy = loss_of(logits, share, weight, there, "entropy")
    assert float(entropy.detach()) == pytest.approx(np.log(2) / 2, abs=1e-6)
    torch.autograd.backward(entropy)
    np.testing.assert_allclose(logits.grad, [[0.125, -0.125], [0.0, 0.0]], atol=1e-7)
    logits.grad = None
    squares = loss_of(logits, share, weight, there, "probabilities")
    assert float(squares.detach()) == pytest.approx((0.25**2 + 0.25**2) / 2, abs=1e-6)
    torch.autograd.backward(squares)
    np.testing.assert_allclose(logits.grad, [[0.125, -0.125], [0.0, 0.0]], atol=1e-7)  # 2 · 0.25 · 0.5 · 0.5 · 2 / 2


def test_only_an_unrestricted_function_has_the_same_minimum_for_both_losses() -> None:
    """Two rows with targets 0.9 and 0.8. If each row has a logit of its own, both losses reach the targets.

    If one number θ says θ and 2θ there, entropy wants σ(θ) + 2σ(2θ) = 0.9 + 2 · 0.8, and squares something else.
    """
    torch = pytest.importorskip("torch")
    from hannan.neural.networks import loss_of

    share = torch.tensor([[0.9, 0.1], [0.8, 0.2]], dtype=torch.float64)
    weight, there = torch.ones(2), torch.ones((2, 2), dtype=torch.bool)
    free, restricted = [], []
    for kind in ("entropy", "probabilities"):
        logit = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        one = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        for numbers, many in ((logit, torch.ones(2)), (one, torch.tensor([1.0, 2.0]))):
            for _ in range(600):  # small steps downhill, until nothing changes to 1e-6
                said = torch.stack((numbers * many, torch.zeros(2, dtype=torch.float64)), dim=1)
                (slope,) = torch.autograd.grad(loss_of(said, share, weight, there, kind), [numbers])
                numbers.data -= 2.0 * slope
        free.append(torch.sigmoid(logit).detach().numpy())
        restricted.append(float(one.detach()))
    np.testing.assert_allclose(free, [[0.9, 0.8]] * 2, atol=1e-4)
    theta = restricted[0]
    assert 1 / (1 + np.exp(-theta)) + 2 / (1 + np.exp(-2 * theta)) == pytest.approx(0.9 + 2 * 0.8, abs=1e-6)
    assert abs(restricted[0] - restricted[1]) > 0.3


def test_merged_lessons_have_the_gradient_of_all_samples() -> None:
    torch = pytest.importorskip("torch")
    from hannan.neural.design import Design
    from hannan.neural.modules import build
    from hannan.neural.networks import loss_of

    draws = np.random.default_rng(1)
    memory = Reservoir(200, 3, 2, 0)
    rows = draws.integers(0, 2, (150, 3)).astype(np.float32)
    for t in (1, 2, 3):
        memory.add(Samples(rows[50 * t - 50 : 50 * t], draws.normal(size=(50, 2))), t)
    gradients = []
    for lessons in (memory.lessons(), memory.lessons(merge=100)):
        module = build(Design(3, 2, 2, 8), 1)
        for weight in module.parameters():
            weight.data += 0.1  # the head says something, too
        known, target, weight = (torch.from_numpy(np.asarray(part, np.float32)) for part in _parts(lessons))
        loss = loss_of(module(known), target, weight, ~torch.isnan(target), "squares")
        gradients.append(
            torch.cat([part.reshape(-1) for part in torch.autograd.grad(loss, list(module.parameters()))]).numpy()
        )
    assert len(memory.lessons(merge=100)) == 8
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-3, atol=1e-5)


def _parts(lessons: Lessons) -> tuple[np.ndarray, ...]:
    return lessons.known, lessons.target, lessons.weight
