/** Inputs that have no frame yet: one that the model has, and one on its way to it. More would only be old when they are answered. */
const unansweredMost = 2;
/** A stylus reports more often than any model answers. */
export const leastMs = 25;

/** Which inputs of a canvas are out. Only the newest change matters: it is sent when it is its turn, as it is then. */
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
/** @returns in how many ms the newest change may be sent; undefined when it waits for an answer, or nothing has changed */
export function waitMs(turn: SendTurn, now: number): number | undefined {
  if (!turn.isDirty || turn.out.length >= unansweredMost) return undefined;
  return Math.max(0, turn.sentAt + leastMs - now);
}
export const withSent = (turn: SendTurn, now: number): SendTurn => ({
  nextInput: turn.nextInput + 1,
  out: [...turn.out, turn.nextInput],
  sentAt: now,
  isDirty: false,
});
/** A frame answers its input and every one before: those were dropped for it. */
export const withAnswer = (turn: SendTurn, input: number): SendTurn => ({
  ...turn,
  out: turn.out.filter((out) => out > input),
});
/** Another line, or another session: what was out is lost, and the newest is sent again. */
export const withLoss = (turn: SendTurn): SendTurn => ({
  ...turn,
  out: [],
  isDirty: turn.isDirty || turn.out.length > 0,
});
