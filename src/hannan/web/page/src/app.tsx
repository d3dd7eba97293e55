/** The frame: the rail of views, the bar with the game and the strategy, and the view that is open. */

import { memo, type ReactNode, useEffect } from "react";
import { Refusal } from "./api/client";
import type { Session } from "./api/types";
import { type Current, useCurrent } from "./current";
import { Boundary } from "./parts/boundary";
import { IconButton, Select } from "./parts/controls";
import { Icon, type IconName } from "./parts/icons";
import { Badge, Empty, Failure, Note, Wait, whole } from "./parts/shown";
import { change, go, link, useRoute, type View } from "./route";
import { follow, useConnected, useSession } from "./session";
import { type Theme, useTheme } from "./theme";
import { PlayView } from "./views/play";
import { ProofView } from "./views/proof";
import { SolveView } from "./views/solve";
import { StartView } from "./views/start";
import { StrategyView } from "./views/strategy";
import { TreeView } from "./views/tree";
import { WhatIfView } from "./views/whatif";

const ENTRIES: [View, string, IconName][] = [
  ["start", "Start", "home"],
  ["tree", "Tree", "tree"],
  ["strategy", "Strategy", "strategy"],
  ["solve", "Solve", "solve"],
  ["whatif", "What if", "whatif"],
  ["play", "Play", "play"],
  ["proof", "Proof", "proof"],
];

const THEMES: Record<Theme, [Theme, string, IconName]> = {
  system: ["light", "Colours follow the system; change to light", "auto"],
  light: ["dark", "Light colours; change to dark", "sun"],
  dark: ["system", "Dark colours; follow the system", "moon"],
};

const Rail = memo(function Rail({ view, current }: { view: View; current: Current | null }) {
  const [theme, setTheme] = useTheme();
  const [next, words, icon] = THEMES[theme];
  return (
    <nav className="rail" aria-label="Views">
      <a className="brand" href={link("start", current?.kept)}>
        <img src="./assets/icon.svg" alt="" />
        hannan
      </a>
      {ENTRIES.map(([name, label, shape]) => (
        <a key={name} className="view" href={link(name, current?.kept)} aria-current={view === name ? "page" : undefined}>
          <Icon name={shape} />
          {label}
        </a>
      ))}
      <div className="foot">
        <IconButton label={words} icon={icon} onPress={() => setTheme(next)} />
        {current && <span className="faint small">{current.session.version}</span>}
      </div>
    </nav>
  );
});

function Facts({ current }: { current: Current }) {
  const { game } = current;
  if (!game || game.state !== "ready") return null;
  return (
    <div className="facts">
      {game.sum && <span>{game.sum}</span>}
      <span>
        <b>{game.players}</b> {game.players === 1 ? "player" : "players"}
      </span>
      {game.histories !== null && (
        <span>
          <b>{whole(game.histories)}</b> histories
        </span>
      )}
      {game.information_sets && (
        <span>
          <b>{game.information_sets.map(whole).join(" + ")}</b> information sets
        </span>
      )}
    </div>
  );
}

const Bar = memo(function Bar({ current, view }: { current: Current; view: View }) {
  const { session, game, strategies, strategy } = current;
  const at = view === "start" ? "tree" : view;
  return (
    <header className="bar">
      <Select
        className="game-select"
        label="Game"
        hideLabel
        value={game?.id ?? null}
        placeholder="No game is open"
        isDisabled={!session.games.length}
        choices={session.games.map((one) => ({ id: one.id, label: one.address }))}
        onChange={(id) => go(at, { g: id })}
      />
      {game && view !== "start" && strategies.length > 0 && (
        <Select
          className="strategy-select"
          label="Strategy"
          hideLabel
          value={strategy?.id ?? null}
          choices={strategies.map((one) => ({ id: one.id, label: one.name, more: one.kind }))}
          onChange={(id) => change({ g: game.id, s: id })}
        />
      )}
      <div className="spread">
        <Facts current={current} />
      </div>
      <Work current={current} />
    </header>
  );
});

/** A run that works is told in every view. */
function Work({ current }: { current: Current }) {
  const busy = current.session.runs.find((run) => ["running", "starting", "pausing", "stopping"].includes(run.state));
  if (!busy) return null;
  return (
    <a className="working" href={link("solve", current.kept)}>
      <Badge tone="accent">{busy.name || busy.method_text} {busy.state}</Badge>
    </a>
  );
}

function Shown({ view, current }: { view: View; current: Current }) {
  const { game } = current;
  if (view === "start") return <StartView current={current} />;
  if (view === "proof") return <ProofView current={current} />;
  if (!game) {
    return (
      <Empty icon="home" title="No game is open">
        <p>Open a built-in game or a file of the folder first.</p>
        <a className="button main" href={link("start")}>Choose a game</a>
      </Empty>
    );
  }
  if (game.state === "failed") return <Note tone="bad">{game.error}</Note>;
  if (game.state === "loading") return <Wait>Loading {game.address}</Wait>;
  const props = { current: { ...current, game } };
  const views: Record<Exclude<View, "start" | "proof">, ReactNode> = {
    tree: <TreeView {...props} />,
    strategy: <StrategyView {...props} />,
    solve: <SolveView {...props} />,
    whatif: <WhatIfView {...props} />,
    play: <PlayView {...props} />,
  };
  return views[view];
}

const FULL: View[] = ["tree", "strategy"];
/** Views that show no title of their own; a screen reader says one. */
const UNTITLED: View[] = ["tree", "solve", "whatif", "play"];

function Frame({ session }: { session: Session }) {
  const { view, parameters } = useRoute();
  const current = useCurrent(session);
  const connected = useConnected();
  // The stream begins after the event that the first answer names; later answers do not move it.
  useEffect(() => follow(session.last_event), []);
  useEffect(() => {
    const name = ENTRIES.find(([one]) => one === view)?.[1];
    document.title = `${current.game?.address ?? "hannan"} · ${name}`;
  }, [view, current.game?.address]);
  return (
    <div className="frame">
      <a className="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>
        Skip to the view
      </a>
      <Rail view={view} current={current} />
      <Bar current={current} view={view} />
      <main id="main" tabIndex={-1} className={FULL.includes(view) ? "full" : ""} aria-label={ENTRIES.find(([one]) => one === view)?.[1]}>
        {!connected && (
          <div className="above">
            <Note tone="warn" icon="alert">
              The server does not answer. This page tries again each second. If the server was ended, start <code>hannan explore</code> again in
              the same folder with the same port and token: runs go on from their checkpoints.
            </Note>
          </div>
        )}
        {UNTITLED.includes(view) && <h1 className="hidden-text">{`${ENTRIES.find(([one]) => one === view)?.[1]} of ${current.game?.address ?? "no game"}`}</h1>}
        <Boundary key={`${view} ${current.game?.id} ${parameters.file ?? ""}`}>
          <Shown view={view} current={current} />
        </Boundary>
      </main>
    </div>
  );
}

export function App() {
  const { session, error } = useSession();
  if (session) return <Frame session={session} />;
  if (error instanceof Refusal && error.status === 401) {
    return (
      <Empty icon="lock" title="The token is missing or wrong">
        <p>Open the whole address that <code>hannan explore</code> printed, with its token.</p>
      </Empty>
    );
  }
  return error ? <div className="empty"><Failure reason={error} /></div> : <Wait>Loading</Wait>;
}
