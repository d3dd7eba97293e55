/** Two strategies of one game side by side, with their difference. */

import { memo, useCallback, useDeferredValue, useState } from "react";
import { get } from "../api/client";
import type { Comparison, Difference } from "../api/types";
import { coloursOf, playerColour } from "../colours";
import { Search, Select } from "../parts/controls";
import { usePaged } from "../parts/paged";
import { Badge, Empty, Failure, Figures, Meter, Wait, whole } from "../parts/shown";
import { WindowedRows } from "../parts/window";
import { change, useRoute } from "../route";
import { PlayerSelect } from "./sets";
import type { Opened } from "./strategy";

const ROW = 62;
const SORTS = [
  { id: "weighted", label: "Difference × frequency", more: "what matters in play" },
  { id: "variation", label: "Difference" },
  { id: "name", label: "Name" },
  { id: "number", label: "Number" },
] as const;

export const DifferenceLine = memo(function DifferenceLine({ row }: { row: Difference | undefined }) {
  if (!row) return <span className="soft pending" role="gridcell">…</span>;
  const labels = row.actions.map((action) => action.label);
  const colours = coloursOf(labels);
  return (
    <>
      <span role="gridcell" className="set-name">
        <i className="dot" style={{ background: playerColour(row.player) }} />
        <span className="mono clip">{row.name}</span>
        {row.locked && <Badge tone="accent">locked</Badge>}
      </span>
      <span role="gridcell" className="set-bar">
        <Meter names={labels} shares={row.actions.map((action) => action.a)} colours={colours} tall />
        <Meter names={labels} shares={row.actions.map((action) => action.b)} colours={colours} tall />
      </span>
      <span role="gridcell" className="shares small soft differences">
        {row.actions.slice(0, 5).map((action, place) => (
          <span key={place} title={`${action.label}: ${action.a_text} → ${action.b_text}`}>
            <i className="chip" style={{ background: colours[place] }} />
            {action.label} <b className="number">{action.difference_text}</b>
          </span>
        ))}
      </span>
      <span role="gridcell" className="number">{row.variation_text}</span>
    </>
  );
});

export function CompareView({ current }: { current: Opened }) {
  const { game, strategy, strategies } = current;
  const { parameters } = useRoute();
  const others = strategies.filter((one) => one.id !== strategy?.id && one.state === "ready");
  const other = others.find((one) => one.id === parameters.with) ?? others[others.length - 1];
  const [pattern, setPattern] = useState("");
  const settled = useDeferredValue(pattern);
  const player = parameters.player ?? "";
  const sort = SORTS.find((one) => one.id === parameters.by)?.id ?? "weighted";
  const a = other?.id ?? "";
  const b = strategy?.id ?? "";
  const pages = usePaged<Difference, Comparison>(JSON.stringify([a, b, settled, player, sort]), (offset, limit, signal) =>
    get<Comparison>("compare", { a, b, player, pattern: settled, sort, offset, limit }, signal),
  );
  const see = useCallback((first: number, last: number) => pages.see(first, last), [pages]);
  const [chosen, choose] = useState<number | null>(null);
  if (!other || !strategy) {
    return (
      <Empty icon="strategy" title="There is one strategy only">
        <p>Open a second strategy of this game: a file of the folder, or the result of a run.</p>
      </Empty>
    );
  }
  return (
    <section className="panel fill" aria-label="Two strategies side by side">
      <div className="row filters end">
        <Select label="From (upper bar)" value={other.id} choices={others.map((one) => ({ id: one.id, label: one.name }))} onChange={(to) => change({ with: to })} />
        <Search label="Filter by name or pattern" className="grow" value={pattern} onChange={setPattern} />
        <PlayerSelect game={game} value={player} onChange={(to) => change({ player: to })} />
        <Select label="Sorted by" hideLabel value={sort} choices={SORTS} onChange={(to) => change({ by: to })} />
      </div>
      <Failure reason={pages.error} />
      {pages.first && (
        <Figures
          items={[
            ["Information sets", whole(pages.total)],
            ["Mean difference in play", pages.first.mean_variation_text],
            ...(pages.first.values?.difference_text ?? []).map((text, seat) => [`Value of ${game.player_names[seat] ?? seat} changes by`, text] as const),
          ]}
        />
      )}
      <div className="list-head compare" aria-hidden="true">
        <span>Information set</span>
        <span className="clip">{other.name} above, {strategy.name} below</span>
        <span>Change of each action</span>
        <span className="right">Difference</span>
      </div>
      {pages.total === null && !pages.error && <Wait>Comparing</Wait>}
      {pages.total === 0 && <Empty icon="search" title="No set matches" />}
      {(pages.total ?? 0) > 0 && (
        <div className="compare fill">
          <WindowedRows count={pages.total ?? 0} row={ROW} label="Differences" columns={4} chosen={chosen} onChoose={choose} onSight={see}>
            {(index) => <DifferenceLine row={pages.at(index)} />}
          </WindowedRows>
        </div>
      )}
    </section>
  );
}
