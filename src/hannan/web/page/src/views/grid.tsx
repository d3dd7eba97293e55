/** Private cards × public play: each cell is coloured by action, with a bar of frequencies. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../api/client";
import type { Game, Grid, GridCell, Strategy } from "../api/types";
import { coloursOf } from "../colours";
import { Button, Search } from "../parts/controls";
import { Empty, Failure, Legend, Wait, whole } from "../parts/shown";
import { change, useRoute } from "../route";
import { SetDetail } from "./detail";
import { PlayerSelect } from "./sets";

const COLUMNS = 24;

function words(cell: GridCell, actions: string[]): string {
  const shares = actions.flatMap((action, place) => (cell.frequencies_text[place] ? [`${action} ${cell.frequencies_text[place]}`] : []));
  return `${cell.label}, set ${cell.name}: ${shares.join(", ")}`;
}

/** The shares of a cell, side by side over its whole face. */
export function Shares({ frequencies, colours }: { frequencies: readonly (number | null)[]; colours: readonly string[] }) {
  return (
    <span className="face" aria-hidden="true">
      {frequencies.map((share, place) =>
        share ? <i key={place} style={{ flexGrow: share, background: colours[place] }} /> : null,
      )}
    </span>
  );
}

function Cell({ cell, actions, colours, chosen, onChoose }: { cell: GridCell | null; actions: string[]; colours: string[]; chosen: boolean; onChoose: () => void }) {
  if (!cell) return <td className="cell none" />;
  return (
    <td className="cell">
      <button type="button" className={`cell-button ${chosen ? "chosen" : ""}`} aria-label={words(cell, actions)} onClick={onChoose}>
        <Shares frequencies={cell.frequencies} colours={colours} />
        <span className="cell-text">
          <b className="clip">{cell.label}</b>
        </span>
        <span className="cell-bars" aria-hidden="true">
          {cell.frequencies.map((share, place) =>
            share === null ? null : (
              <i key={place} className="cell-bar">
                <i style={{ width: `${share * 100}%`, background: colours[place] }} />
              </i>
            ),
          )}
        </span>
      </button>
    </td>
  );
}

export function GridView({ game, strategy }: { game: Game; strategy: Strategy }) {
  const { parameters } = useRoute();
  const player = parameters.player ?? "0";
  const [search, setSearch] = useState("");
  const [offset, setOffset] = useState(0);
  const [chosen, choose] = useState<GridCell | null>(null);
  const { data, error } = useQuery({
    queryKey: ["strategy", strategy.id, "grid", player, search, offset],
    queryFn: ({ signal }) => get<Grid>(`strategies/${strategy.id}/grid`, { player, search, offset, limit: COLUMNS }, signal),
    placeholderData: (before) => before,
  });
  const colours = coloursOf(data?.actions ?? []);
  return (
    <div className="fill split">
      <section className="panel fill" aria-label="Grid">
        <div className="row filters">
          <PlayerSelect game={game} value={player} all={false} onChange={(to) => { choose(null); setOffset(0); change({ player: to }); }} />
          <Search className="narrow" label="Filter the columns" value={search} onChange={(to) => { setSearch(to); setOffset(0); }} />
          {data && <Legend names={data.actions} colours={colours} />}
          <span className="grow" />
          {data && data.total > data.columns.length && (
            <span className="row">
              <span className="soft small number" role="status">
                {whole(data.offset + 1)}–{whole(data.offset + data.columns.length)} of {whole(data.total)} columns
              </span>
              <Button small isDisabled={offset === 0} onPress={() => setOffset(Math.max(0, offset - COLUMNS))}>Back</Button>
              <Button small isDisabled={offset + COLUMNS >= data.total} onPress={() => setOffset(offset + COLUMNS)}>On</Button>
            </span>
          )}
        </div>
        <Failure reason={error} />
        {!data && !error && <Wait />}
        {data && !data.columns.length && <Empty icon="search" title="No column matches" />}
        {data && data.columns.length > 0 && (
          <div className="scroll grow">
            <p className="soft small grid-titles">Rows: {data.row_title}. Columns: {data.column_title}.</p>
            <table className="grid" aria-label={`Choices of ${game.player_names[data.player] ?? `player ${data.player}`}`}>
              <thead>
                <tr>
                  <td className="corner" />
                  {data.columns.map((column, place) => (
                    <th key={place} scope="col" className="mono"><span className="clip">{column || "∅"}</span></th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {data.rows.map((row, place) => (
                  <tr key={place}>
                    <th scope="row" className="mono">{row}</th>
                    {data.cells[place]?.map((cell, column) => (
                      <Cell key={column} cell={cell} actions={data.actions} colours={colours} chosen={cell !== null && chosen?.key === cell.key} onChoose={() => choose(cell)} />
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {chosen && <SetDetail game={game} strategy={strategy} player={chosen.player} number={chosen.number} onClose={() => choose(null)} />}
    </div>
  );
}
