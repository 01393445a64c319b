/** What the simulator does with the next POST. Plain JSON, so that another process can script it over HTTP too. */
export type Behaviour = {
  /** Deltas of the answer; one string is cut at its spaces. Left out: the last message is repeated. */
  text?: string | string[];
  reasoning?: string[];
  /** Tools that the model asks for when it has said its words. */
  toolCalls?: { name: string; input: object }[];
  /** An answer of so many short words in place of `text`. */
  tokens?: number;
  /** In place of each word its index and when it leaves, in ns of `process.hrtime`: `3:81923847562 `. */
  stamped?: boolean;
  firstTokenMs?: number;
  betweenMs?: number;
  /** The body leaves in pieces of so many bytes, cut wherever that falls. */
  splitBytes?: number;
  /** In the provider's own word. */
  finishReason?: string;
  /** How often it would search the web, where that is allowed; once unless it is said. */
  searches?: number;
  /** How many programs it runs and pictures it makes, where those tools are allowed; one each unless it is said. */
  toolUses?: number;
  /** How many files each of its programs makes, where it makes any; one unless it is said. */
  toolFiles?: number;
  /** Its programs fail with this, in the provider's own word. */
  toolError?: string;
  /** The answer names a passage of each document that may be cited. */
  cites?: boolean;
  /** Pictures come as an address on this server instead of bytes. */
  picturesByUrl?: boolean;
  /** Replaces the usage that is counted. */
  usage?: { [name: string]: unknown };
  /** Waits for `open(name)`: before the head of the answer, or before the delta of this index. */
  gate?: { name: string; at: "head" | number };
  fault?: Fault;
};

export type Fault =
  /** The connection is reset: when the request is in, after the head of the answer, after so many deltas, or after the finish. */
  | { kind: "reset"; at: "request" | "head" | "end" | number }
  | { kind: "status"; status: number; headers?: Record<string, string>; body?: unknown }
  | { kind: "html" }
  | { kind: "broken-json" }
  /** A piece that no reader understands (JSON with NaN, a frame with a wrong checksum) after so many deltas. */
  | { kind: "nan"; after: number }
  | { kind: "error-event"; after: number; error: unknown }
  /** The stream ends cleanly after so many deltas, without saying that it is finished. */
  | { kind: "no-finish"; after: number }
  /** Ends in the middle of a character. */
  | { kind: "half-character"; after: number }
  /** These bytes are the whole body of a 200, as an event stream. */
  | { kind: "raw"; body: string };

/** One POST as it came in, and what became of it. `billed` is what a real provider would have charged for. */
export type Post = {
  path: string;
  body: unknown;
  headers: Record<string, string>;
  at: number;
  state: "open" | "answered" | "refused" | "broken" | "client-left";
  billed: boolean;
};

/** Named barriers, opened by whoever runs the test; a gate that was opened before is no obstacle. */
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
    /** Resolves when a request stands at the gate. */
    reached: (name: string): Promise<void> => gate(name).reached.promise,
    openAll() {
      for (const { open } of gates.values()) open.resolve();
    },
  };
}
export type Gates = ReturnType<typeof createGates>;
