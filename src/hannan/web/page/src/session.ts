/** What the server holds: fetched once, then kept current by its stream of events. */

import { QueryClient, useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { address, get, Refusal } from "./api/client";
import type { Game, Job, Point, Progress, Run, Session, Strategy } from "./api/types";

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (count, reason) => reason instanceof Refusal && reason.kind === "Loading" && count < 240,
      retryDelay: 400,
    },
  },
});

const KEY = ["session"];

/** The id of the last event that came. */
let last = 0;

/** Fetch what the server holds; once more if events have told something newer meanwhile. */
async function newest(signal: AbortSignal): Promise<Session> {
  const session = await get<Session>("session", {}, signal);
  return session.last_event < last ? get<Session>("session", {}, signal) : session;
}

export function useSession(): { session: Session | undefined; error: unknown } {
  const { data, error } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => newest(signal), staleTime: Infinity });
  return { session: data, error };
}

function patch(change: (session: Session) => Session): void {
  client.setQueryData<Session>(KEY, (session) => (session ? change(session) : session));
}

function placed<T extends { id: string }>(items: T[], item: T): T[] {
  return items.some((one) => one.id === item.id) ? items.map((one) => (one.id === item.id ? item : one)) : [...items, item];
}

/** Counts events; for each id, the count at its last event. */
let clock = 0;
const touched = new Map<string, number>();

/** Send a request and keep its answer, unless an event has told something newer of the same thing meanwhile. */
export async function kept<T extends { id: string }>(keep: (item: T) => void, request: Promise<T>): Promise<T> {
  const begun = clock;
  const item = await request;
  if ((touched.get(item.id) ?? 0) <= begun) keep(item);
  return item;
}

export function keepGame(game: Game): void {
  patch((session) => ({ ...session, games: placed(session.games, game) }));
}

export function keepStrategy(strategy: Strategy): void {
  patch((session) => ({ ...session, strategies: placed(session.strategies, strategy) }));
}

export function keepRun(run: Run): void {
  patch((session) => ({ ...session, runs: placed(session.runs, run) }));
}

export function keepJob(job: Job): void {
  patch((session) => ({ ...session, jobs: placed(session.jobs, job) }));
}

export function forget(id: string): void {
  patch((session) => ({
    ...session,
    games: session.games.filter((game) => game.id !== id),
    strategies: session.strategies.filter((strategy) => strategy.id !== id && strategy.game !== id),
    runs: session.runs.filter((run) => run.id !== id),
    jobs: session.jobs.filter((job) => job.id !== id),
    tables: session.tables.filter((table) => table.id !== id && table.game !== id),
  }));
}

export function refresh(): Promise<void> {
  return client.invalidateQueries({ queryKey: KEY });
}

type CurveAnswer = { run: string; points: Point[]; thinned: boolean };

function addPoints(run: string, points: Point[]): void {
  client.setQueryData<CurveAnswer>(["curve", run], (curve) => {
    if (!curve) return curve;
    const last = curve.points[curve.points.length - 1]?.iteration ?? -1;
    const fresh = points.filter((point) => point.iteration > last);
    return fresh.length ? { ...curve, points: [...curve.points, ...fresh] } : curve;
  });
}

const HANDLED: Record<string, (data: never) => void> = {
  game: keepGame,
  strategy: (strategy: Strategy) => {
    keepStrategy(strategy);
    void client.invalidateQueries({ queryKey: ["strategy", strategy.id] });
  },
  run: (run: Run) => {
    keepRun(run);
    if (run.state === "finished" || run.state === "paused") void client.invalidateQueries({ queryKey: ["curve", run.id] });
  },
  job: keepJob,
  progress: ({ run, ...figures }: Progress) =>
    patch((session) => ({ ...session, runs: session.runs.map((one) => (one.id === run ? { ...one, ...figures } : one)) })),
  points: ({ run, points }: { run: string; points: Point[] }) => addPoints(run, points),
  files: () => void client.invalidateQueries({ queryKey: ["files"] }),
  gone: ({ id }: { id: string }) => forget(id),
  reset: () => void client.invalidateQueries(),
};

let connected = true;
const watchers = new Set<() => void>();

function tell(now: boolean): void {
  if (connected === now) return;
  connected = now;
  for (const watcher of watchers) watcher();
}

export function useConnected(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => connected,
  );
}

const PATIENCE = 1000;

/** Follow the stream from event `after` on. The browser connects again by itself; a refused stream is tried again here. */
export function follow(after: number): () => void {
  let stream: EventSource | null = null;
  let timer = 0;
  last = after;
  let ended = false;
  const open = () => {
    stream = new EventSource(address("events", { after: last }));
    for (const [name, handle] of Object.entries(HANDLED)) {
      stream.addEventListener(name, (event) => {
        const { lastEventId, data } = event as MessageEvent<string>;
        if (lastEventId) last = Number(lastEventId);
        const told = JSON.parse(data) as { id?: string; run?: string };
        clock += 1;
        touched.set(told.id ?? told.run ?? "", clock);
        handle(told as never);
      });
    }
    stream.onopen = () => {
      if (!connected) void client.invalidateQueries();
      tell(true);
    };
    stream.onerror = () => {
      tell(false);
      if (stream?.readyState === EventSource.CLOSED && !ended) {
        timer = window.setTimeout(open, PATIENCE);
      }
    };
  };
  open();
  return () => {
    ended = true;
    window.clearTimeout(timer);
    stream?.close();
  };
}
