/**
 * The source of ids, passed as an argument so that tests can choose them. UUIDv7 text: ids sort by
 * time.
 */
export type Ids = () => string;
export type Clock = {
  now(): number;
  /** Milliseconds that never jump, for ownership and deadlines. */
  monotonic(): number;
};
