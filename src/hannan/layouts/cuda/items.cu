// What one item of a phase does: a part of a row, a place, a set, or a share of a sum.

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
            if (AVERAGED) total[a] = g.total[s];
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
            if (AVERAGED) g.total[s] = total[a] * decay + reach[a];
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

// Sums over all places of a player come in stripes, then in shares, then whole; few places go into shares at once.
INLINE Long stripes(const Game &g, Long p) { return g.fact(p, END) - g.fact(p, ROOT) > STRIPES ? STRIPES : SHARES; }

// Where the shares of such a sum lie, and those of what all play earns.
INLINE double *shares(const Game &g, Long p) { return g.sum + g.players * STRIPES + p * SHARES; }
INLINE double *earned_shares(const Game &g, Long p) { return shares(g, g.players + p); }

INLINE double *striped(const Game &g, Long p) { return stripes(g, p) == SHARES ? shares(g, p) : g.sum + p * STRIPES; }

// Share k of a sum whose stripes are there.
INLINE void collect(const Game &g, Long p, Long k) {
    if (stripes(g, p) > SHARES) shares(g, p)[k] = add_up(striped(g, p), k * SHARES, (k + 1) * SHARES, 1);
}

// Share k of what the sets of the first level earn.
INLINE void share(const Game &g, Long p, Long k) {
    earned_shares(g, p)[k] = g.fact(p, LEVELS) > 0 ? add_up(g.node, g.low(p, 0) + k, g.high(p, 0), SHARES) : 0;
}

// What all play earns a player, once the shares are there.
INLINE double whole(const Game &g, Long p) {
    return g.worth[g.fact(p, ROOT)] + add_up(earned_shares(g, p), 0, SHARES, 1);
}

// 1 over the weights in the totals of all players but one.
INLINE double unit_of(const Game &g, Long but) {
    double scale = 1;
    for (Long p = 0; p < g.players; p++) if (p != but) scale /= g.total[g.fact(p, ROOT)];
    return scale;
}
