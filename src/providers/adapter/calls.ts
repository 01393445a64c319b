import type { JsonObject } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { OpenConnection } from "./connections.ts";

export type CallContext = {
  connection: OpenConnection;
  /** The guarded fetch, the only way to the network. */
  fetch: typeof globalThis.fetch;
  /** For a kind with `signInAddress`: a guarded fetch that may also reach that address. */
  signInFetch?: typeof globalThis.fetch;
  /** The guarded socket. Without it, events have to be polled. */
  openSocket?: OpenSocket;
  signal: AbortSignal;
  clock: { now(): number };
  /**
   * Parses a response that would block the server's own thread. The caller's bytes are transferred,
   * unless this throws.
   * @throws Problem unavailable
   */
  parseJson?(bytes: Uint8Array<ArrayBuffer>): Promise<unknown>;
  /**
   * The grant that the server of a kind with `signIn` issued: text that only the kind reads, stored
   * sealed.
   */
  grant?: {
    load(): Promise<string | null>;
    /**
     * Replaces the current text with the result of `change`, or leaves it if that is null. `change`
     * is called again if another server was faster.
     */
    update(change: (text: string | null) => string | null): Promise<void>;
  };
  /** Tasks that people set for models of this connection, by model id. They override the list. */
  tasks?: ReadonlyMap<string, Task>;
  /** The operator allows the instance's connections to start programs on this machine. */
  programs?: true;
  /** For a kind with `workflows`: the connection's workflows. */
  workflows?: { list(): Promise<Workflow[]>; get(id: string): Promise<Workflow | undefined> };
};

/** A workflow that a person added to a connection. Its id is the model's. */
export type Workflow = { id: string; name: string; document: JsonObject };

/**
 * Opens a WebSocket at a ws: or wss: URL. The signal also closes it later.
 * @throws ProviderError, or the signal's reason
 */
export type OpenSocket = (
  url: string,
  init: { headers?: Record<string, string>; signal: AbortSignal },
) => Promise<Socket>;

export type Socket = {
  send(content: string | Uint8Array): void;
  /**
   * Returns the next frame, or null if `waitMs` pass without one. Frames received before the socket
   * closed are returned first.
   * @throws ProviderError once the socket is closed, with the close code as its `reason`
   */
  next(waitMs?: number): Promise<string | Uint8Array | null>;
  close(): void;
};
