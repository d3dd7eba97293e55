/** Small things that show: notes, badges, figures, bars, legends. */

import type { ReactNode } from "react";
import { Refusal } from "../api/client";
import { Icon, type IconName } from "./icons";

export type Tone = "good" | "bad" | "warn" | "accent" | "";

/** The colour of a gain or a loss. */
export function tone(value: number | null | undefined): Tone {
  return !value ? "" : value > 0 ? "good" : "bad";
}

export function Badge({ tone = "", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

export function Note({ tone = "", icon = "info", children }: { tone?: Exclude<Tone, "accent">; icon?: IconName; children: ReactNode }) {
  return (
    <div className={`note ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      <Icon name={tone === "bad" ? "alert" : icon} />
      <div className="grow break">{children}</div>
    </div>
  );
}

export function said(reason: unknown): string {
  if (reason instanceof Refusal || reason instanceof Error) return reason.message;
  return String(reason);
}

export function Failure({ reason }: { reason: unknown }) {
  return reason ? <Note tone="bad">{said(reason)}</Note> : null;
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Wait({ children = "Loading" }: { children?: ReactNode }) {
  return (
    <div className="wait" role="status">
      {children}
    </div>
  );
}

export function Figures({ items, compact }: { items: readonly (readonly [string, ReactNode, Tone?] | null | false)[]; compact?: boolean }) {
  return (
    <dl className={`figures ${compact ? "compact" : ""}`}>
      {items.map((item) =>
        item ? (
          <div key={item[0]}>
            <dt>{item[0]}</dt>
            <dd className={item[2] ?? ""}>{item[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

/** A bar cut into shares; it says the same in words to a screen reader. */
export function Meter({ names, shares, colours, tall, hidden }: { names: readonly string[]; shares: readonly number[]; colours: readonly string[]; tall?: boolean; hidden?: boolean }) {
  const words = names.map((name, place) => `${name} ${percent(shares[place] ?? 0)}`).join(", ");
  return (
    <div className={`meter ${tall ? "tall" : ""}`} role={hidden ? undefined : "img"} aria-hidden={hidden} aria-label={hidden ? undefined : words}>
      {shares.map((share, place) =>
        share > 0 ? <i key={place} style={{ width: `${share * 100}%`, background: colours[place] }} /> : null,
      )}
    </div>
  );
}

export function Legend({ names, colours }: { names: readonly string[]; colours: readonly string[] }) {
  return (
    <div className="legend">
      {names.map((name, place) => (
        <span key={place}>
          <i className="chip" style={{ background: colours[place] }} />
          {name}
        </span>
      ))}
    </div>
  );
}

/** Numbers are written here, never computed: at most `digits` significant digits. */
export function shown(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(digits - 2, 1)).replace("e+", "e");
  return value.toLocaleString("en", { maximumSignificantDigits: size >= 1000 ? 7 : digits });
}

export function signed(value: number | null | undefined, digits = 3): string {
  const text = shown(value, digits);
  return value !== null && value !== undefined && value > 0 ? `+${text}` : text;
}

export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const scaled = value * 100;
  if (scaled > 0 && scaled < 0.1) return "<0.1 %";
  if (scaled < 100 && scaled > 99.9) return ">99.9 %";
  return `${scaled.toLocaleString("en", { maximumFractionDigits: 1 })} %`;
}

export function whole(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : value.toLocaleString("en");
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  if (seconds < 5400) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}
