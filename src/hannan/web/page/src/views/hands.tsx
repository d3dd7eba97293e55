/** Hold'em: the public play as buttons, and the hands of a player in the 13×13 grid. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { get } from "../api/client";
import type { Game, HandRow, Page, PublicNode, Strategy } from "../api/types";
import { coloursOf } from "../colours";
import { Button, IconButton, Segments } from "../parts/controls";
import { Failure, Figures, Legend, Meter, Wait } from "../parts/shown";
import { change, useRoute } from "../route";
import { Shares } from "./grid";

type Shown = "frequencies" | "equity" | "ev";

function text(row: HandRow, mode: Shown): string {
  if (mode === "equity") return row.equity_text ?? "–";
  if (mode === "ev") return row.ev_text ?? "–";
  return "";
}

/** The name of a cell: pairs on the diagonal, suited hands above it. */
function handName(ranks: readonly string[], row: number, column: number): string {
  const high = ranks[Math.min(row, column)] ?? "";
  const low = ranks[Math.max(row, column)] ?? "";
  return high + low + (row === column ? "" : row < column ? "s" : "o");
}

function words(row: HandRow, moves: string[]): string {
  const shares = row.frequencies_text?.map((share, place) => `${moves[place]} ${share}`).join(", ");
  return [row.name, shares, row.equity_text && `equity ${row.equity_text}`, row.ev_text && `EV ${row.ev_text}`].filter(Boolean).join("; ");
}

function HandCell({ row, name, moves, colours, mode, chosen, onChoose }: { row: HandRow | null; name: string; moves: string[]; colours: string[]; mode: Shown; chosen: boolean; onChoose: () => void }) {
  if (!row || row.weight === 0) return <td className="cell none"><span className="faint">{row?.name ?? name}</span></td>;
  return (
    <td className="cell">
      <button type="button" className={`cell-button hand ${chosen ? "chosen" : ""}`} aria-label={words(row, moves)} onClick={onChoose}>
        {row.frequencies && <Shares frequencies={row.frequencies} colours={colours} />}
        <span className="cell-text">
          <b>{row.name}</b>
          <span className="number">{text(row, mode)}</span>
        </span>
      </button>
    </td>
  );
}

function Hands({ strategy, at, player, group, moves, colours, onClose }: { strategy: string; at: string; player: number; group: HandRow; moves: string[]; colours: string[]; onClose: () => void }) {
  const { data, error } = useQuery({
    queryKey: ["strategy", strategy, "hands", at, player, group.name],
    queryFn: ({ signal }) => get<Page<HandRow>>(`strategies/${strategy}/public/hands`, { at, player, group: group.name, limit: 100 }, signal),
    placeholderData: (before) => before,
  });
  return (
    <aside className="panel stack detail" aria-label="The chosen hands">
      <div className="row apart keep">
        <h2>{group.name}</h2>
        <IconButton label="Close" icon="close" onPress={onClose} />
      </div>
      <Figures items={[["Equity", group.equity_text ?? "–"], ["EV", group.ev_text ?? "–"], ["EQR", group.eqr_text ?? "–"], ["Weight", group.weight_text]]} />
      <Failure reason={error} />
      <div className="scroll">
        <table>
          <thead>
            <tr><th>Hand</th><th>Choice</th><th className="right">Equity</th><th className="right">EV</th></tr>
          </thead>
          <tbody>
            {data?.items.map((row) => (
              <tr key={row.name}>
                <td className="mono">{row.name}</td>
                <td className="wide">{row.frequencies && <Meter names={moves} shares={row.frequencies} colours={colours} tall />}</td>
                <td className="right">{row.equity_text ?? "–"}</td>
                <td className="right">{row.ev_text ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </aside>
  );
}

export function HandsView({ game, strategy }: { game: Game; strategy: Strategy }) {
  const { parameters } = useRoute();
  const at = parameters.at ?? "";
  const player = parameters.player ?? "";
  const [mode, setMode] = useState<Shown>("frequencies");
  const [chosen, choose] = useState<string | null>(null);
  const { data, error } = useQuery({
    queryKey: ["strategy", strategy.id, "public", at, player],
    queryFn: ({ signal }) => get<PublicNode>(`strategies/${strategy.id}/public`, { at, player }, signal),
    placeholderData: (before) => before,
  });
  if (!data) return error ? <Failure reason={error} /> : <Wait>Measuring the hands</Wait>;
  const labels = data.moves.map((move) => move.label);
  const colours = coloursOf(labels);
  const go = (to: string) => change({ at: to, player: "" });
  const rows = data.grid ? data.grid.cells.flat() : (data.groups ?? []);
  const group = rows.find((row) => row?.name === chosen) ?? null;
  return (
    <div className="fill split">
      <section className="panel fill" aria-label="Hands">
        <div className="row apart">
          <nav className="crumbs" aria-label="Public play">
            {data.crumbs.map((crumb, place) => (
              <Button key={crumb.at} small look="plain" onPress={() => go(crumb.at)} aria-current={place === data.crumbs.length - 1 ? "step" : undefined}>{crumb.label}</Button>
            ))}
          </nav>
          <Figures compact items={[["Board", <span className="mono" key="board">{data.board || "–"}</span>], ["Pot", data.pot_text], [`Equity of ${data.player_name}`, data.total.equity_text ?? "–"], [`EV of ${data.player_name}`, data.total.ev_text ?? "–"]]} />
        </div>
        <div className="row">
          {data.moves.map((move, place) => (
            <AriaButton key={move.at} className="move-card" onPress={() => go(move.at)}>
              <span className="row keep"><i className="chip" style={{ background: colours[place] }} /><b>{move.label}</b><span className="number">{move.frequency_text ?? ""}</span></span>
              <span className="soft small number">EV {move.ev_text ?? "–"}</span>
            </AriaButton>
          ))}
          {data.cards?.map((card) => <Button key={card.at} small onPress={() => go(card.at)}>{card.label}</Button>)}
          {data.acts === "end" && <span className="soft">The play is over.</span>}
        </div>
        <div className="row filters">
            <Segments label="Whose hands" value={String(data.player)} onChange={(to) => change({ player: to })} choices={game.player_names.map((name, seat) => [String(seat), name] as const)} />
            <Segments label="What the cells show" value={mode} onChange={setMode} choices={[["frequencies", "Choices"], ["equity", "Equity"], ["ev", "EV"]]} />
            <Legend names={data.actor === data.player ? labels : []} colours={colours} />
        </div>
        <Failure reason={error} />
        <div className="scroll grow">
          {data.grid ? (
            <table className="grid hands" aria-label={`Hands of ${data.player_name}`}>
              <tbody>
                {data.grid.cells.map((line, place) => (
                  <tr key={place}>
                    {line.map((row, column) => (
                      <HandCell key={column} row={row} name={handName(data.grid?.ranks ?? [], place, column)} moves={labels} colours={colours} mode={mode} chosen={row !== null && row.name === chosen} onChoose={() => choose(row?.name ?? null)} />
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          ) : (
            <table>
              <thead><tr><th>Type</th><th>Choice</th><th className="right">Weight</th><th className="right">Equity</th><th className="right">EV</th></tr></thead>
              <tbody>
                {data.groups?.map((row) => (
                  <tr key={row.name}>
                    <td className="mono">{row.name}</td>
                    <td className="wide">{row.frequencies && <Meter names={labels} shares={row.frequencies} colours={colours} tall />}</td>
                    <td className="right">{row.weight_text}</td>
                    <td className="right">{row.equity_text ?? "–"}</td>
                    <td className="right">{row.ev_text ?? "–"}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </div>
      </section>
      {group && data.grid && <Hands strategy={strategy.id} at={data.at} player={data.player} group={group} moves={labels} colours={colours} onClose={() => choose(null)} />}
    </div>
  );
}
