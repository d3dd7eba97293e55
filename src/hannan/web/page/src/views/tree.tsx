/** Tree: walk the game from the root; the drawing beside it follows. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { memo, useState } from "react";
import { get } from "../api/client";
import type { Found, GameNode, Page } from "../api/types";
import { Button, Search } from "../parts/controls";
import { Empty, Failure, Wait } from "../parts/shown";
import { change, link, useRoute } from "../route";
import { Drawing } from "./drawing";
import { NodePanel } from "./node";
import type { Opened } from "./strategy";

const Jump = memo(function Jump({ game }: { game: string }) {
  const [text, setText] = useState("");
  const { data, error } = useQuery({
    queryKey: ["find", game, text],
    queryFn: ({ signal }) => get<Page<Found>>(`games/${game}/find`, { text, limit: 8 }, signal),
    enabled: text.trim() !== "",
    placeholderData: keepPreviousData,
  });
  const jump = (path: string) => {
    setText("");
    change({ path });
  };
  return (
    <div className="jump">
      <Search
        label="Jump to an information set"
        placeholder="Jump to a set: name, pattern or path"
        value={text}
        onChange={setText}
        onSubmit={() => data?.items[0] && jump(data.items[0].path)}
      />
      {text.trim() !== "" && (
        <div className="jump-list" role="group" aria-label="Sets that match">
          {data?.items.map((found) => (
            <Button key={found.key} look="plain" className="jump-item" onPress={() => jump(found.path)}>
              <span className="mono clip">{found.name}</span>
              <span className="soft small">player {found.player}</span>
            </Button>
          ))}
          {data && !data.items.length && <p className="soft small">No set matches.</p>}
          {data && data.total > data.items.length && <p className="soft small">and {data.total - data.items.length} more</p>}
          <Failure reason={error} />
        </div>
      )}
    </div>
  );
});

function Crumbs({ node }: { node: GameNode }) {
  return (
    <nav className="crumbs" aria-label="Path from the root">
      <ol>
        {node.crumbs.map((crumb, place) => {
          const last = place === node.crumbs.length - 1;
          return (
            <li key={crumb.path}>
              <button type="button" className="button plain small" onClick={() => walk(crumb.path)} aria-current={last ? "step" : undefined}>
                <span className="clip">{crumb.label}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function walk(path: string): void {
  change({ path });
}

export function TreeView({ current }: { current: Opened }) {
  const { game } = current;
  const { parameters } = useRoute();
  const path = parameters.path ?? "";
  const [offset, setOffset] = useState<[string, number]>(["", 0]);
  const from = offset[0] === path ? offset[1] : 0;
  const strategy = current.strategy?.state === "ready" ? current.strategy.id : "";
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["node", game.id, path, strategy, from],
    queryFn: ({ signal }) => get<GameNode>(`games/${game.id}/node`, { path, strategy, offset: from, limit: 100 }, signal),
    placeholderData: keepPreviousData,
    enabled: game.views.includes("tree"),
  });
  if (!game.views.includes("tree")) {
    return (
      <Empty icon="tree" title="This game has no tree to walk">
        <p>{game.views.includes("public") ? "Its public play and its hands are in the strategy view." : "It can only be played."}</p>
        <a className="button main" href={link(game.views.includes("public") ? "strategy" : "play", current.kept)}>Go there</a>
      </Empty>
    );
  }
  return (
    <div className="fill stack">
      <div className="row keep">
        <div className="grow">{data && <Crumbs node={data} />}</div>
        <Jump game={game.id} />
      </div>
      <Failure reason={error} />
      {!data && !error && <Wait />}
      {data && (
        <div className="fill tree-split" data-path={data.path} data-ready={!isPlaceholderData}>
          <NodePanel game={game} node={data} strategy={current.strategy} onMore={(to) => setOffset([path, to])} />
          <Drawing key={game.id} game={game} strategy={strategy} path={path} onPath={walk} />
        </div>
      )}
    </div>
  );
}
