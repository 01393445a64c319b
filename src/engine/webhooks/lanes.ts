/** What an address did with a delivery. `failure`: why it does not count as taken, in a sentence. */
export type Answered = {
  failure: string | null;
  httpStatus: number | null;
  answer: string | null;
  /** Nothing was sent: the address is not to blame. */
  isWithdrawn?: true;
};

/** Deliveries that wait behind each other: those to one webhook, or of one person's runs to one address. */
export type Lane = {
  id: string;
  /** Lanes of one group have so many places together. */
  group?: { id: string; most: number };
  /** Takes some; until its claim expires no other server takes them too. */
  claim(most: number): Promise<Flight[]>;
};

/** One try: sends it, and then writes down what became of it. */
export type Flight = {
  send(signal: AbortSignal): Promise<Answered>;
  record(answered: Answered, tookMs: number): Promise<void>;
};
