/** The answers of the server, as docs/reference/explorer_api.md states them. */

export type Page<T> = { total: number; offset: number; limit: number; items: T[] };

export type ViewName = "tree" | "strategy" | "grid" | "public" | "solve" | "whatif" | "play";

export type Game = {
  id: string;
  address: string;
  name: string;
  state: "loading" | "ready" | "failed";
  error: string | null;
  kind: "expanded" | "played" | "public" | "boxed" | null;
  players: number;
  player_names: string[];
  sum: string | null;
  histories: number | null;
  information_sets: number[] | null;
  known_value: number | null;
  built_in: boolean;
  views: ViewName[];
};

export type Strategy = {
  id: string;
  game: string;
  name: string;
  source: "uniform" | "file" | "run" | "python";
  file: string | null;
  run: string | null;
  state: "loading" | "ready" | "failed";
  error: string | null;
  kind: string;
  exact: boolean;
  facts: Record<string, unknown>;
};

export type Limits = { gap: number | null; iterations: number | null; seconds: number | null };

export type Lock = { player: number; set?: string; actions?: Record<string, number>; strategy?: string };

export type RunState =
  | "queued"
  | "starting"
  | "running"
  | "pausing"
  | "paused"
  | "stopping"
  | "finished"
  | "failed"
  | "interrupted";

export type Run = {
  id: string;
  name: string;
  game: string | null;
  address: string;
  method: string;
  method_text: string;
  why: string | null;
  state: RunState;
  error: string | null;
  limits: Limits;
  iteration: number | null;
  seconds: number | null;
  gap: number | null;
  gap_name: string;
  gap_text: string | null;
  rate: number | null;
  left: number | null;
  left_at_most: boolean;
  text: string | null;
  stop: string | null;
  result: Record<string, unknown> | null;
  locks: Lock[];
  locks_text: string[];
  base: string | null;
  strategy: string | null;
  can: string[];
  created: string;
};

export type Progress = Pick<Run, "iteration" | "seconds" | "gap" | "gap_text" | "rate" | "left" | "left_at_most" | "text"> & { run: string };

export type Point = { iteration: number; seconds: number; gap: number | null; nash_conv: number | null; gap_text: string | null };

export type Job = {
  id: string;
  kind: string;
  file: string;
  level: string;
  state: "queued" | "running" | "finished" | "failed" | "stopped";
  error: string | null;
  result: { valid: boolean; level: string | null; reason: string | null; text: string | null } | null;
};

export type Session = {
  version: string;
  api: number;
  folder: string | null;
  writable: boolean;
  notebook: boolean;
  games: Game[];
  strategies: Strategy[];
  runs: Run[];
  jobs: Job[];
  tables: Table[];
  last_event: number;
};

export type CatalogueEntry = {
  name: string;
  summary: string;
  source: string;
  example: string;
  parameters: { name: string; default: unknown; default_text: string; meaning: string }[];
};

export type FileKind = "strategy" | "checkpoint" | "log" | "match" | "certificate" | "certification" | "equilibria" | "game";

export type FileEntry = {
  file: string;
  kind: FileKind;
  game: string | null;
  method: string | null;
  size: number;
  size_text: string;
  modified: string;
};

export type Evaluation = {
  values: (number | null)[] | null;
  gains: (number | null)[] | null;
  nash_conv: number | null;
  exploitability: number | null;
  exact: boolean;
  values_text: string[] | null;
  nash_conv_text: string | null;
  gains_text: string[] | null;
};

export type NodeKind = "chance" | "decision" | "joint" | "end";

export type Move = {
  index: number;
  path: string;
  label: string;
  help: string;
  actor: string;
  probability: number | null;
  probability_text: string | null;
  reach: number | null;
  value: number | null;
  value_text: string | null;
  regret: number | null;
  regret_text: string | null;
  utilities: number[] | null;
  kind: NodeKind;
};

export type MatrixAction = Pick<Move, "label" | "help" | "probability" | "probability_text" | "value" | "value_text" | "regret" | "regret_text">;

export type MatrixCell = {
  index: number;
  path: string;
  probability: number | null;
  probability_text: string | null;
  reach: number | null;
  utilities: number[] | null;
  utilities_text: string[] | null;
  kind: NodeKind;
};

export type Matrix = { players: number[]; rows: MatrixAction[]; columns: MatrixAction[]; cells: MatrixCell[][] };

export type SetHere = {
  key: string;
  player: number;
  number: number;
  name: string;
  histories: number;
  reach: number | null;
  frequency: number | null;
  value: number | null;
  value_text: string;
  entropy: number | null;
};

export type GameNode = {
  game: string;
  path: string;
  text: string;
  crumbs: { path: string; label: string; actor: string | null }[];
  kind: NodeKind;
  movers: number[];
  gains: number[];
  earned: (number | null)[];
  earned_text: string[];
  reach: number | null;
  utilities: (number | null)[] | null;
  utilities_text: string[];
  sets: SetHere[];
  board: string;
  moves: Page<Move>;
  matrix: Matrix | null;
};

export type DrawnNode = {
  path: string;
  parent: string | null;
  index: number | null;
  label: string;
  actor: string | null;
  kind: NodeKind;
  player: number | null;
  set: string | null;
  name: string | null;
  gains: number[];
  earned_text: string[];
  probability: number | null;
  probability_text: string;
  reach: number | null;
  utilities: number[] | null;
  children: number;
  shown: number;
};

export type Subtree = {
  root: string;
  cut: boolean;
  nodes: DrawnNode[];
  sets: { key: string; player: number; number: number; name: string; paths: string[] }[];
};

export type Found = { key: string; player: number; number: number; name: string; path: string; text: string };

export type SetAction = { label: string; probability: number; probability_text: string; value: number | null; value_text: string; regret: number | null; regret_text: string };

export type SetRow = {
  key: string;
  player: number;
  number: number;
  name: string;
  reach: number | null;
  frequency: number | null;
  value: number | null;
  regret: number | null;
  entropy: number | null;
  reach_text: string | null;
  frequency_text: string | null;
  value_text: string | null;
  regret_text: string | null;
  entropy_text: string | null;
  actions: SetAction[];
  path?: string;
  histories?: number;
};

export type SetPage = Page<SetRow> & { exact: boolean };

export type GridCell = {
  key: string;
  player: number;
  number: number;
  name: string;
  label: string;
  frequencies: (number | null)[];
  frequencies_text: (string | null)[];
  reach: number | null;
  frequency: number | null;
  value: number | null;
  value_text: string | null;
};

export type Grid = {
  player: number;
  rows: string[];
  row_title: string;
  column_title: string;
  columns: string[];
  total: number;
  offset: number;
  limit: number;
  actions: string[];
  cells: (GridCell | null)[][];
};

export type Difference = {
  key: string;
  player: number;
  number: number;
  name: string;
  variation: number;
  variation_text: string;
  weighted: number | null;
  frequency_a: number | null;
  frequency_b: number | null;
  locked?: boolean;
  actions: { label: string; a: number; b: number; difference: number; a_text: string; b_text: string; difference_text: string }[];
};

export type Comparison = Page<Difference> & {
  a: Strategy;
  b: Strategy;
  values: { a: number[]; b: number[]; difference: number[]; difference_text: string[] } | null;
  mean_variation: number | null;
  mean_variation_text: string;
};

export type HandRow = {
  name: string;
  weight: number;
  weight_text: string;
  matchups: number;
  equity: number | null;
  equity_text: string | null;
  ev: number | null;
  ev_text: string | null;
  eqr: number | null;
  eqr_text: string | null;
  frequencies: number[] | null;
  frequencies_text: string[] | null;
  action_evs: number[] | null;
};

export type PublicNode = {
  game: string;
  at: string;
  board: string;
  pot: number;
  pot_text: string;
  acts: string;
  actor: number | null;
  crumbs: { at: string; label: string }[];
  moves: { label: string; at: string; frequency: number | null; frequency_text: string | null; ev: number | null; ev_text: string | null; range: string }[];
  cards: { label: string; at: string }[] | null;
  player: number;
  player_name: string;
  range: string;
  total: HandRow;
  players: { player: number; name: string; total: HandRow }[];
  grid: { ranks: string[]; cells: (HandRow | null)[][] } | null;
  groups: HandRow[] | null;
};

export type Parameter = {
  name: string;
  kind: "number" | "whole" | "truth" | "choice" | "text";
  default: unknown;
  default_text: string;
  choices: string[] | null;
  meaning: string;
};

export type Method = {
  name: string;
  summary: string;
  guarantee: string | null;
  paper: string | null;
  suits: boolean;
  why_not: string | null;
  parameters: Parameter[];
};

export type Methods = { items: Method[]; options: Parameter[]; limits: Parameter[] };

export type TableChoice = { seen: string; action: string; cost: number | null; cost_text: string | null; best: string | null };

export type Table = {
  id: string;
  game: string;
  strategy: string;
  seat: number;
  play: number;
  state: "choosing" | "over";
  seen: string;
  board: string;
  actions: { index: number; label: string; help: string }[];
  moves: string[] | null;
  earned: number | null;
  earned_text: string | null;
  choices: TableChoice[];
  score: {
    plays: number;
    total: number;
    mean: number | null;
    cost: number | null;
    cost_per_play: number | null;
    total_text: string;
    mean_text: string | null;
    cost_text: string | null;
    cost_per_play_text: string | null;
  };
};

export type Hint = { actions: { index: number; label: string; probability: number; probability_text: string }[] };

export type PastPlay = { number: number; seat: number; earned: number; earned_text: string; moves: string[]; choices: TableChoice[] };

export type Certificate = {
  file: string;
  facts: Record<string, unknown>;
  rows: { name: string; text: string }[];
  curve: { playthroughs: number; gap: number | null; lower: number | null; upper: number | null; gap_text: string }[];
  curve_from: string | null;
  curve_file: string | null;
};

export type TrunkRow = { name: string; player: number | null; kind: "set" | "chance"; count: number | null; radius: number | null; radius_text: string; nodes: number; leaves: number };

export type Trunk = Page<TrunkRow> & { nodes: number; sets: number; unknown: number; radius: string };

export type Equilibrium = {
  number: number;
  payoffs: string[];
  proof: string | null;
  regret: string | null;
  radius: string | null;
  index: number | null;
  strategies: { player: number; rows: { label: string; probability: number | null; probability_text: string }[] }[];
};

export type Equilibria = Page<Equilibrium> & { file: string; game: string | null; complete: boolean | null; why: string };

export type LogCurve = { file: string; game: string; method: string; label: string; counts: string; stop: string | null; points: Point[] };

export type MatchRecord = { file: string; game: string | null; players: string[]; rounds: number; rows: { name: string; text: string }[] };
