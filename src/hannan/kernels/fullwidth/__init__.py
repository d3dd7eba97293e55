"""Kernels over the sequence form: what one iteration of a full-width method does, in two layouts.

| layout | the loop over iterations | passes of every method | regret learners (CFR) | log-weight learners (EINR) |
| --- | --- | --- | --- | --- |
| plain | `plain.run` | `passes` | `regrets` | `weights` |
| tiled | `tiled.run` | `tiled_passes` | `tiled_regrets` | `tiled_weights` |

Both loops call the same verbs in the same order: gradient, learn, average, and track where correlated play is kept.
`hannan.layouts.backend` has the loop once more in Python, says what the verbs mean, and is what solvers see.
"""
