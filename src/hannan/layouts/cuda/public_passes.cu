// A walk over a public tree, stage by stage of one depth: reaches go down, values and learning come up.
//
// One source for two machines, as `machine.cu` says. A kernel works on some stages of one depth. Items of a kernel never
// read what another item of it writes: a type's reaches and values on one line of play depend on that type and line alone.
// A *strand* is some lines that one thread works on.
// All sums have one order, so a card gives the same bits every time.
//
// Python writes the lines above this file: the columns of `hannan.kernels.public.records` and of the schedule, the struct
// `Tree` with the arrays of `Public`, the lines of a template, the state and the scratch. REAL is the type of reaches and
// values, STATE that of regrets and averages. MEASURES: best values are worked out, and no player learns.

#ifdef __CUDACC__
#define INLINE __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#define STAGES(k, many) for (Long k = blockIdx.y; k < (many); k += gridDim.y)
#define ITEMS(i, many) for (Long i = (Long)blockIdx.x * blockDim.x + threadIdx.x; i < (many); i += (Long)gridDim.x * blockDim.x)
#define PLAYERS(p) for (int p = blockIdx.z; p < 2; p += gridDim.z)
#define BATCHES(i, many) for (Long i = blockIdx.x; i < (many); i += gridDim.x)
#define UNROLLED _Pragma("unroll")
#define FIXED(x) __ldg(&(x))
#define TREE const __grid_constant__ Tree t
#define OPENED
#else
#include <cmath>
#include <vector>
#define INLINE inline
#define KERNEL extern "C" void
#define UNROLLED
#define FIXED(x) (x)
#define TREE const Tree *tree
#define OPENED const Tree &t = *tree;
#ifdef BACKWARDS
#define STAGES(k, many) for (Long k = (many) - 1; k >= 0; k--)
#define ITEMS(i, many) for (Long i = (many) - 1; i >= 0; i--)
#define PLAYERS(p) for (int p = 1; p >= 0; p--)
#else
#define STAGES(k, many) for (Long k = 0; k < (many); k++)
#define ITEMS(i, many) for (Long i = 0; i < (many); i++)
#define PLAYERS(p) for (int p = 0; p < 2; p++)
#endif
#define BATCHES(i, many) ITEMS(i, many)
#endif

const int WARP = 32;
const REAL TINY = (REAL)1.1754943508222875e-38;  // 2^-126: the inverse of a smaller sum overflows

enum Where { AT_REACH, AT_VALUE = 2, AT_BEST = 4, AT_PARTS = 6 };  // columns of `where`: parts of a stage in the scratch
enum Source { FROM_REGRETS, FROM_AVERAGE };

INLINE Long whole_warps(Long types) { return (types + WARP - 1) / WARP * WARP; }
INLINE REAL fused(REAL a, REAL b, REAL c) {
    return sizeof(REAL) == 4 ? (REAL)fmaf((float)a, (float)b, (float)c) : (REAL)fma((double)a, (double)b, (double)c);
}

// What one player has at one stage.
struct Seat {
    const Tree &t;
    Long s;
    int player;
    const Long *stage, *shape;
    const int *nodes;
    Long types, width;
    REAL *reach, *value, *best;

    INLINE Seat(const Tree &t, Long s, int player) : t(t), s(s), player(player) {
        stage = t.stage + s * S_COLUMNS;
        shape = t.shape + stage[S_TEMPLATE] * T_COLUMNS;
        nodes = t.node + shape[T_NODE] * N_COLUMNS;
        types = stage[S_TYPES + player];
        width = stage[S_WIDTH + player];
        const Long *where = t.where + s * AT_PARTS;
        reach = t.scratch + where[AT_REACH + player];
        value = t.scratch + where[AT_VALUE + player];
        best = t.scratch + where[AT_BEST + player];
    }
    INLINE const int *node(Long n) const { return nodes + n * N_COLUMNS; }
    INLINE Long row(const int *node) const { return (Long)node[N_ROW + player] * width; }
    INLINE Long lines() const { return shape[T_LINES]; }
    INLINE const Long *line_at() const { return t.line_at + t.lines_at[stage[S_TEMPLATE]]; }
};

// A node at which a player acts, as `lines_of` in `public_program.py` lists them.
struct Inner {
    int kind, actions, slot, node, child, row, row_below;

    INLINE Inner(const Tree &t, Long at) {
        const int *from = t.inner + 8 * at;
        kind = FIXED(from[0]);
        actions = FIXED(from[1]);
        slot = FIXED(from[2]);
        node = FIXED(from[3]);
        child = FIXED(from[4]);
        row = FIXED(from[5]);
        row_below = FIXED(from[6]);
    }
};

// The strategy of one type at one node with N actions; 0: the node says how many, at most MOST. All that is read for a
// node is read before anything is written, so that a thread waits for memory once.
template <int N> struct Play {
    static const int ROOM = N ? N : MOST;
    const Tree &t;
    Long first, types;
    int actions;
    REAL kept[ROOM], at[ROOM];  // the numbers from which the strategy comes, and its probabilities

    INLINE Play(const Seat &seat, const Inner &node, Long i, int source)
        : t(seat.t), first(seat.stage[S_STATE + seat.player] + node.slot * seat.types + i), types(seat.types),
          actions(N ? N : node.actions) {
        const double *step = t.step + seat.player * COLUMNS;
        const STATE *from = source == FROM_AVERAGE ? t.total : t.regret;
        bool learnt = source == FROM_REGRETS, hedges = learnt && step[RATE] > 0;
        UNROLLED for (int a = 0; a < actions; a++) at[a] = kept[a] = (REAL)from[place(a)];
        if (learnt && t.last) {
            REAL keep = (REAL)step[KEEP], predict = (REAL)step[PREDICT];
            UNROLLED for (int a = 0; a < actions; a++) at[a] = fused(keep, kept[a], predict * (REAL)t.last[place(a)]);
        }
        if (hedges) hedge(seat, i, step);
        else match(learnt ? (REAL)step[NOISE] : 0);
        if (t.fixed) {
            UNROLLED for (int a = 0; a < actions; a++)
                if (t.fixed[place(a)] >= 0) at[a] = (REAL)t.fixed[place(a)];
        }
    }
    INLINE Long place(int a) const { return first + a * types; }
    INLINE bool locked() const { return t.fixed && t.fixed[first] >= 0; }
    INLINE void match(REAL noise) {
        REAL sum = 0;
        UNROLLED for (int a = 0; a < actions; a++) {
            at[a] = at[a] > noise ? at[a] : 0;
            sum += at[a];
        }
        REAL scale = sum > TINY ? 1 / sum : 0, even = sum > TINY ? 0 : (REAL)(1.0 / actions);
        UNROLLED for (int a = 0; a < actions; a++) at[a] = fused(at[a], scale, even);
    }
    INLINE void hedge(const Seat &seat, Long i, const double *step) {
        Long type = t.alive[seat.stage[S_ROW + seat.player] + i];
        double rate = step[RATE] * t.weight[seat.player * t.most_types + type] * t.way[seat.s] / t.pairs, sum = 0;
        REAL highest = at[0];
        UNROLLED for (int a = 1; a < actions; a++) highest = at[a] > highest ? at[a] : highest;
        UNROLLED for (int a = 0; a < actions; a++) sum += at[a] = (REAL)exp(rate * ((double)at[a] - highest));
        UNROLLED for (int a = 0; a < actions; a++) at[a] = (REAL)(at[a] / sum);
    }
};

template <int N> INLINE void reach_below(const Seat &seat, const Inner &node, Long i, int source) {
    REAL here = seat.reach[node.row * seat.width + i];
    REAL *below = seat.reach + node.row_below * seat.width + i;
    Play<N> play(seat, node, i, source);
    UNROLLED for (int a = 0; a < play.actions; a++) below[a * seat.width] = here * play.at[a];
}

// Reaches of all nodes of some stages, of the players whose bits `movers` has.
KERNEL down(TREE, Long first, Long many, Long strands, Long source, Long movers) {
    OPENED
    STAGES(k, many) PLAYERS(player) {
        if (!((movers >> player) & 1)) continue;
        Seat seat(t, t.list[first + k], player);
        Long warps = whole_warps(seat.types), before = t.before[seat.s], lines = seat.lines();
        ITEMS(item, strands * warps) {
            Long strand = item / warps, i = item % warps;
            if (i >= seat.types) continue;
            Long low = lines * strand / strands, high = lines * (strand + 1) / strands;
            if (before < 0) {
                seat.reach[i] = (REAL)t.weight[player * t.most_types + t.alive[seat.stage[S_ROW + player] + i]];
            } else {
                Seat above(t, before, player);
                Long place = t.down[t.down_at[2 * seat.s + player] + i];
                const int *leaf = t.leaf + above.shape[T_LEAF];
                for (Long line = low; line < high; line++)
                    seat.reach[line * seat.width + i] = above.reach[above.row(above.node(FIXED(leaf[line]))) + place];
            }
            const Long *edge = seat.line_at();
            for (Long at = edge[low]; at < edge[high]; at++) {
                Inner node(t, at);
                if (node.kind != player) continue;
                switch (node.actions) {
                case 2: reach_below<2>(seat, node, i, (int)source); break;
                case 3: reach_below<3>(seat, node, i, (int)source); break;
                case 4: reach_below<4>(seat, node, i, (int)source); break;
                default: reach_below<0>(seat, node, i, (int)source);
                }
            }
        }
    }
}

// What a walk up is for.
struct Aim {
    int hero, source;
    bool learns;
    const double *step;
};

// The value of a node of hero under its strategy, what best play is worth, and learning.
template <int N> INLINE void value_mine(const Seat &seat, const Inner &node, Long i, const Aim &aim) {
    const Tree &t = seat.t;
    Play<N> play(seat, node, i, aim.source);
    Long width = seat.width, child = node.child * width + i;
    REAL value[Play<N>::ROOM], mean = 0;
    UNROLLED for (int a = 0; a < play.actions; a++) value[a] = seat.value[child + a * width];
    UNROLLED for (int a = 0; a < play.actions; a++) mean = fused(play.at[a], value[a], mean);
    if (MEASURES) {
        bool locked = play.locked();
        REAL most = locked ? 0 : seat.best[child];
        for (int a = 0; a < play.actions; a++) {
            REAL best = seat.best[child + a * width];
            if (locked) most += play.at[a] * best;
            else if (best > most) most = best;
        }
        seat.best[node.node * width + i] = most;
    } else if (aim.learns) {
        const REAL *reach = seat.reach + node.row_below * width + i;
        REAL floor = (REAL)aim.step[FLOOR], decay = (REAL)aim.step[DECAY];
        REAL positive = (REAL)aim.step[POSITIVE], negative = (REAL)aim.step[NEGATIVE], total[Play<N>::ROOM];
        if (t.total) {
            UNROLLED for (int a = 0; a < play.actions; a++)
                total[a] = fused((REAL)t.total[play.place(a)], decay, reach[a * width]);
            UNROLLED for (int a = 0; a < play.actions; a++) t.total[play.place(a)] = (STATE)total[a];
        }
        UNROLLED for (int a = 0; a < play.actions; a++) {
            REAL fresh = fused(play.kept[a], play.kept[a] > 0 ? positive : negative, value[a] - mean);
            t.regret[play.place(a)] = (STATE)(fresh > floor ? fresh : floor);
            if (t.last) t.last[play.place(a)] = (STATE)(value[a] - mean);
        }
    }
    seat.value[node.node * width + i] = mean;
}

// The value of a node of the opponent: its reaches are in the values already.
template <int N> INLINE void value_theirs(const Seat &seat, const Inner &node, Long i) {
    const int actions = N ? N : node.actions;
    Long width = seat.width, child = node.child * width + i;
    REAL mean = 0, most = 0;
    UNROLLED for (int a = 0; a < actions; a++) mean += seat.value[child + a * width];
    if (MEASURES) {
        UNROLLED for (int a = 0; a < actions; a++) most += seat.best[child + a * width];
        seat.best[node.node * width + i] = most;
    }
    seat.value[node.node * width + i] = mean;
}

template <int N> INLINE void value_of(const Seat &seat, const Inner &node, Long i, const Aim &aim) {
    if (node.kind == aim.hero) value_mine<N>(seat, node, i, aim);
    else value_theirs<N>(seat, node, i);
}

// Values of all nodes of some stages; those of ends and leaves are there. `heroes` and `learns` have a bit for each player.
KERNEL up(TREE, Long first, Long many, Long strands, Long source, Long heroes, Long learns, const double *steps, Long rows) {
    OPENED
    STAGES(k, many) PLAYERS(hero) {
        if (!((heroes >> hero) & 1)) continue;
        Seat seat(t, t.list[first + k], hero);
        Aim aim = {hero, (int)source, ((learns >> hero) & 1) != 0, steps + (hero < rows ? hero : rows - 1) * COLUMNS};
        Long warps = whole_warps(seat.types), lines = seat.lines();
        ITEMS(item, strands * warps) {
            Long strand = item / warps, i = item % warps;
            if (i >= seat.types) continue;
            const Long *edge = seat.line_at();
            Long low = edge[lines * strand / strands], high = edge[lines * (strand + 1) / strands];
            for (Long at = high - 1; at >= low; at--) {
                Inner node(t, at);
                switch (node.actions) {
                case 2: value_of<2>(seat, node, i, aim); break;
                case 3: value_of<3>(seat, node, i, aim); break;
                case 4: value_of<4>(seat, node, i, aim); break;
                default: value_of<0>(seat, node, i, aim);
                }
            }
        }
    }
}

// What the stages after some stages are worth at their leaves. Of the first stage, the deals from `low` to `high` are
// added to what is there; of others, all.
KERNEL leave(TREE, Long first, Long many, Long heroes, Long low, Long high) {
    OPENED
    STAGES(k, many) PLAYERS(hero) {
        if (!((heroes >> hero) & 1)) continue;
        Seat seat(t, t.list[first + k], hero);
        Long warps = whole_warps(seat.types), leaves = seat.shape[T_LEAVES];
        Long begin = low < 0 ? 0 : low, end = low < 0 ? seat.stage[S_CHILDREN] : high;
        ITEMS(item, leaves * warps) {
            Long line = item / warps, i = item % warps;
            if (i >= seat.types) continue;
            Long at = (Long)t.leaf[seat.shape[T_LEAF] + line] * seat.width + i;
            REAL value = begin > 0 ? seat.value[at] : 0, best = MEASURES && begin > 0 ? seat.best[at] : 0;
            for (Long d = begin; d < end; d++) {
                Seat below(t, t.child[seat.stage[S_CHILD] + d], hero);
                REAL odds = (REAL)t.odds[below.s];
                for (Long m = below.stage[S_MIRROR]; m < below.stage[S_MIRROR] + below.stage[S_MIRRORS]; m++) {
                    Long j = t.back[t.back_at[2 * m + hero] + i];
                    if (j >= below.types) continue;  // the deal takes a card of this type
                    value = fused(below.value[line * below.width + j], odds, value);
                    if (MEASURES) best = fused(below.best[line * below.width + j], odds, best);
                }
            }
            seat.value[at] = value;
            if (MEASURES) seat.best[at] = best;
        }
    }
}

// Types that are mirrors of each other get the same state: rounding must not tell them apart.
KERNEL even_out(TREE, Long first, Long many, Long learns) {
    OPENED
    STAGES(k, many) PLAYERS(hero) {
        Seat seat(t, t.list[first + k], hero);
        Long twins = t.twin_at[2 * seat.s + hero], warps = whole_warps(seat.types);
        if (!((learns >> hero) & 1) || twins < 0) continue;
        ITEMS(item, seat.shape[T_SLOTS + hero] * warps) {
            Long slot = item / warps, i = item % warps;
            if (i >= seat.types || t.twin[twins + i] == i) continue;
            Long to = seat.stage[S_STATE + hero] + slot * seat.types + i, from = to - i + t.twin[twins + i];
            t.regret[to] = t.regret[from];
            if (t.last) t.last[to] = t.last[from];
            if (t.total) t.total[to] = t.total[from];
        }
    }
}

// Values and best values of the game, and what a walk leaves in the state.
KERNEL settle(TREE, Long heroes, Long learns, Long raked, const double *steps, Long rows) {
    OPENED
    ITEMS(item, 1) {
        for (int hero = 0; hero < 2; hero++) {
            if (!((heroes >> hero) & 1)) continue;
            Seat seat(t, 0, hero);
            double value = 0, best = 0;
            for (Long i = 0; i < seat.types; i++) {
                double weight = t.weight[hero * t.most_types + t.alive[seat.stage[S_ROW + hero] + i]];
                value += weight * seat.value[i];
                if (MEASURES) best += weight * seat.best[i];
            }
            t.out[hero] = value / t.pairs;
            t.out[2 + hero] = best / t.pairs;
        }
        for (int hero = 0; hero < 2; hero++) {
            if (!((learns >> hero) & 1)) continue;
            const double *step = steps + (hero < rows ? hero : rows - 1) * COLUMNS;
            if (hero == 0) {
                t.sum[2] = t.sum[2] * step[DECAY] + 1;
                t.sum[0] = t.sum[0] * step[DECAY] + t.out[0];
                if (raked) t.sum[1] = t.sum[1] * step[DECAY] + t.out[1];
            }
            for (int column = 0; column < COLUMNS; column++)  // the floor has done its work, and may not be finite
                t.step[hero * COLUMNS + column] = column == FLOOR ? 0 : step[column];
        }
    }
}
