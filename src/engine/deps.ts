import type { BlobStore } from "#blobs/blob-store.ts";
import type { Message, Provenance } from "#contract/entities.ts";
import type { Problem } from "#contract/errors.ts";
import type { Circuit } from "#domain/runs/circuit.ts";
import type { Clock, Ids } from "#domain/runs/ids.ts";
import type { LoadableKind, ModelPrice } from "#providers/adapter.ts";
import type { Outbound } from "#providers/outbound/outbound.ts";
import type { Store } from "#store/database/store.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import type { Commit } from "#store/runs/unit.ts";
import type { RunWebhook } from "#store/webhooks/run-webhooks.ts";
import type { Failpoints } from "./failpoints.ts";
import type { Hub } from "./hub.ts";
import type { JsonReader } from "./threads/json/json-reader.ts";

export type Log = {
  info(facts: Record<string, unknown>, message: string): void;
  warn(facts: Record<string, unknown>, message: string): void;
  error(facts: Record<string, unknown>, message: string): void;
};

/** What is known of a stored file: read off the main thread. */
type Media = {
  describe(
    sha256: string,
    sniffed: { mime: string; kind: string },
  ): Promise<{
    width: number | null;
    height: number | null;
    durationMs: number | null;
    thumbhash: string | null;
    phash: string | null;
    variants: string[];
    provenance: Provenance | null;
  }>;
  hash(sha256: string): Promise<string | null>;
  redraw(bytes: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
};

export type PriceList = {
  /** Prices of those models that the list knows at this address; none when it can't be read. */
  pricesOf(task: {
    api: string;
    modelIds: string[];
    at: number;
  }): Promise<Record<string, ModelPrice[]>>;
  close(): Promise<void>;
};

/** Where a secret belongs: part of what is authenticated, so that a sealed text moved to another row does not open. */
export type SecretPlace = { table: string; rowId: string; owner: string };
export type Secrets = {
  seal(plain: string, place: SecretPlace): string;
  open(sealed: string, place: SecretPlace): string;
  /** The same secret under the active master key; the text itself where it is already. Nothing of it is in the clear but its data key. */
  rewrap(sealed: string, place: SecretPlace): string;
};

/** Whose the stored files are, as far as the road asks. */
type FileOwner = {
  /** Looks at the storage's mark, as it does each minute. */
  look(): Promise<"owner" | "copy" | "unsure">;
  ownership(): "owner" | "copy" | "unsure";
  health(): { trouble: string | null; everWorked: boolean };
  /** Whether a file that no row of this database needs may be deleted now. */
  mayDelete(): boolean;
  takeOver(): Promise<void>;
  bringTogether(): Promise<void>;
  stop(): Promise<void>;
};

/** Connections that had no failures counted when this server looked: their answers need not look again. */
export type QuietConnections = {
  /** What is counted on a connection now. */
  listCircuits(connectionId: string, read: () => Promise<Circuit[]>): Promise<Circuit[]>;
  /** It has failures. */
  forget(connectionId: string): void;
};

/** What a model would read of a branch, counted: its words are read once and not at each estimate. */
export type CountedBranch = {
  /** The "context" message that holds. */
  choice: Message | undefined;
  summary: string;
  /** How many messages are not sent. */
  leftOut: number;
  /** Of the messages that are sent. */
  messages: number;
  characters: number;
  bytes: number;
  tokens: number;
  fileIds: readonly string[];
  /** The runs of answers that are still being written. */
  openRunIds: readonly string[];
  /** The last answers, oldest first, with what was sent and said up to their end. */
  answers: readonly { runId: string; tokens: number; files: number }[];
};

/** What was counted of branches, by the ids of their last messages and of what was chosen of their context. */
export type CountedBranches = {
  get(key: string): CountedBranch | undefined;
  set(key: string, branch: CountedBranch): void;
};

/** A backup in a folder. */
type MadeBackup = { at: number; files: number; bytes: number };

/** Backups of the whole, made by a process of their own. */
export type Backups = {
  /**
   * Makes one, and keeps so many in the folder. Aborted, it stops: what is there stays good.
   * @returns a sentence where it is complete and something was lost before; else null
   * @throws Error with a sentence for admins
   */
  make(wanted: { folder: string; keep: number }, signal: AbortSignal): Promise<string | null>;
  /** What the folder has, newest first. @throws what the file system says */
  list(folder: string): Promise<MadeBackup[]>;
  /** Makes the folder. @throws what the file system says; another error when something else is in it */
  prepare(folder: string): Promise<void>;
};

/** What goes to an address, and which origins of private networks an admin has opened for it. */
export type Parcel = {
  url: string;
  headers: Record<string, string>;
  body: string;
  privateOrigins: readonly string[];
};

/** A run's own webhook in the words of the API that it was asked through, with the rights that its person (and key) has now. */
export type RunCaller = {
  /** @returns a sentence in place of the call, where it may not be made any more */
  parcelOf(hook: RunWebhook, run: OwnedRun): Promise<Parcel | { refusal: string }>;
};

/** Everything the road is made of, given once by main.ts or by a test. */
export type EngineDeps = {
  store: Store;
  commit: Commit;
  hub: Hub;
  quiet: QuietConnections;
  counted: CountedBranches;
  blobs: BlobStore;
  media: Media;
  json: JsonReader;
  kinds: ReadonlyMap<string, LoadableKind>;
  outbound: Outbound;
  secrets: Secrets;
  priceList: PriceList;
  clock: Clock;
  ids: Ids;
  /** A whole number from 0 to 2^31 - 1, for seeds and jitter. */
  random(): number;
  log: Log;
  /** Where people and providers reach this server, as its operator set it. */
  publicUrl?: string;
  /** Waits between the tries to fetch one output, in ms; the last is repeated. For tests, which can't wait for minutes. */
  outputRetryMs?: readonly number[];
  /** The longest silence of a download, in ms. For tests. */
  outputSilenceMs?: number;
  /** Free bytes where files are kept; undefined when that can't be known (an object store). */
  freeBytes?: () => Promise<number | undefined>;
  /** Whose the files are. Without it they are this database's alone: for tests. */
  fileOwner?: FileOwner;
  /** What our storage failed with just now, while it has kept nothing since. */
  storageTrouble?: () => Problem | undefined;
  /** Without it no backup is made by itself: for tests. */
  backups?: Backups;
  /** What the webhooks of single runs say. Without it none is called: for tests. */
  runCaller?: RunCaller;
  /** Admins may connect servers of tools that are programs of this machine. */
  toolPrograms?: boolean;
  /** Where a test makes the road break. */
  failpoints?: Failpoints;
};
