/** Where the nodes of a drawing stand: leaves side by side, parents over the middle of their children. */

import type { DrawnNode } from "../api/types";

export const STEP = 58;
export const LEVEL = 96;

export type Placed = { node: DrawnNode; x: number; y: number; children: string[] };
export type Layout = { places: Map<string, Placed>; width: number; height: number };

export function depthOf(path: string): number {
  return path === "" ? 0 : path.split(".").length;
}

export function parentOf(path: string): string {
  const cut = path.lastIndexOf(".");
  return cut < 0 ? "" : path.slice(0, cut);
}

/** Lay out all nodes that hang together with the root. A node that stays where it was before is the same object. */
export function layout(nodes: ReadonlyMap<string, DrawnNode>, before?: Layout): Layout {
  const children = new Map<string, DrawnNode[]>();
  for (const node of nodes.values()) {
    if (node.path === "") continue;
    const parent = parentOf(node.path);
    const siblings = children.get(parent);
    if (siblings) siblings.push(node);
    else children.set(parent, [node]);
  }
  const places = new Map<string, Placed>();
  let next = 0;
  let deepest = 0;
  const place = (node: DrawnNode, depth: number): number => {
    const below = (children.get(node.path) ?? []).sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
    deepest = Math.max(deepest, depth);
    let x: number;
    if (below.length === 0) {
      x = next;
      next += STEP;
    } else {
      const spots = below.map((child) => place(child, depth + 1));
      x = ((spots[0] ?? 0) + (spots[spots.length - 1] ?? 0)) / 2;
    }
    const old = before?.places.get(node.path);
    const same = old && old.node === node && old.x === x && old.children.length === below.length;
    places.set(node.path, same ? old : { node, x, y: depth * LEVEL, children: below.map((child) => child.path) });
    return x;
  };
  const root = nodes.get("");
  if (root) place(root, 0);
  return { places, width: Math.max(next - STEP, 0), height: deepest * LEVEL };
}
