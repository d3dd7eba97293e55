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
const Long STRIPES = SHARES * SHARES;  // parts of a sum over many places

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
