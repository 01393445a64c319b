/** What a command has in place of the process: its environment, its results, and what it says next to them. */
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  /** A line of the result. */
  say: (line: string) => void;
  /** A line for the person, which is not part of the result. */
  tell: (line: string) => void;
};

/** What `bottega run` needs further. */
export type RunSurroundings = Surroundings & {
  fetch: typeof globalThis.fetch;
  /** The server that this copy of the command came from. */
  servedFrom?: string;
  /** Asks the person; undefined where nobody can answer. */
  confirm?: (question: string) => Promise<boolean>;
  /** Pauses before a broken request is sent again. */
  waitsMs?: readonly number[];
};
