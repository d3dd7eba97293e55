/** What if: lock a set or a whole player, solve again, see what changed. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../api/client";
import type { Comparison, Lock, Run } from "../api/types";
import { IconButton, Select } from "../parts/controls";
import { Badge, Empty, Failure, Figures, Note, percent, tone, Wait } from "../parts/shown";
import { change, link, useRoute } from "../route";
import { DifferenceLine } from "./compare";
import { RunForm } from "./form";
import { LockForm } from "./lock";
import { RunButtons, RunFigures } from "./run";
import type { Opened } from "./strategy";

function told(lock: Lock, current: Opened): string {
  const who = current.game.player_names[lock.player] ?? `player ${lock.player}`;
  const where = lock.set === undefined ? who : `${who} at ${lock.set}`;
  if (lock.actions) return `${where}: ${Object.entries(lock.actions).map(([action, share]) => `${action} ${percent(share)}`).join(", ")}`;
  return `${where}: as in ${current.session.strategies.find((one) => one.id === lock.strategy)?.name ?? lock.strategy}`;
}

function Changes({ run, current }: { run: Run; current: Opened }) {
  const { game } = current;
  const done = run.strategy !== null && (run.state === "finished" || run.state === "paused");
  const { data, error } = useQuery({
    queryKey: ["change", run.id, run.strategy, run.iteration],
    queryFn: ({ signal }) => get<Comparison>(`runs/${run.id}/change`, { limit: 10 }, signal),
    enabled: done,
  });
  return (
    <section className="panel stack" aria-label={`What changed in ${run.id}`} data-state={run.state}>
      <div className="row apart">
        <div className="row">
          <h2>{run.name || run.method_text}</h2>
          <span className="faint small">{run.id}</span>
          <Badge tone={run.state === "finished" ? "good" : run.state === "failed" ? "bad" : "accent"}>{run.state}</Badge>
        </div>
        <RunButtons run={run} />
      </div>
      <ul className="row">
        {run.locks_text.map((text, place) => (
          <li key={place}><Badge>{text}</Badge></li>
        ))}
      </ul>
      <div role="status" aria-live="polite"><RunFigures run={run} /></div>
      {run.error && <Note tone="bad">{run.error}</Note>}
      <Failure reason={error} />
      {done && !data && !error && <Wait>Comparing</Wait>}
      {data && (
        <>
          <Figures
            items={[
              ...(data.values?.difference_text ?? []).map((text, player) => [`Value of ${game.player_names[player] ?? player} changes by`, text, tone(data.values?.difference[player])] as const),
              ["Mean difference in play", data.mean_variation_text],
            ]}
          />
          <h3>The sets that moved most: before above, after below</h3>
          <div className="changes compare" role="grid" aria-label="Sets that moved most">
            {data.items.map((row) => (
              <div className="list-row still" role="row" key={row.key}><DifferenceLine row={row} /></div>
            ))}
          </div>
          {run.strategy && <a className="button small" href={link("strategy", { g: game.id, s: run.strategy, mode: "compare", with: data.a.id })}>Compare all sets</a>}
        </>
      )}
    </section>
  );
}

export function WhatIfView({ current }: { current: Opened }) {
  const { game, strategy, strategies } = current;
  const { parameters } = useRoute();
  const [locks, setLocks] = useState<Lock[]>([]);
  if (!game.views.includes("whatif")) {
    return <Empty icon="lock" title="No what-if for this game"><p>Locks need a game that can be expanded.</p></Empty>;
  }
  if (!strategy) {
    return <Empty icon="lock" title="No strategy to begin from"><p>Solve the game first, or open a strategy.</p><a className="button main" href={link("solve", current.kept)}>Solve</a></Empty>;
  }
  const runs = current.session.runs.filter((run) => run.locks.length > 0 && run.game === game.id);
  return (
    <div className="columns solve">
      <div className="stack">
        <section className="panel stack" aria-labelledby="locks-title">
          <h2 id="locks-title">What if …</h2>
          <Select
            label="Compared with"
            value={strategy.id}
            choices={strategies.map((one) => ({ id: one.id, label: one.name, more: one.kind }))}
            onChange={(to) => change({ s: to })}
          />
          <LockForm
            key={`${parameters.lock ?? ""} ${parameters.player ?? ""}`}
            game={game}
            strategy={strategy}
            name={parameters.lock ?? ""}
            player={parameters.player ?? "0"}
            onLock={(lock) => setLocks((before) => [...before, lock])}
          />
          {locks.length > 0 && (
            <ul className="stack tight" aria-label="Locks">
              {locks.map((lock, place) => (
                <li key={place} className="row keep lock">
                  <span className="grow break small">{told(lock, current)}</span>
                  <IconButton label="Take the lock away" icon="close" onPress={() => setLocks((before) => before.filter((_, other) => other !== place))} />
                </li>
              ))}
            </ul>
          )}
        </section>
        <RunForm current={current} title="Solve again" action="Solve with the locks" locks={locks} base={strategy.id} blocked={!locks.length} onStarted={() => setLocks([])} />
      </div>
      <div className="stack">
        {runs.length ? (
          [...runs].reverse().map((run) => <Changes key={run.id} run={run} current={current} />)
        ) : (
          <div className="panel">
            <Empty icon="lock" title="Lock something and solve again">
              <p>A locked player keeps to what you say. The others find the best answer to it, and this page shows what changed: the value, and the ten sets that moved most.</p>
            </Empty>
          </div>
        )}
      </div>
    </div>
  );
}
