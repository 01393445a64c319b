/**
 * At most two inputs without a frame: one at the model and one in transit. More would be outdated
 * on arrival.
 */
const maxUnanswered = 2;
/** The minimum interval between inputs: a stylus reports more often than any model answers. */
export const leastMs = 25;

/**
 * The unanswered inputs of a canvas. Only the newest change matters, and is read when it is sent.
 */
export type SendTurn = {
  nextInput: number;
  out: readonly number[];
  sentAt: number;
  isDirty: boolean;
};
export const firstTurn: SendTurn = {
  nextInput: 0,
  out: [],
  sentAt: Number.NEGATIVE_INFINITY,
  isDirty: false,
};

export const withChange = (turn: SendTurn): SendTurn => ({ ...turn, isDirty: true });
/**
 * @returns ms until the newest change can be sent; undefined if it waits for an answer or nothing
 *   changed
 */
export function waitMs(turn: SendTurn, now: number): number | undefined {
  if (!turn.isDirty || turn.out.length >= maxUnanswered) return undefined;
  return Math.max(0, turn.sentAt + leastMs - now);
}
export const withSent = (turn: SendTurn, now: number): SendTurn => ({
  nextInput: turn.nextInput + 1,
  out: [...turn.out, turn.nextInput],
  sentAt: now,
  isDirty: false,
});
/** A frame answers its input and all earlier ones, which were dropped. */
export const withAnswer = (turn: SendTurn, input: number): SendTurn => ({
  ...turn,
  out: turn.out.filter((out) => out > input),
});
/** A new socket or session: unanswered inputs are lost, and the newest is sent again. */
export const withLoss = (turn: SendTurn): SendTurn => ({
  ...turn,
  out: [],
  isDirty: turn.isDirty || turn.out.length > 0,
});
