/** One node of the drawing, and the edge that leads to it. */

import { memo } from "react";
import type { DrawnNode } from "../api/types";
import { playerColour } from "../colours";
import { depthOf, type Placed } from "./layout";

function spoken(place: Placed, names: string[]): string {
  const { node } = place;
  const kind = node.kind === "decision" && node.player !== null ? names[node.player] : node.kind;
  return [node.label, kind, node.name && `set ${node.name}`, node.probability_text, node.kind === "end" && node.earned_text.join(", ")].filter(Boolean).join(", ");
}

function Shape({ node }: { node: DrawnNode }) {
  if (node.kind === "end") return <rect x={-5} y={-5} width={10} height={10} rx={2} className="shape end" />;
  if (node.kind === "chance") return <path d="M0-11 11 0 0 11-11 0z" className="shape chance" />;
  if (node.kind === "joint") return <rect x={-11} y={-11} width={22} height={22} rx={6} className="shape joint" />;
  return <circle r={11} className="shape" style={{ fill: playerColour(node.player ?? 0) }} />;
}

function short(label: string): string {
  return label.length > 14 ? `${label.slice(0, 13)}…` : label;
}

export const Edge = memo(function Edge({ above, place, onWay }: { above: Placed; place: Placed; onWay: boolean }) {
  const share = place.node.probability;
  // The many labels of joint moves stand at four heights, so that neighbours can be read.
  const along = above.node.kind === "joint" ? 0.42 + 0.14 * ((place.node.index ?? 0) % 4) : 0.62;
  return (
    <g className={`edge ${onWay ? "on-way" : ""}`}>
      <path d={`M${above.x} ${above.y}L${place.x} ${place.y}`} style={{ strokeWidth: 1.2 + 3.6 * (share ?? 0), opacity: share === null || share > 0.001 ? 1 : 0.35 }} />
      <text x={above.x + (place.x - above.x) * along} y={above.y + (place.y - above.y) * along + 4}>{short(place.node.label)}</text>
    </g>
  );
});

export const Mark = memo(function Mark({ place, chosen, names, onPath, onMore }: {
  place: Placed;
  chosen: boolean;
  names: string[];
  onPath: (path: string) => void;
  onMore: (path: string) => void;
}) {
  const { node, children } = place;
  return (
    <>
      <g
        id={`node-${node.path}`}
        className={`tree-node ${chosen ? "chosen" : ""}`}
        role="treeitem"
        aria-level={depthOf(node.path) + 1}
        aria-selected={chosen}
        aria-expanded={node.children ? children.length > 0 : undefined}
        aria-label={spoken(place, names)}
        transform={`translate(${place.x} ${place.y})`}
        onClick={() => onPath(node.path)}
      >
        {chosen && <circle r={17} className="halo" />}
        <Shape node={node} />
      </g>
      <g transform={`translate(${place.x} ${place.y})`} aria-hidden="true">
        {node.kind === "end" && <text y={20} className="payoff">{node.earned_text[0]}</text>}
        {node.children > 0 && children.length === 0 && <text y={26} className="hidden-children">{node.children} ▾</text>}
        {children.length > 0 && children.length < node.children && (
          <text y={30} className="hidden-children more" onClick={() => onMore(node.path)}>
            {children.length} of {node.children}
          </text>
        )}
      </g>
    </>
  );
});
