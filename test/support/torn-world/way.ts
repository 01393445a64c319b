import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { Unit } from "#contract/units.ts";
import type { Adapter, OpenConnection, RunRequest } from "#providers/adapter.ts";
import type { Asked } from "./proxy.ts";

/** One request as a simulator's ledger has it. */
export type LedgerEntry = {
  /** The provider let it in: it may have made something. */
  isTaken: boolean;
  isBilled: boolean;
  /** The provider's own idempotency token: two with the same are one. */
  token?: string | null;
};

type OwnError = { body: unknown; headers?: Record<string, string> };

export type StartedWay = {
  simulator: { posts: readonly object[]; stop(): Promise<void> };
  connection: Omit<OpenConnection, "id">;
  /** Names of addresses that are reached as they are. */
  direct?: readonly string[];
  /** Where the simulator's ledger is not that of the kit. */
  ledger?(): readonly LedgerEntry[];
  /** Where its provider tells of jobs by webhook, and only when it is told to: what each call was answered with. */
  tell?(wish: { copies?: number; forged?: boolean }): Promise<number[]>;
};

/** Where a webhook's address really is. */
type Reach = (url: string) => string;

/** One way by which a kind is asked for something that costs money, and what the world around it has to know of it. */
export type TornWay = {
  name: string;
  adapter: Adapter;
  /**
   * words: their price is small, and a break is told as a failure (chat, embeddings, reranking). file: made at once, whole. job: its id is
   * answered, and it is asked about.
   */
  goes: "words" | "file" | "job";
  /** @param now the clock of the program, which signatures and expiries go by */
  start(now: () => number, reach?: Reach): Promise<StartedWay>;
  /** `files`: sent along, each under the id that `input` names as `asset:<id>`. */
  request: Pick<RunRequest, "task" | "model" | "input" | "files">;
  /** An error in the provider's own shape. */
  ownError(status: number, message: string): OwnError;
  /** Told from tokens, uploads and cancels; by itself every POST is paid for. */
  isPaid?(asked: Asked): boolean;
  /** Told from questions about the status, where the provider tells of a failed job by a refusal in place of its result. */
  isResult?(asked: Asked): boolean;
  /** It is asked about by a look for its file: 404 says that it is not there yet. */
  asksForFile?: true;
  /** Options of the connection under which its provider looks for the job elsewhere (a region, a project). */
  elsewhere?: readonly JsonObject[];
  /** The head of its answer names the request, and the provider can be asked about it by that. */
  namesInHead?: true;
  /** Where the provider keeps its files at an address of its own. */
  files?: { at: string; mime: string; bytes: Buffer };
  /** Of a kind whose models are workflows: the document of this one. */
  workflow?: JsonObject;
  /** Its server is free of charge: what was lost is asked for again. */
  isFree?: true;
  /** Another way reads its answers by the same code: a few faults are enough, and as many seeded cuts. */
  cuts?: number;
  /** Another way sends and reads by the same code, for another task: one fault of each sort is enough. */
  isTwin?: true;
  /** A frame of its answer with a whole file in it: those that arrive before a break are saved. */
  fileFrame?: RegExp;
  /** As its provider tells: what bounds an answer that searches. */
  contextTokens?: number;
  /** What its provider counts, where that is no whole run. */
  unit?: Unit;
  /** Where its prices give no bound: what a person set to be held. */
  ceilingMicros?: number;
};

export const isChat = ({ request }: TornWay): boolean => (request.task satisfies Task) === "chat";

type KitPost = { state: string; billed: boolean; body: unknown };
/** What the kit's ledger says. */
export const kitLedger = (posts: readonly object[]): LedgerEntry[] =>
  (posts as readonly KitPost[]).map(({ state, billed, body }) => ({
    isTaken: state !== "refused",
    isBilled: billed,
    token: (body as { clientRequestToken?: string } | null)?.clientRequestToken ?? null,
  }));
