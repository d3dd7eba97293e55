/** A long list on the server, of which the pages in sight are here. */

import { useEffect, useMemo, useReducer, useRef } from "react";
import { Refusal } from "../api/client";
import type { Page } from "../api/types";

const SIZE = 100;
const KEPT = 120;
/** Milliseconds that a page must stay in sight before it is fetched: what rushes by is not. */
const CALM = 30;
const AGAIN = 400;

export type Load<P> = (offset: number, limit: number, signal: AbortSignal) => Promise<P>;

class Pages<T, P extends Page<T>> {
  total: number | null = null;
  first: P | null = null;
  error: unknown = null;
  private pages = new Map<number, T[]>();
  private pending = new Map<number, AbortController>();
  private sight: [number, number] = [0, 1];
  private timer = 0;

  constructor(
    private load: Load<P>,
    private changed: () => void,
  ) {}

  at(index: number): T | undefined {
    return this.pages.get(Math.floor(index / SIZE))?.[index % SIZE];
  }

  see(first: number, last: number): void {
    this.sight = [Math.floor(first / SIZE), Math.floor(Math.max(last - 1, first) / SIZE)];
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.fetch(), this.total === null ? 0 : CALM);
  }

  private fetch(): void {
    const [low, high] = this.sight;
    for (const [page, request] of this.pending) {
      if (page < low || page > high) {
        request.abort();
        this.pending.delete(page);
      }
    }
    for (let page = low; page <= high; page += 1) {
      if (!this.pages.has(page) && !this.pending.has(page)) void this.one(page);
    }
  }

  private async one(page: number): Promise<void> {
    const request = new AbortController();
    this.pending.set(page, request);
    try {
      const answer = await this.load(page * SIZE, SIZE, request.signal);
      if (request.signal.aborted) return;
      this.total = answer.total;
      this.first ??= answer;
      this.error = null;
      this.pages.set(page, answer.items);
      for (const old of this.pages.keys()) {
        if (this.pages.size <= KEPT) break;
        if (old < this.sight[0] || old > this.sight[1]) this.pages.delete(old);
      }
    } catch (reason) {
      if (request.signal.aborted) return;
      if (reason instanceof Refusal && reason.kind === "Loading") {
        this.timer = window.setTimeout(() => this.fetch(), AGAIN);
      } else {
        this.error = reason;
      }
    } finally {
      if (this.pending.get(page) === request) this.pending.delete(page);
    }
    this.changed();
  }

  close(): void {
    window.clearTimeout(this.timer);
    for (const request of this.pending.values()) request.abort();
    this.pending.clear();
  }

  start(): void {
    this.fetch();
  }
}

/** Fetch a list page by page; `key` says which list it is. */
export function usePaged<T, P extends Page<T> = Page<T>>(key: string, load: Load<P>) {
  const [, changed] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(load);
  latest.current = load;
  const pages = useMemo(() => new Pages<T, P>((offset, limit, signal) => latest.current(offset, limit, signal), changed), [key]);
  useEffect(() => {
    pages.start();
    return () => pages.close();
  }, [pages]);
  return pages;
}
