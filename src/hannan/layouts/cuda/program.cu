// Phases in the words of the seam, and the two kernels that are made of them.

#define GRADIENT(reach, first, last)                                                                              \
    ITEMS(i, g.fact(first, PARTS), g.fact(last, PARTS_END)) gain(g, reach, i);                                    \
    BARRIER                                                                                                       \
    if (g.fact(last, ROWS_END) > g.fact(first, ROWS)) {                                                           \
        ITEMS(i, g.fact(first, ROWS), g.fact(last, ROWS_END)) assemble(g, i);                                     \
        BARRIER                                                                                                   \
    }

// Do `what` at each set of the slots from `low` to `high`. The next slot is read while a set is worked on.
#define SETS(j, set, low, high, what)                                                                             \
    {                                                                                                             \
        int j = FIRST(low, high);                                                                                \
        int4 set, ahead;                                                                                          \
        if (INSIDE(j, low, high)) ahead = FIXED(g.h.slot[j]);                                                     \
        for (; INSIDE(j, low, high); j += STRIDE) {                                                               \
            set = ahead;                                                                                          \
            if (INSIDE(j + STRIDE, low, high)) ahead = FIXED(g.h.slot[j + STRIDE]);                               \
            what;                                                                                                 \
        }                                                                                                         \
    }

// One level up: gather what follows, then do `what` at each set j.
#define RISE(first, last, deepest, what, barrier)                                                                 \
    if (level + 1 < deepest) {                                                                                    \
        for (int p = first; p <= last; p++) if (g.inner(p, level)) {                                             \
            ITEMS(s, g.edge(p, level, PLACES), g.edge(p, level, PLACES_END)) gather(g, s);                        \
        }                                                                                                         \
        barrier                                                                                                   \
    }                                                                                                             \
    for (int p = first; p <= last; p++) if (level < g.fact(p, LEVELS)) {                                         \
        SETS(j, set, g.low(p, level), g.high(p, level), what)                                                     \
    }                                                                                                             \
    barrier

INLINE int places(const Game &g, int first, int last, int level) {
    int sum = 0;
    for (int p = first; p <= last; p++) if (level < g.fact(p, LEVELS)) {
        sum += g.edge(p, level, PLACES_END) - g.edge(p, level, PLACES);
    }
    return sum;
}

// From the last level up, players first … last side by side; then, where wanted, the shares of what play earns.
#define UPWARD(first, last, summed, what)                                                                         \
    {                                                                                                             \
        int deepest = 0;                                                                                         \
        for (int p = first; p <= last; p++) if (g.fact(p, LEVELS) > deepest) deepest = g.fact(p, LEVELS);        \
        for (int level = deepest - 1; level >= 0; level--) {                                                     \
            bool alone = places(g, first, last, level) <= ALONE;                                                  \
            if (alone) {                                                                                          \
                ONE_BLOCK { RISE(first, last, deepest, what, BLOCK_BARRIER) }                                     \
                if (level == 0 || places(g, first, last, level - 1) > ALONE) { BARRIER }                              \
            } else {                                                                                              \
                RISE(first, last, deepest, what, BARRIER)                                                         \
            }                                                                                                     \
        }                                                                                                         \
        bool shares = false;                                                                                      \
        for (int p = first; p <= last; p++) shares = shares || ((summed) && shared(g, p));                         \
        if (shares) {                                                                                             \
            for (int p = first; p <= last; p++) { ITEMS(k, 0, SHARES) share(g, p, k); }                          \
            BARRIER                                                                                               \
        }                                                                                                         \
    }

#define STEP(p) (steps + ((p) < rows ? (p) : rows - 1) * COLUMNS)

#if LEARNER == 2
#define SPREAD(first, last)                                                                                       \
    {                                                                                                             \
        ITEMS(p, first, last + 1) g.h.given[g.fact(p, ROOT)] = whole(g, p);                                         \
        BARRIER                                                                                                   \
        int deepest = 0;                                                                                         \
        for (int p = first; p <= last; p++) if (g.fact(p, LEVELS) > deepest) deepest = g.fact(p, LEVELS);        \
        for (int level = 0; level < deepest; level++) {                                                          \
            for (int p = first; p <= last; p++) if (level < g.fact(p, LEVELS)) {                                 \
                ITEMS(j, g.low(p, level), g.high(p, level)) factor(g, FIXED(g.h.slot[j]), FIXED(g.h.seat[j]), STEP(p));              \
            }                                                                                                     \
            BARRIER                                                                                               \
        }                                                                                                         \
    }
#else
#define SPREAD(first, last)
#endif

#define LEARN(first, last)                                                                                        \
    UPWARD(first, last, LEARNER == FACTORS || (first == 0 && TRACKING == VALUES),                                 \
           learn(g, set, FIXED(g.h.seat[j]), STEP(p), steps[DECAY], g.earned(p, level)))                                                  \
    SPREAD(first, last)

// Band by band, from the root down: within a band, each set finds its reach by itself.
#define AVERAGE(first, last)                                                                                      \
    {                                                                                                             \
        int bands = 0;                                                                                           \
        for (int p = first; p <= last; p++) {                                                                    \
            if (g.fact(p, BANDS) > bands) bands = g.fact(p, BANDS);                                               \
            ITEMS(i, 0, 1) {                                                                                      \
                if (AVERAGED) g.h.total[g.fact(p, ROOT)] = g.h.total[g.fact(p, ROOT)] * steps[DECAY] + 1;                    \
                if (p == 0) g.h.value[PLAYERS] = g.h.value[PLAYERS] * steps[DECAY] + 1;                                  \
                if (p == 0 && TRACKING == VALUES) g.h.value[0] = g.h.value[0] * steps[DECAY] + whole(g, 0);                  \
            }                                                                                                     \
        }                                                                                                         \
        for (int k = 0; k < bands; k++) {                                                                        \
            for (int p = first; p <= last; p++) if (k < g.fact(p, BANDS)) {                                      \
                SETS(j, set, g.band(p, k), g.band(p, k + 1), settle(g, set, g.band(p, k)))                        \
            }                                                                                                     \
            BARRIER                                                                                               \
        }                                                                                                         \
    }

// The stripes of the sum of `term` over the places `s` of every player. Who shares a phase with them ends it.
#define STRIPE(term)                                                                                              \
    for (int p = 0; p < PLAYERS; p++) {                                                                        \
        int many = stripes(g, p), end = g.fact(p, END);                                                          \
        ITEMS(k, 0, many) {                                                                                       \
            double sum = 0;                                                                                       \
            for (int first = g.fact(p, ROOT) + k; first < end; first += BATCH * many) {                          \
                double part[BATCH];                                                                               \
                UNROLLED                                                                                          \
                for (int b = 0, s = first; b < BATCH; b++, s += many) part[b] = s < end ? (term) : 0;            \
                UNROLLED                                                                                          \
                for (int b = 0; b < BATCH; b++) sum += part[b];                                                  \
            }                                                                                                     \
            striped(g, p)[k] = sum;                                                                               \
        }                                                                                                         \
    }

INLINE double tracked(const Game &g, int s, double decay) {
    g.h.played[s] = g.h.played[s] * decay + g.h.worth[s];
    return g.h.worth[s] * g.h.reach[s];
}

// ---- kernels ----------------------------------------------------------------------------------------------------

// `counter` is 0 at the start of a kernel: threads meet there. The host has no use for it.

// One iteration for each of the `count` rows of a schedule, [count, rows, COLUMNS].
KERNEL iterate(HEADER, unsigned *counter, const double *schedule, Long count, Long rows) {
    BEGIN
    const int last = OTHERS;
    for (Long t = 0; t < count; t++) {
        STEPS(schedule + t * rows * COLUMNS)
        if (SIMULTANEOUS || TRACKING == GRADIENTS) { GRADIENT(g.h.reach, 0, last) }
        if (TRACKING == GRADIENTS) {
            STRIPE(tracked(g, s, steps[DECAY]))
            BARRIER
            for (int p = 0; p < PLAYERS; p++) { ITEMS(k, 0, SHARES) collect(g, p, k); }
            BARRIER
            ITEMS(p, 0, PLAYERS) g.h.value[p] = g.h.value[p] * steps[DECAY] + add_up(shares(g, p), 0, SHARES, 1);
            BARRIER
        }
        if (SIMULTANEOUS) {
            LEARN(0, last)
            AVERAGE(0, last)
        } else {
            for (int p0 = 0; p0 < PLAYERS; p0++) {
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
    const int last = OTHERS;
    ITEMS(i, 0, 1) *weight = g.h.value[PLAYERS];
    GRADIENT(g.h.total, 0, last)
    STRIPE(g.h.worth[s] * g.h.total[s])
    UPWARD(0, last, false, best(g, set, FIXED(g.h.seat[j]), g.earned(p, level)))
    for (int p = 0; p < PLAYERS; p++) {
        ITEMS(k, 0, 2 * SHARES) {
            if (k < SHARES) share(g, p, k);
            else collect(g, p, k - SHARES);
        }
    }
    BARRIER
    ITEMS(i, 0, 2 * PLAYERS) {
        int p = i % PLAYERS;
        if (i < PLAYERS) measured[i] = add_up(shares(g, p), 0, SHARES, 1) * unit_of(g, -1);
        else measured[i] = whole(g, p) * unit_of(g, p);
    }
    if (correlated) {
        BARRIER
        for (int p = 0; p < PLAYERS; p++) {
            ITEMS(s, g.fact(p, ROOT), g.fact(p, END)) g.h.worth[s] = g.h.played[s] / g.h.value[PLAYERS];
        }
        BARRIER
        UPWARD(0, last, true, best(g, set, FIXED(g.h.seat[j]), g.earned(p, level)))
        ITEMS(p, 0, PLAYERS) measured[2 * PLAYERS + p] = whole(g, p);
    }
}
