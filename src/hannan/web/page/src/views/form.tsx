/** A new run: the method and its options come from the declarations that the server sends. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { get, post } from "../api/client";
import type { Lock, Methods, Parameter, Run } from "../api/types";
import { Button, Select, TextField } from "../parts/controls";
import { Failure, Note, Wait } from "../parts/shown";
import { kept, keepRun } from "../session";
import type { Opened } from "./strategy";

type Values = Record<string, string>;

const FIRST_LIMITS: Values = { gap: "1e-4", iterations: "", seconds: "60" };

/** Return what a person typed as the declaration wants it; undefined: as the default says. */
function typed(parameter: Parameter, text: string | undefined): unknown {
  if (text === undefined || text.trim() === "") return undefined;
  if (parameter.kind === "truth") return text === "true";
  if (parameter.kind === "number" || parameter.kind === "whole") {
    const value = Number(text);
    return Number.isNaN(value) ? text : value;
  }
  return text;
}

function gathered(parameters: readonly Parameter[], values: Values): Record<string, unknown> {
  return Object.fromEntries(parameters.map((one) => [one.name, typed(one, values[one.name])] as const).filter(([, value]) => value !== undefined));
}

function ParameterField({ parameter, value, onChange }: { parameter: Parameter; value: string | undefined; onChange: (value: string) => void }) {
  const label = parameter.name.replaceAll("_", " ");
  const choices = parameter.kind === "truth" ? ["true", "false"] : parameter.choices;
  if (choices) {
    return (
      <Select
        label={label}
        value={value || "default"}
        choices={[{ id: "default", label: `default: ${parameter.default_text}` }, ...choices.map((choice) => ({ id: choice, label: choice }))]}
        onChange={(to) => onChange(to === "default" ? "" : to)}
        hint={parameter.meaning}
      />
    );
  }
  return <TextField label={label} value={value ?? ""} placeholder={parameter.default_text} onChange={onChange} hint={parameter.meaning} inputMode={parameter.kind === "text" ? "text" : "decimal"} />;
}

export function RunForm({ current, title, action, locks, base, children, onStarted, blocked }: {
  current: Opened;
  title: string;
  action: string;
  locks?: Lock[];
  base?: string;
  children?: ReactNode;
  onStarted?: (run: Run) => void;
  blocked?: boolean;
}) {
  const { game, session } = current;
  const [method, setMethod] = useState("auto");
  const [values, setValues] = useState<Values>({});
  const [limits, setLimits] = useState<Values>(FIRST_LIMITS);
  const [start, setStart] = useState("none");
  const { data, error } = useQuery({
    queryKey: ["methods", game.id],
    queryFn: ({ signal }) => get<Methods>("methods", { game: game.id, limit: 200 }, signal),
    staleTime: Infinity,
  });
  const chosen = data?.items.find((one) => one.name === method);
  const starting = useMutation({
    mutationFn: () =>
      kept(keepRun, post<Run>("runs", {
        game: game.id,
        method,
        parameters: gathered(chosen?.parameters ?? [], values),
        options: gathered(data?.options ?? [], values),
        limits: Object.fromEntries((data?.limits ?? []).map((one) => [one.name, typed(one, limits[one.name]) ?? null])),
        start: start === "none" ? null : start,
        ...(locks ? { locks, base } : {}),
      })),
    onSuccess: (run) => onStarted?.(run),
  });
  if (!data) return error ? <Failure reason={error} /> : <Wait />;
  const set = (name: string) => (value: string) => setValues((before) => ({ ...before, [name]: value }));
  const starts = current.strategies.filter((one) => one.state === "ready");
  return (
    <form
      className="panel stack run-form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        starting.mutate();
      }}
    >
      <h2>{title}</h2>
      {children}
      <Select
        label="Method"
        value={method}
        onChange={(to) => setMethod(to)}
        choices={data.items.map((one) => ({ id: one.name, label: one.name, more: one.suits ? one.summary : (one.why_not ?? one.summary) }))}
      />
      {chosen && (
        <p className="soft small">
          {chosen.summary} {chosen.guarantee && <span className="faint">{chosen.guarantee}</span>}
        </p>
      )}
      {chosen && !chosen.suits && <Note tone="warn">{chosen.why_not}</Note>}
      <fieldset>
        <legend>Stop when</legend>
        <div className="limits">
          {data.limits.map((limit) => (
            <TextField key={limit.name} label={limit.name} value={limits[limit.name] ?? ""} placeholder={limit.default_text || "none"} onChange={(to) => setLimits((before) => ({ ...before, [limit.name]: to }))} inputMode="decimal" />
          ))}
        </div>
      </fieldset>
      {(chosen?.parameters.length ?? 0) > 0 && (
        <details>
          <summary>Parameters of {method}</summary>
          <div className="stack tight">
            {chosen?.parameters.map((one) => <ParameterField key={`${method} ${one.name}`} parameter={one} value={values[one.name]} onChange={set(one.name)} />)}
          </div>
        </details>
      )}
      <details>
        <summary>More options</summary>
        <div className="stack tight">
          {!locks && starts.length > 0 && (
            <Select label="Begin from" value={start} onChange={setStart} choices={[{ id: "none", label: "the beginning" }, ...starts.map((one) => ({ id: one.id, label: one.name }))]} hint="Strategy that the first iteration plays." />
          )}
          {data.options.map((one) => <ParameterField key={one.name} parameter={one} value={values[one.name]} onChange={set(one.name)} />)}
        </div>
      </details>
      {!session.writable && <Note tone="warn">No folder can be written: the run has no checkpoint there, and a killed server loses it.</Note>}
      <Failure reason={starting.error} />
      <Button type="submit" look="main" icon="play" isDisabled={starting.isPending || blocked}>
        {action}
      </Button>
    </form>
  );
}
