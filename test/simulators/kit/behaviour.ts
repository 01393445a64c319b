/**
 * The simulator's behavior for the next POST. Plain JSON, so that another process can set it over
 * HTTP too.
 */
export type Behaviour = {
  /**
   * Deltas of the answer; a single string is split at its spaces. If left out, the last message is
   * repeated.
   */
  text?: string | string[];
  reasoning?: string[];
  /** The model's tool calls after its text. `written`: the arguments, as the model writes them. */
  toolCalls?: { name: string; input: object; written?: string }[];
  /** An answer of this many short words, instead of `text`. */
  tokens?: number;
  /** Replaces each word by its index and send time in ns of `process.hrtime`: `3:81923847562 `. */
  stamped?: boolean;
  firstTokenMs?: number;
  betweenMs?: number;
  /** Sends the body in pieces of this many bytes, split anywhere. */
  splitBytes?: number;
  /** In the provider's own term. */
  finishReason?: string;
  /** The number of web searches, if they are allowed; by default one. */
  searches?: number;
  /**
   * The number of programs run and pictures made, if those tools are allowed; by default one each.
   */
  toolUses?: number;
  /** The number of files that each of its programs makes; by default one. */
  toolFiles?: number;
  /** Its programs fail with this error, in the provider's own term. */
  toolError?: string;
  /** The answer cites a passage of each citable document, each in a text block of its own. */
  cites?: boolean;
  /** Pictures are addresses on this server instead of bytes. */
  picturesByUrl?: boolean;
  /** Replaces the counted usage. */
  usage?: { [name: string]: unknown };
  /**
   * Waits for `open(name)`: before the answer's head, before the delta with this index, or before
   * the last piece of its tool calls.
   */
  gate?: { name: string; at: "head" | "call" | number };
  fault?: Fault;
};

export type Fault =
  /**
   * The connection is reset: after the request, after the answer's head, after this many deltas,
   * before the last piece of its tool calls, or after the finish.
   */
  | { kind: "reset"; at: "request" | "head" | "call" | "end" | number }
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: unknown }
  | { kind: "html" }
  | { kind: "broken-json" }
  /** An unreadable piece (JSON with NaN, a frame with a wrong checksum) after this many deltas. */
  | { kind: "nan"; after: number }
  | { kind: "error-event"; after: number; error: unknown }
  /** The stream ends cleanly after this many deltas, without a finish. */
  | { kind: "no-finish"; after: number }
  /** Ends in the middle of a character. */
  | { kind: "half-character"; after: number }
  /** These bytes are the whole body of a 200 event stream. */
  | { kind: "raw"; body: string };

/** A call's arguments, as the model writes them. */
export const argumentsOf = ({
  input,
  written = JSON.stringify(input),
}: NonNullable<Behaviour["toolCalls"]>[number]): string => written;

/** One received POST and its outcome. `billed` is a real provider's charge. */
export type Post = {
  path: string;
  body: unknown;
  headers: Record<string, string>;
  at: number;
  state: "open" | "answered" | "refused" | "broken" | "client-left";
  billed: boolean;
};

/** Named barriers, opened by the test. A gate that is already open doesn't block. */
export function createGates() {
  const gates = new Map<
    string,
    { open: PromiseWithResolvers<void>; reached: PromiseWithResolvers<void> }
  >();
  const gate = (name: string) => {
    let found = gates.get(name);
    if (!found) {
      found = { open: Promise.withResolvers(), reached: Promise.withResolvers() };
      gates.set(name, found);
    }
    return found;
  };
  return {
    wait(name: string): Promise<void> {
      gate(name).reached.resolve();
      return gate(name).open.promise;
    },
    open: (name: string) => gate(name).open.resolve(),
    /** Resolves when a request waits at the gate. */
    reached: (name: string): Promise<void> => gate(name).reached.promise,
    openAll() {
      for (const { open } of gates.values()) open.resolve();
    },
  };
}
export type Gates = ReturnType<typeof createGates>;
