/** Strategy: all information sets in a list, private cards × public play in a grid, two strategies side by side. */

import { useQuery } from "@tanstack/react-query";
import { get, Refusal } from "../api/client";
import type { Evaluation, Game } from "../api/types";
import type { Current } from "../current";
import { Segments } from "../parts/controls";
import { Badge, Empty, Figures, Wait } from "../parts/shown";
import { change, useRoute } from "../route";
import { CompareView } from "./compare";
import { GridView } from "./grid";
import { HandsView } from "./hands";
import { SetsView } from "./sets";

export type Opened = Current & { game: Game };

const MODES = { list: "List", grid: "Grid", compare: "Compare" } as const;
type Mode = keyof typeof MODES;

export function Evaluated({ id, names }: { id: string; names: string[] }) {
  const { data, error } = useQuery({
    queryKey: ["strategy", id, "evaluation"],
    queryFn: ({ signal }) => get<Evaluation>(`strategies/${id}/evaluation`, {}, signal),
  });
  if (error) return <span className="soft small">{error instanceof Refusal ? error.message : String(error)}</span>;
  if (!data) return <span className="soft small" role="status">Measuring the strategy</span>;
  return (
    <Figures
      compact
      items={[
        data.nash_conv_text !== null && (["NashConv", data.nash_conv_text] as const),
        ...(data.values_text ?? []).map((text, player) => [`Value of ${names[player] ?? `player ${player}`}`, text] as const),
        ...(data.gains_text ?? []).map((text, player) => [`${names[player] ?? `player ${player}`} can gain`, text] as const),
      ]}
    />
  );
}

export function StrategyView({ current }: { current: Opened }) {
  const { parameters } = useRoute();
  const { game, strategy } = current;
  if (!strategy) {
    return (
      <Empty icon="strategy" title="No strategy of this game is open">
        <p>Open a file of the folder, or solve the game.</p>
      </Empty>
    );
  }
  if (strategy.state === "failed") return <Empty icon="alert" title="The strategy cannot be shown"><p>{strategy.error}</p></Empty>;
  if (strategy.state === "loading") return <Wait>Loading {strategy.name}</Wait>;
  const isPublic = game.views.includes("public");
  const modes = (Object.keys(MODES) as Mode[]).filter((mode) => mode !== "grid" || isPublic || game.views.includes("grid"))
    .filter((mode) => !isPublic || mode === "grid");
  const asked = parameters.mode as Mode | undefined;
  const mode: Mode = asked && modes.includes(asked) ? asked : isPublic ? "grid" : "list";
  return (
    <div className="fill stack">
      <div className="row apart">
        <div className="row wide-gap">
          <h1 className="break">{strategy.name}</h1>
          <Badge>{strategy.kind}</Badge>
          {!strategy.exact && <Badge tone="warn">numbers are estimates</Badge>}
          {mode !== "compare" && <Evaluated id={strategy.id} names={game.player_names} />}
        </div>
        {modes.length > 1 && (
          <Segments label="How to look at it" value={mode} onChange={(to) => change({ mode: to })} choices={modes.map((one) => [one, MODES[one]] as const)} />
        )}
      </div>
      {mode === "list" && <SetsView game={game} strategy={strategy} />}
      {mode === "grid" && (isPublic ? <HandsView game={game} strategy={strategy} /> : <GridView game={game} strategy={strategy} />)}
      {mode === "compare" && <CompareView current={current} />}
    </div>
  );
}
