/** Replaces the process for a command: its environment, its results, and its other output. */
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  /** Writes a line of the result. */
  say: (line: string) => void;
  /** Writes a line for the person that isn't part of the result. */
  tell: (line: string) => void;
};

/** Further dependencies of `bottega run`. */
export type RunSurroundings = Surroundings & {
  fetch: typeof globalThis.fetch;
  /** The server that this copy of the command came from. */
  servedFrom?: string;
  /** Asks the person; undefined if nobody can answer. */
  confirm?: (question: string) => Promise<boolean>;
  /** Pauses before a broken request is sent again. */
  waitsMs?: readonly number[];
};
