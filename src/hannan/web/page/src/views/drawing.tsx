/** A drawing of the tree that pans and zooms and loads as it goes; dashed lines join the nodes of an information set. */

import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { get } from "../api/client";
import type { DrawnNode, Game, Subtree } from "../api/types";
import { playerColour } from "../colours";
import { IconButton } from "../parts/controls";
import { Failure } from "../parts/shown";
import { Edge, Mark } from "./branch";
import { depthOf, layout, type Layout, parentOf, type Placed } from "./layout";
import { type Lens, useLens } from "./lens";

const FIRST = { depth: 2, breadth: 12 };
const NEXT = { depth: 1, breadth: 12 };
const MORE = { depth: 1, breadth: 64 };
const FEW = 12;
/** More nodes are not kept: those far from the way are fetched again when they are needed. */
const MOST = 600;

/** From this scale on, what comes into sight is fetched. */
const NEAR = 1.2;

type Nodes = ReadonlyMap<string, DrawnNode>;

/** Keep the nodes beside the way to a path, and what was just fetched below it. */
function pruned(nodes: Nodes, path: string): Nodes {
  const near = (one: string) => one === "" || path === one || path.startsWith(`${one}.`) || one.startsWith(`${path}.`);
  return new Map([...nodes].filter(([one]) => near(one) || near(parentOf(one))));
}

/** The nodes that are here, and a way to fetch those below one of them. */
function useNodes(game: string, strategy: string) {
  const [nodes, setNodes] = useState<Nodes>(new Map());
  const [error, setError] = useState<unknown>(null);
  const asked = useRef(new Set<string>());
  const alive = useRef(0);
  const stale = useRef(false); // the nodes are another strategy's: they stay until the first answer comes
  const fetchBelow = useCallback(async (path: string, size: { depth: number; breadth: number }) => {
    const name = `${path} ${size.depth} ${size.breadth}`;
    if (asked.current.has(name)) return;
    asked.current.add(name);
    const now = alive.current;
    try {
      const answer = await get<Subtree>(`games/${game}/subtree`, { path, strategy, ...size });
      if (now !== alive.current) return;
      setError(null);
      const kept = !stale.current;
      stale.current = false;
      setNodes((before) => {
        const after = new Map(kept ? before : []);
        for (const node of answer.nodes) {
          const old = after.get(node.path);
          if (!old || old.shown < node.shown) after.set(node.path, old ? { ...node, label: old.label, index: old.index } : node);
        }
        if (after.size <= MOST) return after;
        asked.current.clear();
        return pruned(after, path);
      });
    } catch (reason) {
      asked.current.delete(name);
      if (now === alive.current) setError(reason);
    }
  }, [game, strategy]);
  useEffect(() => {
    alive.current += 1;
    asked.current.clear();
    stale.current = true;
    void fetchBelow("", FIRST);
  }, [game, strategy]);
  return { nodes, fetchBelow, error };
}

/** The pairs of neighbours that a dashed line joins. */
function dashes(placed: Layout): [Placed, Placed][] {
  const sets = new Map<string, Placed[]>();
  for (const place of placed.places.values()) {
    if (place.node.set === null) continue;
    const members = sets.get(place.node.set);
    if (members) members.push(place);
    else sets.set(place.node.set, [place]);
  }
  return [...sets.values()].flatMap((members) => {
    members.sort((one, other) => one.x - other.x);
    return members.slice(1).map((place, before) => [members[before], place] as [Placed, Placed]);
  });
}

function inSight(lens: Lens, place: Placed): boolean {
  const x = place.x * lens.scale + lens.x;
  const y = place.y * lens.scale + lens.y;
  return x > -160 && y > -160 && x < lens.width + 160 && y < lens.height + 160;
}

const Tools = memo(function Tools({ zoom, fit }: { zoom: (factor: number) => void; fit: () => void }) {
  return (
    <div className="drawing-tools">
      <IconButton label="Zoom in" icon="plus" onPress={() => zoom(1.25)} />
      <IconButton label="Zoom out" icon="minus" onPress={() => zoom(0.8)} />
      <IconButton label="Show the whole drawing" icon="fit" onPress={fit} />
    </div>
  );
});

export function Drawing({ game, strategy, path, onPath }: { game: Game; strategy: string; path: string; onPath: (path: string) => void }) {
  const { nodes, fetchBelow, error } = useNodes(game.id, strategy);
  const earlier = useRef<Layout>(undefined);
  const placed = useMemo(() => layout(nodes, earlier.current), [nodes]);
  earlier.current = placed;
  const pairs = useMemo(() => dashes(placed), [placed]);
  const frame = useRef<HTMLDivElement>(null);
  const { lens, zoom, fit, centre, shift, handlers } = useLens(frame, placed);

  // The way to the chosen history is fetched step by step: from the deepest ancestor that is here.
  useEffect(() => {
    if (!nodes.has("")) return;
    let here = path;
    while (!nodes.has(here)) here = parentOf(here);
    const node = nodes.get(here);
    if (here !== path) void fetchBelow(here, depthOf(path) - depthOf(here) > 2 ? { depth: 6, breadth: 12 } : MORE);
    else if (node && node.shown === 0 && node.children > 0) void fetchBelow(path, NEXT);
  }, [path, nodes]);
  // A small tree is shown deeper at once.
  useEffect(() => {
    if (nodes.size > 1 && nodes.size <= FEW) void fetchBelow("", { depth: 4, breadth: 12 });
  }, [nodes]);
  const chosen = placed.places.get(path);
  const before = useRef<{ path: string; x: number; y: number } | null>(null);
  useLayoutEffect(() => {
    if (!chosen) return;
    const last = before.current;
    if (last && last.path === path) shift(chosen.x - last.x, chosen.y - last.y);
    else centre(chosen);
    before.current = { path, x: chosen.x, y: chosen.y };
  }, [chosen?.x, chosen?.y, path]);

  // A reader who comes near sees what lies below.
  useEffect(() => {
    if (lens.scale < NEAR) return;
    const timer = window.setTimeout(() => {
      const bare = [...placed.places.values()].filter(({ node, children }) => node.children > 0 && children.length === 0);
      for (const place of bare.filter((one) => inSight(lens, one)).slice(0, 4)) void fetchBelow(place.node.path, { depth: 1, breadth: 12 });
    }, 250);
    return () => window.clearTimeout(timer);
  }, [lens, placed]);

  const step = (event: React.KeyboardEvent) => {
    const here = placed.places.get(path);
    if (!here) return;
    const siblings = path === "" ? [path] : (placed.places.get(parentOf(path))?.children ?? []);
    const at = siblings.indexOf(path);
    const ways: Record<string, string | undefined> = {
      ArrowUp: path === "" ? undefined : parentOf(path),
      ArrowDown: here.children[0],
      ArrowLeft: siblings[at - 1],
      ArrowRight: siblings[at + 1],
    };
    if (event.key in ways) {
      event.preventDefault();
      const to = ways[event.key];
      if (to !== undefined) onPath(to);
    } else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
  };
  const more = useCallback((to: string) => void fetchBelow(to, MORE), [fetchBelow]);
  const visible = [...placed.places.values()].filter((place) => inSight(lens, place));
  const near = new Set(visible.map((place) => place.node.path));
  return (
    <section className="panel drawing" aria-label="Drawing of the tree">
      <Tools zoom={zoom} fit={fit} />
      <Failure reason={error} />
      <div ref={frame} className="drawing-frame" {...handlers}>
        <svg
          width={lens.width}
          height={lens.height}
          role="tree"
          tabIndex={0}
          aria-label="Tree. Arrow keys walk, plus and minus zoom, 0 shows everything."
          aria-activedescendant={near.has(path) ? `node-${path}` : undefined}
          onKeyDown={step}
        >
          <g className={lens.scale < 0.5 ? "far" : ""} transform={`translate(${lens.x} ${lens.y}) scale(${lens.scale})`}>
            {pairs.filter(([one, other]) => near.has(one.node.path) || near.has(other.node.path)).map(([one, other]) => (
              <path
                key={`${one.node.path}-${other.node.path}`}
                className="same-set"
                style={{ stroke: playerColour(one.node.player ?? 0) }}
                d={`M${one.x} ${one.y}Q${(one.x + other.x) / 2} ${(one.y + other.y) / 2 + 22} ${other.x} ${other.y}`}
              />
            ))}
            {[...placed.places.values()].filter((place) => near.has(place.node.path) || near.has(parentOf(place.node.path))).map((place) => {
              const above = place.node.path === "" ? undefined : placed.places.get(parentOf(place.node.path));
              return above && <Edge key={place.node.path} above={above} place={place} onWay={path === place.node.path || path.startsWith(`${place.node.path}.`)} />;
            })}
            {visible.map((place) => (
              <Mark key={place.node.path} place={place} chosen={place.node.path === path} names={game.player_names} onPath={onPath} onMore={more} />
            ))}
          </g>
        </svg>
      </div>
    </section>
  );
}
