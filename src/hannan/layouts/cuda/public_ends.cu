// What ends of play are worth: `hannan.kernels.public.ends` has the formulas. On a card, a warp works on 32 ends of one
// stage: each end is a lane, and types come one after another, in the same order in all lanes. Sums by card are in shared
// memory. A lane reads its reaches some types ahead, and collects what it writes.

#ifdef __CUDACC__
#define LANE ((int)threadIdx.x)
const int LANES = WARP;
#else
#define LANE 0
const int LANES = 1;
#endif

const int WINDOW = 16;  // types that a lane collects before it writes; rows begin at multiples of it

struct alignas(4 * sizeof(REAL)) Four { REAL x, y, z, w; };

// The opponent's reaches at the end of a lane, and the cards of its types. Places are asked for in order.
struct Reaches {
    const REAL *row;
    const int *pair;
    int width, held;
    Four now, next;
    int cards[8];

    INLINE Reaches(const REAL *row, const int *pair, int width) : row(row), pair(pair), width(width) { restart(); }
    INLINE Four four(int block) const { return *(const Four *)(row + (block < width ? block : 0)); }
    INLINE void look(int block, int *into) const {
        UNROLLED for (int k = 0; k < 4; k++) into[k] = FIXED(pair[block + k < width ? block + k : 0]);
    }
    INLINE void restart() {
        held = -4;
        next = four(0);
        look(0, cards + 4);
    }
    INLINE void go_to(int j) {
        int block = j & ~3;
        if (block == held) return;
        held = block;
        now = next;
        UNROLLED for (int k = 0; k < 4; k++) cards[k] = cards[4 + k];
        next = four(block + 4);
        look(block + 4, cards + 4);
    }
    INLINE REAL at(int j) const { return j & 2 ? (j & 1 ? now.w : now.z) : (j & 1 ? now.y : now.x); }
    INLINE int card(int j) const { return j & 2 ? (j & 1 ? cards[3] : cards[2]) : (j & 1 ? cards[1] : cards[0]); }
};

// What hero earns at the end of a lane. Places are asked for in order, but for a group of equal types, which is gone
// through twice.
struct Earned {
    REAL *row, *copy, *window;
    bool writes;
    int open, seen;

    INLINE Earned(REAL *row, REAL *copy, REAL *window, bool writes)
        : row(row), copy(copy), window(window), writes(writes), open(-1), seen(-1) {}
    INLINE void flush() {
        if (!writes || open < 0) return;
        UNROLLED for (int k = 0; k < WINDOW; k += 4) {
            Four value = {window[k], window[k + 1], window[k + 2], window[k + 3]};
            *(Four *)(row + open + k) = value;
            if (MEASURES) *(Four *)(copy + open + k) = value;
        }
    }
    INLINE REAL &at(int i) {
        int block = i & ~(WINDOW - 1);
        if (block != open) {
            flush();
            open = block;
            if (block <= seen) {
                UNROLLED for (int k = 0; k < WINDOW; k += 4) {
                    Four value = *(const Four *)(row + open + k);
                    window[k] = value.x;
                    window[k + 1] = value.y;
                    window[k + 2] = value.z;
                    window[k + 3] = value.w;
                }
            } else {
                seen = block;
            }
        }
        return window[i - block];
    }
};

// The reaches of the opponent's types, in all and for each card.
struct Sums {
    double *sum, total;
    int cards;

    INLINE Sums(const Tree &t, double *sum) : sum(sum + LANE), total(0), cards((int)t.cards) {
        for (int c = 0; c < cards; c++) this->sum[c * LANES] = 0;
    }
    INLINE void take(int pair, double reach) {
        double *one = sum + (pair & 0xffff) * LANES, *two = sum + (pair >> 16) * LANES;
        double first = *one + reach, second = *two + reach;  // two cards, or the place that is never read
        *one = first;
        *two = second;
        total += reach;
    }
    // all reaches but those of types that share a card with a type
    INLINE double rest(int pair) const {
        int trash = cards - 2, one = pair & 0xffff, two = pair >> 16;
        one += one == trash;  // no card: the place that stays 0
        two += two == trash;
        return total - sum[one * LANES] - sum[two * LANES];
    }
    INLINE void share(double share) {
        total *= share;
        for (int c = 0; c < cards; c++) sum[c * LANES] *= share;
    }
    INLINE void take_all(Reaches &y, int types) {
        for (int block = 0; block < types; block += 4) {
            y.go_to(block);
            take(y.cards[0], y.now.x);
            if (block + 1 < types) take(y.cards[1], y.now.y);
            if (block + 2 < types) take(y.cards[2], y.now.z);
            if (block + 3 < types) take(y.cards[3], y.now.w);
        }
        y.restart();
    }
};

INLINE void showdown(const Tree &t, const Seat &me, const Seat &foe, const double *pays, Reaches &y, Earned &u,
                     double *sum, bool ties) {
    Sums sums(t, sum);
    Long mine_at = me.stage[S_ROW + me.player];
    const int *mine = t.pair + mine_at;
    const short *twins = t.card + 3 * mine_at + 2, *group = t.group + 2 * me.stage[S_GROUP];
    double below = pays[W_BELOW], level = pays[W_LEVEL], same = pays[W_SAME];
    sums.take_all(y, (int)foe.types);
    sums.share(pays[W_SHARE]);
    int i = 0, j = 0, groups = (int)me.stage[S_GROUPS];
    for (int g = 0; g < groups; g++, group += 2) {
        int last = FIXED(group[me.player]), ahead = FIXED(group[foe.player]), before = j;
        if (ahead == j && !ties)  // no type to tie with
            for (; i < last; i++) u.at(i) = (REAL)((below + level) * sums.rest(FIXED(mine[i])));
        int k = i;
        for (; k + 1 < last; k += 2) {  // two at a time wait for memory together
            double one = sums.rest(FIXED(mine[k])), two = sums.rest(FIXED(mine[k + 1]));
            u.at(k) = (REAL)(below * one);
            u.at(k + 1) = (REAL)(below * two);
        }
        if (k < last) u.at(k) = (REAL)(below * sums.rest(FIXED(mine[k])));
        for (; j < ahead; j++) {
            y.go_to(j);
            sums.take(y.card(j), y.at(j));
        }
        for (; i < last; i++) {
            double rest = sums.rest(FIXED(mine[i]));
            REAL &place = u.at(i);
            double value = fma(level, rest, (double)place);
            int twin = ties ? FIXED(twins[3 * i]) : -1;
            if (twin >= 0) {
                double reach = y.row[twin];
                value += same * reach;
                if (twin < before) value += below * reach;
                else if (twin >= ahead) value -= level * reach;
            }
            place = (REAL)value;
        }
    }
}

INLINE void fold(const Tree &t, const Seat &me, const Seat &foe, const double *pays, Reaches &y, Earned &u, double *sum) {
    Sums sums(t, sum);
    Long mine_at = me.stage[S_ROW + me.player];
    const int *mine = t.pair + mine_at;
    const short *twins = t.card + 3 * mine_at + 2;
    int types = (int)me.types;
    sums.take_all(y, (int)foe.types);
    for (int i = 0; i < types; i += 2) {
        int two = i + 1 < types ? i + 1 : i, twin = FIXED(twins[3 * i]), other = FIXED(twins[3 * two]);
        double value = sums.rest(FIXED(mine[i])), second = sums.rest(FIXED(mine[two]));
        if (twin >= 0) value += y.row[twin];
        if (other >= 0) second += y.row[other];
        u.at(i) = (REAL)(pays[W_SAME] * value);
        if (two > i) u.at(two) = (REAL)(pays[W_SAME] * second);
    }
}

// What hero earns at the showdowns and folds of some stages. A batch is as many ends of one kind as there are lanes.
KERNEL finish(TREE, Long first, Long many, Long heroes, Long ties) {
    OPENED
#ifdef __CUDACC__
    extern __shared__ double sum[];
#else
    std::vector<double> room(t.cards + WINDOW + 1);
    double *sum = room.data();
#endif
    REAL *window = (REAL *)(sum + t.cards * LANES) + LANE * (WINDOW + 1);
    STAGES(k, many) PLAYERS(hero) {
        if (!((heroes >> hero) & 1)) continue;
        Seat me(t, t.list[first + k], hero), foe(t, me.s, 1 - hero);
        Long showdowns = me.shape[T_SHOWDOWNS], folds = me.shape[T_FOLDS];
        Long shown = (showdowns + LANES - 1) / LANES, batches = shown + (folds + LANES - 1) / LANES;
        BATCHES(batch, batches) {
            bool shows = batch < shown;
            Long begin = shows ? batch * LANES : (batch - shown) * LANES, left = (shows ? showdowns : folds) - begin;
            Long lane = LANE < left ? LANE : left - 1;  // the last end fills what is left
            Long end = me.shape[T_END] + (shows ? 0 : showdowns) + begin + lane, place = t.end[end];
            Reaches y(foe.reach + foe.row(foe.node(place)), t.pair + foe.stage[S_ROW + foe.player], (int)foe.types);
            Earned u(me.value + place * me.width, me.best + place * me.width, window, LANE < left);
            const double *pays = t.weigh + (2 * end + hero) * W_COLUMNS;
            if (shows) showdown(t, me, foe, pays, y, u, sum, ties != 0);
            else fold(t, me, foe, pays, y, u, sum);
            u.flush();
        }
    }
}

// What hero earns at ends with a table of gains.
KERNEL spell(TREE, Long first, Long many, Long heroes) {
    OPENED
    STAGES(k, many) PLAYERS(hero) {
        if (!((heroes >> hero) & 1)) continue;
        Seat me(t, t.list[first + k], hero), foe(t, me.s, 1 - hero);
        Long warps = whole_warps(me.types), begin = me.shape[T_END] + me.shape[T_SHOWDOWNS] + me.shape[T_FOLDS];
        const short *mine = t.alive + me.stage[S_ROW + hero], *theirs = t.alive + me.stage[S_ROW + 1 - hero];
        ITEMS(item, me.shape[T_TABLES] * warps) {
            Long end = begin + item / warps, i = item % warps, place = t.end[end];
            if (i >= me.types) continue;
            const REAL *row = foe.reach + foe.row(foe.node(place));
            const double *gains = t.gains + (2 * t.table[end] + hero) * t.gains_rows * t.gains_columns;
            double earned = 0;
            for (Long j = 0; j < foe.types; j++) {
                Long one = hero == 0 ? mine[i] : theirs[j], two = hero == 0 ? theirs[j] : mine[i];
                earned += gains[one * t.gains_columns + two] * row[j];
            }
            me.value[place * me.width + i] = (REAL)earned;
            if (MEASURES) me.best[place * me.width + i] = (REAL)earned;
        }
    }
}
