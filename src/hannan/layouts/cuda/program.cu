// Iterations of full-width methods, and the gap of their average, on the slices of `slices.py`.
//
// One source for two machines. A kernel is a row of phases. Within a phase no item reads what another one writes, so
// their order does not matter: on a card, all threads share the items and meet at the BARRIER; compiled by a C++
// compiler of the host, a phase is a loop. All sums have one order, so a card gives the same bits every time.
//
// Options of the compiler: LEARNER (0 regrets, 1 weights, 2 factors), PAYOFF (double or float), OTHERS (players - 1).

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
#define FIXED(x) __ldg(&(x))
#define ONCE(x) __ldcs(&(x))
#define ITEMS(i, low, high) for (long long i = (low) + item; i < (high); i += items)
#define UNROLLED _Pragma("unroll")
#else
#include <cmath>
#define INLINE inline
#define KERNEL extern "C" void
#define FIXED(x) (x)
#define ONCE(x) (x)
#ifdef BACKWARDS
#define ITEMS(i, low, high) for (long long i = (high) - 1; i >= (low); i--)
#else
#define ITEMS(i, low, high) for (long long i = (low); i < (high); i++)
#endif
#define UNROLLED
#define BARRIER
#define BLOCK_BARRIER
#define ONE_BLOCK
struct int2 { int x, y; };
struct int4 { int x, y, z, w; };
inline double max(double a, double b) { return a > b ? a : b; }
#endif

typedef long long Long;

const int WIDTH = 32;
const int CHUNK = 4;                   // actions of a large set that are worked on at one time
const int BATCH = 8;                   // numbers that are read before the first is added
const Long ALONE = 1024;               // a level of at most so many places is left to one block
const int WIDEST = 1 << 15;            // a slot's second number is its actions + WIDEST · the most actions in its slice
const double LOWEST = -1.7976931348623157e308;
const Long SHARES = 64;                // parts of a sum over one level, and what a sum over places comes down to
const Long STRIPES = SHARES * SHARES;  // parts of a sum over all places of a player

enum Learner { REGRETS, WEIGHTS, FACTORS };
enum Tracking { VALUES, GRADIENTS };

// columns of the schedule: `hannan.kernels.fullwidth.records`
enum Column { POSITIVE, NEGATIVE, FLOOR, KEEP, PREDICT, RATE, DECAY, WEIGHT, NOISE, COLUMNS };

// what the header holds: numbers, then addresses of arrays; `program.py` has the same names in the same order
enum Field {
    PLAYERS, SIMULTANEOUS, TRACKING, CELLS, PLAN, SLOT, BELOW, TARGET, GROUP, OTHER, PAYOFFS, ROW, PIECE_BEGIN,
    STRATEGY, REACH, REGRET, TOTAL, PLAYED, VALUE, PRIOR, WORTH, NODE, LOG, GIVEN, LATE, PIECE, SUM, MEASURED
};

// what the plan holds of each player, and then of each of its levels
enum Player { ROOT, END, PARTS, PARTS_END, ROWS, ROWS_END, LEVELS, LEVEL_TABLE, FACTS };
enum Level { SLOTS, SLOTS_END, PLACES, PLACES_END, EDGES };

struct Game {
    const Long *header, *plan;
    Long players, cells;
    const int4 *slot;
    const int2 *below;
    const int *target, *other, *row, *piece_begin;
    const Long *group;
    const PAYOFF *payoff;
    double *strategy, *reach, *regret, *total, *played, *value, *prior, *worth, *node, *log, *given, *late, *piece, *sum;

    INLINE Long fact(Long p, int which) const { return plan[p * FACTS + which]; }
    INLINE Long edge(Long p, Long level, int which) const { return plan[fact(p, LEVEL_TABLE) + EDGES * level + which]; }
    INLINE Long low(Long p, Long level) const { return edge(p, level, SLOTS); }
    INLINE Long high(Long p, Long level) const { return edge(p, level, SLOTS_END); }
    INLINE bool inner(Long p, Long level) const { return level + 1 < fact(p, LEVELS); }
    INLINE const double *earned(Long p, Long level) const { return inner(p, level) ? given : worth; }
};

INLINE void open(Game &g, const Long *header) {
    g.header = header;
    g.players = header[PLAYERS];
    g.cells = header[CELLS];
    g.plan = (const Long *)header[PLAN];
    g.slot = (const int4 *)header[SLOT];
    g.below = (const int2 *)header[BELOW];
    g.target = (const int *)header[TARGET];
    g.group = (const Long *)header[GROUP];
    g.other = (const int *)header[OTHER];
    g.payoff = (const PAYOFF *)header[PAYOFFS];
    g.row = (const int *)header[ROW];
    g.piece_begin = (const int *)header[PIECE_BEGIN];
    g.strategy = (double *)header[STRATEGY];
    g.reach = (double *)header[REACH];
    g.regret = (double *)header[REGRET];
    g.total = (double *)header[TOTAL];
    g.played = (double *)header[PLAYED];
    g.value = (double *)header[VALUE];
    g.prior = (double *)header[PRIOR];
    g.worth = (double *)header[WORTH];
    g.node = (double *)header[NODE];
    g.log = (double *)header[LOG];
    g.given = (double *)header[GIVEN];
    g.late = (double *)header[LATE];
    g.piece = (double *)header[PIECE];
    g.sum = (double *)header[SUM];
}

#ifdef __CUDACC__
// All threads of the grid meet; of one block, only its own.
INLINE void meet(unsigned *counter, unsigned &meetings) {
    __syncthreads();
    if (gridDim.x == 1) return;
    if (threadIdx.x == 0) {
        meetings += gridDim.x;
        __threadfence();
        atomicAdd(counter, 1u);
        while ((int)(*(volatile unsigned *)counter - meetings) < 0) { }
        __threadfence();
    }
    __syncthreads();
}

#define BARRIER meet(counter, meetings);
#define BLOCK_BARRIER __syncthreads();
// Threads of the first block do what follows; items are shared among them alone.
#define ONE_BLOCK if (blockIdx.x == 0) for (Long item = threadIdx.x, items = blockDim.x, once = 1; once; once = 0)
#define BEGIN                                                                                                     \
    Long item = (Long)blockIdx.x * blockDim.x + threadIdx.x;                                                      \
    Long items = (Long)gridDim.x * blockDim.x;                                                                    \
    unsigned meetings = 0;                                                                                        \
    Game g;                                                                                                       \
    open(g, header);                                                                                              \
    __shared__ Long plan[PLAN_ROOM];                                                                              \
    if (PLAN_SIZE <= PLAN_ROOM) {                                                                                 \
        for (int i = threadIdx.x; i < PLAN_SIZE; i += blockDim.x) plan[i] = g.plan[i];                            \
        __syncthreads();                                                                                          \
        g.plan = plan;                                                                                            \
    }
#else
#define BEGIN Game g; open(g, header);
#endif

// ---- what one item of a phase does ------------------------------------------------------------------------------

// What a part of a row gains against the others' reach. A batch of entries is read before the first is added.
INLINE void gain(const Game &g, const double *reach, Long part) {
    Long group = part / WIDTH, end = FIXED(g.group[group + 1]);
    int target = FIXED(g.target[part]);
    double sum = 0;
    for (Long first = FIXED(g.group[group]) + part % WIDTH; first < end; first += BATCH * WIDTH) {
        double term[BATCH];
        UNROLLED
        for (int b = 0; b < BATCH; b++) {
            Long cell = first + b * WIDTH;
            term[b] = cell < end ? (double)ONCE(g.payoff[cell]) : 0;
            UNROLLED
            for (int o = 0; o < OTHERS; o++) if (cell < end) term[b] *= reach[ONCE(g.other[o * g.cells + cell])];
        }
        UNROLLED
        for (int b = 0; b < BATCH; b++) sum += term[b];
    }
    if (target >= 0) g.worth[target] = sum;
    else g.piece[-1 - target] = sum;
}

// The sum of every `by`-th number from `low` to `high`, read a batch at a time.
INLINE double add_up(const double *number, Long low, Long high, Long by) {
    double sum = 0;
    for (Long k = low; k < high; k += BATCH * by) {
        double term[BATCH];
        UNROLLED
        for (int b = 0; b < BATCH; b++) term[b] = k + b * by < high ? number[k + b * by] : 0;
        UNROLLED
        for (int b = 0; b < BATCH; b++) sum += term[b];
    }
    return sum;
}

// The sum of a row that has several parts.
INLINE void assemble(const Game &g, Long row) {
    g.worth[FIXED(g.row[row])] = add_up(g.piece, FIXED(g.piece_begin[row]), FIXED(g.piece_begin[row + 1]), 1);
}

// What a sequence earns with the sets that follow it; where plans have weights, also what those add to its logarithm.
INLINE void gather(const Game &g, Long place) {
    int2 range = FIXED(g.below[place]);
    g.given[place] = g.worth[place] + add_up(g.node, range.x, range.y, 1);
#if LEARNER == 1
    g.late[place] = add_up(g.log, range.x, range.y, 1);
#endif
}

// The regret of an action and its weight in the next strategy.
INLINE double regret(double old, double instant, const double *step) {
    double scale = old > 0 ? FIXED(step[POSITIVE]) : FIXED(step[NEGATIVE]);
    return max(old * scale + instant, FIXED(step[FLOOR]));
}

INLINE double weigh(double regret, double instant, const double *step) {
    double weight = FIXED(step[KEEP]) * regret + FIXED(step[PREDICT]) * instant;
    return FIXED(step[RATE]) > 0 || weight > FIXED(step[NOISE]) ? weight : 0;
}

// Regret matching or Hedge at a set of at most MOST actions, held in registers: all is read before anything is written.
template <int MOST> INLINE void match(const Game &g, int4 set, Long slot, const double *step, const double *earned) {
    double worth[MOST], held[MOST], value = 0, whole = 0, highest = LOWEST;
    int many = set.y % WIDEST;
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) {
        held[a] = g.strategy[set.x + WIDTH * a];
        worth[a] = earned[set.x + WIDTH * a];
    }
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) value += held[a] * worth[a];
    g.node[slot] = value;
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) held[a] = g.regret[set.x + WIDTH * a];
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) {
        double instant = worth[a] - value;
        held[a] = regret(held[a], instant, step);
        worth[a] = weigh(held[a], instant, step);
        whole += worth[a];
        highest = max(highest, worth[a]);
    }
    if (FIXED(step[RATE]) > 0) {
        whole = 0;
        UNROLLED
        for (int a = 0; a < MOST; a++) if (a < many) whole += (worth[a] = exp(FIXED(step[RATE]) * (worth[a] - highest)));
    }
    double scale = whole > 0 ? 1 / whole : 0, even = whole > 0 ? 0 : 1.0 / many;
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) {
        g.regret[set.x + WIDTH * a] = held[a];
        g.strategy[set.x + WIDTH * a] = worth[a] * scale + even;
    }
}

// The actions of a set, CHUNK at a time: action a + b has the place s.
#define CHUNKS(a, many) for (int a = 0; a < (many); a += CHUNK)
#define EACH(b, s, a, many, set)                                                                                  \
    UNROLLED                                                                                                      \
    for (int b = 0, s = (set).x + WIDTH * (a); b < CHUNK; b++, s += WIDTH) if ((a) + b < (many))

// The same at a set of any size: what registers hold above lies in memory here.
INLINE void match_many(const Game &g, int4 set, Long slot, const double *step, const double *earned) {
    double worth[CHUNK], held[CHUNK], value = 0, whole = 0, highest = LOWEST;
    int many = set.y % WIDEST;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { held[b] = g.strategy[s]; worth[b] = earned[s]; }
        EACH(b, s, a, many, set) value += held[b] * worth[b];
    }
    g.node[slot] = value;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { worth[b] = earned[s]; held[b] = g.regret[s]; }
        EACH(b, s, a, many, set) {
            double instant = worth[b] - value;
            g.regret[s] = held[b] = regret(held[b], instant, step);
            g.strategy[s] = worth[b] = weigh(held[b], instant, step);
            whole += worth[b];
            highest = max(highest, worth[b]);
        }
    }
    if (FIXED(step[RATE]) > 0) {
        whole = 0;
        CHUNKS(a, many) {
            EACH(b, s, a, many, set) worth[b] = g.strategy[s];
            EACH(b, s, a, many, set) whole += (g.strategy[s] = exp(FIXED(step[RATE]) * (worth[b] - highest)));
        }
    }
    double scale = whole > 0 ? 1 / whole : 0, even = whole > 0 ? 0 : 1.0 / many;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) worth[b] = g.strategy[s];
        EACH(b, s, a, many, set) g.strategy[s] = worth[b] * scale + even;
    }
}

// The softmax of what `strategy` holds at a set; returns the log of the sum of exponentials.
INLINE double soften(const Game &g, int4 set, int many, double highest) {
    double held[CHUNK], whole = 0;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) held[b] = g.strategy[s];
        EACH(b, s, a, many, set) whole += (g.strategy[s] = exp(held[b] - highest));
    }
    double scale = 1 / whole;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) held[b] = g.strategy[s];
        EACH(b, s, a, many, set) g.strategy[s] = held[b] * scale;
    }
    return highest + log(whole);
}

// Weights of whole plans: add the gradient to the sum, and mix anew from what later sets add in the log domain.
INLINE void mix(const Game &g, int4 set, Long slot, const double *step, const double *earned) {
    double worth[CHUNK], held[CHUNK], sum[CHUNK], value = 0, highest = LOWEST;
    int many = set.y % WIDEST;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { held[b] = g.strategy[s]; worth[b] = earned[s]; sum[b] = g.regret[s]; }
        EACH(b, s, a, many, set) value += held[b] * worth[b];
        EACH(b, s, a, many, set) { worth[b] = FIXED(step[WEIGHT]) * g.worth[s]; held[b] = g.prior[s]; }
        if (earned == g.given) EACH(b, s, a, many, set) held[b] += g.late[s];
        EACH(b, s, a, many, set) {
            g.regret[s] = sum[b] = sum[b] + worth[b];
            g.strategy[s] = held[b] += FIXED(step[RATE]) * (sum[b] + FIXED(step[PREDICT]) * worth[b]);
            highest = max(highest, held[b]);
        }
    }
    g.node[slot] = value;
    g.log[slot] = soften(g, set, many, highest);
}

// What a set earns under its strategy; `given` gets what each action earns from there on.
INLINE void expect(const Game &g, int4 set, Long slot, const double *earned) {
    double worth[CHUNK], held[CHUNK], value = 0;
    int many = set.y % WIDEST;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { held[b] = g.strategy[s]; worth[b] = earned[s]; }
        EACH(b, s, a, many, set) { value += held[b] * worth[b]; g.given[s] = worth[b]; }
    }
    g.node[slot] = value;
}

// Factors 1 + rate · utility: from what is earned in all given the parent to that given each action, then mix anew.
INLINE void factor(const Game &g, int4 set, Long slot, const double *step) {
    double given[CHUNK], sum[CHUNK], prior[CHUNK], highest = LOWEST;
    double elsewhere = g.given[set.z] - g.node[slot], rate = FIXED(step[WEIGHT]) * FIXED(step[RATE]);
    int many = set.y % WIDEST;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { given[b] = g.given[s]; sum[b] = g.regret[s]; prior[b] = g.prior[s]; }
        EACH(b, s, a, many, set) {
            g.given[s] = given[b] += elsewhere;
            g.regret[s] = sum[b] += log1p(rate * given[b]);
            g.strategy[s] = prior[b] += sum[b];
            highest = max(highest, prior[b]);
        }
    }
    soften(g, set, many, highest);
}

// The next strategy at a set whose actions earn what `earned` says: `worth` where no set follows, else `given`.
INLINE void learn(const Game &g, Long slot, const double *step, const double *earned) {
    int4 set = FIXED(g.slot[slot]);
#if LEARNER == 0
    int most = set.y / WIDEST;  // of the slice, so that threads side by side do the same
    if (most <= 4) match<4>(g, set, slot, step, earned);
    else if (most <= 8) match<8>(g, set, slot, step, earned);
    else match_many(g, set, slot, step, earned);
#elif LEARNER == 1
    mix(g, set, slot, step, earned);
#else
    expect(g, set, slot, earned);
#endif
}

// Add the reach just played to the average; then the reach of the next strategy, by way of the sets above. MOST actions
// at a time are read before the way up, which takes longest.
template <int MOST> INLINE void average(const Game &g, int4 set, double decay) {
    double held[MOST], reach[MOST], total[MOST], above = 1;
    int many = set.y % WIDEST;
    for (int first = 0; first < many; first += MOST) {
        UNROLLED
        for (int a = 0; a < MOST; a++) if (first + a < many) {
            int s = set.x + WIDTH * (first + a);
            held[a] = g.strategy[s];
            reach[a] = g.reach[s];
            total[a] = g.total[s];
        }
        if (first == 0) {
            int place = set.z, up = set.w;
            while (up >= 0) {
                double chosen = g.strategy[place];
                int4 before = FIXED(g.slot[up]);
                above *= chosen;
                place = before.z;
                up = before.w;
            }
        }
        UNROLLED
        for (int a = 0; a < MOST; a++) if (first + a < many) {
            int s = set.x + WIDTH * (first + a);
            g.total[s] = total[a] * decay + reach[a];
            g.reach[s] = above * held[a];
        }
    }
}

INLINE void settle(const Game &g, Long slot, double decay) {
    int4 set = FIXED(g.slot[slot]);
    average<CHUNK>(g, set, decay);
}

// The best that a set can earn against the gradient in `worth`.
INLINE void best(const Game &g, Long slot, const double *earned) {
    int4 set = FIXED(g.slot[slot]);
    double worth[CHUNK], highest = LOWEST;
    int many = set.y % WIDEST;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) worth[b] = earned[s];
        EACH(b, s, a, many, set) highest = max(highest, worth[b]);
    }
    g.node[slot] = highest;
}

// Share k of what the sets of the first level earn.
INLINE void share(const Game &g, Long p, Long k) {
    g.sum[p * STRIPES + k] = g.fact(p, LEVELS) > 0 ? add_up(g.node, g.low(p, 0) + k, g.high(p, 0), SHARES) : 0;
}

// What all play earns a player, once the shares are there.
INLINE double whole(const Game &g, Long p) {
    return g.worth[g.fact(p, ROOT)] + add_up(g.sum, p * STRIPES, p * STRIPES + SHARES, 1);
}

// ---- phases, in the words of the seam ---------------------------------------------------------------------------

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
        ITEMS(p, first, last + 1) g.given[g.fact(p, ROOT)] = whole(g, p);                                         \
        BARRIER                                                                                                   \
        Long deepest = 0;                                                                                         \
        for (Long p = first; p <= last; p++) if (g.fact(p, LEVELS) > deepest) deepest = g.fact(p, LEVELS);        \
        for (Long level = 0; level < deepest; level++) {                                                          \
            for (Long p = first; p <= last; p++) if (level < g.fact(p, LEVELS)) {                                 \
                ITEMS(j, g.low(p, level), g.high(p, level)) factor(g, FIXED(g.slot[j]), j, STEP(p));              \
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

#define AVERAGE(first, last)                                                                                      \
    for (Long p = first; p <= last; p++) {                                                                        \
        if (g.fact(p, LEVELS) > 0) {                                                                              \
            ITEMS(j, g.low(p, 0), g.high(p, g.fact(p, LEVELS) - 1)) settle(g, j, decay);                          \
        }                                                                                                         \
        ITEMS(i, 0, 1) {                                                                                          \
            g.total[g.fact(p, ROOT)] = g.total[g.fact(p, ROOT)] * decay + 1;                                      \
            if (p == 0) g.value[g.players] = g.value[g.players] * decay + 1;                                      \
            if (p == 0 && tracking == VALUES) g.value[0] = g.value[0] * decay + whole(g, 0);                      \
        }                                                                                                         \
    }                                                                                                             \
    BARRIER

// The sum of `term` over the places `s` of every player, as `result`; the places are cut into stripes.
#define SUM_UP(term, result)                                                                                      \
    for (Long p = 0; p < g.players; p++) {                                                                        \
        ITEMS(k, 0, STRIPES) {                                                                                    \
            double sum = 0;                                                                                       \
            for (Long s = g.fact(p, ROOT) + k; s < g.fact(p, END); s += STRIPES) { sum += term; }                 \
            g.sum[p * STRIPES + k] = sum;                                                                         \
        }                                                                                                         \
    }                                                                                                             \
    BARRIER                                                                                                       \
    ITEMS(i, 0, g.players * SHARES) {                                                                             \
        g.sum[g.players * STRIPES + i] = add_up(g.sum, i * SHARES, (i + 1) * SHARES, 1);                          \
    }                                                                                                             \
    BARRIER                                                                                                       \
    ITEMS(p, 0, g.players) {                                                                                      \
        Long first = g.players * STRIPES + p * SHARES;                                                            \
        double sum = add_up(g.sum, first, first + SHARES, 1);                                                     \
        result;                                                                                                   \
    }                                                                                                             \
    BARRIER

INLINE double tracked(const Game &g, Long s, double decay) {
    g.played[s] = g.played[s] * decay + g.worth[s];
    return g.worth[s] * g.reach[s];
}

// ---- kernels ----------------------------------------------------------------------------------------------------

// `counter` is 0 at the start of a kernel: threads meet there. The host has no use for it.

// One iteration for each of the `count` rows of a schedule, [count, rows, COLUMNS].
KERNEL iterate(const Long *header, unsigned *counter, const double *schedule, Long count, Long rows) {
    BEGIN
    const bool simultaneous = header[SIMULTANEOUS];
    const Long tracking = header[TRACKING], last = g.players - 1;
    for (Long t = 0; t < count; t++) {
        const double *steps = schedule + t * rows * COLUMNS;
        double decay = FIXED(steps[DECAY]);
        if (simultaneous || tracking == GRADIENTS) { GRADIENT(g.reach, 0, last) }
        if (tracking == GRADIENTS) {
            SUM_UP(tracked(g, s, decay), g.value[p] = g.value[p] * decay + sum)
        }
        if (simultaneous) {
            LEARN(0, last)
            AVERAGE(0, last)
        } else {
            for (Long p0 = 0; p0 < g.players; p0++) {
                GRADIENT(g.reach, p0, p0)
                LEARN(p0, p0)
                AVERAGE(p0, p0)
            }
        }
    }
}

// The sum of weights, which is 0 before the first iteration; for each player what the average play earns it and what a best response would; where `correlated`, what a best
// response would earn against the correlated average play. `given` gets the average's reaches first.
KERNEL measure(const Long *header, unsigned *counter, Long correlated) {
    BEGIN
    double *weight = (double *)header[MEASURED], *measured = weight + 1;
    const Long last = g.players - 1;
    ITEMS(i, 0, 1) *weight = g.value[g.players];
    for (Long p = 0; p < g.players; p++) {
        ITEMS(s, g.fact(p, ROOT), g.fact(p, END)) g.given[s] = g.total[s] / g.total[g.fact(p, ROOT)];
    }
    BARRIER
    GRADIENT(g.given, 0, last)
    SUM_UP(g.worth[s] * g.given[s], measured[p] = sum)
    UPWARD(0, last, true, best(g, j, g.earned(p, level)))
    ITEMS(p, 0, g.players) measured[g.players + p] = whole(g, p);
    BARRIER
    if (correlated) {
        for (Long p = 0; p < g.players; p++) {
            ITEMS(s, g.fact(p, ROOT), g.fact(p, END)) g.worth[s] = g.played[s] / g.value[g.players];
        }
        BARRIER
        UPWARD(0, last, true, best(g, j, g.earned(p, level)))
        ITEMS(p, 0, g.players) measured[2 * g.players + p] = whole(g, p);
        BARRIER
    }
}
