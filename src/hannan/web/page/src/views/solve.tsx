/** Solve: choose a method, watch the gap fall, pause, go on, change the limit, stop, save; several runs overlaid. */

import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../api/client";
import type { FileEntry, LogCurve, Page, Point, Run } from "../api/types";
import { Select, Segments, Switch } from "../parts/controls";
import { Curves, type Curve } from "../parts/curves";
import { Empty, Failure } from "../parts/shown";
import { change, useRoute } from "../route";
import { RunForm } from "./form";
import { RunCard } from "./run";
import type { Opened } from "./strategy";

type Axis = "iteration" | "seconds";

function curveOf(label: string, points: readonly Point[], axis: Axis, place: number, dashed = false): Curve {
  return { label, x: points.map((point) => point[axis]), y: points.map((point) => point.gap ?? point.nash_conv), place, dashed };
}

function useCurves(runs: Run[], logs: string[], axis: Axis) {
  const ofRuns = useQueries({
    queries: runs.map((run) => ({
      queryKey: ["curve", run.id],
      queryFn: ({ signal }: { signal: AbortSignal }) => get<{ run: string; points: Point[] }>(`runs/${run.id}/curve`, {}, signal),
      staleTime: Infinity,
    })),
  });
  const ofLogs = useQueries({
    queries: logs.map((file) => ({
      queryKey: ["log", file],
      queryFn: ({ signal }: { signal: AbortSignal }) => get<LogCurve>("logs", { file }, signal),
    })),
  });
  const curves = [
    ...runs.map((run, place) => curveOf(`${run.id} ${run.name || run.method_text}`, ofRuns[place]?.data?.points ?? [], axis, place)),
    ...logs.map((file, place) => curveOf([ofLogs[place]?.data?.label, file].filter(Boolean).join(" · "), ofLogs[place]?.data?.points ?? [], axis, runs.length + place, true)),
  ];
  return { curves: curves.filter((curve) => curve.x.length > 0), error: [...ofRuns, ...ofLogs].find((one) => one.error)?.error };
}

function Overlay({ logs }: { logs: string[] }) {
  const { data } = useQuery({
    queryKey: ["files", "logs"],
    queryFn: ({ signal }) => get<Page<FileEntry>>("files", { kind: "log", limit: 200 }, signal),
    retry: false,
  });
  const files = data?.items ?? [];
  if (!files.length) return null;
  return (
    <Select
      label="Add the curve of a log"
      hideLabel
      placeholder="Add a log file"
      value={null}
      choices={files.map((file) => ({ id: file.file, label: file.file, more: [file.game, file.method].filter(Boolean).join(" · ") }))}
      onChange={(file) => change({ logs: (logs.includes(file) ? logs.filter((one) => one !== file) : [...logs, file]).join("|") })}
    />
  );
}

export function SolveView({ current }: { current: Opened }) {
  const { parameters } = useRoute();
  const { game, session } = current;
  const [axis, setAxis] = useState<Axis>("iteration");
  const [logX, setLogX] = useState(true);
  const [left, leave] = useState<ReadonlySet<string>>(new Set());
  const runs = session.runs.filter((run) => run.game === game.id || (run.game === null && run.address === game.address));
  const logs = (parameters.logs ?? "").split("|").filter(Boolean);
  const { curves, error } = useCurves(runs.filter((run) => !left.has(run.id)), logs, axis);
  const gapName = runs[runs.length - 1]?.gap_name || "gap";
  const toggle = (id: string) => leave((before) => {
    const after = new Set(before);
    if (!after.delete(id)) after.add(id);
    return after;
  });
  return (
    <div className="columns solve">
      <RunForm current={current} title="New run" action="Start" />
      <div className="stack">
        <section className="panel" aria-labelledby="curves-title">
          <header>
            <h2 id="curves-title">{gapName === "gap" ? "Gap" : gapName} over time</h2>
            <div className="row">
              <Overlay logs={logs} />
              <Segments label="Against" value={axis} onChange={setAxis} choices={[["iteration", "Iterations"], ["seconds", "Seconds"]]} />
              <Switch value={logX} onChange={setLogX}>Log scale</Switch>
            </div>
          </header>
          <Failure reason={error} />
          {curves.length ? (
            <Curves
              curves={curves}
              xLabel={axis === "iteration" ? "Iterations" : "Seconds"}
              yLabel={gapName}
              logX={logX}
              height={270}
              label={`${gapName} against ${axis === "iteration" ? "iterations" : "seconds"} of ${curves.map((curve) => curve.label).join(", ")}`}
            />
          ) : (
            <Empty icon="solve" title="No curve yet">
              <p>Start a run. Its gap appears here while it works.</p>
            </Empty>
          )}
        </section>
        {[...runs].reverse().map((run) => (
          <RunCard key={run.id} run={run} current={current} place={runs.filter((one) => !left.has(one.id)).indexOf(run)} drawn={!left.has(run.id)} onDrawn={() => toggle(run.id)} />
        ))}
      </div>
    </div>
  );
}
