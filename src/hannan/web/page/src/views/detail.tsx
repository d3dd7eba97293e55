/** One information set beside the list or the grid: its actions, and where to go from here. */

import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import type { Game, SetRow, Strategy } from "../api/types";
import { coloursOf } from "../colours";
import { IconButton } from "../parts/controls";
import { Failure, Figures, Meter, Wait } from "../parts/shown";
import { link } from "../route";

export function SetDetail({ game, strategy, player, number, onClose }: { game: Game; strategy: Strategy; player: number; number: number; onClose: () => void }) {
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["strategy", strategy.id, "set", player, number],
    queryFn: ({ signal }) => get<SetRow>(`strategies/${strategy.id}/sets/${player}/${number}`, {}, signal),
    placeholderData: (before) => before,
  });
  const labels = data?.actions.map((action) => action.label) ?? [];
  const colours = coloursOf(labels);
  return (
    <aside className="panel stack detail" aria-label="The chosen information set" data-set={isPlaceholderData ? undefined : data?.key}>
      <div className="row apart keep">
        <h2 className="mono break">{data?.name ?? " "}</h2>
        <IconButton label="Close" icon="close" onPress={onClose} />
      </div>
      <Failure reason={error} />
      {!data && !error && <Wait />}
      {data && (
        <>
          <span className="soft small">
            {game.player_names[data.player]}
            {data.histories !== undefined && ` · ${data.histories} ${data.histories === 1 ? "history" : "histories"}`}
          </span>
          <Meter names={labels} shares={data.actions.map((action) => action.probability)} colours={colours} tall />
          <table>
            <thead>
              <tr>
                <th>Action</th>
                <th className="right">Chosen</th>
                <th className="right">Value</th>
                <th className="right">Regret</th>
              </tr>
            </thead>
            <tbody>
              {data.actions.map((action, place) => (
                <tr key={place}>
                  <td>
                    <i className="chip" style={{ background: colours[place] }} /> <span className="break">{action.label}</span>
                  </td>
                  <td className="right">{action.probability_text}</td>
                  <td className="right">{action.value_text}</td>
                  <td className="right">{action.regret_text}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <Figures
            items={[
              ["Frequency", data.frequency_text ?? "–"],
              ["Reach", data.reach_text ?? "–"],
              ["Value", data.value_text ?? "–"],
              ["Entropy", data.entropy_text === null ? "–" : `${data.entropy_text} bit`],
            ]}
          />
          <div className="row">
            {data.path !== undefined && data.path !== null && game.views.includes("tree") && (
              <a className="button" href={link("tree", { g: game.id, s: strategy.id, path: data.path })}>Show in the tree</a>
            )}
            {game.views.includes("whatif") && (
              <a className="button" href={link("whatif", { g: game.id, s: strategy.id, lock: data.name, player: String(data.player) })}>What if</a>
            )}
          </div>
        </>
      )}
    </aside>
  );
}
