/** Where ids come from: given to whoever makes rows, so that tests can name them. UUIDv7 text: ids sort by time. */
export type Ids = () => string;
export type Clock = {
  now(): number /** Milliseconds that never jump, for ownership and deadlines. */;
  monotonic(): number;
};
