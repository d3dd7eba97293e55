/* Kuhn poker as a simulator for hannan. Compile: cc -O2 -o kuhn kuhn.c */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static int cards[2], dealt, drawn;
static char bets[8];

static uint64_t next_random(void) { /* SplitMix64 */
    uint64_t z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static void show(void) {
    drawn = -1;
    if (dealt < 2) { /* chance deals the next card */
        int left[3], many = 0;
        for (int card = 0; card < 3; card++)
            if (dealt == 0 || card != cards[0]) left[many++] = card;
        drawn = left[next_random() % many];
        printf("{\"gains\": [0, 0], \"draw\": {\"outcome\": %d, \"outcomes\": [", drawn);
        for (int k = 0; k < many; k++) printf(k ? ", %d" : "%d", left[k]);
        printf("]}}\n");
    } else {
        size_t n = strlen(bets);
        if (!strcmp(bets, "") || !strcmp(bets, "p") || !strcmp(bets, "b") || !strcmp(bets, "pb")) {
            int player = (int)(n % 2);
            printf("{\"gains\": [0, 0], \"movers\": [%d], \"actions\": [[\"p\", \"b\"]], "
                   "\"observations\": [[%d, \"%s\"]]}\n", player, cards[player], bets);
        } else {
            int pot = 1, winner;
            if (!strcmp(bets + n - 2, "bp")) winner = (int)((n - 2) % 2); /* somebody has folded */
            else {
                winner = cards[0] > cards[1] ? 0 : 1;
                if (!strcmp(bets + n - 2, "bb")) pot = 2;
            }
            int gain = winner == 0 ? pot : -pot;
            printf("{\"gains\": [%d, %d]}\n", gain, -gain);
        }
    }
    fflush(stdout);
}

int main(void) {
    char line[256], *at;
    printf("{\"hannan\": 1, \"players\": 2, \"name\": \"kuhn\", \"bounds\": [[-2, 2], [-2, 2]]}\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if ((at = strstr(line, "\"reset\""))) { /* {"reset": "0123456789abcdef"} */
            state = strtoull(strchr(at, ':') + 3, NULL, 16);
            dealt = 0;
            bets[0] = 0;
        } else if (drawn >= 0) { /* {"step": []}: chance has drawn */
            cards[dealt++] = drawn;
        } else if ((at = strchr(line, '['))) { /* {"step": [1]} */
            strcat(bets, atoi(at + 1) ? "b" : "p");
        }
        show();
    }
    return 0;
}
