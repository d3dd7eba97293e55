/** Proof: a certificate with its gap over playthroughs, its trunk, and a button that verifies it; equilibria and matches too. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { get, post } from "../api/client";
import type { Certificate, Equilibria, FileEntry, Job, MatchRecord, Page, Trunk, TrunkRow } from "../api/types";
import type { Current } from "../current";
import { Button, Segments, Select } from "../parts/controls";
import { Curves } from "../parts/curves";
import { usePaged } from "../parts/paged";
import { Badge, Empty, Failure, Figures, Meter, Note, Wait, whole } from "../parts/shown";
import { WindowedRows } from "../parts/window";
import { change, useRoute } from "../route";
import { kept, keepJob } from "../session";

const KINDS = ["certificate", "certification", "equilibria", "match"];
const LEVELS = {
  certificate: [
    { id: "arithmetic", label: "Arithmetic", more: "the gap follows from the counts in the file" },
    { id: "counts", label: "Counts", more: "the playthroughs are replayed" },
    { id: "reproduced", label: "Reproduced", more: "the whole certification is run again" },
    { id: "game", label: "Game", more: "the strategy is measured in the true game" },
  ],
  equilibria: [
    { id: "arithmetic", label: "Arithmetic", more: "the proofs follow from the payoffs in the file" },
    { id: "game", label: "Game", more: "the payoffs are those of the game" },
  ],
} as const;
type Level = "arithmetic" | "counts" | "reproduced" | "game";

function Verify({ file, kind, current }: { file: string; kind: "certificate" | "equilibria"; current: Current }) {
  const [level, setLevel] = useState<Level>("arithmetic");
  const [id, setId] = useState<string | null>(null);
  const verifying = useMutation({
    mutationFn: () => kept(keepJob, post<Job>("verifications", { file, level })),
    onSuccess: (job) => setId(job.id),
  });
  const stopping = useMutation({ mutationFn: (job: string) => kept(keepJob, post<Job>(`jobs/${job}/stop`)) });
  const job = current.session.jobs.find((one) => (id ? one.id === id : one.file === file));
  const busy = job?.state === "queued" || job?.state === "running";
  return (
    <section className="panel stack" aria-labelledby="verify-title">
      <h2 id="verify-title">Verify</h2>
      <div className="row keep end">
        <Select className="grow" label="How far" value={level} onChange={setLevel} choices={LEVELS[kind]} />
        {busy && job ? (
          <Button icon="stop" onPress={() => stopping.mutate(job.id)}>Stop</Button>
        ) : (
          <Button look="main" icon="proof" onPress={() => verifying.mutate()} isDisabled={verifying.isPending}>Verify</Button>
        )}
      </div>
      <div role="status" aria-live="polite">
        {busy && <Wait>Verifying</Wait>}
        {job?.result && (
          <Note tone={job.result.valid ? "good" : "bad"} icon="check">
            <b>{job.result.valid ? "Valid" : "Rejected"}</b>
            <p className="small told">{job.result.text || job.result.reason}</p>
          </Note>
        )}
        {job?.state === "stopped" && <Note>Stopped: nothing was found out.</Note>}
      </div>
      <Failure reason={verifying.error ?? job?.error} />
    </section>
  );
}

const TRUNK_ROW = 38;

function TrunkList({ file }: { file: string }) {
  const [sort, setSort] = useState("count");
  const [descending, setDescending] = useState("down");
  const pages = usePaged<TrunkRow, Trunk>(JSON.stringify([file, sort, descending]), (offset, limit, signal) =>
    get<Trunk>("certificates/trunk", { file, sort, descending: descending === "down", offset, limit }, signal),
  );
  const see = useCallback((first: number, last: number) => pages.see(first, last), [pages]);
  const [chosen, choose] = useState<number | null>(null);
  return (
    <section className="panel stack trunk" aria-labelledby="trunk-title">
      <header>
        <h2 id="trunk-title">Trunk, by how well it is known</h2>
        <div className="row">
          <Segments label="Sorted by" value={sort} onChange={setSort} choices={[["count", "Count"], ["radius", "Radius"], ["leaves", "Unvisited"], ["name", "Name"]]} />
          <Segments label="Order" value={descending} onChange={setDescending} choices={[["down", "↓"], ["up", "↑"]]} />
        </div>
      </header>
      <Failure reason={pages.error} />
      {pages.first && (
        <Figures items={[["Nodes", whole(pages.first.nodes)], ["Information sets", whole(pages.first.sets)], ["Not known", whole(pages.first.unknown)], ["Radius", pages.first.radius]]} />
      )}
      {pages.total === null && !pages.error && <Wait />}
      {(pages.total ?? 0) > 0 && (
        <>
          <div className="list-head trunk-row" aria-hidden="true"><span>Name</span><span>Kind</span><span className="right">Playthroughs</span><span className="right">Radius</span><span className="right">Nodes</span><span className="right">Unvisited</span></div>
          <div className="trunk-box">
            <WindowedRows count={pages.total ?? 0} row={TRUNK_ROW} label="Trunk" columns={6} chosen={chosen} onChoose={choose} onSight={see}>
              {(index) => {
                const row = pages.at(index);
                return row ? (
                  <>
                    <span role="gridcell" className="mono clip">{row.name}</span>
                    <span role="gridcell"><Badge>{row.kind === "chance" ? "chance" : `player ${row.player}`}</Badge></span>
                    <span role="gridcell" className="number right">{whole(row.count)}</span>
                    <span role="gridcell" className="number right">{row.radius_text || "–"}</span>
                    <span role="gridcell" className="number right">{whole(row.nodes)}</span>
                    <span role="gridcell" className="number right">{whole(row.leaves)}</span>
                  </>
                ) : <span role="gridcell" className="soft">…</span>;
              }}
            </WindowedRows>
          </div>
        </>
      )}
    </section>
  );
}

function CertificateShown({ file, current }: { file: string; current: Current }) {
  const { data, error } = useQuery({ queryKey: ["certificate", file], queryFn: ({ signal }) => get<Certificate>("certificates", { file }, signal) });
  if (!data) return error ? <Failure reason={error} /> : <Wait />;
  const x = data.curve.map((point) => point.playthroughs);
  return (
    <>
      <div className="columns two">
        <section className="panel" aria-labelledby="curve-title">
          <header><h2 id="curve-title">Proven gap over playthroughs</h2></header>
          {data.curve.length ? (
            <Curves curves={[{ label: "gap", x, y: data.curve.map((point) => point.gap), place: 0 }]} xLabel="Playthroughs" yLabel="Gap" logX height={230} label="Proven gap against playthroughs" />
          ) : (
            <p className="soft">Neither a log nor a checkpoint in the folder has the curve. Certify with <code>--log</code> to keep one.</p>
          )}
        </section>
        <Verify file={file} kind="certificate" current={current} />
      </div>
      <div className="columns two">
        <TrunkList file={file} />
        <section className="panel" aria-labelledby="facts-title">
          <header><h2 id="facts-title">What it says</h2></header>
          <table><tbody>{data.rows.map((row) => <tr key={row.name}><th scope="row">{row.name}</th><td className="break">{row.text}</td></tr>)}</tbody></table>
        </section>
      </div>
    </>
  );
}

function EquilibriaShown({ file, current }: { file: string; current: Current }) {
  const { data, error } = useQuery({ queryKey: ["equilibria", file], queryFn: ({ signal }) => get<Equilibria>("equilibria", { file, limit: 100 }, signal) });
  if (!data) return error ? <Failure reason={error} /> : <Wait />;
  return (
    <>
      <div className="columns two">
        <section className="panel">
          {data.why && <p className="soft small">{data.why}</p>}
          <Figures items={[["Equilibria", whole(data.total)], ["Game", data.game ?? "–"], ["The list is", data.complete ? "complete" : "perhaps not complete"]]} />
        </section>
        <Verify file={file} kind="equilibria" current={current} />
      </div>
      <div className="columns two">
        {data.items.map((one) => (
          <section key={one.number} className="panel stack" aria-label={`Equilibrium ${one.number + 1}`}>
            <div className="row apart">
              <h2>Equilibrium {one.number + 1}</h2>
              <Badge tone={one.proof ? "good" : ""}>{one.proof ? `proof: ${one.proof}` : "no proof"}</Badge>
            </div>
            <Figures items={one.payoffs.map((text, player) => [`Payoff of player ${player}`, text] as const)} />
            {one.strategies.map((strategy) => (
              <table key={strategy.player} aria-label={`Player ${strategy.player}`}>
                <tbody>
                  {strategy.rows.map((row, place) => (
                    <tr key={place}>
                      <th scope="row" className="mono">{row.label}</th>
                      <td className="wide"><Meter names={[row.label]} shares={[row.probability ?? 0]} colours={[`var(--c${strategy.player % 8})`]} /></td>
                      <td className="right">{row.probability_text}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            ))}
          </section>
        ))}
      </div>
    </>
  );
}

function MatchShown({ file }: { file: string }) {
  const { data, error } = useQuery({ queryKey: ["match", file], queryFn: ({ signal }) => get<MatchRecord>("matches", { file }, signal) });
  if (!data) return error ? <Failure reason={error} /> : <Wait />;
  return (
    <section className="panel stack">
      <Figures items={[["Game", data.game ?? "–"], ["Rounds", whole(data.rounds)]]} />
      <table><tbody>{data.rows.map((row) => <tr key={row.name}><th scope="row">{row.name}</th><td className="break">{row.text}</td></tr>)}</tbody></table>
    </section>
  );
}

export function ProofView({ current }: { current: Current }) {
  const { parameters } = useRoute();
  const { data, error } = useQuery({
    queryKey: ["files", "proofs"],
    queryFn: ({ signal }) => get<Page<FileEntry>>("files", { limit: 500 }, signal),
    enabled: current.session.folder !== null,
  });
  const files = (data?.items ?? []).filter((file) => KINDS.includes(file.kind));
  const file = files.find((one) => one.file === parameters.file) ?? files[0];
  if (!file) {
    return (
      <>
        <Failure reason={error} />
        <Empty icon="proof" title="No certificate in this folder">
          <p>A certificate proves from playthroughs alone how close a strategy is. Make one with <code>hannan certify</code>, and a list of equilibria with <code>hannan equilibria --out</code>.</p>
        </Empty>
      </>
    );
  }
  return (
    <div className="stack">
      <div className="row apart">
        <h1 className="break">{file.file}</h1>
        <Select className="narrow" label="File" hideLabel value={file.file} onChange={(to) => change({ file: to })} choices={files.map((one) => ({ id: one.file, label: one.file, more: `${one.kind} · ${one.game ?? ""}` }))} />
      </div>
      {file.kind === "equilibria" && <EquilibriaShown key={file.file} file={file.file} current={current} />}
      {file.kind === "match" && <MatchShown file={file.file} />}
      {(file.kind === "certificate" || file.kind === "certification") && <CertificateShown key={file.file} file={file.file} current={current} />}
    </div>
  );
}
