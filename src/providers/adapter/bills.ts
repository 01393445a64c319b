import type { CallContext } from "./calls.ts";

/** A line of a provider's bill. A request may have several. */
export type BilledEvent = {
  requestId: string;
  model: string;
  /** When it was billed. */
  at: number;
  /** The amount after discounts: micro-dollars as exact decimal text. */
  micros: string;
};

export type BillsAdapter = {
  /**
   * Lists the lines billed from `fromMs` until before `toMs`, as pages in any order.
   * `connection.secret` is the key supplied for this single reading.
   * @throws ProviderError: `provider_forbidden` for a key that may not read bills
   */
  list(range: { fromMs: number; toMs: number }, context: CallContext): AsyncIterable<BilledEvent[]>;
};
