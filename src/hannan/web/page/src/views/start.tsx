/** Start: built-in games, the files of the folder, and runs that wait to go on. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/client";
import type { CatalogueEntry, FileEntry, FileKind, Game, Page, Run, Strategy } from "../api/types";
import type { Current } from "../current";
import { Card } from "../parts/cards";
import { Button, Search, Segments, TextField } from "../parts/controls";
import { Badge, Empty, Failure, Note, Wait, whole } from "../parts/shown";
import { go, link } from "../route";
import { kept, keepGame, keepRun, keepStrategy } from "../session";

function Interrupted({ runs }: { runs: Run[] }) {
  const resume = useMutation({
    mutationFn: (run: Run) => kept(keepRun, post<Run>(`runs/${run.id}/go-on`)),
    onSuccess: (run) => go("solve", run.game ? { g: run.game } : {}),
  });
  if (!runs.length) return null;
  return (
    <Note tone="warn" icon="pause">
      <div className="stack tight">
        <span>
          The server ended while {runs.length === 1 ? "a run was" : `${runs.length} runs were`} under way. Nothing is lost: checkpoints are in the folder.
        </span>
        {runs.map((run) => (
          <div key={run.id} className="row">
            <b>{run.name || run.method_text}</b> on {run.address}
            <span className="number">{run.text}</span>
            <Button small onPress={() => resume.mutate(run)} isDisabled={!run.can.includes("go-on")}>
              Go on
            </Button>
          </div>
        ))}
        <Failure reason={resume.error} />
      </div>
    </Note>
  );
}

function useOpening() {
  return useMutation({
    mutationFn: (named: { address: string } | { file: string }) => kept(keepGame, post<Game>("games", named)),
    onSuccess: (game) => go("tree", { g: game.id }),
  });
}

function Catalogue() {
  const [search, setSearch] = useState("");
  const [address, setAddress] = useState("");
  const opening = useOpening();
  const { data, error } = useQuery({
    queryKey: ["catalogue", search],
    queryFn: ({ signal }) => get<Page<CatalogueEntry>>("catalogue", { search, limit: 200 }, signal),
    placeholderData: (before) => before,
    staleTime: Infinity,
  });
  return (
    <section className="panel stack" aria-labelledby="games-title">
      <header>
        <h2 id="games-title">Built-in games</h2>
        <Search label="Search the games" value={search} onChange={setSearch} className="narrow" />
      </header>
      <div className="row keep end">
        <TextField
          className="grow"
          label="Address of a game, with its parameters"
          placeholder="leduc_poker(ranks=4)"
          value={address}
          onChange={setAddress}
          onDone={() => address && opening.mutate({ address })}
        />
        <Button look="main" onPress={() => opening.mutate({ address })} isDisabled={!address.trim() || opening.isPending}>
          Open
        </Button>
      </div>
      <Failure reason={opening.error ?? error} />
      {!data && !error && <Wait />}
      <div className="cards scroll catalogue">
        {data?.items.map((entry) => (
          <Card key={entry.name} title={entry.name} onPress={() => opening.mutate({ address: entry.example })} isDisabled={opening.isPending}>
            <span className="soft">{entry.summary}</span>
            {entry.parameters.length > 0 && (
              <span className="faint small mono break">
                {entry.parameters.map((one) => `${one.name}=${one.default_text}`).join(", ")}
              </span>
            )}
          </Card>
        ))}
        {data && !data.items.length && <p className="soft">No built-in game matches.</p>}
      </div>
    </section>
  );
}

const PROOFS: FileKind[] = ["certificate", "certification", "equilibria", "match"];

function Files({ current }: { current: Current }) {
  const [search, setSearch] = useState("");
  const [kind, setKind] = useState("all");
  const { data, error } = useQuery({
    queryKey: ["files", search, kind],
    queryFn: ({ signal }) => get<Page<FileEntry> & { kinds: Record<string, number> }>("files", { search, kind: kind === "all" ? null : kind, limit: 200 }, signal),
    placeholderData: (before) => before,
    enabled: current.session.folder !== null,
  });
  const opening = useMutation({
    mutationFn: (file: string) => kept(keepStrategy, post<Strategy>("strategies", { file })),
    onSuccess: (strategy) => go("strategy", { g: strategy.game, s: strategy.id }),
  });
  const game = useOpening();
  const open = (file: FileEntry) => {
    if (file.kind === "log") go("solve", { ...current.kept, logs: file.file });
    else if (PROOFS.includes(file.kind)) go("proof", { ...current.kept, file: file.file });
    else if (file.kind === "game") game.mutate({ file: file.file });
    else opening.mutate(file.file);
  };
  const kinds = Object.keys(data?.kinds ?? {});
  return (
    <section className="panel stack" aria-labelledby="files-title">
      <header>
        <h2 id="files-title">{current.session.folder ? `Files in ${current.session.folder}` : "Files"}</h2>
        {current.session.folder && <Search label="Search the files" value={search} onChange={setSearch} className="narrow" />}
      </header>
      {!current.session.folder && <p className="soft">No folder is open: nothing can be read or saved. Start with <code>--folder</code> to choose one.</p>}
      {kinds.length > 1 && (
        <Segments label="Kind of file" value={kind} onChange={setKind} choices={[["all", "All"], ...kinds.map((one) => [one, one] as const)]} />
      )}
      <Failure reason={opening.error ?? game.error ?? error} />
      <ul className="files scroll">
        {data?.items.map((file) => (
          <li key={file.file}>
            <Card title={file.file} badge={<Badge>{file.kind}</Badge>} onPress={() => open(file)}>
              <span className="soft small break">
                {[file.game, file.method, file.size_text].filter(Boolean).join(" · ")}
              </span>
            </Card>
          </li>
        ))}
      </ul>
      {data && !data.items.length && <Empty icon="folder" title="No files yet"><p>Strategies, checkpoints, logs, matches, certificates and equilibria of this folder appear here.</p></Empty>}
    </section>
  );
}

function OpenGames({ current }: { current: Current }) {
  const { games, strategies } = current.session;
  if (!games.length) return null;
  return (
    <section aria-labelledby="open-title" className="stack tight">
      <h2 id="open-title">Open now</h2>
      <ul className="open-games">
        {games.map((game) => {
          const count = strategies.filter((one) => one.game === game.id).length;
          return (
            <li key={game.id}>
              <a className="card" href={link("tree", { g: game.id })}>
                <span className="card-title">
                  <b className="break">{game.address}</b>
                  <Badge tone={game.state === "failed" ? "bad" : game.state === "ready" ? "good" : "accent"}>{game.state}</Badge>
                </span>
                <span className="card-body soft small">
                  {game.error ?? [
                    game.kind,
                    game.sum,
                    game.histories === null ? null : `${whole(game.histories)} histories`,
                    `${count} ${count === 1 ? "strategy" : "strategies"}`,
                  ].filter(Boolean).join(" · ")}
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export function StartView({ current }: { current: Current }) {
  return (
    <div className="stack start">
      <div className="hero">
        <h1>See a game, its strategies and their proofs</h1>
        <p className="soft">Walk the tree, read a strategy, solve and watch the gap fall, ask what if, play a hand, check a proof.</p>
      </div>
      <Interrupted runs={current.session.runs.filter((run) => run.state === "interrupted")} />
      <OpenGames current={current} />
      <div className="columns two">
        <Catalogue />
        <Files current={current} />
      </div>
    </div>
  );
}
