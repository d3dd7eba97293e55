/** The game and the strategy that the reader looks at: named in the address, or the likeliest ones. */

import { useMemo } from "react";
import type { Game, Run, Session, Strategy } from "./api/types";
import { type Parameters, useRoute } from "./route";

export type Current = {
  session: Session;
  game: Game | undefined;
  strategies: Strategy[];
  strategy: Strategy | undefined;
  /** Parameters that every link to another view carries. */
  kept: Parameters;
};

/** The last strategy that was made, but for those of runs with locks: they answer a question, not the game. */
function likeliest(strategies: Strategy[], runs: Run[]): Strategy | undefined {
  const locked = new Set(runs.filter((run) => run.locks.length > 0).map((run) => run.id));
  const usable = strategies.filter((strategy) => strategy.state !== "failed" && !locked.has(strategy.run ?? ""));
  const made = usable.filter((strategy) => strategy.source !== "uniform");
  return made[made.length - 1] ?? usable[0];
}

export function useCurrent(session: Session): Current {
  const { g, s } = useRoute().parameters;
  return useMemo(() => {
    const game = session.games.find((one) => one.id === g) ?? session.games.find((one) => one.state !== "failed") ?? session.games[0];
    const strategies = game ? session.strategies.filter((one) => one.game === game.id) : [];
    const strategy = strategies.find((one) => one.id === s) ?? likeliest(strategies, session.runs);
    const named = strategies.some((one) => one.id === s);
    return {
      session,
      game,
      strategies,
      strategy,
      kept: { ...(game ? { g: game.id } : {}), ...(named && strategy ? { s: strategy.id } : {}) },
    };
  }, [session, g, s]);
}
