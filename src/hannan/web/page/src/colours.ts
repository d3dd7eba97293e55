/** Colours of actions: the same action has the same colour in every view. */

const KNOWN: [RegExp, number][] = [
  [/^(fold|f|pass|p)$/i, 0],
  [/^(check|call|x|c|k)\b/i, 2],
  [/^(all-?in|allin|a)\b/i, 4],
  [/^(raise|r)\b/i, 3],
  [/^(bet|b)\b/i, 1],
];
const SIZE = 8;

/** Return the colours of a menu of actions: known words have their own, others the next one that is free. */
export function coloursOf(names: readonly string[]): string[] {
  const places = names.map((name) => KNOWN.find(([pattern]) => pattern.test(name))?.[1]);
  const taken = new Set<number>();
  let next = 0;
  return places.map((place) => {
    let chosen = place;
    if (chosen === undefined || taken.has(chosen)) {
      while (taken.has(next) || places.includes(next)) {
        next += 1;
        if (next >= SIZE) break;
      }
      chosen = next < SIZE ? next : taken.size % SIZE;
    }
    taken.add(chosen);
    return `var(--c${chosen})`;
  });
}

export const PLAYERS = ["var(--c0)", "var(--c3)", "var(--c2)", "var(--c4)", "var(--c1)", "var(--c5)"];

export function playerColour(player: number): string {
  return PLAYERS[player % PLAYERS.length] ?? "var(--soft)";
}
