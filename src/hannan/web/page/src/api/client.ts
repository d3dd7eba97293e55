/** Requests to the server this page came from. Every answer is JSON; every error is a sentence. */

export class Refusal extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>;

export const ROOT = "/api/v1/";

export function address(path: string, query: Query = {}): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`);
  return ROOT + path + (pairs.length ? `?${pairs.join("&")}` : "");
}

async function answered<T>(reply: Response): Promise<T> {
  let body: unknown = null;
  try {
    body = await reply.json();
  } catch {
    body = null;
  }
  if (reply.ok) return body as T;
  const said = body as { error?: string; kind?: string } | null;
  throw new Refusal(said?.error ?? `The server answered ${reply.status}.`, said?.kind ?? "ServerError", reply.status);
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  let reply: Response;
  try {
    reply = await fetch(path, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (reason) {
    if (reason instanceof DOMException && reason.name === "AbortError") throw reason;
    throw new Refusal("The server does not answer. Start `hannan explore` again; runs go on from their checkpoints.", "Unreachable", 0);
  }
  return answered<T>(reply);
}

export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return request<T>(address(path, query), { method: "GET", signal });
}

export function send<T>(method: "POST" | "PATCH" | "DELETE", path: string, body: unknown = {}): Promise<T> {
  return request<T>(address(path), {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  return send<T>("POST", path, body);
}

export function remove(path: string): Promise<null> {
  return request<null>(address(path), { method: "DELETE" });
}
