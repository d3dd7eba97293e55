// Phases in the words of the seam, and the two kernels that are made of them.

#define GRADIENT(reach, first, last)                                                                              \
    ITEMS(i, g.fact(first, PARTS), g.fact(last, PARTS_END)) gain(g, reach, i);                                    \
    BARRIER                                                                                                       \
    if (g.fact(last, ROWS_END) > g.fact(first, ROWS)) {                                                           \
        ITEMS(i, g.fact(first, ROWS), g.fact(last, ROWS_END)) assemble(g, i);                                     \
        BARRIER                                                                                                   \
    }

// One level up: gather what follows, then do `what` at each set j.
#define RISE(first, last, deepest, what, barrier)                                                                 \
    if (level + 1 < deepest) {                                                                                    \
        for (Long p = first; p <= last; p++) if (g.inner(p, level)) {                                             \
            ITEMS(s, g.edge(p, level, PLACES), g.edge(p, level, PLACES_END)) gather(g, s);                        \
        }                                                                                                         \
        barrier                                                                                                   \
    }                                                                                                             \
    for (Long p = first; p <= last; p++) if (level < g.fact(p, LEVELS)) {                                         \
        ITEMS(j, g.low(p, level), g.high(p, level)) { what; }                                                     \
    }                                                                                                             \
    barrier

INLINE Long places(const Game &g, Long first, Long last, Long level) {
    Long sum = 0;
    for (Long p = first; p <= last; p++) if (level < g.fact(p, LEVELS)) {
        sum += g.edge(p, level, PLACES_END) - g.edge(p, level, PLACES);
    }
    return sum;
}

// From the last level up, players first … last side by side; then, where wanted, the shares of what play earns.
#define UPWARD(first, last, shared, what)                                                                                \
    {                                                                                                             \
        Long deepest = 0;                                                                                         \
        for (Long p = first; p <= last; p++) if (g.fact(p, LEVELS) > deepest) deepest = g.fact(p, LEVELS);        \
        for (Long level = deepest - 1; level >= 0; level--) {                                                     \
            bool alone = places(g, first, last, level) <= ALONE;                                                  \
            if (alone) {                                                                                          \
                ONE_BLOCK { RISE(first, last, deepest, what, BLOCK_BARRIER) }                                     \
                if (level == 0 || places(g, first, last, level - 1) > ALONE) { BARRIER }                              \
            } else {                                                                                              \
                RISE(first, last, deepest, what, BARRIER)                                                         \
            }                                                                                                     \
        }                                                                                                         \
        if (shared) {                                                                                             \
            for (Long p = first; p <= last; p++) { ITEMS(k, 0, SHARES) share(g, p, k); }                          \
            BARRIER                                                                                               \
        }                                                                                                         \
    }

#define STEP(p) (steps + ((p) < rows ? (p) : rows - 1) * COLUMNS)

#if LEARNER == 2
#define SPREAD(first, last)                                                                                       \
    {                                                                                                             \
        ITEMS(p, first, last + 1) g.h.given[g.fact(p, ROOT)] = whole(g, p);                                         \
        BARRIER                                                                                                   \
        Long deepest = 0;                                                                                         \
        for (Long p = first; p <= last; p++) if (g.fact(p, LEVELS) > deepest) deepest = g.fact(p, LEVELS);        \
        for (Long level = 0; level < deepest; level++) {                                                          \
            for (Long p = first; p <= last; p++) if (level < g.fact(p, LEVELS)) {                                 \
                ITEMS(j, g.low(p, level), g.high(p, level)) factor(g, FIXED(g.h.slot[j]), j, STEP(p));              \
            }                                                                                                     \
            BARRIER                                                                                               \
        }                                                                                                         \
    }
#else
#define SPREAD(first, last)
#endif

#define LEARN(first, last)                                                                                        \
    UPWARD(first, last, LEARNER == FACTORS || (first == 0 && tracking == VALUES), learn(g, j, STEP(p), g.earned(p, level)))                                                                     \
    SPREAD(first, last)

// Band by band, from the root down: within a band, each set finds its reach by itself.
#define AVERAGE(first, last)                                                                                      \
    {                                                                                                             \
        Long bands = 0;                                                                                           \
        for (Long p = first; p <= last; p++) {                                                                    \
            if (g.fact(p, BANDS) > bands) bands = g.fact(p, BANDS);                                               \
            ITEMS(i, 0, 1) {                                                                                      \
                if (AVERAGED) g.h.total[g.fact(p, ROOT)] = g.h.total[g.fact(p, ROOT)] * decay + 1;                    \
                if (p == 0) g.h.value[g.h.players] = g.h.value[g.h.players] * decay + 1;                                  \
                if (p == 0 && tracking == VALUES) g.h.value[0] = g.h.value[0] * decay + whole(g, 0);                  \
            }                                                                                                     \
        }                                                                                                         \
        for (Long k = 0; k < bands; k++) {                                                                        \
            for (Long p = first; p <= last; p++) if (k < g.fact(p, BANDS)) {                                      \
                ITEMS(j, g.band(p, k), g.band(p, k + 1)) settle(g, j, g.band(p, k), decay);                       \
            }                                                                                                     \
            BARRIER                                                                                               \
        }                                                                                                         \
    }

// The stripes of the sum of `term` over the places `s` of every player. Who shares a phase with them ends it.
#define STRIPE(term)                                                                                              \
    for (Long p = 0; p < g.h.players; p++) {                                                                        \
        Long many = stripes(g, p), end = g.fact(p, END);                                                          \
        ITEMS(k, 0, many) {                                                                                       \
            double sum = 0;                                                                                       \
            for (Long first = g.fact(p, ROOT) + k; first < end; first += BATCH * many) {                          \
                double part[BATCH];                                                                               \
                UNROLLED                                                                                          \
                for (Long b = 0, s = first; b < BATCH; b++, s += many) part[b] = s < end ? (term) : 0;            \
                UNROLLED                                                                                          \
                for (Long b = 0; b < BATCH; b++) sum += part[b];                                                  \
            }                                                                                                     \
            striped(g, p)[k] = sum;                                                                               \
        }                                                                                                         \
    }

INLINE double tracked(const Game &g, Long s, double decay) {
    g.h.played[s] = g.h.played[s] * decay + g.h.worth[s];
    return g.h.worth[s] * g.h.reach[s];
}

// ---- kernels ----------------------------------------------------------------------------------------------------

// `counter` is 0 at the start of a kernel: threads meet there. The host has no use for it.

// One iteration for each of the `count` rows of a schedule, [count, rows, COLUMNS].
KERNEL iterate(HEADER, unsigned *counter, const double *schedule, Long count, Long rows) {
    BEGIN
    const bool simultaneous = header.simultaneous;
    const Long tracking = header.tracking, last = g.h.players - 1;
    for (Long t = 0; t < count; t++) {
        const double *steps = schedule + t * rows * COLUMNS;
        double decay = FIXED(steps[DECAY]);
        if (simultaneous || tracking == GRADIENTS) { GRADIENT(g.h.reach, 0, last) }
        if (tracking == GRADIENTS) {
            STRIPE(tracked(g, s, decay))
            BARRIER
            for (Long p = 0; p < g.h.players; p++) { ITEMS(k, 0, SHARES) collect(g, p, k); }
            BARRIER
            ITEMS(p, 0, g.h.players) g.h.value[p] = g.h.value[p] * decay + add_up(shares(g, p), 0, SHARES, 1);
            BARRIER
        }
        if (simultaneous) {
            LEARN(0, last)
            AVERAGE(0, last)
        } else {
            for (Long p0 = 0; p0 < g.h.players; p0++) {
                GRADIENT(g.h.reach, p0, p0)
                LEARN(p0, p0)
                AVERAGE(p0, p0)
            }
        }
    }
}

// The sum of weights, which is 0 before the first iteration; for each player what the average play earns it and what a
// best response would; where `correlated`, what a best response would earn against the correlated average play.
// Totals stand for the average's reaches: what they are too large by is divided out at the end. Where no average is
// kept, `total` is `reach`, so that the last strategies are measured. The host reads
// `measured` where it is written.
KERNEL measure(HEADER, unsigned *counter, Long correlated) {
    BEGIN
    double *weight = header.measured, *measured = weight + 1;
    const Long last = g.h.players - 1;
    ITEMS(i, 0, 1) *weight = g.h.value[g.h.players];
    GRADIENT(g.h.total, 0, last)
    STRIPE(g.h.worth[s] * g.h.total[s])
    UPWARD(0, last, false, best(g, j, g.earned(p, level)))
    for (Long p = 0; p < g.h.players; p++) {
        ITEMS(k, 0, 2 * SHARES) {
            if (k < SHARES) share(g, p, k);
            else collect(g, p, k - SHARES);
        }
    }
    BARRIER
    ITEMS(i, 0, 2 * g.h.players) {
        Long p = i % g.h.players;
        if (i < g.h.players) measured[i] = add_up(shares(g, p), 0, SHARES, 1) * unit_of(g, -1);
        else measured[i] = whole(g, p) * unit_of(g, p);
    }
    if (correlated) {
        BARRIER
        for (Long p = 0; p < g.h.players; p++) {
            ITEMS(s, g.fact(p, ROOT), g.fact(p, END)) g.h.worth[s] = g.h.played[s] / g.h.value[g.h.players];
        }
        BARRIER
        UPWARD(0, last, true, best(g, j, g.earned(p, level)))
        ITEMS(p, 0, g.h.players) measured[2 * g.h.players + p] = whole(g, p);
    }
}
