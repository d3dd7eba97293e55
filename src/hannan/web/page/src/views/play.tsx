/** Play: take a seat against a strategy, with hints on request and the cost of each choice afterwards. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { get, post } from "../api/client";
import type { Hint, Page, PastPlay, Table, TableChoice } from "../api/types";
import { coloursOf } from "../colours";
import { Button, Select } from "../parts/controls";
import { Badge, Empty, Failure, Figures, Meter, tone, whole } from "../parts/shown";
import { link } from "../route";
import { client } from "../session";
import type { Opened } from "./strategy";

function Choices({ choices }: { choices: TableChoice[] }) {
  if (!choices.length) return null;
  return (
    <table aria-label="Your choices">
      <thead>
        <tr><th>You had seen</th><th>You chose</th><th className="right">Cost</th><th>Best</th></tr>
      </thead>
      <tbody>
        {choices.map((choice, place) => (
          <tr key={place}>
            <td className="mono break">{choice.seen}</td>
            <td><b>{choice.action}</b></td>
            <td className={`right ${choice.cost ? "positive" : ""}`}>{choice.cost_text ?? "–"}</td>
            <td>{choice.best ?? "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Seat({ table, current, onTable }: { table: Table; current: Opened; onTable: (table: Table) => void }) {
  const [hint, setHint] = useState<Hint | null>(null);
  const settle = (next: Table) => {
    setHint(null);
    onTable(next);
    void client.invalidateQueries({ queryKey: ["plays", next.id] });
  };
  const acting = useMutation({ mutationFn: (action: number) => post<Table>(`tables/${table.id}/act`, { action }), onSuccess: settle });
  const next = useMutation({ mutationFn: () => post<Table>(`tables/${table.id}/next`), onSuccess: settle });
  const hinting = useMutation({ mutationFn: () => get<Hint>(`tables/${table.id}/hint`), onSuccess: setHint });
  const colours = coloursOf(table.actions.map((action) => action.label));
  const over = table.state === "over";
  return (
    <section className="panel stack seat" aria-label="The table" data-state={table.state}>
      <div className="row apart">
        <div className="row">
          <h2>Play {whole(table.play)}</h2>
          <Badge tone="accent">you are {current.game.player_names[table.seat] ?? `player ${table.seat}`}</Badge>
        </div>
        {!over && <Button small look="plain" onPress={() => next.mutate()}>Give this play up</Button>}
      </div>
      <div className="felt" role="status" aria-live="polite">
        <span className="soft small">You see</span>
        <span className="seen break">{table.seen || "nothing yet"}</span>
        {table.board && <pre className="board">{table.board}</pre>}
      </div>
      {!over && (
        <>
          <div className="choices" role="group" aria-label="Your actions">
            {table.actions.map((action, place) => (
              <AriaButton key={action.index} className="choice" onPress={() => acting.mutate(action.index)} isDisabled={acting.isPending}>
                <i className="move-edge" style={{ background: colours[place] }} />
                <b className="break">{action.label}</b>
                {action.help && <span className="soft small">{action.help}</span>}
              </AriaButton>
            ))}
          </div>
          <div className="row">
            <Button icon="hint" onPress={() => hinting.mutate()}>Hint</Button>
            {hint && (
              <div className="grow stack tight" role="status" aria-label="Hint">
                <Meter names={hint.actions.map((action) => action.label)} shares={hint.actions.map((action) => action.probability)} colours={colours} tall hidden />
                <span className="shares small">
                  {hint.actions.map((action, place) => (
                    <span key={action.index}><i className="chip" style={{ background: colours[place] }} />{action.label} {action.probability_text}</span>
                  ))}
                </span>
              </div>
            )}
          </div>
        </>
      )}
      {over && (
        <div className="stack" role="status">
          <div className="row apart">
            <div className={`earned ${tone(table.earned)}`}>
              <span className="soft small">You earned</span>
              <b className="number">{table.earned_text ?? "–"}</b>
            </div>
            <Button look="main" icon="play" onPress={() => next.mutate()} autoFocus>Next play</Button>
          </div>
          {table.moves && <p className="mono break small">{table.moves.join("  ")}</p>}
          <Choices choices={table.choices} />
        </div>
      )}
      <Failure reason={acting.error ?? next.error ?? hinting.error} />
    </section>
  );
}

function Past({ table }: { table: Table }) {
  const { data } = useQuery({
    queryKey: ["plays", table.id],
    queryFn: ({ signal }) => get<Page<PastPlay>>(`tables/${table.id}/plays`, { limit: 50 }, signal),
  });
  const { score } = table;
  return (
    <section className="panel stack" aria-label="Score">
      <h2>Score</h2>
      <Figures
        items={[
          ["Plays", whole(score.plays)],
          ["Total", score.total_text, tone(score.total)],
          ["Per play", score.mean_text ?? "–"],
          ["Cost of your choices", score.cost_text ?? "–"],
          ["Cost per play", score.cost_per_play_text ?? "–"],
        ]}
      />
      {data && data.items.length > 0 && (
        <div className="scroll past">
          <table>
            <thead><tr><th>Play</th><th>Moves</th><th className="right">Earned</th></tr></thead>
            <tbody>
              {data.items.map((play) => (
                <tr key={play.number}>
                  <td className="number">{play.number}</td>
                  <td className="mono break small">{play.moves.join(" ")}</td>
                  <td className="right">{play.earned_text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

export function PlayView({ current }: { current: Opened }) {
  const { game, strategy, strategies } = current;
  const [table, setTable] = useState<Table | null>(() => current.session.tables.find((one) => one.game === game.id) ?? null);
  const [seat, setSeat] = useState("turn");
  const sitting = useMutation({
    mutationFn: () => post<Table>("tables", { game: game.id, strategy: strategy?.id, seat: seat === "turn" ? null : Number(seat), seed: null }),
    onSuccess: setTable,
  });
  if (!strategy) {
    return <Empty icon="play" title="Nobody to play against"><p>Solve the game first, or open a strategy.</p><a className="button main" href={link("solve", current.kept)}>Solve</a></Empty>;
  }
  const here = table && table.game === game.id ? table : null;
  const opponent = strategies.find((one) => one.id === (here?.strategy ?? strategy.id));
  return (
    <div className="columns play">
      <div className="stack">
        <section className="panel stack" aria-label="A new table">
          <div className="row end">
            <Select className="grow" label="Your seat" value={seat} onChange={setSeat} choices={[{ id: "turn", label: "Each seat in turn" }, ...game.player_names.map((name, place) => ({ id: String(place), label: name }))]} />
            <Button look={here ? "" : "main"} icon="play" onPress={() => sitting.mutate()} isDisabled={strategy.state !== "ready" || sitting.isPending}>
              {here ? "New table" : "Sit down"}
            </Button>
          </div>
          <p className="soft small">{here ? `You play against ${opponent?.name ?? "a strategy"}.` : `You will play against ${strategy.name}. Choose another strategy at the top.`}</p>
          <Failure reason={sitting.error} />
        </section>
        {here && <Seat key={here.id} table={here} current={current} onTable={setTable} />}
      </div>
      {here && <Past table={here} />}
    </div>
  );
}
