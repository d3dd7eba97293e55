/** One history: who moves there, what the mover knows, and every move as a button. */

import { memo } from "react";
import type { Game, GameNode, Matrix, MatrixAction, Move, Strategy } from "../api/types";
import { coloursOf, playerColour } from "../colours";
import { Button } from "../parts/controls";
import { Badge, Figures, percent, shown, tone, whole } from "../parts/shown";
import { change, link } from "../route";

const KINDS = { chance: "Chance", decision: "Decision", joint: "Joint move", end: "End of the play" } as const;

/** A number with the word that a screen reader says before it. */
function Said({ word, className = "", children }: { word: string; className?: string; children: string }) {
  return (
    <span className={`number ${className}`}>
      <i className="hidden-text"> {word} </i>
      {children}
    </span>
  );
}

const MoveButton = memo(function MoveButton({ move, colour, chance }: { move: Move; colour: string; chance: boolean }) {
  return (
    <button type="button" className="move" onClick={() => change({ path: move.path })} data-index={move.index}>
      <i className="move-share" style={{ width: `${(move.probability ?? 0) * 100}%`, background: colour }} />
      <i className="move-edge" style={{ background: colour }} />
      <span className="move-name">
        <b className="break">{move.label}</b>
        {move.help && <span className="soft small clip">{move.help}</span>}
      </span>
      <Said word={chance ? "odds" : "chosen"} className="move-probability">{move.probability_text ?? ""}</Said>
      {!chance && (
        <>
          <Said word="value">{move.value_text ?? "–"}</Said>
          <Said word="regret" className={move.regret !== null && move.regret > 0 ? "positive" : "soft"}>{move.regret_text ?? "–"}</Said>
        </>
      )}
      <Said word="reach" className="soft">{percent(move.reach)}</Said>
    </button>
  );
});

function Moves({ node, onMore }: { node: GameNode; onMore: (offset: number) => void }) {
  const { items, total, offset, limit } = node.moves;
  const chance = node.kind === "chance";
  const colours = chance ? items.map(() => "var(--c7)") : coloursOf(items.map((move) => move.label));
  if (!items.length) return null;
  return (
    <div className={`moves ${chance ? "of-chance" : ""}`}>
      <div className="move-head small soft" aria-hidden="true">
        <span>{chance ? "Outcome" : "Action"}</span>
        <span>{chance ? "Odds" : "Chosen"}</span>
        {!chance && <span>Value</span>}
        {!chance && <span>Regret</span>}
        <span>Reach</span>
      </div>
      <ul className="stack tight" aria-label={chance ? "Outcomes of chance" : "Actions"}>
        {items.map((move, place) => (
          <li key={move.index}>
            <MoveButton move={move} colour={colours[place] ?? "var(--c7)"} chance={chance} />
          </li>
        ))}
      </ul>
      {total > items.length && (
        <div className="row apart">
          <span className="soft small number" role="status">
            {whole(offset + 1)}–{whole(offset + items.length)} of {whole(total)}
          </span>
          <span className="row">
            <Button small isDisabled={offset === 0} onPress={() => onMore(Math.max(0, offset - limit))}>Back</Button>
            <Button small isDisabled={offset + items.length >= total} onPress={() => onMore(offset + limit)}>On</Button>
          </span>
        </div>
      )}
    </div>
  );
}

function Heading({ action, colour }: { action: MatrixAction; colour: string }) {
  return (
    <span className="heading" title={action.help || undefined}>
      <b className="clip">{action.label}</b>
      <span className="small number"><i className="dot" style={{ background: colour }} /> {action.probability_text ?? ""}</span>
      <span className="small soft number">{action.value_text === null ? "" : `EV ${action.value_text}`}</span>
    </span>
  );
}

const JointMatrix = memo(function JointMatrix({ matrix, game }: { matrix: Matrix; game: Game }) {
  const [row = 0, column = 1] = matrix.players;
  return (
    <div className="scroll">
      <table className="matrix">
        <caption className="small soft">
          {game.player_names[row]} chooses the row, {game.player_names[column]} the column.
        </caption>
        <thead>
          <tr>
            <td />
            {matrix.columns.map((action, place) => (
              <th key={place} scope="col"><Heading action={action} colour={playerColour(column)} /></th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.cells.map((line, place) => (
            <tr key={place}>
              <th scope="row">{matrix.rows[place] && <Heading action={matrix.rows[place]} colour={playerColour(row)} />}</th>
              {line.map((cell, other) => (
                <td key={cell.index}>
                  <button
                    type="button"
                    className="matrix-cell"
                    onClick={() => change({ path: cell.path })}
                  >
                    <i className="hidden-text">{`${matrix.rows[place]?.label}, ${matrix.columns[other]?.label}: `}</i>
                    <i className="matrix-heat" style={{ opacity: (cell.probability ?? 0) * 0.55 }} />
                    <span className="number">{cell.utilities_text?.join(" / ") ?? "·"}</span>
                    <span className="small soft number">{cell.probability_text ?? ""}</span>
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
});

export function NodePanel({ game, node, strategy, onMore }: { game: Game; node: GameNode; strategy: Strategy | undefined; onMore: (offset: number) => void }) {
  const end = node.kind === "end";
  return (
    <section className="panel stack node scroll" aria-label="This node">
      <div className="stack tight">
        <div className="row">
          <Badge tone="accent">{KINDS[node.kind]}</Badge>
          {node.movers.map((player) => (
            <Badge key={player}>
              <i className="dot" style={{ background: playerColour(player) }} />
              {game.player_names[player] ?? `player ${player}`}
            </Badge>
          ))}
        </div>
        {node.board && <pre className="board">{node.board}</pre>}
      </div>
      {node.matrix && <JointMatrix matrix={node.matrix} game={game} />}
      {node.sets.map((set) => (
        <div key={set.key} className="set-card">
          <div className="row apart">
            <span className="mono break"><b>{set.name}</b></span>
            <span className="soft small">{node.sets.length > 1 && `${game.player_names[set.player] ?? set.player}, `}information set, {whole(set.histories)} {set.histories === 1 ? "history" : "histories"}</span>
          </div>
          {strategy && (
            <Figures items={[["Value", set.value_text], ["Frequency", percent(set.frequency)], ["Reach", percent(set.reach)], ["Entropy", set.entropy === null ? "–" : `${shown(set.entropy, 3)} bit`]]} />
          )}
          {game.views.includes("whatif") && strategy && (
            <a className="small" href={link("whatif", { g: game.id, s: strategy.id, lock: set.name, player: String(set.player) })}>
              What if this set is locked?
            </a>
          )}
        </div>
      ))}
      {(end || node.earned.some((gain) => gain !== 0)) && (
        <Figures items={node.earned_text.map((text, player) => [`${game.player_names[player] ?? player} has`, text, tone(node.earned[player])] as const)} />
      )}
      {!end && node.utilities && (
        <Figures items={node.utilities_text.map((text, player) => [`${game.player_names[player] ?? player} expects`, text] as const)} />
      )}
      {!node.matrix && <Moves node={node} onMore={onMore} />}
    </section>
  );
}
