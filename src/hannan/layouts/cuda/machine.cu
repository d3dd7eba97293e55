// Iterations of full-width methods, and the gap of their average, on the slices of `slices.py`.
//
// One source for two machines. A kernel is a row of phases. Within a phase no item reads what another one writes, so
// their order does not matter: on a card, all threads share the items and meet at the BARRIER; compiled by a C++
// compiler of the host, a phase is a loop. All sums have one order, so a card gives the same bits every time.
//
// Options of the compiler: LEARNER (0 regrets, 1 weights, 2 factors), PAYOFF (double, float, or unsigned char), CODED (a
// payoff is a number of `table`), OTHERS (players - 1), AVERAGED, SIMULTANEOUS, TRACKING (as in `Setup`).

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
#define FIXED(x) __ldg(&(x))
#define ONCE(x) __ldcs(&(x))
#define FIRST(low, high) ((low) + item)
#define STRIDE items
#define UNROLLED _Pragma("unroll")
#define TEXT(x) #x
#define UNROLL(count) _Pragma(TEXT(unroll count))
#else
#include <cmath>
#define INLINE inline
#define KERNEL extern "C" void
#define FIXED(x) (x)
#define ONCE(x) (x)
#ifdef BACKWARDS
#define FIRST(low, high) ((high) - 1)
#define STRIDE (-1)
#else
#define FIRST(low, high) (low)
#define STRIDE 1
#endif
#define UNROLLED
#define UNROLL(count)
#define BARRIER
#define BLOCK_BARRIER
#define ONE_BLOCK
struct int2 { int x, y; };
struct uint2 { unsigned x, y; };
struct int4 { int x, y, z, w; };
inline double max(double a, double b) { return a > b ? a : b; }
#endif

typedef long long Long;

// The items of a thread.
#define INSIDE(i, low, high) ((i) >= (low) && (i) < (high))
#define ITEMS(i, low, high) for (int i = FIRST(low, high); INSIDE(i, low, high); i += STRIDE)

const int PLAYERS = OTHERS + 1;
const int WIDTH = 32;
const int CHUNK = 8;                   // actions of a large set that are worked on at one time
const int BATCH = 8;                   // numbers that are read before the first is added
const int PACK = 8;                    // entries of a part that lie side by side
const int PACKS = 2;                   // packs that are worked on at one time
const int ALONE = 1024;               // a level of at most so many places is left to one block
const int CODES = 256;                 // numbers in the table of payoffs
const int WIDEST = 1 << 15;            // a slot's second number is its actions + WIDEST · the most actions in its slice;
const int IDLE = 1 << 30;              // and this bit, if nothing is at stake there
const double LOWEST = -1.7976931348623157e308;
const int SHARES = 64;                // parts of a sum over one level with more sets, and what a sum over places comes down to
const int STRIPES = SHARES * SHARES;  // parts of a sum over many places

enum Learner { REGRETS, WEIGHTS, FACTORS };
enum Tracking { VALUES, GRADIENTS };

// columns of the schedule: `hannan.kernels.fullwidth.records`
enum Column { POSITIVE, NEGATIVE, FLOOR, KEEP, PREDICT, RATE, DECAY, WEIGHT, NOISE, COLUMNS };

// what the plan holds of each player, and then of each of its levels; a band is a run of levels: its first slot
enum Player { ROOT, END, PARTS, PARTS_END, ROWS, ROWS_END, LEVELS, LEVEL_TABLE, BANDS, BAND_TABLE, FACTS };
enum Level { SLOTS, SLOTS_END, PLACES, PLACES_END, EDGES };

// The header as the host writes it. A kernel gets it by value, so that its fields take no registers.
struct Header {
    Long indexes, resting;
    const Long *plan;
    const int4 *slot;
    const int *seat;
    const int2 *below;
    const int *target;
    const int4 *group;
    const int *other;
    const PAYOFF *payoff;
    const double *table;
    const int *row, *piece_begin;
    double *strategy, *reach, *regret, *total, *played, *value, *prior, *worth, *node, *log, *given, *late, *piece, *sum;
    double *measured;
};

struct Game {
    const Header &h;
    const Long *plan;
    const double *table;

    INLINE int fact(int p, int which) const { return (int)plan[p * FACTS + which]; }
    INLINE int edge(int p, int level, int which) const { return (int)plan[fact(p, LEVEL_TABLE) + EDGES * level + which]; }
    INLINE int low(int p, int level) const { return edge(p, level, SLOTS); }
    INLINE int high(int p, int level) const { return edge(p, level, SLOTS_END); }
    INLINE int band(int p, int k) const { return (int)plan[fact(p, BAND_TABLE) + k]; }
    INLINE bool inner(int p, int level) const { return level + 1 < fact(p, LEVELS); }
    INLINE const double *earned(int p, int level) const { return inner(p, level) ? h.given : h.worth; }
};

// What a slot says of its set.
INLINE int actions(int4 set) { return set.y % WIDEST; }
INLINE int most_actions(int4 set) { return set.y % IDLE / WIDEST; }
INLINE bool rests(const Game &g, int4 set) { return g.h.resting && set.y >= IDLE; }

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
#define ONE_BLOCK if (blockIdx.x == 0) for (int item = threadIdx.x, items = blockDim.x, once = 1; once; once = 0)
// The rows of a schedule for one iteration. Between their last use and this, and between this and their first use, threads meet.
#define STEPS(row)                                                                                                \
    __shared__ double steps[PLAYERS * COLUMNS];                                                                   \
    for (int i = threadIdx.x; i < rows * COLUMNS; i += blockDim.x) steps[i] = (row)[i];
#define HEADER const __grid_constant__ Header header
#define BEGIN                                                                                                     \
    const int item = blockIdx.x * blockDim.x + threadIdx.x, items = gridDim.x * blockDim.x;                       \
    unsigned meetings = 0;                                                                                        \
    __shared__ Long plan[PLAN_SIZE <= PLAN_ROOM ? PLAN_SIZE : 1];                                                 \
    __shared__ double table[CODED ? CODES : 1];                                                                   \
    if (PLAN_SIZE <= PLAN_ROOM) for (int i = threadIdx.x; i < PLAN_SIZE; i += blockDim.x) plan[i] = header.plan[i]; \
    if (CODED) for (int i = threadIdx.x; i < CODES; i += blockDim.x) table[i] = header.table[i];                  \
    __syncthreads();                                                                                              \
    const Game g = {header, PLAN_SIZE <= PLAN_ROOM ? plan : header.plan, table};
#else
#define HEADER const Header &header
#define STEPS(row) const double *steps = row;
#define BEGIN const Game g = {header, header.plan, header.table};
#endif
