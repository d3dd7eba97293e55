// What one item of a phase does: a part of a row, a place, a set, or a share of a sum.

// A pack of payoffs.
struct Pack {
#if CODED
    uint2 codes;
    INLINE void read(const Game &g, Long cell) { codes = ONCE(*(const uint2 *)(g.h.payoff + cell)); }
    INLINE double at(const Game &g, int b) const { return g.table[(b < 4 ? codes.x : codes.y) >> 8 * (b % 4) & 255]; }
#else
    double numbers[PACK];
    INLINE void read(const Game &g, Long cell) {
        UNROLLED
        for (int b = 0; b < PACK; b++) numbers[b] = ONCE(g.h.payoff[cell + b]);
    }
    INLINE double at(const Game &, int b) const { return numbers[b]; }
#endif
};

// What a part of a row gains against the others' reach; 2^shift neighbours meet the same others, and share their places.
// What pads a pack has payoff 0. A pack is read whole before its first entry is added.
INLINE void gain(const Game &g, const double *reach, int part) {
    int4 group = FIXED(g.h.group[part / WIDTH]);
    int target = FIXED(g.h.target[part]), lane = part % WIDTH, stride = WIDTH >> group.z;
    const int *index = g.h.other + (group.y + (lane >> group.z)) * (Long)PACK;
    Long cell = ((Long)group.x * WIDTH + lane) * PACK;
    double sum = 0;
    UNROLL(PACKS)
    for (int first = 0; first < group.w; first += PACK, index += stride * PACK, cell += WIDTH * PACK) {
        Pack payoff;
        double met[PACK];
        payoff.read(g, cell);
        UNROLLED
        for (int b = 0; b < PACK; b++) met[b] = 1;
        UNROLLED
        for (int o = 0; o < OTHERS; o++) {
            UNROLLED
            for (int b = 0; b < PACK; b += 4) {
                int4 four = ONCE(*(const int4 *)(index + o * g.h.indexes + b));
                double reaches[4] = {reach[four.x], reach[four.y], reach[four.z], reach[four.w]};
                UNROLLED
                for (int k = 0; k < 4; k++) met[b + k] = o == 0 ? reaches[k] : met[b + k] * reaches[k];
            }
        }
        UNROLLED
        for (int b = 0; b < PACK; b++) sum += payoff.at(g, b) * met[b];
    }
    if (target >= 0) g.h.worth[target] = sum;
    else g.h.piece[-1 - target] = sum;
}

// The sum of every `by`-th number from `low` to `high`, read a batch at a time.
INLINE double add_up(const double *number, int low, int high, int by) {
    double sum = 0;
    for (int k = low; k < high; k += BATCH * by) {
        double term[BATCH];
        UNROLLED
        for (int b = 0; b < BATCH; b++) term[b] = k + b * by < high ? number[k + b * by] : 0;
        UNROLLED
        for (int b = 0; b < BATCH; b++) sum += term[b];
    }
    return sum;
}

// The sum of a row that has several parts.
INLINE void assemble(const Game &g, int row) {
    g.h.worth[FIXED(g.h.row[row])] = add_up(g.h.piece, FIXED(g.h.piece_begin[row]), FIXED(g.h.piece_begin[row + 1]), 1);
}

// What a sequence earns with the sets that follow it; where plans have weights, also what those add to its logarithm.
INLINE void gather(const Game &g, int place) {
    int2 range = FIXED(g.h.below[place]);
    g.h.given[place] = g.h.worth[place] + add_up(g.h.node, range.x, range.y, 1);
#if LEARNER == 1
    g.h.late[place] = add_up(g.h.log, range.x, range.y, 1);
#endif
}

// The regret of an action and its weight in the next strategy.
INLINE double regret(double old, double instant, const double *step) {
    double scale = old > 0 ? step[POSITIVE] : step[NEGATIVE];
    return max(old * scale + instant, step[FLOOR]);
}

INLINE double weigh(double regret, double instant, const double *step) {
    double weight = step[KEEP] * regret + step[PREDICT] * instant;
    return step[RATE] > 0 || weight > step[NOISE] ? weight : 0;
}

// The reach of what a set follows.
INLINE double above_of(const Game &g, int4 set) { return set.w >= 0 ? g.h.reach[set.z] : 1; }

// Regret matching at a set of at most MOST actions, held in registers: all is read before anything is written.
template <int MOST>
INLINE void match(const Game &g, int4 set, int seat, const double *step, double decay, const double *earned) {
    double worth[MOST], held[MOST], old[MOST], value = 0, whole = 0;
    double above = AVERAGED ? above_of(g, set) : 0;
    int many = actions(set);
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) {
        held[a] = g.h.strategy[set.x + WIDTH * a];
        worth[a] = earned[set.x + WIDTH * a];
        old[a] = g.h.regret[set.x + WIDTH * a];
    }
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) value += held[a] * worth[a];
    g.h.node[seat] = value;
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) {
        double instant = worth[a] - value;
        old[a] = regret(old[a], instant, step);
        worth[a] = weigh(old[a], instant, step);
        whole += worth[a];
        g.h.regret[set.x + WIDTH * a] = old[a];
    }
    double scale = whole > 0 ? 1 / whole : 0, even = whole > 0 ? 0 : 1.0 / many;
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) {
        if (AVERAGED) old[a] = g.h.total[set.x + WIDTH * a];
    }
    UNROLLED
    for (int a = 0; a < MOST; a++) if (a < many) {
        if (AVERAGED) g.h.total[set.x + WIDTH * a] = old[a] * decay + above * held[a];
        g.h.strategy[set.x + WIDTH * a] = worth[a] * scale + even;
    }
}

// The actions of a set, CHUNK at a time: action a + b has the place s.
#define CHUNKS(a, many) for (int a = 0; a < (many); a += CHUNK)
#define EACH(b, s, a, many, set)                                                                                  \
    UNROLLED                                                                                                      \
    for (int b = 0, s = (set).x + WIDTH * (a); b < CHUNK; b++, s += WIDTH) if ((a) + b < (many))

// Add the reach just played, that of the parent times `held`, to the average of the actions of a set from `a` on.
INLINE void credit(const Game &g, int4 set, int a, int many, const double *held, double above, double decay) {
#if AVERAGED
    double total[CHUNK];
    EACH(b, s, a, many, set) total[b] = g.h.total[s];
    EACH(b, s, a, many, set) g.h.total[s] = total[b] * decay + above * held[b];
#endif
}

// Regret matching or Hedge at a set of any size: what registers hold above lies in memory here.
INLINE void match_many(const Game &g, int4 set, int seat, const double *step, double decay, const double *earned) {
    double worth[CHUNK], held[CHUNK], value = 0, whole = 0, highest = LOWEST, above = AVERAGED ? above_of(g, set) : 0;
    int many = actions(set);
    CHUNKS(a, many) {
        double total[CHUNK];
        EACH(b, s, a, many, set) {
            held[b] = g.h.strategy[s];
            worth[b] = earned[s];
            if (AVERAGED) total[b] = g.h.total[s];
        }
        EACH(b, s, a, many, set) {
            value += held[b] * worth[b];
            if (AVERAGED) g.h.total[s] = total[b] * decay + above * held[b];
        }
    }
    g.h.node[seat] = value;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { worth[b] = earned[s]; held[b] = g.h.regret[s]; }
        EACH(b, s, a, many, set) {
            double instant = worth[b] - value;
            g.h.regret[s] = held[b] = regret(held[b], instant, step);
            g.h.strategy[s] = worth[b] = weigh(held[b], instant, step);
            whole += worth[b];
            highest = max(highest, worth[b]);
        }
    }
    if (step[RATE] > 0) {
        whole = 0;
        CHUNKS(a, many) {
            EACH(b, s, a, many, set) worth[b] = g.h.strategy[s];
            EACH(b, s, a, many, set) whole += (g.h.strategy[s] = exp(step[RATE] * (worth[b] - highest)));
        }
    }
    double scale = whole > 0 ? 1 / whole : 0, even = whole > 0 ? 0 : 1.0 / many;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) worth[b] = g.h.strategy[s];
        EACH(b, s, a, many, set) g.h.strategy[s] = worth[b] * scale + even;
    }
}

// The softmax of what `strategy` holds at a set; returns the log of the sum of exponentials.
INLINE double soften(const Game &g, int4 set, int many, double highest) {
    double held[CHUNK], whole = 0;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) held[b] = g.h.strategy[s];
        EACH(b, s, a, many, set) whole += (g.h.strategy[s] = exp(held[b] - highest));
    }
    double scale = 1 / whole;
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) held[b] = g.h.strategy[s];
        EACH(b, s, a, many, set) g.h.strategy[s] = held[b] * scale;
    }
    return highest + log(whole);
}

// Weights of whole plans: add the gradient to the sum, and mix anew from what later sets add in the log domain.
INLINE void mix(const Game &g, int4 set, int seat, const double *step, double decay, const double *earned) {
    double worth[CHUNK], held[CHUNK], sum[CHUNK], value = 0, highest = LOWEST, above = AVERAGED ? above_of(g, set) : 0;
    int many = actions(set);
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { held[b] = g.h.strategy[s]; worth[b] = earned[s]; sum[b] = g.h.regret[s]; }
        EACH(b, s, a, many, set) value += held[b] * worth[b];
        credit(g, set, a, many, held, above, decay);
        EACH(b, s, a, many, set) { worth[b] = step[WEIGHT] * g.h.worth[s]; held[b] = g.h.prior[s]; }
        if (earned == g.h.given) EACH(b, s, a, many, set) held[b] += g.h.late[s];
        EACH(b, s, a, many, set) {
            g.h.regret[s] = sum[b] = sum[b] + worth[b];
            g.h.strategy[s] = held[b] += step[RATE] * (sum[b] + step[PREDICT] * worth[b]);
            highest = max(highest, held[b]);
        }
    }
    g.h.node[seat] = value;
    g.h.log[seat] = soften(g, set, many, highest);
}

// What a set earns under its strategy; `given` gets what each action earns from there on.
INLINE void expect(const Game &g, int4 set, int seat, double decay, const double *earned) {
    double worth[CHUNK], held[CHUNK], value = 0, above = AVERAGED ? above_of(g, set) : 0;
    int many = actions(set);
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { held[b] = g.h.strategy[s]; worth[b] = earned[s]; }
        EACH(b, s, a, many, set) { value += held[b] * worth[b]; g.h.given[s] = worth[b]; }
        credit(g, set, a, many, held, above, decay);
    }
    g.h.node[seat] = value;
}

// Factors 1 + rate · utility: from what is earned in all given the parent to that given each action, then mix anew.
INLINE void factor(const Game &g, int4 set, int seat, const double *step) {
    double given[CHUNK], sum[CHUNK], prior[CHUNK], highest = LOWEST;
    double elsewhere = g.h.given[set.z] - g.h.node[seat], rate = step[WEIGHT] * step[RATE];
    int many = actions(set);
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) { given[b] = g.h.given[s]; sum[b] = g.h.regret[s]; prior[b] = g.h.prior[s]; }
        EACH(b, s, a, many, set) {
            g.h.given[s] = given[b] += elsewhere;
            g.h.regret[s] = sum[b] += log1p(rate * given[b]);
            g.h.strategy[s] = prior[b] += sum[b];
            highest = max(highest, prior[b]);
        }
    }
    soften(g, set, many, highest);
}

// The next strategy at a set whose actions earn what `earned` says: `worth` where no set follows, else `given`. The average
// gets the reach that was just played.
INLINE void learn(const Game &g, int4 set, int seat, const double *step, double decay, const double *earned) {
    if (rests(g, set)) return;
#if LEARNER == 0
    int most = step[RATE] > 0 ? WIDEST : most_actions(set);  // of the slice: threads side by side do the same
    if (most <= 4) match<4>(g, set, seat, step, decay, earned);
    else if (most <= 8) match<8>(g, set, seat, step, decay, earned);
    else match_many(g, set, seat, step, decay, earned);
#elif LEARNER == 1
    mix(g, set, seat, step, decay, earned);
#else
    expect(g, set, seat, decay, earned);
#endif
}

// The reach of the next strategy, by way of the sets above, up to the first slot of the band. Strategies are read before
// the way up, which takes longest.
INLINE void settle(const Game &g, int4 set, int band) {
    if (rests(g, set)) return;
    double held[CHUNK], above = 1;
    int many = actions(set);
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) held[b] = g.h.strategy[s];
        if (a == 0) {
            int place = set.z, up = set.w;
            while (up >= band) {
                double chosen = g.h.strategy[place];
                int4 before = FIXED(g.h.slot[up]);
                above *= chosen;
                place = before.z;
                up = before.w;
            }
            if (up >= 0) above *= g.h.reach[place];
        }
        EACH(b, s, a, many, set) g.h.reach[s] = above * held[b];
    }
}

// The best that a set can earn against the gradient in `worth`.
INLINE void best(const Game &g, int4 set, int seat, const double *earned) {
    double worth[CHUNK], highest = LOWEST;
    int many = actions(set);
    CHUNKS(a, many) {
        EACH(b, s, a, many, set) worth[b] = earned[s];
        EACH(b, s, a, many, set) highest = max(highest, worth[b]);
    }
    g.h.node[seat] = highest;
}

// Sums over all places of a player come in stripes, then in shares, then whole; few places go into shares at once.
INLINE int stripes(const Game &g, int p) { return g.fact(p, END) - g.fact(p, ROOT) > STRIPES ? STRIPES : SHARES; }

// Where the shares of such a sum lie, and those of what all play earns.
INLINE double *shares(const Game &g, int p) { return g.h.sum + PLAYERS * STRIPES + p * SHARES; }
INLINE double *earned_shares(const Game &g, int p) { return shares(g, PLAYERS + p); }

INLINE double *striped(const Game &g, int p) { return stripes(g, p) == SHARES ? shares(g, p) : g.h.sum + p * STRIPES; }

// Share k of a sum whose stripes are there.
INLINE void collect(const Game &g, int p, int k) {
    if (stripes(g, p) > SHARES) shares(g, p)[k] = add_up(striped(g, p), k * SHARES, (k + 1) * SHARES, 1);
}

// Share k of what the sets of the first level earn; few sets are added up as they are.
INLINE bool shared(const Game &g, int p) { return g.fact(p, LEVELS) > 0 && g.high(p, 0) - g.low(p, 0) > SHARES; }

INLINE void share(const Game &g, int p, int k) {
    if (shared(g, p)) earned_shares(g, p)[k] = add_up(g.h.node, g.low(p, 0) + k, g.high(p, 0), SHARES);
}

// What all play earns a player, once the shares are there.
INLINE double whole(const Game &g, int p) {
    double below = 0;
    if (shared(g, p)) below = add_up(earned_shares(g, p), 0, SHARES, 1);
    else if (g.fact(p, LEVELS) > 0) below = add_up(g.h.node, g.low(p, 0), g.high(p, 0), 1);
    return g.h.worth[g.fact(p, ROOT)] + below;
}

// 1 over the weights in the totals of all players but one.
INLINE double unit_of(const Game &g, int but) {
    double scale = 1;
    for (int p = 0; p < PLAYERS; p++) if (p != but) scale /= g.h.total[g.fact(p, ROOT)];
    return scale;
}
