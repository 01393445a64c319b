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

/** Describes stored files off the main thread. */
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
  /**
   * The prices of the models that the list has for this address; none if the list can't be read.
   */
  pricesOf(task: {
    api: string;
    modelIds: string[];
    at: number;
  }): Promise<Record<string, ModelPrice[]>>;
  close(): Promise<void>;
};

/**
 * Where a secret belongs. It is authenticated data, so a sealed text moved to another row doesn't
 * open.
 */
export type SecretPlace = { table: string; rowId: string; owner: string };
export type Secrets = {
  seal(plain: string, place: SecretPlace): string;
  open(sealed: string, place: SecretPlace): string;
  /**
   * The same secret under the active master key; the text itself if it is already. Decrypts only
   * the secret's data key.
   */
  rewrap(sealed: string, place: SecretPlace): string;
};

/** The ownership of stored files, as far as the engine needs it. */
type FileOwner = {
  /** Checks the storage's mark, which also happens every minute. */
  poll(): Promise<"owner" | "copy" | "unsure">;
  ownership(): "owner" | "copy" | "unsure";
  health(): { trouble: string | null; everWorked: boolean };
  /** Whether files that this database doesn't need may be deleted now. */
  mayDelete(): boolean;
  takeOver(): Promise<void>;
  bringTogether(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Connections without failures when this server last looked, whose answers don't have to look
 * again.
 */
export type HealthyConnections = {
  /** The current circuits of a connection. */
  listCircuits(connectionId: string, read: () => Promise<Circuit[]>): Promise<Circuit[]>;
  /** Forgets a connection, because a failure was counted. */
  forget(connectionId: string): void;
};

/** The size of a branch as a model would read it, counted once instead of at each estimate. */
export type CountedBranch = {
  /** The context choice that applies. */
  choice: Message | undefined;
  summary: string;
  /** How many messages are not sent. */
  leftOut: number;
  /** The sizes of the messages that are sent. */
  messages: number;
  characters: number;
  bytes: number;
  tokens: number;
  fileIds: readonly string[];
  /** The runs of answers that are still streaming. */
  openRunIds: readonly string[];
  /** The last answers, oldest first, with the tokens and files sent up to the end of each. */
  answers: readonly { runId: string; tokens: number; files: number }[];
};

/** Counted branches, by the ids of their last message and of their context choices. */
export type CountedBranches = {
  get(key: string): CountedBranch | undefined;
  set(key: string, branch: CountedBranch): void;
};

/** A backup in a folder. */
type MadeBackup = { at: number; files: number; bytes: number };

/** Backups of the whole instance, made by a separate process. */
export type Backups = {
  /**
   * Makes a backup and keeps the latest `keep` in the folder. Aborting stops it without damage to
   * existing backups.
   * @returns a sentence if the backup is complete but files had been lost before; else null
   * @throws Error with a sentence for admins
   */
  make(wanted: { folder: string; keep: number }, signal: AbortSignal): Promise<string | null>;
  /**
   * Lists the folder's backups, newest first.
   * @throws the file system's error
   */
  list(folder: string): Promise<MadeBackup[]>;
  /**
   * Creates the folder.
   * @throws the file system's error; another error if the folder has other content
   */
  prepare(folder: string): Promise<void>;
};

/** A request to an address, and the private origins that an admin allowed for it. */
export type Parcel = {
  url: string;
  headers: Record<string, string>;
  body: string;
  privateOrigins: readonly string[];
};

/**
 * Formats a run's own webhook for the API that the run was requested through, with the current
 * rights of its person and key.
 */
export type RunCaller = {
  /** @returns a reason instead of the request if it may no longer be sent */
  parcelOf(hook: RunWebhook, run: OwnedRun): Promise<Parcel | { refusal: string }>;
};

/** Everything the engine depends on, created once by main.ts or by a test. */
export type EngineDeps = {
  store: Store;
  commit: Commit;
  hub: Hub;
  quiet: HealthyConnections;
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
  /** The address at which people and providers reach this server, as set by its operator. */
  publicUrl?: string;
  /**
   * Waits between attempts to download an output, in ms; the last is repeated. For tests, which
   * can't wait for minutes.
   */
  outputRetryMs?: readonly number[];
  /** The longest silence of a download, in ms. For tests. */
  outputSilenceMs?: number;
  /** Free bytes on the disk of stored files; undefined if unknown, as for an object store. */
  freeBytes?: () => Promise<number | undefined>;
  /** Without it, this database owns all files. Tests omit it. */
  fileOwner?: FileOwner;
  /** The storage's last failure, until something is saved again. */
  storageTrouble?: () => Problem | undefined;
  /** Without it, no scheduled backups are made. Tests omit it. */
  backups?: Backups;
  /** Without it, webhooks of single runs are not called. Tests omit it. */
  runCaller?: RunCaller;
  /** Whether admins may connect tool servers that are programs on this machine. */
  toolPrograms?: boolean;
  /** The failures that a test injects. */
  failpoints?: Failpoints;
};
