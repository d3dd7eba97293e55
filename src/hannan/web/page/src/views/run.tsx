/** One run: how it stands, and what can be done with it now. */

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { post, remove, send } from "../api/client";
import type { Run, RunState } from "../api/types";
import { Button, IconButton, Switch, TextField } from "../parts/controls";
import { Badge, duration, Failure, Figures, Note, shown, type Tone, whole } from "../parts/shown";
import { link } from "../route";
import { forget, kept, keepRun } from "../session";
import type { Opened } from "./strategy";

const TONES: Record<RunState, Tone> = {
  queued: "", starting: "accent", running: "accent", pausing: "accent", paused: "warn", stopping: "accent", finished: "good", failed: "bad", interrupted: "warn",
};
const STOPS: Record<string, string> = {
  gap: "the gap is reached", iterations: "the iterations are done", seconds: "the time is over", interrupted: "stopped by hand", exact: "the result is exact", memory: "the memory is used up", failed: "it failed",
};

function Limits({ run, onClose }: { run: Run; onClose: () => void }) {
  const [limits, setLimits] = useState(() =>
    Object.fromEntries(Object.entries(run.limits).map(([name, value]) => [name, value === null ? "" : String(value)])),
  );
  const saving = useMutation({
    mutationFn: async () => {
      const wanted = Object.fromEntries(Object.entries(limits).map(([name, text]) => [name, text.trim() === "" ? null : Number(text)]));
      const changed = await kept(keepRun, send<Run>("PATCH", `runs/${run.id}`, { limits: wanted }));
      if (changed.state === "finished" && changed.can.includes("go-on")) await kept(keepRun, post<Run>(`runs/${run.id}/go-on`));
    },
    onSuccess: onClose,
  });
  return (
    <Asked title="Change the limits" onClose={onClose}>
      <p className="soft small">Limits count from the start of the work. A finished run goes on to the new limit.</p>
      <div className="limits">
        {Object.keys(run.limits).map((name) => (
          <TextField key={name} label={name} value={limits[name] ?? ""} placeholder="none" inputMode="decimal" onChange={(to) => setLimits((before) => ({ ...before, [name]: to }))} onDone={() => saving.mutate()} />
        ))}
      </div>
      <Failure reason={saving.error} />
      <div className="row end-row">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="main" onPress={() => saving.mutate()} isDisabled={saving.isPending}>Set the limits</Button>
      </div>
    </Asked>
  );
}

function Save({ run, onClose }: { run: Run; onClose: () => void }) {
  const [name, setName] = useState(`${run.address.replace(/[^\w.-]+/g, "_").replace(/_+$/, "")}.strategy`);
  const saving = useMutation({ mutationFn: (replace: boolean) => post<{ file: string }>(`runs/${run.id}/save`, { name, replace }) });
  const exists = saving.error !== null && "status" in saving.error && saving.error.status === 409;
  return (
    <Asked title="Save the strategy" onClose={onClose}>
      {saving.data ? (
        <Note tone="good" icon="check">Saved as {saving.data.file}</Note>
      ) : (
        <TextField label="Name of the file, in the opened folder" value={name} onChange={setName} onDone={() => saving.mutate(false)} />
      )}
      <Failure reason={saving.error} />
      <div className="row end-row">
        <Button onPress={onClose}>{saving.data ? "Close" : "Cancel"}</Button>
        {exists && <Button look="danger" onPress={() => saving.mutate(true)}>Replace it</Button>}
        {!saving.data && <Button look="main" icon="save" onPress={() => saving.mutate(false)} isDisabled={saving.isPending || !name.trim()}>Save</Button>}
      </div>
    </Asked>
  );
}

function Asked({ title, onClose, children }: { title: string; onClose: () => void; children: React.ReactNode }) {
  return (
    <ModalOverlay className="modal-back" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal">
        <Dialog>
          <Heading slot="title" level={2}>{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

export function RunButtons({ run }: { run: Run }) {
  const [asked, ask] = useState<"limits" | "save" | null>(null);
  const acting = useMutation({ mutationFn: (verb: string) => kept(keepRun, post<Run>(`runs/${run.id}/${verb}`)) });
  const removing = useMutation({ mutationFn: () => remove(`runs/${run.id}`), onSuccess: () => forget(run.id) });
  const can = (verb: string) => run.can.includes(verb);
  return (
    <>
      <div className="row">
        {can("pause") && <Button small icon="pause" onPress={() => acting.mutate("pause")}>Pause</Button>}
        {can("go-on") && <Button small icon="play" onPress={() => acting.mutate("go-on")}>Go on</Button>}
        {can("stop") && <Button small icon="stop" onPress={() => acting.mutate("stop")}>Stop</Button>}
        {can("limits") && <Button small onPress={() => ask("limits")}>Limits</Button>}
        {can("save") && <Button small icon="save" onPress={() => ask("save")}>Save</Button>}
        {can("delete") && <IconButton label="Remove this run and its files" icon="close" onPress={() => removing.mutate()} />}
      </div>
      <Failure reason={acting.error ?? removing.error} />
      {asked === "limits" && <Limits run={run} onClose={() => ask(null)} />}
      {asked === "save" && <Save run={run} onClose={() => ask(null)} />}
    </>
  );
}

export function RunFigures({ run }: { run: Run }) {
  return (
    <Figures
      items={[
        [run.gap_name || "Gap", run.gap_text ?? shown(run.gap)],
        ["Iterations", whole(run.iteration)],
        ["Time", duration(run.seconds)],
        run.rate !== null && run.state === "running" && ["Speed", `${shown(run.rate, 3)} /s`],
        run.left !== null && run.state === "running" && ["Left", `${run.left_at_most ? "≤ " : ""}${duration(run.left)}`],
      ]}
    />
  );
}

/** Milliseconds between two announcements to a screen reader. */
const CALM = 10_000;

/** A value that changes seldom enough to be read aloud. */
function useSeldom(value: string): string {
  const [told, tell] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    const timer = window.setInterval(() => tell(latest.current), CALM);
    return () => window.clearInterval(timer);
  }, []);
  return told;
}

export function RunCard({ run, current, place, drawn, onDrawn }: { run: Run; current: Opened; place: number; drawn: boolean; onDrawn: () => void }) {
  const told = useSeldom(`${run.gap_name} ${run.gap_text ?? ""}`);
  return (
    <section className="panel stack run-card" aria-label={`Run ${run.id}`} data-state={run.state}>
      <div className="row apart">
        <div className="row">
          <i className="chip" style={{ background: drawn ? `var(--c${Math.max(place, 0) % 8})` : "var(--line)" }} />
          <h2 className="break">{run.name || run.method_text}</h2>
          <span className="faint small">{run.id}</span>
          <Badge tone={TONES[run.state]}>{run.state}</Badge>
          {run.locks.length > 0 && <Badge tone="accent">{run.locks.length === 1 ? "1 lock" : `${run.locks.length} locks`}</Badge>}
        </div>
        <Switch value={drawn} onChange={onDrawn}>Curve</Switch>
      </div>
      <div role="status" aria-live="polite" className="hidden-text">
        {`Run ${run.id} is ${run.state}. ${told}`}
      </div>
      <RunFigures run={run} />
      {run.why && <p className="soft small">{run.why}</p>}
      {run.stop && run.state === "finished" && <p className="soft small">It ended because {STOPS[run.stop] ?? run.stop}.</p>}
      {run.error && <Note tone="bad">{run.error}</Note>}
      <div className="row apart">
        <RunButtons run={run} />
        {run.strategy && (
          <div className="row">
            <a className="button small" href={link("strategy", { ...current.kept, s: run.strategy })}>See the strategy</a>
            <a className="button small" href={link("play", { ...current.kept, s: run.strategy })}>Play against it</a>
          </div>
        )}
      </div>
    </section>
  );
}
