import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { Unit } from "#contract/units.ts";
import type { Adapter, OpenConnection, RunRequest } from "#providers/adapter.ts";
import type { Asked } from "./proxy.ts";

/** One request in a simulator's ledger. */
export type LedgerEntry = {
  /** The provider accepted it and may have made something. */
  isTaken: boolean;
  isBilled: boolean;
  /** The provider's own idempotency token; requests with the same token are one. */
  token?: string | null;
};

type OwnError = { body: unknown; headers?: Record<string, string> };

export type StartedWay = {
  simulator: { posts: readonly object[]; stop(): Promise<void> };
  connection: Omit<OpenConnection, "id">;
  /** Addresses that are reached directly, without the proxy. */
  direct?: readonly string[];
  /** Overrides the kit's ledger. */
  ledger?(): readonly LedgerEntry[];
  /**
   * If the provider reports jobs by webhook, and only on request: returns the status that each call
   * was answered with.
   */
  tell?(wish: { copies?: number; forged?: boolean }): Promise<number[]>;
};

/** Maps a webhook's address to its real one. */
type Reach = (url: string) => string;

/**
 * One way to ask a kind for something that costs money, and the facts that the torn world needs of
 * it.
 */
export type TornWay = {
  name: string;
  adapter: Adapter;
  /**
   * words: inexpensive, and a break is reported as a failure (chat, embeddings, reranking). file:
   * made directly and complete. job: its id is answered, and it is polled.
   */
  goes: "words" | "file" | "job";
  /** @param now the program's clock, which signatures and expiry times use */
  start(now: () => number, reach?: Reach): Promise<StartedWay>;
  /** `files` are sent along, each under the id that `input` names as `asset:<id>`. */
  request: Pick<RunRequest, "task" | "model" | "input" | "files">;
  /** An error in the provider's own shape. */
  ownError(status: number, message: string): OwnError;
  /**
   * Distinguishes paid requests from tokens, uploads and cancels; by default every POST is paid.
   */
  isPaid?(asked: Asked): boolean;
  /**
   * Distinguishes result requests from status polls, if the provider reports a failed job as a
   * refusal in place of its result.
   */
  isResult?(asked: Asked): boolean;
  /** It is polled by looking for its file: 404 means that the file doesn't exist yet. */
  asksForFile?: true;
  /**
   * Connection options under which its provider looks for the job elsewhere (a region, a project).
   */
  elsewhere?: readonly JsonObject[];
  /**
   * The head of its answer names the request, and the provider can be asked about it by that name.
   */
  namesInHead?: true;
  /** For a provider that stores its files at a separate address. */
  files?: { at: string; mime: string; bytes: Buffer };
  /** For a kind whose models are workflows: this one's document. */
  workflow?: JsonObject;
  /** Its server is free of charge, so a lost result is requested again. */
  isFree?: true;
  /**
   * Another way reads its answers with the same code, so a few faults and as many seeded cuts are
   * enough.
   */
  cuts?: number;
  /**
   * Another way sends and reads with the same code for another task, so one fault of each kind is
   * enough.
   */
  isTwin?: true;
  /** A frame of its answer with a complete file; files that arrive before a break are saved. */
  fileFrame?: RegExp;
  /** The provider's limit, which bounds an answer with a search. */
  contextTokens?: number;
  /** The provider's unit, if it isn't a whole run. */
  unit?: Unit;
  /** For prices without a bound: the amount that a person set to reserve. */
  ceilingMicros?: number;
};

export const isChat = ({ request }: TornWay): boolean => (request.task satisfies Task) === "chat";

type KitPost = { state: string; billed: boolean; body: unknown };
/** The kit's ledger. */
export const kitLedger = (posts: readonly object[]): LedgerEntry[] =>
  (posts as readonly KitPost[]).map(({ state, billed, body }) => ({
    isTaken: state !== "refused",
    isBilled: billed,
    token: (body as { clientRequestToken?: string } | null)?.clientRequestToken ?? null,
  }));
