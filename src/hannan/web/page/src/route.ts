/** Where the reader stands: the view and its parameters, kept in the fragment of the address, so that Back works. */

import { useSyncExternalStore } from "react";

export const VIEWS = ["start", "tree", "strategy", "solve", "whatif", "play", "proof"] as const;
export type View = (typeof VIEWS)[number];
export type Parameters = Record<string, string>;
export type Route = { view: View; parameters: Parameters };

function parsed(fragment: string): Route {
  const [name = "", query = ""] = fragment.replace(/^#\/?/, "").split("?");
  const view = (VIEWS as readonly string[]).includes(name) ? (name as View) : "start";
  return { view, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

export function link(view: View, parameters: Parameters = {}): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

let last = "";
let route: Route = parsed("");
function snapshot(): Route {
  if (window.location.hash !== last) {
    last = window.location.hash;
    route = parsed(last);
  }
  return route;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, snapshot);
}

export function go(view: View, parameters: Parameters = {}): void {
  window.location.hash = link(view, parameters);
}

/** Change some parameters of this view; an empty text removes one. */
export function change(parameters: Parameters, replace = false): void {
  const now = snapshot();
  const next = link(now.view, { ...now.parameters, ...parameters });
  if (replace) {
    window.history.replaceState(null, "", next);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    window.location.hash = next;
  }
}
