import type { JsonObject } from "#contract/json.ts";
import type { CallContext, OpenSocket } from "./calls.ts";
import type { ProviderError } from "./errors.ts";
import type { RunRequest } from "./runs.ts";

/** A change to a live canvas: all current settings, and the current drawing. */
export type RealtimeInput = {
  settings: JsonObject;
  drawing: { mime: string; bytes: Uint8Array } | null;
};

export type RealtimeFrame = {
  mime: string;
  bytes: Uint8Array;
  width?: number;
  height?: number;
  seed?: number;
};

/**
 * Receives an open session's events, in order. The engine sends the next input once the previous
 * one is answered.
 */
type RealtimeListener = {
  /** The answer to the last input, usually a single frame. */
  frames(frames: readonly RealtimeFrame[]): void;
  /** The last input gave no frame; the session continues. */
  refused(error: ProviderError): void;
  /**
   * The end, called once. Null: the service ended the session normally, and another may be opened.
   * Not called after `close`.
   */
  closed(error: ProviderError | null): void;
};

export type RealtimeSession = {
  /** Calls the listener later, never before it returns. */
  send(input: RealtimeInput): void;
  close(): void;
};

export type RealtimeContext = CallContext & {
  /** The guarded way out for sockets. */
  openSocket: OpenSocket;
};

/** `app`: a token for all models of the model's app. `endpoint`: for this model alone. */
export type SocketTokenAsk = { opens: "app" | "endpoint"; seconds: number };

export type RealtimeAdapter = {
  /**
   * Opens a session, and resolves when inputs may be sent. Opening costs nothing.
   * @throws ProviderError
   */
  open(
    model: RunRequest["model"],
    context: RealtimeContext,
    on: RealtimeListener,
  ): Promise<RealtimeSession>;
  /**
   * Creates a token with which a client opens the service's sockets itself.
   * @throws ProviderError
   */
  token?(model: string, ask: SocketTokenAsk, context: CallContext): Promise<string>;
};
