/**
 * An address's response to a delivery. `failure` states in a sentence why it doesn't count as
 * delivered.
 */
export type Answered = {
  failure: string | null;
  httpStatus: number | null;
  answer: string | null;
  /** Nothing was sent, so the address isn't at fault. */
  isWithdrawn?: true;
};

/** Deliveries sent in sequence: to one webhook, or of one person's runs to one address. */
export type Lane = {
  id: string;
  /** The lanes of a group share this many slots. */
  group?: { id: string; most: number };
  /** Claims deliveries; no other server takes them until the claim expires. */
  claim(most: number): Promise<Flight[]>;
};

/** One attempt: sends the delivery, then records the result. */
export type Flight = {
  send(signal: AbortSignal): Promise<Answered>;
  record(answered: Answered, tookMs: number): Promise<void>;
};
