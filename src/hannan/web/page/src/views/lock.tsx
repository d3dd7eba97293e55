/** What is locked: one set or a pattern of sets to given shares or to a strategy's, or a whole player. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../api/client";
import type { Game, Lock, SetPage, Strategy } from "../api/types";
import { Button, Segments, TextField } from "../parts/controls";
import { Failure, whole } from "../parts/shown";
import { PlayerSelect } from "./sets";

type What = "set" | "player";
type How = "shares" | "strategy";

export function LockForm({ game, strategy, name, player: first, onLock }: { game: Game; strategy: Strategy; name: string; player: string; onLock: (lock: Lock) => void }) {
  const [what, setWhat] = useState<What>("set");
  const [how, setHow] = useState<How>("shares");
  const [player, setPlayer] = useState(first);
  const [set, setSet] = useState(name);
  const [shares, setShares] = useState<Record<string, string>>({});
  const { data, error } = useQuery({
    queryKey: ["strategy", strategy.id, "lockable", player, set],
    queryFn: ({ signal }) => get<SetPage>(`strategies/${strategy.id}/sets`, { player, pattern: set, sort: "frequency", limit: 6 }, signal),
    placeholderData: keepPreviousData,
    enabled: what === "set",
  });
  const exact = data?.items.find((one) => one.name === set);
  const patterned = /[*?]/.test(set);
  const shown = exact ?? (patterned ? data?.items[0] : undefined);
  const actions = shown?.actions ?? [];
  const always = (label: string) => setShares(Object.fromEntries(actions.map((action) => [action.label, action.label === label ? "1" : "0"])));
  const ready = what === "player" || (set.trim() !== "" && (how === "strategy" || actions.some((action) => shares[action.label])));
  const lock = () => {
    const who = Number(player);
    if (what === "player") onLock({ player: who, strategy: strategy.id });
    else if (how === "strategy") onLock({ player: who, set, strategy: strategy.id });
    else onLock({ player: who, set, actions: Object.fromEntries(actions.map((action) => [action.label, Number(shares[action.label] || "0")])) });
    setSet("");
    setShares({});
  };
  return (
    <div className="stack" role="group" aria-label="A new lock">
      <Segments label="What is locked" value={what} onChange={setWhat} choices={[["set", "A set or pattern"], ["player", "A whole player"]]} />
      <PlayerSelect game={game} value={player} all={false} onChange={setPlayer} />
      {what === "set" && (
        <>
          <TextField label="Set, or a pattern with * and ?" value={set} onChange={(to) => { setSet(to); setShares({}); }} placeholder="name of an information set" />
          {!exact && data && set !== "" && (
            <div className="matches" role="group" aria-label="Sets that match">
              <span className="soft small" role="status">{whole(data.total)} {data.total === 1 ? "set matches" : "sets match"}</span>
              {!patterned && data.items.map((one) => (
                <Button key={one.key} small onPress={() => { setSet(one.name); setShares({}); }}><span className="mono clip">{one.name}</span></Button>
              ))}
            </div>
          )}
          <Failure reason={error} />
          <Segments label="How it is locked" value={how} onChange={setHow} choices={[["shares", "To these shares"], ["strategy", "As it plays now"]]} />
          {how === "shares" && actions.map((action) => (
            <div key={action.label} className="row keep share">
              <TextField className="grow" label={`${action.label} (now ${action.probability_text})`} value={shares[action.label] ?? ""} placeholder="0" inputMode="decimal" onChange={(to) => setShares((before) => ({ ...before, [action.label]: to }))} />
              <Button onPress={() => always(action.label)} aria-label={`Always ${action.label}`}>Always</Button>
            </div>
          ))}
        </>
      )}
      {what === "player" && <p className="soft small">The player keeps to what {strategy.name} does.</p>}
      <Button icon="lock" onPress={lock} isDisabled={!ready}>Add the lock</Button>
    </div>
  );
}
