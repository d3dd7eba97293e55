/** All information sets of a strategy in one list, however many there are. */

import { memo, useCallback, useDeferredValue, useState } from "react";
import { get } from "../api/client";
import type { Game, SetPage, SetRow, Strategy } from "../api/types";
import { coloursOf, playerColour } from "../colours";
import { IconButton, Search, Select } from "../parts/controls";
import { usePaged } from "../parts/paged";
import { Empty, Failure, Meter, Wait, whole } from "../parts/shown";
import { WindowedRows } from "../parts/window";
import { change, useRoute } from "../route";
import { SetDetail } from "./detail";

const ROW = 44;
const SORTS = [
  { id: "frequency", label: "Frequency", more: "how often play comes there" },
  { id: "reach", label: "Reach", more: "how often it would, if the player tried" },
  { id: "regret", label: "Regret" },
  { id: "entropy", label: "Entropy", more: "how mixed the choice is" },
  { id: "value", label: "Value" },
  { id: "name", label: "Name" },
  { id: "number", label: "Number" },
] as const;
type Sort = (typeof SORTS)[number]["id"];

export const Line = memo(function Line({ row, names }: { row: SetRow | undefined; names: string[] }) {
  if (!row) return <span className="soft pending" role="gridcell">…</span>;
  const labels = row.actions.map((action) => action.label);
  const colours = coloursOf(labels);
  return (
    <>
      <span role="gridcell" className="set-name" data-key={row.key}>
        <i className="dot" style={{ background: playerColour(row.player) }} title={names[row.player]} />
        <span className="mono clip">{row.name}</span>
      </span>
      <span role="gridcell" className="set-bar">
        <Meter names={labels} shares={row.actions.map((action) => action.probability)} colours={colours} tall />
        <span className="shares small soft">
          {row.actions.slice(0, 6).map((action, place) => (
            <span key={place}>
              <i className="chip" style={{ background: colours[place] }} />
              {action.label} {action.probability_text}
            </span>
          ))}
        </span>
      </span>
      <span role="gridcell" className="number">{row.frequency_text ?? "–"}</span>
      <span role="gridcell" className="number">{row.reach_text ?? "–"}</span>
      <span role="gridcell" className="number">{row.value_text ?? "–"}</span>
      <span role="gridcell" className="number">{row.regret_text ?? "–"}</span>
      <span role="gridcell" className="number">{row.entropy_text ?? "–"}</span>
    </>
  );
});

export function PlayerSelect({ game, value, onChange, all = true }: { game: Game; value: string; onChange: (player: string) => void; all?: boolean }) {
  const players = game.player_names.map((label, player) => ({ id: String(player), label }));
  return (
    <Select
      label="Player"
      hideLabel
      value={value || (all ? "all" : "0")}
      choices={all ? [{ id: "all", label: "All players" }, ...players] : players}
      onChange={(to) => onChange(to === "all" ? "" : to)}
    />
  );
}

export function SetsView({ game, strategy }: { game: Game; strategy: Strategy }) {
  const { parameters } = useRoute();
  const [pattern, setPattern] = useState(parameters.find ?? "");
  const settled = useDeferredValue(pattern);
  const player = parameters.player ?? "";
  const sort = (parameters.sort ?? "frequency") as Sort;
  const descending = parameters.order ? parameters.order === "down" : sort !== "name" && sort !== "number";
  const [chosen, choose] = useState<number | null>(null);
  const pages = usePaged<SetRow, SetPage>(
    JSON.stringify([strategy.id, strategy.state, settled, player, sort, descending]),
    (offset, limit, signal) => get<SetPage>(`strategies/${strategy.id}/sets`, { player, pattern: settled, sort, descending, offset, limit }, signal),
  );
  const see = useCallback((first: number, last: number) => pages.see(first, last), [pages]);
  const detail = chosen === null ? undefined : pages.at(chosen);
  return (
    <div className="fill split">
      <section className="panel fill list-panel" aria-label="Information sets">
        <div className="row filters">
          <Search label="Filter by name or pattern" placeholder="Filter: part of a name, or a pattern with * and ?" className="grow" value={pattern} onChange={(to) => { setPattern(to); choose(null); change({ find: to }, true); }} />
          <PlayerSelect game={game} value={player} onChange={(to) => { choose(null); change({ player: to }); }} />
          <Select label="Sorted by" hideLabel value={sort} choices={SORTS} onChange={(to) => { choose(null); change({ sort: to, order: "" }); }} />
          <IconButton label={descending ? "Largest first; change to smallest first" : "Smallest first; change to largest first"} icon={descending ? "down" : "up"} look="" onPress={() => { choose(null); change({ order: descending ? "up" : "down" }); }} />
          <span className="soft small number" role="status" data-testid="set-count">
            {pages.total === null ? "" : `${whole(pages.total)} sets`}
          </span>
        </div>
        <Failure reason={pages.error} />
        <div className="list-head" aria-hidden="true">
          <span>Information set</span>
          <span>Choice</span>
          <span className="right">Frequency</span>
          <span className="right">Reach</span>
          <span className="right">Value</span>
          <span className="right">Regret</span>
          <span className="right">Entropy</span>
        </div>
        {pages.total === null && !pages.error && <Wait>Counting the sets</Wait>}
        {pages.total === 0 && <Empty icon="search" title="No set matches" />}
        {(pages.total ?? 0) > 0 && (
          <WindowedRows count={pages.total ?? 0} row={ROW} label="Information sets" columns={7} chosen={chosen} onChoose={choose} onSight={see}>
            {(index) => <Line row={pages.at(index)} names={game.player_names} />}
          </WindowedRows>
        )}
      </section>
      {detail && <SetDetail game={game} strategy={strategy} player={detail.player} number={detail.number} onClose={() => choose(null)} />}
    </div>
  );
}
